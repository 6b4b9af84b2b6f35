/* An audit of an .sframe that a file has already.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/audit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/percent.h"
#include "cfi/source.h"
#include "convert/code_evidence.h"
#include "convert/for_readers.h"
#include "convert/linked_section.h"
#include "convert/options.h"
#include "relocatable/object_audit.h"
#include "sframe/find_sframe.h"
#include "sframe/lower_row.h"
#include "write/existing.h"

enum
{
  /* GNU ld leaves some functions out that this program can describe: up to 4
     percent of the code of libcrypto.  */
  WHOLE_PERCENT = 90
};

static int
compare_starts (const void *a, const void *b)
{
  const struct frame_function *x = a, *y = b;
  return (x->address > y->address) - (x->address < y->address);
}

/* Set LIST to what DECODER's entries say, ascending.  Entries may share rows:
   those behind more rows than the section has bytes have none.  */
static bool
described_code (struct frame_functions *list,
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
      if (!lower_undo_function (decoder, i, &left, function, err))
        return false;
      n_rows += function->n_rows;
      if (n_rows > decoder->size)
        function->n_rows = 0;
      frame_function_trim (function);
    }
  qsort (list->functions, n, sizeof *list->functions, compare_starts);
  return true;
}

/* Compare with SOURCE, after adding functions found in code that neither the
   CFI nor DESCRIBED covers.  */
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
  result->bytes_from_code = rows.bytes;
  code_evidence_free (&rows);
  return compared;
}

/* Compare rows for code without CFI with an analysis of the code.  First the
   code is analysed as a conversion does it.  The rows may have been made
   before the file was stripped, when symbols said where functions start and
   .debug_frame where a popped frame pointer still lies.  So code that then is
   still not found, or told by other rows, is analysed again, with what the
   .sframe itself says of it.  */
static bool
audit_with_code (struct cfi_source *source,
                 const struct sframe_decoder *decoder,
                 struct cfi2sframe_check_result *result, struct error *err)
{
  struct frame_functions described = { 0 };
  if (!compare_with_code (source, decoder, NULL, result, err))
    return false;
  if (result->bytes_extra + result->bytes_wrong == 0)
    return true;
  bool compared
      = described_code (&described, decoder, err)
        && compare_with_code (source, decoder, &described, result, err);
  frame_functions_free (&described);
  return compared;
}

static bool
compare_rows (const struct image *image, const struct sframe_decoder *decoder,
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
  /* What looks wrong may be of alignment that code runs through.  */
  if (compared && result->bytes_extra + result->bytes_wrong > 0 && analysed)
    compared = audit_with_code (&source, decoder, result, err);
  cfi_source_close (&source);
  if (!compared && err->status == CFI2SFRAME_NOTHING)
    return error_set_word (err, CFI2SFRAME_NOTHING, WORD_NO_CFI,
                           "no .eh_frame to check .sframe against");
  return compared;
}

const char *
audit_use (const struct image *image, const struct sframe_decoder *decoder)
{
  if (image_sframe_segment (image) == NULL)
    return "no program header says where it is";
  if (existing_find (image).disagrees)
    return "its program header is for other bytes";
  return decoder->flags & SFRAME_FLAG_SORTED ? NULL : "it is not sorted";
}

bool
audit_compare (const struct image *image,
               const struct cfi_options *cfi_options, const char **problem,
               struct cfi2sframe_check_result *result, struct error *err)
{
  struct sframe_decoder decoder;
  *problem = NULL;
  if (image->header.e_type == ET_REL)
    return object_verify (image, result, err);
  if (!find_sframe (image, &decoder, err))
    return false;
  *problem = audit_use (image, &decoder);
  return compare_rows (image, &decoder, cfi_options, result, err);
}

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

/* How many bytes of code a conversion of IMAGE with OPTIONS would cover.
   False when there would be no section.  */
