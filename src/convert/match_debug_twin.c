/* A program and its debug file: finding that, and bringing it in step.
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
#include "convert/input.h"
#include "convert/replace.h"
#include "elf/debug_file.h"
#include "place/refusals.h"
#include "write/debug_twin.h"
#include "write/undo.h"

/* Finding it.  */

struct debug_pair
{
  struct image program, debug;
  char path[sizeof ((struct debug_file *)0)->path]; /* of the debug file */
  struct file_location location;                    /* of the same */
  int folder; /* that LOCATION is in, or -1 */
};

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

/* Open PROGRAM and its debug file, which may be changed as OPTIONS ask for:
   NAME or, if that is NULL, the one that is found.  Status CFI2SFRAME_NOTHING
   when none is.  PAIR, which is not to be moved, is to be closed also after
   failure.  */
static bool
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

static void
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

/* Bringing it in step.  */

/* A debug file that is to follow its program.  */
struct match
{
  /* What is asked for.  */
  const struct file_location *program;
  const char *name; /* of the debug file, or NULL: to be found */
  const struct cfi2sframe_options *options;

  struct debug_pair pair;
  struct image original; /* what the debug file was before it was brought in
                            step the first time */
  struct plan plan;
};

/* What the debug file's new headers are made from.  */
static const struct image *
source_image (const struct match *match)
{
  return match->original.elf != NULL ? &match->original : &match->pair.debug;
}

/* Fill in the last word of the plan, so that the file with its undo record has
   the CRC that it has now.  */
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
               crc32_word_for (bytes, (size_t)word->offset, record.bytes,
                               record.size,
                               crc32_of (match->pair.debug.bytes,
                                         (size_t)match->pair.debug.size)),
               false);
  if (bytes != NULL)
    mapped_file_close (bytes, (size_t)match->plan.new_size);
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
write_debug_file (struct match *match, struct error *err)
{
  struct file_identity made;
  struct replacement replacement
      = { .image = source_image (match),
          .plan = &match->plan,
          .with_record = true,
          .output = options_output (match->options, &match->pair.location,
                                    NULL, &made),
          .check = check_debug_file,
          .context = &match->pair.program };
  replacement.output.input_fd = match->pair.debug.fd;
  return keep_crc (match, err)
         && (match->options->dry_run
             || replacement_carry_out (&replacement, err));
}

/* The program is again what it was when the debug file was split off: undo the
   debug file.  location_undo opens the file anew, and locks it.  A debug file
   is not run: a checksum of it does not matter.  */
static bool
give_original_back (struct match *match, struct error *err)
{
  struct cfi2sframe_options options = *match->options;
  struct file_work undoing
      = { .input = match->pair.location, .options = &options };
  options.leave_checksummed = false;
  image_close (&match->original);
  image_close (&match->pair.debug);
  error_clear (err);
  return location_undo (&undoing, err);
}

static bool
follow (struct match *match, struct error *err)
{
  struct undo_record record;
  if (match->pair.debug.header.e_type != match->pair.program.header.e_type)
    return error_set (err, CFI2SFRAME_REFUSED, "another type of ELF file");
  if (debug_twin_is_in_step (&match->pair.debug, &match->pair.program))
    return error_set_word (err, CFI2SFRAME_NOTHING, WORD_IN_STEP,
                           "the debug file is in step already");
  bool has_record = undo_record_find (&record, &match->pair.debug);
  if (has_record
      && !original_restore (&match->original, &match->pair.debug, err))
    return false;
  if (debug_twin_plan (&match->plan, source_image (match),
                       &match->pair.program, err))
    return write_debug_file (match, err);
  return has_record && err->status == CFI2SFRAME_NOTHING
         && give_original_back (match, err);
}

static void
match_close (struct match *match)
{
  plan_free (&match->plan);
  image_close (&match->original);
  debug_pair_close (&match->pair);
}

/* Open the pair anew and bring the debug file in step.  */
static bool
attempt_match (void *context, struct error *err)
{
  struct match *match = context;
  match_close (match);
  *match = (struct match){ .program = match->program,
                           .name = match->name,
                           .options = match->options };
  return debug_pair_open (&match->pair, match->program, match->name,
                          match->options, err)
         && (follow (match, err)
             || (err->status != CFI2SFRAME_NOTHING
                 && debug_file_blame (err, match->pair.path)));
}

/* Do MATCH, which is to be closed.  Where another run was faster, the debug
   file that is there by now may be in step.  */
static bool
match_carry_out (struct match *match, struct error *err)
{
  match->pair.folder = -1;
  return location_persist (attempt_match, match, NULL, NULL, err);
}

bool
location_match_debug_twin (const struct file_location *program,
                           const char *debug,
                           const struct cfi2sframe_options *options,
                           struct error *err)
{
  struct match match
      = { .program = program, .name = debug, .options = options };
  bool done = match_carry_out (&match, err);
  match_close (&match);
  return done;
}

/* A debug file with nothing to change is in step or its program is about to
   change.  Then it has to be able to follow.  */
static bool
can_follow (const struct match *match, struct error *err)
{
  if (source_image (match)->elf == NULL)
    return true;
  error_clear (err);
  return debug_twin_check_sections (source_image (match), &match->pair.program,
                                    err)
         || debug_file_blame (err, match->pair.path);
}

bool
location_check_debug_twin (const struct file_location *program,
                           const char *debug,
                           const struct cfi2sframe_options *options,
                           struct error *err)
{
  struct cfi2sframe_options dry = *options;
  struct match match = { .program = program, .name = debug, .options = &dry };
  dry.dry_run = true;
  bool good
      = match_carry_out (&match, err) || match.pair.program.elf == NULL
        || (err->status == CFI2SFRAME_NOTHING && can_follow (&match, err));
  match_close (&match);
  if (good)
    error_clear (err);
  return good;
}
