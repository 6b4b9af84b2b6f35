/* From a state to the rules of a row, and what it makes of others' rules.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ANALYSIS_STATE_ROW_H
#define ANALYSIS_STATE_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/state.h"
#include "frame/frame.h"

/* Whether SP is what it was at the entry.  */
bool state_is_at_entry (const struct state *state);

/* A mask of the registers of the ABI that have other values than at the
   entry.  */
uint32_t state_changed_registers (const struct state *state);

/* Whether register REG, or where the ABI fixes that, the place in the stack,
   has the return address.  */
bool state_has_ra (const struct state *state, unsigned reg);

/* Whether the function could return now: SP, the return address and the
   registers that belong to the caller are as they were when it began.  */
bool state_is_restored (const struct state *state);

/* Whether no register is known to point into the stack: then the code has left
   its frame for another stack, and cannot come back to it.  */
bool state_has_left (const struct state *state);

/* Whether VALUE is in the frame, where it can be had back from.  */
bool state_keeps (const struct state *state, struct value value);

/* Whether a register of the ABI holds something else than the caller's value,
   which is in the frame, below the stack pointer that the function was entered
   with.  */
bool state_saves_registers (const struct state *state);

/* Set ROW to the CFA, RA and FP rules of STATE.  False when STATE has no such
   row.  */
bool state_row (const struct state *state, struct frame_row *row);

/* Set ROW to the CFA and RA rules of STATE; the FP rule is RULE_SAME.  */
bool state_row_without_fp (const struct state *state, struct frame_row *row);

enum verdict
{
  VERDICT_UNKNOWN,
  VERDICT_AGREES,
  VERDICT_CONTRADICTS
};

/* What STATE makes of a rule of ROW.  */
enum verdict state_check (const struct state *state, enum row_rule which,
                          const struct frame_row *row);

/* The value that it computes.  */
struct value state_rule_value (const struct state *state, enum row_rule which,
                               const struct frame_row *row);

/* Where in the stack the caller's FP, or the RA, is kept, or VALUE_MIXED.  */
struct value state_kept_at (const struct state *state, enum row_rule which);

#endif /* ANALYSIS_STATE_ROW_H */
