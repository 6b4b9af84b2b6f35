/* What walks offer besides sframewalk.h: to here.c.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WALK_WALKER_H
#define WALK_WALKER_H

#include "walk/apply.h"

/* The stack of the walker's thread; 0: not known.  */
struct walk_limits
{
  uint64_t low, high;
};

struct walk_limits *walk_walker_limits (struct sfw_walker *walker);

/* Have the walks of WALKER remember nothing, so that threads may share it.  */
void walk_walker_share (struct sfw_walker *walker);

#endif /* WALK_WALKER_H */
