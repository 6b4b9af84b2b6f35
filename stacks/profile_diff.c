/* Two profiles, compared; and a profile from the other side.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/profile_diff.h"

#include <stdlib.h>
#include <string.h>

#include "stacks/folded.h"

static int
by_text (const void *text, const void *name)
{
  return strcmp (text, *(char *const *)name);
}

uint64_t
profile_diff_name (const struct named_profile *now, uint64_t number,
                   const struct named_profile *old)
{
  char text[FOLDED_NAME_SIZE];
  folded_name (now->names.list[number], text);
  char **found = bsearch (text, old->names.list, old->names.n,
                          sizeof *old->names.list, by_text);
  return found != NULL ? (uint64_t)(found - old->names.list) : old->names.n;
}

/* Add to BEFORE what the nodes of NOW weigh in OLD, below ROOT there.  NAMES
   has the numbers of the names in OLD.  NODES, of as many nodes, become those
   of OLD; UINT32_MAX: there is none.  */
static void
add_nodes (const struct named_profile *now, const struct named_profile *old,
           uint32_t root, const uint64_t *names, uint32_t *nodes,
           uint64_t *before)
{
  nodes[0] = root;
  before[0] += old->totals[root];
  for (uint32_t i = 1; i < now->calls.n; i++)
    {
      const struct call_node *node = &now->calls.nodes[i];
      uint32_t caller = nodes[node->parent], found = 0;
      if (caller != UINT32_MAX)
        found = call_tree_find (&old->calls, caller, names[node->key]);
      nodes[i] = found != 0 ? found : UINT32_MAX;
      before[i] += found != 0 ? old->totals[found] : 0;
    }
}

bool
profile_diff_nodes (const struct named_profile *now,
                    const struct named_profile *old, uint64_t **before)
{
  uint32_t n = now->calls.n;
  uint32_t *nodes = calloc (n, sizeof *nodes);
  uint64_t *names = calloc (now->names.n + 1, sizeof *names);
  *before = calloc (n, sizeof **before);
  bool done = nodes != NULL && names != NULL && *before != NULL;
  for (uint64_t i = 0; done && i < now->names.n; i++)
    names[i] = profile_diff_name (now, i, old);
  if (done && old->levels == now->levels)
    add_nodes (now, old, 0, names, nodes, *before);
  else if (done)
    for (uint32_t i = old->calls.nodes[0].first; i != 0;
         i = old->calls.nodes[i].next)
      add_nodes (now, old, i, names, nodes, *before);
  free (nodes);
  free (names);
  return done;
}

bool
profile_invert (const struct named_profile *from, struct named_profile *to)
{
  const struct call_tree *tree = &from->calls;
  *to = *from;
  to->totals = NULL;
  to->levels = 0;
  if (!call_tree_init (&to->calls))
    return false;
  for (uint32_t i = 0; i < tree->n; i++)
    {
      uint32_t node = 0;
      if (tree->nodes[i].self == 0)
        continue;
      for (uint32_t at = i; at != 0; at = tree->nodes[at].parent)
        {
          node = call_tree_child (&to->calls, node, tree->nodes[at].key);
          if (node == 0)
            return false;
        }
      to->calls.nodes[node].self += tree->nodes[i].self;
    }
  return named_profile_sum (to);
}

void
profile_inverted_free (struct named_profile *inverted)
{
  call_tree_free (&inverted->calls);
  free (inverted->totals);
}
