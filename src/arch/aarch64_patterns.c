/* AArch64: padding, and the addresses that instructions have.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "arch/patterns.h"

#include <elf.h>

#include "base/bytes.h"

enum
{
  ADRP_WINDOW = 64 /* instructions between ADRP and what adds the rest */
};

/* nop, and udf #0, which is what zeros mean (Arm ARM, C6.2).  */
static size_t
padding (const uint8_t *at, size_t left)
{
  /* Instructions are little-endian whatever the data are.  */
  uint32_t word = left >= 4 ? load_u32 (at, false) : 1;
  return word == 0xd503201f || word == 0 ? 4 : 0;
}

static int64_t
sign_extend (uint64_t value, unsigned bits)
{
  uint64_t sign = 1ull << (bits - 1);
  return (int64_t)((value & (2 * sign - 1)) ^ sign) - (int64_t)sign;
}

static uint32_t
word_at (const struct loaded_bytes *code, uint64_t at)
{
  return load_u32 (code->bytes + at, false); /* in both byte orders */
}

/* What ADD and loads or stores with an unsigned offset add to register BASE
   (Arm ARM, C4.1); false for other instructions.  */
static bool
added_offset (uint32_t word, uint32_t base, uint64_t *offset)
{
  if ((word >> 5 & 31) != base)
    return false;
  *offset = word >> 10 & 0xfff;
  if ((word & 0xff800000) == 0x91000000)
    {
      if (word & 1u << 22)
        *offset <<= 12;
      return true;
    }
  if ((word & 0x3b000000) != 0x39000000)
    return false;
  bool wide = (word & 1u << 26) && (word & 1u << 23);
  *offset <<= wide ? 4 : word >> 30;
  return true;
}

/* ADRP gives a page; an instruction soon behind it adds the rest.  If there is
   no such instruction, the address may be any in that page.  */
static void
find_in_page (struct address_search *search, const struct loaded_bytes *code,
              uint64_t at, uint64_t page)
{
  uint32_t base = word_at (code, at) & 31;
  bool used = false;
  if (page >= search->end || page + 0xfff < search->begin)
    return;
  for (uint64_t i = 1; i <= ADRP_WINDOW && at + 4 * i + 4 <= code->size; i++)
    {
      uint32_t word = word_at (code, at + 4 * i);
      uint64_t offset;
      if (!added_offset (word, base, &offset))
        continue;
      used = true;
      address_search_note (search, page + offset);
      if ((word & 31) == base)
        break;
    }
  if (!used)
    search->unknown = true;
}

static void
find_addresses (struct address_search *search, const struct loaded_bytes *code)
{
  for (uint64_t at = -code->address & 3; at + 4 <= code->size; at += 4)
    {
      uint32_t word = word_at (code, at);
      uint64_t pc = code->address + at;
      uint64_t immediate = (word >> 5 & 0x7ffff) << 2 | (word >> 29 & 3);
      if ((word & 0x9f000000) == 0x90000000)
        find_in_page (search, code, at,
                      (pc & ~0xfffull)
                          + ((uint64_t)sign_extend (immediate, 21) << 12));
      else if ((word & 0x9f000000) == 0x10000000)
        address_search_note (search,
                             pc + (uint64_t)sign_extend (immediate, 21));
      else if ((word & 0x3b000000) == 0x18000000)
        address_search_note (
            search, pc + (uint64_t)sign_extend (immediate & ~3ull, 21));
    }
}

const struct arch_patterns aarch64_patterns = {
  .e_machine = EM_AARCH64,
  .padding = padding,
  .find_addresses = find_addresses,
};
