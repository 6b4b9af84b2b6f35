/* Where threads leave the processor, and how long they are off it.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A thread that is switched off makes three records of perf_event_open(2): a
   sample of its stack (event context-switches, of which every one is a
   sample), PERF_RECORD_SWITCH when it leaves the processor, and
   PERF_RECORD_SWITCH when it has one again.  */

#ifndef STACKS_OFF_CPU_H
#define STACKS_OFF_CPU_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "stacks/profile.h"

struct off_cpu
{
  struct profile *profile; /* where waits are counted, and its threads */
  uint64_t losses;   /* times that records were lost: what was seen of waits
                        that have not ended goes with no record to come */
  uint64_t switches; /* times that a thread left the processor */
};

/* Thread TID of process PID is about to leave the processor; SAMPLE has its
   stack, and is not counted yet.  NULL: there is none that could be walked, as
   of threads of the kernel.  This is not one of the unknown waits.  */
void off_cpu_stack (struct off_cpu *waits, pid_t pid, pid_t tid,
                    const struct profile_sample *sample);

/* The thread leaves the processor at TIME, in nanoseconds; if PREEMPTED, for
   want of a processor.  */
void off_cpu_leave (struct off_cpu *waits, pid_t pid, pid_t tid, uint64_t time,
                    bool preempted);

/* The thread has a processor again: the wait is counted.  */
void off_cpu_return (struct off_cpu *waits, pid_t pid, pid_t tid,
                     uint64_t time);

/* The thread has ended.  */
void off_cpu_exit (struct off_cpu *waits, pid_t pid, pid_t tid);

/* Nothing is seen from TIME on: waits that have not ended are counted up to
   there.  */
void off_cpu_end (struct off_cpu *waits, uint64_t time);

#endif /* STACKS_OFF_CPU_H */
