/* Decoding A64 instructions: operations and memory operands.
   SPDX-License-Identifier: LGPL-2.1-or-later

   insn_aarch64.c has the encodings, the registers that are read and written,
   and the control flow.  This file has its translators, which set what else
   matters: operations on values, and memory operands.  */

#include "analysis/insn_aarch64.h"

static const uint8_t logical_calculations[4]
    = { CALCULATE_AND, CALCULATE_OR, CALCULATE_XOR, CALCULATE_AND };

static void
reads (struct a64 *t, uint8_t reg)
{
  t->insn->reads |= reg_mask (reg);
}

/* TO = VALUE, in a register of 4 or 8 bytes.  */
static void
set_constant (struct a64 *t, uint8_t to, uint64_t value)
{
  a64_operate (t, OP_SET, to, REG_NONE);
  t->insn->immediate = (int64_t)(t->whole ? value : value & UINT32_MAX);
}

/* Set the operation to CALCULATION with IMMEDIATE, in 4 or 8 bytes.  */
static void
calculate (struct a64 *t, unsigned calculation, uint8_t to, uint8_t from,
           int64_t immediate)
{
  if (to == REG_NONE)
    return;
  a64_operate (t, OP_CALCULATE, to, from);
  t->insn->calculation = (uint8_t)calculation;
  t->insn->width = t->whole ? 8 : 4;
  t->insn->immediate = immediate;
}

/* Set the operation to CALCULATION with register INDEX.  If that or FROM is
   the zero register, the result is left unknown.  */
static void
calculate_by (struct a64 *t, unsigned calculation, uint8_t to, uint8_t from,
              uint8_t index)
{
  if (from == REG_NONE || index == REG_NONE)
    return a64_writes (t, to);
  calculate (t, calculation, to, from, 0);
  t->insn->index = to == REG_NONE ? REG_NONE : index;
}

/* ---- Immediates */

/* ADR, ADRP.  */
void
a64_address (struct a64 *t)
{
  uint64_t distance = (uint64_t)(a64_signed (t->word, 5, 19) * 4)
                      + a64_bits (t->word, 29, 2);
  a64_operate (t, OP_SET, t->rd, REG_NONE);
  t->insn->immediate
      = (int64_t)(t->whole ? (t->address & ~UINT64_C (0xfff)) + distance * 4096
                           : t->address + distance);
  t->insn->computes_address = !t->whole && t->insn->op == OP_SET;
  t->insn->is_address_part = t->whole;
}

/* ADD, SUB, CMP, CMN, and moves from and to SP.  */
void
a64_add_immediate (struct a64 *t)
{
  struct insn *insn = t->insn;
  bool subtracts = a64_bits (t->word, 30, 1),
       flags = a64_bits (t->word, 29, 1);
  uint8_t to = flags ? t->rd : t->rsd, from = t->rsn;
  int64_t value = (int64_t)a64_bits (t->word, 10, 12)
                  << (a64_bits (t->word, 22, 1) ? 12 : 0);
  if (to == REG_NONE && subtracts)
    {
      insn->op = OP_COMPARE;
      insn->from = from;
      insn->immediate = value;
    }
  else if (t->whole)
    {
      a64_operate (t, OP_ADD, to, from);
      insn->immediate = subtracts ? -value : value;
      insn->computes_address = !subtracts && !flags;
    }
  else
    calculate (t, subtracts ? CALCULATE_SUBTRACT : CALCULATE_ADD, to, from,
               value);
}

/* DecodeBitMasks of the Arm ARM, without the part for bit fields: IMMS+1 ones
   in an element of 2^k bits, rotated right by IMMR and repeated.  */
static bool
bit_mask (uint32_t word, uint64_t *mask)
{
  unsigned immr = a64_bits (word, 16, 6), imms = a64_bits (word, 10, 6);
  unsigned sizes = a64_bits (word, 22, 1) << 6 | (~imms & 0x3f);
  if (sizes < 2)
    return false;
  unsigned log = 31 - (unsigned)__builtin_clz (sizes), size = 1u << log;
  unsigned ones = (imms & (size - 1)) + 1, turn = immr & (size - 1);
  if (ones == size)
    return false;
  uint64_t element = (UINT64_C (1) << ones) - 1;
  uint64_t whole = size == 64 ? UINT64_MAX : (UINT64_C (1) << size) - 1;
  if (turn > 0)
    element = (element >> turn | element << (size - turn)) & whole;
  for (; size < 64; size *= 2)
    element |= element << size;
  *mask = element;
  return true;
}

