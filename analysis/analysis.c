/* From places where functions may start to the rows of their code.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The rounds go from what is certain to what is not.  A later round adds
   starts only where no function of an earlier one has got to, so that a wrong
   start takes nothing from a right one.  */

#include "analysis/analysis.h"

#include "analysis/noreturn.h"
#include "analysis/starts.h"
#include "analysis/schedule.h"

enum
{
  POINTER_ROUNDS_MAX = 32
};

struct analysis
{
  const struct code_request *request;
  struct row_map *row_map;
  struct disproofs *disproofs; /* or NULL */
  struct analysis_summary *summary;
  struct insn_decoder *decoder;
  struct image_facts facts;
  struct known_code known;
  struct go_table go;
  struct functions *functions;
  struct noreturn *noreturn;
  struct starts starts;
  struct routine_context context;
  struct schedule schedule;
};

/* Rounds.  Each adds functions, which are followed with all that they call
   before the next one begins.  */

static bool
add_certain (struct analysis *analysis)
{
  return starts_add_certain (&analysis->starts);
}

static bool
add_pointers (struct analysis *analysis)
{
  return starts_add_pointers (&analysis->starts);
}

static bool
add_described (struct analysis *analysis)
{
  return starts_add_described (&analysis->starts, false);
}

static bool
add_described_adjoining (struct analysis *analysis)
{
  return starts_add_described (&analysis->starts, true);
}

/* Try functions again that make calls which may not return.  By now every
   function has been asked whether it returns, so that calls of the others end
   those functions.  */
static bool
add_doubtful (struct analysis *analysis)
{
  return schedule_retry_doubtful (&analysis->schedule);
}

/* A round is done when it adds nothing, or has been repeated so often.  */
struct round
{
  bool (*add) (struct analysis *analysis); /* false: memory ran out */
  int times;
  bool beyond_cfi; /* only if functions without CFI are looked for */
};

static const struct round rounds[] = {
  /* CFI, symbols, initialisers, Go's table: there are functions.  */
  { add_certain, 1, false },
  /* Addresses that code or data mention: functions found by them mention
     others.  */
  { add_pointers, POINTER_ROUNDS_MAX, true },
  /* Code that has rows from elsewhere.  What goes on where another stretch
     ends may be a part of the same function, and comes after it.  */
  { add_described, 1, true },
  { add_described_adjoining, 1, true },
  /* Functions that call others never seen to return.  In this round such calls
     end the functions that make them.  */
  { add_doubtful, 1, true },
  /* Addresses that these functions mention.  */
  { add_pointers, POINTER_ROUNDS_MAX, true },
};

static bool
run_round (struct analysis *analysis, const struct round *round,
           struct error *err)
{
  if (round->beyond_cfi && !analysis->request->beyond_cfi)
    return true;
  for (int i = 0; i < round->times; i++)
    {
      if (!round->add (analysis))
        return error_set_no_memory (err);
      if (!starts_pending (&analysis->starts))
        break;
      if (!schedule_follow_pending (&analysis->schedule, err))
        return false;
    }
  return true;
}

static bool
run_rounds (struct analysis *analysis, struct error *err)
{
  for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++)
    if (!run_round (analysis, &rounds[i], err))
      return false;
  return true;
}

/* What the rounds need.  */

static bool
read_go_table (struct analysis *analysis)
{
  const struct code_machine *machine
      = analysis->request->beyond_cfi ? code_machine_with (
            analysis->request->image->arch, CONVENTIONS_GO)
                                      : NULL;
  analysis->context.go = machine ? &analysis->go : NULL;
  analysis->context.go_machine = machine;
  return !machine || go_table_read (&analysis->go, &analysis->facts);
}

