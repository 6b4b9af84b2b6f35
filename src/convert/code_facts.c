/* The facts that the analysis of code starts from: the CFI of an image.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/code_facts.h"

#include <stdlib.h>

static bool
copy_pads (struct code_facts *facts)
{
  facts->pads = calloc (facts->sites.n + 1, sizeof *facts->pads);
  if (!facts->pads)
    return false;
  for (size_t i = 0; i < facts->sites.n; i++)
    {
      const struct call_site *site = &facts->sites.sites[i];
      facts->pads[i] = (struct code_pad){ .start = site->start,
                                          .end = site->end,
                                          .pad = site->pad,
                                          .args_size = site->args_size };
    }
  return true;
}

bool
code_facts_read (struct code_facts *facts, const struct cfi_source *source,
                 struct code_request *request, struct error *err)
{
  *facts = (struct code_facts){ 0 };
  *request = (struct code_request){ .image = source->image };
  bool ok
      = function_list_read (&facts->functions, source, err)
        && call_sites_read (&facts->sites, source->image, &source->cfi, err)
        && (copy_pads (facts) || error_set_no_memory (err));
  if (!ok)
    {
      code_facts_free (facts);
      return false;
    }
  request->known = facts->functions.functions;
  request->n_known = facts->functions.n;
  request->pads = facts->pads;
  request->n_pads = facts->sites.n;
  return true;
}

void
code_facts_free (struct code_facts *facts)
{
  function_list_free (&facts->functions);
  call_sites_free (&facts->sites);
  free (facts->pads);
  *facts = (struct code_facts){ 0 };
}
