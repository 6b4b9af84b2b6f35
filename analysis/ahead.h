/* Several functions followed at the same time, ahead of their turn.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ANALYSIS_AHEAD_H
#define ANALYSIS_AHEAD_H

#include <stddef.h>

#include "analysis/follower.h"

struct ahead; /* opaque */

/* With followers for THREADS threads, the caller's among them.  NULL when
   memory ran out.  */
struct ahead *ahead_new (const struct follower_options *options,
                         unsigned threads);
void ahead_free (struct ahead *ahead);

/* The follower of the caller's thread, for functions in their turn.  */
struct follower *ahead_own (const struct ahead *ahead);

/* Follow the N functions of ITEMS.  All notes, also those of ahead_own, are
   kept until the next call.  What comes of it does not depend on how many
   threads there are.  */
void ahead_follow (struct ahead *ahead, struct followed *items, size_t n);

#endif /* ANALYSIS_AHEAD_H */
