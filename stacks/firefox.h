/* Profiles for the Firefox profiler.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The Gecko profile format, version 24: what profiler.firefox.com makes of the
   output of perf script before it reads it.  Each thread has its samples, with
   their times.  */

#ifndef STACKS_FIREFOX_H
#define STACKS_FIREFOX_H

#include <stdbool.h>
#include <stdio.h>

#include "stacks/profile.h"

/* Print PROFILE, which has HZ samples per second of a running thread (0: not
   known).  False when memory ran out.  */
bool firefox_print (const struct named_profile *profile, unsigned hz,
                    FILE *out);

#endif /* STACKS_FIREFOX_H */
