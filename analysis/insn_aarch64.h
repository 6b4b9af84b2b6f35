/* What the files that decode A64 instructions have in common.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Names of fields and of groups of encodings are those of the Arm Architecture
   Reference Manual for A-profile (DDI 0487), chapter C4, "A64 Instruction Set
   Encoding".  An encoding that is not known is refused: it could change any
   register.  */

#ifndef CODE_INSN_AARCH64_H
#define CODE_INSN_AARCH64_H

#include "analysis/instruction.h"

enum
{
  A64_SP = 31, /* DWARF's number, and where it means that, the encoding's */
  A64_ZR = 31, /* ... where it means this */
  A64_RA = 30
};

/* One instruction on its way to struct insn.  */
struct a64
{
  uint32_t word;
  uint64_t address;
  struct insn *insn;
};

/* N bits of WORD from bit LOW on.  */
static inline uint32_t
a64_bits (uint32_t word, unsigned low, unsigned n)
{
  return word >> low & ((UINT32_C (1) << n) - 1);
}

/* N bits of WORD from bit LOW on as a signed number.  */
static inline int64_t
a64_signed (uint32_t word, unsigned low, unsigned n)
{
  int64_t value = a64_bits (word, low, n);
  return value - (value >> (n - 1) << n);
}

static inline bool
a64_matches (uint32_t word, uint32_t mask, uint32_t bits)
{
  return (word & mask) == bits;
}

static inline unsigned
a64_rd (uint32_t word)
{
  return a64_bits (word, 0, 5);
}

static inline unsigned
a64_rn (uint32_t word)
{
  return a64_bits (word, 5, 5);
}

static inline unsigned
a64_rm (uint32_t word)
{
  return a64_bits (word, 16, 5);
}

/* FIELD as a register whose number 31 is XZR, which holds nothing.  */
static inline uint8_t
a64_or_zero (unsigned field)
{
  return field == A64_ZR ? REG_NONE : (uint8_t)field;
}

static inline uint32_t
a64_mask (uint8_t reg)
{
  return reg == REG_NONE ? 0 : UINT32_C (1) << reg;
}

static inline void
a64_reads (struct a64 *t, uint8_t reg)
{
  t->insn->reads |= a64_mask (reg);
}

static inline void
a64_writes (struct a64 *t, uint8_t reg)
{
  t->insn->writes |= a64_mask (reg);
}

/* The instruction does OP: TO = f (FROM).  Without TO it does nothing.  */
static inline void
a64_op (struct a64 *t, enum insn_op op, uint8_t to, uint8_t from)
{
  if (to == REG_NONE)
    return;
  t->insn->op = (uint8_t)op;
  t->insn->to = to;
  t->insn->from = from;
}

/* The instruction does CALCULATION with IMMEDIATE, in 4 or 8 bytes.  */
static inline void
a64_calculate (struct a64 *t, enum insn_calculation calculation, uint8_t to,
               uint8_t from, int64_t immediate)
{
  if (to == REG_NONE)
    return;
  a64_op (t, OP_CALCULATE, to, from);
  t->insn->calculation = (uint8_t)calculation;
  t->insn->width = t->word >> 31 ? 8 : 4;
  t->insn->immediate = immediate;
}

/* ... with register INDEX.  Where that or FROM is the register of zeroes, what
   comes of it is not told.  */
static inline void
a64_calculate_by (struct a64 *t, enum insn_calculation calculation, uint8_t to,
                  uint8_t from, uint8_t index)
{
  if (from == REG_NONE || index == REG_NONE)
    {
      a64_writes (t, to);
      return;
    }
  a64_calculate (t, calculation, to, from, 0);
  t->insn->index = to == REG_NONE ? REG_NONE : index;
}

/* Groups of encodings.  False when there is no such instruction.  */
bool a64_immediate (struct a64 *t); /* data processing with an immediate */
bool a64_register (struct a64 *t);  /* data processing of registers */
bool a64_vector (struct a64 *t);    /* SIMD, floating point */
bool a64_scalable (struct a64 *t);  /* SVE */
bool a64_memory (struct a64 *t);    /* loads and stores */

#endif /* CODE_INSN_AARCH64_H */
