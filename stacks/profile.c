/* Samples of a process's stacks, walked by SFrame and counted.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/profile.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "walk/frame.h"

enum
{
  FRAMES_MAX = 4096
};

/* Keys of nodes: an address in the kernel, without its two highest bits, which
   are equal to the next one, if KERNEL is set and no higher bit; otherwise the
   number of a file (from 1 on; 0: not known) or a kind, and in the lower bits
   the offset of a call or what else tells it apart.  */
#define KERNEL (UINT64_C (1) << 62)
enum
{
  OFFSET_BITS = 48,
  FILES_MAX = (1 << 14) - 1,
  OF_THREAD = 1 << 15,       /* the number of a thread */
  OF_PROCESS,                /* that of a process's name */
  OF_END,                    /* why a walk ended, or one of the next */
  NO_CODE = SFW_INVALID + 1, /* a frame that is none: its caller is a guess */
  PREEMPTED                  /* what is not on a processor, for want of one */
};

static uint64_t
key_of (unsigned kind, uint64_t offset)
{
  const uint64_t most = (UINT64_C (1) << OFFSET_BITS) - 1;
  return (uint64_t)kind << OFFSET_BITS | (offset & most);
}

bool
profile_init (struct profile *profile)
{
  *profile = (struct profile){ 0 };
  return call_tree_init (&profile->calls)
         && walk_init (&profile->walk, FRAMES_MAX);
}

void
profile_free (struct profile *profile)
{
  for (size_t i = 0; i < profile->n_processes; i++)
    free (profile->processes[i]);
  free (profile->processes);
  free (profile->log);
  sampled_threads_free (&profile->threads);
  key_table_free (&profile->process_numbers);
  free (profile->sampled);
  call_tree_free (&profile->calls);
  walk_free (&profile->walk);
  kernel_names_free (&profile->kernel);
  family_free (&profile->family);
}

/* The node for the process called NAME; the root if memory ran out.  */
static uint32_t
process_node (struct profile *profile, const char *name)
{
  struct key_table *numbers = &profile->process_numbers;
  size_t n = profile->n_processes;
  uint32_t i, hash = key_of_bytes (numbers, 0, name, strlen (name));
  struct key_walk walk = { .hash = hash };
  while (key_table_next (numbers, &walk, &i))
    if (strcmp (profile->processes[i], name) == 0)
      return call_tree_child (&profile->calls, 0, key_of (OF_PROCESS, i));
  if (n == UINT32_MAX || !key_table_reserve (numbers)
      || !ARRAY_ROOM (profile->processes, n + 1, &profile->processes_capacity)
      || (profile->processes[n] = strdup (name)) == NULL)
    return 0;
  key_table_insert (numbers, hash, (uint32_t)n);
  profile->n_processes++;
  return call_tree_child (&profile->calls, 0, key_of (OF_PROCESS, n));
}

/* The number of FILE, from 1 on; 0 if there are too many.  */
static uint32_t
file_number (struct profile *profile, struct code_file *file)
{
  size_t n = profile->n_sampled;
  if (file->number == 0 && n < FILES_MAX
      && ARRAY_ROOM (profile->sampled, n + 1, &profile->sampled_capacity))
    {
      profile->sampled[n] = file;
      file->number = (uint32_t)++profile->n_sampled;
    }
  return file->number;
}

/* The key of the code that PROCESS has at ADDRESS; 0 if it is not known.  */
static uint64_t
code_key (struct profile *profile, struct process *process, uint64_t address)
{
  uint64_t offset;
  struct code_file *file = process_code_at (process, address, &offset);
  uint32_t number = file != NULL && offset >> OFFSET_BITS == 0
                        ? file_number (profile, file)
                        : 0;
  return number != 0 ? key_of (number, offset) : 0;
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
      uint32_t callee = call_tree_child (&profile->calls, node,
                                         KERNEL | (address & (KERNEL - 1)));
      if (callee == 0)
        return node;
      node = callee;
    }
  return node;
}

/* Whether the kernel executes a program for MEMBER, whose registers are still
   those of the old one, which is gone.  */
static bool
is_executing (struct member *member, const struct registers *registers)
{
  member->executing
      = member->executing
        && process_mapping_at (&member->process, registers->pc) == NULL;
  return member->executing;
}

/* Walk the stack of MOMENT.  While a program is executed there is the kernel's
   alone.  */
