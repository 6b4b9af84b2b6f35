/* Finding the debug file of a program, and updating its section headers to
   match the program.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The new debug file is always made from the original debug file, whether the
   program was converted, undone, or converted again.  So it becomes the
   original, byte for byte, when the program does.  Its CRC stays the same,
   because .gnu_debuglink of the program has the CRC, and debuggers refuse a
   file with a different CRC.  */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/crc32.h"
#include "base/mapped_file.h"
#include "convert/input.h"
#include "convert/replace.h"
#include "elf/debug_file.h"
#include "place/refusals.h"
#include "write/debug_twin.h"
#include "write/undo.h"

/* ---- Finding the debug file */

/* A program, and its debug file that is to match it.  */
struct match
{
  /* The request.  */
  const struct file_location *input; /* the program */
  const char *name; /* of the debug file; NULL: search for it */
  const struct cfi2sframe_options *options;

  struct image program, debug;
  char path[sizeof ((struct debug_file *)0)->path]; /* of the debug file */
  struct file_location location;                    /* of the debug file */
  int folder;            /* of LOCATION, open, or -1 */
  struct image original; /* the debug file before its first change */
  struct plan plan;
};

/* Open the folder of FOUND.  From the directory of PROGRAM on, follow no
   symbolic links.  -1 with errno.  */
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

/* Set match->location to that of FOUND.  A file beside the program is opened
   without following links, and must stay the file that was found.  Otherwise
   users who may write to the directory could have any other file changed.  */
static bool
locate_debug_file (struct match *match, const struct debug_file *found,
                   struct error *err)
{
  struct stat status;
  memcpy (match->path, found->path, sizeof match->path);
  const struct file_location location = file_location_of_path (match->path);
  match->location = options_add_lock (match->options, &location);
  if (found->beside == 0)
    return true;
  match->folder = open_folder (found, match->input);
  if (match->folder < 0 || fstat (found->image.fd, &status) != 0)
    return error_set_errno (err, "debug file");
  match->location.directory = match->folder;
  match->location.name = strrchr (match->path, '/') + 1;
  match->location.fixed = true;
  match->location.identity = file_identity_of (&status);
  return true;
}

/* Check that FILE has no code: it can be neither run nor linked with.  */
static bool
check_split (const struct image *file, struct error *err)
{
  return debug_file_check_split (file, err)
         && debug_twin_check_codeless (file, err);
}

/* Open the debug file of IMAGE: NAME or, if that is NULL, the one in the usual
   places.  A file there that is not of this program counts as absent.  */
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

/* Open PROGRAM as IMAGE and its debug file as FOUND.  The caller closes both
   also after failure.  */
static bool
open_pair (struct debug_file *found, struct image *image,
           const struct file_location *program, const char *name,
           struct error *err)
{
  *found = (struct debug_file){ 0 };
  return image_open_at (image, program, err)
         && image_expect_linked (image, err)
         && refusals_check_debug_file (image, err)
         && open_debug_file (found, image, name, err);
}

bool
location_find_debug_twin (const struct file_location *program,
                          struct file_identity *twin)
{
  struct debug_file found;
  struct image image;
  struct error err = { 0 };
  struct stat status;
  bool done = open_pair (&found, &image, program, NULL, &err)
              && fstat (found.image.fd, &status) == 0;
  if (done)
    *twin = file_identity_of (&status);
  debug_file_close (&found);
  image_close (&image);
  return done;
}

/* ---- Updating the debug file */

/* Return the image from which the debug file's new headers are made.  */
static const struct image *
source_image (const struct match *match)
{
  return match->original.elf != NULL ? &match->original : &match->debug;
}

/* Set the last patch of the plan to the word that gives the new file, undo
   record included, the CRC of the present debug file.  */
static bool
keep_crc (struct match *match, struct error *err)
{
  const struct image *source = source_image (match);
  struct plan_patch *word = &match->plan.patches[match->plan.n_patches - 1];
  struct buffer record;
  buffer_init (&record, false);
  uint8_t *bytes = debug_twin_preview (source, &match->plan, err);
  bool done = bytes != NULL
              && undo_record_build (&record, source, &match->plan, err);
  if (done)
    store_u32 (word->bytes,
               crc32_word_for (
                   bytes, (size_t)word->offset, record.bytes, record.size,
                   crc32_of (match->debug.bytes, (size_t)match->debug.size)),
               false);
  if (bytes != NULL)
    mapped_file_close (bytes, (size_t)match->plan.new_size);
  buffer_free (&record);
  return done;
}

