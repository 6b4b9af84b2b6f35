/* s390x: padding, and the addresses that instructions refer to.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "arch/patterns.h"

#include <elf.h>

#include "base/bytes.h"

/* Padding: nopr, any register, and zeros (Principles of Operation, BCR).  */
static size_t
padding (const uint8_t *at, size_t left)
{
  return left >= 2 && ((at[0] == 0x07 && at[1] < 0x10) || (!at[0] && !at[1]))
             ? 2
             : 0;
}

/* Report the operands of RIL instructions that address storage relative to the
   PC: LARL, LGRL, EXRL and others (z/Architecture Principles of Operation,
   "Relative-immediate addressing").  */
static void
find_addresses (struct address_search *search, const struct loaded_bytes *code)
{
  for (uint64_t at = code->address & 1; at + 6 <= code->size; at += 2)
    {
      uint8_t opcode = code->bytes[at];
      if (opcode != 0xc0 && opcode != 0xc4 && opcode != 0xc6)
        continue;
      int64_t halfwords = (int32_t)load_u32 (code->bytes + at + 2, true);
      address_search_report (search,
                             code->address + at + 2 * (uint64_t)halfwords);
    }
}

const struct arch_patterns s390x_patterns = {
  .e_machine = EM_S390,
  .padding = padding,
  .find_addresses = find_addresses,
};
