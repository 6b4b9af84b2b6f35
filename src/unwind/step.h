/* Where a step of a stack walk looks a frame up.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef UNWIND_STEP_H
#define UNWIND_STEP_H

#include <stdbool.h>

#include "cfi2sframe.h"

/* Whether cfi2sframe_unwind_step looks up the frame in UNWINDER, which it
   would understand, at its PC, and not at the address before it: the frame was
   interrupted, or no call made it.  Async-signal-safe.  */
bool unwind_is_at_pc (const struct cfi2sframe_unwinder *unwinder);

#endif /* UNWIND_STEP_H */
