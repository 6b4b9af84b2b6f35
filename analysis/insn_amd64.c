/* Decoding x86-64 instructions, by libzydis.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Zydis tells for every instruction which registers and which memory it reads
   and writes.  By mnemonic (the table `meanings'), this file adds what an
   instruction does to the stack and to saved registers; all others are left as
   "writes these registers".  The source is the Intel 64 and IA-32
   Architectures Software Developer's Manual, volume 2 ("SDM").  */

#include <config.h>

#ifdef HAVE_ZYDIS

#  include <Zydis/Zydis.h>
#  include <stdlib.h>

#  include "base/bytes.h"
#  include "analysis/insn.h"

enum
{
  SP = 7,
  FP = 6
};

struct amd64_decoder
{
  ZydisDecoder zydis;
  ZydisDecoder steps; /* without operands: half of the time */
  uint8_t dwarf[ZYDIS_REGISTER_MAX_VALUE + 1]; /* DWARF number, or REG_NONE */
  uint8_t meaning[ZYDIS_MNEMONIC_MAX_VALUE + 1]; /* index in meanings + 1 */
};

/* ---- Control flow, by mnemonic: minimal decoding gives nothing else */

/* Whether IN, a return, or an indirect call or jump, also changes CS: a
   selector is next to the address, on the stack or in memory.  Compilers do
   not make such instructions, so the path ends there.  */
static bool
is_far (const ZydisDecodedInstruction *in)
{
  enum
  {
    RET_FAR = 0xca, /* and 0xcb */
    GROUP_5 = 0xff, /* Intel SDM, volume 2, appendix A.4 */
    GROUP_5_JMP_FAR = 5
  };
  return (in->opcode & 0xfe) == RET_FAR
         || (in->opcode == GROUP_5 && in->raw.modrm.reg == GROUP_5_JMP_FAR);
}

static enum insn_flow
flow_of (const ZydisDecodedInstruction *in)
{
  bool direct = in->raw.imm[0].is_relative;
  switch (in->mnemonic)
    {
    case ZYDIS_MNEMONIC_HLT:
    case ZYDIS_MNEMONIC_INT3:
    case ZYDIS_MNEMONIC_UD0:
    case ZYDIS_MNEMONIC_UD1:
    case ZYDIS_MNEMONIC_UD2:
      return FLOW_STOP;
    case ZYDIS_MNEMONIC_IRET:
    case ZYDIS_MNEMONIC_IRETD:
    case ZYDIS_MNEMONIC_IRETQ:
    case ZYDIS_MNEMONIC_SYSEXIT:
    case ZYDIS_MNEMONIC_SYSRET:
    case ZYDIS_MNEMONIC_UIRET:
      return FLOW_RESUME;
    case ZYDIS_MNEMONIC_RET:
      return is_far (in) ? FLOW_STOP : FLOW_RETURN;
    case ZYDIS_MNEMONIC_JMP:
      return direct ? FLOW_JUMP : is_far (in) ? FLOW_STOP : FLOW_JUMP_INDIRECT;
    case ZYDIS_MNEMONIC_CALL:
      return direct ? FLOW_CALL : FLOW_CALL_INDIRECT;
    default: /* Jcc, LOOPcc, JRCXZ, XBEGIN */
      return direct ? FLOW_BRANCH : FLOW_NEXT;
    }
}

static bool
is_nop (const ZydisDecodedInstruction *in)
{
  return in->mnemonic == ZYDIS_MNEMONIC_NOP
         || in->mnemonic == ZYDIS_MNEMONIC_ENDBR64;
}

static uint64_t
target_of (const ZydisDecodedInstruction *in, uint64_t address)
{
  return address + in->length + in->raw.imm[0].value.u;
}

