/* Stacks, counted: a tree of calls.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "stacks/named_profile.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/radix.h"
#include "stacks/shortage.h"

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

/* The node for KEY called by PARENT, which has the HASH of both; 0: none.  */
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
  /* Each callee goes in front of those with greater keys.  */
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
