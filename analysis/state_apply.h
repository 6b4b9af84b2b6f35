/* The transfer of one instruction.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ANALYSIS_STATE_APPLY_H
#define ANALYSIS_STATE_APPLY_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/state.h"

/* Do INSN, without where it goes.  Loads of jump table entries are noted in
   the tables of STATE.  */
void state_apply (struct state *state, const struct insn *insn);

/* The NUMBER of the system call that STATE is in front of.  False: unknown. */
bool state_kernel_call (const struct state *state, int64_t *number);

/* Whether INSN, with STATE in front, is a system call that ends the thread or
   the process.  */
bool state_exits (const struct state *state, const struct insn *insn);

/* What INSN, a call, leaves after it returned.  */
void state_call (struct state *state, const struct insn *insn);

/* Whether state_branch changes anything.  */
static inline bool
state_tells_branches (const struct state *state, enum insn_condition condition)
{
  return condition != CONDITION_OTHER
         && (state->has_compared || state->has_equals);
}

/* Whether INSN, a branch, is where the child of a system call that returned
   twice leaves its parent (VALUE_FORKED) or may do so (VALUE_ASKED): *TAKEN,
   by the branch, or else behind it.  VALUE_OPAQUE: it is not.  */
enum value_kind state_parts_from_child (const struct state *state,
                                        const struct insn *insn, bool *taken);

/* The branch with CONDITION was TAKEN or not.  False: what was compared shows
   that this cannot be.  */
bool state_branch (struct state *state, enum insn_condition condition,
                   bool taken);

/* Whether INSN computes an address, and which.  */
bool state_names_place (const struct state *state, const struct insn *insn,
                        uint64_t *address);

/* Note the table that INSN reads, if it can be one.  False: no.  */
bool state_table (const struct state *state, const struct insn *insn,
                  uint32_t *number);

#endif /* ANALYSIS_STATE_APPLY_H */
