/* What records of perf events say of processes and stacks.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/perf_events.h"

#include <string.h>

#include "stacks/live.h"

void
perf_events_init (struct perf_events *events, struct profile *profile)
{
  *events
      = (struct perf_events){ .profile = profile, .waits.profile = profile };
}

void
perf_events_free (struct perf_events *events)
{
  off_cpu_free (&events->waits);
}

uint64_t
perf_events_registers (void)
{
  return registers_mask (live_arch (), ORDER_PERF);
}

bool
perf_events_sample (struct perf_events *events, struct member *member,
                    const struct perf_sample *sample, uint64_t mask)
{
  struct registers registers;
  if (sample->registers == NULL || sample->abi != PERF_SAMPLE_REGS_ABI_64)
    {
      events->profile->narrow += sample->registers != NULL
                                 && sample->abi == PERF_SAMPLE_REGS_ABI_32;
      if (events->profile->off_cpu)
        off_cpu_stack (&events->waits, (pid_t)sample->tid, NULL);
      return false;
    }
  struct process *process = &member->process;
  registers_take (process->arch, ORDER_PERF, sample->registers, mask,
                  &registers);
  memory_add (&process->memory, registers.values[process->arch->sp],
              sample->stack, sample->stack_size);
  const struct profile_moment moment
      = { (pid_t)sample->tid, sample->time, &registers, sample->chain,
          sample->n_chain };
  struct profile_sample taken
      = profile_place (events->profile, member, &moment);
  if (events->profile->off_cpu)
    off_cpu_stack (&events->waits, moment.tid, &taken);
  else
    profile_count (events->profile, &taken);
  /* The stack is the record's.  */
  memory_forget (&process->memory);
  return true;
}

void
perf_events_task (struct perf_events *events, const struct perf_record *record,
                  const struct perf_task *task)
{
  struct family *family = &events->profile->family;
  pid_t pid = (pid_t)task->pid;
  switch (record->type)
    {
    case PERF_RECORD_FORK: /* of a process or a thread */
      if (task->pid != task->parent)
        family_fork (family, (pid_t)task->parent, pid);
      else
        family_begin_thread (family, pid);
      sampled_threads_begin (&events->profile->threads, pid, (pid_t)task->tid,
                             (pid_t)task->parent, (pid_t)task->parent_tid);
      break;
    case PERF_RECORD_COMM:
      if (record->misc & PERF_RECORD_MISC_COMM_EXEC)
        family_execute (family, pid);
      if (task->pid == task->tid)
        family_rename (family, pid, task->name);
      sampled_threads_rename (&events->profile->threads, pid, (pid_t)task->tid,
                              task->name);
      break;
    case PERF_RECORD_EXIT:
      off_cpu_exit (&events->waits, (pid_t)task->tid);
      family_end_thread (family, pid, (pid_t)task->tid);
      break;
    default:
      break;
    }
}

void
perf_events_switch (struct perf_events *events,
                    const struct perf_record *record,
                    const struct perf_stamp *stamp)
{
  /* Processors without work have thread 0, each its own.  */
  if (stamp->tid == 0)
    return;
  if (record->misc & PERF_RECORD_MISC_SWITCH_OUT)
    off_cpu_leave (&events->waits, (pid_t)stamp->tid, stamp->time,
                   (record->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0);
  else
    off_cpu_return (&events->waits, (pid_t)stamp->tid, stamp->time);
}

void
perf_events_lost (struct perf_events *events, const struct perf_record *record,
                  bool switches)
{
  /* Of which event, and how many.  */
  uint64_t lost[2];
  if (record->size < sizeof lost)
    return;
  memcpy (lost, record->bytes, sizeof lost);
  events->profile->lost += lost[1];
  if (switches)
    off_cpu_lost (&events->waits);
}
