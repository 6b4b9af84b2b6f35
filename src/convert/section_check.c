/* Whether the .sframe that a file has is right, and of use to readers.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/section_check.h"

#include <stdlib.h>

#include "cfi/source.h"
#include "convert/code_evidence.h"
#include "convert/for_readers.h"
#include "elf/sframe_place.h"
#include "relocatable/object_sframe.h"
#include "sframe/lower_row.h"
#include "sframe/verify.h"

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
    compared = analyse_and_compare (&source, decoder, result, err);
  cfi_source_close (&source);
  if (!compared && err->status == CFI2SFRAME_NOTHING)
    return error_set_word (err, CFI2SFRAME_NOTHING, WORD_NO_CFI,
                           "no .eh_frame to check .sframe against");
  return compared;
}

/* Whether DECODER's functions ascend, as a section may say without being
   so.  */
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
section_is_of_use (const struct image *image)
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
  return compare_rows (image, &decoder, cfi_options, result, err);
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
