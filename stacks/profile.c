/* Samples of a process's stacks, walked by SFrame and counted.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/profile.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "stacks/live.h"
#include "stacks/shortage.h"

/* Threads.  */

static uint64_t
both_numbers (pid_t pid, pid_t tid)
{
  return (uint64_t)(uint32_t)pid << 32 | (uint32_t)tid;
}

static uint32_t
key_of_task (struct sampled_threads *list, pid_t pid, pid_t tid)
{
  return key_of_number (&list->task_numbers, both_numbers (pid, tid));
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
                                 .latest = PROFILE_NO_THREAD };
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
  task->latest = PROFILE_NO_THREAD;
  task->renamed = parent != NULL && parent->renamed;
  if (task->renamed)
    memcpy (task->own_name, parent->own_name, sizeof task->own_name);
}

/* Give the thread that TASK is the name that was reported, if one was.  */
static void
set_own_name (struct sampled_threads *list, const struct sampled_task *task)
{
  if (task->renamed && task->latest != PROFILE_NO_THREAD)
    memcpy (list->threads[task->latest].own_name, task->own_name,
            sizeof task->own_name);
}

void
sampled_threads_rename (struct sampled_threads *list, pid_t pid, pid_t tid,
                        const char *name)
{
  struct sampled_task *task = sampled_threads_task (list, pid, tid);
  /* Without memory, the name is the one that was known before.  */
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

/* The number of the thread TID of process PID, which is called NAME.  It gets
   one if it has none.  One that was there before it was sampled was not
   reported: its own name is asked of the running kernel if it is not RECORDED.
   PROFILE_NO_THREAD when memory ran out.  */
static uint32_t
sampled_threads_number (struct sampled_threads *list, pid_t pid, pid_t tid,
                        const char *name, bool recorded)
{
  struct sampled_task *task = sampled_threads_task (list, pid, tid);
  struct profile_thread made
      = { .pid = pid, .tid = tid, .birth = task != NULL ? task->birth : 0 };
  snprintf (made.name, sizeof made.name, "%s", name);
  uint32_t hash = key_of_bytes (&list->numbers, both_numbers (pid, tid),
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
  task->latest = number;
  set_own_name (list, task);
  return number;
}

/* Samples.  */

enum
{
  FRAMES_MAX = 4096
};

bool
profile_init (struct profile *profile)
{
  *profile = (struct profile){ 0 };
  return call_tree_init (&profile->calls)
         && stack_walk_init (&profile->walk, FRAMES_MAX);
}

void
profile_free (struct profile *profile)
{
  free (profile->log);
  free (profile->threads.threads);
  free (profile->threads.tasks);
  key_table_free (&profile->threads.numbers);
  key_table_free (&profile->threads.task_numbers);
  name_list_free (&profile->processes);
  free (profile->sampled);
  call_tree_free (&profile->calls);
  stack_walk_free (&profile->walk);
  kernel_names_free (&profile->kernel);
  family_free (&profile->family);
}

/* The node for the process called NAME; the root if memory ran out.  */
static uint32_t
process_node (struct profile *profile, const char *name)
{
  uint32_t number
      = name_list_number (&profile->processes, name, strlen (name));
  return number == UINT32_MAX
             ? shortage_note ()
             : call_tree_child (&profile->calls, 0,
                                profile_key (KEY_OF_PROCESS, number));
}

/* The key of the code that PROCESS has at ADDRESS; 0 if it is not known, or if
   there are too many files.  */
static uint64_t
code_key (struct profile *profile, struct process *process, uint64_t address)
{
  uint64_t offset;
  struct code_file *file = process_code_at (process, address, &offset);
  size_t n = profile->n_sampled;
  if (file == NULL || offset >> KEY_OFFSET_BITS != 0)
    return 0;
  if (file->number == 0 && n < KEY_FILES_MAX
      && (ARRAY_ROOM (profile->sampled, n + 1, &profile->sampled_capacity)
          || shortage_note ()))
    {
      profile->sampled[n] = file;
      file->number = (uint32_t)++profile->n_sampled;
    }
  return file->number != 0 ? profile_key (file->number, offset) : 0;
}

static uint64_t
chain_word (const struct profile_moment *moment, size_t index)
{
  uint64_t word;
  memcpy (&word, moment->chain + sizeof word * index, sizeof word);
  return word;
}

/* Whether WORD is not an address, but says who the next ones belong to.  */
static bool
is_mark (uint64_t word)
{
  return word >= (uint64_t)PERF_CONTEXT_MAX;
}

/* The node for what the kernel did for NODE in MOMENT.  Without memory for all
   of it, the sample is counted in a caller.  */
static uint32_t
kernel_node (struct profile *profile, uint32_t node,
             const struct profile_moment *moment)
{
  size_t first = 0;
  /* The chain begins with a mark and the innermost address.  */
  while (first < moment->n_chain && is_mark (chain_word (moment, first)))
    first++;
  for (size_t i = moment->n_chain; i-- > first;)
    {
      uint64_t address = chain_word (moment, i);
      if (is_mark (address))
        continue;
      /* All others are behind calls.  */
      address -= i > first;
      uint32_t callee = call_tree_child (
          &profile->calls, node, KEY_KERNEL | (address & (KEY_KERNEL - 1)));
      if (callee == 0)
        return node;
      node = callee;
    }
  return node;
}

/* Walk the stack of MOMENT.  While the kernel executes a program for MEMBER,
   whose registers are still those of the old one, which is gone, there is the
   kernel's alone.  */
static void
walk_moment (struct member *member, const struct profile_moment *moment,
             struct stack_walk *walk)
{
  member->executing
      = member->executing
        && mappings_at (&member->process.mappings, moment->registers->pc)
               == NULL;
  if (!member->executing)
    {
      stack_walk_by_sframe (&member->process, moment->registers, walk);
      return;
    }
  walk->n = 0;
  walk->end = SFW_OUTERMOST;
}

struct profile_sample
profile_place (struct profile *profile, struct member *member,
               const struct profile_moment *moment)
{
  struct stack_walk *walk = &profile->walk;
  struct call_tree *tree = &profile->calls;
  uint32_t thread = sampled_threads_number (
      &profile->threads, member->process.pid, moment->tid, member->name,
      profile->family.recorded);
  walk_moment (member, moment, walk);
  profile->samples++;
  profile->ends[walk->end]++;
  uint32_t node = process_node (profile, member->name);
  if (profile->by_thread && thread != PROFILE_NO_THREAD)
    node = call_tree_child (tree, node, profile_key (KEY_OF_THREAD, thread));
  if (walk->end != SFW_OUTERMOST)
    node = call_tree_child (tree, node, profile_key (KEY_OF_END, walk->end));
  for (size_t i = walk->n; i-- > 0;)
    {
      const struct frame *frame = &walk->frames[i];
      uint64_t address = frame->pc - !frame->at_pc;
      bool is_code = i + 1 == walk->n || frame[1].way != WAY_GUESS;
      uint32_t callee = call_tree_child (
          tree, node,
          is_code ? code_key (profile, &member->process, address)
                  : profile_key (KEY_OF_END, KEY_NO_CODE));
      /* If memory for a node ran out, the sample is counted in the caller.  */
      if (callee == 0)
        break;
      node = callee;
    }
  return (struct profile_sample){ moment->time, 1, thread,
                                  kernel_node (profile, node, moment) };
}

uint32_t
profile_preempted (struct profile *profile, uint32_t node)
{
  uint32_t made = call_tree_child (&profile->calls, node,
                                   profile_key (KEY_OF_END, KEY_PREEMPTED));
  return made != 0 ? made : node;
}

void
profile_count (struct profile *profile, const struct profile_sample *sample)
{
  /* No sum below the root is larger than that of all.  */
  if (__builtin_add_overflow (profile->weight, sample->weight,
                              &profile->weight))
    {
      profile->weight -= sample->weight;
      profile->lost++;
      return;
    }
  profile->calls.nodes[sample->node].self += sample->weight;
  if (sample->thread != PROFILE_NO_THREAD
      && (ARRAY_ROOM (profile->log, profile->n_log + 1, &profile->log_capacity)
          || shortage_note ()))
    profile->log[profile->n_log++] = *sample;
}
