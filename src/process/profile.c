/* Samples of a process's stacks, walked by SFrame and counted.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "process/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process/live.h"

enum
{
  FRAMES_MAX = 4096
};

/* Keys of nodes for ends: behind all addresses of programs.  */
static const uint64_t first_end = UINT64_MAX - CFI2SFRAME_STEP_INVALID;

bool
profile_init (struct profile *profile, struct process *process)
{
  *profile = (struct profile){ .process = process };
  return call_tree_init (&profile->addresses)
         && walk_init (&profile->walk, FRAMES_MAX);
}

void
profile_free (struct profile *profile)
{
  call_tree_free (&profile->addresses);
  walk_free (&profile->walk);
}

static bool
is_complete (enum cfi2sframe_step end)
{
  return end == CFI2SFRAME_STEP_OUTERMOST || end == CFI2SFRAME_STEP_ZERO;
}

void
profile_take (struct profile *profile, const struct registers *registers)
{
  struct walk *walk = &profile->walk;
  struct call_tree *tree = &profile->addresses;
  walk_by_sframe (profile->process, registers, walk);
  profile->samples++;
  profile->ends[walk->end]++;
  uint32_t node = 0;
  if (!is_complete (walk->end))
    node = call_tree_child (tree, 0, first_end + walk->end);
  for (size_t i = walk->n; i-- > 0;)
    {
      const struct frame *frame = &walk->frames[i];
      uint32_t callee
          = call_tree_child (tree, node, frame->pc - !frame->interrupted);
      /* Without memory for more, the caller gets it.  */
      if (callee == 0)
        break;
      node = callee;
    }
  tree->nodes[node].self++;
}

void
profile_refresh (struct profile *profile)
{
  struct error err;
  bool changed;
  /* What is known stays when the process has ended.  */
  if (live_refresh (profile->process, &changed, &err) && changed)
    live_report_dwfl (profile->process);
}

uint64_t
profile_complete (const struct profile *profile)
{
  return profile->ends[CFI2SFRAME_STEP_OUTERMOST]
         + profile->ends[CFI2SFRAME_STEP_ZERO];
}

/* Naming.  */

/* What to call the call at ADDRESS, or the end that is its number; to be
   freed.  */
static char *
name_of (const struct process *process, uint64_t address, unsigned wanted)
{
  char *name = NULL;
  struct symbol symbol;
  if (address >= first_end)
    return asprintf (&name, "[%s]",
                     cfi2sframe_step_name (
                         (enum cfi2sframe_step) (address - first_end)))
                   < 0
               ? NULL
               : name;
  symbol_find (process->dwfl, address, true, wanted, &symbol);
  if (symbol.name[0] != '\0')
    return strdup (symbol.name);
  const struct module *module = process_module_at (process, address);
  const char *path = module != NULL ? module->path : "[unknown]";
  const char *slash = strrchr (path, '/');
  return asprintf (&name, *path == '[' ? "%s" : "[%s]",
                   slash != NULL ? slash + 1 : path)
                 < 0
             ? NULL
             : name;
}

static int
by_name (const void *a, const void *b)
{
  return strcmp (*(char *const *)a, *(char *const *)b);
}

/* The names of all nodes of TREE but the root, by node, each to be freed.  */
static char **
node_names (const struct profile *profile, unsigned wanted)
{
  const struct call_tree *tree = &profile->addresses;
  char **names = calloc (tree->n, sizeof *names);
  bool complete = names != NULL;
  for (uint32_t i = 1; complete && i < tree->n; i++)
    complete
        = (names[i] = name_of (profile->process, tree->nodes[i].key, wanted))
          != NULL;
  if (complete)
    return names;
  for (uint32_t i = 1; names != NULL && i < tree->n; i++)
    free (names[i]);
  free (names);
  return NULL;
}

/* Take over the N names, sorted and each once.  */
static bool
collect_names (struct named_profile *named, char *const *names, uint32_t n)
{
  named->names = calloc (n, sizeof *named->names);
  if (named->names == NULL)
    return false;
  memcpy (named->names, names + 1, (n - 1) * sizeof *names);
  qsort (named->names, n - 1, sizeof *names, by_name);
  for (uint32_t i = 0; i < n - 1; i++)
    if (named->n_names == 0
        || strcmp (named->names[named->n_names - 1], named->names[i]) != 0)
      named->names[named->n_names++] = named->names[i];
  for (uint64_t i = 0; i < named->n_names; i++)
    if ((named->names[i] = strdup (named->names[i])) == NULL)
      {
        named->n_names = i;
        return false;
      }
  return true;
}

static int
by_key (uint64_t a, uint64_t b, void *unused)
{
  (void)unused;
  return (a > b) - (a < b);
}

/* Copy PROFILE's tree, node by node, to one of names.  */
static bool
copy_calls (const struct profile *profile, struct named_profile *named,
            char *const *names)
{
  const struct call_tree *from = &profile->addresses;
  uint32_t *copies = calloc (from->n, sizeof *copies);
  bool copied = copies != NULL;
  for (uint32_t i = 1; copied && i < from->n; i++)
    {
      char **found = bsearch (&names[i], named->names, named->n_names,
                              sizeof *names, by_name);
      copies[i]
          = call_tree_child (&named->calls, copies[from->nodes[i].parent],
                             (uint64_t)(found - named->names));
      copied = copies[i] != 0;
      named->calls.nodes[copies[i]].self += from->nodes[i].self;
    }
  named->calls.nodes[0].self = from->nodes[0].self;
  free (copies);
  return copied;
}

bool
profile_name (const struct profile *profile, unsigned wanted,
              struct named_profile *named)
{
  *named = (struct named_profile){ 0 };
  uint32_t n = profile->addresses.n;
  char **names = node_names (profile, wanted);
  bool done = names != NULL && call_tree_init (&named->calls)
              && collect_names (named, names, n)
              && copy_calls (profile, named, names);
  for (uint32_t i = 1; names != NULL && i < n; i++)
    free (names[i]);
  free (names);
  if (!done)
    return false;
  call_tree_sort (&named->calls, by_key, NULL);
  named->totals = calloc (named->calls.n, sizeof *named->totals);
  if (named->totals == NULL)
    return false;
  call_tree_sum (&named->calls, named->totals);
  return true;
}

void
named_profile_free (struct named_profile *named)
{
  for (uint64_t i = 0; i < named->n_names; i++)
    free (named->names[i]);
  free (named->names);
  free (named->totals);
  call_tree_free (&named->calls);
}
