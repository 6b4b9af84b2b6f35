/* Samples taken by stopping the process, where the kernel does not take them.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/trace_sampler.h"

#include "base/clock.h"
#include "stacks/live.h"

enum
{
  RUNNING_MAX = 1024 /* threads that are sampled at once */
};

static unsigned
list_running (pid_t pid, pid_t *running)
{
  unsigned n = 0;
  DIR *threads = live_threads (pid);
  if (threads == NULL)
    return 0;
  /* R: the thread runs, or waits for nothing but a processor.  */
  for (pid_t tid; n < RUNNING_MAX && (tid = live_next_thread (threads)) != 0;)
    if (live_thread_state (pid, tid) == 'R')
      running[n++] = tid;
  closedir (threads);
  return n;
}

/* Whether PROCESS could not be stopped because a thread waits in the kernel,
   which it does not do for ever.  */
static bool
waits (const struct process *process)
{
  for (size_t i = 0; i < process->n_threads; i++)
    if (process->threads[i].waits)
      return true;
  return false;
}

/* Stop MEMBER and count the stacks of its threads that ran.  False when it has
   ended or may not be stopped.  */
static bool
take_member (struct profile *profile, struct member *member, struct error *err)
{
  struct process *process = &member->process;
  pid_t running[RUNNING_MAX];
  unsigned n = list_running (process->pid, running);
  if (!live_renew (process, err))
    return false;
  if (n == 0)
    return true;
  if (!live_stop (process, err))
    return waits (process);
  struct error ended;
  uint64_t now = clock_nanoseconds ();
  /* If the new list cannot be read, the old one is used.  */
  live_refresh (process, NULL, &ended);
  member_read_name (member);
  for (size_t i = 0; i < process->n_threads; i++)
    for (unsigned j = 0; j < n; j++)
      if (process->threads[i].tid == running[j] && process->threads[i].known)
        {
          const struct profile_moment moment
              = { .tid = running[j],
                  .time = now,
                  .registers = &process->threads[i].registers };
          struct profile_sample sample
              = profile_place (profile, member, &moment);
          profile_count (profile, &sample);
        }
  live_resume (process);
  return true;
}

bool
trace_sampler_take (struct profile *profile, pid_t pid, bool children,
                    struct error *err)
{
  struct family *family = &profile->family;
  bool there = false;
  if (children)
    family_add_children (family);
  /* From the end, because the last member takes the place of one that is
     removed.  */
  for (size_t i = family->n; i-- > 0;)
    {
      struct error problem;
      pid_t member = family->members[i]->process.pid;
      if (take_member (profile, family->members[i], &problem))
        there |= member == pid;
      else if (member == pid)
        *err = problem;
      else
        family_remove (family, member);
    }
  return there;
}
