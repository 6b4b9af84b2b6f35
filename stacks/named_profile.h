/* Stacks, counted in a tree of calls, and profiles with functions instead of
   addresses.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_NAMED_PROFILE_H
#define STACKS_NAMED_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/table.h"

/* ---- A tree of calls.

   Nodes are numbers; 0 is the root, and callers have lower numbers than what
   they call.  */

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

/* ---- Profiles */

/* Where a thread was, and when.  */
struct profile_sample
{
  uint64_t time; /* nanoseconds; 0: not known */
  /* 1; of time off the processor how long it was, in nanoseconds.  */
  uint64_t weight;
  uint32_t thread; /* PROFILE_NO_THREAD: memory ran out */
  uint32_t node;
};
#define PROFILE_NO_THREAD UINT32_MAX

struct profile_thread
{
  pid_t pid, tid;
  uint64_t birth;    /* which of those with these numbers, by their order */
  char name[16];     /* of the process */
  char own_name[16]; /* that the thread has or had last; "" if not known */
};

/* Names, each once, by number.  */
struct name_list
{
  char **list; /* owned, as each is */
  size_t n, capacity;
  struct key_table numbers;
};

/* The number of the name of LENGTH bytes at TEXT; NAMES has a copy if it is
   new.  UINT32_MAX when memory ran out.  */
uint32_t name_list_number (struct name_list *names, const char *text,
                           size_t length);
void name_list_free (struct name_list *names);

/* A profile with functions instead of addresses.  */
struct named_profile
{
  const char *process; /* name of the only process; NULL: the processes are the
                          root's callees */
  bool off_cpu;        /* weights are nanoseconds off the processor */
  unsigned levels;     /* so many below the root are processes and threads */
  struct call_tree calls;     /* keys: numbers of names */
  uint64_t *totals;           /* owned: with callees, by node */
  struct name_list names;     /* sorted; not by their hashes any more */
  struct profile_sample *log; /* owned; nodes are those of `calls' */
  size_t n_log;
  const struct profile_thread *threads; /* the profile's */
  size_t n_threads;
};

/* Sort the names, order callees by them, and sum up.  False when memory ran
   out.  */
bool named_profile_finish (struct named_profile *named);

void named_profile_free (struct named_profile *named);

/* Make TO of FROM: each stack begins with its innermost function, and goes on
   with that one's callers.  TO has the names of FROM, and is to be freed by
   profile_inverted_free, also after a failure.  False when memory ran out.  */
bool profile_invert (const struct named_profile *from,
                     struct named_profile *to);
void profile_inverted_free (struct named_profile *inverted);

#endif /* STACKS_NAMED_PROFILE_H */
