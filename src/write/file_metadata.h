/* Owner, mode, extended attributes and time stamps of a file.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WRITE_FILE_METADATA_H
#define WRITE_FILE_METADATA_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/error.h"

/* What a user should know before a file is rewritten.  */
struct file_concerns
{
  bool signed_ima; /* security.ima: the signature will not match any more */
  bool verity;     /* fs-verity: contents are sealed, only rename works */
  bool flags_lost; /* a new file cannot have all attributes of chattr(1) */
};

/* Look at the open file FD.  A concern that cannot be checked is false.  */
struct file_concerns file_find_concerns (int fd);

/* Make owner, mode, extended attributes and attributes (chattr(1)) of TO those
   of FROM, and its time stamps if TIMES.  Fails when something that matters
   cannot be kept (see output_file_finish).  */
bool file_copy_metadata (int from, int to, bool times, struct error *err);

/* Give TO the permission bits that a new copy of a file with MODE gets:
   without set-id bits, less the umask.  */
bool file_set_new_mode (int to, mode_t mode, struct error *err);

/* Make the time stamps of TO those in STATUS.  */
bool file_set_times (int to, const struct stat *status, struct error *err);

#endif /* WRITE_FILE_METADATA_H */
