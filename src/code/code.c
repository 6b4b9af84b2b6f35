/* What machine code does to the stack: the one header for other folders.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "code/code.h"

#include "code/analysis.h"
#include "code/comparison.h"
#include "code/machine.h"

bool
code_analysis_exists (const struct arch *arch)
{
  return code_machine_of (arch) != NULL;
}

bool
code_analysis_is_known (const struct arch *arch)
{
  return code_machine_is_known (arch);
}

bool
code_analyse (const struct code_request *request,
              struct code_findings *findings, struct error *err)
{
  struct comparison comparison;
  struct analysis_summary summary;
  *findings = (struct code_findings){ 0 };
  comparison_init (&comparison, request, &findings->disproofs);
  const struct analysis_observer observer
      = { .see = comparison_see, .argument = &comparison };
  if (!analysis_run (request, &observer, &findings->row_map, &summary, err)
      || !comparison_finish (&comparison, &findings->row_map, err))
    return false;
  findings->functions = summary.functions;
  findings->functions_trusted = summary.failures[ROUTINE_SOUND];
  return true;
}

void
code_findings_free (struct code_findings *findings)
{
  row_map_free (&findings->row_map);
  disproofs_free (&findings->disproofs);
}

void
code_describe (const struct disproof *disproof, const struct arch *arch,
               char says[DISPROOF_TEXT_MAX], char does[DISPROOF_TEXT_MAX])
{
  disproof_describe (disproof, code_machine_of (arch), says, does);
}
