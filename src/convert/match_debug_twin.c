/* Bringing a debug file in step with its program.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Whatever happened to the program (it was converted, undone, or converted
   again), the new debug file is made from the original debug file.  So it
   becomes the original, byte for byte, when the program does.  Its CRC never
   changes, because .gnu_debuglink of the program has it, and debuggers do not
   use a file with another one.  */

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
#include "convert/location.h"
#include "convert/options.h"
#include "convert/replace.h"
#include "elf/debug_file.h"
#include "place/refusals.h"
#include "write/debug_twin.h"
#include "write/undo.h"

/* A program and its debug file.  */
struct pair
{
  const struct cfi2sframe_options *options;
  const struct file_location *program_location;
  const char *name; /* of the debug file, or NULL: to be found */
  struct image program;
  char path[sizeof ((struct debug_file *)0)->path]; /* of the debug file */
  struct file_location location;                    /* of the same */
  int folder; /* that LOCATION is in, or -1 */
  struct image debug;
  struct image original; /* what DEBUG was before it was brought in step the
                            first time */
  struct plan plan;
};

static void
pair_close (struct pair *pair)
{
  plan_free (&pair->plan);
  image_close (&pair->original);
  image_close (&pair->debug);
  image_close (&pair->program);
  if (pair->folder >= 0)
    close (pair->folder);
}

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
locate_debug_file (struct pair *pair, const struct debug_file *found,
                   struct error *err)
{
  struct stat status;
  memcpy (pair->path, found->path, sizeof pair->path);
  const struct file_location location = file_location_of_path (pair->path);
  pair->location = options_locked (pair->options, &location);
  if (found->beside == 0)
    return true;
  pair->folder = open_folder (found, pair->program_location);
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

static bool
pair_open (struct pair *pair, struct error *err)
{
  struct debug_file found;
  bool done
      = find (&found, &pair->program, pair->program_location, pair->name, err)
        && locate_debug_file (pair, &found, err);
  debug_file_close (&found);
  return done
         && (image_open_at (&pair->debug, &pair->location, err)
             || debug_file_blame (err, pair->path));
}

/* What the debug file's new headers are made from.  */
static const struct image *
source_image (const struct pair *pair)
{
  return pair->original.elf != NULL ? &pair->original : &pair->debug;
}

/* Fill in the last word of the plan, so that the file with its undo record has
   the CRC that it has now.  */
static bool
keep_crc (struct pair *pair, struct error *err)
{
  const struct image *source = source_image (pair);
  struct plan_patch *word = &pair->plan.patches[pair->plan.n_patches - 1];
  struct buffer record;
  buffer_init (&record, false);
  uint8_t *bytes = debug_twin_preview (source, &pair->plan, err);
  bool done
      = bytes != NULL && undo_record_build (&record, source, &pair->plan, err);
  if (done)
    store_u32 (word->bytes,
               crc32_word_for (
                   bytes, (size_t)word->offset, record.bytes, record.size,
                   crc32_of (pair->debug.bytes, (size_t)pair->debug.size)),
               false);
  if (bytes != NULL)
    mapped_file_close (bytes, (size_t)pair->plan.new_size);
  buffer_free (&record);
  return done;
}

/* The program is the replacement's context.  */
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
write_debug_file (struct pair *pair, struct error *err)
{
  struct file_identity made;
  struct replacement replacement
      = { .image = source_image (pair),
          .plan = &pair->plan,
          .with_record = true,
          .output
          = options_output (pair->options, &pair->location, NULL, &made),
          .check = check_debug_file,
          .context = &pair->program };
  replacement.output.input_fd = pair->debug.fd;
  return keep_crc (pair, err)
         && (pair->options->dry_run
             || replacement_carry_out (&replacement, err));
}

/* The program is again what it was when the debug file was split off: undo the
   debug file.  location_undo opens the file anew, and locks it.  A debug file
   is not run: a checksum of it does not matter.  */
static bool
give_original_back (struct pair *pair, struct error *err)
{
  struct cfi2sframe_options options = *pair->options;
  struct file_work undoing = { .input = pair->location, .options = &options };
  options.leave_checksummed = false;
  image_close (&pair->original);
  image_close (&pair->debug);
  error_clear (err);
  return location_undo (&undoing, err);
}

static bool
follow (struct pair *pair, struct error *err)
{
  struct undo_record record;
  if (pair->debug.header.e_type != pair->program.header.e_type)
    return error_set (err, CFI2SFRAME_REFUSED, "another type of ELF file");
  if (debug_twin_is_in_step (&pair->debug, &pair->program))
    return error_set_word (err, CFI2SFRAME_NOTHING, WORD_IN_STEP,
                           "the debug file is in step already");
  bool has_record = undo_record_find (&record, &pair->debug);
  if (has_record && !original_restore (&pair->original, &pair->debug, err))
    return false;
  if (debug_twin_plan (&pair->plan, source_image (pair), &pair->program, err))
    return write_debug_file (pair, err);
  return has_record && err->status == CFI2SFRAME_NOTHING
         && give_original_back (pair, err);
}

/* Open the pair anew and bring the debug file in step.  */
static bool
attempt_match (void *context, struct error *err)
{
  struct pair *pair = context;
  pair_close (pair);
  *pair = (struct pair){ .folder = -1,
                         .options = pair->options,
                         .program_location = pair->program_location,
                         .name = pair->name };
  return pair_open (pair, err)
         && (follow (pair, err)
             || (err->status != CFI2SFRAME_NOTHING
                 && debug_file_blame (err, pair->path)));
}

/* Open PAIR, which is to be closed, and bring the debug file in step.  Where
   another run was faster, the debug file that is there by now may be in
   step.  */
static bool
match (struct pair *pair, const struct file_location *program,
       const char *debug, const struct cfi2sframe_options *options,
       struct error *err)
{
  *pair = (struct pair){ .folder = -1,
                         .options = options,
                         .program_location = program,
                         .name = debug };
  return location_persist (attempt_match, pair, NULL, NULL, err);
}

bool
location_match_debug_twin (const struct file_location *program,
                           const char *debug,
                           const struct cfi2sframe_options *options,
                           struct error *err)
{
  struct pair pair;
  bool done = match (&pair, program, debug, options, err);
  pair_close (&pair);
  return done;
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

/* A debug file with nothing to change is in step or its program is about to
   change.  Then it has to be able to follow.  */
static bool
can_follow (const struct pair *pair, struct error *err)
{
  if (source_image (pair)->elf == NULL)
    return true;
  error_clear (err);
  return debug_twin_check_sections (source_image (pair), &pair->program, err)
         || debug_file_blame (err, pair->path);
}

bool
location_check_debug_twin (const struct file_location *program,
                           const char *debug,
                           const struct cfi2sframe_options *options,
                           struct error *err)
{
  struct cfi2sframe_options dry = *options;
  struct pair pair;
  dry.dry_run = true;
  bool good
      = match (&pair, program, debug, &dry, err) || pair.program.elf == NULL
        || (err->status == CFI2SFRAME_NOTHING && can_follow (&pair, err));
  pair_close (&pair);
  if (good)
    error_clear (err);
  return good;
}
