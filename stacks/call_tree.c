/* Stacks, counted: a tree of calls.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "stacks/call_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/radix.h"

static bool
grow (struct call_tree *tree)
{
  return tree->n < UINT32_MAX
         && ARRAY_ROOM (tree->nodes, tree->n + (size_t)1, &tree->capacity);
}

/* The slot of the node for KEY called by PARENT, or the free one where it
   would be.  */
static size_t
slot_of (const struct call_tree *tree, uint32_t parent, uint64_t key)
{
  /* The numbers of MurmurHash3's last step, which mixes all bits.  */
  uint64_t hash = key ^ (uint64_t)parent << 32 ^ parent;
  hash = (hash ^ hash >> 33) * UINT64_C (0xff51afd7ed558ccd);
  hash = (hash ^ hash >> 33) * UINT64_C (0xc4ceb9fe1a85ec53);
  size_t slot = (hash ^ hash >> 33) & (tree->n_slots - 1);
  while (tree->slots[slot] != 0
         && (tree->nodes[tree->slots[slot]].key != key
             || tree->nodes[tree->slots[slot]].parent != parent))
    slot = (slot + 1) & (tree->n_slots - 1);
  return slot;
}

/* Put all nodes into the slots anew.  */
static void
fill_slots (struct call_tree *tree)
{
  memset (tree->slots, 0, tree->n_slots * sizeof *tree->slots);
  for (uint32_t i = 1; i < tree->n; i++)
    tree->slots[slot_of (tree, tree->nodes[i].parent, tree->nodes[i].key)] = i;
}

/* Make so many slots.  */
static bool
make_slots (struct call_tree *tree, size_t n)
{
  uint32_t *slots = reallocarray (tree->slots, n, sizeof *slots);
  if (slots == NULL)
    return false;
  tree->slots = slots;
  tree->n_slots = n;
  fill_slots (tree);
  return true;
}

bool
call_tree_init (struct call_tree *tree)
{
  enum
  {
    SLOTS = 64
  };
  *tree = (struct call_tree){ 0 };
  if (grow (tree) && make_slots (tree, SLOTS))
    {
      tree->nodes[tree->n++] = (struct call_node){ 0 };
      return true;
    }
  call_tree_free (tree);
  return false;
}

void
call_tree_free (struct call_tree *tree)
{
  free (tree->nodes);
  free (tree->slots);
  *tree = (struct call_tree){ 0 };
}

uint32_t
call_tree_child (struct call_tree *tree, uint32_t parent, uint64_t key)
{
  size_t slot = slot_of (tree, parent, key);
  if (tree->slots[slot] != 0)
    return tree->slots[slot];
  if (!grow (tree)
      || (tree->n >= tree->n_slots / 2
          && !make_slots (tree, 2 * tree->n_slots)))
    return 0;
  uint32_t made = tree->n++;
  tree->nodes[made] = (struct call_node){ .key = key,
                                          .parent = parent,
                                          .next = tree->nodes[parent].first };
  tree->nodes[parent].first = made;
  tree->slots[slot_of (tree, parent, key)] = made;
  return made;
}

uint32_t
call_tree_find (const struct call_tree *tree, uint32_t parent, uint64_t key)
{
  return tree->slots[slot_of (tree, parent, key)];
}

struct keyed_node *
call_tree_by_key (const struct call_tree *tree)
{
  void *nodes = calloc (tree->n, sizeof (struct keyed_node));
  struct keyed_node *keyed = nodes;
  for (uint32_t i = 0; nodes != NULL && i < tree->n; i++)
    keyed[i] = (struct keyed_node){ tree->nodes[i].key, i };
  if (nodes != NULL && radix_sort (&nodes, tree->n, sizeof *keyed))
    return nodes;
  free (nodes);
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
  fill_slots (tree);
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
