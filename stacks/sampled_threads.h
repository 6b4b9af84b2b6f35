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

struct named_task; /* opaque */

/* All zeros: there are none.  */
struct sampled_threads
{
  struct profile_thread *threads; /* owned: each that was sampled */
  size_t n, capacity;
  struct key_table numbers; /* of threads, by all that makes them one */
  /* Owned: what was sampled or given a name, by the numbers alone.  */
  struct named_task *tasks;
  size_t n_tasks, tasks_capacity;
  struct key_table task_numbers;
};

void sampled_threads_free (struct sampled_threads *list);

/* Thread TID of process PID begins: it is another one than that which had the
   numbers before, and is called as the thread that has made it.  */
void sampled_threads_begin (struct sampled_threads *list, pid_t pid, pid_t tid,
                            pid_t parent_pid, pid_t parent_tid);

/* Thread TID of process PID is called NAME from now on.  */
void sampled_threads_rename (struct sampled_threads *list, pid_t pid,
                             pid_t tid, const char *name);

/* The number of the thread TID of process PID, which is called NAME; it gets
   one if it has none.  One that was there before it was sampled was not
   reported: its own name is asked of the running kernel if it is not RECORDED.
   PROFILE_NO_THREAD when memory ran out.  */
uint32_t sampled_threads_number (struct sampled_threads *list, pid_t pid,
                                 pid_t tid, const char *name, bool recorded);

#endif /* STACKS_SAMPLED_THREADS_H */
