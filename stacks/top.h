/* Profiles as a table: the functions that take most.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_TOP_H
#define STACKS_TOP_H

#include <stdbool.h>
#include <stdio.h>

#include "stacks/profile.h"

/* Shares in percent of all.  */
struct function_share
{
  const char *name;   /* the profile's, or the other one's */
  double self, total; /* in it, and in it and all that it calls: a function
                         that calls itself counts once */
  double change;      /* what self is more than in the other profile */
};

/* List the functions of PROFILE, those with most of their own first; *N is how
   many there are.  Processes, threads and why walks ended are no functions.
   Unless OLD is NULL, it is another profile, read from folded stacks: its
   functions are listed, too, and those first that have changed most.  To be
   freed; NULL when memory ran out.  */
struct function_share *top_list (const struct named_profile *profile,
                                 const struct named_profile *old, size_t *n);

/* Print the first LINES functions, as top_list has them.  False when memory
   ran out.  */
bool top_print (const struct named_profile *profile,
                const struct named_profile *old, size_t lines, FILE *out);

#endif /* STACKS_TOP_H */
