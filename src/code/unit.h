/* One function, followed along all its paths until nothing changes.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A unit is the code that one entry reaches by jumps: with parts that were
   moved elsewhere (.cold), and with tails that other functions share.  It ends
   at the starts of other functions, where jumps are tail calls.

   The states are right if the entry is one, and if the code keeps to the ABI.
   Both show: a function that was entered in its middle does not return with
   the stack pointer it came with, pops what it did not push, or uses what
   belongs to its caller.  unit_follow looks for all of these, and a unit with
   one of them says nothing at all.  */

#ifndef CODE_UNIT_H
#define CODE_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code/state.h"
#include "code/unit_context.h"

struct unit; /* opaque */

/* What becomes of a unit with calls that nobody has seen come back: nothing
   else begins before the end of its CFI; it fails, until all others were
   asked; it ends with these calls.  */
enum unit_doubts
{
  DOUBTS_NONE,
  DOUBTS_FAIL,
  DOUBTS_END
};

/* CONTEXT must outlive it.  NULL when memory ran out.  */
struct unit *unit_new (const struct unit_context *context);
void unit_free (struct unit *unit);

/* Follow the function at ENTRY, whose code is known to reach to END at least
   as far as jump tables are concerned.  *FAILED_AT is the address that shows
   the failure.  */
enum unit_failure unit_follow (struct unit *unit, uint64_t entry, uint64_t end,
                               enum unit_doubts doubts, uint64_t *failed_at);

/* Whether the unit followed last, a sound one, was seen to return: then the
   stack pointer at its entry is that of a call, because the return address was
   found where it should be.  */
bool unit_is_proven (const struct unit *unit);

/* Whether it uses registers that it got no values in: as compilers do where
   they know better than the programmer, or as assembler code does that has
   conventions of its own.  */
bool unit_is_odd (const struct unit *unit);

/* Whether it leaves by a jump somewhere, with the stack pointer it came
   with.  */
bool unit_leaves (const struct unit *unit);

/* The functions, N of them, that the unit followed last gets to with another
   frame than that of a call: the reason, or one of the reasons, why it
   fails.  */
const uint32_t *unit_left_for (const struct unit *unit, size_t *n);

/* Call VISIT for every instruction of the unit followed last, with the state
   in front of it.  */
void unit_visit (struct unit *unit,
                 void (*visit) (void *argument, uint64_t address,
                                const struct insn *insn,
                                const struct state *state),
                 void *argument);

/* Whether it calls functions that were not known to context->functions, which
   knows them now: when they were followed there, the unit may look different.
 */
bool unit_met_unknown (const struct unit *unit);

/* Whether following functions took so long altogether that it was given up:
   then there may be paths that nobody has seen.  */
bool unit_gave_up (const struct unit *unit);

const char *unit_failure_name (enum unit_failure failure);

#endif /* CODE_UNIT_H */
