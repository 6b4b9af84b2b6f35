/* What calls leave of a state, and whether they come back.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Who has found what, of which the answers are made here and nowhere else:

   whether a call comes back (routine_call_returns)
     may_return   noreturn.c: no path through the callee returns, which is
                  proved, or some path may
     by name      image_facts.c: imported functions that never return
     Go's table   gopclntab.c: depths that do not fit the call are another's
     doubtful     calls of this routine that were never seen to return
                  (routine_returns.c), that run into another function
                  (routine_check.c), or behind which the stack would have two
                  depths (routine.c)

   what it leaves (routine_call)
     clobbered    machine.h: registers that are lost, by the ABI
     changes      functions.h: registers of the ABI that following the callee
                  has shown to be changed all the same
     spared       clobbered registers that no instruction of the callee writes:
                  looked for where the routine fails without them  */

#ifndef ANALYSIS_ROUTINE_CALLS_H
#define ANALYSIS_ROUTINE_CALLS_H

#include "analysis/routine_graph.h"

/* The place of the address that INSN, a call, reads, perhaps by way of a stub;
   0: unknown.  */
uint64_t routine_called_place (const struct routine_context *context,
                               const struct insn *insn);

/* The relocated word at that place, or NULL.  */
const struct relocated *
routine_called_word (const struct routine_context *context,
                     const struct insn *insn);

/* The function of the image that INSN, a call or a jump, leads to, perhaps by
   way of a stub or a constant pointer; NULL: unknown.  */
struct code_function *routine_callee (const struct routine_context *context,
                                      const struct insn *insn);

/* Whether INSN, a call, comes back.  A callee that was not followed
   yet counts as returning for now; the routine will be followed again
   (met_unknown of struct routine_result).  */
bool routine_call_returns (struct routine *routine, const struct insn *insn,
                           const struct state *state);

/* What INSN, a call, leaves of STATE after it returned.  */
void routine_call (struct routine *routine, const struct insn *insn,
                   struct state *state);

/* A call may end up at a landing pad, with the registers of the caller and
   without the arguments on the stack.  */
void routine_throw (struct routine *routine, uint64_t call,
                    const struct state *state);

#endif /* ANALYSIS_ROUTINE_CALLS_H */
