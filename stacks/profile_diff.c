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

/* Set BEFORE to what the nodes of NOW have of TOTALS, those of the calls OLD.
   NAMES has the numbers of the names there.  NODES, of as many nodes, become
   those of OLD; 0: there is none.  */
static void
match_nodes (const struct call_tree *now, const struct call_tree *old,
             const uint64_t *totals, const uint64_t *names, uint32_t *nodes,
             uint64_t *before)
{
  before[0] = totals[0];
  for (uint32_t i = 1; i < now->n; i++)
    {
      const struct call_node *node = &now->nodes[i];
      if (node->parent == 0 || nodes[node->parent] != 0)
        nodes[i] = call_tree_find (old, nodes[node->parent], names[node->key]);
      before[i] = nodes[i] != 0 ? totals[nodes[i]] : 0;
    }
}

/* Make *MERGED the calls of OLD without its processes, and *TOTALS what they
   weigh.  Both are to be freed.  False when memory ran out.  */
static bool
merge_processes (const struct named_profile *old, struct call_tree *merged,
                 uint64_t **totals)
{
  const struct call_tree *all = &old->calls;
  uint32_t *copies = calloc (all->n, sizeof *copies);
  *totals = calloc (all->n, sizeof **totals);
  bool done = call_tree_init (merged) && copies != NULL && *totals != NULL;
  for (uint32_t i = 1; done && i < all->n; i++)
    {
      const struct call_node *node = &all->nodes[i];
      if (node->parent != 0)
        copies[i] = call_tree_child (merged, copies[node->parent], node->key);
      done = node->parent == 0 || copies[i] != 0;
      (*totals)[copies[i]] += old->totals[i];
    }
  free (copies);
  return done;
}

bool
profile_diff_nodes (const struct named_profile *now,
                    const struct named_profile *old, uint64_t **before)
{
  struct call_tree merged = { 0 };
  uint64_t *totals = NULL;
  uint32_t n = now->calls.n;
  uint32_t *nodes = calloc (n, sizeof *nodes);
  uint64_t *names = calloc (now->names.n + 1, sizeof *names);
  *before = calloc (n, sizeof **before);
  bool same = old->levels == now->levels;
  bool done = nodes != NULL && names != NULL && *before != NULL
              && (same || merge_processes (old, &merged, &totals));
  for (uint64_t i = 0; done && i < now->names.n; i++)
    names[i] = profile_diff_name (now, i, old);
  if (done)
    match_nodes (&now->calls, same ? &old->calls : &merged,
                 same ? old->totals : totals, names, nodes, *before);
  call_tree_free (&merged);
  free (totals);
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
