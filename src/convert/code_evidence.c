/* What the code of a linked file says: functions without CFI, and rows of the
   CFI that it contradicts; for conversions, checks and --lint.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/code_evidence.h"

#include "cfi/plt.h"
#include "convert/location.h"

bool
code_evidence_open_source (struct cfi_source *source,
                           const struct image *image,
                           const struct cfi_options *cfi_options,
                           struct error *err)
{
  if (cfi_source_open (source, image, cfi_options, err))
    return true;
  if (err->status != CFI2SFRAME_NOTHING)
    return false;
  error_clear (err);
  source->cfi.arch = image->arch;
  return plt_stubs_find (&source->stubs, image, &source->cfi, err);
}

bool
code_facts_read (struct code_facts *facts, const struct cfi_source *source,
                 struct code_request *request, struct error *err)
{
  *facts = (struct code_facts){ 0 };
  *request = (struct code_request){ .image = source->image };
  bool ok
      = finished_rows_list (&facts->functions, source, err)
        && landing_pads_read (&facts->pads, source->image, &source->cfi, err);
  if (!ok)
    {
      code_facts_free (facts);
      return false;
    }
  request->known = facts->functions.functions;
  request->n_known = facts->functions.n_functions;
  request->pads = facts->pads.pads;
  request->n_pads = facts->pads.n;
  return true;
}

void
code_facts_free (struct code_facts *facts)
{
  frame_functions_free (&facts->functions);
  landing_pads_free (&facts->pads);
  *facts = (struct code_facts){ 0 };
}

bool
code_evidence_make (struct code_evidence *evidence, struct cfi_source *source,
                    const struct code_evidence_request *wanted,
                    struct error *err)
{
  struct code_facts facts;
  struct code_request request;
  struct code_findings findings;
  *evidence = (struct code_evidence){ 0 };
  if (!code_analysis_expect (source->image->arch, err))
    return false;
  /* What an earlier analysis has found would be taken for CFI.  */
  frame_functions_free (&source->found);
  if (!code_facts_read (&facts, source, &request, err))
    return false;
  request.beyond_cfi = wanted->add;
  request.compares = wanted->verify;
  request.only_compares = !wanted->add;
  if (wanted->described != NULL)
    {
      request.described = wanted->described->functions;
      request.n_described = wanted->described->n_functions;
    }
  request.threads = wanted->threads;
  bool ok = code_analyse (&request, &findings, err)
            && (!wanted->add
                || code_found_functions (&findings, &request, &source->found,
                                         err));
  evidence->functions = source->found.n_functions;
  for (size_t i = 0; i < source->found.n_functions; i++)
    evidence->bytes += source->found.functions[i].size;
  evidence->functions_left = ok ? findings.functions_left : 0;
  if (ok)
    {
      evidence->disproofs = findings.disproofs;
      findings.disproofs = (struct disproofs){ 0 };
    }
  code_findings_free (&findings);
  code_facts_free (&facts);
  return ok;
}

void
code_evidence_free (struct code_evidence *evidence)
{
  disproofs_free (&evidence->disproofs);
}

/* --lint: compare the CFI of SOURCE with its code, and tell FOUND of each
   contradiction.  */
static bool
lint_source (const struct cfi_source *source, unsigned threads,
             void (*found) (void *context,
                            const struct cfi2sframe_finding *finding),
             void *context, struct cfi2sframe_lint_result *result,
             struct error *err)
{
  struct code_facts facts;
  struct code_request request;
  struct code_findings findings;
  if (!code_facts_read (&facts, source, &request, err))
    return false;
  request.compares = request.only_compares = true;
  request.threads = threads;
  bool ok = code_analyse (&request, &findings, err);
  if (ok)
    {
      const struct disproofs *disproofs = &findings.disproofs;
      result->functions = findings.functions;
      result->functions_trusted = findings.functions_trusted;
      result->functions_left = findings.functions_left;
      result->findings = disproofs->n;
      for (size_t i = 0; i < disproofs->n; i++)
        result->bytes += disproofs->list[i].bytes;
      ok = found == NULL
           || code_report (&findings, &request, found, context, err);
    }
  code_findings_free (&findings);
  code_facts_free (&facts);
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
  struct cfi_source source = { 0 };
  const struct cfi_options cfi_options
      = { .debug_info = CFI2SFRAME_DEBUG_INFO_OWN, .without_fp = true };
  *result = (struct cfi2sframe_lint_result){ 0 };
  bool ok
      = image_open_at (&image, input, err)
        && code_analysis_expect (image.arch, err)
        && (image.header.e_type != ET_REL
            || error_set_word (err, CFI2SFRAME_UNSUPPORTED, WORD_OBJECT,
                               "objects are not analysed: link them first"))
        && cfi_source_open (&source, &image, &cfi_options, err)
        && lint_source (&source, threads, found, context, result, err);
  cfi_source_close (&source);
  image_close (&image);
  if (ok && result->findings > 0)
    return error_set (err, CFI2SFRAME_MISMATCH,
                      "the code contradicts its CFI");
  return ok;
}