/* The replacement's context is the program.  */
static bool
check_debug_file (const struct replacement *replacement, const void *bytes,
                  size_t size, struct error *err)
{
  struct image new;
  if (!image_open_memory (&new, bytes, size, err))
    return false;
  bool good = debug_twin_is_in_step (&new, replacement->context)
              || error_set_word (err, CFI2SFRAME_REFUSED, WORD_SELF_CHECK,
                                 "self-check of the new headers failed");
  image_close (&new);
  return good;
}

static bool
write_debug_file (struct match *match, struct error *err)
{
  struct file_identity made;
  struct replacement replacement
      = { .image = source_image (match),
          .plan = &match->plan,
          .with_record = true,
          .output = options_request_output (match->options, &match->location,
                                            NULL, &made),
          .check = check_debug_file,
          .context = &match->program };
  replacement.output.input_fd = match->debug.fd;
  return keep_crc (match, err)
         && (match->options->dry_run
             || replacement_carry_out (&replacement, err));
}

/* Undo the change of the debug file, because the program is the original
   again.  location_undo opens the file anew and locks it.  A debug file is not
   run, so checksums of it do not matter.  */
static bool
undo_debug_file (struct match *match, struct error *err)
{
  struct cfi2sframe_options options = *match->options;
  struct file_work undoing = { .input = match->location, .options = &options };
  options.leave_checksummed = false;
  image_close (&match->original);
  image_close (&match->debug);
  error_clear (err);
  return location_undo (&undoing, err);
}

static bool
update_debug_file (struct match *match, struct error *err)
{
  struct undo_record record;
  if (match->debug.header.e_type != match->program.header.e_type)
    return error_set (err, CFI2SFRAME_REFUSED, "another type of ELF file");
  if (debug_twin_is_in_step (&match->debug, &match->program))
    return error_set_word (err, CFI2SFRAME_NOTHING, WORD_IN_STEP,
                           "the debug file is in step already");
  bool has_record = undo_record_find (&record, &match->debug);
  if (has_record && !original_restore (&match->original, &match->debug, err))
    return false;
  if (debug_twin_plan (&match->plan, source_image (match), &match->program,
                       err))
    return write_debug_file (match, err);
  return has_record && err->status == CFI2SFRAME_NOTHING
         && undo_debug_file (match, err);
}

static void
match_close (struct match *match)
{
  plan_free (&match->plan);
  image_close (&match->original);
  image_close (&match->debug);
  image_close (&match->program);
  if (match->folder >= 0)
    close (match->folder);
}

/* Open the program and its debug file anew, and update the debug file.  Status
   CFI2SFRAME_NOTHING without a debug file, and if it matches: another run may
   have updated it meanwhile.  */
static bool
attempt_update (void *context, struct error *err)
{
  struct match *match = context;
  struct debug_file found;
  match_close (match);
  *match = (struct match){ .input = match->input,
                           .name = match->name,
                           .options = match->options,
                           .folder = -1 };
  bool located
      = open_pair (&found, &match->program, match->input, match->name, err)
        && locate_debug_file (match, &found, err);
  debug_file_close (&found);
  if (!located)
    return false;
  if (!image_open_at (&match->debug, &match->location, err))
    return debug_file_blame (err, match->path);
  return update_debug_file (match, err)
         || (err->status != CFI2SFRAME_NOTHING
             && debug_file_blame (err, match->path));
}

bool
location_match_debug_twin (const struct file_location *program,
                           const char *debug,
                           const struct cfi2sframe_options *options,
                           struct error *err)
{
  struct match match
      = { .input = program, .name = debug, .options = options, .folder = -1 };
  bool done = location_retry (attempt_update, &match, NULL, NULL, err);
  match_close (&match);
  return done;
}

/* Check that the debug file could be updated.  There is nothing to update now,
   because it matches or because its program is about to change.  */
static bool
check_updatable (const struct match *match, struct error *err)
{
  if (source_image (match)->elf == NULL)
    return true;
  error_clear (err);
  return debug_twin_check_sections (source_image (match), &match->program, err)
         || debug_file_blame (err, match->path);
}

bool
location_check_debug_twin (const struct file_location *program,
                           const char *debug,
                           const struct cfi2sframe_options *options,
                           struct error *err)
{
  struct cfi2sframe_options dry = *options;
  struct match match
      = { .input = program, .name = debug, .options = &dry, .folder = -1 };
  dry.dry_run = true;
  bool good = location_retry (attempt_update, &match, NULL, NULL, err)
              || match.program.elf == NULL
              || (err->status == CFI2SFRAME_NOTHING
                  && check_updatable (&match, err));
  match_close (&match);
  if (good)
    error_clear (err);
  return good;
}
