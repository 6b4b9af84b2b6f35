/* Steps that a signal must not end half-way.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A hard link that is to replace a file has a temporary name for a moment.  In
   this time its thread takes no signals, and a handler that is about to end
   the process from another thread waits.  */

#ifndef WRITE_UNINTERRUPTED_H
#define WRITE_UNINTERRUPTED_H

#include <signal.h>

/* Begin and end steps of this kind.  Beginning does not return when the
   process is about to end. OLD keeps the thread's signal mask.  */
void uninterrupted_begin (sigset_t *old);
void uninterrupted_end (const sigset_t *old);

/* Wait until no thread is in one, and let none begin any more.
   Async-signal-safe.  */
void uninterrupted_wait (void);

#endif /* WRITE_UNINTERRUPTED_H */
