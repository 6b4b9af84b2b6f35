/* Signals: ending without leaving temporary files, and files that shrink while
   they are read.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

/* Install the handlers; before any thread is started.  Signals that were
   ignored when the program started (nohup) stay ignored.  INTERRUPTED is
   called before SIGINT or SIGTERM ends the program, when temporary files are
   gone.  */
void signals_install (void (*interrupted) (void));

#endif /* CLI_SIGNALS_H */
