/* Profiles as text: folded stacks.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A line for each stack: the functions from the outermost one on, separated by
   semicolons, a space, and the number of samples with that stack (nanoseconds,
   of time off the processor).  Flame graph tools read this format.  */

#ifndef STACKS_FOLDED_H
#define STACKS_FOLDED_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "stacks/profile.h"

enum
{
  FOLDED_NAME_SIZE = 1024 /* bytes of a name, with its end */
};

/* Write NAME as a line has it to TEXT.  */
void folded_name (const char *name, char text[FOLDED_NAME_SIZE]);

/* Print PROFILE; the name of the process begins every stack.  False when
   memory ran out.  */
bool folded_print (const struct named_profile *profile, FILE *out);

/* Read the file PATH into PROFILE, whose names are as lines have them, and
   whose processes are the root's callees.  PROFILE is to be freed even after a
   failure.  */
bool folded_read (struct named_profile *profile, const char *path,
                  struct error *err);

#endif /* STACKS_FOLDED_H */
