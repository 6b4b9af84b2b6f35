/* Whether an .sframe that a file has already is to be replaced.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/audit.h"

#include <stdio.h>
#include <string.h>

#include "base/percent.h"
#include "convert/linked_section.h"
#include "convert/section_check.h"
#include "relocatable/object_sframe.h"

enum
{
  /* GNU ld leaves some functions out that this program can describe: up to 4
     percent of the code of libcrypto.  */
  WHOLE_PERCENT = 90
};

/* What is wrong with an .sframe; "" if nothing is.  */
struct verdict
{
  char text[200];
  bool unknown; /* later tools may have made it for later readers */
};

static void
set_text (struct verdict *verdict, const char *what, const char *detail)
{
  snprintf (verdict->text, sizeof verdict->text, "%s%.120s", what, detail);
}

static bool
is_nearly_all (uint64_t part, uint64_t all)
{
  return (double)part * 100 >= (double)all * WHOLE_PERCENT;
}

/* How many bytes of code a conversion of INPUT would cover.  False when there
   would be no section.  */
static bool
coverable (const struct input *input, uint64_t *covered, struct error *err)
{
  struct cfi2sframe_report report = { 0 };
  struct input tried = *input;
  if (input->image->header.e_type == ET_REL)
    return object_coverable (input->image, input->options, covered, err);
  tried.report = &report;
  struct sframe_encoder *encoder = linked_section_build (&tried, err);
  *covered = report.bytes_covered;
  sframe_encoder_free (encoder);
  return encoder != NULL;
}

/* Whether the .sframe that RESULT is about is right, and describes nearly all
   code that has CFI, or nearly all that a conversion of INPUT would cover.  A
   conversion may have to leave much out.  False when memory ran out.  */
static bool
audit_rows (struct verdict *verdict, const struct input *input,
            const struct cfi2sframe_check_result *result, struct error *err)
{
  uint64_t covered = result->bytes_equal, all = covered + result->bytes_absent;
  uint64_t most;
  if (result->bytes_wrong + result->bytes_extra > 0)
    {
      set_text (verdict, "is wrong: ", result->difference);
      return true;
    }
  if (is_nearly_all (covered, all))
    return true;
  if (!coverable (input, &most, err))
    return err->status != CFI2SFRAME_NO_MEMORY;
  if (!is_nearly_all (covered, most))
    snprintf (verdict->text, sizeof verdict->text,
              "describes only %.1f %% of the code with CFI",
              percent_of (covered, all));
  return true;
}

/* Whether the readers that are named, if any, take the .sframe of INPUT.
   False when memory ran out.  */
static bool
audit_readers (struct verdict *verdict, const struct input *input,
               struct error *err)
{
  char all[sizeof verdict->text];
  error_clear (err);
  if (section_check_readers (input->image, input->options->readers, false, all,
                             sizeof all, err))
    return true;
  set_text (verdict, "is not for the readers named: ", err->reason);
  return err->status != CFI2SFRAME_NO_MEMORY;
}

/* A section is right by all CFI that the file has.  That a conversion is asked
   not to read .debug_frame does not make rows wrong.  */
static struct cfi_options
all_cfi (const struct cfi2sframe_options *options)
{
  struct cfi_options all = options_cfi (options);
  if (all.debug_info == CFI2SFRAME_DEBUG_INFO_NONE)
    all.debug_info = CFI2SFRAME_DEBUG_INFO_OWN;
  return all;
}

/* Audit the .sframe of INPUT, which has one: can readers use it, is it right,
   is it whole, by what a conversion would give?  Without CFI the section
   counts as right.  False when memory ran out, or the section has no contents.
   */
static bool
audit (struct verdict *verdict, const struct input *input, struct error *err)
{
  struct cfi2sframe_check_result result = { 0 };
  const struct cfi_options cfi_options = all_cfi (input->options);
  const char *useless;
  *verdict = (struct verdict){ .text = "" };
  bool compared
      = section_compare (input->image, &cfi_options, &useless, &result, err);
  if (!compared
      && (err->status == CFI2SFRAME_NO_MEMORY || err->word == WORD_NO_SFRAME))
    return false;
  verdict->unknown = !compared && input->options->readers == 0
                     && err->word == WORD_UNKNOWN_SFRAME;
  if (verdict->unknown)
    set_text (verdict, "cannot be judged: ", err->reason);
  else if (useless != NULL || (!compared && err->status != CFI2SFRAME_NOTHING))
    set_text (verdict, "is of no use to any reader: ",
              useless != NULL ? useless : err->reason);
  else if (!audit_readers (verdict, input, err)
           || (verdict->text[0] == '\0'
               && !audit_rows (verdict, input, &result, err)))
    return false;
  error_clear (err);
  return true;
}

bool
audit_replacing (const struct input *input, struct error *err)
{
  const struct cfi2sframe_options *options = input->options;
  struct verdict verdict;
  if (options->replace)
    return true;
  if (!audit (&verdict, input, err))
    return false;
  if (verdict.text[0] != '\0' && !verdict.unknown && options->replace_bad)
    return true;
  memcpy (input->report->existing, verdict.text,
          sizeof input->report->existing);
  return error_set_word (err, CFI2SFRAME_NOTHING, WORD_HAS_SFRAME,
                         "has an .sframe already");
}
