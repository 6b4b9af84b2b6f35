/* Profiles as pictures: flame graphs.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_FLAME_GRAPH_H
#define STACKS_FLAME_GRAPH_H

#include <stdbool.h>
#include <stdio.h>

#include "stacks/profile.h"

/* Print a picture (SVG) that needs nothing else, in a page (HTML) if AS_PAGE:
   each function is as wide as its share of the samples and stands on its
   caller; a click enlarges it.  ROOT names the process, SUBTITLE says what was
   measured. False when memory ran out.  */
bool flame_graph_print (const struct named_profile *profile, const char *root,
                        const char *subtitle, bool as_page, FILE *out);

#endif /* STACKS_FLAME_GRAPH_H */
