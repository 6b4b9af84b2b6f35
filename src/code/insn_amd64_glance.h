/* What the first bytes of a common x86-64 instruction tell.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Nine of ten instructions are of a few hundred forms whose size a table tells
   in a tenth of the time that Zydis takes.  All others, and what is no
   instruction, are left to Zydis.  */

#ifndef CODE_INSN_AMD64_GLANCE_H
#define CODE_INSN_AMD64_GLANCE_H

#include <stdbool.h>
#include <stdint.h>

struct amd64_glance
{
  uint8_t size;
  uint8_t flow;      /* enum insn_flow */
  uint8_t condition; /* the low bits of the opcode, of FLOW_BRANCH */
  bool is_lea;
  bool is_relative; /* an operand is `displacement' from the next
                       instruction: code, or memory */
  int32_t displacement;
};

/* Whether the SIZE BYTES begin with an instruction of a common form.  It is no
   nop.  */
bool amd64_glance_at (const uint8_t *bytes, uint64_t size,
                      struct amd64_glance *glance);

/* The size of MODRM and of what belongs to it (tables 2-2 and 2-3).  */
unsigned amd64_modrm_size (const uint8_t *modrm);

#endif /* CODE_INSN_AMD64_GLANCE_H */
