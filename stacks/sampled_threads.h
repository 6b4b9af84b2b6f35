/* The threads of a profile, and their names.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A thread is what has one number in one process under one name of that
   process: a process that executes another program goes on as other threads.
   The thread's own name may change.  */

#ifndef STACKS_SAMPLED_THREADS_H
#define STACKS_SAMPLED_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/key_table.h"
#include "stacks/named_profile.h"

/* What has the number TID in process PID.  */
struct sampled_task
{
  pid_t pid, tid;
  uint64_t birth;  /* which of those with these numbers it is */
  uint32_t latest; /* thread that it was sampled as last; PROFILE_NO_THREAD */
  bool renamed;    /* OWN_NAME was reported */
  char own_name[sizeof ((struct profile_thread *)NULL)->own_name];
  struct off_cpu_wait
  {
    enum
    {
      WAIT_NONE,
      WAIT_IGNORED, /* up to its next switch */
      WAIT_BEGINS,  /* its stack is known */
      WAIT_LASTS    /* since the sample's time */
    } state;
    struct profile_sample sample;
    uint64_t losses; /* how many there were when it was looked at last */
  } wait;            /* by off_cpu */
};

/* All zeros: there are none.  */
struct sampled_threads
{
  struct profile_thread *threads; /* owned: each that was sampled */
  size_t n, capacity;
  struct key_table numbers; /* of threads, by all that makes them one */
  /* Owned: what was sampled, given a name or switched, by the numbers alone.
   */
  struct sampled_task *tasks;
  size_t n_tasks, tasks_capacity;
  struct key_table task_numbers;
};

void sampled_threads_free (struct sampled_threads *list);

/* The task TID of process PID, or NULL.  It stays where it is until another
   one is made.  */
struct sampled_task *sampled_threads_find (struct sampled_threads *list,
                                           pid_t pid, pid_t tid);

/* The same, which is made one if it is none; NULL when memory ran out.  */
struct sampled_task *sampled_threads_task (struct sampled_threads *list,
                                           pid_t pid, pid_t tid);

/* Thread TID of process PID begins: it is another one than that which had the
   numbers before, and is called as the thread that has made it.  */
void sampled_threads_begin (struct sampled_threads *list, pid_t pid, pid_t tid,
                            pid_t parent_pid, pid_t parent_tid);

/* Thread TID of process PID is called NAME from now on.  */
void sampled_threads_rename (struct sampled_threads *list, pid_t pid,
                             pid_t tid, const char *name);

/* The number of the thread TID of process PID, which is called NAME.  It gets
   one if it has none.  One that was there before it was sampled was not
   reported: its own name is asked of the running kernel if it is not RECORDED.
   PROFILE_NO_THREAD when memory ran out.  */
uint32_t sampled_threads_number (struct sampled_threads *list, pid_t pid,
                                 pid_t tid, const char *name, bool recorded);

#endif /* STACKS_SAMPLED_THREADS_H */
