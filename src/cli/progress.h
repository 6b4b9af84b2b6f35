/* A progress bar on the terminal, for work that takes long.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Allow the progress bar on standard error, if ENABLED and if that is a
   terminal.  Without this call no bar is drawn.  */
void progress_init (bool enabled);

/* Whether the bar is allowed.  */
bool progress_is_on (void);

/* Show, while directories are read, that FILES were examined so far.  */
void progress_looking (uint64_t files);

/* Show how much is done: FILES of ALL_FILES, BYTES of ALL_BYTES.  Draws at
   most every 0.2 seconds, and not in the first second.  */
void progress_show (uint64_t files, uint64_t all_files, uint64_t bytes,
                    uint64_t all_bytes);

/* Erase the bar: before other output, at the end, on a signal.  */
void progress_clear (void);

/* Announce ALL files, so that progress_interrupted can print how many of them
   are DONE (a word as in "3 files converted").  GOES_ON: a further run would
   continue where this one was interrupted.  DONE must outlive the work.  */
void progress_expect (size_t all, const char *done, bool goes_on);

/* Count a file that is DONE, or one that was skipped or failed.  */
void progress_count (bool done);

/* Print how many files are done, if progress_expect was called and NUMBER is a
   signal that people send.  For signal handlers.  */
void progress_interrupted (int number);

#endif /* CLI_PROGRESS_H */