static bool
decode_step (const void *state, const uint8_t *bytes, uint64_t size,
             uint64_t address, struct insn_step *step)
{
  const struct amd64_decoder *decoder = state;
  ZydisDecoderContext context;
  ZydisDecodedInstruction in;
  if (!ZYAN_SUCCESS (ZydisDecoderDecodeInstruction (&decoder->steps, &context,
                                                    bytes, size, &in)))
    return false;
  /* A constant address, relative to the next instruction.  */
  bool has_constant_place = (in.attributes & ZYDIS_ATTRIB_HAS_MODRM)
                            && in.raw.modrm.mod == 0 && in.raw.modrm.rm == 5
                            && in.address_width == 64;
  step->size = in.length;
  step->flow = (uint8_t)flow_of (&in);
  step->is_nop = is_nop (&in);
  if (in.raw.imm[0].is_relative)
    step->target = target_of (&in, address);
  else if (has_constant_place)
    {
      step->place = address + in.length + (uint64_t)in.raw.disp.value;
      step->computes_address = in.mnemonic == ZYDIS_MNEMONIC_LEA;
    }
  return true;
}

/* An instruction that is being translated from Zydis' form.  */
struct translation
{
  const struct amd64_decoder *decoder;
  uint64_t address;
  ZydisDecodedInstruction in;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  struct insn *insn;
};

static uint8_t
dwarf (const struct translation *t, ZydisRegister reg)
{
  return t->decoder->dwarf[reg];
}

static bool
is_register (const ZydisDecodedOperand *operand)
{
  return operand->type == ZYDIS_OPERAND_TYPE_REGISTER;
}

static bool
is_memory (const ZydisDecodedOperand *operand)
{
  return operand->type == ZYDIS_OPERAND_TYPE_MEMORY;
}

static bool
is_immediate (const ZydisDecodedOperand *operand)
{
  return operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
}

/* Set the memory operand of an instruction that has an explicit one.  Memory
   that string instructions write cannot be where a correct function saves its
   caller's registers, and thread-local memory is not a stack.  */
static void
set_memory_operand (struct translation *t, const ZydisDecodedOperand *operand)
{
  struct insn *insn = t->insn;
  insn->reads |= reg_mask (dwarf (t, operand->mem.base))
                 | reg_mask (dwarf (t, operand->mem.index));
  /* String instructions change their pointers.  Zydis 4.0 says so of movs and
     stos, but not of cmps and scas (SDM, volume 2).  */
  if (t->in.meta.category == ZYDIS_CATEGORY_STRINGOP)
    insn->writes |= reg_mask (dwarf (t, operand->mem.base));
  if (operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN
      || operand->mem.segment == ZYDIS_REGISTER_FS
      || operand->mem.segment == ZYDIS_REGISTER_GS
      || operand->mem.type == ZYDIS_MEMOP_TYPE_MIB
      || operand->mem.type == ZYDIS_MEMOP_TYPE_VSIB)
    return;
  insn->memory = true;
  insn->base = dwarf (t, operand->mem.base);
  insn->index = dwarf (t, operand->mem.index);
  insn->scale = operand->mem.scale;
  insn->offset = operand->mem.disp.value;
  if (operand->mem.base == ZYDIS_REGISTER_RIP)
    insn->offset += (int64_t)(t->address + t->in.length);
  insn->width = operand->size / 8;
  if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
    insn->op = OP_STORE;
}

static void
set_operands (struct translation *t)
{
  for (int i = 0; i < t->in.operand_count; i++)
    {
      const ZydisDecodedOperand *operand = &t->operands[i];
      if (is_memory (operand))
        set_memory_operand (t, operand);
      if (!is_register (operand))
        continue;
      uint32_t mask = reg_mask (dwarf (t, operand->reg.value));
      if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
        t->insn->reads |= mask;
      if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
        t->insn->writes |= mask;
    }
  if (t->in.cpu_flags)
    t->insn->sets_flags
        = ((t->in.cpu_flags->modified | t->in.cpu_flags->set_0
            | t->in.cpu_flags->set_1 | t->in.cpu_flags->undefined)
           & (ZYDIS_CPUFLAG_CF | ZYDIS_CPUFLAG_ZF))
          != 0;
}

/* Set the operation, which describes the new value of TO: TO = OP (FROM).  */
static void
set_op (struct translation *t, enum insn_op op, uint8_t to, uint8_t from)
{
  t->insn->op = (uint8_t)op;
  t->insn->to = to;
  t->insn->from = from;
  t->insn->writes &= ~reg_mask (to);
}

