/* What walks offer besides sframewalk.h: to here.c, and to programs that have
   modules of their own.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WALK_WALK_H
#define WALK_WALK_H

#include "sframewalk.h"
#include "walk/frame_rules.h"

/* The stack of the walker's thread; 0: not known.  */
struct walk_limits
{
  uint64_t low, high;
};

struct walk_limits *walk_walker_limits (struct sfw_walker *walker);

/* A walker that finds rules and code by SOURCE, of which a copy is made, and
   not in a table of modules; to be freed by free ().  NULL when memory ran
   out.  */
struct sfw_walker *walk_walker_new (const struct unwind_source *source);

/* Forget the rules that WALKER has found, as its source may tell others.  */
void walk_walker_forget (struct sfw_walker *walker);

enum
{
  WALK_SEEN_MAX = 1024 /* how many frames of a walk are remembered */
};

/* A frame of a walk.  */
struct walk_place
{
  uint64_t pc, sp, fp;
};

/* The place of frame number I, below WALK_SEEN_MAX, of the last walk, behind
   which the walk noted at least one more.  */
struct walk_place walk_walker_place (const struct sfw_walker *walker,
                                     size_t i);

#endif /* WALK_WALK_H */
