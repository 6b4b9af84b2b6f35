/* What walks offer besides sframewalk.h: to here.c, and to programs that have
   modules of their own.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WALK_WALKER_H
#define WALK_WALKER_H

#include "sframewalk.h"
#include "walk/frame_rules.h"

/* The stack of the walker's thread; 0: not known.  */
struct walk_limits
{
  uint64_t low, high;
};

struct walk_limits *walk_walker_limits (struct sfw_walker *walker);

/* The frame of the caller of the function that this is in; PC is 0 where that
   cannot be told: the caller's r11 on s390x.  */
#if defined __x86_64__ || defined __aarch64__
#  define WALK_CALLER                                  \
    {                                                  \
      .pc = (uintptr_t)__builtin_extract_return_addr ( \
          __builtin_return_address (0)),               \
      .sp = (uintptr_t)__builtin_dwarf_cfa (),         \
      .fp = *(uintptr_t *)__builtin_frame_address (0)  \
    }
#else
#  define WALK_CALLER \
    {                 \
      .pc = 0         \
    }
#endif

/* As sfw_here, from the frame CALLER on, which is WALK_CALLER.  */
size_t walk_from_caller (struct sfw_walker *walker, struct sfw_frame *caller,
                         uint64_t *addresses, uint8_t *marks, size_t max,
                         enum sfw_end *end);

/* A walker that finds rules and code by SOURCE, which is copied, and
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

#endif /* WALK_WALKER_H */
