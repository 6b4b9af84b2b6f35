/* How walks are shown.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_STACK_PRINT_H
#define STACKS_STACK_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "stacks/stack_walk.h"
#include "stacks/symbol_index.h"

/* What is printed, and how.  */
struct page
{
  struct process *process;
  unsigned wanted; /* of symbols (symbol_index.h) */
  FILE *out;
  bool first; /* nothing was printed yet */
};

/* What the code of a frame is called, and where it is.  */
struct frame_name
{
  struct code_file *file; /* or NULL */
  uint64_t address;       /* that the file has for PC, or else the program */
  /* The name is "" if there is none, and the offset that of PC.  Its file is
     NULL if the source is not known.  */
  struct code_name symbol;
  bool jit;     /* the name is a just-in-time compiler's */
  bool handler; /* a signal came: the kernel called this code */
};

/* Set NAME to that of frame number INDEX of WALK.  */
void frame_name_find (const struct page *page, const struct stack_walk *walk,
                      size_t index, struct frame_name *name);

/* Print a line for the N threads that have WALK, one for each frame of it (and
   one for its source), and one that says why it ended.  WALK is NULL for a
   thread that nothing is known of.  */
void stack_print (const struct page *page, const struct thread *const *threads,
                  size_t n, const struct stack_walk *walk);

/* Print the walk by SFrame, compared with the walk by DWARF: from the first
   frame on in which they differ, the rest of both is shown.  False when they
   differ.  */
bool stack_print_both (const struct page *page, const struct thread *thread,
                       const struct stack_walk *sframe,
                       const struct stack_walk *dwarf);

#endif /* STACKS_STACK_PRINT_H */
