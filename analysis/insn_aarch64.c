/* A64 instructions: branches, the system, and which group others belong to.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Decoded here and not by a library: all instructions have one size, and what
   concerns stack and registers is in few fields of them.  Capstone, the
   library for it, decodes 3 million instructions per second, which is not fast
   enough for following all code of an image twice, and its releases 4 know
   nothing of Armv8.1's atomics, which nearly every file has.  */

#include <stdlib.h>

#include "base/bytes.h"
#include "analysis/insn_aarch64.h"
#include "analysis/insn_machine.h"

enum
{
  SIZE = 4,
  NOP = 0xd503201f,
  BTI_C = 0xd503245f
};

static uint64_t
target_of (uint32_t word, uint64_t address, unsigned low, unsigned n)
{
  return address + (uint64_t)a64_signed (word, low, n) * 4;
}

/* Branches to a register: BR, BLR, RET and those that authenticate ("A"), by
   key A or B, with a register or zero as modifier.  */
static bool
register_flow (uint32_t word, enum insn_flow *flow)
{
  unsigned opc = a64_bits (word, 21, 4), op3 = a64_bits (word, 10, 6);
  unsigned rn = a64_bits (word, 5, 5);
  bool authenticates = op3 == 2 || op3 == 3;
  bool with_modifier = opc >= 8;
  opc &= 7;
  if (a64_bits (word, 16, 5) != 31 || (op3 != 0 && !authenticates))
    return false;
  if (authenticates ? with_modifier && opc > 1
                    : with_modifier || a64_bits (word, 0, 5) != 0)
    return false;
  *flow = opc == 0   ? FLOW_JUMP_INDIRECT
          : opc == 1 ? FLOW_CALL_INDIRECT
          : opc == 2 ? FLOW_RETURN
                     : FLOW_STOP; /* ERET, DRPS */
  bool is_eret = (opc == 4 || (opc == 5 && !authenticates)) && rn == 31;
  return opc <= 2 || is_eret;
}

/* HLT, BRK, UDF, DCPS; SVC, HVC, SMC go on.  */
static bool
exception_flow (uint32_t word, enum insn_flow *flow)
{
  unsigned opc = a64_bits (word, 21, 3), level = a64_bits (word, 0, 2);
  *flow = opc == 0 ? FLOW_NEXT : FLOW_STOP;
  return a64_bits (word, 2, 3) == 0
         && (opc == 0 || opc == 5 ? level != 0
                                  : (opc == 1 || opc == 2) && level == 0);
}

/* Where WORD goes.  False if it is in the group of branches, exceptions and
   the system, but no instruction there that is known.  */
static bool
find_flow (uint32_t word, uint64_t address, enum insn_flow *flow,
           uint64_t *target)
{
  *flow = FLOW_NEXT;
  if (a64_bits (word, 16, 16) == 0)
    *flow = FLOW_STOP; /* UDF */
  if (a64_bits (word, 26, 3) != 5)
    return true;
  switch (a64_bits (word, 29, 3))
    {
    case 0:
    case 4:
      *flow = word >> 31 ? FLOW_CALL : FLOW_JUMP;
      *target = target_of (word, address, 0, 26);
      return true;
    case 1:
    case 5: /* CBZ, CBNZ; TBZ, TBNZ */
      *flow = FLOW_BRANCH;
      *target = a64_bits (word, 25, 1) ? target_of (word, address, 5, 14)
                                       : target_of (word, address, 5, 19);
      return true;
    case 2: /* B.cond, BC.cond; conditions 14 and 15 are "always" */
      *flow = a64_bits (word, 1, 3) == 7 ? FLOW_JUMP : FLOW_BRANCH;
      *target = target_of (word, address, 5, 19);
      return a64_bits (word, 24, 8) == 0x54;
    case 6:
      if (a64_bits (word, 24, 8) == 0xd4)
        return exception_flow (word, flow);
      return a64_bits (word, 24, 8) == 0xd5 || register_flow (word, flow);
    default:
      return false;
    }
}

/* A PLT stub, which jumps where a word of the GOT points, counts as one
   instruction for sweeps, BTI C in front of it included: ADRP x16; LDR x17,
   [x16, #n]; ADD x16, x16, #n (NOP, when n is 0); BR x17, with AUTIA1716 in it
   or not (arch/aarch64.c).  */
