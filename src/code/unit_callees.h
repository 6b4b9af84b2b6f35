/* Which calls of a function are seen to come back.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Imported functions that never return are known by name only if they are in
   libc and the like.  Behind a call of another one there is the next function,
   and nothing else shows that where that one does not return, either.  So what
   is behind a call counts only if it returns to the caller, or if the callee
   was seen to come back elsewhere.  */

#ifndef CODE_UNIT_CALLEES_H
#define CODE_UNIT_CALLEES_H

#include "code/unit_graph.h"

/* Note in context->functions which callees of UNIT, a sound one, and
   whether itself, are seen to come back.  Calls of others, behind which the
   unit does not return either, become its doubtful ones.  Whether there are
   any.  */
bool unit_judge_callees (struct unit *unit);

#endif /* CODE_UNIT_CALLEES_H */
