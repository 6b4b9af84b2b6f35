/* Work done beside: one function in a thread of its own.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "base/background.h"

#include <signal.h>
#include <stddef.h>

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
  sigset_t all, old;
  background->work = work;
  background->argument = argument;
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &old);
  background->threaded
      = pthread_create (&background->thread, NULL, background_run, background)
        == 0;
  pthread_sigmask (SIG_SETMASK, &old, NULL);
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