static bool
take_stub (const uint8_t *bytes, uint64_t size, uint64_t address,
           struct insn_step *step)
{
  uint32_t words[5] = { 0 };
  unsigned n = 0;
  for (; n < 5 && (n + 1) * SIZE <= size; n++)
    words[n] = load_u32 (bytes + n * SIZE, false);
  unsigned at = words[3] == 0xd503219f /* AUTIA1716 */ ? 4 : 3;
  if (!a64_matches (words[0], 0x9f00001f, 0x90000010)
      || !a64_matches (words[1], 0xffc003ff, 0xf9400211)
      || (!a64_matches (words[2], 0xffc003ff, 0x91000210) && words[2] != NOP)
      || words[at] != 0xd61f0220)
    return false;
  int64_t page
      = a64_signed (words[0], 5, 19) * 4 + (int64_t)a64_bits (words[0], 29, 2);
  step->size = (uint8_t)((at + 1) * SIZE);
  step->flow = FLOW_JUMP_INDIRECT;
  step->place = (address & ~UINT64_C (0xfff)) + (uint64_t)page * 4096
                + a64_bits (words[1], 10, 12) * 8;
  return true;
}

static bool
decode_step (void *state, const uint8_t *bytes, uint64_t size,
             uint64_t address, struct insn_step *step)
{
  (void)state;
  if (size < SIZE)
    return false;
  uint32_t word = load_u32 (bytes, false);
  enum insn_flow flow;
  uint8_t head = word == BTI_C ? SIZE : 0;
  if ((head != 0 || (a64_bits (word, 24, 5) == 0x10 && word >> 31))
      && take_stub (bytes + head, size - head, address + head, step))
    {
      step->size += head;
      return true;
    }
  if (!find_flow (word, address, &flow, &step->target))
    return false;
  step->size = SIZE;
  step->flow = (uint8_t)flow;
  step->is_nop = word == NOP;
  return true;
}

/* HINT: return addresses are signed and authenticated in this space, so that
   older processors take it for NOP.  Others have no part in unwinding, or are
   about x16 and x17.  */
static void
translate_hint (struct a64 *t)
{
  unsigned number = a64_bits (t->word, 5, 7);
  switch (number)
    {
    case 0:
      t->insn->is_nop = true;
      return;
    case 7: /* XPACLRI */
      return a64_op (t, OP_STRIP, A64_RA, A64_RA);
    case 8:  /* PACIA1716 */
    case 10: /* PACIB1716 */
    case 12: /* AUTIA1716 */
    case 14: /* AUTIB1716 */
      return a64_writes (t, 17);
    case 24: /* PACIAZ, PACIBZ, AUTIAZ, AUTIBZ */
    case 26:
    case 28:
    case 30:
      return a64_writes (t, A64_RA);
    case 25: /* PACIASP, PACIBSP */
    case 27:
      a64_op (t, OP_SIGN, A64_RA, A64_RA);
      t->insn->immediate = number == 27;
      return;
    case 29: /* AUTIASP, AUTIBSP */
    case 31:
      a64_op (t, OP_AUTHENTICATE, A64_RA, A64_RA);
      t->insn->immediate = number == 31;
      return;
    default:
      return;
    }
}

/* Exceptions, hints, barriers, system instructions and registers.  */
static bool
translate_system (struct a64 *t)
{
  uint32_t word = t->word;
  uint8_t rt = a64_or_zero (a64_rd (word));
  if (a64_bits (word, 24, 8) == 0xd4)
    {
      t->insn->writes = 0x3ffff; /* what the kernel, or more, returns */
      if (a64_bits (word, 0, 2) == 1)
        t->insn->writes = 1;
      t->insn->calls_kernel = a64_matches (word, 0xffe0001f, 0xd4000001);
      return true;
    }
  if (a64_matches (word, 0xfffff01f, 0xd503201f))
    translate_hint (t);
  else if (a64_bits (word, 21, 1)) /* MRS, SYSL */
    a64_writes (t, rt);
  else
    a64_reads (t, rt);                           /* MSR, SYS */
  t->insn->sets_flags = !a64_bits (word, 21, 1); /* MSR NZCV, CFINV, ... */
  return a64_bits (word, 22, 2) == 0; /* else SYSP, MRRS, MSRR: pairs */
}

static enum insn_condition
condition_of (uint32_t word)
{
  static const uint8_t conditions[16] = {
    CONDITION_EQUAL, CONDITION_NOT_EQUAL, CONDITION_NOT_BELOW, CONDITION_BELOW,
    CONDITION_OTHER, CONDITION_OTHER,     CONDITION_OTHER,     CONDITION_OTHER,
    CONDITION_ABOVE, CONDITION_NOT_ABOVE,
  };
  return (enum insn_condition)conditions[a64_bits (word, 0, 4)];
}

