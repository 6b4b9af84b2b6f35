/* Walking a thread's stack, by SFrame and by CFI.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_STACK_WALK_H
#define STACKS_STACK_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sframewalk.h"
#include "stacks/steps.h"

struct frame
{
  uint64_t pc, sp, fp;
  bool at_pc;       /* PC is the next instruction, and not the end of a call */
  bool interrupted; /* a signal or the stop interrupted it; at_pc is set */
  enum frame_way way;
};

struct stack_walk
{
  struct frame *frames; /* owned; room for MAX and one more */
  size_t n, max;
  /* Why the walk ended.  SFW_MORE: it has MAX frames.  */
  enum sfw_end end;
  /* The file of a possible caller of the last frame, if that file was not
     found; or NULL.  Not owned.  */
  const struct code_file *missing;
};

/* Make room for MAX frames.  False when memory ran out.  */
bool stack_walk_init (struct stack_walk *walk, size_t max);
void stack_walk_free (struct stack_walk *walk);

/* Walk from REGISTERS by SFrame.  From a frame that has no row, or whose row
   needs an unknown register, try the following in this order; with the policy
   `only_sframe', only the first.
   - A guess, if PC is not in code, because a wild pointer was called: the
   return address is where calls put it, and must be behind a call.
   - The CFI of the file; from a signal handler, the registers that the kernel
   has saved (steps.h).
   - Rows made from the code, with the policy `analyze_on_demand'.
   - The frame pointer, if it leads to a return address behind a call.  */
void stack_walk_by_sframe (struct process *process,
                           const struct registers *registers,
                           struct stack_walk *walk);

/* Walk from REGISTERS by CFI alone, as far as there is CFI.  */
void stack_walk_by_cfi (struct process *process,
                        const struct registers *registers,
                        struct stack_walk *walk);

/* Return how many frames, from the innermost one on, are the same.  */
size_t stack_walk_same_frames (const struct stack_walk *a,
                               const struct stack_walk *b);

/* Whether both walks have the same frames, as far as CFI goes: where CFI ends
   before the outermost frame, SFrame may have more frames.  */
bool stack_walks_agree (const struct stack_walk *sframe,
                        const struct stack_walk *cfi);

#endif /* STACKS_STACK_WALK_H */