/* Who reads what was found, and who passes on what is.  */
static bool
connect (struct analysis *analysis)
{
  const struct code_request *request = analysis->request;
  const struct image *image = request->image;
  struct routine_context *context = &analysis->context;
  context->request = request;
  context->machine = code_machine_of (image->arch);
  context->bare_machine = code_machine_with (image->arch, CONVENTIONS_BARE);
  context->decoder = analysis->decoder;
  context->facts = &analysis->facts;
  context->functions = analysis->functions;
  context->known = &analysis->known;
  context->program_entry = starts_program_entry (image);
  context->has_hints = request->beyond_cfi && image->header.e_type == ET_EXEC;
  analysis->starts = (struct starts){ .context = context,
                                      .go = &analysis->go,
                                      .row_map = analysis->row_map,
                                      .facts = &analysis->facts,
                                      .functions = analysis->functions };
  analysis->schedule = (struct schedule){ .context = context,
                                          .facts = &analysis->facts,
                                          .functions = analysis->functions,
                                          .noreturn = analysis->noreturn,
                                          .starts = &analysis->starts,
                                          .row_map = analysis->row_map,
                                          .disproofs = analysis->disproofs,
                                          .summary = analysis->summary };
  return schedule_begin (&analysis->schedule);
}

static bool
prepare (struct analysis *analysis, struct error *err)
{
  const struct code_request *request = analysis->request;
  const struct image *image = request->image;
  if (!code_machine_expect (image->arch, err)
      || !facts_read (&analysis->facts, image, err))
    return false;
  analysis->decoder = insn_decoder_new (image->arch);
  analysis->functions = functions_new (image);
  if (!analysis->decoder || !analysis->functions || !read_go_table (analysis)
      || !known_code_init (&analysis->known, request, analysis->decoder,
                           &analysis->facts)
      || (request->beyond_cfi
          && !facts_find_borders (&analysis->facts, analysis->decoder)))
    return error_set_no_memory (err);
  analysis->noreturn = noreturn_new (analysis->functions, &analysis->facts,
                                     analysis->decoder);
  return (analysis->noreturn && connect (analysis))
         || error_set_no_memory (err);
}

static void
clean_up (struct analysis *analysis)
{
  schedule_free (&analysis->schedule);
  starts_free (&analysis->starts);
  noreturn_free (analysis->noreturn);
  functions_free (analysis->functions);
  known_code_free (&analysis->known);
  go_table_free (&analysis->go);
  facts_free (&analysis->facts);
  insn_decoder_free (analysis->decoder);
}

/* Paths may be missing: what was found must not be used.  */
static void
give_up (struct analysis *analysis)
{
  struct analysis_summary *summary = analysis->summary;
  row_map_clear (analysis->row_map);
  *summary = (struct analysis_summary){ .functions = summary->functions };
  summary->failures[ROUTINE_TOO_MUCH] = summary->functions;
}

static void
count_compared (struct analysis *analysis)
{
  const struct functions *functions = analysis->functions;
  for (size_t i = 0; i < functions_count (functions); i++)
    analysis->summary->compared
        += functions_get (functions, (uint32_t)i)->is_compared;
}

bool
analysis_run (const struct code_request *request, struct row_map *row_map,
              struct disproofs *disproofs, struct analysis_summary *summary,
              struct beginnings *beginnings, struct error *err)
{
  struct analysis analysis = { .request = request,
                               .row_map = row_map,
                               .disproofs = disproofs,
                               .summary = summary };
  *summary = (struct analysis_summary){ 0 };
  bool ok = row_map_init (row_map, err) && prepare (&analysis, err)
            && run_rounds (&analysis, err);
  if (ok && beginnings
      && !beginnings_find (beginnings, request, &analysis.known,
                           analysis.functions, &analysis.facts))
    ok = error_set_no_memory (err);
  if (ok)
    count_compared (&analysis);
  if (ok && analysis.schedule.steps_left == 0)
    give_up (&analysis);
  if (ok && disproofs)
    {
      disproofs_drop_stale (disproofs, analysis.functions);
      comparison_settle (disproofs, row_map);
    }
  clean_up (&analysis);
  return ok;
}
