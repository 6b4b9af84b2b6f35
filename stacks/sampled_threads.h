/* The threads that a profile has sampled, and their names.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The kernel gives the number of a thread that has ended to another thread,
   and a process that executes another program keeps its number.  A profile
   shows each of these by itself.  So there are two tables: a task has the
   numbers of a process and of a thread, and stands for the thread that has
   these numbers now; a thread also has the name of its process, and an index
   that does not change.  */

#ifndef STACKS_SAMPLED_THREADS_H
#define STACKS_SAMPLED_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/table.h"
#include "stacks/named_profile.h"

/* The time that a task spends off the processor (perf_events.c).  */
struct off_cpu_wait
{
  enum
  {
    WAIT_NONE,
    WAIT_IGNORED, /* its stack cannot be walked: skip the next switch */
    WAIT_BEGINS,  /* SAMPLE is the stack with which the task will wait */
    WAIT_LASTS    /* the task has waited since SAMPLE's time */
  } state;
  struct profile_sample sample;
  uint64_t losses; /* off_cpu.losses when STATE was last looked at */
};

/* The numbers of a thread, whichever thread has them.  */
struct sampled_task
{
  pid_t pid, tid;
  uint64_t birth;  /* how many threads were seen to begin with these numbers */
  uint32_t thread; /* index of the thread sampled last, or PROFILE_NO_THREAD */
  bool renamed;    /* OWN_NAME was reported */
  char own_name[sizeof ((struct profile_thread *)NULL)->own_name];
  struct off_cpu_wait wait;
};

/* Zeroed, it is empty.  */
struct sampled_threads
{
  struct profile_thread *threads; /* owned: each that was sampled */
  size_t n, capacity;
  struct key_table numbers; /* of threads, by PID, TID, birth and name */
  /* Owned: all numbers that were sampled, renamed or switched.  */
  struct sampled_task *tasks;
  size_t n_tasks, tasks_capacity;
  struct key_table task_numbers; /* of tasks, by PID and TID */
};

/* Return the task TID of PID, or NULL.  It is valid until one is added.  */
struct sampled_task *sampled_threads_find (struct sampled_threads *list,
                                           pid_t pid, pid_t tid);

/* Return the task TID of PID, added if new.  NULL when memory ran out.  */
struct sampled_task *sampled_threads_task (struct sampled_threads *list,
                                           pid_t pid, pid_t tid);

/* Return the index of thread TID of process PID, whose process has the name
   NAME, and add the thread if it is new.  A thread that began before the
   sampling was not reported.  Unless the samples are RECORDED, read its name
   from the running kernel.  PROFILE_NO_THREAD when memory ran out.  */
uint32_t sampled_threads_number (struct sampled_threads *list, pid_t pid,
                                 pid_t tid, const char *name, bool recorded);

/* Note that thread TID of process PID begins.  It is another thread than the
   one that had these numbers before, and inherits the name of its creator.  */
void sampled_threads_begin (struct sampled_threads *list, pid_t pid, pid_t tid,
                            pid_t parent_pid, pid_t parent_tid);

/* Note that NAME is the name of thread TID of process PID from now on.  */
void sampled_threads_rename (struct sampled_threads *list, pid_t pid,
                             pid_t tid, const char *name);

void sampled_threads_free (struct sampled_threads *list);

#endif /* STACKS_SAMPLED_THREADS_H */