static void
set_constant (struct translation *t, uint8_t to, int64_t value)
{
  set_op (t, OP_SET, to, REG_NONE);
  t->insn->immediate = value;
  t->insn->reads &= ~reg_mask (to);
}

/* Whether OPERAND is the second byte of a register.  */
static bool
is_high_byte (const ZydisDecodedOperand *operand)
{
  return is_register (operand) && operand->reg.value >= ZYDIS_REGISTER_AH
         && operand->reg.value <= ZYDIS_REGISTER_BH;
}

/* mov and its extending forms.  A register that is moved in full is not
   `read', because registers are saved and restored so.  Zero and sign
   extensions give a register the same low part.  */
static void
translate_mov (struct translation *t)
{
  const ZydisDecodedOperand *to = &t->operands[0], *from = &t->operands[1];
  bool moves = t->in.mnemonic == ZYDIS_MNEMONIC_MOV;
  if (is_register (to)
      && (dwarf (t, to->reg.value) == REG_NONE || to->size < 32))
    return;
  if (is_memory (to))
    {
      t->insn->has_constant = is_immediate (from);
      if (is_immediate (from))
        t->insn->immediate = from->imm.value.s;
      if (!is_register (from) || from->size < 32 || !t->insn->memory)
        return;
      t->insn->from = dwarf (t, from->reg.value);
      if (from->size == 64)
        t->insn->reads &= ~reg_mask (t->insn->from) | reg_mask (t->insn->base)
                          | reg_mask (t->insn->index);
      return;
    }
  uint8_t reg = dwarf (t, to->reg.value);
  if (is_immediate (from))
    set_constant (t, reg,
                  to->size == 32 ? (int64_t)(uint32_t)from->imm.value.u
                                 : from->imm.value.s);
  else if (is_memory (from) && t->insn->memory)
    {
      set_op (t, OP_LOAD, reg, REG_NONE);
      t->insn->sign_extended
          = !moves && t->in.mnemonic != ZYDIS_MNEMONIC_MOVZX;
    }
  else if (is_register (from) && !is_high_byte (from)
           && dwarf (t, from->reg.value) != REG_NONE)
    {
      set_op (t, OP_MOVE, reg, dwarf (t, from->reg.value));
      t->insn->width = from->size / 8;
      if (from->size == 64)
        t->insn->reads = 0;
    }
}

/* Set the operation to CALCULATION, of SIZE bits.  */
static void
set_calculation (struct translation *t, enum insn_calculation calculation,
                 uint8_t to, uint8_t from, unsigned size)
{
  set_op (t, OP_CALCULATE, to, from);
  t->insn->calculation = (uint8_t)calculation;
  t->insn->width = (uint16_t)(size / 8);
}

static void
translate_lea (struct translation *t)
{
  uint8_t to = dwarf (t, t->operands[0].reg.value);
  struct insn *insn = t->insn;
  bool whole = t->operands[0].size == 64 && t->in.address_width == 64;
  int64_t offset = insn->offset;
  insn->memory = false;
  insn->op = OP_NONE;
  insn->offset = 0;
  if (!whole && t->operands[0].size == 32 && insn->base != REG_NONE
      && insn->index == REG_NONE)
    {
      set_calculation (t, CALCULATE_ADD, to, insn->base, 32);
      insn->immediate = offset;
    }
  if (!whole)
    return;
  if (insn->base == REG_NONE && insn->index == REG_NONE)
    {
      set_constant (t, to, offset);
      insn->computes_address = true;
    }
  else if (insn->index == REG_NONE)
    {
      set_op (t, OP_ADD, to, insn->base);
      insn->immediate = offset;
    }
  else if (insn->base != REG_NONE && insn->scale == 1 && offset == 0)
    set_op (t, OP_SUM, to, insn->base);
  else if (insn->base == REG_NONE && offset == 0)
    {
      set_op (t, OP_SCALE, to, insn->index);
      insn->immediate = insn->scale;
    }
}

