/* Stacks, counted: a tree of calls.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Nodes are numbers; 0 is the root, and callers have lower numbers than what
   they call.  */

#ifndef STACKS_CALL_TREE_H
#define STACKS_CALL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/key_table.h"

struct call_node
{
  uint64_t key;  /* what the node is for: an address, or a name's number */
  uint64_t self; /* what was counted in the node itself: samples, or time */
  uint32_t parent;
  uint32_t first, next; /* callee, and the next one of the same caller; 0:
                           none */
};

struct call_tree
{
  struct call_node *nodes; /* owned */
  uint32_t n;
  size_t capacity;
  struct key_table numbers; /* of nodes, by caller and key */
};

/* An empty tree.  False when memory ran out.  */
bool call_tree_init (struct call_tree *tree);
void call_tree_free (struct call_tree *tree);

/* The node for KEY called by PARENT.  It is made if there is none.  0 when
   memory ran out.  */
uint32_t call_tree_child (struct call_tree *tree, uint32_t parent,
                          uint64_t key);

/* The same if there is one, else 0.  */
uint32_t call_tree_find (const struct call_tree *tree, uint32_t parent,
                         uint64_t key);

/* A node of a tree that is listed by keys.  */
struct keyed_node
{
  uint64_t key;
  uint32_t node;
};

/* All nodes of TREE in the order of their keys; to be freed.  NULL when memory
   ran out.  */
struct keyed_node *call_tree_by_key (const struct call_tree *tree);

/* Order the callees of every node by their keys, which may have been changed.
   False when memory ran out.  */
bool call_tree_sort (struct call_tree *tree);

/* Set TOTALS[i] to what was counted in node i and in all that it calls; there
   is room for tree->n numbers.  */
void call_tree_sum (const struct call_tree *tree, uint64_t *totals);

/* The node after NODE in a walk over all nodes from the root on, callers
   first; 0 at the end.  */
uint32_t call_tree_next (const struct call_tree *tree, uint32_t node);

#endif /* STACKS_CALL_TREE_H */
