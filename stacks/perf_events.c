/* Applying records of perf events to a profile: processes, stacks and waits.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/perf_events.h"

#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

/* ---- Waits */

/* Drop the wait of TASK, because it cannot go on at this point.  If its end
   was not seen, count it as unknown.  */
static void
wait_drop (struct off_cpu *waits, struct sampled_task *task)
{
  waits->profile->unknown_waits
      += task->wait.state == WAIT_BEGINS || task->wait.state == WAIT_LASTS;
  task->wait.state = WAIT_NONE;
}

/* Drop the wait of TASK if records were lost since it began: any task may have
   lost some.  TASK may be NULL.  Return TASK.  */
static struct sampled_task *
wait_check_losses (struct off_cpu *waits, struct sampled_task *task)
{
  if (task != NULL && task->wait.losses != waits->losses)
    {
      wait_drop (waits, task);
      task->wait.losses = waits->losses;
    }
  return task;
}

/* Return thread TID of PID as wait_check_losses leaves it, or NULL.  */
static struct sampled_task *
wait_task (struct off_cpu *waits, pid_t pid, pid_t tid)
{
  return wait_check_losses (
      waits, sampled_threads_task (&waits->profile->threads, pid, tid));
}

void
off_cpu_stack (struct off_cpu *waits, pid_t pid, pid_t tid,
               const struct profile_sample *sample)
{
  struct sampled_task *task = wait_task (waits, pid, tid);
  if (task == NULL)
    return;
  wait_drop (waits, task);
  task->wait.state = sample != NULL ? WAIT_BEGINS : WAIT_IGNORED;
  if (sample != NULL)
    task->wait.sample = *sample;
}

void
off_cpu_leave (struct off_cpu *waits, pid_t pid, pid_t tid, uint64_t time,
               bool preempted)
{
  struct sampled_task *task = wait_task (waits, pid, tid);
  waits->switches++;
  if (task == NULL || task->wait.state != WAIT_BEGINS)
    {
      waits->profile->unknown_waits
          += task == NULL || task->wait.state != WAIT_IGNORED;
      if (task != NULL)
        task->wait.state = WAIT_NONE;
      return;
    }
  task->wait.state = WAIT_LASTS;
  task->wait.sample.time = time;
  if (preempted)
    task->wait.sample.node
        = profile_preempted (waits->profile, task->wait.sample.node);
}

static void
wait_count (struct off_cpu *waits, struct off_cpu_wait *wait, uint64_t time)
{
  /* The clocks of two processors may differ a little.  */
  if (time > wait->sample.time)
    {
      wait->sample.weight = time - wait->sample.time;
      profile_count (waits->profile, &wait->sample);
    }
  wait->state = WAIT_NONE;
}

void
off_cpu_return (struct off_cpu *waits, pid_t pid, pid_t tid, uint64_t time)
{
  struct sampled_task *task = wait_task (waits, pid, tid);
  if (task != NULL && task->wait.state == WAIT_LASTS)
    wait_count (waits, &task->wait, time);
  else if (task != NULL)
    wait_drop (waits, task);
}

void
off_cpu_exit (struct off_cpu *waits, pid_t pid, pid_t tid)
{
  struct sampled_task *task = wait_check_losses (
      waits, sampled_threads_find (&waits->profile->threads, pid, tid));
  if (task != NULL)
    wait_drop (waits, task);
}

void
off_cpu_end (struct off_cpu *waits, uint64_t time)
{
  struct sampled_threads *threads = &waits->profile->threads;
  for (size_t i = 0; i < threads->n_tasks; i++)
    if (wait_check_losses (waits, &threads->tasks[i])->wait.state
        == WAIT_LASTS)
      wait_count (waits, &threads->tasks[i].wait, time);
}

/* ---- Records */

static bool
is_sampled (const struct perf_events *events, uint32_t pid)
{
  return !events->alone || (pid_t)pid == events->pid;
}