/* add, sub, inc, dec with a constant; add of two registers.  */
static void
translate_add (struct translation *t)
{
  const ZydisDecodedOperand *to = &t->operands[0], *by = &t->operands[1];
  if (!is_register (to) || to->size != 64)
    return;
  uint8_t reg = dwarf (t, to->reg.value);
  bool subtracts = t->in.mnemonic == ZYDIS_MNEMONIC_SUB
                   || t->in.mnemonic == ZYDIS_MNEMONIC_DEC;
  bool counts = t->in.mnemonic == ZYDIS_MNEMONIC_INC
                || t->in.mnemonic == ZYDIS_MNEMONIC_DEC;
  if (counts || is_immediate (by))
    {
      int64_t value = counts ? 1 : by->imm.value.s;
      set_op (t, OP_ADD, reg, reg);
      t->insn->immediate = subtracts ? (int64_t)(0 - (uint64_t)value) : value;
    }
  else if (!subtracts && is_register (by))
    {
      set_op (t, OP_SUM, reg, reg);
      t->insn->index = dwarf (t, by->reg.value);
    }
  else if (reg == SP)
    {
      set_op (t, OP_SUBTRACT, reg, reg);
      if (is_register (by))
        t->insn->index = dwarf (t, by->reg.value);
    }
}

/* shl by a constant is a multiplication.  */
static void
translate_shl (struct translation *t)
{
  const ZydisDecodedOperand *to = &t->operands[0], *by = &t->operands[1];
  if (!is_register (to) || to->size != 64 || !is_immediate (by)
      || by->imm.value.u > 3)
    return;
  uint8_t reg = dwarf (t, to->reg.value);
  set_op (t, OP_SCALE, reg, reg);
  t->insn->immediate = (int64_t)1 << by->imm.value.u;
}

/* Whether both operands are the same register.  */
static bool
is_same_register (const struct translation *t)
{
  const ZydisDecodedOperand *a = &t->operands[0], *b = &t->operands[1];
  return is_register (a) && is_register (b) && a->reg.value == b->reg.value;
}

/* and with 0xff or 0xffff zero-extends a part of the register.  So does and of
   a register's lower half with itself, which Free Pascal has in front of a
   table.  */
static void
translate_and (struct translation *t)
{
  const ZydisDecodedOperand *to = &t->operands[0], *by = &t->operands[1];
  if (!is_register (to) || to->size < 32)
    return;
  uint8_t reg = dwarf (t, to->reg.value);
  int64_t mask = is_immediate (by) ? by->imm.value.s : -1;
  uint64_t size = 0 - (uint64_t)mask;
  unsigned width = is_same_register (t) ? to->size / 8
                   : mask == UINT8_MAX  ? 1
                   : mask == UINT16_MAX ? 2
                                        : 0;
  if (width > 0)
    {
      set_op (t, OP_MOVE, reg, reg);
      t->insn->width = (uint16_t)width;
      return;
    }
  if (mask == 0)
    set_constant (t, reg, 0);
  else if (is_immediate (by) && (size & (size - 1)) == 0 && to->size == 64)
    {
      set_op (t, OP_ALIGN, reg, reg);
      t->insn->immediate = mask;
    }
}

/* xor of a register with itself clears it.  Free Pascal clears parts of
   registers so; then the rest is unchanged, and the whole is unknown.  */
static void
translate_xor (struct translation *t)
{
  if (!is_same_register (t))
    return;
  if (t->operands[0].size >= 32)
    set_constant (t, dwarf (t, t->operands[0].reg.value), 0);
  else
    t->insn->reads = 0;
}

static void
translate_sub (struct translation *t)
{
  if (is_same_register (t))
    translate_xor (t); /* the result is 0 */
  else
    translate_add (t);
}

static void
translate_or (struct translation *t)
{
  const ZydisDecodedOperand *to = &t->operands[0], *by = &t->operands[1];
  /* lock orl $0, (%rsp) is a memory barrier and changes nothing.  */
  if (is_memory (to) && is_immediate (by) && by->imm.value.u == 0)
    t->insn->op = OP_NONE;
  if (is_register (to) && is_immediate (by) && by->imm.value.s == -1
      && to->size >= 32)
    set_constant (t, dwarf (t, to->reg.value),
                  to->size == 32 ? (int64_t)UINT32_MAX : -1);
}

