/* Running one function in a thread of its own.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "base/background.h"

#include <signal.h>
#include <stddef.h>

/* The size of the thread's stack, in bytes.  A conversion needs 124 KiB.  The
   default size is less than that where "ulimit -s" is low, and hardly more
   with musl, whose default is 128 KiB.  */
enum
{
  STACK_SIZE = 1 << 20
};

static void *
background_run (void *argument)
{
  struct background *background = argument;
  background->work (background->argument);
  return NULL;
}

void
background_start (struct background *background, void (*work) (void *argument),
                  void *argument)
{
  pthread_attr_t attributes;
  sigset_t all, old;
  pthread_attr_init (&attributes);
  pthread_attr_setstacksize (&attributes, STACK_SIZE);
  background->work = work;
  background->argument = argument;
  sigfillset (&all);
  /* SIGBUS is not blocked, because the kernel ends a process that blocks the
     SIGBUS of its own read from a mapped file (mapped_file.h).  */
  sigdelset (&all, SIGBUS);
  pthread_sigmask (SIG_SETMASK, &all, &old);
  background->threaded = pthread_create (&background->thread, &attributes,
                                         background_run, background)
                         == 0;
  pthread_sigmask (SIG_SETMASK, &old, NULL);
  pthread_attr_destroy (&attributes);
}

void
background_wait (struct background *background)
{
  if (background->work == NULL)
    return;
  if (background->threaded)
    pthread_join (background->thread, NULL);
  else
    background->work (background->argument);
  background->work = NULL;
}
