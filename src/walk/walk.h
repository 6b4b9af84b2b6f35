/* What walk.c and here.c share.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WALK_WALK_H
#define WALK_WALK_H

#include "sframewalk.h"

/* The stack of the walker's thread; 0: not known.  */
struct walk_limits
{
  uint64_t low, high;
};

struct walk_limits *walk_walker_limits (struct sfw_walker *walker);

#endif /* WALK_WALK_H */
