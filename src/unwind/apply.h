/* From a frame to its caller, by the rules of one row.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef UNWIND_APPLY_H
#define UNWIND_APPLY_H

#include <stdbool.h>

#include "arch/arch.h"
#include "cfi2sframe.h"
#include "frame/frame.h"

/* How often SP may go down in a walk.  Each change of stacks takes a signal
   handler that runs on a stack of its own.  */
enum
{
  UNWIND_STACK_CHANGES_MAX = 64
};

/* Replace the frame in UNWINDER by its caller's.  ROW holds at the frame's PC
   (or in front of it, if that is a return address), in a function that is a
   signal trampoline if SIGNAL.  Unless the result is CFI2SFRAME_STEP_CALLER,
   nothing is changed.  Async-signal-safe.  */
enum cfi2sframe_step unwind_apply (struct cfi2sframe_unwinder *unwinder,
                                   const struct arch *arch,
                                   const struct frame_row *row, bool signal);

#endif /* UNWIND_APPLY_H */
