/* Samples of a process's stacks, walked by SFrame, counted and named.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/profile.h"

#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/prefix.h"
#include "stacks/code_files.h"
#include "stacks/live.h"
#include "stacks/shortage.h"
#include "walk/apply.h"

/* ---- Threads */

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

/* ---- Samples */

/* Keys of nodes: an address in the kernel, without its two highest bits, which
   are equal to the next one, if KEY_KERNEL is set and no higher bit; otherwise
   the number of a file (from 1 on; 0: not known) or a kind, and in the lower
   bits the offset of a call or what else tells it apart.  */
#define KEY_KERNEL (UINT64_C (1) << 62)
enum
{
  KEY_OFFSET_BITS = 48,
  KEY_FILES_MAX = (1 << 14) - 1,
  KEY_OF_THREAD = 1 << 15, /* the number of a thread */
  KEY_OF_PROCESS,          /* that of a process's name */
  KEY_OF_END,              /* why a walk ended, or one of the next */
  KEY_NO_CODE
  = SFW_INVALID + 1, /* a frame that is none: its caller is a guess */
  KEY_PREEMPTED      /* what is not on a processor, for want of one */
};

static uint64_t
profile_key (unsigned kind, uint64_t offset)
{
  const uint64_t most = (UINT64_C (1) << KEY_OFFSET_BITS) - 1;
  return (uint64_t)kind << KEY_OFFSET_BITS | (offset & most);
}

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

/* ---- Names */

/* Keys that become names.  */
struct naming
{
  struct profile *profile;
  struct named_profile *named;
  unsigned wanted;
  uint32_t *numbers; /* owned: of names in NAMED, key by key */
  size_t n, capacity;
};

/* The names of a node, which are from FIRST on in naming.numbers, the
   outermost function's in front.  */
struct node_names
{
  size_t first, n;
};

static const char unknown_kernel[] = "[kernel]_[k]";

/* Append NAME to those of the present key.  CONTEXT is the naming.  False when
   memory ran out.  */
static bool
add_name (void *context, const char *name)
{
  struct naming *naming = context;
  uint32_t number
      = name_list_number (&naming->named->names, name, strlen (name));
  if (number == UINT32_MAX
      || !ARRAY_ROOM (naming->numbers, naming->n + 1, &naming->capacity))
    return false;
  naming->numbers[naming->n++] = number;
  return true;
}

/* The same for what FORMAT makes.  It is cut off if it is too long.  */
static bool __attribute__ ((format (printf, 2, 3)))
print_name (struct naming *naming, const char *format, ...)
{
  char name[sizeof ((struct code_name *)NULL)->name + 8];
  va_list arguments;
  va_start (arguments, format);
  vsnprintf (name, sizeof name, format, arguments);
  va_end (arguments);
  return add_name (naming, name);
}

static bool
add_in_brackets (struct naming *naming, const char *text)
{
  return print_name (naming, *text == '[' ? "%s" : "[%s]", text);
}

/* Add the name of the kernel's function at ADDRESS, without its highest bits,
   with what tools for folded stacks mark those names by.  */
static bool
add_kernel (struct naming *naming, uint64_t address)
{
  if (address >> 61 != 0)
    address |= UINT64_C (3) << 62;
  const char *name = kernel_names_at (&naming->profile->kernel, address);
  return name == NULL ? add_name (naming, unknown_kernel)
                      : print_name (naming, "%s_[k]", name);
}

static bool
add_thread (struct naming *naming, const struct profile_thread *thread)
{
  return print_name (naming, "%s/%d",
                     thread->own_name[0] != '\0' ? thread->own_name
                                                 : thread->name,
                     (int)thread->tid);
}

/* Add the name of the code at OFFSET in FILE, or that of FILE if there is
   none, and the names of what is inlined there.  Tools for folded stacks know
   by a mark what a just-in-time compiler has named.  */
static bool
add_code (struct naming *naming, struct code_file *file, uint64_t offset)
{
  const unsigned wanted = naming->wanted;
  struct code_name symbol;
  code_file_symbol (file, offset, wanted, &symbol);
  bool added
      = symbol.name[0] == '\0'
            ? add_in_brackets (naming, code_file_name (file))
            : print_name (naming, file->is_jit ? "%s_[j]" : "%s", symbol.name);
  return added
         && (!(wanted & SYMBOL_INLINES)
             || code_file_inlines (file, offset, wanted, add_name, naming));
}

/* Add the name of END, of a walk, or of what is beyond these.  */
static bool
add_end (struct naming *naming, uint64_t end)
{
  return add_in_brackets (
      naming, end == KEY_NO_CODE     ? "no code, caller guessed"
              : end == KEY_PREEMPTED ? "preempted"
                                     : unwind_end_name ((enum sfw_end)end));
}