/* AND, ORR, EOR, ANDS.  */
void
a64_logical_immediate (struct a64 *t)
{
  unsigned opc = a64_bits (t->word, 29, 2);
  uint8_t to = opc == 3 ? t->rd : t->rsd;
  uint64_t mask;
  t->exists = bit_mask (t->word, &mask);
  if (!t->exists)
    return;
  if (!t->whole)
    mask &= UINT32_MAX;
  uint64_t size = 0 - mask;
  if (opc == 1 && t->rn == REG_NONE)
    set_constant (t, to, mask);
  else if (opc == 0 && t->rn != REG_NONE && t->whole && mask >> 63
           && (size & (size - 1)) == 0)
    {
      a64_operate (t, OP_ALIGN, to, t->rn);
      t->insn->immediate = (int64_t)mask;
    }
  else
    calculate (t, logical_calculations[opc], to, t->rn, (int64_t)mask);
}

/* MOVN, MOVZ, MOVK.  */
void
a64_move_wide (struct a64 *t)
{
  unsigned opc = a64_bits (t->word, 29, 2);
  unsigned shift = a64_bits (t->word, 21, 2) * 16;
  uint64_t value = (uint64_t)a64_bits (t->word, 5, 16) << shift;
  if (opc != 3)
    return set_constant (t, t->rd, opc == 0 ? ~value : value);
  reads (t, t->rd);
  a64_operate (t, OP_INSERT, t->rd, t->rd);
  t->insn->immediate = (int64_t)value;
  t->insn->scale = (uint8_t)shift;
  t->insn->width = t->whole ? 8 : 4;
}

/* SBFM, BFM, UBFM: extensions and shifts by a number.  */
void
a64_bit_field (struct a64 *t)
{
  unsigned opc = a64_bits (t->word, 29, 2), last = t->whole ? 63 : 31;
  unsigned immr = a64_bits (t->word, 16, 6), imms = a64_bits (t->word, 10, 6);
  unsigned left = 64 - immr;
  bool is_left = opc == 2 && imms != last && imms + 1 == immr;
  if (opc == 1)
    reads (t, t->rd);
  bool is_told = opc != 1 && t->rn != REG_NONE;
  if (is_told && immr == 0 && imms == 31 && t->whole)
    {
      a64_operate (t, OP_MOVE, t->rd, t->rn); /* SXTW */
      t->insn->width = 4;
    }
  else if (is_told && t->whole && left <= 3
           && (imms == 31 || imms + left == 63))
    {
      /* LSL; SBFIZ, UBFIZ of 4 bytes.  */
      a64_operate (t, OP_SCALE, t->rd, t->rn);
      t->insn->immediate = 1 << left;
    }
  else if (is_told && is_left)
    calculate (t, CALCULATE_SHIFT_LEFT, t->rd, t->rn, last - imms);
  else if (is_told && imms == last)
    calculate (t, opc == 2 ? CALCULATE_SHIFT_RIGHT : CALCULATE_SHIFT_SIGNED,
               t->rd, t->rn, immr);
  else
    a64_writes (t, t->rd);
}

/* ---- Registers */

/* TO = FROM, which may be the zero register.  */
static void
move (struct a64 *t, uint8_t to, uint8_t from)
{
  if (from == REG_NONE)
    return set_constant (t, to, 0);
  a64_operate (t, OP_MOVE, to, from);
  t->insn->width = t->whole ? 8 : 4;
  if (!t->whole)
    reads (t, from);
}

/* AND, BIC, ORR, ORN, EOR, EON, ANDS, BICS; MOV is ORR with XZR.  */
void
a64_logical (struct a64 *t)
{
  unsigned opc = a64_bits (t->word, 29, 2);
  bool is_plain = a64_bits (t->word, 10, 6) == 0 && !a64_bits (t->word, 21, 1);
  bool is_shifted = !is_plain || a64_bits (t->word, 22, 2) != 0;
  if (opc == 1 && t->rn == REG_NONE && !is_shifted)
    return move (t, t->rd, t->rm);
  reads (t, t->rn);
  reads (t, t->rm);
  if (is_plain)
    calculate_by (t, logical_calculations[opc], t->rd, t->rn, t->rm);
  else
    a64_writes (t, t->rd);
}

/* TO = N + M * SCALE, or N - M; neither N nor M is the zero register.  WIDTH
   bytes of M are used, sign-extended if IS_SIGNED.  */
