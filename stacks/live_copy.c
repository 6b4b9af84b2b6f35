/* A living process: copies of its stacks, for walks that need no stop.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <string.h>

#include "base/clock.h"
#include "stacks/live.h"

enum
{
#if defined __x86_64__
  RED_ZONE = 128 /* System V ABI, AMD64 supplement, section 3.2.2 */
#else
  RED_ZONE = 0
#endif
};

/* Whether THREAD waits where it waited when its registers were read.  */
static bool
still_waits (const struct process *process, const struct thread *thread)
{
  struct registers now;
  return live_waiting_registers (process->pid, thread->tid, &now)
         && memcmp (now.values, thread->registers.values, sizeof now.values)
                == 0;
}

size_t
live_copy_stacks (struct process *process, size_t most)
{
  size_t cut = 0;
  /* Later threads have stacks at lower addresses as a rule.  Copies that are
     made in ascending order need no room between others.  */
  for (size_t i = process->n_threads; i-- > 0;)
    {
      struct thread *thread = &process->threads[i];
      if (!thread->known)
        continue;
      uint64_t sp = thread->registers.values[process->arch->sp];
      const struct mapping *mapping = mappings_at (&process->mappings, sp);
      uint64_t size = mapping != NULL ? mapping->end - sp : 0;
      if (size > 0)
        {
          memory_copy (&process->memory, sp - RED_ZONE,
                       (size < most ? (size_t)size : most) + RED_ZONE);
          cut += process->memory.full;
        }
      if (thread->waits)
        thread->known = still_waits (process, thread);
    }
  return cut;
}

static void
walk_all (struct process *process, const struct live_copy *copy)
{
  for (size_t i = 0; i < process->n_threads; i++)
    if (process->threads[i].known)
      copy->walk (copy->context, process, &process->threads[i].registers);
}

/* Copy stacks that walks arrive at.  */
static void
walk_stopped (struct process *process, const struct live_copy *copy)
{
  process->policy.at_once = true;
  walk_all (process, copy);
  process->policy.at_once = false;
}

/* Stop PROCESS and copy its stacks.  If WALK, walk them before it is
   resumed.  */
static bool
copy_once (struct process *process, struct live_copy *copy, bool walk,
           struct error *err)
{
  if (!live_stop (process, copy->running, err))
    return false;
  bool fresh = live_refresh (process, err);
  copy->cut = live_copy_stacks (process, copy->most);
  if (walk)
    walk_stopped (process, copy);
  live_resume (process);
  copy->stopped += clock_nanoseconds () - process->stopped_at;
  return fresh;
}

/* Whether walks of PROCESS, which runs, lead to memory that was not
   copied.  */
static bool
walks_miss (struct process *process, const struct live_copy *copy)
{
  process->memory.missed = false;
  walk_all (process, copy);
  return process->memory.missed;
}

bool
live_copy (struct process *process, struct live_copy *copy, struct error *err)
{
  enum
  {
    STOPS_MAX = 3
  };
  bool done = copy_once (process, copy, false, err);
  for (unsigned stops = 1;
       done && stops < STOPS_MAX && walks_miss (process, copy); stops++)
    done = copy_once (process, copy, true, err);
  return done;
}
