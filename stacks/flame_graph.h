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
};

/* Print a picture (SVG) that needs nothing else, in a page (HTML) if AS_PAGE.
   It is as wide as the window; each function is as wide as its share of the
   samples and stands on its caller.  A click or a key enlarges it, names can
   be searched for.  False when memory ran out.  */
bool flame_graph_print (const struct named_profile *profile,
                        const struct flame_graph *words, bool as_page,
                        FILE *out);

#endif /* STACKS_FLAME_GRAPH_H */
