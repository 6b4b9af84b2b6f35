/* What machine code does to the stack: the one header for other folders.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/code.h"

#include "analysis/analysis.h"
#include "analysis/machine.h"

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

/* Analyse the image of REQUEST once.  PARTS, or NULL: see analysis.h.  */
static bool
analyse (const struct code_request *request, struct code_findings *findings,
         struct parts *parts, struct error *err)
{
  struct analysis_summary summary;
  *findings = (struct code_findings){ 0 };
  if (!analysis_run (request, NULL, &findings->row_map,
                     request->compares ? &findings->disproofs : NULL, &summary,
                     parts, err))
    return false;
  findings->functions = summary.functions;
  findings->functions_left = summary.failures[ROUTINE_TOO_MUCH];
  findings->functions_trusted = request->only_compares
                                    ? summary.compared
                                    : summary.failures[ROUTINE_SOUND];
  return true;
}

/* CFI that is wrong may make a part of a function look like a function
   (parts.h).  Where CFI is only compared, the image is analysed a second time,
   with such parts as parts of the functions that jump to them.  */
bool
code_analyse (const struct code_request *request,
              struct code_findings *findings, struct error *err)
{
  struct parts parts = { 0 };
  bool asks = request->only_compares;
  bool ok = analyse (request, findings, asks ? &parts : NULL, err);
  if (ok && parts.n > 0)
    {
      struct code_request better = *request;
      better.parts = parts.starts;
      better.n_parts = parts.n;
      code_findings_free (findings);
      ok = analyse (&better, findings, NULL, err);
    }
  parts_free (&parts);
  return ok;
}

void
code_findings_free (struct code_findings *findings)
{
  row_map_free (&findings->row_map);
  disproofs_free (&findings->disproofs);
}

bool
code_row_reads_below_sp (const struct frame_row *row, const struct arch *arch)
{
  const struct code_machine *go = code_machine_of_go (arch);
  const struct frame_rule *rules[] = { &row->ra, &row->fp };
  int64_t kept = go ? go->kept_below : 0;
  if (row->cfa.kind != RULE_REG || row->cfa.reg != arch->sp)
    return false;
  for (unsigned i = 0; i < sizeof rules / sizeof *rules; i++)
    if (rules[i]->kind == RULE_DEREF_CFA
        && (int64_t)row->cfa.offset + rules[i]->offset < -kept)
      return true;
  return false;
}

void
code_describe (const struct disproof *disproof, const struct arch *arch,
               char says[DISPROOF_TEXT_MAX], char does[DISPROOF_TEXT_MAX])
{
  disproof_describe (disproof, code_machine_of (arch), says, does);
}
