/* Call trees, which count stacks, and profiles whose nodes have names.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_NAMED_PROFILE_H
#define STACKS_NAMED_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/table.h"

/* ---- Call trees.

   Nodes are indices.  The root is 0, and a caller has a lower index than its
   callees.  */

struct call_node
{
  uint64_t key;  /* of an address (profile.h), or the index of a name */
  uint64_t self; /* weight of the node itself: samples or nanoseconds */
  uint32_t parent;
  uint32_t first, next; /* first callee, next one of the caller; 0: none */
};

struct call_tree
{
  struct call_node *nodes; /* owned */
  uint32_t n;
  size_t capacity;
  struct key_table numbers; /* of nodes, by caller and key */
};

/* Make an empty tree.  False when memory ran out.  */
bool call_tree_init (struct call_tree *tree);
void call_tree_free (struct call_tree *tree);

/* Return PARENT's child with KEY, added if new.  0 when memory ran out.  */
uint32_t call_tree_child (struct call_tree *tree, uint32_t parent,
                          uint64_t key);

/* Return the child of PARENT with KEY, or 0.  */
uint32_t call_tree_find (const struct call_tree *tree, uint32_t parent,
                         uint64_t key);

/* A node and its key, for sorting.  */
struct keyed_node
{
  uint64_t key;
  uint32_t node;
};

/* Return all nodes of TREE by key; to be freed.  NULL when memory ran out.  */
struct keyed_node *call_tree_by_key (const struct call_tree *tree);

/* Sort callees by their keys, which may have changed.  False when memory ran
   out.  */
bool call_tree_sort (struct call_tree *tree);

/* Set TOTALS[i] to the weight of node i and of all its descendants.  TOTALS
   has room for tree->n numbers.  */
void call_tree_sum (const struct call_tree *tree, uint64_t *totals);

/* Return the node after NODE in preorder; 0 at the end.  */
uint32_t call_tree_next (const struct call_tree *tree, uint32_t node);

/* ---- Profiles */

/* A sample: a thread was in a node at a time.  */
struct profile_sample
{
  uint64_t time; /* nanoseconds; 0: not known */
  /* 1; of time off the processor, the nanoseconds that the thread waited.  */
  uint64_t weight;
  uint32_t thread; /* PROFILE_NO_THREAD: memory ran out */
  uint32_t node;
};
#define PROFILE_NO_THREAD UINT32_MAX

struct profile_thread
{
  pid_t pid, tid;
  uint64_t birth;    /* 0, 1, ... in the order of threads with these numbers */
  char name[16];     /* of the process */
  char own_name[16]; /* of the thread, the last one; "" if not known */
};

/* Names, each stored once, by index.  */
struct name_list
{
  char **list; /* owned, also each name */
  size_t n, capacity;
  struct key_table numbers;
};

/* Return the index of the name of LENGTH bytes at TEXT, and add a copy if it
   is new.  UINT32_MAX when memory ran out.  */
uint32_t name_list_number (struct name_list *names, const char *text,
                           size_t length);
void name_list_free (struct name_list *names);

/* A profile whose nodes are functions.  */
struct named_profile
{
  const char *process; /* name of the only process; NULL: the processes are the
                          children of the root */
  bool off_cpu;        /* weights are nanoseconds off the processor */
  unsigned levels;     /* levels of processes and threads */
  struct call_tree calls;     /* keys: indices of names */
  uint64_t *totals;           /* owned: by node, with descendants */
  struct name_list names;     /* sorted, so `numbers' is no longer valid */
  struct profile_sample *log; /* owned; its nodes are those of `calls' */
  size_t n_log;
  const struct profile_thread *threads; /* the profile's */
  size_t n_threads;
};

/* Sort names and callees, and sum up.  False when memory ran out.  */
bool named_profile_finish (struct named_profile *named);

void named_profile_free (struct named_profile *named);

/* Make TO, the inverted profile of FROM: each stack begins with its innermost
   function, below which are the callers.  TO borrows the names of FROM, and
   has to be freed by profile_inverted_free even after a failure.  False when
   memory ran out.  */
bool profile_invert (const struct named_profile *from,
                     struct named_profile *to);
void profile_inverted_free (struct named_profile *inverted);

#endif /* STACKS_NAMED_PROFILE_H */
