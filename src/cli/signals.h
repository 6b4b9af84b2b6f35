/* Signals: ending without leaving temporary files, and files that shrink while
   they are read.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

/* Install the handlers; before any thread is started.  Signals that were
   ignored when the program started (nohup) stay ignored.  ENDING is
   called before a signal ends the program, when temporary files are gone; LOST
   likewise when nothing can be read at ADDRESS, which is in no file
   of base/mapped_file.h.  Both may be NULL.  */
void signals_install (void (*ending) (int number),
                      void (*lost) (const void *address));

/* End the process by signal NUMBER, so that the shell sees which one.  To be
   called by handlers.  */
void signals_end (int number);

#endif /* CLI_SIGNALS_H */
