/* Which functions return.
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

#ifndef ANALYSIS_RETURNING_H
#define ANALYSIS_RETURNING_H

#include <stdbool.h>

#include "base/error.h"
#include "analysis/functions.h"
#include "analysis/decoder.h"
#include "analysis/image_facts.h"

struct returning; /* opaque */

/* FUNCTIONS, FACTS and DECODER must outlive it.  NULL when memory ran
   out.  */
struct returning *returning_new (struct functions *functions,
                                 struct image_facts *facts,
                                 const struct insn_decoder *decoder);
void returning_free (struct returning *returning);

/* Follow all functions that were registered since the last run, and set
   `returns' of each.  */
bool returning_run (struct returning *returning, struct error *err);

#endif /* ANALYSIS_RETURNING_H */
