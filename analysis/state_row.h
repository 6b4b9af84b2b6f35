/* From a state to the rules of a row, and what it makes of others' rules.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ANALYSIS_STATE_ROW_H
#define ANALYSIS_STATE_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/state.h"
#include "frame/frame.h"

/* Whether SP is what it was at the entry.  */
bool state_is_at_entry (const struct state *state,
                        const struct code_machine *machine);

/* A mask of the registers of the ABI that have other values than at the
   entry.  */
uint32_t state_changed_registers (const struct state *state,
                                  const struct code_machine *machine);

/* Whether register REG, or where the ABI fixes that, the place in the stack,
   has the return address.  */
bool state_has_ra (const struct state *state,
                   const struct code_machine *machine, unsigned reg);

/* Whether the function could return now: SP, the return address and the
   registers that belong to the caller are as they were when it began.  */
bool state_is_restored (const struct state *state,
                        const struct code_machine *machine);

/* Whether no register is known to point into the stack: then the code has left
   its frame for another stack, and cannot come back to it.  */
bool state_has_left (const struct state *state,
                     const struct code_machine *machine);

/* Whether VALUE is in the frame, where it can be had back from.  */
bool state_keeps (const struct state *state,
                  const struct code_machine *machine, struct value value);

/* Whether a register of the ABI holds something else than the caller's value,
   which is in the frame, below the stack pointer that the function was entered
   with.  */
bool state_saves_registers (const struct state *state,
                            const struct code_machine *machine);

/* Set ROW to the CFA, RA and FP rules of STATE.  False when STATE has no such
   row.  */
bool state_row (const struct state *state, const struct code_machine *machine,
                struct frame_row *row);

/* Set ROW to the CFA and RA rules of STATE; the FP rule is RULE_SAME.  */
bool state_row_without_fp (const struct state *state,
                           const struct code_machine *machine,
                           struct frame_row *row);

enum verdict
{
  VERDICT_UNKNOWN,
  VERDICT_AGREES,
  VERDICT_CONTRADICTS
};

/* What the state makes of the CFA, the RA and the FP rule of ROW.  */
enum verdict state_check_cfa (const struct state *state,
                              const struct code_machine *machine,
                              const struct frame_row *row);
enum verdict state_check_ra (const struct state *state,
                             const struct code_machine *machine,
                             const struct frame_row *row);
enum verdict state_check_fp (const struct state *state,
                             const struct code_machine *machine,
                             const struct frame_row *row);

/* The values that the rules of ROW compute.  */
struct value state_cfa_value (const struct state *state,
                              const struct code_machine *machine,
                              const struct frame_row *row);
struct value state_ra_value (const struct state *state,
                             const struct code_machine *machine,
                             const struct frame_row *row);
struct value state_fp_value (const struct state *state,
                             const struct code_machine *machine,
                             const struct frame_row *row);

/* Where in the stack the caller's FP, or the RA, is kept, or VALUE_MIXED.  */
struct value state_fp_place (const struct state *state,
                             const struct code_machine *machine);
struct value state_ra_place (const struct state *state,
                             const struct code_machine *machine);

#endif /* ANALYSIS_STATE_ROW_H */
