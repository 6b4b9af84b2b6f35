/* The one error type: what went wrong, in which file, at which offset.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Every function that can fail takes a `struct error *` as its last argument
   and returns false (or NULL) after filling it in.  Nothing below src/cli
   writes to standard output or standard error.  The first failure wins:
   callers pass the error up untouched.  */

#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>
#include <stdint.h>

#include "cfi2sframe.h"

/* The public structure is the internal one: no translation layer.  */
#define error cfi2sframe_error

/* Forget any earlier failure in ERR.  */
void error_clear (struct error *err);

/* Record a failure of the whole file.  Always returns false, so that callers
   can write `return error_set (...)`.  With ERR NULL nothing is recorded, and
   no function called that a signal handler may not call.  FMT gives one
   sentence without a trailing full stop or newline.  */
bool error_set (struct error *err, enum cfi2sframe_status status,
                const char *fmt, ...) __attribute__ ((format (printf, 3, 4)));

/* Record a failure at byte OFFSET of the input file.  Returns false.  */
bool error_set_at (struct error *err, enum cfi2sframe_status status,
                   uint64_t offset, const char *fmt, ...)
    __attribute__ ((format (printf, 4, 5)));

/* Record the failure of system call WHAT with the current errno.  Returns
   false.  */
bool error_set_errno (struct error *err, const char *what);

/* A system call that failed (status CFI2SFRAME_IO) was about FILE, which is
   not the input; other failures stay as they are.  Returns false.  */
bool error_in_file (struct error *err, const char *file);

/* Record that memory ran out.  Returns false.  */
bool error_set_no_memory (struct error *err);

#endif /* BASE_ERROR_H */
