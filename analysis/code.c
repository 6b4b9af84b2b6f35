/* What machine code does to the stack, for other folders.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/code.h"

#include "analysis/analysis.h"
#include "analysis/machine.h"

enum
{
  ROUNDS_MAX = 4
};

bool
code_analysis_exists (const struct arch *arch)
{
  return code_machine_of (arch) != NULL;
}

bool
code_analysis_expect (const struct arch *arch, struct error *err)
{
  return code_machine_expect (arch, err) != NULL;
}

bool
code_analysis_is_known (const struct arch *arch)
{
  return code_machine_is_known (arch);
}

/* Analyse the image of REQUEST once.  BEGINNINGS, or NULL: see analysis.h.  */
static bool
analyse (const struct code_request *request, struct code_findings *findings,
         struct beginnings *beginnings, struct error *err)
{
  struct analysis_summary summary;
  *findings = (struct code_findings){ 0 };
  if (!analysis_run (request, &findings->row_map,
                     request->compares ? &findings->disproofs : NULL, &summary,
                     beginnings, err))
    return false;
  findings->functions = summary.functions;
  findings->functions_left = summary.failures[ROUTINE_TOO_MUCH];
  findings->functions_trusted = request->only_compares
                                    ? summary.compared
                                    : summary.failures[ROUTINE_SOUND];
  return true;
}

/* CFI that is wrong may make a part of a function look like a function, or a
   function like a part (known_code.h).  Where CFI is only compared, the image
   is analysed again, with each as what it is, until no more are found.  */
bool
code_analyse (const struct code_request *request,
              struct code_findings *findings, struct error *err)
{
  struct beginnings beginnings = { 0 };
  struct code_request better = *request;
  bool asks = request->only_compares;
  bool ok = analyse (request, findings, asks ? &beginnings : NULL, err);
  for (int i = 0; ok && i < ROUNDS_MAX
                  && (beginnings.parts.n > better.parts.n
                      || beginnings.entries.n > better.entries.n);
       i++)
    {
      better.parts = beginnings.parts;
      better.entries = beginnings.entries;
      code_findings_free (findings);
      ok = analyse (&better, findings, &beginnings, err);
    }
  beginnings_free (&beginnings);
  return ok;
}

void
code_findings_free (struct code_findings *findings)
{
  row_map_free (&findings->row_map);
  disproofs_free (&findings->disproofs);
}
