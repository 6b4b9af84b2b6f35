/* Flushing what was written: at once, or when all files are written.
   SPDX-License-Identifier: LGPL-2.1-or-later

   There is one list of what is to be flushed for the whole process, which
   threads may use at the same time.  */

#ifndef WRITE_FLUSH_H
#define WRITE_FLUSH_H

#include <stdbool.h>

#include "base/error.h"

/* Flush DIRECTORY, so that a rename in it to the open file FD is on disk.  A
   directory without read permission is open for its path only, but its file
   system can be flushed through the file.  File systems that cannot flush
   directories say EINVAL.  */
bool flush_directory (int directory, int fd, struct error *err);

/* Note that the open file FD was renamed in DIRECTORY and is to be flushed.
   Both stay the caller's.  What cannot be noted is flushed at once.  */
bool flush_later (int directory, int fd, struct error *err);

/* A file got another name in DIRECTORY: if anything is noted on this file
   system, this file is alone there no longer.  */
void flush_name_later (int directory);

/* Flush what was noted since the last call: a file that is alone on its file
   system by fsync(2), together with its directory; several files by one
   syncfs(2), which also flushes what others have written there.  All file
   systems are flushed, also when one fails.  */
bool flush_noted (struct error *err);

#endif /* WRITE_FLUSH_H */