static void
add (struct a64 *t, uint8_t to, uint8_t n, unsigned width, bool is_signed,
     unsigned scale)
{
  bool subtracts = a64_bits (t->word, 30, 1);
  bool plain = scale == 1 && width == 8;
  struct insn *insn = t->insn;
  reads (t, n);
  reads (t, t->rm);
  if (!t->whole && scale == 1 && width >= 4 && to != A64_SP && n != A64_SP)
    calculate_by (t, subtracts ? CALCULATE_SUBTRACT : CALCULATE_ADD, to, n,
                  t->rm);
  else if (!t->whole || (subtracts && !plain && to != A64_SP))
    a64_writes (t, to);
  else
    {
      a64_operate (t,
                   subtracts ? OP_SUBTRACT
                   : plain   ? OP_SUM
                             : OP_SUM_SCALED,
                   to, n);
      insn->index = plain || !subtracts ? t->rm : REG_NONE;
      insn->scale = (uint8_t)scale;
      insn->width = (uint16_t)width;
      insn->sign_extended = is_signed;
    }
}

static void
compare (struct a64 *t, uint8_t n)
{
  t->insn->op = OP_COMPARE_BOTH;
  t->insn->from = n;
  t->insn->index = t->rm;
  t->insn->width = t->whole ? 8 : 4;
  reads (t, n);
  reads (t, t->rm);
}

/* Whether the instruction is a comparison: its result is dropped.  */
static bool
only_compares (const struct a64 *t)
{
  return a64_bits (t->word, 29, 2) == 3 && t->rd == REG_NONE
         && t->rm != REG_NONE;
}

/* ADD, SUB, CMP, NEG with a shifted register.  */
void
a64_add_shifted (struct a64 *t)
{
  unsigned by = a64_bits (t->word, 10, 6), shift = a64_bits (t->word, 22, 2);
  if (only_compares (t) && t->rn != REG_NONE && by == 0)
    compare (t, t->rn);
  else if (t->rm == REG_NONE)
    move (t, t->rd, t->rn);
  else if (t->rn != REG_NONE && shift == 0 && by <= 3)
    add (t, t->rd, t->rn, 8, false, 1u << by);
  else
    {
      reads (t, t->rn);
      reads (t, t->rm);
      a64_writes (t, t->rd);
    }
}

/* ADD, SUB, CMP with an extended register; in other fields, 31 is SP.  */
void
a64_add_extended (struct a64 *t)
{
  unsigned option = a64_bits (t->word, 13, 3), by = a64_bits (t->word, 10, 3);
  unsigned width = 1u << (option & 3), most = t->whole ? 8 : 4;
  uint8_t n = t->rsn, to = a64_bits (t->word, 29, 1) ? t->rd : t->rsd;
  if (width > most)
    width = most;
  if (only_compares (t) && by == 0 && width == most)
    compare (t, n);
  else if (t->rm == REG_NONE)
    move (t, to, n);
  else
    add (t, to, n, width, option & 4, 1u << by);
}

/* MADD; MUL is MADD with the zero register.  */
void
a64_multiply (struct a64 *t)
{
  if (t->ra == REG_NONE)
    calculate_by (t, CALCULATE_MULTIPLY, t->rd, t->rn, t->rm);
  else
    a64_writes (t, t->rd);
}

/* ---- Memory */

enum writeback
{
  WRITEBACK_NONE,
  WRITEBACK_POST, /* base += offset after the access to the old base */
  WRITEBACK_PRE   /* ... before it */
};

/* Return the writeback of the field MODE, as most encodings have it.  */
static enum writeback
writeback_of (unsigned mode)
{
  return mode == 1   ? WRITEBACK_POST
         : mode == 3 ? WRITEBACK_PRE
                     : WRITEBACK_NONE;
}

/* Set the memory operand: WIDTH bytes at base register Rn + OFFSET.  */
static void
set_memory (struct a64 *t, int64_t offset, enum writeback writeback,
            unsigned width)
{
  struct insn *insn = t->insn;
  insn->memory = true;
  insn->base = t->rsn;
  insn->offset = writeback == WRITEBACK_POST ? 0 : offset;
  insn->width = (uint16_t)width;
  insn->adjusts_base = writeback != WRITEBACK_NONE;
  insn->immediate = insn->adjusts_base ? offset : 0;
  reads (t, insn->base);
}

/* A load with an unknown result, or none: only a change of the base is
   left.  */
static void
adjust_only (struct a64 *t)
{
  if (t->insn->adjusts_base)
    a64_operate (t, OP_ADD, t->insn->base, t->insn->base);
  t->insn->memory = t->insn->adjusts_base = false;
}

