/* What sframe-profile makes of a profile: files, text and a summary.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_PROFILE_OUTPUT_H
#define STACKS_PROFILE_OUTPUT_H

#include <stdbool.h>

#include "stacks/profile.h"
#include "stacks/profile_options.h"

/* Print a message: WHAT is at fault, for the reason WHY.  Returns false.  */
bool profile_fail (const char *what, const char *why);

/* Whether the files that OPTIONS name can be made, as far as can be told
   before: an hour's samples must not be lost to a misspelt folder.  Set *OLD,
   which is zeroed and to be freed, to the profile to compare with, if that is
   wanted.  False after a message.  */
bool profile_open_outputs (const struct profile_options *options,
                           struct named_profile *old);

/* Write what OPTIONS ask for of PROFILE, and OLD, as it was opened.  False
   after a message.  */
bool profile_write_outputs (struct profile *profile,
                            const struct profile_options *options,
                            const struct named_profile *old);

/* Say on standard error what PROFILE has, and what is missing in it.  */
void profile_print_summary (const struct profile *profile);

#endif /* STACKS_PROFILE_OUTPUT_H */
