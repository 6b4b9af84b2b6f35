/* Where threads leave the processor, and how long they are off it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "stacks/off_cpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"

enum state
{
  RUNS,
  IGNORED, /* up to its next switch */
  LEAVES,  /* its stack is known */
  WAITS    /* since the sample's time */
};

struct off_cpu_thread
{
  pid_t tid;
  enum state state;
  struct profile_sample sample;
};

void
off_cpu_free (struct off_cpu *waits)
{
  free (waits->threads);
}

/* Thread TID; NULL when memory ran out.  */
static struct off_cpu_thread *
thread_of (struct off_cpu *waits, pid_t tid)
{
  size_t at = SEARCH_FIRST (waits->n, i, waits->threads[i].tid >= tid);
  if (at < waits->n && waits->threads[at].tid == tid)
    return &waits->threads[at];
  if (!ARRAY_ROOM (waits->threads, waits->n + 1, &waits->capacity))
    return NULL;
  struct off_cpu_thread *made = &waits->threads[at];
  memmove (made + 1, made, (waits->n - at) * sizeof *made);
  *made = (struct off_cpu_thread){ .tid = tid };
  waits->n++;
  return made;
}

/* THREAD is at a point where none of its waits can be open.  */
static void
forget (struct off_cpu *waits, struct off_cpu_thread *thread)
{
  waits->unknown += thread->state == LEAVES || thread->state == WAITS;
  thread->state = RUNS;
}

void
off_cpu_stack (struct off_cpu *waits, pid_t tid,
               const struct profile_sample *sample)
{
  struct off_cpu_thread *thread = thread_of (waits, tid);
  if (thread == NULL)
    return;
  forget (waits, thread);
  thread->state = sample != NULL ? LEAVES : IGNORED;
  if (sample != NULL)
    thread->sample = *sample;
}

void
off_cpu_leave (struct off_cpu *waits, pid_t tid, uint64_t time, bool preempted)
{
  struct off_cpu_thread *thread = thread_of (waits, tid);
  waits->switches++;
  if (thread == NULL || thread->state != LEAVES)
    {
      waits->unknown += thread == NULL || thread->state != IGNORED;
      if (thread != NULL)
        thread->state = RUNS;
      return;
    }
  thread->state = WAITS;
  thread->sample.time = time;
  if (preempted)
    thread->sample.node
        = profile_preempted (waits->profile, thread->sample.node);
}

static void
count (struct off_cpu *waits, struct off_cpu_thread *thread, uint64_t time)
{
  /* Clocks of processors may differ by little.  */
  if (time > thread->sample.time)
    {
      thread->sample.weight = time - thread->sample.time;
      profile_count (waits->profile, &thread->sample);
    }
  thread->state = RUNS;
}

void
off_cpu_return (struct off_cpu *waits, pid_t tid, uint64_t time)
{
  struct off_cpu_thread *thread = thread_of (waits, tid);
  if (thread != NULL && thread->state == WAITS)
    count (waits, thread, time);
  else if (thread != NULL)
    forget (waits, thread);
}

void
off_cpu_exit (struct off_cpu *waits, pid_t tid)
{
  struct off_cpu_thread *thread = thread_of (waits, tid);
  if (thread == NULL)
    return;
  forget (waits, thread);
  waits->n--;
  memmove (thread, thread + 1,
           (size_t)(&waits->threads[waits->n] - thread) * sizeof *thread);
}

void
off_cpu_lost (struct off_cpu *waits)
{
  for (size_t i = 0; i < waits->n; i++)
    forget (waits, &waits->threads[i]);
}

void
off_cpu_end (struct off_cpu *waits, uint64_t time)
{
  for (size_t i = 0; i < waits->n; i++)
    if (waits->threads[i].state == WAITS)
      count (waits, &waits->threads[i], time);
}
