/* What a routine does to the stack and the registers of its callers.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Callees are taken to leave SP and the registers of the ABI as they were,
   until following one shows that it does not: assembler code has subroutines
   with conventions of their own.  What is shown is recorded here, for the
   function register (functions.h), by which the callers are followed again. */

#ifndef ANALYSIS_ROUTINE_EFFECTS_H
#define ANALYSIS_ROUTINE_EFFECTS_H

#include "analysis/routine_graph.h"

/* INSN goes back to the caller, or to an address: note if it does so with
   another stack pointer than functions do.  */
void routine_note_going_back (struct routine *routine, const struct insn *insn,
                              const struct state *state);

/* Whether INSN calls a function that comes back with another stack pointer. */
bool routine_calls_stack_mover (const struct routine *routine,
                                const struct insn *insn);

/* Whether INSN at ADDRESS gets the stack pointer of the frame back from
   elsewhere, where only trust in a callee says that it is another.  */
bool routine_resets_sp (struct routine *routine, const struct insn *insn,
                        const struct state *state);

/* The routine returns with STATE, and the return address in register RA, or on
   the stack: note the registers of the ABI that have changed.  */
void routine_note_changes (struct routine *routine, const struct state *state,
                           unsigned ra);

/* The routine goes on in NEXT (NULL: in what is not known), which returns to
   the caller: the effects of NEXT are the routine's, too.  */
void routine_inherit (struct routine *routine,
                      const struct code_function *next,
                      const struct state *state);

#endif /* ANALYSIS_ROUTINE_EFFECTS_H */
