/* Sources of samples: the kernel (perf_sampler.c), stops by ptrace
   (trace_sampler.c), and recordings of perf (perf_input.c).
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_SAMPLING_H
#define STACKS_SAMPLING_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "stacks/profile.h"

struct perf_sampler; /* opaque */

/* Sample all threads of PID, also later ones, HZ times per second of their
   time on a processor; for a profile of time off the processor, whenever they
   leave it.  CHILDREN: sample the descendants of PID, too, and make them
   members of the family.  PROFILE's family has PID as a member with its
   present mappings, and is updated by the events of the processes.  ON_EXEC:
   the member PID has no mappings yet, and sampling starts when PID executes a
   program.  NULL when this is not possible here.  */
struct perf_sampler *perf_sampler_open (struct profile *profile, pid_t pid,
                                        unsigned hz, bool on_exec,
                                        bool children, struct error *err);
void perf_sampler_close (struct perf_sampler *sampler);

/* Wait up to 20 milliseconds, and count all samples that have arrived.  */
void perf_sampler_read (struct perf_sampler *sampler);

/* Count the remaining samples, when sampling ends.  */
void perf_sampler_finish (struct perf_sampler *sampler);

/* Stop each member of PROFILE's family and, if CHILDREN, their present
   children, and count the stacks of the threads that were running.  False when
   the member PID has ended or may not be stopped.  */
bool trace_sampler_take (struct profile *profile, pid_t pid, bool children,
                         struct error *err);

/* Walk the samples of the recording at PATH, and count them in PROFILE, which
   is empty except for its policy and off_cpu.  EVENT: count only samples of
   this event, numbered from 1 on in the order of the recording.  0: count
   samples of all events or, for time off the processor, of the one that counts
   context switches.  Unless OUTPUT is NULL, write the recording with call
   chains to that file.  ERR is about *AT_FAULT: PATH or OUTPUT.  */
bool perf_input_take (struct profile *profile, const char *path,
                      unsigned event, const char *output,
                      const char **at_fault, struct error *err);

#endif /* STACKS_SAMPLING_H */
