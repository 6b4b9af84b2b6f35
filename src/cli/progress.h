/* A progress bar on the terminal, for work that takes long.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
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

/* ALL files are to be worked on, and progress_interrupted shall say how many
   of them are DONE (as in "3 files converted").  GOES_ON: the next run goes on
   where this one ended.  Both words outlive the work.  */
void progress_expect (size_t all, const char *done, bool goes_on);

/* One more file is done, or else was passed over.  */
void progress_count (bool done);

/* Print how far the work has come, if progress_expect was called and NUMBER is
   a signal of a person's.  For signal handlers, while other threads go on.  */
void progress_interrupted (int number);

#endif /* CLI_PROGRESS_H */
