/* Analysing the code of a linked file for conversions, checks and --lint.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/code_evidence.h"

#include "cfi/plt.h"

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
  request->covered = facts->functions.functions;
  request->n_covered = facts->functions.n_functions;
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
  /* Functions that an earlier analysis has found would count as CFI.  */
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
