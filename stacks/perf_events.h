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
};

void perf_events_init (struct perf_events *events, struct profile *profile);
void perf_events_free (struct perf_events *events);

/* Which registers walks need: bits of uapi/asm/perf_regs.h.  */
uint64_t perf_events_registers (void);

/* Walk the stack in SAMPLE, with the registers in MASK, of MEMBER (which may
   be NULL if SAMPLE has no registers), and count it in the profile, or at the
   end of the wait that begins with it.  Returns false, and counts nothing, for
   a sample without such registers: of a kernel thread, of a 32-bit program, or
   of an event that was to have none.  */
bool perf_events_sample (struct perf_events *events, struct member *member,
                         const struct perf_sample *sample, uint64_t mask);

/* Have the profile and its family know of RECORD, which is TASK: a process or
   a thread was made, has another name or program, or has ended.  */
void perf_events_task (struct perf_events *events,
                       const struct perf_record *record,
                       const struct perf_task *task);

/* Take RECORD, of type PERF_RECORD_SWITCH or SWITCH_CPU_WIDE, with STAMP.  */
void perf_events_switch (struct perf_events *events,
                         const struct perf_record *record,
                         const struct perf_stamp *stamp);

/* Take RECORD, of type PERF_RECORD_LOST; SWITCHES: records of switches may be
   among the lost ones.  */
void perf_events_lost (struct perf_events *events,
                       const struct perf_record *record, bool switches);

#endif /* STACKS_PERF_EVENTS_H */
