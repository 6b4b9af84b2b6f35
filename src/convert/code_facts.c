/* The facts that the analysis of code starts from: the CFI of an image.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/code_facts.h"

bool
code_facts_read (struct code_facts *facts, const struct cfi_source *source,
                 struct code_request *request, struct error *err)
{
  *facts = (struct code_facts){ 0 };
  *request = (struct code_request){ .image = source->image };
  bool ok
      = function_list_read (&facts->functions, source, err)
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