/* Add the names of what has KEY.  */
static bool
add_key (struct naming *naming, uint64_t key)
{
  const struct profile *profile = naming->profile;
  uint64_t offset = profile_key (0, key);
  if (key >> 62 == 1)
    return add_kernel (naming, key - KEY_KERNEL);
  switch (key >> KEY_OFFSET_BITS)
    {
    case 0:
      return add_in_brackets (naming, "unknown");
    case KEY_OF_THREAD:
      return add_thread (naming, &profile->threads.threads[offset]);
    case KEY_OF_PROCESS:
      return add_name (naming, profile->processes.list[offset]);
    case KEY_OF_END:
      return add_end (naming, offset);
    default:
      return add_code (naming, profile->sampled[(key >> KEY_OFFSET_BITS) - 1],
                       offset);
    }
}

bool
profile_is_of_kernel (const char *name)
{
  return has_suffix (name, "_[k]");
}

/* Whether NODE is the root of the profile with names: the only process is.  */
static bool
is_root (const struct profile *profile, uint32_t node)
{
  return node == 0
         || (profile->processes.n == 1
             && profile->calls.nodes[node].key
                    == profile_key (KEY_OF_PROCESS, 0));
}

/* The names of all nodes but the root, by node.  A key is looked up once.
   NULL when memory ran out.  */
static struct node_names *
name_nodes (struct naming *naming)
{
  const struct call_tree *tree = &naming->profile->calls;
  struct keyed_node *keyed = call_tree_by_key (tree);
  struct node_names *names = calloc (tree->n, sizeof *names);
  bool complete = names != NULL && keyed != NULL;
  for (uint32_t i = 0; complete && i < tree->n; i++)
    {
      const struct keyed_node *at = &keyed[i];
      if (is_root (naming->profile, at->node))
        continue;
      if (i > 0 && at[-1].key == at->key)
        names[at->node] = names[at[-1].node];
      if (names[at->node].n > 0)
        continue;
      names[at->node].first = naming->n;
      complete = add_key (naming, at->key);
      names[at->node].n = naming->n - names[at->node].first;
    }
  free (keyed);
  if (complete)
    return names;
  free (names);
  return NULL;
}

/* Copy the log of PROFILE; COPIES has what became of its nodes.  */
static bool
copy_log (const struct profile *profile, struct named_profile *named,
          const uint32_t *copies)
{
  named->log = calloc (profile->n_log + 1, sizeof *named->log);
  if (named->log == NULL)
    return false;
  named->n_log = profile->n_log;
  named->threads = profile->threads.threads;
  named->n_threads = profile->threads.n;
  for (size_t i = 0; i < profile->n_log; i++)
    {
      named->log[i] = profile->log[i];
      named->log[i].node = copies[profile->log[i].node];
    }
  return true;
}

/* The node called by PARENT that has NAMES, one below the other.  0 when
   memory ran out.  */
static uint32_t
copy_node (const struct naming *naming, uint32_t parent,
           const struct node_names *names)
{
  uint32_t node = parent;
  for (size_t i = 0; i < names->n && (i == 0 || node != 0); i++)
    node = call_tree_child (&naming->named->calls, node,
                            naming->numbers[names->first + i]);
  return node;
}

static bool
is_unknown_kernel (const struct naming *naming, const struct node_names *names)
{
  return names->n > 0
         && strcmp (naming->named->names.list[naming->numbers[names->first]],
                    unknown_kernel)
                == 0;
}

/* Copy the tree, node by node, to one of NAMES.  */
static bool
copy_calls (const struct naming *naming, const struct node_names *names)
{
  const struct profile *profile = naming->profile;
  const struct call_tree *from = &profile->calls;
  struct named_profile *named = naming->named;
  uint32_t *copies = calloc (from->n, sizeof *copies);
  bool copied = copies != NULL;
  if (profile->processes.n == 1)
    named->process = profile->processes.list[0];
  named->levels = (named->process == NULL) + profile->by_thread;
  for (uint32_t i = 0; copied && i < from->n; i++)
    {
      const struct call_node *node = &from->nodes[i];
      bool root = is_root (profile, i);
      /* Functions of the kernel without names are one.  */
      if (!root && is_unknown_kernel (naming, &names[i])
          && is_unknown_kernel (naming, &names[node->parent]))
        copies[i] = copies[node->parent];
      else if (!root)
        copies[i] = copy_node (naming, copies[node->parent], &names[i]);
      copied = root || copies[i] != 0;
      named->calls.nodes[copies[i]].self += node->self;
    }
  copied = copied && copy_log (profile, named, copies);
  free (copies);
  return copied;
}

bool
profile_name (struct profile *profile, unsigned wanted,
              struct named_profile *named)
{
  struct naming naming
      = { .profile = profile, .named = named, .wanted = wanted };
  *named = (struct named_profile){ .off_cpu = profile->off_cpu };
  struct node_names *names = name_nodes (&naming);
  bool done = names != NULL && call_tree_init (&named->calls)
              && copy_calls (&naming, names) && named_profile_finish (named);
  free (names);
  free (naming.numbers);
  return done;
}
