/* Where jumps lead: to instructions of the routine, directly or by tables.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ANALYSIS_ROUTINE_JUMPS_H
#define ANALYSIS_ROUTINE_JUMPS_H

#include "analysis/routine_graph.h"

/* STATE gets to TARGET, if that is in the routine.  */
void routine_jump (struct routine *routine, uint64_t target,
                   const struct state *state);

/* Whether INSN, a branch in front of a switch, is never taken: its default
   case is empty because the compiler knows all values, and at the end of the
   function, which is where another one starts, perhaps behind padding.  */
bool routine_is_never_taken (const struct routine *routine,
                             const struct insn *insn);

/* INSN, an indirect jump, goes by tables.  Whether each of them
   leads anywhere.  */
bool routine_jump_by_tables (struct routine *routine, const struct insn *insn,
                             const struct state *state);

#endif /* ANALYSIS_ROUTINE_JUMPS_H */
