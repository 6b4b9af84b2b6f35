/* System calls on descriptors, repeated where necessary.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BASE_IO_H
#define BASE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/error.h"

/* Write all SIZE BYTES at OFFSET of the open file FD.  A caller that passes
   ERR as NULL finds the reason of a failure in errno.  */
bool io_write_at (int fd, const void *bytes, size_t size, uint64_t offset,
                  struct error *err);

/* Write SIZE zero bytes at OFFSET of FD.  */
bool io_write_zeros_at (int fd, uint64_t size, uint64_t offset,
                        struct error *err);

/* Copy all bytes of FROM to the start of TO, if possible in the kernel.  */
bool io_copy (int from, int to, struct error *err);

/* Copy all bytes of FROM to TO, which may be a pipe.  */
bool io_copy_to_stream (int from, int to, struct error *err);

/* Open PATH for reading if it leads to a regular file, and return the
   descriptor; otherwise return -1 with errno.  Opening a FIFO would wait for a
   writer, and opening a device may have effects.  */
int io_open_regular (const char *path);

/* Close STREAM, which open_memstream made for *TEXT.  Returns false when
   memory ran out: then *TEXT is NULL or incomplete, and is to be freed.  */
bool io_close_text (FILE *stream, char *const *text);

/* Close FD.  Returns SO_FAR, but false with ERR if only closing failed.  */
bool io_close (int fd, bool so_far, struct error *err);

/* Occupy each of the descriptors 0, 1 and 2 that was closed when the program
   started.  Otherwise a file that is opened later would get its number, and
   what is printed would be written into that file.  Reading and writing an
   occupied descriptor fails with EBADF, as if it were closed, and programs
   that this one starts find it closed.  Only programs call this: a library
   leaves the descriptors and limits of its process alone.  */
void io_occupy_standard (void);

/* Raise the limit of open files to the highest value that the process may set.
   The usual 1,024 is for programs that use select().  For programs, too.  */
void io_raise_limit (void);

#endif /* BASE_IO_H */
