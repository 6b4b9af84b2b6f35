/* Profiles as a table: the functions that take most.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/top.h"

#include <stdlib.h>
#include <string.h>

#include "base/printable.h"

/* Whether a caller of NODE, directly or not, is the same function.  */
static bool
calls_itself (const struct call_tree *tree, uint32_t node)
{
  uint64_t key = tree->nodes[node].key;
  for (uint32_t i = tree->nodes[node].parent; i != 0;
       i = tree->nodes[i].parent)
    if (tree->nodes[i].key == key)
      return true;
  return false;
}

/* Add what was counted in the nodes of PROFILE to the shares of their names.
   DEPTH has room for a number for each node.  */
static void
add_nodes (const struct named_profile *profile, unsigned *depth,
           struct function_share *shares)
{
  const struct call_tree *tree = &profile->calls;
  /* Callers have lower numbers.  */
  for (uint32_t i = 1; i < tree->n; i++)
    {
      const struct call_node *node = &tree->nodes[i];
      struct function_share *share = &shares[node->key];
      depth[i] = depth[node->parent] + 1;
      if (depth[i] <= profile->levels)
        continue;
      share->self += node->self;
      if (!calls_itself (tree, i))
        share->total += profile->totals[i];
    }
}

static int
by_share (const void *a, const void *b)
{
  const struct function_share *x = a, *y = b;
  return x->self != y->self     ? (x->self < y->self ? 1 : -1)
         : x->total != y->total ? (x->total < y->total ? 1 : -1)
                                : strcmp (x->name, y->name);
}

/* A name in brackets says why walks ended, unless something was counted
   there: then it is code without a name.  */
static bool
is_function (const struct function_share *share)
{
  return share->self > 0 || (share->total > 0 && share->name[0] != '[');
}

struct function_share *
top_list (const struct named_profile *profile, size_t *n)
{
  struct function_share *shares
      = calloc (profile->n_names + 1, sizeof *shares);
  unsigned *depth = calloc (profile->calls.n, sizeof *depth);
  *n = 0;
  if (shares == NULL || depth == NULL)
    {
      free (shares);
      free (depth);
      return NULL;
    }
  add_nodes (profile, depth, shares);
  free (depth);
  for (uint64_t i = 0; i < profile->n_names; i++)
    {
      shares[i].name = profile->names[i];
      if (is_function (&shares[i]))
        shares[(*n)++] = shares[i];
    }
  qsort (shares, *n, sizeof *shares, by_share);
  return shares;
}

bool
top_print (const struct named_profile *profile, size_t lines, FILE *out)
{
  size_t n;
  struct function_share *shares = top_list (profile, &n);
  double all = (double)profile->totals[0] / 100;
  if (shares == NULL)
    return false;
  fputs ("   self    total  function\n", out);
  for (size_t i = 0; i < n && i < lines; i++)
    {
      fprintf (out, "%5.1f %%  %5.1f %%  ", (double)shares[i].self / all,
               (double)shares[i].total / all);
      printable_put (shares[i].name, out);
      fputc ('\n', out);
    }
  free (shares);
  return true;
}
