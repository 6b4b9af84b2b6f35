/* Bringing a debug file in step with its program.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Whatever happened to the program (it was converted, undone, or converted
   again), the new debug file is made from the original debug file.  So it
   becomes the original, byte for byte, when the program does.  Its CRC never
   changes, because .gnu_debuglink of the program has it, and debuggers do not
   use a file with another one.  */

#include <config.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/mapped_file.h"
#include "convert/debug_pair.h"
#include "convert/input.h"
#include "convert/replace.h"
#include "write/debug_twin.h"
#include "write/undo.h"

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

static void
match_close (struct match *match)
{
  plan_free (&match->plan);
  image_close (&match->original);
  debug_pair_close (&match->pair);
}

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
