/* Mapping files for reading, while other programs may cut them off.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Another program may truncate a file that is mapped here, or a disk may fail.
   Reading bytes that are lost then raises SIGBUS.  A program whose handler
   calls mapped_file_patch continues where it was, in whatever function or
   library: it reads zeros in the place of the lost bytes and of all bytes
   after them.  No function is interrupted, so no memory, lock or temporary
   file is left behind.  Functions that read files must expect zeros anyway.

   A result that was made of such zeros must not be used.  So each thread
   remembers whether a file that it has mapped has lost bytes, as errno
   remembers a failure, and mapped_files_check tells.  A library does not
   install signal handlers: without a handler, SIGBUS ends the process.  */

#ifndef BASE_MAPPED_FILE_H
#define BASE_MAPPED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/error.h"

/* Return whether a file of this size can be mapped as one object.  Files of 2
   GiB and more cannot on a 32-bit host.  */
bool mapped_file_check_size (const struct stat *status, struct error *err);

/* Map the open file FD for reading.  Returns NULL with ERR on failure, also if
   the file is empty.  */
const void *mapped_file_open (int fd, size_t *size, struct error *err);

/* Map FD in the same way, for a caller that changes the bytes in memory.  The
   file keeps its bytes.  */
void *mapped_file_open_private (int fd, size_t *size, struct error *err);

/* Map the first SIZE bytes of FD, followed by zeros up to WHOLE bytes, for a
   caller that changes the bytes in memory.  Both sizes are more than 0.  */
void *mapped_file_open_longer (int fd, size_t size, size_t whole,
                               struct error *err);

/* Unmap a file, in the thread that mapped it.  If its descriptor was closed
   before, a change of the file is not noticed.  */
void mapped_file_close (const void *bytes, size_t size);

/* Replace the bytes of the mapping at ADDRESS, from the page of ADDRESS to the
   end, by zeros.  Returns false if there is no mapping at ADDRESS.
   Async-signal-safe, as far as mmap is.  */
bool mapped_file_patch (const void *address);

/* Forget what happened to the files that this thread has mapped so far.
   Mapping a file while no other is mapped does the same.  */
void mapped_files_forget (void);

/* Return whether all files that this thread has mapped since then kept their
   bytes, their size and their modification time while they were mapped.
   Otherwise ERR says what happened.  */
bool mapped_files_check (struct error *err);

#endif /* BASE_MAPPED_FILE_H */
