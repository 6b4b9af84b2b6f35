/* Paths that name a descriptor of this process, like /dev/stdout.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Opening the path of a regular file this way does not give the open file: it
   has a position of its own, 0, and no O_APPEND (proc_pid_fd(5)).  Writing
   there destroys what others wrote, so the descriptor itself is to be used. */

#ifndef ELF_DESCRIPTOR_PATH_H
#define ELF_DESCRIPTOR_PATH_H

#include <stdbool.h>

#include "base/error.h"

/* Whether PATH, through any number of symbolic links, leads to a descriptor in
   /proc.  *NUMBER is set to it, or to -1 when it is another process's.  */
bool descriptor_path_parse (const char *path, int *number);

/* A copy of descriptor NUMBER, which must be open for writing.  -1 with
   ERR.  */
int descriptor_duplicate_writable (int number, struct error *err);

#endif /* ELF_DESCRIPTOR_PATH_H */
