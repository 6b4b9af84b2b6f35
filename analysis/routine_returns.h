/* Which calls of a function are seen to return, and which entries of tables.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Imported functions that never return are known by name only if they are in
   libc and the like.  Behind a call of another function that never returns
   there is the next function of the image, and nothing shows it where the next
   function does not return, either.  So what is behind a call counts only if
   it returns to the caller, or if the callee was seen to return elsewhere.

   Nor does anything show the end of a jump table without a bound, where it is
   followed by pointers to functions that never return: each of them would get
   the rows of the function with the table.  So the table ends behind the last
   entry from which a path returns, or gets to code that is reached without
   such tables, or jumps by a table that such code jumps by.  Its first entry
   is there in any case.  */

#ifndef ANALYSIS_ROUTINE_RETURNS_H
#define ANALYSIS_ROUTINE_RETURNS_H

#include "analysis/routine_graph.h"

/* Record in context->functions which callees of ROUTINE, a sound one, and
   whether ROUTINE itself, are seen to return.  If the code behind a call of
   another function does not return either, that call is one of the routine's
   doubtful ones.  Whether there are any.  */
bool routine_note_returns (struct routine *routine);

/* Have the tables without a bound of ROUTINE, a sound one without CFI, end
   where they do, if it is known which of its calls return.  Whether any ended
   elsewhere: then ROUTINE has to be followed again.  */
bool routine_end_tables (struct routine *routine);

#endif /* ANALYSIS_ROUTINE_RETURNS_H */
