/* Steps from code without rules: by FP, and from calls of what is no code.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_FP_STEP_H
#define STACKS_FP_STEP_H

#include <stdbool.h>

#include "sframewalk.h"
#include "stacks/process.h"

/* Go from FRAME, with a PC outside of code, to its caller: a NULL pointer, or
   a wild one, or one to data was called.  A call must end where the caller
   would go on; or it is the kernel that called, for a signal.  False if FRAME
   is none of these; then it is unchanged, here and below.  */
bool guess_step (struct process *process, struct sfw_frame *frame);

/* Go to the caller as code does that keeps frame pointers: FP points to its
   own caller's and the return address, if the code has set it up.  Where PC is
   outside of code, FP is another function's, or another stack's.  */
bool fp_step (struct process *process, struct sfw_frame *frame);

/* Set the SP of FRAME, to which fp_step has led.  Where code has the return
   address in a register, the two words that FP points to may be anywhere in a
   frame, so that fp_step knows only what SP is not below.  If the row of
   FRAME, by SOURCE, says where these words are, SP is known.  If it needs SP
   and does not say so, nothing can be read there.  */
void fp_step_settle (const struct process *process,
                     const struct unwind_source *source,
                     struct sfw_frame *frame);

#endif /* STACKS_FP_STEP_H */
