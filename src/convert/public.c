/* All public functions of the library.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The structures inside the library are complete.  But a caller may have been
   compiled with another version of include/cfi2sframe.h, whose structures end
   earlier or later.  So these functions work on structures of their own, and
   copy to the caller's the members that it has.  */

#include <config.h>

#include <string.h>

#include "base/mapped_file.h"
#include "convert/for_readers.h"
#include "convert/location.h"
#include "frame/frame.h"
#include "sframe/compare.h"
#include "sframe/formats.h"
#include "write/flush.h"
#include "write/temporary.h"

enum
{
  /* The size and one more member.  */
  RESULT_SIZE_LEAST = 2 * sizeof (size_t),
  OPTIONS_SIZE_LEAST = offsetof (struct cfi2sframe_options, no_share),
  /* No structure will ever be larger, so a larger size means a structure that
     was not initialised.  */
  SIZE_MOST = 4096
};

/* Return the size of the caller's structure GIVEN: its first member.  */
static size_t
size_of (const void *given)
{
  size_t size;
  memcpy (&size, given, sizeof size);
  return size;
}

/* Check that the caller's structure GIVEN for a result is there and was
   initialised.  Otherwise CFI2SFRAME_INVALID.  */
static bool
check_result (const void *given, struct error *err)
{
  size_t size = given != NULL ? size_of (given) : 0;
  return (size >= RESULT_SIZE_LEAST && size <= SIZE_MOST)
         || error_set (err, CFI2SFRAME_INVALID,
                       "the structure for the result was not initialised");
}

/* Copy OWN of OWN_SIZE bytes to the caller's structure GIVEN.  Both start with
   their size; that of the caller's stays.  */
static void
copy_result (void *given, const void *own, size_t own_size)
{
  size_t size = size_of (given), known = size < own_size ? size : own_size;
  memcpy ((char *)given + sizeof size, (const char *)own + sizeof size,
          known - sizeof size);
  memset ((char *)given + known, 0, size - known);
}

/* Copy the caller's options GIVEN to OWN.  Members that an older caller does
   not know get the values of cfi2sframe_options_init.  False with
   CFI2SFRAME_INVALID if a newer caller sets an option that this library does
   not know, or if GIVEN was not initialised.  */
static bool
options_take (struct cfi2sframe_options *own,
              const struct cfi2sframe_options *given, struct error *err)
{
  cfi2sframe_options_init (own);
  if (given->size < OPTIONS_SIZE_LEAST || given->size > SIZE_MOST)
    return error_set (err, CFI2SFRAME_INVALID, "options were not initialised");
  for (size_t i = sizeof *own; i < given->size; i++)
    if (((const char *)given)[i] != 0)
      return error_set (err, CFI2SFRAME_INVALID,
                        "an option that this version of the library lacks");
  memcpy (own, given, given->size < sizeof *own ? given->size : sizeof *own);
  own->size = sizeof *own;
  if ((unsigned)own->format >= N_FORMATS)
    return error_set (err, CFI2SFRAME_INVALID, "unknown format %u",
                      (unsigned)own->format);
  if (!for_readers_are_known (own->readers))
    return error_set (err, CFI2SFRAME_INVALID, "unknown readers 0x%x",
                      own->readers);
  if ((unsigned)own->debug_info > CFI2SFRAME_DEBUG_INFO_NONE)
    return error_set (err, CFI2SFRAME_INVALID, "unknown debug_info %u",
                      (unsigned)own->debug_info);
  if ((unsigned)own->sync > CFI2SFRAME_SYNC_NONE)
    return error_set (err, CFI2SFRAME_INVALID, "unknown sync %u",
                      (unsigned)own->sync);
  return true;
}

/* Begin a call for the file at PATH.  Forget files of earlier calls that were
   truncated while they were read: they say nothing about this file.  */
static struct file_location
begin_call (const char *path, struct error *err)
{
  error_clear (err);
  mapped_files_forget ();
  return file_location_of_path (path);
}

/* Return whether the work is DONE and no file was truncated while it was read
   since begin_call ().  Functions that write a file need not call this,
   because output_file checks it.  */
static bool
end_call (bool done, struct error *err)
{
  return mapped_files_check (err) && done;
}

/* Take the options of a call that makes a section, where named readers
   determine the format.  */
static bool
options_take_to_make (struct cfi2sframe_options *own,
                      const struct cfi2sframe_options *given,
                      struct error *err)
{
  return options_take (own, given, err)
         && for_readers_format (own->readers, &own->format, err);
}

const char *
cfi2sframe_version (void)
{
  return PACKAGE_VERSION;
}

const char *
cfi2sframe_reason_name (unsigned reason)
{
  return reason < REASON_COUNT ? frame_reason_name (reason) : NULL;
}

const char *
cfi2sframe_reason_text (unsigned reason)
{
  return reason < REASON_COUNT ? frame_reason_text (reason) : NULL;
}

const char *
cfi2sframe_defect_name (unsigned defect)
{
  return defect == 0 ? NULL
                     : compare_defect_name ((enum compare_defect)defect);
}

const char *
cfi2sframe_defect_text (unsigned defect)
{
  return defect == 0 ? NULL
                     : compare_defect_text ((enum compare_defect)defect);
}

const char *
cfi2sframe_error_code (const struct cfi2sframe_error *err)
{
  return error_code (err);
}

/* A call that changes a file or makes one.  */
struct call
{
  location_work *how;
  struct file_work work;
  struct cfi2sframe_options options; /* of `work' */
};

