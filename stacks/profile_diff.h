/* Two profiles, compared; and a profile from the other side.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_PROFILE_DIFF_H
#define STACKS_PROFILE_DIFF_H

#include <stdbool.h>
#include <stdint.h>

#include "stacks/profile.h"

/* Set *BEFORE to what the nodes of NOW weighed in another profile, OLD, that
   was read from folded stacks: the same functions below the same ones.  If NOW
   is of one process, those of OLD are added up, whatever they are called.  To
   be freed.  False when memory ran out.  */
bool profile_diff_nodes (const struct named_profile *now,
                         const struct named_profile *old, uint64_t **before);

/* The number of the name in OLD that NOW's name NUMBER is; n_names if there is
   none.  */
uint64_t profile_diff_name (const struct named_profile *now, uint64_t number,
                            const struct named_profile *old);

/* Make TO of FROM: each stack begins with its innermost function, and goes on
   with that one's callers.  TO has the names of FROM, and is to be freed by
   profile_inverted_free, also after a failure.  False when memory ran out.  */
bool profile_invert (const struct named_profile *from,
                     struct named_profile *to);
void profile_inverted_free (struct named_profile *inverted);

#endif /* STACKS_PROFILE_DIFF_H */
