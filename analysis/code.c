/* The driver: from function starts to the rows of their code.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The analysis runs in rounds.  The first round takes function starts that are
   certain: CFI, symbols, and direct calls from certain functions.  Later
   rounds take addresses that code or data reference, and starts of code that
   has rows from another source.  Such a start must be proved like all others
   (routine.h).  No start is guessed in code that nothing references.

   A later round adds a start only where no function of an earlier round has
   reached, so that a wrong start takes no code from a right one.  */

#include "analysis/code.h"

#include "analysis/comparison.h"
#include "analysis/schedule.h"
#include "analysis/starts.h"

enum
{
  POINTER_ROUNDS_MAX = 32,
  TRIES_MAX = 5 /* analyses of an image whose CFI has wrong first rows */
};

struct analysis
{
  const struct code_request *request;
  struct code_findings *findings;
  struct analysis_shared shared;
  struct noreturn *noreturn;
  struct starts starts;
  struct schedule schedule;
};

/* ---- Rounds of function starts */

/* Analyse pending functions, unless memory ran out while they were ADDED.  */
static bool
run_round (struct analysis *analysis, bool added, struct error *err)
{
  if (!added)
    return error_set_no_memory (err);
  return !starts_pending (&analysis->starts)
         || schedule_run (&analysis->schedule, err);
}

/* Run rounds of addresses that code or data reference.  The functions found in
   one round reference more addresses.  */
static bool
run_pointer_rounds (struct analysis *analysis, struct error *err)
{
  for (int i = 0; i < POINTER_ROUNDS_MAX; i++)
    {
      bool added = starts_add_pointers (&analysis->starts);
      if (added && !starts_pending (&analysis->starts))
        break;
      if (!run_round (analysis, added, err))
        return false;
    }
  return true;
}

static bool
run_rounds (struct analysis *analysis, struct error *err)
{
  struct starts *starts = &analysis->starts;
  /* Certain starts: CFI, symbols, initialisers, Go's table.  */
  if (!run_round (analysis, starts_add_certain (starts), err))
    return false;
  if (!analysis->request->beyond_cfi)
    return true;
  /* Then code with rows from another source.  Code that adjoins the end of
     other such code may be a part of the same function, so it comes last.  */
  if (!run_pointer_rounds (analysis, err)
      || !run_round (analysis, starts_add_described (starts, false), err)
      || !run_round (analysis, starts_add_described (starts, true), err))
    return false;
  /* Analyse functions with doubtful calls again.  Every function has been
     analysed by now, so a call that is still doubtful ends its function.  The
     functions behind these calls reference more addresses.  */
  return run_round (analysis, schedule_retry_doubtful (&analysis->schedule),
                    err)
         && run_pointer_rounds (analysis, err);
}

/* ---- One analysis */

/* Set the context of SHARED, which is all that analysers see.  GO_MACHINE is
   NULL if Go's table is not used.  */
static void
set_context (struct analysis_shared *shared,
             const struct code_request *request,
             const struct code_machine *go_machine)
{
  const struct image *image = request->image;
  shared->context = (struct routine_context){
    .request = request,
    .machine = code_machine_of (image->arch),
    .go = go_machine ? &shared->go : NULL,
    .go_machine = go_machine,
    .bare_machine = code_machine_with (image->arch, CONVENTIONS_BARE),
    .facts = &shared->facts,
    .functions = shared->functions,
    .covered_code = &shared->covered_code,
    .program_entry = starts_program_entry (image),
    .has_hints = request->beyond_cfi && image->header.e_type == ET_EXEC,
  };
}

static bool
prepare (struct analysis *analysis, struct error *err)
{
  const struct code_request *request = analysis->request;
  const struct image *image = request->image;
  struct analysis_shared *shared = &analysis->shared;
  const struct code_machine *go
      = request->beyond_cfi ? code_machine_with (image->arch, CONVENTIONS_GO)
                            : NULL;
  if (!code_analysis_expect (image->arch, err)
      || !facts_read (&shared->facts, image, err))
    return false;
  shared->functions = functions_new (image);
  shared->row_map = &analysis->findings->row_map;
  shared->disproofs = &analysis->findings->disproofs;
  if (!shared->facts.decoder || !shared->functions
      || (go && !go_table_read (&shared->go, &shared->facts))
      || !covered_code_init (&shared->covered_code, request, &shared->facts)
      || (request->beyond_cfi && !facts_find_table_ends (&shared->facts)))
    return error_set_no_memory (err);
  set_context (shared, request, go);
  analysis->noreturn = noreturn_new (shared->functions, &shared->facts);
  analysis->starts.shared = shared;
  analysis->schedule = (struct schedule){ .shared = shared,
                                          .noreturn = analysis->noreturn,
                                          .starts = &analysis->starts };
  return (analysis->noreturn && schedule_begin (&analysis->schedule))
         || error_set_no_memory (err);
}

