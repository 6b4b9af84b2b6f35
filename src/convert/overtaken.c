/* A file that another run of this program has replaced meanwhile.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Two runs may be at one file at the same time.  They do not wait for each
   other: a lock would be held as long as a run takes, or for ever where that
   hangs, and network file systems have no locks or keep them apart on each
   machine.  The rename decides: the run that comes second finds another file
   there, and looks whether that is what it was to make.  */

#include "convert/location.h"

#include <fcntl.h>
#include <sys/stat.h>

/* Whether the file at LOCATION is as CHANGE makes it.  */
static bool
is_made (const struct file_location *location, location_change *change,
         const struct cfi2sframe_options *options)
{
  struct cfi2sframe_options look = *options;
  struct cfi2sframe_report ignored = { 0 };
  struct file_identity same;
  struct error found = { 0 };
  look.dry_run = true;
  look.replace = look.replace_bad = false;
  look.readers = 0;
  return !change (location, NULL, &look, &same, &ignored, &found)
         && found.status == CFI2SFRAME_NOTHING
         && (found.word == WORD_HAS_SFRAME || found.word == WORD_NO_SFRAME
             || found.word == WORD_NO_UNDO_RECORD);
}

bool
location_overtaken (struct file_location *location, location_change *change,
                    const struct cfi2sframe_options *options,
                    struct error *err)
{
  struct file_location now = *location;
  struct stat status;
  if (err->word != WORD_CHANGED_MEANWHILE
      || fstatat (now.directory, now.name, &status,
                  now.fixed ? AT_SYMLINK_NOFOLLOW : 0)
             != 0)
    return false;
  now.identity = file_identity_of (&status);
  if (!is_made (&now, change, options))
    return false;
  *location = now;
  error_clear (err);
  return true;
}
