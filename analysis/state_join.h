/* The meeting of two paths.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ANALYSIS_STATE_JOIN_H
#define ANALYSIS_STATE_JOIN_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/state.h"

/* Forget in STATE what OTHER does not agree with.  AT is the address where
   both meet; addresses of code among jump tables' targets are noted in TABLES.
   True when something was forgotten.  */
bool state_join (struct state *state, const struct state *other, uint64_t at);

/* STATE holds where paths meet, at AT: values that only have a number get one
   of this place, so that later paths, which have others, change nothing.  */
void state_settle (struct state *state, uint64_t at);

#endif /* ANALYSIS_STATE_JOIN_H */
