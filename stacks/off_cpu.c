/* Where threads leave the processor, and how long they are off it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "stacks/off_cpu.h"

/* TASK is at a point where none of its waits can be open.  */
static void
forget (struct off_cpu *waits, struct sampled_task *task)
{
  waits->profile->unknown
      += task->wait.state == WAIT_BEGINS || task->wait.state == WAIT_LASTS;
  task->wait.state = WAIT_NONE;
}

/* Take what was lost into account, whatever task it was of; TASK may be
   NULL.  */
static struct sampled_task *
settle (struct off_cpu *waits, struct sampled_task *task)
{
  if (task != NULL && task->wait.losses != waits->losses)
    {
      forget (waits, task);
      task->wait.losses = waits->losses;
    }
  return task;
}

/* Thread TID of PID; NULL when memory ran out.  */
static struct sampled_task *
task_of (struct off_cpu *waits, pid_t pid, pid_t tid)
{
  return settle (waits,
                 sampled_threads_task (&waits->profile->threads, pid, tid));
}

void
off_cpu_stack (struct off_cpu *waits, pid_t pid, pid_t tid,
               const struct profile_sample *sample)
{
  struct sampled_task *task = task_of (waits, pid, tid);
  if (task == NULL)
    return;
  forget (waits, task);
  task->wait.state = sample != NULL ? WAIT_BEGINS : WAIT_IGNORED;
  if (sample != NULL)
    task->wait.sample = *sample;
}

void
off_cpu_leave (struct off_cpu *waits, pid_t pid, pid_t tid, uint64_t time,
               bool preempted)
{
  struct sampled_task *task = task_of (waits, pid, tid);
  waits->switches++;
  if (task == NULL || task->wait.state != WAIT_BEGINS)
    {
      waits->profile->unknown
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
count (struct off_cpu *waits, struct off_cpu_wait *wait, uint64_t time)
{
  /* Clocks of processors may differ by little.  */
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
  struct sampled_task *task = task_of (waits, pid, tid);
  if (task != NULL && task->wait.state == WAIT_LASTS)
    count (waits, &task->wait, time);
  else if (task != NULL)
    forget (waits, task);
}

void
off_cpu_exit (struct off_cpu *waits, pid_t pid, pid_t tid)
{
  struct sampled_task *task = settle (
      waits, sampled_threads_find (&waits->profile->threads, pid, tid));
  if (task != NULL)
    forget (waits, task);
}

void
off_cpu_end (struct off_cpu *waits, uint64_t time)
{
  struct sampled_threads *threads = &waits->profile->threads;
  for (size_t i = 0; i < threads->n_tasks; i++)
    if (settle (waits, &threads->tasks[i])->wait.state == WAIT_LASTS)
      count (waits, &threads->tasks[i].wait, time);
}