static bool
attempt (void *context, struct error *err)
{
  struct call *call = context;
  call->work.report = (struct cfi2sframe_report){ 0 };
  return call->how (&call->work, err);
}

/* Call HOW, again if another run has replaced the file meanwhile (CHANGE as
   for location_retry).  REPORT is NULL for calls that make no section.  */
static bool
carry_out (location_work *how, location_work *change, const char *input,
           const char *output, const struct cfi2sframe_options *options,
           struct cfi2sframe_report *report, struct error *err)
{
  const bool makes = change == location_convert;
  struct call call
      = { .how = how,
          .work = { .input = begin_call (input, err), .output = output } };
  call.work.options = &call.options;
  if (makes && !check_result (report, err))
    return false;
  bool done = (makes ? options_take_to_make : options_take) (&call.options,
                                                             options, err)
              && location_retry (attempt, &call, &call.work, change, err);
  if (makes)
    copy_result (report, &call.work.report, sizeof call.work.report);
  return done;
}

bool
cfi2sframe_convert (const char *input, const char *output,
                    const struct cfi2sframe_options *options,
                    struct cfi2sframe_report *report,
                    struct cfi2sframe_error *err)
{
  return carry_out (location_convert, location_convert, input, output, options,
                    report, err);
}

bool
cfi2sframe_write_section (const char *input, const char *output,
                          const struct cfi2sframe_options *options,
                          struct cfi2sframe_report *report,
                          struct cfi2sframe_error *err)
{
  return carry_out (location_write_section, location_convert, input, output,
                    options, report, err);
}

bool
cfi2sframe_undo (const char *input, const char *output,
                 const struct cfi2sframe_options *options,
                 struct cfi2sframe_error *err)
{
  return carry_out (location_undo, location_undo, input, output, options, NULL,
                    err);
}

bool
cfi2sframe_remove (const char *input, const char *output,
                   const struct cfi2sframe_options *options,
                   struct cfi2sframe_error *err)
{
  return carry_out (location_remove, location_remove, input, output, options,
                    NULL, err);
}

bool
cfi2sframe_build_section (const void *elf, size_t elf_size,
                          const struct cfi2sframe_options *options,
                          void **section, size_t *section_size,
                          uint64_t *address, struct cfi2sframe_report *report,
                          struct cfi2sframe_error *err)
{
  struct buffer made;
  struct cfi2sframe_options taken;
  struct cfi2sframe_report own = { 0 };
  error_clear (err);
  if (!check_result (report, err))
    return false;
  bool done = options_take_to_make (&taken, options, err)
              && memory_build_section (elf, elf_size, &taken, &made, address,
                                       &own, err);
  if (done)
    {
      *section = made.bytes;
      *section_size = made.size;
    }
  copy_result (report, &own, sizeof own);
  return done;
}

bool
cfi2sframe_match_debug_file (const char *program, const char *debug,
                             const struct cfi2sframe_options *options,
                             struct cfi2sframe_error *err)
{
  struct file_location location = begin_call (program, err);
  struct cfi2sframe_options taken;
  return options_take (&taken, options, err)
         && location_match_debug_twin (&location, debug, &taken, err);
}

bool
cfi2sframe_check (const char *input, struct cfi2sframe_check_result *result,
                  struct cfi2sframe_error *err)
{
  struct cfi2sframe_options options;
  cfi2sframe_options_init (&options);
  return cfi2sframe_check_with (input, &options, result, err);
}

bool
cfi2sframe_check_with (const char *input,
                       const struct cfi2sframe_options *options,
                       struct cfi2sframe_check_result *result,
                       struct cfi2sframe_error *err)
{
  struct file_location location = begin_call (input, err);
  struct cfi2sframe_options taken;
  struct cfi2sframe_check_result own = { 0 };
  if (!check_result (result, err))
    return false;
  bool checked
      = end_call (options_take (&taken, options, err)
                      && location_check (&location, &taken, &own, err),
                  err);
  copy_result (result, &own, sizeof own);
  return checked;
}

bool
cfi2sframe_compare (
    const char *a, const char *b,
    void (*found) (void *context,
                   const struct cfi2sframe_difference *difference),
    void *context, struct cfi2sframe_compare_result *result,
    struct cfi2sframe_error *err)
{
  struct file_location first = begin_call (a, err),
                       second = begin_call (b, err);
  struct cfi2sframe_compare_result own;
  if (!check_result (result, err))
    return false;
  bool equal = end_call (
      location_compare (&first, &second, found, context, &own, err), err);
  copy_result (result, &own, sizeof own);
  return equal;
}

bool
cfi2sframe_dump (const char *input, FILE *out, struct cfi2sframe_error *err)
{
  struct file_location location = begin_call (input, err);
  return end_call (location_dump (&location, out, err), err);
}

bool
cfi2sframe_lint (const char *input,
                 void (*found) (void *context,
                                const struct cfi2sframe_finding *finding),
                 void *context, struct cfi2sframe_lint_result *result,
                 struct cfi2sframe_error *err)
{
  struct file_location location = begin_call (input, err);
  struct cfi2sframe_lint_result own;
  if (!check_result (result, err))
    return false;
  bool clean = end_call (
      location_lint (&location, 1, found, context, &own, err), err);
  copy_result (result, &own, sizeof own);
  return clean;
}

void
cfi2sframe_discard_temporaries (void)
{
  temporary_discard_all ();
}

bool
cfi2sframe_flush (struct cfi2sframe_error *err)
{
  error_clear (err);
  return flush_noted (err);
}