static bool
translate_branch (struct a64 *t)
{
  struct insn *insn = t->insn;
  uint32_t word = t->word;
  bool is_register = a64_bits (word, 25, 7) == 0x6b;
  if (is_register && a64_bits (word, 24, 1)) /* the modifier */
    a64_reads (t, (uint8_t)a64_rd (word));
  if (is_register && insn->flow != FLOW_STOP)
    {
      insn->from = (uint8_t)a64_rn (word);
      if (insn->flow != FLOW_RETURN)
        a64_reads (t, a64_or_zero (insn->from));
    }
  if (insn->flow == FLOW_RETURN && a64_bits (word, 11, 1))
    {
      if (insn->from != A64_ZR)
        return false;
      a64_op (t, OP_AUTHENTICATE, A64_RA, A64_RA); /* RETAA, RETAB */
      insn->immediate = a64_bits (word, 10, 1);
    }
  if (a64_matches (word, 0xff000010, 0x54000000))
    insn->condition = (uint8_t)condition_of (word);
  else if (insn->flow == FLOW_BRANCH && a64_bits (word, 24, 8) != 0x54)
    {
      a64_reads (t, a64_or_zero (a64_rd (word)));
      if (a64_matches (word, 0x7e000000, 0x34000000)
          && a64_rd (word) != A64_ZR) /* CBZ, CBNZ */
        {
          insn->condition
              = a64_bits (word, 24, 1) ? CONDITION_NOT_ZERO : CONDITION_ZERO;
          insn->from = (uint8_t)a64_rd (word);
        }
    }
  return true;
}

/* "Top-level encodings for A64".  */
static bool
translate (struct a64 *t)
{
  switch (a64_bits (t->word, 25, 4))
    {
    case 0: /* UDF; SME is not known */
      return t->insn->flow == FLOW_STOP;
    case 2:
      return a64_scalable (t);
    case 8:
    case 9:
      return a64_immediate (t);
    case 10:
    case 11:
      return a64_bits (t->word, 25, 7) == 0x6a ? translate_system (t)
                                               : translate_branch (t);
    case 4:
    case 6:
    case 12:
    case 14:
      return a64_memory (t);
    case 5:
    case 13:
      return a64_register (t);
    case 7:
    case 15:
      return a64_vector (t);
    default:
      return false;
    }
}

static bool
decode (void *state, const uint8_t *bytes, uint64_t size, uint64_t address,
        struct insn *insn)
{
  (void)state;
  if (size < SIZE)
    return false;
  struct a64 t = { load_u32 (bytes, false), address, insn };
  enum insn_flow flow;
  if (!find_flow (t.word, address, &flow, &insn->target))
    return false;
  insn->size = SIZE;
  insn->flow = (uint8_t)flow;
  return translate (&t);
}

/* ADR; or ADRP and, soon behind it, ADD of the rest.  Arm Architecture
   Reference Manual for A-profile, C6.2, ADR, ADRP and ADD (immediate).  */
static bool
may_name (const uint8_t *bytes, uint64_t size, uint64_t address,
          uint64_t *named)
{
  enum
  {
    NEAR = 16 * SIZE,
    PAGE = 4096,
    ADD = 0x244 /* of 64 bits, not shifted */
  };
  if (address % SIZE != 0 || size < SIZE)
    return false;
  uint32_t word = load_u32 (bytes, false);
  unsigned rd = a64_bits (word, 0, 5);
  int64_t immediate = a64_signed (word, 5, 19) * 4 + a64_bits (word, 29, 2);
  if (a64_bits (word, 24, 5) != 16)
    return false;
  *named = address + (uint64_t)immediate;
  if (a64_bits (word, 31, 1) == 0)
    return true;
  *named = (address & -(uint64_t)PAGE) + (uint64_t)immediate * PAGE;
  for (uint64_t i = SIZE; i < NEAR && i + SIZE <= size; i += SIZE)
    {
      word = load_u32 (bytes + i, false);
      if (a64_bits (word, 22, 10) == ADD && a64_bits (word, 5, 5) == rd)
        {
          *named += a64_bits (word, 10, 12);
          return true;
        }
    }
  return false;
}

const struct insn_machine insn_aarch64
    = { &arch_aarch64, NULL, decode_step, decode, may_name, NULL };
