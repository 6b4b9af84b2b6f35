/* A file that replaces another one completely or not at all.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Life: create (temporary file in the target's directory), write through
   `fd`, then commit (metadata, fsync, rename, fsync of the directory) or
   discard (unlink).  Discard after commit does nothing.  */

#ifndef ELF_OUTPUT_FILE_H
#define ELF_OUTPUT_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/error.h"

struct output_file
{
  int fd;
  char *target;    /* owned; symbolic links resolved */
  char *temporary; /* owned; NULL once committed or discarded */
};

bool output_file_create (struct output_file *file, const char *target,
                         struct error *err);

/* Give the file owner, mode, extended attributes (and, if PRESERVE_TIMES, the
   time stamps) of the open file SOURCE_FD and put it in place.  */
bool output_file_commit (struct output_file *file, int source_fd,
                         bool preserve_times, struct error *err);

void output_file_discard (struct output_file *file);

#endif /* ELF_OUTPUT_FILE_H */
