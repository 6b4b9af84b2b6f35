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
  bool at_pc; /* PC is the next instruction to run, not the end of a call */
  bool interrupted; /* a signal or the stop interrupted the frame; then at_pc
                       is set, too */
  enum frame_way way;
};

struct stack_walk
{
  struct frame *frames; /* owned; MAX and one more */
  size_t n, max;
  /* Why the walk ended; SFW_MORE: because it has MAX frames.  */
  enum sfw_end end;
};

/* Room for MAX frames.  False when memory ran out.  */
bool stack_walk_init (struct stack_walk *walk, size_t max);
void stack_walk_free (struct stack_walk *walk);

/* Walk from REGISTERS with SFrame.  Where no row leads on, what follows is
   tried in this order; with the policy `only_sframe' none but the first.
   - PC is not code, because a pointer to nowhere was called: the return
   address is taken from where a call puts it, if a call ends there.  Such a
   caller is a guess.
   - The CFI of the file, and of a signal handler's caller what the kernel
   saved (steps.h).
   - Rows made from the code, with the policy `on_need'.
   - The frame pointer, if a call ends where it leads.  */
void stack_walk_by_sframe (struct process *process,
                           const struct registers *registers,
                           struct stack_walk *walk);

/* Walk from REGISTERS by CFI alone, as far as it leads.  */
void stack_walk_by_cfi (struct process *process,
                        const struct registers *registers,
                        struct stack_walk *walk);

/* How many frames, from the innermost one on, are the same in both walks.  */
size_t stack_walk_same_frames (const struct stack_walk *a,
                               const struct stack_walk *b);

/* Whether both walks agree as far as both lead: CFI may end before the
   outermost frame, and SFrame lead further.  */
bool stack_walks_agree (const struct stack_walk *sframe,
                        const struct stack_walk *cfi);

#endif /* STACKS_STACK_WALK_H */
