/* Owner, mode, extended attributes and time stamps of a file.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WRITE_FILE_METADATA_H
#define WRITE_FILE_METADATA_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/error.h"

/* Properties that a rewritten file loses, of which users are warned.  */
struct file_concerns
{
  bool signed_ima; /* security.ima: the signature will not match any more */
  bool verity;     /* fs-verity: nothing can write to the file, but a new file
                      can replace it */
  bool flags_lost; /* a new file cannot have all its attributes of chattr(1) */
};

/* Return the concerns of the open file FD; false if not to be found out.  */
struct file_concerns file_find_concerns (int fd);

/* Give the open file TO the owner, mode, extended attributes and attributes
   (chattr(1)) of FROM and, if TIMES, its time stamps.  False when something
   cannot be kept without which programs or access change
   (output_file_finish).  */
bool file_copy_metadata (int from, int to, bool times, struct error *err);

/* Give TO the permission bits of MODE less the umask, and no set-id bits.  */
bool file_set_new_mode (int to, mode_t mode, struct error *err);

/* Give TO the time stamps in STATUS.  */
bool file_set_times (int to, const struct stat *status, struct error *err);

#endif /* WRITE_FILE_METADATA_H */
