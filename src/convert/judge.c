/* What an .sframe that is there is worth: can readers use it, is it right?
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/judge.h"

#include <stdio.h>

#include "cfi/source.h"
#include "convert/code_rows.h"
#include "convert/find_sframe.h"

enum
{
  /* GNU ld leaves some functions out that this program can describe: up to 4
     percent of the code of libcrypto.  */
  WHOLE_PERCENT = 90
};

/* Without CFI there is still the code.  */
static bool
open_source (struct cfi_source *source, const struct image *image,
             struct error *err)
{
  if (cfi_source_open (source, image, err))
    return true;
  if (err->status != CFI2SFRAME_NOTHING || !code_analysis_exists (image->arch))
    return false;
  cfi_source_close (source);
  return code_rows_open_source (source, image, err);
}

/* Rows for code without CFI: are they what the code says?  */
static bool
judge_with_code (struct cfi_source *source,
                 const struct sframe_decoder *decoder,
                 struct padding_finder *padding, struct verify_result *result,
                 struct error *err)
{
  struct code_rows rows;
  bool judged = code_rows_find (&rows, source, true, false, err);
  judged = judged && sframe_verify (decoder, source, padding, result, err);
  result->bytes_from_code = rows.bytes;
  code_rows_free (&rows);
  return judged;
}

bool
judge_rows (const struct image *image, const struct sframe_decoder *decoder,
            struct verify_result *result, struct error *err)
{
  struct cfi_source source;
  struct padding_finder padding = { 0 };
  if (decoder->arch != image->arch)
    return error_set (err, CFI2SFRAME_MALFORMED,
                      "its .sframe is for another machine");
  bool judged = open_source (&source, image, err)
                && padding_finder_init (&padding, image, err)
                && sframe_verify (decoder, &source, &padding, result, err);
  if (judged && result->bytes_extra > 0 && code_analysis_exists (image->arch))
    judged = judge_with_code (&source, decoder, &padding, result, err);
  padding_finder_free (&padding);
  cfi_source_close (&source);
  return judged;
}

const char *
judge_use (const struct image *image, const struct sframe_decoder *decoder)
{
  const GElf_Phdr *segment = image_find_segment (image, PT_GNU_SFRAME);
  if (segment == NULL || segment->p_memsz == 0)
    return "no program header says where it is";
  return decoder->flags & SFRAME_FLAG_SORTED ? NULL : "it is not sorted";
}

static void
set_text (struct judgement *judgement, const char *what, const char *detail)
{
  snprintf (judgement->text, sizeof judgement->text, "%s%.120s", what, detail);
}

static void
judge_result (struct judgement *judgement, const struct verify_result *result)
{
  uint64_t all = result->bytes_equal + result->bytes_absent;
  judgement->right = result->bytes_wrong + result->bytes_extra == 0;
  judgement->whole
      = (double)result->bytes_equal * 100 >= (double)all * WHOLE_PERCENT;
  if (!judgement->right)
    set_text (judgement, "is wrong: ", result->difference);
  else if (!judgement->whole)
    snprintf (judgement->text, sizeof judgement->text,
              "describes only %.1f %% of the code with CFI",
              100 * (double)result->bytes_equal / (double)all);
}

bool
judge_image (const struct image *image, struct judgement *judgement,
             struct error *err)
{
  struct sframe_decoder decoder;
  struct verify_result result = { 0 };
  *judgement = (struct judgement){ .right = true, .whole = true };
  bool judged = find_sframe (image, &decoder, err);
  const char *problem = judged ? judge_use (image, &decoder) : NULL;
  judged = judged && judge_rows (image, &decoder, &result, err);
  if (!judged && err->status == CFI2SFRAME_NO_MEMORY)
    return false;
  judgement->usable
      = problem == NULL && (judged || err->status == CFI2SFRAME_NOTHING);
  if (!judgement->usable)
    set_text (judgement, "is of no use to any reader: ",
              problem != NULL ? problem : err->reason);
  else
    judge_result (judgement, &result);
  error_clear (err);
  return true;
}
