/* What records of perf events say of processes and stacks, from the kernel or
   from a recording.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_PERF_EVENTS_H
#define STACKS_PERF_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "perfdata/perfdata.h"
#include "stacks/profile.h"

/* Which registers walks need: bits of uapi/asm/perf_regs.h.  */
uint64_t perf_events_registers (void);

/* Walk the stack in SAMPLE, with the registers in MASK, of MEMBER, and count
   it in PROFILE.  Returns false, and counts nothing, for a sample without such
   registers: of a kernel thread, of a 32-bit program, or of an event that was
   to have none.  */
bool perf_events_sample (struct profile *profile, struct member *member,
                         const struct perf_sample *sample, uint64_t mask);

/* Have PROFILE and its family know of RECORD, which is TASK: a process was
   made, has another name or program, or has ended.  */
void perf_events_task (struct profile *profile,
                       const struct perf_record *record,
                       const struct perf_task *task);

#endif /* STACKS_PERF_EVENTS_H */
