/* The names of what a profile has counted.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_PROFILE_NAMES_H
#define STACKS_PROFILE_NAMES_H

#include <stdbool.h>

#include "stacks/named_profile.h"
#include "stacks/profile.h"

/* Whether NAME, in a profile with functions, is one of the kernel's.  */
bool profile_is_of_kernel (const char *name);

/* Give PROFILE's addresses their names; callees are ordered by name.  WANTED:
   of symbols (code_name.h).  False when memory ran out.  */
bool profile_name (struct profile *profile, unsigned wanted,
                   struct named_profile *named);

#endif /* STACKS_PROFILE_NAMES_H */
