/* At which address a step of a stack walk looks up a frame.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef UNWIND_STEP_H
#define UNWIND_STEP_H

#include <stdbool.h>

#include "cfi2sframe.h"

/* Whether cfi2sframe_unwind_step looks up the frame in UNWINDER at its PC, and
   not at the address before PC: the frame was interrupted, or no call made it.
   UNWINDER must be one that cfi2sframe_unwind_step accepts.
   Async-signal-safe.  */
bool unwind_is_at_pc (const struct cfi2sframe_unwinder *unwinder);

#endif /* UNWIND_STEP_H */
