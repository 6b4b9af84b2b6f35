/* Steps that a signal must not end half-way.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "write/uninterrupted.h"

#include <errno.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int inside; /* threads */
static atomic_bool closing;
static _Thread_local unsigned depth;

bool
uninterrupted_begin (sigset_t *old)
{
  sigset_t all;
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, old);
  if (depth++ > 0)
    return true;
  /* The thread first announces itself and then asks whether the process ends.
     The handler does both in the other order, so that one of the two sees the
     other.  */
  atomic_fetch_add (&inside, 1);
  if (!atomic_load (&closing))
    return true;
  uninterrupted_end (old);
  errno = EINTR;
  return false;
}

void
uninterrupted_end (const sigset_t *old)
{
  if (--depth == 0)
    atomic_fetch_sub (&inside, 1);
  pthread_sigmask (SIG_SETMASK, old, NULL);
}

void
uninterrupted_wait (void)
{
  const struct timespec millisecond = { 0, 1000000 };
  atomic_store (&closing, true);
  for (int i = 0; i < 1000 && atomic_load (&inside) > 0; i++)
    nanosleep (&millisecond, NULL);
}
