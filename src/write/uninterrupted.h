/* Steps that a signal must not end half-way.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A temporary file is made before the list of them knows it, and a hard link
   that is to replace a file has a temporary name for a moment.  In this time
   the thread takes no signals, and a handler that is about to end the process
   from another thread waits.  */

#ifndef WRITE_UNINTERRUPTED_H
#define WRITE_UNINTERRUPTED_H

#include <signal.h>
#include <stdbool.h>

/* Begin steps of this kind; OLD keeps the thread's signal mask.  Within them
   others may begin.  False, with errno EINTR, when the process is about to
   end: nothing has begun then.  */
bool uninterrupted_begin (sigset_t *old);

/* End what has begun, with errno as it was.  */
void uninterrupted_end (const sigset_t *old);

/* Let none begin any more, and wait until no thread is in one, but no longer
   than a second: a hanging file system must not make the handler hang for
   ever.  Async-signal-safe.  */
void uninterrupted_wait (void);

#endif /* WRITE_UNINTERRUPTED_H */
