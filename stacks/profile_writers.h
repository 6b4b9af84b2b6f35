/* What profiles are written as, besides folded stacks (folded.h).
   SPDX-License-Identifier: LGPL-2.1-or-later

   pprof: a message of profile.proto (github.com/google/pprof), in a gzip file;
   each sample has labels for its process and thread.  Firefox: the Gecko
   profile format, version 24, which profiler.firefox.com makes of the output
   of perf script before it reads it; each thread has its samples, with their
   times.  Flame graphs are pictures.  A table has the functions that take
   most.  */

#ifndef STACKS_PROFILE_WRITERS_H
#define STACKS_PROFILE_WRITERS_H

#include <stdbool.h>
#include <stdio.h>

#include "stacks/profile.h"

/* Print PROFILE, which has HZ samples per second of a running thread (0: not
   known).  False when memory ran out.  */
bool pprof_print (const struct named_profile *profile, unsigned hz, FILE *out);
bool firefox_print (const struct named_profile *profile, unsigned hz,
                    FILE *out);

struct flame_graph
{
  const char *root;     /* the process */
  const char *subtitle; /* what was measured */
  bool icicle;          /* callers are above what they call */
  /* Another profile, read from folded stacks, that this one is compared with,
     or NULL: red takes a greater share than there, blue a smaller one.  */
  const struct named_profile *old;
};

/* Print a picture (SVG) that needs nothing else, in a page (HTML) if AS_PAGE.
   It is as wide as the window; each function is as wide as its share of the
   samples and stands on its caller.  A click or a key enlarges it, names can
   be searched for.  In a page there is also the picture from the other side,
   functions with their callers above, and a table of functions beside it.
   False when memory ran out.  */
bool flame_graph_print (const struct named_profile *profile,
                        const struct flame_graph *words, bool as_page,
                        FILE *out);

/* Shares in percent of all.  */
struct function_share
{
  const char *name;   /* the profile's, or the other one's */
  double self, total; /* in it, and in it and all that it calls: a function
                         that calls itself counts once */
  double change;      /* what self is more than in the other profile */
};

/* List the functions of PROFILE, those with most of their own first; *N is how
   many there are.  Processes, threads and why walks ended are not functions.
   Unless OLD is NULL, it is another profile, read from folded stacks: its
   functions are listed, too, and those first that have changed most.  To be
   freed; NULL when memory ran out.  */
struct function_share *top_list (const struct named_profile *profile,
                                 const struct named_profile *old, size_t *n);

/* Print the first LINES functions, as top_list has them.  False when memory
   ran out.  */
bool top_print (const struct named_profile *profile,
                const struct named_profile *old, size_t lines, FILE *out);

#endif /* STACKS_PROFILE_WRITERS_H */