static void
load (struct a64 *t, bool is_signed)
{
  if (t->rd == REG_NONE)
    adjust_only (t);
  else
    {
      a64_operate (t, OP_LOAD, t->rd, REG_NONE);
      t->insn->sign_extended = is_signed;
    }
}

/* A load or store of vector registers.  */
static void
load_or_store_vector (struct a64 *t, bool is_load)
{
  if (is_load)
    adjust_only (t);
  else
    t->insn->op = OP_STORE;
}

/* Return the log2 of the width of one register's memory.  */
static unsigned
width_log (const struct a64 *t)
{
  unsigned size = a64_bits (t->word, 30, 2);
  return a64_bits (t->word, 26, 1) && a64_bits (t->word, 23, 1) ? 4 : size;
}

/* LDR or STR, whose memory operand is set; PRFM does nothing.  Registers of 4
   bytes and less are read as data, whole ones are saved.  */
static void
load_or_store (struct a64 *t)
{
  unsigned size = a64_bits (t->word, 30, 2), opc = a64_bits (t->word, 22, 2);
  if (a64_bits (t->word, 26, 1))
    {
      load_or_store_vector (t, opc & 1);
      t->exists = opc < 2 || size == 0;
    }
  else if (size == 3 && opc == 2)
    {
      t->insn->memory = false;
      t->exists = a64_bits (t->word, 24, 1) || a64_bits (t->word, 21, 1)
                  || a64_bits (t->word, 10, 2) == 0;
    }
  else if (opc != 0)
    {
      load (t, opc > 1);
      t->exists = opc == 1 || size + opc < 5;
    }
  else
    {
      t->insn->op = OP_STORE;
      if (size >= 2)
        t->insn->from = t->rd;
      if (size < 3)
        reads (t, t->rd);
    }
}

/* [base, #offset], in units of the width.  */
void
a64_offset (struct a64 *t)
{
  unsigned log = width_log (t);
  set_memory (t, (int64_t)a64_bits (t->word, 10, 12) << log, WRITEBACK_NONE,
              1u << log);
  load_or_store (t);
}

/* [base, #offset], [base], #offset and [base, #offset]!, in bytes.  */
void
a64_unscaled (struct a64 *t)
{
  set_memory (t, a64_signed (t->word, 12, 9),
              writeback_of (a64_bits (t->word, 10, 2)), 1u << width_log (t));
  load_or_store (t);
}

/* [base, index, extension #log].  */
void
a64_indexed (struct a64 *t)
{
  unsigned width = 1u << width_log (t);
  set_memory (t, 0, WRITEBACK_NONE, width);
  t->insn->index = t->rm;
  t->insn->scale = (uint8_t)(a64_bits (t->word, 12, 1) ? width : 1);
  load_or_store (t);
}

/* LDRAA, LDRAB: the base is authenticated.  */
void
a64_authenticated (struct a64 *t)
{
  int64_t offset = (int64_t)a64_bits (t->word, 12, 9)
                   - (a64_bits (t->word, 22, 1) ? 512 : 0);
  set_memory (t, offset * 8,
              a64_bits (t->word, 11, 1) ? WRITEBACK_PRE : WRITEBACK_NONE, 8);
  load (t, false);
}

/* A store of an unknown value to [base].  */
static void
store_unknown (struct a64 *t, unsigned width)
{
  set_memory (t, 0, WRITEBACK_NONE, width);
  t->insn->op = OP_STORE;
}

/* LDADD, SWP, CAS, ... */
void
a64_atomic (struct a64 *t)
{
  store_unknown (t, 1u << a64_bits (t->word, 30, 2));
}

/* STXR, STLR, ... */
void
a64_store_exclusive (struct a64 *t)
{
  bool is_pair = a64_bits (t->word, 21, 1);
  store_unknown (t, 1u << a64_bits (t->word, 30, 2) << is_pair);
}

/* CASP: the registers are pairs.  */
void
a64_swap_pair (struct a64 *t)
{
  uint8_t second = (uint8_t)(a64_bits (t->word, 16, 5) | 1);
  reads (t, a64_or_zero (a64_bits (t->word, 0, 5) | 1));
  reads (t, a64_or_zero (second));
  a64_writes (t, a64_or_zero (second));
  store_unknown (t, a64_bits (t->word, 30, 1) ? 16 : 8);
}

/* LDAPR.  */
void
a64_load_ordered (struct a64 *t)
{
  set_memory (t, 0, WRITEBACK_NONE, 1u << a64_bits (t->word, 30, 2));
  load (t, false);
}

