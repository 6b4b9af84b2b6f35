/* The common part of the two files that decode A64 instructions.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Names of fields and of groups of encodings are those of the Arm Architecture
   Reference Manual for A-profile (DDI 0487), chapter C4, "A64 Instruction Set
   Encoding".  */

#ifndef ANALYSIS_INSN_AARCH64_H
#define ANALYSIS_INSN_AARCH64_H

#include "analysis/insn.h"

enum
{
  A64_SP = 31, /* DWARF's number, and the encoding's in fields that mean SP */
  A64_ZR = 31, /* the encoding's in fields that mean the zero register */
  A64_RA = 30
};

/* An instruction that is being decoded.  Registers are named after their
   fields.  Number 31 becomes REG_NONE, because XZR holds nothing; in fields
   with an S it is SP.  */
struct a64
{
  uint32_t word;
  uint64_t address;
  struct insn *insn;
  uint8_t rd, rn, rm, ra, rsd, rsn;
  bool whole;  /* registers have 8 bytes: bit 31 */
  bool exists; /* the word is a known instruction */
};

/* Return N bits of WORD from bit LOW on.  */
static inline uint32_t
a64_bits (uint32_t word, unsigned low, unsigned n)
{
  return word >> low & ((UINT32_C (1) << n) - 1);
}

/* Return N bits of WORD from bit LOW on as a signed number.  */
static inline int64_t
a64_signed (uint32_t word, unsigned low, unsigned n)
{
  int64_t value = a64_bits (word, low, n);
  return value - (value >> (n - 1) << n);
}

/* Return the register of FIELD, where number 31 is XZR.  */
static inline uint8_t
a64_or_zero (unsigned field)
{
  return field == A64_ZR ? REG_NONE : (uint8_t)field;
}

/* Record that the instruction writes an unknown value to REG.  */
static inline void
a64_writes (struct a64 *t, uint8_t reg)
{
  t->insn->writes |= reg_mask (reg);
}

/* Set the operation TO = OP (FROM); without TO it is none.  */
static inline void
a64_operate (struct a64 *t, enum insn_op op, uint8_t to, uint8_t from)
{
  if (to == REG_NONE)
    return;
  t->insn->op = (uint8_t)op;
  t->insn->to = to;
  t->insn->from = from;
}

/* Translators of encodings: they set the operation and the memory operand.  */
typedef void a64_translation (struct a64 *t);

a64_translation a64_address, a64_add_immediate, a64_logical_immediate,
    a64_move_wide, a64_bit_field;
a64_translation a64_logical, a64_add_shifted, a64_add_extended, a64_multiply;
a64_translation a64_store_exclusive, a64_swap_pair, a64_tag, a64_pair,
    a64_pair_of_words, a64_pair_of_vectors, a64_offset, a64_unscaled,
    a64_indexed, a64_atomic, a64_load_ordered, a64_authenticated,
    a64_structures;
a64_translation a64_store_scalable;

#endif /* ANALYSIS_INSN_AARCH64_H */
