/* Checking an existing .sframe, and deciding whether it is to be replaced.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/section_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/amounts.h"
#include "cfi/source.h"
#include "convert/code_evidence.h"
#include "convert/for_readers.h"
#include "convert/linked_section.h"
#include "elf/sframe_place.h"
#include "relocatable/object_section.h"
#include "relocatable/object_sframe.h"
#include "sframe/verify.h"

static int
compare_starts (const void *a, const void *b)
{
  const struct frame_function *x = a, *y = b;
  return (x->address > y->address) - (x->address < y->address);
}

/* Set LIST to the functions that DECODER's entries describe, in ascending
   order.  Entries may share rows, so that a small section can have any number
   of rows together.  When the rows read so far outnumber the section's bytes,
   further functions are listed without rows.  */
static bool
list_described (struct frame_functions *list,
                const struct sframe_decoder *decoder, struct error *err)
{
  uint64_t left = sframe_decoder_rows_max (decoder), n_rows = 0;
  uint32_t n = decoder->n_functions;
  list->functions = calloc ((size_t)n + 1, sizeof *list->functions);
  if (list->functions == NULL)
    return error_set_no_memory (err);
  for (uint32_t i = 0; i < n; i++)
    {
      struct frame_function *function = &list->functions[list->n_functions++];
      if (!sframe_decoder_rules (decoder, i, &left, function, err))
        return false;
      n_rows += function->n_rows;
      if (n_rows > decoder->size)
        function->n_rows = 0;
      frame_function_trim (function);
    }
  qsort (list->functions, n, sizeof *list->functions, compare_starts);
  return true;
}

/* Find functions by analysis of the code, with the hints DESCRIBED (NULL:
   none), add them to SOURCE, and compare the section with SOURCE.  */
static bool
compare_with_code (struct cfi_source *source,
                   const struct sframe_decoder *decoder,
                   const struct frame_functions *described,
                   struct cfi2sframe_check_result *result, struct error *err)
{
  struct code_evidence rows;
  const struct code_evidence_request wanted
      = { .add = true, .described = described };
  bool compared = code_evidence_make (&rows, source, &wanted, err)
                  && sframe_verify (decoder, source, result, err);
  code_evidence_free (&rows);
  return compared;
}

/* Compare rows for code without CFI with an analysis of the code.  First
   analyse the code as a conversion does.  But the section may have been made
   before the file was stripped.  Then symbols told where functions start, and
   .debug_frame where a popped frame pointer still lies.  If there are
   differences, analyse the code again, with the .sframe's functions as
   hints.  */
static bool
analyse_and_compare (struct cfi_source *source,
                     const struct sframe_decoder *decoder,
                     struct cfi2sframe_check_result *result, struct error *err)
{
  struct frame_functions described = { 0 };
  if (!compare_with_code (source, decoder, NULL, result, err))
    return false;
  if (result->bytes_extra + result->bytes_wrong == 0)
    return true;
  bool compared
      = list_described (&described, decoder, err)
        && compare_with_code (source, decoder, &described, result, err);
  frame_functions_free (&described);
  return compared;
}

static bool
compare_linked (const struct image *image,
                const struct sframe_decoder *decoder,
                const struct cfi_options *cfi_options,
                struct cfi2sframe_check_result *result, struct error *err)
{
  struct cfi_source source;
  struct cfi_options independent = *cfi_options;
  independent.no_plain = true;
  if (decoder->arch != image->arch)
    return error_set_word (err, CFI2SFRAME_MALFORMED, WORD_BAD_SFRAME,
                           "its .sframe is for another machine");
  bool analysed = code_analysis_exists (image->arch);
  bool opened = analysed ? code_evidence_open_source (&source, image,
                                                      &independent, err)
                         : cfi_source_open (&source, image, &independent, err);
  bool compared = opened && sframe_verify (decoder, &source, result, err);
  /* Rows that look wrong may be of alignment that code runs through.  */
  if (compared && result->bytes_extra + result->bytes_wrong > 0 && analysed)
    compared = analyse_and_compare (&source, decoder, result, err);
  cfi_source_close (&source);
  if (!compared && err->status == CFI2SFRAME_NOTHING)
    return error_set_word (err, CFI2SFRAME_NOTHING, WORD_NO_CFI,
                           "no .eh_frame to check .sframe against");
  return compared;
}

/* Whether DECODER's functions ascend.  The flag alone does not prove it.  */
static bool
is_sorted (const struct sframe_decoder *decoder)
{
  for (uint32_t i = 1; i < decoder->n_functions; i++)
    if (sframe_decoder_start (decoder, i)
        < sframe_decoder_start (decoder, i - 1))
      return false;
  return decoder->flags & SFRAME_FLAG_SORTED;
}

