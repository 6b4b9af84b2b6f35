/* A64 instructions that load and store.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/insn_aarch64.h"

enum writeback
{
  WRITEBACK_NONE,
  WRITEBACK_POST, /* base += offset after the access at the old base */
  WRITEBACK_PRE   /* ... before it */
};

/* Memory of WIDTH bytes at base register Rn + OFFSET.  */
static void
set_memory (struct a64 *t, int64_t offset, enum writeback writeback,
            unsigned width)
{
  struct insn *insn = t->insn;
  insn->memory = true;
  insn->base = (uint8_t)a64_rn (t->word);
  insn->offset = writeback == WRITEBACK_POST ? 0 : offset;
  insn->width = (uint16_t)width;
  insn->adjusts_base = writeback != WRITEBACK_NONE;
  insn->immediate = insn->adjusts_base ? offset : 0;
  a64_reads (t, insn->base);
}

/* A load whose result does not matter, or is not known: what is left of it is
   a change of the base.  */
static void
adjust_only (struct a64 *t)
{
  if (t->insn->adjusts_base)
    a64_op (t, OP_ADD, t->insn->base, t->insn->base);
  t->insn->memory = t->insn->adjusts_base = false;
}

static void
load (struct a64 *t, uint8_t to, bool is_signed)
{
  if (to == REG_NONE)
    {
      adjust_only (t);
      return;
    }
  a64_op (t, OP_LOAD, to, REG_NONE);
  t->insn->sign_extended = is_signed;
}

/* Registers of 4 bytes and less are used for data, whole ones are saved.  */
static void
store (struct a64 *t, uint8_t from)
{
  t->insn->op = OP_STORE;
  if (t->insn->width >= 4)
    t->insn->from = from;
  if (t->insn->width < 8)
    a64_reads (t, from);
}

/* Of a vector register.  */
static void
load_or_store_vector (struct a64 *t, bool is_load)
{
  if (is_load)
    adjust_only (t);
  else
    t->insn->op = OP_STORE;
}

/* LDXR, STLXP, CAS, LDAR, ...: exclusive, ordered, compare and swap.  */
static bool
translate_exclusive (struct a64 *t)
{
  uint32_t word = t->word;
  unsigned size = a64_bits (word, 30, 2), kind = a64_bits (word, 21, 3);
  bool is_load = kind & 2, is_pair = kind & 1, is_ordered = kind & 4;
  uint8_t rt = a64_or_zero (a64_rd (word)), rs = a64_or_zero (a64_rm (word)),
          rt2 = a64_or_zero (a64_bits (word, 10, 5));
  bool swaps = is_pair && (is_ordered || size < 2);
  if (swaps && (rt2 != REG_NONE || (!is_ordered && (rs | rt) & 1)))
    return false;
  set_memory (t, 0, WRITEBACK_NONE, 1u << size << (is_pair && !is_ordered));
  a64_reads (t, rt);
  if (swaps)
    {
      a64_reads (t, rs);
      a64_writes (t, rs); /* CAS; CASP has two registers */
      if (!is_ordered)
        {
          t->insn->width = size ? 16 : 8;
          a64_writes (t, a64_or_zero (a64_rm (word) | 1));
          a64_reads (t, a64_or_zero (a64_rm (word) | 1));
          a64_reads (t, a64_or_zero (a64_rd (word) | 1));
        }
      t->insn->op = OP_STORE;
      return true;
    }
  if (is_load)
    {
      t->insn->reads &= ~a64_mask (rt) | a64_mask (t->insn->base);
      a64_writes (t, rt);
      if (is_pair)
        a64_writes (t, rt2);
      t->insn->memory = false;
      return true;
    }
  if (is_pair)
    a64_reads (t, rt2);
  if (!is_ordered)
    a64_writes (t, rs); /* whether it was stored */
  t->insn->op = OP_STORE;
  return true;
}

/* LD1 to ST4: of several registers, with or without writeback.  */
static bool
translate_structures (struct a64 *t)
{
  static const uint8_t registers[16]
      = { [0] = 4, [2] = 4, [4] = 3, [6] = 3, [7] = 1, [8] = 2, [10] = 2 };
  uint32_t word = t->word;
  bool is_single = a64_bits (word, 24, 1),
       writes_back = a64_bits (word, 23, 1);
  bool is_load = a64_bits (word, 22, 1);
  unsigned rm = a64_rm (word), width;
  if (is_single)
    {
      unsigned opcode = a64_bits (word, 13, 3);
      unsigned n = (opcode & 1) * 2 + a64_bits (word, 21, 1) + 1;
      unsigned log = opcode >> 1;
      if (log == 3) /* one element to all lanes */
        log = a64_bits (word, 10, 2);
      else if (log == 2 && a64_bits (word, 10, 1))
        log = 3;
      width = n << log;
    }
  else
    width = registers[a64_bits (word, 12, 4)] * (8u << a64_bits (word, 30, 1));
  if (width == 0 || word >> 31
      || (!writes_back && (is_single ? rm & 15 : rm) != 0)
      || (!is_single && a64_bits (word, 21, 1)))
    return false;
  set_memory (t, width,
              writes_back && rm == 31 ? WRITEBACK_POST : WRITEBACK_NONE,
              width);
  t->insn->offset = 0;
  if (writes_back && rm != 31)
    {
      a64_reads (t, (uint8_t)rm);
      a64_writes (t, t->insn->base);
    }
  load_or_store_vector (t, is_load);
  return true;
}

