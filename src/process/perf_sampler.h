/* Samples taken by the kernel: registers and stacks of running threads.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROCESS_PERF_SAMPLER_H
#define PROCESS_PERF_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "process/profile.h"

struct perf_sampler; /* opaque */

/* Sample the threads that PID has and will have, HZ times per second of their
   time on a processor.  ON_EXEC: not before it executes a program.  NULL when
   this is not possible here.  */
struct perf_sampler *perf_sampler_open (pid_t pid, unsigned hz, bool on_exec,
                                        struct error *err);
void perf_sampler_close (struct perf_sampler *sampler);

/* Wait a moment, and give all samples that are there to PROFILE, of a living
   process.  False when the process has ended.  */
bool perf_sampler_read (struct perf_sampler *sampler, struct profile *profile);

#endif /* PROCESS_PERF_SAMPLER_H */
