/* Where threads leave the processor, and how long they are off it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "stacks/off_cpu.h"

#include <stdlib.h>

#include "base/array.h"
#include "stacks/shortage.h"

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
  uint64_t losses; /* how many there were when it was looked at last */
};

void
off_cpu_free (struct off_cpu *waits)
{
  free (waits->threads);
  key_table_free (&waits->numbers);
}

static uint32_t
key_of_tid (struct off_cpu *waits, pid_t tid)
{
  return key_of_number (&waits->numbers, (uint32_t)tid);
}

/* THREAD is at a point where none of its waits can be open.  */
static void
forget (struct off_cpu *waits, struct off_cpu_thread *thread)
{
  waits->unknown += thread->state == LEAVES || thread->state == WAITS;
  thread->state = RUNS;
}

/* Take what was lost into account, whatever thread it was of.  */
static struct off_cpu_thread *
settle (struct off_cpu *waits, struct off_cpu_thread *thread)
{
  if (thread->losses != waits->losses)
    forget (waits, thread);
  thread->losses = waits->losses;
  return thread;
}

/* Thread TID, or NULL.  */
static struct off_cpu_thread *
find (struct off_cpu *waits, pid_t tid)
{
  uint32_t number = KEY_FIND (&waits->numbers, key_of_tid (waits, tid), i,
                              waits->threads[i].tid == tid);
  return number != UINT32_MAX ? settle (waits, &waits->threads[number]) : NULL;
}

/* Thread TID, which is made one if it is none; NULL when memory ran out.  */
static struct off_cpu_thread *
thread_of (struct off_cpu *waits, pid_t tid)
{
  struct off_cpu_thread *found = find (waits, tid);
  if (found != NULL)
    return found;
  if (!ARRAY_ROOM (waits->threads, waits->n + 1, &waits->capacity)
      || !key_table_add (&waits->numbers, key_of_tid (waits, tid), waits->n))
    {
      shortage_note ();
      return NULL;
    }
  struct off_cpu_thread *made = &waits->threads[waits->n++];
  *made = (struct off_cpu_thread){ .tid = tid, .losses = waits->losses };
  return made;
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
  struct off_cpu_thread *thread = find (waits, tid);
  if (thread == NULL)
    return;
  forget (waits, thread);
  *thread = waits->threads[--waits->n];
  key_table_replace (&waits->numbers, key_of_tid (waits, tid),
                     (uint32_t)(thread - waits->threads),
                     key_of_tid (waits, thread->tid), (uint32_t)waits->n);
}

void
off_cpu_lost (struct off_cpu *waits)
{
  waits->losses++;
}

void
off_cpu_end (struct off_cpu *waits, uint64_t time)
{
  for (size_t i = 0; i < waits->n; i++)
    if (settle (waits, &waits->threads[i])->state == WAITS)
      count (waits, &waits->threads[i], time);
}
