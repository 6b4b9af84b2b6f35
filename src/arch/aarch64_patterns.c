/* AArch64: padding, and the addresses that instructions have.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "arch/patterns.h"

#include <elf.h>

#include "arch/aarch64_adrp.h"
#include "base/bytes.h"

enum
{
  FOLLOWED = 4 /* instructions that are looked at behind ADRPs, for each byte
                  of the code */
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

static void
find_addresses (struct address_search *search, const struct loaded_bytes *code)
{
  uint64_t budget = FOLLOWED * code->size;
  for (uint64_t at = -code->address & 3; at + 4 <= code->size; at += 4)
    {
      uint32_t word = word_at (code, at);
      uint64_t pc = code->address + at;
      uint64_t immediate = (word >> 5 & 0x7ffff) << 2 | (word >> 29 & 3);
      uint64_t page
          = (pc & ~0xfffull) + ((uint64_t)sign_extend (immediate, 21) << 12);
      if ((word & 0x9f000000) == 0x90000000)
        {
          if (page < search->end && page + 0xfff >= search->begin)
            adrp_follow (search, code, at, page, &budget);
        }
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
