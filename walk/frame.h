/* Frames and memory of the library's users, for walk.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WALK_FRAME_H
#define WALK_FRAME_H

#include "sframewalk.h"
#include "walk/apply.h"

/* Replace FRAME by its caller's, by RULES.  Async-signal-safe.  */
enum sfw_end walk_apply (const struct unwind_rules *rules,
                         const struct sfw_memory *memory,
                         struct sfw_frame *frame);

/* Read SIZE bytes at ADDRESS from MEMORY, a struct sfw_memory.  */
bool walk_read (void *memory, uint64_t address, void *to, size_t size);

/* The memory of this process at ADDRESS.  */
static inline const void *
walk_memory_at (uint64_t address)
{
  /* NOLINTNEXTLINE(performance-no-int-to-ptr): it has no other name */
  return (const void *)(uintptr_t)address;
}

#endif /* WALK_FRAME_H */
