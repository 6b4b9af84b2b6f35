/* Comparing the CFI of a file with its code.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/location.h"

#include "convert/code_evidence.h"

struct lint_run
{
  const struct image *image;
  unsigned threads;
  void (*found) (void *context, const struct cfi2sframe_finding *finding);
  void *context;
  struct cfi2sframe_lint_result *result;
};

/* Count what was found, and tell of it.  */
static bool
report (const struct lint_run *lint, const struct code_findings *findings,
        const struct code_request *request, struct error *err)
{
  struct cfi2sframe_lint_result *result = lint->result;
  const struct disproofs *disproofs = &findings->disproofs;
  result->functions = findings->functions;
  result->functions_trusted = findings->functions_trusted;
  result->functions_left = findings->functions_left;
  result->findings = disproofs->n;
  for (size_t i = 0; i < disproofs->n; i++)
    result->bytes += disproofs->list[i].bytes;
  return lint->found == NULL
         || code_report (findings, request, lint->found, lint->context, err);
}

static bool
lint_source (const struct lint_run *lint, const struct cfi_source *source,
             struct error *err)
{
  struct code_facts facts;
  struct code_request request;
  struct code_findings findings;
  if (!code_facts_read (&facts, source, &request, err))
    return false;
  request.compares = request.only_compares = true;
  request.threads = lint->threads;
  bool ok = code_analyse (&request, &findings, err)
            && report (lint, &findings, &request, err);
  code_findings_free (&findings);
  code_facts_free (&facts);
  return ok;
}

static bool
lint_image (const struct lint_run *lint, struct error *err)
{
  const struct image *image = lint->image;
  struct cfi_source source = { 0 };
  const struct cfi_options cfi_options
      = { .debug_info = CFI2SFRAME_DEBUG_INFO_OWN, .without_fp = true };
  if (!code_analysis_expect (image->arch, err))
    return false;
  if (image->header.e_type == ET_REL)
    return error_set_word (err, CFI2SFRAME_UNSUPPORTED, WORD_OBJECT,
                           "objects are not analysed: link them first");
  bool ok = cfi_source_open (&source, image, &cfi_options, err)
            && lint_source (lint, &source, err);
  cfi_source_close (&source);
  return ok;
}

bool
location_lint (const struct file_location *input, unsigned threads,
               void (*found) (void *context,
                              const struct cfi2sframe_finding *finding),
               void *context, struct cfi2sframe_lint_result *result,
               struct error *err)
{
  struct image image;
  const struct lint_run lint = { .image = &image,
                                 .threads = threads,
                                 .found = found,
                                 .context = context,
                                 .result = result };
  *result = (struct cfi2sframe_lint_result){ 0 };
  bool ok = image_open_at (&image, input, err) && lint_image (&lint, err);
  image_close (&image);
  if (ok && result->findings > 0)
    return error_set (err, CFI2SFRAME_MISMATCH,
                      "the code contradicts its CFI");
  return ok;
}
