/* What records of perf events say of processes, of stacks and of waits, from
   the kernel or from a recording.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A thread that is switched off makes three records of perf_event_open(2): a
   sample of its stack (event context-switches, of which every one is a
   sample), PERF_RECORD_SWITCH when it leaves the processor, and
   PERF_RECORD_SWITCH when it has one again.  */

#ifndef STACKS_PERF_EVENTS_H
#define STACKS_PERF_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "stacks/perfdata/perfdata.h"
#include "stacks/profile.h"

/* How long threads are off the processor.  */
struct off_cpu
{
  struct profile *profile; /* where waits are counted, and its threads */
  uint64_t losses;   /* times that records were lost: what was seen of waits
                        that have not ended goes with no record to come */
  uint64_t switches; /* times that a thread left the processor */
};

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
   many records were lost.  It ends as the event with the sample type
   SAMPLE_ID_TYPE has it.  SWITCHES: records of switches may be among the lost
   ones.  */
void perf_events_take (struct perf_events *events,
                       const struct perf_record *record,
                       uint64_t sample_id_type, bool switches);

/* ---- Waits */

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

#endif /* STACKS_PERF_EVENTS_H */
