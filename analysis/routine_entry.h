/* Whether a routine begins with the frame of a call.
   SPDX-License-Identifier: LGPL-2.1-or-later

   All rows are relative to the CFA, which is where the stack pointer of the
   entry has it if the routine was called.  Code can be entered with more on
   the stack: by the kernel, where the handler of a signal returns to, or by a
   jump from the function that it is a part of.  Proofs of a call's frame are

     a call: an instruction of a certain function calls the entry;
     the CFI, which says that a function begins there;
     an end: the routine returns, or jumps to what was seen to return, and the
       return address is where a call puts it;
     its frame, if it has no end: it saves registers of its caller, and the
       stack pointer is aligned at all of its calls as the ABI demands, which
       it would not be if the entry had another frame.

   A symbol or a pointer proves nothing, because labels have them, too.  */

#ifndef ANALYSIS_ROUTINE_ENTRY_H
#define ANALYSIS_ROUTINE_ENTRY_H

#include "analysis/routine_graph.h"

/* Whether an end of the routine, or a call, with STATE counts as such a proof.
   Behind a system call of an unknown number it does not, if nothing but a
   pointer leads to the entry, or (RUNS_ON) the routine only runs into what
   follows: the call may be the one that ends a signal's handler, and the code
   behind it another function.  */
bool routine_shows_entry (const struct routine *routine,
                          const struct state *state, bool runs_on);

/* The routine makes a call with STATE: note what that shows of its frame.  */
void routine_note_frame (struct routine *routine, const struct state *state);

/* Whether a call or the CFI proves the entry.  */
bool routine_begins_certainly (const struct routine *routine);

/* Whether FUNCTION, which a routine jumps to, needs the frame of a call.  */
bool routine_leads_to_function (const struct routine_context *context,
                                const struct code_function *function);

/* Whether there is a proof for FUNCTION, which was followed with RESULT and is
   sound.  */
bool routine_is_function (const struct routine_context *context,
                          const struct routine_result *result,
                          const struct code_function *function);

#endif /* ANALYSIS_ROUTINE_ENTRY_H */
