/* Files mapped for reading.  Their bytes may go while they are read.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Another program may cut a file off that is mapped here, or a disk may fail.
   To read what is not there any more is a SIGBUS.  A program with a handler
   that calls mapped_file_patch goes on, in whatever function and library it
   was, with zeros in the place of these bytes and of all behind them: nothing
   is interrupted, so no memory, lock or temporary file is left.  Zeros are
   what readers of files must expect anyway.

   What was made of them must not be used.  So each thread keeps in mind
   whether a file that it has mapped has lost bytes, as it keeps errno, and
   mapped_files_check asks.  A library does not change the handlers of its
   users: without a handler, the signal ends the process.  */

#ifndef BASE_MAPPED_FILE_H
#define BASE_MAPPED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/error.h"

/* Whether a file of this size fits into memory as one object, which 2 GiB do
   not on a 32-bit host: there, size_t would lose bits of it.  */
bool mapped_file_check_size (const struct stat *status, struct error *err);

/* Map the open file FD, which is not empty, for reading.  NULL with ERR.  */
const void *mapped_file_open (int fd, size_t *size, struct error *err);

/* The same for bytes that are going to be changed, in memory alone.  */
void *mapped_file_open_private (int fd, size_t *size, struct error *err);

/* The first SIZE bytes of FD, followed by zeros up to WHOLE bytes, also to be
   changed in memory alone; both are more than 0.  */
void *mapped_file_open_longer (int fd, size_t size, size_t whole,
                               struct error *err);

/* Give a mapping back, in the thread that has made it; FD is still open, or
   a change of the file is not noticed.  */
void mapped_file_close (const void *bytes, size_t size);

/* Put zeros into the place of what a mapping has at ADDRESS and behind it.
   False without a mapping there.  Async-signal-safe, as far as mmap is.  */
bool mapped_file_patch (const void *address);

/* Forget what files this thread has mapped so far; so does mapping one when no
   other is mapped.  */
void mapped_files_forget (void);

/* Whether no file that this thread has mapped since then has lost bytes, and
   each kept its size and its time of change as long as it was mapped.  */
bool mapped_files_check (struct error *err);

#endif /* BASE_MAPPED_FILE_H */