/* STG, ST2G, STZG, STZ2G: memory tags, of 16 bytes each.  */
void
a64_tag (struct a64 *t)
{
  set_memory (t, a64_signed (t->word, 12, 9) * 16,
              writeback_of (a64_bits (t->word, 10, 2)),
              a64_bits (t->word, 23, 1) ? 32 : 16);
  t->insn->op = OP_STORE;
}

/* Set the memory of two registers of 2^LOG bytes, or one pair of WIDTH
   bytes.  */
static void
set_pair (struct a64 *t, unsigned log, unsigned width)
{
  set_memory (t, a64_signed (t->word, 15, 7) * (INT64_C (1) << log),
              writeback_of (a64_bits (t->word, 23, 2)), width);
}

/* LDP, STP, LDNP, STNP of 8 bytes each; STGP, in units of 16.  */
void
a64_pair (struct a64 *t)
{
  bool is_load = a64_bits (t->word, 22, 1);
  set_pair (t, a64_bits (t->word, 30, 1) ? 4 : 3, 16);
  t->insn->op = is_load ? OP_LOAD : OP_STORE;
  t->insn->is_pair = true;
  t->insn->second = t->ra;
  *(is_load ? &t->insn->to : &t->insn->from) = t->rd;
}

/* LDP, STP, LDNP, STNP of 4 bytes each; LDPSW.  */
void
a64_pair_of_words (struct a64 *t)
{
  set_pair (t, 2, 8);
  if (a64_bits (t->word, 22, 1))
    {
      a64_writes (t, t->rd);
      a64_writes (t, t->ra);
      adjust_only (t);
      return;
    }
  t->insn->op = OP_STORE;
  reads (t, t->rd);
  reads (t, t->ra);
}

/* LDP, STP, LDNP, STNP of vector registers.  */
void
a64_pair_of_vectors (struct a64 *t)
{
  unsigned log = 2 + a64_bits (t->word, 30, 2);
  set_pair (t, log, 2u << log);
  load_or_store_vector (t, a64_bits (t->word, 22, 1));
}

/* Return the bytes that LD1 to ST4 of whole registers access, or 0 if the word
   is no instruction.  */
static unsigned
bytes_of_registers (uint32_t word)
{
  static const uint8_t registers[16]
      = { [0] = 4, [2] = 4, [4] = 3, [6] = 3, [7] = 1, [8] = 2, [10] = 2 };
  unsigned opcode = a64_bits (word, 12, 4);
  bool interleaves = (opcode & 3) == 0; /* which needs more than one element */
  if (interleaves && a64_bits (word, 10, 2) == 3 && !a64_bits (word, 30, 1))
    return 0;
  return registers[opcode] * (8u << a64_bits (word, 30, 1));
}

/* The same for LD1 to ST4 of one element, or of one element for all lanes.  */
static unsigned
bytes_of_elements (uint32_t word)
{
  unsigned opcode = a64_bits (word, 13, 3), size = a64_bits (word, 10, 2);
  unsigned log = opcode >> 1,
           n = (opcode & 1) * 2 + a64_bits (word, 21, 1) + 1;
  bool s = a64_bits (word, 12, 1), is_load = a64_bits (word, 22, 1);
  bool exists = log == 0   ? true
                : log == 1 ? !(size & 1)
                : log == 2 ? size == 0 || (size == 1 && !s)
                           : is_load && !s;
  if (log == 3)
    log = size;
  else if (log == 2 && size == 1)
    log = 3;
  return exists ? n << log : 0;
}

/* LD1 to ST4.  The writeback is by their size or by a register.  */
void
a64_structures (struct a64 *t)
{
  unsigned width = a64_bits (t->word, 24, 1) ? bytes_of_elements (t->word)
                                             : bytes_of_registers (t->word);
  bool writes_back = a64_bits (t->word, 23, 1), by_size = t->rm == REG_NONE;
  set_memory (t, width,
              writes_back && by_size ? WRITEBACK_POST : WRITEBACK_NONE, width);
  t->insn->offset = 0;
  if (writes_back && !by_size)
    {
      reads (t, t->rm);
      a64_writes (t, t->insn->base);
    }
  load_or_store_vector (t, a64_bits (t->word, 22, 1));
  t->exists = width != 0;
}

/* A store of an SVE register, of unknown size: 8192 bytes around the base.  */
void
a64_store_scalable (struct a64 *t)
{
  t->insn->op = OP_STORE;
  t->insn->memory = true;
  t->insn->base = t->rsn;
  t->insn->offset = -4096;
  t->insn->width = 8192;
}
