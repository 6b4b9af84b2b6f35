/* One function, followed along all its paths until nothing changes.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A routine is the code that one entry reaches by jumps: with parts that were
   moved elsewhere (.cold), and with tails that other functions share.  It ends
   at the starts of other functions, where jumps are tail calls.

   The states are right if the entry is one, and if the code keeps to the ABI.
   Both show: a function that was entered in its middle does not return with
   the stack pointer it came with, pops what it did not push, or uses what
   belongs to its caller.  routine_follow looks for all of these, and a routine
   with one of them says nothing at all.  */

#ifndef CODE_ROUTINE_H
#define CODE_ROUTINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code/state.h"
#include "code/routine_context.h"

struct routine; /* opaque */

/* What becomes of a routine with calls that nobody has seen come back: nothing
   else begins before the end of its CFI; it fails, until all others were
   asked; it ends with these calls.  */
enum routine_doubts
{
  DOUBTS_NONE,
  DOUBTS_FAIL,
  DOUBTS_END
};

/* CONTEXT must outlive it.  NULL when memory ran out.  */
struct routine *routine_new (const struct routine_context *context);
void routine_free (struct routine *routine);

/* Follow the function at ENTRY, whose code is known to reach to END at least
   as far as jump tables are concerned.  *FAILED_AT is the address that shows
   the failure.  */
enum routine_failure routine_follow (struct routine *routine, uint64_t entry,
                                     uint64_t end, enum routine_doubts doubts,
                                     uint64_t *failed_at);

/* The same as if it were not expected to preserve any register but SP: for
   functions with conventions of their own.  What is found of other registers
   is not to be used.  */
enum routine_failure routine_follow_bare (struct routine *routine,
                                          uint64_t entry, uint64_t end,
                                          uint64_t *failed_at);

/* Whether the routine followed last, a sound one, was seen to return: then the
   stack pointer at its entry is that of a call, because the return address was
   found where it should be.  */
bool routine_is_proven (const struct routine *routine);

/* Whether it uses registers that it got no values in: as compilers do where
   they know better than the programmer, or as assembler code does that has
   conventions of its own.  */
bool routine_is_odd (const struct routine *routine);

/* The ABI of the routine followed last: Go has its own.  */
const struct code_machine *routine_machine (const struct routine *routine);

/* Whether it leaves by a jump somewhere, with the stack pointer it came
   with.  */
bool routine_leaves (const struct routine *routine);

/* The functions, N of them, that the routine followed last gets to with
   another frame than that of a call: the reason, or one of the reasons, why it
   fails.  */
const uint32_t *routine_left_for (const struct routine *routine, size_t *n);

/* Call VISIT for every instruction of the routine followed last, with the
   state in front of it.  */
void routine_visit (struct routine *routine,
                    void (*visit) (void *argument, uint64_t address,
                                   const struct insn *insn,
                                   const struct state *state),
                    void *argument);

/* Whether it calls functions that were not known to context->functions, which
   knows them now: when they were followed there, the routine may look
   different.
 */
bool routine_met_unknown (const struct routine *routine);

/* Whether following functions took so long altogether that it was given up:
   then there may be paths that nobody has seen.  */
bool routine_gave_up (const struct routine *routine);

const char *routine_failure_name (enum routine_failure failure);

#endif /* CODE_ROUTINE_H */
