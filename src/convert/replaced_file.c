/* Files that were replaced meanwhile.  If another run has replaced a file, the
   work on it starts again (location_retry).  If this run has replaced a file,
   other hard links to the old file become links to it (location_relink).
   SPDX-License-Identifier: LGPL-2.1-or-later

   Two runs may work on one file at the same time.  They do not wait for each
   other.  A lock would be held as long as a run takes, or forever if the run
   hangs; and network file systems have no locks, or keep those of each machine
   apart.  So the rename decides: the second run finds another file under the
   name, and checks whether that file still needs the change.  A run cannot see
   which process made that file, so it changes the file under this name only,
   and no other links.  */

#include "convert/location.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "convert/input.h"
#include "write/output_file.h"

enum
{
  /* How often the work is started again, each time after another run.  */
  TRIES = 16
};

/* Return the reason why CHANGE would leave the file at LOCATION as it is;
   WORD_NONE if CHANGE would change it.  */
static enum error_word
find_skip_reason (const struct file_location *location, location_work *change,
                  const struct cfi2sframe_options *options)
{
  struct cfi2sframe_options dry = *options;
  struct file_work work = { .input = *location, .options = &dry };
  struct error found = { 0 };
  dry.dry_run = true;
  dry.replace = dry.replace_bad = false;
  dry.readers = 0;
  change (&work, &found);
  return found.status == CFI2SFRAME_NOTHING
                 || found.word == WORD_CHANGED_MEANWHILE
             ? found.word
             : WORD_NONE;
}

/* Point the input of WORK to the file that has its name now.  False if that
   file needs the change or cannot be worked on.  If it was replaced once more
   while it was examined, leave the input as it is: the next attempt fails and
   comes here again.  */
static bool
update_input (struct file_work *work, location_work *change)
{
  struct file_location now = work->input;
  struct stat status;
  if (fstatat (now.directory, now.name, &status,
               now.fixed ? AT_SYMLINK_NOFOLLOW : 0)
      != 0)
    return false;
  now.identity = file_identity_of (&status);
  switch (find_skip_reason (&now, change, work->options))
    {
    case WORD_HAS_SFRAME:
    case WORD_NO_SFRAME:
    case WORD_NO_UNDO_RECORD:
      work->input = now;
      return true;
    case WORD_CHANGED_MEANWHILE:
      return true;
    default:
      return false;
    }
}

bool
location_retry (bool (*attempt) (void *context, struct error *err),
                void *context, struct file_work *work, location_work *change,
                struct error *err)
{
  for (int left = TRIES; !attempt (context, err); left--)
    {
      if (left == 0 || err->word != WORD_CHANGED_MEANWHILE
          || (work != NULL && !update_input (work, change)))
        return false;
      error_clear (err);
    }
  return true;
}

/* Check that nothing keeps a checksum of the file under NAME.  The conversion
   checks the first name of a file only, and other names may be in other
   directories.  Nothing keeps checksums of archives.  */
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
