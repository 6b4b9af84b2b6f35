/* Work done meanwhile: one function in a thread of its own.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The thread takes no signals but its own SIGBUS, so that no other handler of
   the program ever runs in it.  Where no thread can be had the work is done
   when it is waited for.  */

#ifndef BASE_BACKGROUND_H
#define BASE_BACKGROUND_H

#include <pthread.h>
#include <stdbool.h>

struct background
{
  void (*work) (void *argument); /* NULL: nothing to wait for */
  void *argument;
  pthread_t thread;
  bool threaded;
};

/* Start WORK.  BACKGROUND must stay where it is until the wait.  */
void background_start (struct background *background,
                       void (*work) (void *argument), void *argument);

/* Wait until the work is done.  Returns at once for a zeroed BACKGROUND, and
   the second time.  */
void background_wait (struct background *background);

#endif /* BASE_BACKGROUND_H */
