/* What the first bytes of a common x86-64 instruction tell.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2:
   sections 2.1 and 2.2 for the parts of instructions, appendix A for the
   opcodes.  */

#include "code/insn_amd64_glance.h"

#include "base/bytes.h"
#include "code/instruction.h"

/* What follows an opcode, and what may be in front of it (PREFIX, REPEAT).  */
enum
{
  RARE, /* not for this table */
  PLAIN = 1 << 0,
  MODRM = 1 << 1,
  BYTE = 1 << 2,   /* an immediate of a byte */
  WORD = 1 << 3,   /* of the operand's size, at most 4 bytes */
  QUAD = 1 << 4,   /* the same, or 8 */
  PREFIX = 1 << 5, /* 66 */
  REPEAT = 1 << 6  /* f2, f3 */
};

enum
{
  LONGEST = 15, /* instruction */
  REX_W = 8,
  CONDITION_BITS = 15
};

#define ARITHMETIC(opcode)                                          \
  [opcode] = MODRM | PREFIX, [(opcode) + 1] = MODRM | PREFIX,       \
  [(opcode) + 2] = MODRM | PREFIX, [(opcode) + 3] = MODRM | PREFIX, \
  [(opcode) + 4] = BYTE, [(opcode) + 5] = WORD | PREFIX

static const uint8_t forms[256] = {
  ARITHMETIC (0x00),
  ARITHMETIC (0x08),
  ARITHMETIC (0x10),
  ARITHMETIC (0x18),
  ARITHMETIC (0x20),
  ARITHMETIC (0x28),
  ARITHMETIC (0x30),
  ARITHMETIC (0x38),
  [0x50 ... 0x5f] = PLAIN, /* push, pop */
  [0x63] = MODRM,          /* movsxd */
  [0x68] = WORD,           /* push */
  [0x69] = MODRM | WORD | PREFIX,
  [0x6a] = BYTE,
  [0x6b] = MODRM | BYTE | PREFIX,
  [0x80] = MODRM | BYTE,
  [0x81] = MODRM | WORD | PREFIX,
  [0x83] = MODRM | BYTE | PREFIX,
  [0x84 ... 0x8b] = MODRM | PREFIX, /* test, xchg, mov */
  [0x8d] = MODRM | PREFIX,          /* lea */
  [0x98 ... 0x99] = PLAIN | PREFIX,
  [0xa8] = BYTE,
  [0xa9] = WORD | PREFIX,
  [0xb0 ... 0xb7] = BYTE, /* mov */
  [0xb8 ... 0xbf] = QUAD | PREFIX,
  [0xc0 ... 0xc1] = MODRM | BYTE | PREFIX, /* shifts */
  [0xc6] = MODRM | BYTE,                   /* mov */
  [0xc7] = MODRM | WORD | PREFIX,
  [0xc9] = PLAIN, /* leave */
  [0xd0 ... 0xd3] = MODRM | PREFIX,
  [0xf6] = MODRM, /* not, neg, mul, div; test has an immediate */
  [0xf7] = MODRM | PREFIX,
  [0xfe] = MODRM,
  [0xff] = MODRM | PREFIX,
};

/* Behind 0f.  */
static const uint8_t forms_0f[256] = {
  [0x10 ... 0x11] = MODRM | PREFIX | REPEAT, /* movups, movss */
  [0x14 ... 0x15] = MODRM | PREFIX,
  [0x28 ... 0x29] = MODRM | PREFIX, /* movaps */
  [0x2a] = MODRM | PREFIX | REPEAT, /* cvtsi2sd */
  [0x2c ... 0x2d] = MODRM | PREFIX | REPEAT,
  [0x2e ... 0x2f] = MODRM | PREFIX, /* ucomiss */
  [0x40 ... 0x4f] = MODRM | PREFIX, /* cmov */
  [0x51] = MODRM | PREFIX | REPEAT,
  [0x54 ... 0x57] = MODRM | PREFIX,
  [0x58 ... 0x5a] = MODRM | PREFIX | REPEAT, /* addss, mulss */
  [0x5c ... 0x5f] = MODRM | PREFIX | REPEAT,
  [0x60 ... 0x6b] = MODRM | PREFIX,
  [0x6e ... 0x6f] = MODRM | PREFIX, /* movd, movdqa */
  [0x70] = MODRM | BYTE | PREFIX,
  [0x74 ... 0x76] = MODRM | PREFIX,
  [0x7e ... 0x7f] = MODRM | PREFIX,
  [0x90 ... 0x9f] = MODRM, /* set */
  [0xa3] = MODRM | PREFIX, /* bt */
  [0xa4] = MODRM | BYTE | PREFIX,
  [0xac] = MODRM | BYTE | PREFIX,
  [0xaf] = MODRM | PREFIX, /* imul */
  [0xb6 ... 0xb7] = MODRM | PREFIX,
  [0xbe ... 0xbf] = MODRM | PREFIX, /* movzx, movsx */
  [0xd4] = MODRM | PREFIX,
  [0xdb] = MODRM | PREFIX,
  [0xeb] = MODRM | PREFIX,
  [0xef] = MODRM | PREFIX,
  [0xfa ... 0xfe] = MODRM | PREFIX,
};

