/* Walking the stacks of samples, and counting them in the tree of calls.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Where memory for a node runs out, the sample is counted in the node's
   caller.  A stack that is too short is better than none.  */

#include <config.h>

#include "stacks/profile.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "stacks/code_files.h"
#include "stacks/shortage.h"

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
  sampled_threads_free (&profile->threads);
  name_list_free (&profile->processes);
  free (profile->sampled);
  call_tree_free (&profile->calls);
  stack_walk_free (&profile->walk);
  kernel_names_free (&profile->kernel);
  family_free (&profile->family);
}

/* Return the node of the process called NAME; the root if memory ran out.  */
static uint32_t
process_node (struct profile *profile, const char *name)
{
  uint32_t number
      = name_list_number (&profile->processes, name, strlen (name));
  if (number != UINT32_MAX)
    return call_tree_child (&profile->calls, 0,
                            profile_key (KEY_OF_PROCESS, number));
  shortage_note ();
  return 0;
}

/* Return the key of the code that PROCESS has at ADDRESS; 0 if the file is not
   known or there are too many files.  */
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
chain_word (const struct raw_sample *raw, size_t index)
{
  uint64_t word;
  memcpy (&word, raw->chain + sizeof word * index, sizeof word);
  return word;
}

/* Whether WORD is not an address, but says whether the kernel's or the
   program's addresses follow (enum perf_callchain_context).  */
static bool
is_mark (uint64_t word)
{
  return word >= (uint64_t)PERF_CONTEXT_MAX;
}

/* Add the kernel's functions of RAW below NODE.  Return the node of the
   innermost function, or of a caller if memory ran out.  */
static uint32_t
kernel_node (struct profile *profile, uint32_t node,
             const struct raw_sample *raw)
{
  size_t first = 0;
  /* The chain begins with a mark, which the innermost address follows.  */
  while (first < raw->n_chain && is_mark (chain_word (raw, first)))
    first++;
  for (size_t i = raw->n_chain; i-- > first;)
    {
      uint64_t address = chain_word (raw, i);
      if (is_mark (address))
        continue;
      /* All other addresses are return addresses: go back into the call.  */
      address -= i > first;
      uint32_t callee = call_tree_child (
          &profile->calls, node, KEY_KERNEL | (address & (KEY_KERNEL - 1)));
      if (callee == 0)
        return node;
      node = callee;
    }
  return node;
}

/* Walk the program's stack in RAW.  When MEMBER executes another program, the
   kernel still reports the registers of the old program, whose memory is gone.
   Until the PC is in a mapping of the new program, there are no frames.  */
static void
walk_raw (struct member *member, const struct raw_sample *raw,
          struct stack_walk *walk)
{
  member->executing
      = member->executing
        && mappings_at (&member->process.mappings, raw->registers->pc) == NULL;
  if (!member->executing)
    {
      stack_walk_by_sframe (&member->process, raw->registers, walk);
      return;
    }
  walk->n = 0;
  walk->end = SFW_OUTERMOST;
}

struct profile_sample
profile_walk (struct profile *profile, struct member *member,
              const struct raw_sample *raw)
{
  struct stack_walk *walk = &profile->walk;
  struct call_tree *tree = &profile->calls;
  uint32_t thread = sampled_threads_number (
      &profile->threads, member->process.pid, raw->tid, member->name,
      profile->family.recorded);
  walk_raw (member, raw, walk);
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
      if (callee == 0)
        break;
      node = callee;
    }
  return (struct profile_sample){ raw->time, 1, thread,
                                  kernel_node (profile, node, raw) };
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
  /* The sum of all is the largest one: no other overflows.  */
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
