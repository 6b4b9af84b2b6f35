/* Functions of walker.c for here.c, which sframewalk.h does not have.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WALK_WALKER_H
#define WALK_WALKER_H

#include "walk/apply.h"

/* The addresses of the stack of the walker's thread; 0: not known.  */
struct walk_limits
{
  uint64_t low, high;
};

struct walk_limits *walk_walker_limits (struct sfw_walker *walker);

/* Let threads share WALKER: its walks use neither cache nor records.  */
void walk_walker_share (struct sfw_walker *walker);

#endif /* WALK_WALKER_H */
