/* System calls on descriptors, retried and reported.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BASE_IO_H
#define BASE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/error.h"

/* Write all SIZE BYTES at OFFSET of the open file FD.  With ERR NULL the
   caller has to look at errno.  */
bool io_write_at (int fd, const void *bytes, size_t size, uint64_t offset,
                  struct error *err);

/* Write SIZE zero bytes in the same way.  */
bool io_write_zeros_at (int fd, uint64_t size, uint64_t offset,
                        struct error *err);

/* Copy everything from the start of FROM to the start of TO, inside the kernel
   where it can.  */
bool io_copy (int from, int to, struct error *err);

/* Copy everything from the start of FROM to TO, which may be a pipe.  */
bool io_copy_to_stream (int from, int to, struct error *err);

/* Open PATH for reading if it leads to a regular file.  Opening a FIFO would
   wait for a writer, and opening a device may have effects.  -1 with errno. */
int io_open_regular (const char *path);

/* Close STREAM, which open_memstream made with *TEXT.  False when memory ran
   out: then the text, which is to be freed, is missing or is a part.  */
bool io_close_text (FILE *stream, char *const *text);

/* Close FD and return SO_FAR; false with ERR when only closing failed.  */
bool io_close (int fd, bool so_far, struct error *err);

/* Occupy each of the descriptors 0, 1 and 2 that the caller of the program has
   closed.  A file that is opened later would get its number, and what is
   printed would be written into that file.  Reading and writing an occupied
   descriptor fails with EBADF, as if it were closed, and a program that is
   started finds it closed.  For programs alone: a library leaves the process's
   descriptors as they are, and its limits.  */
void io_occupy_standard (void);

/* Raise the limit of open files to the highest that the process may have.
   1,024, the usual one, is meant for programs that use select().  For programs
   alone, too.  */
void io_raise_limit (void);

#endif /* BASE_IO_H */