static void
translate_cmp (struct translation *t)
{
  const ZydisDecodedOperand *a = &t->operands[0], *b = &t->operands[1];
  if (is_register (a) && is_register (b) && a->size == 64)
    {
      set_op (t, OP_COMPARE_BOTH, REG_NONE, dwarf (t, a->reg.value));
      t->insn->index = dwarf (t, b->reg.value);
      t->insn->width = 8;
    }
  if (!is_immediate (b))
    return;
  uint64_t bits = a->size < 64 ? ((uint64_t)1 << a->size) - 1 : UINT64_MAX;
  t->insn->immediate = (int64_t)(b->imm.value.u & bits);
  if (is_register (a) && !is_high_byte (a))
    set_op (t, OP_COMPARE, REG_NONE, dwarf (t, a->reg.value));
  else if (t->insn->memory)
    t->insn->op = OP_COMPARE_MEMORY;
}

static void
translate_push (struct translation *t)
{
  const ZydisDecodedOperand *what = &t->operands[0];
  bool explicit_one = t->in.operand_count_visible > 0;
  if (t->in.operand_width != 64)
    return; /* SP becomes unknown */
  bool is_general = explicit_one && is_register (what);
  set_op (t, OP_PUSH, REG_NONE,
          is_general ? dwarf (t, what->reg.value) : REG_NONE);
  t->insn->has_constant = explicit_one && is_immediate (what);
  if (t->insn->has_constant)
    t->insn->immediate = what->imm.value.s;
  t->insn->memory = false;
  t->insn->offset = 0;
  t->insn->writes &= ~reg_mask (SP);
  t->insn->reads &= ~(reg_mask (SP) | reg_mask (t->insn->from));
}

static void
translate_pop (struct translation *t)
{
  const ZydisDecodedOperand *what = &t->operands[0];
  bool explicit_one = t->in.operand_count_visible > 0;
  bool to_memory = explicit_one && is_memory (what);
  if (t->in.operand_width != 64 || (to_memory && t->insn->base == SP))
    return; /* SP becomes unknown */
  set_op (t, OP_POP,
          explicit_one && !to_memory ? dwarf (t, what->reg.value) : REG_NONE,
          REG_NONE);
  t->insn->memory = to_memory;
  t->insn->writes &= ~reg_mask (SP);
  t->insn->reads &= ~reg_mask (SP);
}

static void
translate_xchg (struct translation *t)
{
  const ZydisDecodedOperand *a = &t->operands[0], *b = &t->operands[1];
  if (!is_register (a) || !is_register (b) || a->size < 32)
    return;
  set_op (t, OP_SWAP, dwarf (t, a->reg.value), dwarf (t, b->reg.value));
  t->insn->width = a->size / 8;
  t->insn->writes = 0;
  if (a->size == 64)
    t->insn->reads = 0;
}

static void
translate_leave (struct translation *t)
{
  if (t->in.operand_width != 64)
    return;
  set_op (t, OP_LEAVE, FP, REG_NONE);
  t->insn->writes = t->insn->reads = 0;
}

/* enter without nested procedures, which no compiler uses.  */
static void
translate_enter (struct translation *t)
{
  if (t->in.operand_width != 64 || t->operands[1].imm.value.u != 0)
    return;
  set_op (t, OP_ENTER, FP, FP);
  t->insn->immediate = -(int64_t)(t->operands[0].imm.value.u & UINT16_MAX);
  t->insn->memory = false;
  t->insn->offset = 0;
  t->insn->writes = t->insn->reads = 0;
}

static enum insn_condition
condition_of (const ZydisDecodedInstruction *in)
{
  switch (in->mnemonic)
    {
    case ZYDIS_MNEMONIC_JNBE:
      return CONDITION_ABOVE;
    case ZYDIS_MNEMONIC_JBE:
      return CONDITION_NOT_ABOVE;
    case ZYDIS_MNEMONIC_JB:
      return CONDITION_BELOW;
    case ZYDIS_MNEMONIC_JNB:
      return CONDITION_NOT_BELOW;
    case ZYDIS_MNEMONIC_JZ:
      return CONDITION_EQUAL;
    case ZYDIS_MNEMONIC_JNZ:
      return CONDITION_NOT_EQUAL;
    default:
      return CONDITION_OTHER;
    }
}