/* LDR from a place relative to the instruction.  */
static bool
translate_literal (struct a64 *t)
{
  uint32_t word = t->word;
  unsigned opc = a64_bits (word, 30, 2);
  bool is_vector = a64_bits (word, 26, 1);
  if (!is_vector && opc != 3)
    a64_writes (t, a64_or_zero (a64_rd (word)));
  return !is_vector || opc != 3;
}

/* STG, ST2G, STZG, LDG: memory tags, of 16 bytes each.  */
static bool
translate_tags (struct a64 *t)
{
  uint32_t word = t->word;
  unsigned opc = a64_bits (word, 22, 2), op2 = a64_bits (word, 10, 2);
  int64_t offset = a64_signed (word, 12, 9) * 16;
  if (a64_bits (word, 30, 2) != 3 || (op2 == 0 && opc != 1 && offset != 0))
    return false;
  set_memory (t, offset,
              op2 == 1   ? WRITEBACK_POST
              : op2 == 3 ? WRITEBACK_PRE
                         : WRITEBACK_NONE,
              opc & 2 ? 32 : 16);
  if (op2 == 0 && opc != 0 && opc != 2)
    {
      a64_writes (t, a64_or_zero (a64_rd (word))); /* LDG, LDGM */
      t->insn->memory = false;
    }
  else if (op2 == 0)
    t->insn->memory = false; /* STGM, STZGM: of whole blocks */
  else
    t->insn->op = OP_STORE;
  return true;
}

/* CPYP, SETM, ...: memcpy and memset, which use up their operands.  */
static bool
translate_copy (struct a64 *t)
{
  uint32_t word = t->word;
  if (a64_bits (word, 30, 2) != 0)
    return false;
  const uint8_t operands[]
      = { a64_or_zero (a64_rd (word)), a64_or_zero (a64_rn (word)),
          a64_or_zero (a64_rm (word)) };
  for (unsigned i = 0; i < 3; i++)
    {
      a64_reads (t, operands[i]);
      a64_writes (t, operands[i]);
    }
  t->insn->sets_flags = true;
  return true;
}

/* SIZE is the log of a width, OPC says what is done with it: 0 stores, 1
   loads, 2 and 3 load with the sign.  */
static bool
load_or_store (struct a64 *t, unsigned size, unsigned opc)
{
  uint8_t rt = a64_or_zero (a64_rd (t->word));
  if (opc == 0)
    store (t, rt);
  else
    load (t, rt, opc > 1);
  return opc < 2 || size + opc < 5;
}

/* LDAPUR, STLUR, and what is encoded beside them.  */
static bool
translate_ordered (struct a64 *t)
{
  uint32_t word = t->word;
  unsigned size = a64_bits (word, 30, 2), opc = a64_bits (word, 22, 2);
  bool is_vector = a64_bits (word, 26, 1);
  if (a64_bits (word, 21, 1))
    return !is_vector && translate_tags (t);
  if (a64_bits (word, 10, 2) == 1)
    return translate_copy (t);
  set_memory (t, a64_signed (word, 12, 9), WRITEBACK_NONE, 1u << size);
  return !is_vector && a64_bits (word, 10, 2) == 0
         && load_or_store (t, size, opc);
}

static enum writeback
writeback_of (unsigned mode)
{
  return mode == 1   ? WRITEBACK_POST
         : mode == 3 ? WRITEBACK_PRE
                     : WRITEBACK_NONE;
}

