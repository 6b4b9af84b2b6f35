/* The other names of a file that was replaced (hard links).
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/location.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "convert/input.h"
#include "write/output_file.h"

/* Whether nothing has a checksum of the file by this NAME.  Who changes a file
   asks for the first name; others may be in other directories.  Of archives
   nothing has one.  */
static bool
check_checksum (const struct file_location *name,
                const struct cfi2sframe_options *options, struct error *err)
{
  struct image image;
  const struct input input
      = { .image = &image, .location = name, .options = options };
  struct error problem = { 0 };
  if (!options->leave_checksummed)
    return true;
  bool none = image_open_at (&image, name, &problem)
              && input_check_checksum (&input, &problem);
  image_close (&image);
  if (none || problem.status == CFI2SFRAME_NOT_ELF)
    return true;
  *err = problem;
  return false;
}

bool
location_relink (const struct file_location *name,
                 const struct file_location *replacement,
                 const struct cfi2sframe_options *options, struct error *err)
{
  struct stat status;
  bool there
      = fstatat (name->directory, name->name, &status, AT_SYMLINK_NOFOLLOW)
        == 0;
  if (there && file_identity_is (&replacement->identity, &status))
    return true;
  if (!check_checksum (name, options, err))
    return false;
  if (options->dry_run || (there && S_ISLNK (status.st_mode) && !name->fixed))
    return true;
  return there && file_identity_is (&name->identity, &status)
             ? output_file_link (name, replacement, err)
             : error_set_word (err, CFI2SFRAME_IO, WORD_CHANGED_MEANWHILE,
                               "the file was replaced meanwhile");
}
