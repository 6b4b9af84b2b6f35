/* Running one function in a thread of its own.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The thread blocks all signals but the SIGBUS that its own reads cause, so no
   other signal handler of the program runs in it.  If no thread can be
   created, background_wait calls the function itself.  */

#ifndef BASE_BACKGROUND_H
#define BASE_BACKGROUND_H

#include <pthread.h>
#include <stdbool.h>

struct background
{
  void (*work) (void *argument); /* NULL: there is no work to wait for */
  void *argument;
  pthread_t thread;
  bool threaded;
};

/* Start WORK.  BACKGROUND must not move before background_wait.  */
void background_start (struct background *background,
                       void (*work) (void *argument), void *argument);

/* Wait until the work is done.  Returns at once if BACKGROUND is zeroed, or if
   its work was waited for before.  */
void background_wait (struct background *background);

#endif /* BASE_BACKGROUND_H */
