/* Taking an .sframe away again: byte for byte where a record allows it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/location.h"
#include "convert/options.h"
#include "convert/replace.h"
#include "relocatable/archive_members.h"
#include "write/existing.h"
#include "write/output_file.h"
#include "write/undo.h"

static bool
check_original (const struct replacement *replacement, const void *bytes,
                size_t size, struct error *err)
{
  return undo_check (replacement->image, bytes, size, err);
}

static bool
check_removed (const struct replacement *replacement, const void *bytes,
               size_t size, struct error *err)
{
  return existing_check_removed (replacement->plan, replacement->image, bytes,
                                 size, err);
}

/* What both ways begin with: OWN becomes the caller's options, and the input
   gets its lock.  */
static bool
begin (struct cfi2sframe_options *own, struct file_location *input,
       const struct cfi2sframe_options *options, const char *output,
       struct error *err)
{
  error_clear (err);
  if (!options_take (own, options, err))
    return false;
  input->lock = options_lock (own);
  return output == NULL || output_file_check_other (output, input->path, err);
}

static bool
revert_as_planned (struct replacement *replacement, const struct image *image,
                   const struct cfi2sframe_options *options, struct error *err)
{
  uint64_t record_size;
  replacement->image = image;
  replacement->input_fd = image->fd;
  replacement->preserve_times = options->preserve_times;
  replacement->sync = options->sync;
  return options->dry_run
         || replacement_carry_out (replacement, &record_size, err);
}

/* Objects have neither a record nor a plan: their sections are numbered.  */
static bool
check_is_linked (const struct image *image,
                 const struct cfi2sframe_options *options, struct error *err)
{
  if (image->header.e_type != ET_REL)
    return true;
  if (!options->relocatable)
    return image_expect_linked (image, true, err);
  return error_set (err, CFI2SFRAME_UNSUPPORTED,
                    "relocatable object: use objcopy -R .sframe "
                    "-R .rela.sframe");
}

/* Open INPUT.  An archive, which is made of objects, has neither a record nor
   a plan.  */
static bool
open_input (struct image *image, const struct file_location *input,
            const struct cfi2sframe_options *options, struct error *err)
{
  if (image_open_at (image, input, err))
    return true;
  if (err->status != CFI2SFRAME_NOT_ELF || !archive_is_at (input))
    return false;
  if (!options->relocatable)
    return error_set (err, CFI2SFRAME_NOTHING,
                      "archive of objects (see --relocatable)");
  return error_set (err, CFI2SFRAME_UNSUPPORTED,
                    "archive of objects: use objcopy -R .sframe "
                    "-R .rela.sframe");
}

/* Where nothing can be undone, an .sframe that stays must not look like
   success.  */
static bool
plan_undo (struct plan *plan, const struct image *image, struct error *err)
{
  if (undo_plan (plan, image, err))
    return true;
  if (err->status != CFI2SFRAME_NOTHING || !existing_find (image).present)
    return false;
  uint64_t appended = undo_bytes_appended (image);
  if (appended > 0)
    return error_set (err, CFI2SFRAME_UNSUPPORTED,
                      "%llu bytes were appended after its conversion; without "
                      "them it can be undone",
                      (unsigned long long)appended);
  return error_set (err, CFI2SFRAME_UNSUPPORTED,
                    "has an .sframe but no undo record: another tool made "
                    "the one or took the other; see --remove");
}

/* cfi2sframe_undo with options of our size.  */
static bool
undo (const struct file_location *input, const char *output,
      const struct cfi2sframe_options *options, struct file_identity *made,
      struct error *err)
{
  struct image image;
  struct plan plan = { 0 };
  struct replacement replacement = { .plan = &plan,
                                     .input = input,
                                     .output = output,
                                     .made = made,
                                     .check = check_original };
  if (!open_input (&image, input, options, err))
    return false;
  bool done = check_is_linked (&image, options, err)
              && plan_undo (&plan, &image, err)
              && revert_as_planned (&replacement, &image, options, err);
  plan_free (&plan);
  image_close (&image);
  return done;
}

/* Take a section away that cannot be undone.  */
static bool
remove_without_record (const struct file_location *input, const char *output,
                       const struct cfi2sframe_options *options,
                       struct file_identity *made, struct error *err)
{
  struct image image;
  struct plan plan = { 0 };
  struct replacement replacement = { .plan = &plan,
                                     .input = input,
                                     .output = output,
                                     .made = made,
                                     .check = check_removed };
  if (!open_input (&image, input, options, err))
    return false;
  const struct existing existing = existing_find (&image);
  bool done = check_is_linked (&image, options, err)
              && existing_plan_removal (&plan, &existing, &image, err)
              && revert_as_planned (&replacement, &image, options, err);
  plan_free (&plan);
  image_close (&image);
  return done;
}

bool
location_undo (const struct file_location *input, const char *output,
               const struct cfi2sframe_options *options,
               struct file_identity *made, struct error *err)
{
  struct cfi2sframe_options own;
  struct file_location locked = *input;
  return begin (&own, &locked, options, output, err)
         && undo (&locked, output, &own, made, err);
}

bool
location_remove (const struct file_location *input, const char *output,
                 const struct cfi2sframe_options *options,
                 struct file_identity *made, struct error *err)
{
  struct cfi2sframe_options own;
  struct file_location locked = *input;
  if (!begin (&own, &locked, options, output, err))
    return false;
  if (undo (&locked, output, &own, made, err))
    return true;
  if (err->status != CFI2SFRAME_NOTHING
      && err->status != CFI2SFRAME_UNSUPPORTED
      && err->status != CFI2SFRAME_REFUSED)
    return false;
  error_clear (err);
  return remove_without_record (&locked, output, &own, made, err);
}
