/* Which functions never return, and which may: an interprocedural analysis.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The code behind a call belongs to the caller only if the callee returns.  A
   function may return if some path through it returns, and a path goes on
   behind a call only if that callee may return.  The least fixpoint of this
   definition is computed: the code behind a call waits until the callee is
   found to return.  A call that is the last instruction of its function is no
   evidence.

   This sweep only decodes the control flow.  It does not read jump tables: a
   function that has one counts as returning.  On its way it registers the
   functions that direct calls lead to, and collects the addresses that code
   computes.  */

#ifndef ANALYSIS_NORETURN_H
#define ANALYSIS_NORETURN_H

#include <stdbool.h>

#include "base/error.h"
#include "analysis/functions.h"
#include "analysis/image_facts.h"

struct noreturn; /* opaque */

/* NULL without memory.  FUNCTIONS and FACTS must outlive the result.  */
struct noreturn *noreturn_new (struct functions *functions,
                               struct image_facts *facts);
void noreturn_free (struct noreturn *noreturn);

/* Sweep the functions that are new since the last run, and set
   `may_return'.  */
bool noreturn_run (struct noreturn *noreturn, struct error *err);

#endif /* ANALYSIS_NORETURN_H */
