/* Signal handlers: the program ends without leaving temporary files, and
   survives mapped files that are truncated.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

/* Install the handlers.  Call this before any thread is started.  Signals that
   were ignored when the program started (nohup) stay ignored.  Before a signal
   ends the program, the handler removes temporary files and calls ENDING.  If
   a read of ADDRESS fails that is in no file of base/mapped_file.h, it calls
   LOST first.  Both may be NULL.  */
void signals_install (void (*ending) (int number),
                      void (*lost) (const void *address));

/* End the process by signal NUMBER, for the shell to see.  For handlers.  */
void signals_end (int number);

#endif /* CLI_SIGNALS_H */