static void
translate_flow (struct translation *t)
{
  struct insn *insn = t->insn;
  insn->condition = (uint8_t)condition_of (&t->in);
  if (t->in.raw.imm[0].is_relative)
    insn->target = target_of (&t->in, t->address);
  if (insn_is_call (insn) || insn->flow == FLOW_RETURN)
    {
      insn->writes = 0; /* what a call changes is up to the ABI */
      insn->reads &= ~reg_mask (SP);
    }
  if ((insn->flow == FLOW_JUMP_INDIRECT || insn->flow == FLOW_CALL_INDIRECT)
      && is_register (&t->operands[0]))
    insn->from = dwarf (t, t->operands[0].reg.value);
  if (insn->flow == FLOW_RETURN && t->in.operand_count_visible > 0)
    insn->immediate = t->operands[0].imm.value.s;
}

/* sbb of a register with itself gives -1 or 0, whatever its value.  */
static void
translate_sbb (struct translation *t)
{
  if (is_same_register (t))
    t->insn->reads = 0;
}

static void
translate_test (struct translation *t)
{
  if (is_same_register (t) && t->operands[0].size >= 32)
    set_op (t, OP_TEST, REG_NONE, dwarf (t, t->operands[0].reg.value));
}

/* rax = sign extension of eax.  */
static void
translate_cdqe (struct translation *t)
{
  set_op (t, OP_MOVE, 0, 0);
  t->insn->width = 4;
}

/* The result is in rax.  */
static void
translate_syscall (struct translation *t)
{
  t->insn->is_syscall = true;
  t->insn->writes |= reg_mask (0);
}

/* The meaning of mnemonics: a translator for what concerns the stack, and a
   calculation for the rest.  */
static const struct meaning
{
  ZydisMnemonic mnemonic;
  void (*translate) (struct translation *t); /* or NULL */
  enum insn_calculation calculation;
  uint8_t operands; /* 1: one, and the number `by'; 2: two or more; 0: none */
  int by;
} meanings[] = {
  { ZYDIS_MNEMONIC_MOV, translate_mov, CALCULATE_MOVE, 2, 0 },
  { ZYDIS_MNEMONIC_MOVZX, translate_mov, 0, 0, 0 },
  { ZYDIS_MNEMONIC_MOVSX, translate_mov, 0, 0, 0 },
  { ZYDIS_MNEMONIC_MOVSXD, translate_mov, 0, 0, 0 },
  { ZYDIS_MNEMONIC_CDQE, translate_cdqe, 0, 0, 0 },
  { ZYDIS_MNEMONIC_LEA, translate_lea, 0, 0, 0 },
  { ZYDIS_MNEMONIC_ADD, translate_add, CALCULATE_ADD, 2, 0 },
  { ZYDIS_MNEMONIC_INC, translate_add, CALCULATE_ADD, 1, 1 },
  { ZYDIS_MNEMONIC_SUB, translate_sub, CALCULATE_SUBTRACT, 2, 0 },
  { ZYDIS_MNEMONIC_DEC, translate_add, CALCULATE_SUBTRACT, 1, 1 },
  { ZYDIS_MNEMONIC_SBB, translate_sbb, 0, 0, 0 },
  { ZYDIS_MNEMONIC_NEG, NULL, CALCULATE_SUBTRACT_FROM, 1, 0 },
  { ZYDIS_MNEMONIC_AND, translate_and, CALCULATE_AND, 2, 0 },
  { ZYDIS_MNEMONIC_OR, translate_or, CALCULATE_OR, 2, 0 },
  { ZYDIS_MNEMONIC_XOR, translate_xor, CALCULATE_XOR, 2, 0 },
  { ZYDIS_MNEMONIC_NOT, NULL, CALCULATE_XOR, 1, -1 },
  { ZYDIS_MNEMONIC_IMUL, NULL, CALCULATE_MULTIPLY, 2, 0 },
  { ZYDIS_MNEMONIC_SHL, translate_shl, CALCULATE_SHIFT_LEFT, 2, 0 },
  { ZYDIS_MNEMONIC_SHR, NULL, CALCULATE_SHIFT_RIGHT, 2, 0 },
  { ZYDIS_MNEMONIC_SAR, NULL, CALCULATE_SHIFT_SIGNED, 2, 0 },
  { ZYDIS_MNEMONIC_ROL, NULL, CALCULATE_ROTATE_LEFT, 2, 0 },
  { ZYDIS_MNEMONIC_ROR, NULL, CALCULATE_ROTATE_RIGHT, 2, 0 },
  { ZYDIS_MNEMONIC_CMP, translate_cmp, 0, 0, 0 },
  { ZYDIS_MNEMONIC_TEST, translate_test, 0, 0, 0 },
  { ZYDIS_MNEMONIC_PUSH, translate_push, 0, 0, 0 },
  { ZYDIS_MNEMONIC_PUSHFQ, translate_push, 0, 0, 0 },
  { ZYDIS_MNEMONIC_POP, translate_pop, 0, 0, 0 },
  { ZYDIS_MNEMONIC_POPFQ, translate_pop, 0, 0, 0 },
  { ZYDIS_MNEMONIC_XCHG, translate_xchg, 0, 0, 0 },
  { ZYDIS_MNEMONIC_ENTER, translate_enter, 0, 0, 0 },
  { ZYDIS_MNEMONIC_LEAVE, translate_leave, 0, 0, 0 },
  { ZYDIS_MNEMONIC_SYSCALL, translate_syscall, 0, 0, 0 },
};

