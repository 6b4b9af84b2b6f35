/* Samples taken by stopping the process, where the kernel does not take them.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_TRACE_SAMPLER_H
#define STACKS_TRACE_SAMPLER_H

#include <stdbool.h>

#include "base/error.h"
#include "stacks/profile.h"

/* Stop each member of PROFILE's family and, if CHILDREN, its present children,
   and count the stacks of the threads that ran.  False when the member PID has
   ended or may not be stopped.  */
bool trace_sampler_take (struct profile *profile, pid_t pid, bool children,
                         struct error *err);

#endif /* STACKS_TRACE_SAMPLER_H */
