/* What records of perf events say of processes and stacks.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/perf_events.h"

#include <string.h>

/* Where the register of each bit (uapi/asm/perf_regs.h) goes, by DWARF
   number.  */
enum
{
  TO_PC = 64,
  NOWHERE
};
#if defined __x86_64__
/* AX BX CX DX SI DI BP SP IP, FLAGS and segments, R8 ...  */
static const uint8_t register_places[]
    = { 0,     3,       2,       1,       4,       5,       6,       7,
        TO_PC, NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE,
        8,     9,       10,      11,      12,      13,      14,      15 };
#elif defined __aarch64__
static const uint8_t register_places[]
    = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,   16,
        17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, TO_PC };
#else
/* R0 ... R15, the floating-point registers, the mask, the PC.  */
static const uint8_t register_places[]
    = { 0,       1,       2,       3,       4,       5,       6,
        7,       8,       9,       10,      11,      12,      13,
        14,      15,      NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE,
        NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE,
        NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE, TO_PC };
#endif
enum
{
  N_PLACES = sizeof register_places
};

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
  uint64_t mask = 0;
  for (unsigned i = 0; i < N_PLACES; i++)
    if (register_places[i] != NOWHERE)
      mask |= UINT64_C (1) << i;
  return mask;
}

/* Registers come in the order of the bits of MASK.  */
static void
take_registers (const uint8_t *words, uint64_t mask,
                struct registers *registers)
{
  *registers = (struct registers){ 0 };
  for (unsigned i = 0; i < N_PLACES; i++)
    {
      uint64_t value;
      uint8_t place = register_places[i];
      if (!(mask >> i & 1))
        continue;
      memcpy (&value, words, sizeof value);
      words += sizeof value;
      if (place == TO_PC)
        registers->pc = value;
      else if (place != NOWHERE)
        {
          registers->values[place] = value;
          registers->n = registers->n > place ? registers->n : place + 1U;
        }
    }
}

bool
perf_events_sample (struct perf_events *events, struct member *member,
                    const struct perf_sample *sample, uint64_t mask)
{
  struct registers registers;
  if (sample->registers == NULL || sample->abi != PERF_SAMPLE_REGS_ABI_64)
    {
      if (events->profile->off_cpu)
        off_cpu_stack (&events->waits, (pid_t)sample->tid, NULL);
      return false;
    }
  struct process *process = &member->process;
  take_registers (sample->registers, mask, &registers);
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
      break;
    case PERF_RECORD_COMM:
      if (record->misc & PERF_RECORD_MISC_COMM_EXEC)
        family_execute (family, pid);
      if (task->pid == task->tid)
        family_rename (family, pid, task->name);
      profile_rename_thread (events->profile, pid, (pid_t)task->tid,
                             task->name);
      break;
    case PERF_RECORD_EXIT:
      off_cpu_exit (&events->waits, (pid_t)task->tid);
      if (task->pid == task->tid)
        family_remove (family, pid);
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
