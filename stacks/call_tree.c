/* Stacks, counted: a tree of calls.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "stacks/call_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

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

/* Merge two sorted lists of callees.  */
static uint32_t
merge (struct call_tree *tree, uint32_t a, uint32_t b,
       int (*compare) (uint64_t a, uint64_t b, void *context), void *context)
{
  uint32_t head = 0, *end = &head;
  while (a != 0 && b != 0)
    {
      bool take_a
          = compare (tree->nodes[a].key, tree->nodes[b].key, context) <= 0;
      uint32_t *from = take_a ? &a : &b;
      *end = *from;
      end = &tree->nodes[*from].next;
      *from = *end;
    }
  *end = a != 0 ? a : b;
  return head;
}

/* Sort a list of callees, by merging runs of equal length (of bit I in
   RUNS).  */
static uint32_t
sort_list (struct call_tree *tree, uint32_t list,
           int (*compare) (uint64_t a, uint64_t b, void *context),
           void *context)
{
  uint32_t runs[32] = { 0 };
  while (list != 0)
    {
      uint32_t run = list;
      unsigned i = 0;
      list = tree->nodes[run].next;
      tree->nodes[run].next = 0;
      for (; i < 31 && runs[i] != 0; i++)
        {
          run = merge (tree, runs[i], run, compare, context);
          runs[i] = 0;
        }
      runs[i]
          = runs[i] != 0 ? merge (tree, runs[i], run, compare, context) : run;
    }
  uint32_t sorted = 0;
  for (unsigned i = 0; i < 32; i++)
    sorted = merge (tree, runs[i], sorted, compare, context);
  return sorted;
}

void
call_tree_sort (struct call_tree *tree,
                int (*compare) (uint64_t a, uint64_t b, void *context),
                void *context)
{
  for (uint32_t i = 0; i < tree->n; i++)
    tree->nodes[i].first
        = sort_list (tree, tree->nodes[i].first, compare, context);
  fill_slots (tree);
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
