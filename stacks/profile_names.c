/* The names of what a profile has counted.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/profile_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stacks/code_symbols.h"
#include "stacks/profile_keys.h"
#include "walk/section_step.h"

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
  return in_brackets (end == KEY_NO_CODE ? "no code, caller guessed"
                      : end == KEY_PREEMPTED
                          ? "preempted"
                          : walk_end_name ((enum sfw_end)end));
}

/* The names of what has KEY, as names_of_code has them; the caller frees
   them.  */
static char *
name_of (struct profile *profile, uint64_t key, unsigned wanted)
{
  uint64_t offset = profile_key (0, key);
  if (key >> 62 == 1)
    return name_of_kernel (profile, key - KEY_KERNEL);
  switch (key >> KEY_OFFSET_BITS)
    {
    case 0:
      return in_brackets ("unknown");
    case KEY_OF_THREAD:
      return name_of_thread (&profile->threads.threads[offset]);
    case KEY_OF_PROCESS:
      return strdup (profile->processes[offset]);
    case KEY_OF_END:
      return name_of_end (offset);
    default:
      return names_of_code (profile->sampled[(key >> KEY_OFFSET_BITS) - 1],
                            offset, wanted);
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
      bool is_root = i == 0
                     || (named->process != NULL
                         && node->key == profile_key (KEY_OF_PROCESS, 0));
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
