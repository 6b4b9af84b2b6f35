/* Instructions that were decoded before.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Code repeats itself.  What the first bytes of an instruction say of
   its size and of where execution goes on, and what all its bytes say of
   what it does, is kept as the decoder told it the first time.  Knows no
   machine but that displacements and immediate operands come behind
   everything else.  */

#ifndef ANALYSIS_INSN_KNOWN_H
#define ANALYSIS_INSN_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/instruction.h"

enum
{
  INSN_KNOWN_MAX = 1 << 12,
  INSN_BYTES_MAX = 16, /* of an instruction; so many can be read */
  INSN_HEAD_MAX = 6
};

/* What the head of an instruction says: the bytes in front of displacement and
   immediate operand.  No head begins with another one.  */
struct insn_form
{
  uint8_t head; /* bytes */
  uint8_t size; /* of all */
  uint8_t flow; /* enum insn_flow */
  bool is_nop;
  /* The distance from the next instruction to the target of a jump or call, or
     else to a place in memory: 1, 2 or 4 bytes of the instruction from AT on;
     0: none.  */
  uint8_t distance_size, distance_at;
  bool computes_place; /* it does not read that place */
};

/* The bytes of an instruction; those of the distance, and behind it, are 0. */
struct insn_bytes
{
  uint64_t first, last;
};

struct known_form
{
  uint64_t head;
  struct insn_form form; /* size 0: none */
};

struct known_insn
{
  struct insn_bytes bytes;
  struct insn insn; /* size 0: none */
};

/* Later ones take the place of earlier ones; all is 0 at first.  */
struct insn_known
{
  uint8_t head_sizes[256]; /* by the first byte: a bit for each */
  struct known_form forms[INSN_KNOWN_MAX]; /* by the head */
  struct known_insn insns[INSN_KNOWN_MAX]; /* by all bytes */
};

/* The form of the instruction that BYTES begin with; NULL: none that is known.
   INSN_BYTES_MAX bytes are read.  */
const struct insn_form *insn_known_form (const struct insn_known *known,
                                         const uint8_t *bytes);
void insn_known_add_form (struct insn_known *known, const uint8_t *bytes,
                          const struct insn_form *form);

/* What the instruction does that BYTES, loaded at ADDRESS, begin with and that
   has FORM.  What depends on its place is `target', with `memory' `offset',
   and with `names_place' `immediate'.  */
bool insn_known_find (const struct insn_known *known, const uint8_t *bytes,
                      const struct insn_form *form, uint64_t address,
                      struct insn *insn);
void insn_known_add (struct insn_known *known, const uint8_t *bytes,
                     const struct insn_form *form, const struct insn *insn);

/* Where the distance of FORM leads to from ADDRESS.  */
uint64_t insn_form_place (const struct insn_form *form, const uint8_t *bytes,
                          uint64_t address);

/* Whether that is the target of a jump or call.  */
bool insn_form_has_target (const struct insn_form *form);

#endif /* ANALYSIS_INSN_KNOWN_H */
