/* x86-64: padding, and the addresses that instructions refer to.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "arch/patterns.h"

#include <elf.h>

#include "base/bytes.h"

/* Return the size of the multi-byte no-op 0f 1f /0 at AT, without its
   prefixes, or 0 (Intel SDM volume 2, NOP; tables 2-2, 2-3 and 4-12).  */
static size_t
long_nop (const uint8_t *at, size_t left)
{
  if (left < 3 || at[0] != 0x0f || at[1] != 0x1f || (at[2] & 0x38) != 0)
    return 0;
  unsigned mode = at[2] >> 6, base = at[2] & 7;
  bool has_sib = mode != 3 && base == 4;
  if (has_sib && left > 3)
    base = at[3] & 7;
  bool is_long = mode == 2 || (mode == 0 && base == 5);
  size_t size = 3u + has_sib + (mode == 1 ? 1 : is_long ? 4 : 0);
  return size <= left ? size : 0;
}

static size_t
padding (const uint8_t *at, size_t left)
{
  if (at[0] == 0xcc || at[0] == 0x00)
    return 1; /* int3, or bytes that a linker fills gaps with */
  size_t prefixes = 0;
  while (prefixes < left && (at[prefixes] == 0x66 || at[prefixes] == 0x2e))
    prefixes++;
  if (prefixes == left)
    return 0;
  if (at[prefixes] == 0x90)
    return prefixes + 1;
  size_t size = long_nop (at + prefixes, left - prefixes);
  return size > 0 ? prefixes + size : 0;
}

/* The one-byte opcodes with a ModRM byte: bit N of element M stands for opcode
   16 * M + N (Intel SDM, volume 2, table A-2).  */
static const uint16_t has_modrm[16]
    = { 0x0f0f, 0x0f0f, 0x0f0f, 0x0f0f, 0x0000, 0x0000, 0x0a0c, 0x0000,
        0xffff, 0x0000, 0x0000, 0x0000, 0x00f3, 0xff0f, 0x0000, 0xc0c0 };

/* Return whether the byte before AT may be a ModRM byte: it follows an opcode
   with a ModRM byte, or may follow one of another opcode map.  */
static bool
is_modrm (const struct loaded_bytes *code, uint64_t at)
{
  uint8_t before[7] = { 0 }; /* [N]: N bytes before AT */
  for (uint64_t i = 1; i < sizeof before && i <= at; i++)
    before[i] = code->bytes[at - i];
  return (has_modrm[before[2] >> 4] >> (before[2] & 15) & 1)
         || before[3] == 0x0f || before[4] == 0x0f  /* 0F, 0F 38, 0F 3A */
         || before[4] == 0xc5 || before[5] == 0xc4  /* VEX */
         || before[5] == 0x8f || before[6] == 0x62; /* XOP, EVEX */
}

/* Report the targets of the PC-relative operand whose 32-bit displacement may
   be at offset AT: the ModRM byte before it has mod 0 and r/m 5 then.  The
   operand counts from the end of the instruction, after up to four bytes of
   immediate operands (Intel SDM, volume 2, section 2.2.1.6).  */
static void
report_pc_relative (struct address_search *search,
                    const struct loaded_bytes *code, uint64_t at)
{
  if (at < 1 || (code->bytes[at - 1] & 0xc7) != 5 || !is_modrm (code, at))
    return;
  uint64_t target = code->address + at + 4
                    + (uint64_t)(int32_t)load_u32 (code->bytes + at, false);
  address_search_report (search, target);
  address_search_report (search, target + 1);
  address_search_report (search, target + 2);
  address_search_report (search, target + 4);
}

static void
report_field (struct address_search *search, const struct loaded_bytes *code,
              uint64_t at)
{
  report_pc_relative (search, code, at);
  /* The large code model adds a 64-bit constant to the address of the global
     offset table, which is the base of the search (psABI,
     R_X86_64_GOTOFF64).  */
  if (search->has_base && at >= 2 && at + 8 <= code->size
      && code->bytes[at - 2] >> 1 == 0x48 >> 1
      && (code->bytes[at - 1] & 0xf8) == 0xb8)
    address_search_report (search,
                           search->base + load_u64 (code->bytes + at, false));
}

static void
find_addresses (struct address_search *search, const struct loaded_bytes *code)
{
  address_search_fields (search, code, false, report_field);
}

const struct arch_patterns amd64_patterns = {
  .e_machine = EM_X86_64,
  .padding = padding,
  .find_addresses = find_addresses,
};
