/* Profiles as text: folded stacks.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A line for each stack: the functions from the outermost one on, separated by
   semicolons, a space, and how many samples were there.  What flame graph
   tools read.  */

#ifndef STACKS_FOLDED_H
#define STACKS_FOLDED_H

#include <stdbool.h>
#include <stdio.h>

#include "stacks/profile.h"

/* The name of the process stands in front of every stack.  False when memory
   ran out.  */
bool folded_print (const struct named_profile *profile, FILE *out);

#endif /* STACKS_FOLDED_H */
