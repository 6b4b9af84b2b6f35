/* A progress bar on the terminal, for work that takes long.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TOOL_PROGRESS_H
#define TOOL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Show a bar on standard error if ENABLED and standard error is a terminal.
   Without this call the other functions do nothing.  */
void progress_init (bool enabled);

/* Whether there may be a bar.  */
bool progress_is_on (void);

/* FILES have been looked at so far, while directories are read.  */
void progress_looking (uint64_t files);

/* Show how much is done: FILES of ALL_FILES, BYTES of ALL_BYTES.  Draws only
   now and then, and not in the first second.  */
void progress_show (uint64_t files, uint64_t all_files, uint64_t bytes,
                    uint64_t all_bytes);

/* Take the bar away: before other output, at the end, on a signal.  */
void progress_clear (void);

#endif /* TOOL_PROGRESS_H */
