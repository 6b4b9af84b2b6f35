/* The self-check, of a new file that is open.
   SPDX-License-Identifier: LGPL-2.1-or-later

   For tests of plans alone: the program checks the bytes that it has mapped
   anyway.  */

#ifndef TESTS_INJECT_FILE_CHECK_H
#define TESTS_INJECT_FILE_CHECK_H

#include "base/mapped_file.h"
#include "write/inject_check.h"

/* Do as inject_check_bytes does with the bytes of the file OUT_FD.  */
static inline bool
inject_check_file (const struct image *image, const struct plan *plan,
                   const void *sframe, int out_fd, struct error *err)
{
  size_t size;
  const void *bytes = mapped_file_open (out_fd, &size, err);
  if (bytes == NULL)
    return false;
  bool good = inject_check_bytes (image, plan, sframe, bytes, size, err);
  mapped_file_close (bytes, size);
  return good;
}

#endif /* TESTS_INJECT_FILE_CHECK_H */
