/* What records of perf events say of processes and stacks, from the kernel or
   from a recording.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_PERF_EVENTS_H
#define STACKS_PERF_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "stacks/perfdata/perfdata.h"
#include "stacks/off_cpu.h"
#include "stacks/profile.h"

struct perf_events
{
  struct profile *profile;
  struct off_cpu waits; /* for a profile of time off the processor */
  pid_t pid;  /* which is sampled; 0: all that RECORDING has are ... */
  bool alone; /* ... and no other process */
  struct perf_data *recording; /* NULL: the kernel tells what happens now */
  bool same_kernel; /* it is of the kernel that runs, as its release says */
  uint64_t last;    /* when the last switch was */
};

/* Walk the stack in SAMPLE, with the registers in MASK, and count it in the
   profile, or at the end of the wait that begins with it.  Returns the process
   that it is of.  NULL, and nothing is counted: it has no such registers, as
   of a kernel thread, of a 32-bit program, or of an event that was to have
   none; or its process is none of those that are sampled, or has ended.  */
const struct process *perf_events_sample (struct perf_events *events,
                                          const struct perf_sample *sample,
                                          uint64_t mask);

/* Take RECORD, which is not a sample: what was mapped, a process or a thread
   that was made, has another name or program or has ended, a switch, or how
   many records were lost.  It ends as the event with the sample type STAMPS
   has it.  SWITCHES: records of switches may be among the lost ones.  */
void perf_events_take (struct perf_events *events,
                       const struct perf_record *record, uint64_t stamps,
                       bool switches);

#endif /* STACKS_PERF_EVENTS_H */