/* Translate an instruction that has no other meaning into the calculation of
   MEANING.  Shifts of parts of registers count their bits otherwise than
   shifts of registers, and are left unknown.  */
static void
translate_calculation (struct translation *t, const struct meaning *meaning)
{
  const ZydisDecodedOperand *to = &t->operands[0];
  unsigned n = t->in.operand_count_visible;
  if (meaning->operands == 0 || n == 0 || (meaning->operands == 1) != (n == 1))
    return;
  const ZydisDecodedOperand *by = &t->operands[n - 1];
  const ZydisDecodedOperand *from = &t->operands[n == 3 ? 1 : 0];
  bool shifts = meaning->calculation >= CALCULATE_SHIFT_LEFT;
  uint8_t index = REG_NONE;
  int64_t number = meaning->by;
  if (!is_register (to) || !is_register (from) || is_high_byte (to)
      || dwarf (t, to->reg.value) == REG_NONE || (shifts && to->size < 32))
    return;
  if (n > 1 && is_immediate (by))
    number = by->imm.value.s;
  else if (n > 1 && is_register (by) && by->size == to->size
           && !is_high_byte (by) && !shifts)
    index = dwarf (t, by->reg.value);
  if (n > 1 && index == REG_NONE && !is_immediate (by))
    return;
  set_calculation (t, meaning->calculation, dwarf (t, to->reg.value),
                   dwarf (t, from->reg.value), to->size);
  t->insn->index = index;
  t->insn->immediate = number;
}

static bool
decode (const void *state, const uint8_t *bytes, uint64_t size,
        uint64_t address, struct insn *insn)
{
  struct translation t; /* large: Zydis fills in most of it */
  t.decoder = state;
  t.address = address;
  t.insn = insn;
  if (!ZYAN_SUCCESS (ZydisDecoderDecodeFull (&t.decoder->zydis, bytes, size,
                                             &t.in, t.operands)))
    return false;
  insn->size = t.in.length;
  insn->is_nop = is_nop (&t.in);
  if (insn->is_nop)
    return true;
  set_operands (&t);
  insn->flow = (uint8_t)flow_of (&t.in);
  uint8_t number = t.decoder->meaning[t.in.mnemonic];
  const struct meaning *meaning = number > 0 ? &meanings[number - 1] : NULL;
  if (insn->flow != FLOW_NEXT)
    translate_flow (&t);
  else if (meaning && meaning->translate)
    meaning->translate (&t);
  if (meaning && insn->op == OP_NONE)
    translate_calculation (&t, meaning);
  return true;
}