static struct member *
member_of (struct perf_events *events, uint32_t pid)
{
  struct error ignored;
  return family_get (&events->profile->family, (pid_t)pid, &ignored);
}

const struct process *
perf_events_sample (struct perf_events *events,
                    const struct perf_sample *sample, uint64_t mask)
{
  struct profile *profile = events->profile;
  struct registers registers;
  const struct raw_sample raw = { (pid_t)sample->tid, sample->time, &registers,
                                  sample->chain, sample->n_chain };
  if (!is_sampled (events, sample->pid))
    return NULL;
  if (sample->registers == NULL || sample->abi != PERF_SAMPLE_REGS_ABI_64)
    {
      profile->of_32_bit += sample->registers != NULL
                            && sample->abi == PERF_SAMPLE_REGS_ABI_32;
      if (profile->off_cpu)
        off_cpu_stack (&events->waits, (pid_t)sample->pid, raw.tid, NULL);
      return NULL;
    }
  struct member *member = member_of (events, sample->pid);
  if (member == NULL)
    return NULL;
  struct process *process = &member->process;
  registers_decode (process->arch, ORDER_PERF, sample->registers, mask,
                    &registers);
  memory_add (&process->memory, registers.values[process->arch->sp],
              sample->stack, sample->stack_size);
  struct profile_sample taken = profile_walk (profile, member, &raw);
  if (profile->off_cpu)
    off_cpu_stack (&events->waits, process->pid, raw.tid, &taken);
  else
    profile_count (profile, &taken);
  /* The memory borrows the stack from the record, which ends here.  */
  memory_forget (&process->memory);
  return process;
}

/* Return the file of MAPPING; NULL when memory ran out.  The device numbers of
   a recording are not used, because devices may have other numbers now.  */
static struct code_file *
file_of (struct perf_events *events, const struct perf_mapping *mapping)
{
  struct mapped_identity identity
      = { .inode = mapping->inode, .build_id_size = mapping->build_id_size };
  if (events->recording == NULL)
    identity.device = makedev (mapping->major, mapping->minor);
  memcpy (identity.build_id, mapping->build_id, mapping->build_id_size);
  struct code_files *files = &events->profile->family.files;
  uint32_t before = files->n;
  struct code_file *file = code_files_get (files, mapping->path, &identity);
  if (events->recording != NULL && file != NULL && files->n > before
      && identity.build_id_size == 0)
    file->recorded.build_id_size = perf_data_build_id (
        events->recording, mapping->path, file->recorded.build_id);
  return file;
}

static void
apply_user_mapping (struct perf_events *events,
                    const struct perf_mapping *recorded)
{
  struct member *member = member_of (events, recorded->pid);
  bool is_known = recorded->inode != 0 || recorded->build_id_size != 0;
  bool is_file = mapping_is_of_file (recorded->path, is_known)
                 && (recorded->path[0] == '/' || events->same_kernel);
  const struct mapping mapping
      = { .start = recorded->start,
          .end = recorded->end,
          .offset = recorded->offset,
          .file = is_file ? file_of (events, recorded) : NULL,
          .executable = recorded->executable };
  if (member != NULL)
    mappings_put (&member->process.mappings,
                  &events->profile->family.files.mappings, &mapping);
}

/* Remember where the kernel was.  The path of MAPPING is "[kernel.kallsyms]",
   followed by the name of a symbol.  The offset is the symbol's address.  */
static void
apply_kernel_mapping (struct perf_events *events,
                      const struct perf_mapping *mapping)
{
  struct kernel_names *kernel = &events->profile->kernel;
  const char *end = strchr (mapping->path, ']');
  if (strncmp (mapping->path, "[kernel", 7) != 0 || end == NULL
      || !events->same_kernel)
    return;
  snprintf (kernel->reference, sizeof kernel->reference, "%s", end + 1);
  kernel->reference_address = mapping->offset;
}

