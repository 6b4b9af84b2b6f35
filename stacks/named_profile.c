/* Call trees, and profiles whose nodes have names, also inverted ones.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/named_profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/radix.h"
#include "stacks/shortage.h"

/* ---- Trees */

static bool
grow (struct call_tree *tree)
{
  return ARRAY_ROOM (tree->nodes, tree->n + (size_t)1, &tree->capacity)
         || shortage_note ();
}

static uint32_t
hash_of (const struct call_tree *tree, uint32_t parent, uint64_t key)
{
  return key_of_pair (&tree->numbers, parent, key);
}

/* Return the child of PARENT with KEY, or 0.  HASH is that of both.  */
static uint32_t
find (const struct call_tree *tree, uint32_t hash, uint32_t parent,
      uint64_t key)
{
  uint32_t node = KEY_FIND (&tree->numbers, hash, i,
                            tree->nodes[i].key == key
                                && tree->nodes[i].parent == parent);
  return node != UINT32_MAX ? node : 0;
}

bool
call_tree_init (struct call_tree *tree)
{
  *tree = (struct call_tree){ 0 };
  if (!grow (tree))
    return false;
  key_table_set_seed (&tree->numbers);
  tree->nodes[tree->n++] = (struct call_node){ 0 };
  return true;
}

void
call_tree_free (struct call_tree *tree)
{
  free (tree->nodes);
  key_table_free (&tree->numbers);
  *tree = (struct call_tree){ 0 };
}

uint32_t
call_tree_child (struct call_tree *tree, uint32_t parent, uint64_t key)
{
  uint32_t hash = hash_of (tree, parent, key);
  uint32_t found = find (tree, hash, parent, key);
  if (found != 0)
    return found;
  if (!grow (tree)
      || !(key_table_add (&tree->numbers, hash, tree->n) || shortage_note ()))
    return 0;
  uint32_t made = tree->n++;
  tree->nodes[made] = (struct call_node){ .key = key,
                                          .parent = parent,
                                          .next = tree->nodes[parent].first };
  tree->nodes[parent].first = made;
  return made;
}

uint32_t
call_tree_find (const struct call_tree *tree, uint32_t parent, uint64_t key)
{
  return find (tree, hash_of (tree, parent, key), parent, key);
}

struct keyed_node *
call_tree_by_key (const struct call_tree *tree)
{
  struct keyed_node *keyed = calloc (tree->n, sizeof *keyed);
  for (uint32_t i = 0; keyed != NULL && i < tree->n; i++)
    keyed[i] = (struct keyed_node){ tree->nodes[i].key, i };
  if (keyed != NULL && RADIX_SORT (keyed, tree->n))
    return keyed;
  free (keyed);
  return NULL;
}

bool
call_tree_sort (struct call_tree *tree)
{
  struct keyed_node *keyed = call_tree_by_key (tree);
  if (keyed == NULL)
    return false;
  for (uint32_t i = 0; i < tree->n; i++)
    tree->nodes[i].first = 0;
  /* Put each callee in front of those with greater keys.  */
  for (uint32_t i = tree->n; i-- > 0;)
    if (keyed[i].node != 0)
      {
        struct call_node *node = &tree->nodes[keyed[i].node];
        node->next = tree->nodes[node->parent].first;
        tree->nodes[node->parent].first = keyed[i].node;
      }
  free (keyed);
  key_table_clear (&tree->numbers);
  for (uint32_t i = 1; i < tree->n; i++)
    (void)key_table_add (
        &tree->numbers,
        hash_of (tree, tree->nodes[i].parent, tree->nodes[i].key), i);
  return true;
}

void
call_tree_sum (const struct call_tree *tree, uint64_t *totals)
{
  for (uint32_t i = 0; i < tree->n; i++)
    totals[i] = tree->nodes[i].self;
  for (uint32_t i = tree->n; --i > 0;)
    totals[tree->nodes[i].parent] += totals[i];
}

uint32_t
call_tree_next (const struct call_tree *tree, uint32_t node)
{
  if (tree->nodes[node].first != 0)
    return tree->nodes[node].first;
  while (node != 0 && tree->nodes[node].next == 0)
    node = tree->nodes[node].parent;
  return node != 0 ? tree->nodes[node].next : 0;
}

/* ---- Profiles */

/* A name and its index, for sorting.  */
struct name
{
  char *text; /* borrowed from the profile */
  uint64_t number;
};

static int
by_text (const void *a, const void *b)
{
  const struct name *x = a, *y = b;
  return strcmp (x->text, y->text);
}

uint32_t
name_list_number (struct name_list *names, const char *text, size_t length)
{
  size_t n = names->n;
  uint32_t hash = key_of_bytes (&names->numbers, 0, text, length);
  uint32_t found = KEY_FIND (&names->numbers, hash, i,
                             strncmp (names->list[i], text, length) == 0
                                 && names->list[i][length] == '\0');
  if (found != UINT32_MAX)
    return found;
  if (!ARRAY_ROOM (names->list, n + 1, &names->capacity)
      || (names->list[n] = strndup (text, length)) == NULL)
    return UINT32_MAX;
  names->n++;
  return key_table_add (&names->numbers, hash, n) ? (uint32_t)n : UINT32_MAX;
}

void
name_list_free (struct name_list *names)
{
  key_table_free (&names->numbers);
  for (size_t i = 0; i < names->n; i++)
    free (names->list[i]);
  free (names->list);
}

/* Sort the callees by their names, whose list is sorted, and sum up.  False
   when memory ran out.  */
static bool
named_profile_sum (struct named_profile *named)
{
  named->totals = call_tree_sort (&named->calls)
                      ? calloc (named->calls.n, sizeof *named->totals)
                      : NULL;
  if (named->totals != NULL)
    call_tree_sum (&named->calls, named->totals);
  return named->totals != NULL;
}

bool
named_profile_finish (struct named_profile *named)
{
  const size_t n = named->names.n;
  struct name *sorted = calloc (n + 1, sizeof *sorted);
  uint64_t *order = calloc (n + 1, sizeof *order); /* new indices, by old */
  if (sorted == NULL || order == NULL)
    {
      free (sorted);
      free (order);
      return false;
    }
  for (uint64_t i = 0; i < n; i++)
    sorted[i] = (struct name){ named->names.list[i], i };
  qsort (sorted, n, sizeof *sorted, by_text);
  for (uint64_t i = 0; i < n; i++)
    {
      named->names.list[i] = sorted[i].text;
      order[sorted[i].number] = i;
    }
  for (uint32_t i = 1; i < named->calls.n; i++)
    named->calls.nodes[i].key = order[named->calls.nodes[i].key];
  free (sorted);
  free (order);
  return named_profile_sum (named);
}

void
named_profile_free (struct named_profile *named)
{
  name_list_free (&named->names);
  free (named->totals);
  free (named->log);
  call_tree_free (&named->calls);
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
