/* Frames and memory of the library's users, for src/unwind.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WALK_FRAME_H
#define WALK_FRAME_H

#include "sframewalk.h"
#include "unwind/apply.h"

/* Replace FRAME by its caller's, by RULES.  Async-signal-safe.  */
enum sfw_end walk_apply (const struct unwind_rules *rules,
                         const struct sfw_memory *memory,
                         struct sfw_frame *frame);

#endif /* WALK_FRAME_H */