const char *
section_why_useless (const struct image *image,
                     const struct sframe_decoder *decoder)
{
  const struct sframe_place place = sframe_place_find (image);
  if (place.segment == NULL)
    return "no program header says where it is";
  if (place.n_segments > 1)
    return "several program headers say where it is";
  if (place.segment->p_offset != place.offset
      || place.segment->p_vaddr != place.address
      || place.segment->p_filesz < place.size)
    return "its program header is for other bytes";
  if (image_bytes_at (image, place.address, place.size) != place.bytes)
    return "it is not loaded where it says";
  if (decoder->arch != image->arch)
    return "it is for another machine";
  return is_sorted (decoder) ? NULL : "it is not sorted";
}

bool
section_is_usable (const struct image *image)
{
  struct sframe_decoder decoder;
  struct error ignored = { 0 };
  return sframe_decoder_open_image (&decoder, image, &ignored)
         && section_why_useless (image, &decoder) == NULL;
}

bool
section_compare (const struct image *image,
                 const struct cfi_options *cfi_options, const char **useless,
                 struct cfi2sframe_check_result *result, struct error *err)
{
  struct sframe_decoder decoder;
  *useless = NULL;
  if (image->header.e_type == ET_REL)
    return object_verify (image, result, err);
  if (!sframe_decoder_open_image (&decoder, image, err))
    return false;
  *useless = section_why_useless (image, &decoder);
  return compare_linked (image, &decoder, cfi_options, result, err);
}

bool
section_check_readers (const struct image *image, unsigned readers,
                       bool left_out, char *text, size_t size,
                       struct error *err)
{
  struct sframe_decoder decoder;
  return readers == 0 || image->header.e_type == ET_REL
         || (sframe_decoder_open_image (&decoder, image, err)
             && for_readers_audit (readers, image, &decoder, left_out, text,
                                   size, err));
}

/* ---- Deciding whether to replace a section */

enum
{
  /* A section with this share of the code counts as whole.  GNU ld leaves out
     functions that this program can describe, up to 4 percent of the code of
     libcrypto.  */
  WHOLE_PERCENT = 90
};

/* The fault of an .sframe, or "".  */
struct verdict
{
  char text[200];
  bool unknown; /* of a format that later readers may know */
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

/* Set *COVERED to the bytes of code for which a conversion of INPUT would have
   rows.  False if it would make no section.  */
static bool
measure_coverable (const struct input *input, uint64_t *covered,
                   struct error *err)
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

/* Write to VERDICT if the .sframe with the check's RESULT is wrong, or if it
   describes much less than all code that has CFI.  It is enough to describe
   nearly all that a conversion of INPUT would, because a conversion may have
   to leave much out as well.  False when memory ran out.  */
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
  if (!measure_coverable (input, &most, err))
    return err->status != CFI2SFRAME_NO_MEMORY;
  if (!is_nearly_all (covered, most))
    snprintf (verdict->text, sizeof verdict->text,
              "describes only %.1f %% of the code with CFI",
              percent_of (covered, all));
  return true;
}

/* Write to VERDICT the fault of INPUT's .sframe: that readers cannot use it,
   that it is wrong, or that it is incomplete compared with a conversion's.
   Without CFI the section counts as right.  False when memory ran out, or when
   the section has no contents.  */
static bool
audit_section (struct verdict *verdict, const struct input *input,
               struct error *err)
{
  struct cfi2sframe_check_result result = { 0 };
  struct cfi_options cfi_options = options_choose_cfi (input->options);
  const char *useless;
  *verdict = (struct verdict){ .text = "" };
  /* Compare with all CFI of the file.  The option not to read .debug_frame is
     for conversions; rows from there are not wrong.  */
  if (cfi_options.debug_info == CFI2SFRAME_DEBUG_INFO_NONE)
    cfi_options.debug_info = CFI2SFRAME_DEBUG_INFO_OWN;
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
  else
    {
      char lines[sizeof verdict->text];
      error_clear (err);
      bool taken
          = section_check_readers (input->image, input->options->readers,
                                   false, lines, sizeof lines, err);
      if (!taken && err->status != CFI2SFRAME_NO_MEMORY)
        set_text (verdict, "is not for the readers named: ", err->reason);
      else if (!taken || !audit_rows (verdict, input, &result, err))
        return false;
    }
  error_clear (err);
  return true;
}

bool
section_check_replacing (const struct input *input, struct error *err)
{
  const struct cfi2sframe_options *options = input->options;
  struct verdict verdict;
  if (options->replace)
    return true;
  if (!audit_section (&verdict, input, err))
    return false;
  if (verdict.text[0] != '\0' && !verdict.unknown && options->replace_bad)
    return true;
  memcpy (input->report->existing, verdict.text,
          sizeof input->report->existing);
  return error_set_word (err, CFI2SFRAME_NOTHING, WORD_HAS_SFRAME,
                         "has an .sframe already");
}
