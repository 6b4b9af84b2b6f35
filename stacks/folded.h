/* Profiles as text: folded stacks.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A line for each stack: the functions from the outermost one on, separated by
   semicolons, a space, and the number of samples with that stack (nanoseconds,
   of time off the processor).  Flame graph tools read this format.  */

#ifndef STACKS_FOLDED_H
#define STACKS_FOLDED_H

#include <stdbool.h>
#include <stdio.h>

#include "stacks/profile.h"

/* Print PROFILE; the name of the process begins every stack.  False when
   memory ran out.  */
bool folded_print (const struct named_profile *profile, FILE *out);

#endif /* STACKS_FOLDED_H */
