/* Flushing new files to disk: each at once, or all at the end.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The process has one list of file systems to flush at the end.  Several
   threads may use it at the same time.  */

#ifndef WRITE_FLUSH_H
#define WRITE_FLUSH_H

#include <stdbool.h>

#include "base/error.h"

/* Flush DIRECTORY, so that the rename that gave the open file FD its name
   there is on disk.  A directory without read permission is open as a path
   alone (O_PATH).  Then the whole file system is flushed, through FD.  A file
   system that cannot flush directories (EINVAL) is no failure.  */
bool flush_directory (int directory, int fd, struct error *err);

/* Add the open file FD, which was renamed in DIRECTORY, to the list.  The
   caller may close both descriptors.  If there is no memory for the list, the
   file system is flushed at once.  */
bool flush_later (int directory, int fd, struct error *err);

/* Count the hard link that was made in DIRECTORY as one more file of its file
   system, if that is on the list.  Then flush_noted flushes the link, too.  */
void flush_name_later (int directory);

/* Flush all files on the list, and empty it.  Where one file was renamed on a
   file system, fsync(2) flushes it and its directory.  Where more were, one
   syncfs(2) flushes the file system, with all that other programs have written
   there.  After a failure the other file systems are still flushed.  */
bool flush_noted (struct error *err);

#endif /* WRITE_FLUSH_H */
