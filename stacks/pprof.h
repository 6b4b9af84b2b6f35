/* Profiles for pprof.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A message of profile.proto (github.com/google/pprof), in a gzip file.  Each
   sample has labels for its process and thread.  */

#ifndef STACKS_PPROF_H
#define STACKS_PPROF_H

#include <stdbool.h>
#include <stdio.h>

#include "stacks/profile.h"

/* Print PROFILE, which has HZ samples per second of a running thread (0: not
   known).  False when memory ran out.  */
bool pprof_print (const struct named_profile *profile, unsigned hz, FILE *out);

#endif /* STACKS_PPROF_H */