/* Apply MAPPING, the contents of RECORD: of the kernel or of a process.  */
static void
apply_mapping (struct perf_events *events, const struct perf_record *record,
               const struct perf_mapping *mapping)
{
  unsigned mode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK;
  if (mode == PERF_RECORD_MISC_KERNEL)
    apply_kernel_mapping (events, mapping);
  else if (mode == PERF_RECORD_MISC_USER && record->type == PERF_RECORD_MMAP2
           && is_sampled (events, mapping->pid))
    apply_user_mapping (events, mapping);
}

static void
apply_task (struct perf_events *events, const struct perf_record *record,
            const struct perf_task *task)
{
  struct profile *profile = events->profile;
  struct family *family = &profile->family;
  pid_t pid = (pid_t)task->pid, tid = (pid_t)task->tid;
  switch (record->type)
    {
    case PERF_RECORD_FORK: /* a process or a thread begins */
      /* FORK_EXEC: perf has made the record itself, for a process that ran
         before the recording began, and reports the process's mappings.  */
      if (task->pid == task->parent)
        family_begin_thread (family, pid);
      else if (!(record->misc & PERF_RECORD_MISC_FORK_EXEC))
        family_fork (family, (pid_t)task->parent, pid);
      sampled_threads_begin (&profile->threads, pid, tid, (pid_t)task->parent,
                             (pid_t)task->parent_tid);
      break;
    case PERF_RECORD_COMM:
      if (events->recording != NULL)
        member_of (events, task->pid);
      if (record->misc & PERF_RECORD_MISC_COMM_EXEC)
        family_execute (family, pid);
      if (pid == tid)
        family_rename (family, pid, task->name);
      sampled_threads_rename (&profile->threads, pid, tid, task->name);
      break;
    default:
      /* The first process stays, because its last samples may still come.  */
      if (pid != events->pid)
        {
          off_cpu_exit (&events->waits, pid, tid);
          family_end_thread (family, pid, tid);
        }
      break;
    }
}

static void
apply_switch (struct perf_events *events, const struct perf_record *record,
              const struct perf_sample_id *sample_id)
{
  pid_t pid = (pid_t)sample_id->pid, tid = (pid_t)sample_id->tid;
  events->last
      = sample_id->time > events->last ? sample_id->time : events->last;
  /* Thread 0 is the idle thread of each processor.  */
  if (tid == 0)
    return;
  if (record->misc & PERF_RECORD_MISC_SWITCH_OUT)
    off_cpu_leave (&events->waits, pid, tid, sample_id->time,
                   (record->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0);
  else
    off_cpu_return (&events->waits, pid, tid, sample_id->time);
}

static void
apply_lost (struct perf_events *events, const struct perf_record *record,
            bool switches)
{
  /* The identifier of the event, and the number of lost records.  */
  uint64_t lost[2];
  if (record->size < sizeof lost)
    return;
  memcpy (lost, record->bytes, sizeof lost);
  events->profile->lost += lost[1];
  events->waits.losses += switches;
}

void
perf_events_apply (struct perf_events *events,
                   const struct perf_record *record, uint64_t sample_id_type,
                   bool switches)
{
  struct perf_mapping mapping;
  struct perf_task task;
  struct perf_sample_id sample_id;
  bool whole = true;
  switch (record->type)
    {
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2:
      whole = perf_mapping_read (record, &mapping);
      if (whole)
        apply_mapping (events, record, &mapping);
      break;
    case PERF_RECORD_COMM:
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
      whole = perf_task_read (record, &task);
      if (whole && is_sampled (events, task.pid))
        apply_task (events, record, &task);
      break;
    case PERF_RECORD_SWITCH:
    case PERF_RECORD_SWITCH_CPU_WIDE:
      whole = perf_sample_id_read (sample_id_type, record, &sample_id);
      if (whole && is_sampled (events, sample_id.pid))
        apply_switch (events, record, &sample_id);
      break;
    case PERF_RECORD_LOST:
      apply_lost (events, record, switches);
      break;
    default:
      break;
    }
  events->profile->damaged += !whole;
}
