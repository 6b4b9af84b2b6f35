/* From places where functions may start to the rows of their code.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Starts of functions are taken from what is certain: CFI, symbols, direct
   calls from code that is known.  Addresses that code or data mention are
   tried afterwards, where no other function has got to, and must prove
   themselves like all others (routine.h); so are those that have rows from
   elsewhere.  Nothing is guessed in the gaps between.

   So the rounds go from what is certain to what is not.  A later round adds
   starts only where no function of an earlier one has got to, so that a wrong
   start takes nothing from a right one.  */

#include "analysis/code.h"

#include "analysis/comparison.h"
#include "analysis/schedule.h"
#include "analysis/starts.h"

enum
{
  POINTER_ROUNDS_MAX = 32,
  TRIES_MAX = 5 /* of an image whose CFI is wrong about beginnings */
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

/* Rounds.  Each adds functions, which are analysed with all that they call
   before the next one begins.  */

/* Follow what was ADDED (false: memory ran out).  */
static bool
run_round (struct analysis *analysis, bool added, struct error *err)
{
  if (!added)
    return error_set_no_memory (err);
  return !starts_pending (&analysis->starts)
         || schedule_run (&analysis->schedule, err);
}

/* Addresses that code or data mention: functions found by them mention
   others.  */
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
  /* CFI, symbols, initialisers, Go's table: there are functions.  */
  if (!run_round (analysis, starts_add_certain (starts), err))
    return false;
  if (!analysis->request->beyond_cfi)
    return true;
  /* Of code that has rows from elsewhere, what goes on where another stretch
     ends may be a part of the same function, and comes after it.  */
  if (!run_pointer_rounds (analysis, err)
      || !run_round (analysis, starts_add_described (starts, false), err)
      || !run_round (analysis, starts_add_described (starts, true), err))
    return false;
  /* Functions that make calls which were never seen to return are tried again.
     By now every function has been asked whether it returns, so that calls of
     the others end those functions.  These mention addresses, too.  */
  return run_round (analysis, schedule_retry_doubtful (&analysis->schedule),
                    err)
         && run_pointer_rounds (analysis, err);
}

/* ---- What the rounds need */

/* Give analysers a view of SHARED.  GO_MACHINE is NULL where Go's table is not
   asked for.  */
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

/* Say how much was analysed, and how much is used: nothing where there
   were too few steps.  */
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
  findings->functions_left = schedule->n_left;
  if (!analysis->request->only_compares)
    findings->functions_trusted = schedule->n_sound;
  else
    for (size_t i = 0; i < analysis->shared.functions->n; i++)
      findings->functions_trusted
          += analysis->shared.functions->list[i].is_compared;
}

/* Analyse the image of REQUEST once.  BEGINNINGS, which is initialised, gets
   what FDEs seem to begin otherwise; NULL: it is not asked for.  */
static bool
analyse (const struct code_request *request, struct code_findings *findings,
         struct beginnings *beginnings, struct error *err)
{
  struct analysis analysis = { .request = request, .findings = findings };
  *findings = (struct code_findings){ 0 };
  bool ok = row_map_init (&findings->row_map, err) && prepare (&analysis, err)
            && run_rounds (&analysis, err);
  if (ok && beginnings
      && !beginnings_find (beginnings, request, &analysis.shared.covered_code,
                           analysis.shared.functions, &analysis.shared.facts))
    ok = error_set_no_memory (err);
  if (ok)
    {
      count_functions (&analysis);
      /* Paths may be missing: what was found must not be used.  */
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

/* CFI that is wrong may make a part of a function look like a function, or a
   function like a part (covered_code.h).  Where CFI is only compared, the
   image is analysed again, with each as what it is, until no more are found.
 */
bool
code_analyse (const struct code_request *request,
              struct code_findings *findings, struct error *err)
{
  struct beginnings beginnings = { 0 };
  struct code_request better = *request;
  bool asks = request->only_compares;
  bool ok = analyse (request, findings, asks ? &beginnings : NULL, err);
  for (int i = 1; ok && i < TRIES_MAX
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
