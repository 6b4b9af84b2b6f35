/* What walks offer besides sframewalk.h: to here.c.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WALK_WALKER_H
#define WALK_WALKER_H

#include "sframewalk.h"

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

#endif /* WALK_WALKER_H */
