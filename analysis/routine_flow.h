/* Where instructions lead: jump tables, calls, landing pads.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ANALYSIS_ROUTINE_FLOW_H
#define ANALYSIS_ROUTINE_FLOW_H

#include "analysis/routine_graph.h"

/* STATE gets to TARGET, if that is in the routine.  */
void routine_jump (struct routine *routine, uint64_t target,
                   const struct state *state);

/* Whether INSN, a branch in front of a switch, is never taken: its default
   case is empty because the compiler knows all values, and at the end of the
   function, which is where another one starts, perhaps behind padding.  */
bool routine_is_never_taken (const struct routine *routine,
                             const struct insn *insn);

/* INSN at ADDRESS, an indirect jump, goes by tables.  Whether each of them
   leads anywhere.  */
bool routine_jump_by_tables (struct routine *routine, const struct insn *insn,
                             const struct state *state);

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

/* Whether INSN, a call at ADDRESS, comes back.  A callee that was not followed
   yet counts as returning for now; the routine will be followed again
   (met_unknown of struct routine_result).  */
bool routine_call_returns (struct routine *routine, const struct insn *insn,
                           const struct state *state);

/* What INSN, a call at ADDRESS, leaves of STATE after it returned.  */
void routine_call (struct routine *routine, const struct insn *insn,
                   struct state *state);

/* A call may end up at a landing pad, with the registers of the caller and
   without the arguments on the stack.  */
void routine_throw (struct routine *routine, uint64_t call,
                    const struct state *state);

#endif /* ANALYSIS_ROUTINE_FLOW_H */
