/* How walks are shown.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_STACK_PRINT_H
#define STACKS_STACK_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "stacks/stack_walk.h"
#include "stacks/code_name.h"

/* What is printed, and how.  */
struct page
{
  struct process *process;
  unsigned wanted; /* of symbols (code_name.h) */
  FILE *out;
  bool first; /* nothing was printed yet */
};

/* Print a line for the N threads that have WALK, one for each frame of it (and
   one for its source), and one that says why it ended.  */
void stack_print (const struct page *page, const struct thread *const *threads,
                  size_t n, const struct stack_walk *walk);

/* Print the walk by SFrame, compared with the walk by DWARF: from the first
   frame on in which they differ, the rest of both is shown.  False when they
   differ.  */
bool stack_print_both (const struct page *page, const struct thread *thread,
                       const struct stack_walk *sframe,
                       const struct stack_walk *dwarf);

/* Print why THREAD was not stopped: nothing is known of its stack.  */
void stack_print_unread (const struct thread *thread, FILE *out);

#endif /* STACKS_STACK_PRINT_H */
