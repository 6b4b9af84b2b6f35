/* The threads that a profile has sampled.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/sampled_threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "stacks/live.h"
#include "stacks/shortage.h"

static uint64_t
pid_and_tid (pid_t pid, pid_t tid)
{
  return (uint64_t)(uint32_t)pid << 32 | (uint32_t)tid;
}

static uint32_t
key_of_task (struct sampled_threads *list, pid_t pid, pid_t tid)
{
  return key_of_number (&list->task_numbers, pid_and_tid (pid, tid));
}

struct sampled_task *
sampled_threads_find (struct sampled_threads *list, pid_t pid, pid_t tid)
{
  uint32_t number
      = KEY_FIND (&list->task_numbers, key_of_task (list, pid, tid), i,
                  list->tasks[i].tid == tid && list->tasks[i].pid == pid);
  return number != UINT32_MAX ? &list->tasks[number] : NULL;
}

struct sampled_task *
sampled_threads_task (struct sampled_threads *list, pid_t pid, pid_t tid)
{
  struct sampled_task *found = sampled_threads_find (list, pid, tid);
  uint32_t hash = key_of_task (list, pid, tid);
  if (found != NULL)
    return found;
  if (!ARRAY_ROOM (list->tasks, list->n_tasks + 1, &list->tasks_capacity)
      || !key_table_add (&list->task_numbers, hash, list->n_tasks))
    {
      shortage_note ();
      return NULL;
    }
  struct sampled_task *made = &list->tasks[list->n_tasks++];
  *made = (struct sampled_task){ .pid = pid,
                                 .tid = tid,
                                 .thread = PROFILE_NO_THREAD };
  return made;
}

void
sampled_threads_begin (struct sampled_threads *list, pid_t pid, pid_t tid,
                       pid_t parent_pid, pid_t parent_tid)
{
  struct sampled_task *task = sampled_threads_task (list, pid, tid);
  const struct sampled_task *parent
      = sampled_threads_find (list, parent_pid, parent_tid);
  if (task == NULL)
    return;
  task->birth++;
  task->thread = PROFILE_NO_THREAD;
  task->renamed = parent != NULL && parent->renamed;
  if (task->renamed)
    memcpy (task->own_name, parent->own_name, sizeof task->own_name);
}

/* Copy the reported name of TASK, if any, to its present thread.  */
static void
set_own_name (struct sampled_threads *list, const struct sampled_task *task)
{
  if (task->renamed && task->thread != PROFILE_NO_THREAD)
    memcpy (list->threads[task->thread].own_name, task->own_name,
            sizeof task->own_name);
}

void
sampled_threads_rename (struct sampled_threads *list, pid_t pid, pid_t tid,
                        const char *name)
{
  struct sampled_task *task = sampled_threads_task (list, pid, tid);
  /* Without memory the thread keeps the name that was known before.  */
  if (task == NULL)
    return;
  task->renamed = true;
  snprintf (task->own_name, sizeof task->own_name, "%s", name);
  set_own_name (list, task);
}

static bool
is_same (const struct profile_thread *a, const struct profile_thread *b)
{
  return a->tid == b->tid && a->pid == b->pid && a->birth == b->birth
         && strcmp (a->name, b->name) == 0;
}

uint32_t
sampled_threads_number (struct sampled_threads *list, pid_t pid, pid_t tid,
                        const char *name, bool recorded)
{
  struct sampled_task *task = sampled_threads_task (list, pid, tid);
  struct profile_thread made
      = { .pid = pid, .tid = tid, .birth = task != NULL ? task->birth : 0 };
  snprintf (made.name, sizeof made.name, "%s", name);
  uint32_t hash = key_of_bytes (&list->numbers, pid_and_tid (pid, tid),
                                made.name, strlen (made.name));
  uint32_t number
      = KEY_FIND (&list->numbers, hash, i, is_same (&list->threads[i], &made));
  if (number == PROFILE_NO_THREAD)
    {
      if (!recorded && (task == NULL || !task->renamed))
        live_thread_name (pid, tid, made.own_name, sizeof made.own_name);
      if (!ARRAY_ROOM (list->threads, list->n + 1, &list->capacity)
          || !key_table_add (&list->numbers, hash, list->n))
        {
          shortage_note ();
          return PROFILE_NO_THREAD;
        }
      list->threads[list->n] = made;
      number = (uint32_t)list->n++;
    }
  if (task == NULL)
    return number;
  task->thread = number;
  set_own_name (list, task);
  return number;
}

void
sampled_threads_free (struct sampled_threads *list)
{
  free (list->threads);
  free (list->tasks);
  key_table_free (&list->numbers);
  key_table_free (&list->task_numbers);
}
