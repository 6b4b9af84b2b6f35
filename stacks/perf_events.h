/* Applying records of perf events, from the kernel or from a recording, to a
   profile: processes, stacks and waits.
   SPDX-License-Identifier: LGPL-2.1-or-later

   When a thread is switched off the processor and on again, there are three
   records (perf_event_open(2)): a sample of its stack, from the event
   context-switches with a period of 1; PERF_RECORD_SWITCH when the thread
   leaves the processor; PERF_RECORD_SWITCH when it has a processor again.  */

#ifndef STACKS_PERF_EVENTS_H
#define STACKS_PERF_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "stacks/perfdata/perfdata.h"
#include "stacks/profile.h"

/* Measures how long threads are off the processor.  */
struct off_cpu
{
  struct profile *profile; /* where waits are counted; it has the threads */
  uint64_t losses;   /* how often records were lost: a wait that was open then
                        cannot be matched with a later record */
  uint64_t switches; /* how often a thread left the processor */
};

struct perf_events
{
  struct profile *profile;
  struct off_cpu waits; /* for a profile of time off the processor */
  pid_t pid;  /* the process that is sampled; 0: all processes of RECORDING */
  bool alone; /* no other process than PID is sampled */
  struct perf_data *recording; /* NULL: the records are the kernel's, of now */
  bool same_kernel; /* the records are of the running kernel's release */
  uint64_t last;    /* time of the last switch */
};

/* Walk the stack in SAMPLE, whose registers are those in MASK.  Count it in
   the profile or, for time off the processor, keep it for the wait that
   begins.  Return the process of the sample.  Return NULL, and count nothing,
   if SAMPLE has no registers of a 64-bit program, as from a kernel thread or
   an event without registers, or its process has ended or is not sampled.  */
const struct process *perf_events_sample (struct perf_events *events,
                                          const struct perf_sample *sample,
                                          uint64_t mask);

/* Apply RECORD, which is not a sample: a mapping; the start, the new name or
   program, or the end of a process or thread; a switch; or lost records.
   SAMPLE_ID_TYPE, the sample type of the record's event, says what fields the
   record ends with.  SWITCHES: the lost records may be of switches.  */
void perf_events_apply (struct perf_events *events,
                        const struct perf_record *record,
                        uint64_t sample_id_type, bool switches);

/* ---- Waits */

/* Thread TID of process PID is about to leave the processor.  SAMPLE has its
   stack, and is not counted yet.  NULL: the stack cannot be walked, as a
   kernel thread's; the wait is not counted, not even as unknown.  */
void off_cpu_stack (struct off_cpu *waits, pid_t pid, pid_t tid,
                    const struct profile_sample *sample);

/* The thread leaves the processor at TIME, in nanoseconds.  PREEMPTED: it
   could run, but another thread gets the processor.  */
void off_cpu_leave (struct off_cpu *waits, pid_t pid, pid_t tid, uint64_t time,
                    bool preempted);

/* The thread has a processor again.  Count the wait.  */
void off_cpu_return (struct off_cpu *waits, pid_t pid, pid_t tid,
                     uint64_t time);

/* The thread has ended.  */
void off_cpu_exit (struct off_cpu *waits, pid_t pid, pid_t tid);

/* The measurement ends at TIME.  Count waits that last up to then.  */
void off_cpu_end (struct off_cpu *waits, uint64_t time);

#endif /* STACKS_PERF_EVENTS_H */