unsigned
amd64_modrm_size (const uint8_t *modrm)
{
  unsigned mode = *modrm >> 6, base = *modrm & 7;
  bool has_sib = mode != 3 && base == 4;
  if (has_sib)
    base = modrm[1] & 7;
  unsigned displacement = mode == 1                               ? 1
                          : mode == 2 || (mode == 0 && base == 5) ? 4
                                                                  : 0;
  return 1 + has_sib + displacement;
}

static int32_t
signed_u32 (const uint8_t *at)
{
  return (int32_t)load_u32 (at, false);
}

/* Jumps and calls to a fixed distance; OPCODE is in front of AT.  */
static bool
glance_at_branch (uint8_t opcode, bool is_0f, const uint8_t *at,
                  struct amd64_glance *glance)
{
  bool is_near = is_0f ? (opcode & 0xf0) == 0x80 : (opcode & 0xfe) == 0xe8;
  bool is_short = !is_0f && ((opcode & 0xf0) == 0x70 || opcode == 0xeb);
  if (!is_near && !is_short)
    return false;
  glance->flow = opcode == 0xe8                     ? FLOW_CALL
                 : opcode == 0xe9 || opcode == 0xeb ? FLOW_JUMP
                                                    : FLOW_BRANCH;
  glance->condition = opcode & CONDITION_BITS;
  glance->is_relative = true;
  glance->displacement = is_near ? signed_u32 (at) : (int8_t)*at;
  glance->size = is_near ? 4 : 1;
  return true;
}

/* Opcodes that stand for several instructions, or none, by MODRM.  */
static bool
choose_of_group (uint8_t opcode, uint8_t modrm, uint8_t *form,
                 struct amd64_glance *glance)
{
  unsigned which = modrm >> 3 & 7;
  switch (opcode)
    {
    case 0x8d:
      glance->is_lea = true;
      return modrm < 0xc0;
    case 0xc6:
    case 0xc7:
      return which == 0;
    case 0xf6:
    case 0xf7:
      *form |= which == 0 ? opcode == 0xf6 ? BYTE : WORD : 0;
      return which != 1;
    case 0xfe:
      return which <= 1;
    case 0xff:
      if (which == 2 || which == 4)
        glance->flow = which == 2 ? FLOW_CALL_INDIRECT : FLOW_JUMP_INDIRECT;
      return which <= 2 || which == 4 || which == 6;
    default:
      return true;
    }
}

static unsigned
immediate_size (uint8_t form, unsigned prefix, uint8_t rex)
{
  if (form & BYTE)
    return 1;
  if ((form & QUAD) && (rex & REX_W))
    return 8;
  return form & (WORD | QUAD) ? prefix && !(rex & REX_W) ? 2 : 4 : 0;
}

bool
amd64_glance_at (const uint8_t *bytes, uint64_t size,
                 struct amd64_glance *glance)
{
  const uint8_t *at = bytes;
  *glance = (struct amd64_glance){ .flow = FLOW_NEXT };
  if (size <= LONGEST)
    return false;
  unsigned prefix = *at == 0x66                  ? PREFIX
                    : *at == 0xf2 || *at == 0xf3 ? REPEAT
                                                 : 0;
  at += prefix != 0;
  uint8_t rex = (*at & 0xf0) == 0x40 ? *at++ : 0;
  bool is_0f = *at == 0x0f;
  at += is_0f;
  uint8_t opcode = *at++;
  uint8_t form = is_0f ? forms_0f[opcode] : forms[opcode];
  if (form == RARE)
    {
      bool known = at - bytes == 1 + is_0f
                   && glance_at_branch (opcode, is_0f, at, glance);
      glance->size += (uint8_t)(at - bytes);
      return known;
    }
  if ((prefix & ~form)
      || ((form & MODRM) && !is_0f
          && !choose_of_group (opcode, *at, &form, glance))
      || (prefix && glance->flow != FLOW_NEXT))
    return false;
  if (form & MODRM)
    {
      glance->is_relative = (*at & 0xc7) == 5;
      glance->displacement = glance->is_relative ? signed_u32 (at + 1) : 0;
      at += amd64_modrm_size (at);
    }
  at += immediate_size (form, prefix, rex);
  glance->size = (uint8_t)(at - bytes);
  return true;
}
