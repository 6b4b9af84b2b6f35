/* Many files: which thread works on which file.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Each file is worked on by one thread.  The largest file is first, so that no
   thread is left with a big one at the end.  Results are printed in the order
   of the files (ordered_output), and so do not depend on the number of
   threads.  */

#ifndef CLI_BATCH_H
#define CLI_BATCH_H

#include <stdbool.h>

#include "cli/file_list.h"
#include "cli/messages.h"
#include "cli/options.h"
#include "cli/totals.h"

/* Do what OPTIONS ask for with the files of LIST; print to STREAMS.
   Several names of one file count once: the other names become links to the
   new file.  False when memory ran out before any file was worked on.  Where
   memory ran out for what was to be printed, TOTALS say so.  */
bool batch_run (const struct tool_options *options,
                const struct file_list *list, struct totals *totals,
                const struct message_streams *streams);

#endif /* CLI_BATCH_H */
