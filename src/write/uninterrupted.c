/* Steps that a signal must not end half-way.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "write/uninterrupted.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

static atomic_int inside;
static atomic_bool closing;

static void
nap (void)
{
  const struct timespec millisecond = { 0, 1000000 };
  nanosleep (&millisecond, NULL);
}

void
uninterrupted_begin (sigset_t *old)
{
  sigset_t all;
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, old);
  /* The thread first announces itself and then asks whether the process ends.
     The handler does both in the other order, so that one of the two sees the
     other.  */
  atomic_fetch_add (&inside, 1);
  if (atomic_load (&closing))
    {
      atomic_fetch_sub (&inside, 1);
      for (;;)
        nap ();
    }
}

void
uninterrupted_end (const sigset_t *old)
{
  atomic_fetch_sub (&inside, 1);
  pthread_sigmask (SIG_SETMASK, old, NULL);
}

void
uninterrupted_wait (void)
{
  atomic_store (&closing, true);
  while (atomic_load (&inside) > 0)
    nap ();
}
