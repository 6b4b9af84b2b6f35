/* Which functions never return, and which may.
   SPDX-License-Identifier: LGPL-2.1-or-later

   What follows a call is code of the caller only if the callee returns.  A
   function returns if some path through it does, where a path goes on behind
   a call only if that callee returns: the least solution is wanted, so what
   follows a call waits until the callee has been seen to return.  That a call
   is the last instruction of a function says nothing.

   The sweep follows the flow and nothing else.  Jump tables are not read; a
   function that has one counts as returning.  Functions that direct calls give
   away are registered on the way, and addresses that code computes are
   collected.  */

#ifndef ANALYSIS_NORETURN_H
#define ANALYSIS_NORETURN_H

#include <stdbool.h>

#include "base/error.h"
#include "analysis/functions.h"
#include "analysis/image_facts.h"

struct noreturn; /* opaque */

/* FUNCTIONS and FACTS must outlive it.  NULL when memory ran out.  */
struct noreturn *noreturn_new (struct functions *functions,
                               struct image_facts *facts);
void noreturn_free (struct noreturn *noreturn);

/* Follow all functions that were registered since the last run, and set
   `may_return' of each.  */
bool noreturn_run (struct noreturn *noreturn, struct error *err);

#endif /* ANALYSIS_NORETURN_H */
