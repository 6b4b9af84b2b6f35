/* Names for the addresses that a profile has counted.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Many nodes of the tree have the same key.  The nodes are sorted by key, so
   that each key is looked up once.  A key has one name or, where functions are
   inlined, several.  Then the tree is copied node by node, with names as
   keys.  */

#include <config.h>

#include "stacks/profile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/prefix.h"
#include "stacks/code_files.h"
#include "walk/apply.h"

/* The state of naming a profile.  */
struct naming
{
  struct profile *profile;
  struct named_profile *named;
  unsigned wanted;
  uint32_t *numbers; /* owned: of names in NAMED, key by key */
  size_t n, capacity;
};

/* The names of a node: N entries of naming.numbers from index FIRST on, the
   outermost function first.  */
struct node_names
{
  size_t first, n;
};

static const char unknown_kernel[] = "[kernel]_[k]";

/* Append NAME to the names of the current key.  CONTEXT is the naming.  False
   when memory ran out.  */
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

/* As add_name, with a name that FORMAT makes, cut off if it is too long.  */
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

/* Add the name of the kernel's function at ADDRESS, which lacks its bits 62
   and 63.  The suffix "_[k]" is the mark for kernel functions in flamegraph.pl
   and other tools for folded stacks.  */
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

/* Add the name of the code at OFFSET in FILE, or the name of FILE if the code
   has none.  Add the names of the functions that are inlined there, if wanted.
   For the same tools, "_[j]" marks code of just-in-time compilers.  */
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

/* Add the name of END: an enum sfw_end, KEY_NO_CODE or KEY_PREEMPTED.  */
static bool
add_end (struct naming *naming, uint64_t end)
{
  return add_in_brackets (
      naming, end == KEY_NO_CODE     ? "no code, caller guessed"
              : end == KEY_PREEMPTED ? "preempted"
                                     : unwind_end_name ((enum sfw_end)end));
}

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

/* Whether NODE becomes the root of the named profile.  If there is only one
   process, its node does, too.  */
static bool
is_root (const struct profile *profile, uint32_t node)
{
  return node == 0
         || (profile->processes.n == 1
             && profile->calls.nodes[node].key
                    == profile_key (KEY_OF_PROCESS, 0));
}

/* Return the names of all nodes but the root, indexed by node; to be freed.
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

/* Copy the log.  COPIES maps nodes of PROFILE to nodes of NAMED.  */
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

/* Add a chain of nodes with NAMES below PARENT and return the innermost one.
   0 when memory ran out.  */
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
      /* Nested kernel functions without names become one node.  */
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
