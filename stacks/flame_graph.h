/* Profiles as pictures: flame graphs.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_FLAME_GRAPH_H
#define STACKS_FLAME_GRAPH_H

#include <stdbool.h>
#include <stdio.h>

#include "stacks/profile.h"

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

#endif /* STACKS_FLAME_GRAPH_H */
