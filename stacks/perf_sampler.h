/* Samples taken by the kernel: registers and stacks of running threads.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_PERF_SAMPLER_H
#define STACKS_PERF_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "stacks/profile.h"

struct perf_sampler; /* opaque */

/* Sample the threads that PID has and will have, HZ times per second of their
   time on a processor (a profile of time off the processor: whenever they
   leave it), and, if CHILDREN, the processes that PID starts or has started,
   which become members of the family.  What happens to processes is reported
   to the family of PROFILE, which has PID as it is.  If ON_EXEC, the family
   has PID without contents, and sampling starts when PID executes a program.
   NULL when this is not possible here.  */
struct perf_sampler *perf_sampler_open (struct profile *profile, pid_t pid,
                                        unsigned hz, bool on_exec,
                                        bool children, struct error *err);
void perf_sampler_close (struct perf_sampler *sampler);

/* Wait a moment, and count all samples that are there.  */
void perf_sampler_read (struct perf_sampler *sampler);

/* Count the rest, when no more is to come.  */
void perf_sampler_finish (struct perf_sampler *sampler);

#endif /* STACKS_PERF_SAMPLER_H */