/* Show an instruction in AT&T's syntax, like the GNU tools.  */
static bool
show (const void *state, const uint8_t *bytes, uint64_t size, uint64_t address,
      char text[INSN_TEXT_MAX])
{
  const struct amd64_decoder *decoder = state;
  ZydisFormatter formatter;
  ZydisDecodedInstruction instruction;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  return ZYAN_SUCCESS (ZydisDecoderDecodeFull (&decoder->zydis, bytes, size,
                                               &instruction, operands))
         && ZYAN_SUCCESS (
             ZydisFormatterInit (&formatter, ZYDIS_FORMATTER_STYLE_ATT))
         && ZYAN_SUCCESS (ZydisFormatterFormatInstruction (
             &formatter, &instruction, operands,
             instruction.operand_count_visible, text, INSN_TEXT_MAX, address,
             NULL));
}

/* `lea address(%rip), %reg', and `jmp *', `mov' and `movslq' of an array
   address(, %reg, 4 or 8).  Intel SDM, volume 2, 2.1.5 and 2.2.1.6.  */
static bool
may_reference (const uint8_t *bytes, uint64_t size, uint64_t address,
               uint64_t *referenced)
{
  enum
  {
    REX_W = 0x48,
    LEA = 0x8d,
    MOV = 0x8b,
    MOVSLQ = 0x63,
    GROUP_5 = 0xff,
    RIP = 0x05,          /* mod 0, r/m 5 */
    SIB = 0x04,          /* mod 0, r/m 4 */
    JUMP = 0x24,         /* ... reg 4, of group 5 */
    NO_BASE_BY_4 = 0x85, /* base 5, scale 4 or 8 */
    LONGEST = 8
  };
  if (size < LONGEST)
    return false;
  bool wide = (bytes[0] & 0xf8) == REX_W;
  if (wide && bytes[1] == LEA && (bytes[2] & 0xc7) == RIP)
    {
      *referenced = address + 7
                    + (uint64_t)(int64_t)(int32_t)load_u32 (bytes + 3, false);
      return true;
    }
  bool reads = wide && (bytes[1] == MOV || bytes[1] == MOVSLQ)
               && (bytes[2] & 0xc7) == SIB;
  bool jumps = bytes[0] == GROUP_5 && bytes[1] == JUMP;
  const uint8_t *sib = bytes + (reads ? 3 : 2);
  *referenced = (uint64_t)(int64_t)(int32_t)load_u32 (sib + 1, false);
  return (reads || jumps) && (*sib & 0x87) == NO_BASE_BY_4;
}

/* Zydis numbers registers like instructions: rax, rcx, rdx, rbx, ... */
static const uint8_t dwarf_of_hardware[16]
    = { 0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15 };

static void *
state_new (void)
{
  struct amd64_decoder *decoder = calloc (1, sizeof *decoder);
  if (!decoder)
    return NULL;
  ZydisDecoderInit (&decoder->zydis, ZYDIS_MACHINE_MODE_LONG_64,
                    ZYDIS_STACK_WIDTH_64);
  decoder->steps = decoder->zydis;
  ZydisDecoderEnableMode (&decoder->steps, ZYDIS_DECODER_MODE_MINIMAL,
                          ZYAN_TRUE);
  for (int i = 0; i <= ZYDIS_REGISTER_MAX_VALUE; i++)
    {
      ZydisRegister whole = ZydisRegisterGetLargestEnclosing (
          ZYDIS_MACHINE_MODE_LONG_64, (ZydisRegister)i);
      bool general
          = whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15;
      decoder->dwarf[i]
          = general ? dwarf_of_hardware[whole - ZYDIS_REGISTER_RAX] : REG_NONE;
    }
  for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
    decoder->meaning[meanings[i].mnemonic] = (uint8_t)(i + 1);
  return decoder;
}

const struct insn_machine insn_amd64
    = { state_new, decode_step, decode, may_reference, show };

#endif /* HAVE_ZYDIS */
