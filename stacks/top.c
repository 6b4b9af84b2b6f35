/* The table of the functions that take most.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/profile_writers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"

/* Add the weights of the nodes of PROFILE to the shares of their names.  A
   recursive function counts once in its total: ACTIVE[i], which is 0 at first,
   is how many nodes from the root to the current one have name i.  */
static void
add_nodes (const struct named_profile *profile, uint32_t *active,
           struct function_share *shares)
{
  const struct call_node *nodes = profile->calls.nodes;
  uint32_t depth = 0;
  for (uint32_t i = 0, next; (next = call_tree_next (&profile->calls, i)) != 0;
       i = next)
    {
      const struct call_node *node = &nodes[next];
      struct function_share *share = &shares[node->key];
      for (uint32_t left = i; left != node->parent;
           left = nodes[left].parent, depth--)
        active[nodes[left].key] -= depth > profile->levels;
      if (++depth <= profile->levels)
        continue;
      share->self += (double)node->self;
      if (active[node->key]++ == 0)
        share->total += (double)profile->totals[next];
    }
}

/* Return the shares of all names of PROFILE, by index, with room for MORE; to
   be freed.  NULL when memory ran out.  */
static struct function_share *
shares_of (const struct named_profile *profile, size_t more)
{
  struct function_share *shares
      = calloc (profile->names.n + more + 1, sizeof *shares);
  uint32_t *active = calloc (profile->names.n + 1, sizeof *active);
  if (shares != NULL && active != NULL)
    add_nodes (profile, active, shares);
  else
    {
      free (shares);
      shares = NULL;
    }
  /* The sums are whole numbers until here: equal shares are equal.  */
  double all = (double)profile->totals[0] / 100;
  for (uint64_t i = 0; shares != NULL && i < profile->names.n; i++)
    {
      shares[i].name = profile->names.list[i];
      shares[i].self = all > 0 ? shares[i].self / all : 0;
      shares[i].total = all > 0 ? shares[i].total / all : 0;
    }
  free (active);
  return shares;
}

/* Set the changes of SHARES, those of PROFILE, since OLD, and append the
   functions that only OLD has.  False when memory ran out.  */
static bool
add_old (struct function_share *shares, const struct named_profile *profile,
         const struct named_profile *old)
{
  struct function_share *before = shares_of (old, 0);
  size_t n = profile->names.n;
  if (before == NULL)
    return false;
  for (uint64_t i = 0; i < profile->names.n; i++)
    {
      uint64_t number = folded_name_in (profile, i, old);
      shares[i].change = shares[i].self;
      if (number == old->names.n)
        continue;
      shares[i].change -= before[number].self;
      before[number].self = 0;
    }
  for (uint64_t i = 0; i < old->names.n; i++)
    if (before[i].self > 0)
      shares[n++] = (struct function_share){ .name = before[i].name,
                                             .change = -before[i].self };
  free (before);
  return true;
}

static int
by_share (const void *a, const void *b)
{
  const struct function_share *x = a, *y = b;
  double first = fabs (x->change), second = fabs (y->change);
  return first != second        ? (first < second ? 1 : -1)
         : x->self != y->self   ? (x->self < y->self ? 1 : -1)
         : x->total != y->total ? (x->total < y->total ? 1 : -1)
                                : strcmp (x->name, y->name);
}

/* Whether SHARE is a function.  A name in brackets is the reason why walks
   ended, unless it has a share of its own: then it is code without a name.  */
static bool
is_function (const struct function_share *share)
{
  return share->self > 0 || share->change < 0
         || (share->total > 0 && share->name[0] != '[');
}

struct function_share *
top_list (const struct named_profile *profile, const struct named_profile *old,
          size_t *n)
{
  uint64_t more = old != NULL ? old->names.n : 0;
  struct function_share *shares = shares_of (profile, more);
  *n = 0;
  if (shares == NULL || (old != NULL && !add_old (shares, profile, old)))
    {
      free (shares);
      return NULL;
    }
  for (uint64_t i = 0; i < profile->names.n + more; i++)
    if (shares[i].name != NULL && is_function (&shares[i]))
      shares[(*n)++] = shares[i];
  qsort (shares, *n, sizeof *shares, by_share);
  return shares;
}

bool
top_print (const struct named_profile *profile,
           const struct named_profile *old, size_t lines, FILE *out)
{
  size_t n;
  struct function_share *shares = top_list (profile, old, &n);
  if (shares == NULL)
    return false;
  fprintf (out, "   self    total  %sfunction\n",
           old != NULL ? " change  " : "");
  for (size_t i = 0; i < n && i < lines; i++)
    {
      fprintf (out, "%5.1f %%  %5.1f %%  ", shares[i].self, shares[i].total);
      if (old != NULL)
        fprintf (out, "%+6.1f  ", shares[i].change);
      printable_put (shares[i].name, out);
      fputc ('\n', out);
    }
  free (shares);
  return true;
}