/* LDP, STP, LDNP, STNP, LDPSW, STGP.  */
static bool
translate_pair (struct a64 *t)
{
  uint32_t word = t->word;
  struct insn *insn = t->insn;
  unsigned opc = a64_bits (word, 30, 2), mode = a64_bits (word, 23, 2);
  bool is_vector = a64_bits (word, 26, 1), is_load = a64_bits (word, 22, 1);
  unsigned log = is_vector ? 2 + opc : opc == 2 ? 3 : 2;
  bool tags = !is_vector && opc == 1 && !is_load;
  uint8_t rt = a64_or_zero (a64_rd (word)),
          rt2 = a64_or_zero (a64_bits (word, 10, 5));
  if (opc == 3 || (!is_vector && opc == 1 && mode == 0))
    return false;
  if (tags)
    log = 4;
  set_memory (t, a64_signed (word, 15, 7) * (INT64_C (1) << log),
              writeback_of (mode), tags ? 16 : 2u << log);
  if (is_vector)
    load_or_store_vector (t, is_load);
  else if (!is_load)
    {
      insn->op = OP_STORE;
      insn->is_pair = insn->width == 16;
      insn->from = insn->is_pair ? rt : REG_NONE;
      insn->second = insn->is_pair ? rt2 : REG_NONE;
      if (!insn->is_pair)
        {
          a64_reads (t, rt);
          a64_reads (t, rt2);
        }
    }
  else if (log == 3)
    {
      insn->op = OP_LOAD;
      insn->is_pair = true;
      insn->to = rt;
      insn->second = rt2;
    }
  else
    {
      a64_writes (t, rt);
      a64_writes (t, rt2);
      adjust_only (t);
    }
  return true;
}

/* LDADD, SWP, ...; LDAPR.  */
static bool
translate_atomic (struct a64 *t)
{
  uint32_t word = t->word;
  unsigned size = a64_bits (word, 30, 2), opc = a64_bits (word, 12, 4);
  bool only_loads = opc == 12;
  set_memory (t, 0, WRITEBACK_NONE, 1u << size);
  if (only_loads)
    {
      load (t, a64_or_zero (a64_rd (word)), false);
      return a64_bits (word, 16, 8) == 0xbf;
    }
  a64_reads (t, a64_or_zero (a64_rm (word)));
  a64_writes (t, a64_or_zero (a64_rd (word)));
  t->insn->op = OP_STORE;
  return opc <= 8 && !a64_bits (word, 26, 1);
}

/* [base, index, extension #log].  */
static bool
set_index (struct a64 *t, unsigned log)
{
  uint32_t word = t->word;
  set_memory (t, 0, WRITEBACK_NONE, 1u << log);
  t->insn->index = a64_or_zero (a64_rm (word));
  t->insn->scale = (uint8_t)(a64_bits (word, 12, 1) ? 1u << log : 1);
  a64_reads (t, t->insn->index);
  return a64_bits (word, 14, 1);
}

/* LDRAA, LDRAB: the base is authenticated.  */
static bool
translate_authenticated (struct a64 *t)
{
  uint32_t word = t->word;
  int64_t offset
      = (int64_t)a64_bits (word, 12, 9) - (a64_bits (word, 22, 1) ? 512 : 0);
  set_memory (t, offset * 8,
              a64_bits (word, 11, 1) ? WRITEBACK_PRE : WRITEBACK_NONE, 8);
  load (t, a64_or_zero (a64_rd (word)), false);
  return a64_bits (word, 30, 2) == 3 && !a64_bits (word, 26, 1);
}

/* LDR and STR of one register in all their forms, PRFM.  */
static bool
translate_one (struct a64 *t)
{
  uint32_t word = t->word;
  unsigned size = a64_bits (word, 30, 2), opc = a64_bits (word, 22, 2);
  unsigned mode = a64_bits (word, 10, 2);
  bool is_vector = a64_bits (word, 26, 1), is_indexed = false;
  bool is_prefetch = !is_vector && size == 3 && opc == 2;
  unsigned log = is_vector && opc >= 2 ? 4 : size;
  bool is_unscaled = !a64_bits (word, 24, 1);
  if (!is_unscaled)
    set_memory (t, (int64_t)a64_bits (word, 10, 12) << log, WRITEBACK_NONE,
                1u << log);
  else if (!a64_bits (word, 21, 1))
    set_memory (t, a64_signed (word, 12, 9), writeback_of (mode), 1u << log);
  else if (mode == 0)
    return translate_atomic (t);
  else if (mode == 2)
    {
      is_indexed = true;
      if (!set_index (t, log))
        return false;
    }
  else
    return translate_authenticated (t);
  bool is_plain = is_unscaled && !is_indexed && mode == 2;
  if (is_vector)
    {
      load_or_store_vector (t, opc & 1);
      return (opc < 2 || size == 0) && !is_plain;
    }
  if (is_prefetch)
    {
      t->insn->memory = false;
      return !is_unscaled || is_indexed || mode == 0;
    }
  return load_or_store (t, size, opc) && (size < 3 || opc < 2);
}

bool
a64_memory (struct a64 *t)
{
  uint32_t word = t->word;
  bool is_vector = a64_bits (word, 26, 1), high = a64_bits (word, 24, 1);
  switch (a64_bits (word, 28, 2))
    {
    case 0:
      return is_vector ? translate_structures (t)
                       : !high && translate_exclusive (t);
    case 1:
      return high ? translate_ordered (t) : translate_literal (t);
    case 2:
      return translate_pair (t);
    default:
      return translate_one (t);
    }
}