static bool
coverable (const struct image *image, const struct cfi2sframe_options *options,
           uint64_t *covered, struct error *err)
{
  struct cfi2sframe_report report = { 0 };
  if (image->header.e_type == ET_REL)
    return object_coverable (image, options, covered, err);
  struct sframe_encoder *encoder
      = linked_section_build (image, options, &report, err);
  *covered = report.bytes_covered;
  sframe_encoder_free (encoder);
  return encoder != NULL;
}

/* Whether the .sframe that RESULT is about is right, and describes nearly all
   code that has CFI, or nearly all that a conversion of IMAGE with OPTIONS
   would cover.  A conversion may have to leave much out.  False when memory
   ran out.  */
static bool
audit_rows (struct verdict *verdict,
            const struct cfi2sframe_check_result *result,
            const struct image *image,
            const struct cfi2sframe_options *options, struct error *err)
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
  if (!coverable (image, options, &most, err))
    return err->status != CFI2SFRAME_NO_MEMORY;
  if (!is_nearly_all (covered, most))
    snprintf (verdict->text, sizeof verdict->text,
              "describes only %.1f %% of the code with CFI",
              percent_of (covered, all));
  return true;
}

/* Whether READERS, if any are named, take the .sframe of IMAGE.  Objects have
   none that readers see.  False when memory ran out.  */
static bool
audit_readers (struct verdict *verdict, const struct image *image,
               unsigned readers, struct error *err)
{
  struct sframe_decoder decoder;
  char all[sizeof verdict->text];
  error_clear (err);
  if (readers == 0 || image->header.e_type == ET_REL
      || (find_sframe (image, &decoder, err)
          && for_readers_audit (readers, image, &decoder, false, all,
                                sizeof all, err)))
    return true;
  set_text (verdict, "is not for the readers named: ", err->reason);
  return err->status != CFI2SFRAME_NO_MEMORY;
}

/* Audit the .sframe of IMAGE, which has one: can readers use it, is it right,
   is it whole, by what a conversion with OPTIONS would give?  Without CFI the
   section counts as right.  False when memory ran out.  */
static bool
audit_image (struct verdict *verdict, const struct image *image,
             const struct cfi2sframe_options *options, struct error *err)
{
  struct cfi2sframe_check_result result = { 0 };
  /* A section is right by all CFI that the file has.  That a conversion is
     asked not to read .debug_frame does not make rows wrong.  */
  struct cfi_options cfi_options = options_cfi (options);
  if (cfi_options.debug_info == CFI2SFRAME_DEBUG_INFO_NONE)
    cfi_options.debug_info = CFI2SFRAME_DEBUG_INFO_OWN;
  const char *problem;
  *verdict = (struct verdict){ .text = "" };
  bool compared = audit_compare (image, &cfi_options, &problem, &result, err);
  if (!compared && err->status == CFI2SFRAME_NO_MEMORY)
    return false;
  verdict->unknown
      = !compared && options->readers == 0 && err->word == WORD_UNKNOWN_SFRAME;
  if (verdict->unknown)
    set_text (verdict, "cannot be judged: ", err->reason);
  else if (problem != NULL || (!compared && err->status != CFI2SFRAME_NOTHING))
    set_text (verdict, "is of no use to any reader: ",
              problem != NULL ? problem : err->reason);
  else if (!audit_readers (verdict, image, options->readers, err)
           || (verdict->text[0] == '\0'
               && !audit_rows (verdict, &result, image, options, err)))
    return false;
  error_clear (err);
  return true;
}

bool
audit_replacing (const struct image *image,
                 const struct cfi2sframe_options *options,
                 struct cfi2sframe_report *report, struct error *err)
{
  struct verdict verdict;
  if (options->replace)
    return true;
  if (!audit_image (&verdict, image, options, err))
    return false;
  if (verdict.text[0] != '\0' && !verdict.unknown && options->replace_bad)
    return true;
  memcpy (report->existing, verdict.text, sizeof report->existing);
  return error_set_word (err, CFI2SFRAME_NOTHING, WORD_HAS_SFRAME,
                         "has an .sframe already");
}
