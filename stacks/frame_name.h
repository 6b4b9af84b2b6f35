/* What the code of a frame is called, and where it is.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_FRAME_NAME_H
#define STACKS_FRAME_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "stacks/stack_walk.h"
#include "stacks/code_name.h"

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

/* Set NAME to that of frame number INDEX of WALK, of PROCESS.  WANTED:
   code_name.h.  */
void frame_name_find (struct process *process, const struct stack_walk *walk,
                      size_t index, unsigned wanted, struct frame_name *name);

#endif /* STACKS_FRAME_NAME_H */
