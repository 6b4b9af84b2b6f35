/* One function, followed along all its paths until nothing changes.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A routine is the code that one entry reaches by jumps: with parts that were
   moved elsewhere (.cold), and with tails that other functions share.  It ends
   at the starts of other functions, where jumps are tail calls.

   The states are right if a function does begin at the entry, and if the code
   keeps to the ABI.  Both can be checked.  Code that was entered in the middle
   of a function does not return with the stack pointer it came with, or pops
   what it did not push, or uses registers that belong to the caller.
   routine_follow looks for all of these; a routine with one of them gives no
   rows at all.  */

#ifndef ANALYSIS_ROUTINE_H
#define ANALYSIS_ROUTINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/routine_graph.h"
#include "analysis/state.h"

/* What to do with calls of functions that were not seen to return.  */
enum doubtful_calls
{
  /* Paths go on behind them: the routine's CFI says where it ends.  */
  DOUBTFUL_CALLS_RETURN,
  /* The routine fails: functions that it calls are not known yet.  */
  DOUBTFUL_CALLS_FAIL,
  DOUBTFUL_CALLS_END_PATH
};

/* What to trust a sound routine with.  */
enum routine_trust
{
  TRUST_CFI_ALONE, /* only its CFI says that it begins with a call's frame */
  TRUST_STACK,     /* it was seen to leave, or to be called */
  TRUST_ALL        /* and it keeps the registers of the ABI */
};

/* CONTEXT must outlive the routine.  NULL when memory ran out.  */
struct routine *routine_new (const struct routine_context *context);
void routine_free (struct routine *routine);

/* Follow the function at ENTRY.  Entries of jump tables that lead to code
   below END lead into the function.  The result is valid until the routine
   follows another function.  */
const struct routine_result *
routine_follow (struct routine *routine, uint64_t entry, uint64_t end,
                enum doubtful_calls doubtful_calls);

/* Follow the function as routine_follow does, but expect it to preserve no
   register but SP: for functions with conventions of their own.  Rules for
   other registers must not be used then.  */
const struct routine_result *
routine_follow_bare (struct routine *routine, uint64_t entry, uint64_t end);

/* Call VISIT for every instruction of the routine that was followed last, with
   the state in front of it.  */
void routine_visit (struct routine *routine,
                    void (*visit) (void *argument, const struct insn *insn,
                                   const struct state *state),
                    void *argument);

/* Forget the observations, and that jump tables were read.  */
void routine_forget (struct routine *routine);

#endif /* ANALYSIS_ROUTINE_H */