static void
walk_moment (struct member *member, const struct profile_moment *moment,
             struct walk *walk)
{
  if (!is_executing (member, moment->registers))
    {
      walk_by_sframe (&member->process, moment->registers, walk);
      return;
    }
  walk->n = 0;
  walk->end = SFW_OUTERMOST;
}

struct profile_sample
profile_place (struct profile *profile, struct member *member,
               const struct profile_moment *moment)
{
  struct walk *walk = &profile->walk;
  struct call_tree *tree = &profile->calls;
  uint32_t thread = sampled_threads_number (
      &profile->threads, member->process.pid, moment->tid, member->name,
      profile->family.recorded);
  walk_moment (member, moment, walk);
  profile->samples++;
  profile->ends[walk->end]++;
  uint32_t node = process_node (profile, member->name);
  if (profile->by_thread && thread != PROFILE_NO_THREAD)
    node = call_tree_child (tree, node, key_of (OF_THREAD, thread));
  if (walk->end != SFW_OUTERMOST)
    node = call_tree_child (tree, node, key_of (OF_END, walk->end));
  for (size_t i = walk->n; i-- > 0;)
    {
      const struct frame *frame = &walk->frames[i];
      uint64_t address = frame->pc - !frame->at_pc;
      bool is_code = i + 1 == walk->n || frame[1].way != WAY_GUESS;
      uint32_t callee = call_tree_child (
          tree, node,
          is_code ? code_key (profile, &member->process, address)
                  : key_of (OF_END, NO_CODE));
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
  uint32_t made
      = call_tree_child (&profile->calls, node, key_of (OF_END, PREEMPTED));
  return made != 0 ? made : node;
}

void
profile_count (struct profile *profile, const struct profile_sample *sample)
{
  profile->weight += sample->weight;
  profile->calls.nodes[sample->node].self += sample->weight;
  if (sample->thread != PROFILE_NO_THREAD
      && ARRAY_ROOM (profile->log, profile->n_log + 1, &profile->log_capacity))
    profile->log[profile->n_log++] = *sample;
}

uint64_t
profile_complete (const struct profile *profile)
{
  return profile->ends[SFW_OUTERMOST];
}

/* Naming.  */

static char *
in_brackets (const char *text)
{
  char *name;
  return asprintf (&name, *text == '[' ? "%s" : "[%s]", text) < 0 ? NULL
                                                                  : name;
}

static const char unknown_kernel[] = "[kernel]_[k]";

/* The name of the kernel's function at ADDRESS, without its highest bits, with
   what tools for folded stacks mark those names by.  */
static char *
name_of_kernel (struct profile *profile, uint64_t address)
{
  char *marked;
  if (address >> 61 != 0)
    address |= UINT64_C (3) << 62;
  const char *name = kernel_names_at (&profile->kernel, address);
  if (name == NULL)
    return strdup (unknown_kernel);
  return asprintf (&marked, "%s_[k]", name) < 0 ? NULL : marked;
}

static char *
name_of_thread (const struct profile_thread *thread)
{
  const char *name
      = thread->own_name[0] != '\0' ? thread->own_name : thread->name;
  char *text;
  return asprintf (&text, "%s/%d", name, (int)thread->tid) < 0 ? NULL : text;
}

/* The name of the code at OFFSET in FILE, without what is inlined there; that
   of FILE if there is none.  Tools for folded stacks know by a mark what a
   just-in-time compiler has named.  */
static char *
name_of_code (struct code_file *file, uint64_t offset, unsigned wanted)
{
  struct code_name symbol;
  char *marked;
  code_file_symbol (file, offset, wanted, &symbol);
  if (symbol.name[0] == '\0')
    return in_brackets (code_file_name (file));
  if (!file->is_jit)
    return strdup (symbol.name);
  return asprintf (&marked, "%s_[j]", symbol.name) < 0 ? NULL : marked;
}

/* The name of the code at OFFSET in FILE, and on a line each what is inlined
   there.  */
static char *
names_of_code (struct code_file *file, uint64_t offset, unsigned wanted)
{
  char *name = name_of_code (file, offset, wanted);
  char *inlined = name != NULL && wanted & SYMBOL_INLINES
                      ? code_file_inlines (file, offset, wanted)
                      : NULL;
  char *names;
  if (inlined == NULL)
    return name;
  if (asprintf (&names, "%s%s", name, inlined) < 0)
    names = NULL;
  free (name);
  free (inlined);
  return names;
}

/* The name of END, of a walk, or of what is beyond these.  */
static char *
name_of_end (uint64_t end)
{
  return in_brackets (end == NO_CODE     ? "no code, caller guessed"
                      : end == PREEMPTED ? "preempted"
                                         : walk_end_name ((enum sfw_end)end));
}

/* The names of what has KEY, as names_of_code has them; the caller frees
   them.  */
static char *
name_of (struct profile *profile, uint64_t key, unsigned wanted)
{
  uint64_t offset = key_of (0, key);
  if (key >> 62 == 1)
    return name_of_kernel (profile, key - KERNEL);
  switch (key >> OFFSET_BITS)
    {
    case 0:
      return in_brackets ("unknown");
    case OF_THREAD:
      return name_of_thread (&profile->threads.threads[offset]);
    case OF_PROCESS:
      return strdup (profile->processes[offset]);
    case OF_END:
      return name_of_end (offset);
    default:
      return names_of_code (profile->sampled[(key >> OFFSET_BITS) - 1], offset,
                            wanted);
    }
}

bool
profile_is_of_kernel (const char *name)
{
  size_t n = strlen (name);
  return n > 4 && strcmp (name + n - 4, "_[k]") == 0;
}

/* The names of all nodes of TREE but the root, by node, each to be freed.  An
   address is looked up once.  */
static char **
node_names (struct profile *profile, unsigned wanted)
{
  const struct call_tree *tree = &profile->calls;
  struct keyed_node *keyed = call_tree_by_key (tree);
  char **names = calloc (tree->n, sizeof *names);
  bool complete = names != NULL && keyed != NULL;
  for (uint32_t i = 0; complete && i < tree->n; i++)
    {
      const struct keyed_node *at = &keyed[i];
      const char *same
          = i > 0 && at[-1].key == at->key ? names[at[-1].node] : NULL;
      if (at->node == 0)
        continue;
      names[at->node]
          = same != NULL ? strdup (same) : name_of (profile, at->key, wanted);
      complete = names[at->node] != NULL;
    }
  free (keyed);
  if (complete)
    return names;
  for (uint32_t i = 1; names != NULL && i < tree->n; i++)
    free (names[i]);
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

/* The node called by PARENT that has the NAMES, one on a line, one below the
   other.  0 when memory ran out.  */
static uint32_t
copy_node (struct named_profile *named, uint32_t parent, const char *names)
{
  uint32_t node = parent;
  for (const char *end = names; end != NULL; names = end + 1)
    {
      end = strchr (names, '\n');
      size_t length = end != NULL ? (size_t)(end - names) : strlen (names);
      node = named_profile_add (named, node, names, length);
      if (node == 0)
        break;
    }
  return node;
}

static bool
is_unknown_kernel (const char *name)
{
  return name != NULL && strcmp (name, unknown_kernel) == 0;
}

/* Copy PROFILE's tree, node by node, to one of names.  */
static bool
copy_calls (const struct profile *profile, struct named_profile *named,
            char *const *names)
{
  const struct call_tree *from = &profile->calls;
  uint32_t *copies = calloc (from->n, sizeof *copies);
  bool copied = copies != NULL;
  if (profile->n_processes == 1)
    named->process = profile->processes[0];
  named->levels = (named->process == NULL) + profile->by_thread;
  for (uint32_t i = 0; copied && i < from->n; i++)
    {
      const struct call_node *node = &from->nodes[i];
      /* The only process is the root.  */
      bool is_root
          = i == 0
            || (named->process != NULL && node->key == key_of (OF_PROCESS, 0));
      /* Functions of the kernel without names are one.  */
      if (!is_root && is_unknown_kernel (names[i])
          && is_unknown_kernel (names[node->parent]))
        copies[i] = copies[node->parent];
      else if (!is_root)
        copies[i] = copy_node (named, copies[node->parent], names[i]);
      copied = is_root || copies[i] != 0;
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
  *named = (struct named_profile){ 0 };
  named->off_cpu = profile->off_cpu;
  uint32_t n = profile->calls.n;
  char **names = node_names (profile, wanted);
  bool done = names != NULL && call_tree_init (&named->calls)
              && copy_calls (profile, named, names)
              && named_profile_finish (named);
  for (uint32_t i = 1; names != NULL && i < n; i++)
    free (names[i]);
  free (names);
  return done;
}
