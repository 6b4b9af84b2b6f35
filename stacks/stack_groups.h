/* Threads with equal stacks, together.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_STACK_GROUPS_H
#define STACKS_STACK_GROUPS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/key_table.h"
#include "stacks/stack_walk.h"

struct stack_group
{
  const struct thread **threads; /* owned; in the order in which they came */
  size_t n, capacity;
  struct stack_walk walk; /* owned; of the first one */
};

struct stack_groups
{
  struct stack_group *groups; /* owned */
  size_t n, capacity;
  struct key_table numbers; /* of groups, until they are sorted, by walk */
};

/* Add THREAD, which must outlive GROUPS and has WALK (copied), to the group
   whose walks have the same addresses and end.  False when memory ran out.  */
bool stack_groups_add (struct stack_groups *groups,
                       const struct thread *thread,
                       const struct stack_walk *walk);

/* Order them, the largest one first.  */
void stack_groups_sort (struct stack_groups *groups);

void stack_groups_free (struct stack_groups *groups);

#endif /* STACKS_STACK_GROUPS_H */
