/* Where the samples of a profile come from: the kernel takes them
   (perf_sampler.c), or stops of the process (trace_sampler.c), or perf has
   recorded them (perf_input.c).
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_SAMPLING_H
#define STACKS_SAMPLING_H

#include <stdbool.h>
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

/* Stop each member of PROFILE's family and, if CHILDREN, its present children,
   and count the stacks of the threads that ran.  False when the member PID has
   ended or may not be stopped.  */
bool trace_sampler_take (struct profile *profile, pid_t pid, bool children,
                         struct error *err);

/* Walk and count the samples of the recording at PATH in PROFILE, which is
   empty and has its policy and off_cpu.  EVENT: only samples of this one are
   counted, from 1 on in the recording's order; 0: of all, or for time off the
   processor of that which counts context switches.  Unless OUTPUT is NULL,
   write the recording with call chains to that file.  *AT_FAULT is PATH or
   OUTPUT, which ERR is about.  */
bool perf_input_take (struct profile *profile, const char *path,
                      unsigned event, const char *output,
                      const char **at_fault, struct error *err);

#endif /* STACKS_SAMPLING_H */
