/* A program and its debug file, found and open.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "convert/debug_pair.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "convert/input.h"
#include "place/refusals.h"
#include "write/debug_twin.h"

/* The folder that FOUND is in, reached without following a link from the
   directory of PROGRAM on.  -1 with errno.  */
static int
open_folder (const struct debug_file *found,
             const struct file_location *program)
{
  char directory[sizeof found->path];
  const char *name = found->path + found->beside;
  snprintf (directory, sizeof directory, "%.*s", (int)found->beside,
            found->path);
  int own = program->fixed
                ? fcntl (program->directory, F_DUPFD_CLOEXEC, 0)
                : open (directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
  const char *slash = strchr (name, '/');
  if (own < 0 || slash == NULL)
    return own;
  snprintf (directory, sizeof directory, "%.*s", (int)(slash - name), name);
  int folder
      = openat (own, directory, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  int problem = errno;
  close (own);
  errno = problem;
  return folder;
}

/* Set pair->location to where FOUND is.  A file beside the program is opened
   without following links, and must stay the file that was found.  Otherwise a
   user who may write to the directory could choose a file elsewhere that is
   changed.  */
static bool
locate_debug_file (struct debug_pair *pair, const struct debug_file *found,
                   const struct file_location *program,
                   const struct cfi2sframe_options *options, struct error *err)
{
  struct stat status;
  memcpy (pair->path, found->path, sizeof pair->path);
  const struct file_location location = file_location_of_path (pair->path);
  pair->location = options_locked (options, &location);
  if (found->beside == 0)
    return true;
  pair->folder = open_folder (found, program);
  if (pair->folder < 0 || fstat (found->image.fd, &status) != 0)
    return error_set_errno (err, "debug file");
  pair->location.directory = pair->folder;
  pair->location.name = strrchr (pair->path, '/') + 1;
  pair->location.fixed = true;
  pair->location.identity = file_identity_of (&status);
  return true;
}

/* Whether the debug file FILE can be neither run nor linked with.  */
static bool
check_split (const struct image *file, struct error *err)
{
  return debug_file_check_split (file, err)
         && debug_twin_check_codeless (file, err);
}

/* Open the debug file of IMAGE: NAME or, if that is NULL, what the usual
   places have.  One there that is not this program's is as good as none.  */
static bool
open_debug_file (struct debug_file *found, const struct image *image,
                 const char *name, struct error *err)
{
  if (name != NULL)
    return debug_file_open (found, name, image, err)
           && (check_split (&found->image, err)
               || debug_file_blame (err, name));
  struct debug_places places = debug_places_usual ();
  places.to_change = true;
  debug_file_find (found, image, &places, err);
  if (err->status == CFI2SFRAME_NO_MEMORY)
    return false;
  error_clear (err);
  if (found->image.elf != NULL && check_split (&found->image, err))
    return true;
  return error_set_word (err, CFI2SFRAME_NOTHING, WORD_NO_DEBUG_FILE,
                         "no debug file");
}

/* Open PROGRAM as IMAGE, and the debug file that FOUND becomes.  Both are to
   be closed also after failure.  */
static bool
find (struct debug_file *found, struct image *image,
      const struct file_location *program, const char *name, struct error *err)
{
  *found = (struct debug_file){ 0 };
  return image_open_at (image, program, err)
         && image_expect_linked (image, err)
         && refusals_check_debug_file (image, err)
         && open_debug_file (found, image, name, err);
}

bool
debug_pair_open (struct debug_pair *pair, const struct file_location *program,
                 const char *name, const struct cfi2sframe_options *options,
                 struct error *err)
{
  struct debug_file found;
  *pair = (struct debug_pair){ .folder = -1 };
  bool done = find (&found, &pair->program, program, name, err)
              && locate_debug_file (pair, &found, program, options, err);
  debug_file_close (&found);
  return done
         && (image_open_at (&pair->debug, &pair->location, err)
             || debug_file_blame (err, pair->path));
}

void
debug_pair_close (struct debug_pair *pair)
{
  image_close (&pair->debug);
  image_close (&pair->program);
  if (pair->folder >= 0)
    close (pair->folder);
  pair->folder = -1;
}

bool
location_find_debug_twin (const struct file_location *program,
                          struct file_identity *twin)
{
  struct debug_file found;
  struct image image;
  struct error err = { 0 };
  struct stat status;
  bool done = find (&found, &image, program, NULL, &err)
              && fstat (found.image.fd, &status) == 0;
  if (done)
    *twin = file_identity_of (&status);
  debug_file_close (&found);
  image_close (&image);
  return done;
}
