/* Sharing functions out among threads.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "analysis/ahead.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/background.h"

enum
{
  THREADS_MAX = 16,
  /* A thread is worth its start from so many functions on.  */
  FUNCTIONS_PER_THREAD = 16
};

struct worker
{
  struct ahead *ahead;
  struct follower *follower;
  struct background background;
};

struct ahead
{
  struct worker workers[THREADS_MAX];
  unsigned n_workers;
  struct followed *items;
  size_t n;
  atomic_size_t n_taken;
};

struct ahead *
ahead_new (const struct follower_options *options, unsigned threads)
{
  struct ahead *ahead = calloc (1, sizeof *ahead);
  if (!ahead)
    return NULL;
  do
    {
      struct worker *worker = &ahead->workers[ahead->n_workers++];
      worker->ahead = ahead;
      worker->follower = follower_new (options);
      if (!worker->follower)
        {
          ahead_free (ahead);
          return NULL;
        }
    }
  while (ahead->n_workers < threads && ahead->n_workers < THREADS_MAX);
  return ahead;
}

void
ahead_free (struct ahead *ahead)
{
  if (!ahead)
    return;
  for (unsigned i = 0; i < ahead->n_workers; i++)
    follower_free (ahead->workers[i].follower);
  free (ahead);
}

struct follower *
ahead_own (const struct ahead *ahead)
{
  return ahead->workers[0].follower;
}

/* Functions differ in size: each thread takes the next one when it is done
   with one.  */
static void
work (void *argument)
{
  const struct worker *worker = argument;
  struct ahead *ahead = worker->ahead;
  follower_forget (worker->follower);
  for (size_t i; (i = atomic_fetch_add (&ahead->n_taken, 1)) < ahead->n;)
    follower_follow (worker->follower, &ahead->items[i]);
}

void
ahead_follow (struct ahead *ahead, struct followed *items, size_t n)
{
  unsigned others = 0;
  ahead->items = items;
  ahead->n = n;
  atomic_store (&ahead->n_taken, 0);
  while (others + 1 < ahead->n_workers
         && n / FUNCTIONS_PER_THREAD > others + 1)
    {
      struct worker *other = &ahead->workers[++others];
      background_start (&other->background, work, other);
    }
  work (&ahead->workers[0]);
  while (others > 0)
    background_wait (&ahead->workers[others--].background);
}
