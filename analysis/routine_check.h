/* Whether what was followed is a function that keeps to the ABI.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ANALYSIS_ROUTINE_CHECK_H
#define ANALYSIS_ROUTINE_CHECK_H

#include "analysis/routine_graph.h"

/* Whether what leads to ADDRESS is a call, perhaps with padding behind it.
   If another function starts there, the call does not return.  */
bool routine_is_after_call (const struct routine *routine, uint64_t address);

/* Whether Go's table has the stack pointer where STATE has it.  */
bool routine_agrees_with_go (const struct routine *routine, uint64_t address,
                             const struct state *state);

/* Whether INSN, in front of which STATE holds, uses what belongs to the
   routine's caller.  */
bool routine_uses_saved (struct routine *routine, const struct insn *insn,
                         const struct state *state);

/* Look at INSN, in front of which STATE holds, of ROUTINE, a struct
   routine that was followed: a visitor for routine_visit.  */
void routine_check (void *routine, const struct insn *insn,
                    const struct state *state);

/* Whether there is a proof that FUNCTION, which was followed with RESULT and
   is sound, begins with the frame of a call.  */
bool routine_is_function (const struct routine_context *context,
                          const struct routine_result *result,
                          const struct code_function *function);

#endif /* ANALYSIS_ROUTINE_CHECK_H */
