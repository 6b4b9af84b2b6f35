/* Removing an .sframe, by its undo record or without one.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/input.h"
#include "convert/object_convert.h"
#include "convert/replace.h"
#include "place/refusals.h"
#include "write/existing.h"
#include "write/inject_check.h"
#include "write/undo.h"

/* A method to remove an .sframe.  */
struct removal_method
{
  bool (*plan) (struct plan *plan, const struct image *image,
                struct error *err);
  bool (*check) (const struct image *image, const void *bytes, size_t size,
                 struct error *err);
};

/* Plan to undo the conversion of IMAGE.  If it has no record, but an .sframe,
   fail: that must not look like a file without .sframe.  */
static bool
plan_undo (struct plan *plan, const struct image *image, struct error *err)
{
  if (undo_plan (plan, image, err))
    return true;
  if (err->status != CFI2SFRAME_NOTHING
      || sframe_place_find (image).bytes == NULL)
    return false;
  uint64_t appended = undo_bytes_appended (image);
  if (appended > 0)
    return error_set_word (
        err, CFI2SFRAME_UNSUPPORTED, WORD_APPENDED_DATA,
        "%llu bytes were appended after its conversion; without "
        "them it can be undone",
        (unsigned long long)appended);
  return error_set_word (
      err, CFI2SFRAME_UNSUPPORTED, WORD_NO_UNDO_RECORD,
      "has an .sframe but no undo record: another tool made "
      "the one or took the other");
}

static const struct removal_method undo_by_record = { plan_undo, undo_check };

static bool
plan_removal (struct plan *plan, const struct image *image, struct error *err)
{
  const struct existing existing = existing_find (image);
  return refusals_check_debug_file (image, err)
         && existing_plan_removal (plan, &existing, image, err);
}

static const struct removal_method remove_without_record
    = { plan_removal, inject_check_removed };

/* Refuse WHAT, an object or an archive with an .sframe.  Objects have no undo
   record, and a section cannot be removed from one by a plan, because other
   sections refer to sections by number.  */
static bool
refuse_object (enum error_word word, const char *what, struct error *err)
{
  return error_set_word (err, CFI2SFRAME_UNSUPPORTED, word,
                         "%s: use objcopy -R .sframe -R .rela.sframe", what);
}

static bool
has_sframe (const struct image *image, struct error *err)
{
  return sframe_place_find (image).size > 0
         || error_set_word (err, CFI2SFRAME_NOTHING, WORD_NO_SFRAME,
                            "has no .sframe");
}

static bool
check_member (void *context, const char *name, const struct image *image,
              struct error *err)
{
  (void)context;
  (void)name;
  return has_sframe (image, err);
}

/* Check that IMAGE is a linked file.  An archive that cannot be read (a thin
   one contains no objects) is skipped, as by conversions.  */
static bool
check_is_linked (const struct image *image, struct error *err)
{
  if (!image_is_archive (image))
    return image->header.e_type != ET_REL
           || (has_sframe (image, err)
               && refuse_object (WORD_OBJECT, "relocatable object", err));
  if (archive_visit (image, check_member, NULL, err))
    return refuse_object (WORD_ARCHIVE, "archive of objects", err);
  if (err->status != CFI2SFRAME_NO_MEMORY)
    err->status = CFI2SFRAME_NOTHING;
  return false;
}

/* Choose the method that removes the .sframe of IMAGE.  The undo record serves
   if it fits the file and the original has no .sframe: --replace may have
   replaced one.  NULL on failure.  */
static const struct removal_method *
choose_removal (const struct image *image, struct error *err)
{
  struct image original;
  if (!original_restore (&original, image, err))
    {
      if (error_kind (err) == ERROR_OF_WORK)
        return NULL;
      error_clear (err);
      return &remove_without_record;
    }
  bool present = sframe_place_find (&original).size > 0;
  image_close (&original);
  return present ? &remove_without_record : &undo_by_record;
}

/* The replacement's context is the method.  */
static bool
check_without (const struct replacement *replacement, const void *bytes,
               size_t size, struct error *err)
{
  const struct removal_method *method = replacement->context;
  return method->check (replacement->image, bytes, size, err);
}

/* Do the work of location_undo or, if REMOVES, of location_remove.  */
static bool
revert (struct file_work *work, bool removes, struct error *err)
{
  struct opened_work opened;
  struct plan plan = { 0 };
  const struct removal_method *method = NULL;
  if (work_open (&opened, work, true, err)
      && check_is_linked (&opened.image, err))
    method = removes ? choose_removal (&opened.image, err) : &undo_by_record;
  struct replacement replacement = { .image = &opened.image,
                                     .plan = &plan,
                                     .output = opened.output,
                                     .context = method,
                                     .check = check_without };
  /* Nothing keeps a checksum of an output file elsewhere.  */
  bool done
      = method != NULL && method->plan (&plan, &opened.image, err)
        && (work->output != NULL || input_check_checksum (&opened.input, err))
        && replacement_carry_out (&replacement, err);
  plan_free (&plan);
  image_close (&opened.image);
  return done;
}

bool
location_undo (struct file_work *work, struct error *err)
{
  return revert (work, false, err);
}

bool
location_remove (struct file_work *work, struct error *err)
{
  return revert (work, true, err);
}
