/* Stacks, counted: a tree of calls.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "stacks/call_tree.h"

#include <stdlib.h>

#include "base/array.h"

static bool
grow (struct call_tree *tree)
{
  return tree->n < UINT32_MAX
         && ARRAY_ROOM (tree->nodes, tree->n + (size_t)1, &tree->capacity);
}

bool
call_tree_init (struct call_tree *tree)
{
  *tree = (struct call_tree){ 0 };
  if (!grow (tree))
    return false;
  tree->nodes[tree->n++] = (struct call_node){ 0 };
  return true;
}

void
call_tree_free (struct call_tree *tree)
{
  free (tree->nodes);
  *tree = (struct call_tree){ 0 };
}

/* A node that was found is put in front of its siblings: of many callees, few
   are called often.  */
uint32_t
call_tree_child (struct call_tree *tree, uint32_t parent, uint64_t key)
{
  uint32_t *first = &tree->nodes[parent].first;
  for (uint32_t *link = first; *link != 0; link = &tree->nodes[*link].next)
    if (tree->nodes[*link].key == key)
      {
        uint32_t found = *link;
        *link = tree->nodes[found].next;
        tree->nodes[found].next = *first;
        *first = found;
        return found;
      }
  if (!grow (tree))
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
  uint32_t node = tree->nodes[parent].first;
  while (node != 0 && tree->nodes[node].key != key)
    node = tree->nodes[node].next;
  return node;
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
