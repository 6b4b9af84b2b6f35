/* Working on many files with several threads.
   SPDX-License-Identifier: LGPL-2.1-or-later

   One thread works on each file.  The largest file comes first, so that no
   thread is left with a large file at the end.  ordered_output prints the
   results in the order of the files, so the output does not depend on the
   number of threads.  */

#ifndef CLI_BATCH_H
#define CLI_BATCH_H

#include <stdbool.h>

#include "cli/file_list.h"
#include "cli/messages.h"
#include "cli/options.h"
#include "cli/totals.h"

/* Do what OPTIONS ask for with the files of LIST, print to STREAMS and add to
   TOTALS.  A file with several names counts once, and the other names become
   links to the new file.  False if memory ran out before any file was worked
   on.  If memory for results ran out, set totals->lost_texts.  */
bool batch_run (const struct tool_options *options,
                const struct file_list *list, struct totals *totals,
                const struct message_streams *streams);

#endif /* CLI_BATCH_H */
