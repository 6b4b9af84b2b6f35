/* Threads with equal stacks, together.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/stack_walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static bool
same_walk (const struct stack_walk *a, const struct stack_walk *b)
{
  if (a->n != b->n || a->end != b->end)
    return false;
  /* Threads that differ do so near their start, as a rule.  */
  for (size_t i = a->n; i-- > 0;)
    if (a->frames[i].pc != b->frames[i].pc
        || a->frames[i].at_pc != b->frames[i].at_pc
        || a->frames[i].way != b->frames[i].way)
      return false;
  return true;
}

/* A new group for WALK, which has HASH, with room for one thread; NULL when
   memory ran out.  */
static struct stack_group *
add_group (struct stack_groups *groups, uint32_t hash,
           const struct stack_walk *walk)
{
  if (!ARRAY_ROOM (groups->groups, groups->n + 1, &groups->capacity))
    return NULL;
  struct stack_group *group = &groups->groups[groups->n];
  *group = (struct stack_group){ .walk.max = 0 };
  if (!ARRAY_ROOM (group->threads, 1, &group->capacity)
      || !stack_walk_init (&group->walk, walk->n)
      || !key_table_add (&groups->numbers, hash, groups->n))
    {
      free (group->threads);
      stack_walk_free (&group->walk);
      return NULL;
    }
  memcpy (group->walk.frames, walk->frames, walk->n * sizeof *walk->frames);
  group->walk.n = walk->n;
  group->walk.max = walk->max;
  group->walk.end = walk->end;
  groups->n++;
  return group;
}

bool
stack_groups_add (struct stack_groups *groups, const struct thread *thread,
                  const struct stack_walk *walk)
{
  uint32_t hash = key_of_number (&groups->numbers, walk->n);
  for (size_t i = 0; i < walk->n; i++)
    hash = key_of_pair (&groups->numbers, hash, walk->frames[i].pc);
  uint32_t found = KEY_FIND (&groups->numbers, hash, i,
                             same_walk (&groups->groups[i].walk, walk));
  struct stack_group *group = found != UINT32_MAX
                                  ? &groups->groups[found]
                                  : add_group (groups, hash, walk);
  if (group == NULL
      || !ARRAY_ROOM (group->threads, group->n + 1, &group->capacity))
    return false;
  group->threads[group->n++] = thread;
  return true;
}

static int
by_size (const void *a, const void *b)
{
  const struct stack_group *x = a, *y = b;
  if (x->n != y->n)
    return x->n < y->n ? 1 : -1;
  pid_t p = x->threads[0]->tid, q = y->threads[0]->tid;
  return (p > q) - (p < q);
}

void
stack_groups_sort (struct stack_groups *groups)
{
  if (groups->n > 0)
    qsort (groups->groups, groups->n, sizeof *groups->groups, by_size);
}

void
stack_groups_free (struct stack_groups *groups)
{
  for (size_t i = 0; i < groups->n; i++)
    {
      free (groups->groups[i].threads);
      stack_walk_free (&groups->groups[i].walk);
    }
  free (groups->groups);
  key_table_free (&groups->numbers);
  *groups = (struct stack_groups){ 0 };
}