/* Count in the findings how many functions were analysed, and how many results
   are used: none if the steps did not suffice.  */
static void
count_functions (struct analysis *analysis)
{
  const struct schedule *schedule = &analysis->schedule;
  struct code_findings *findings = analysis->findings;
  findings->functions = schedule->n_functions;
  if (schedule->steps_left == 0)
    {
      findings->functions_left = findings->functions;
      return;
    }
  findings->functions_left = schedule->n_unfinished;
  if (!analysis->request->only_compares)
    findings->functions_trusted = schedule->n_sound;
  else
    for (size_t i = 0; i < analysis->shared.functions->n; i++)
      findings->functions_trusted
          += analysis->shared.functions->list[i].is_compared;
}

/* Analyse the image of REQUEST once.  Unless CORRECTIONS is NULL, add FDEs
   with a wrong first row to it.  */
static bool
analyse (const struct code_request *request, struct code_findings *findings,
         struct fde_corrections *corrections, struct error *err)
{
  struct analysis analysis = { .request = request, .findings = findings };
  *findings = (struct code_findings){ 0 };
  bool ok = row_map_init (&findings->row_map, err) && prepare (&analysis, err)
            && run_rounds (&analysis, err);
  if (ok && corrections
      && !fde_corrections_find (
          corrections, request, &analysis.shared.covered_code,
          analysis.shared.functions, &analysis.shared.facts))
    ok = error_set_no_memory (err);
  if (ok)
    {
      count_functions (&analysis);
      /* Paths may be missing, so no row may be used.  */
      if (analysis.schedule.steps_left == 0)
        row_map_clear (&findings->row_map);
      disproofs_drop_stale (&findings->disproofs, analysis.shared.functions);
      comparison_merge (&findings->disproofs, &findings->row_map);
    }
  schedule_free (&analysis.schedule);
  starts_free (&analysis.starts);
  noreturn_free (analysis.noreturn);
  functions_free (analysis.shared.functions);
  covered_code_free (&analysis.shared.covered_code);
  go_table_free (&analysis.shared.go);
  facts_free (&analysis.shared.facts);
  return ok;
}

/* A wrong first row of an FDE may make a part look like a function, or a
   function like a part (covered_code.h).  If CFI is only compared, the image
   is analysed again with these FDEs corrected, until no more are found.  */
bool
code_analyse (const struct code_request *request,
              struct code_findings *findings, struct error *err)
{
  struct fde_corrections corrections = { 0 };
  struct code_request better = *request;
  bool asks = request->only_compares;
  bool ok = analyse (request, findings, asks ? &corrections : NULL, err);
  for (int i = 1; ok && i < TRIES_MAX
                  && (corrections.parts.n > better.parts.n
                      || corrections.entries.n > better.entries.n);
       i++)
    {
      better.parts = corrections.parts;
      better.entries = corrections.entries;
      code_findings_free (findings);
      ok = analyse (&better, findings, &corrections, err);
    }
  fde_corrections_free (&corrections);
  return ok;
}

bool
code_analysis_is_known (const struct arch *arch)
{
  return code_machines (arch) != NULL;
}

bool
code_analysis_exists (const struct arch *arch)
{
  return code_machine_of (arch) != NULL;
}

bool
code_analysis_expect (const struct arch *arch, struct error *err)
{
  return code_analysis_exists (arch)
         || error_set_word (err, CFI2SFRAME_UNSUPPORTED, WORD_NO_ANALYSIS,
                            "this build cannot analyse code of this machine");
}

void
code_findings_free (struct code_findings *findings)
{
  row_map_free (&findings->row_map);
  disproofs_free (&findings->disproofs);
}
