/* Which calls of a function are seen to come back.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Imported functions that never return are known by name only if they are in
   libc and the like.  Behind a call of another one there is the next function,
   and nothing else shows that where that one does not return, either.  So what
   is behind a call counts only if it returns to the caller, or if the callee
   was seen to come back elsewhere.  */

#ifndef CODE_ROUTINE_CALLEES_H
#define CODE_ROUTINE_CALLEES_H

#include "code/routine_graph.h"

/* Note in context->functions which callees of UNIT, a sound one, and
   whether itself, are seen to come back.  Calls of others, behind which the
   routine does not return either, become its doubtful ones.  Whether there are
   any.  */
bool routine_judge_callees (struct routine *routine);

#endif /* CODE_ROUTINE_CALLEES_H */
