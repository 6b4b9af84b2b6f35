/* From places where functions may start to the rows of their code.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/analysis.h"

#include <stdlib.h>

#include "analysis/ahead.h"
#include "analysis/borders.h"
#include "analysis/returning.h"
#include "analysis/seeds.h"
#include "analysis/starts.h"

enum
{
  POINTER_ROUNDS_MAX = 32,
  ROUTINE_ROUNDS_MAX = 16,
  /* Functions followed ahead of their turn; fewer are not worth it.  */
  AHEAD_MIN = 16,
  AHEAD_MAX = 512,
  AHEAD_STEPS_MAX = 1 << 26, /* of all of them together */
  AHEAD_NOTES_MAX = 1 << 22  /* notes and findings of all of them together */
};

struct analysis
{
  const struct code_request *request;
  const struct analysis_observer *observer;
  const struct code_machine *machine;
  struct insn_decoder *decoder;
  struct image_facts facts;
  struct borders borders;
  struct known_code known;
  struct go_table go;
  struct functions *functions;
  struct returning *returning;
  struct starts starts;
  struct routine_context context;
  struct ahead *ahead;
  struct followed *items; /* followed ahead */
  size_t n_ahead;         /* how many to follow ahead */
  uint64_t n_changes;     /* of what others than the function itself look at */
  bool names_changed;     /* since it was followed ahead: where tables end */
  uint64_t steps_left;    /* for all functions together */
  struct row_map *row_map;
  struct disproofs *disproofs;
  struct analysis_summary *summary;
  enum doubtful_calls
      doubtful_calls;         /* what to do about calls that may not return */
  struct index_list doubtful; /* functions that make such calls */
};

/* Notes of a function that was followed.  */

/* A call of CALLEE was seen to return.  Functions that ended with such a call
   go on.  */
static void
note_back (struct analysis *analysis, uint64_t callee)
{
  struct functions *functions = analysis->functions;
  struct code_function *function = functions_at (functions, callee);
  if (function && analysis->doubtful_calls == DOUBTFUL_CALLS_END_PATH
      && !functions_comes_back (functions, callee))
    functions_affect_callers (functions, function);
  functions_note_back (functions, callee);
}

/* An observation about the function at ADDRESS.  */
static void
take_observation (struct analysis *analysis, enum observation_kind kind,
                  uint64_t address)
{
  struct functions *functions = analysis->functions;
  struct code_function *function = functions_at (functions, address);
  if (kind == OBSERVED_UNKNOWN)
    functions_add (functions, address, false);
  else if (kind == OBSERVED_COMES_BACK)
    note_back (analysis, address);
  else if (function && kind == OBSERVED_PASSED_OVER)
    function->is_passed_over = true;
  else if (function && kind == OBSERVED_MOVES_STACK)
    functions_note_stack_mover (functions, function);
}

/* Whether there is memory for all that NOTE, of FOLLOWED, leads to.  Rows that
   others have for the code of a function that is not TRUSTED are disputed.  */
static bool
take_note (struct analysis *analysis, const struct followed *followed,
           const struct note *note, bool trusted)
{
  struct starts *starts = &analysis->starts;
  const struct frame_row *row;
  switch (note->kind)
    {
    case NOTE_ROW:
      row = trusted && note->number != ROW_UNKNOWN
                ? &followed->by->rows[note->number]
                : NULL;
      row_map_add (analysis->row_map, note->address, note->size, row);
      return true;
    case NOTE_CALL:
      return starts_note_call (starts, note->address);
    case NOTE_FUNCTION:
      return starts_add_called (starts, note->address);
    case NOTE_NAMED:
      return !trusted || facts_name (&analysis->facts, note->address);
    case NOTE_HINT:
      if (trusted)
        starts_note_hint (starts, note->address);
      return true;
    case NOTE_CALLER:
      functions_note_caller (analysis->functions,
                             functions_get (analysis->functions, note->number),
                             followed->task.index);
      return true;
    case NOTE_LEFT_FOR:
      functions_get (analysis->functions, note->number)->no_rows = true;
      return true;
    case NOTE_OBSERVATION:
      take_observation (analysis, (enum observation_kind)note->number,
                        note->address);
      return true;
    }
  return true;
}

static bool
take_notes (struct analysis *analysis, const struct followed *followed)
{
  const struct code_function *function
      = functions_get (analysis->functions, followed->task.index);
  bool trusted = followed->trusted && !function->no_rows;
  enum routine_trust trust = followed_trust (followed, function);
  const struct follower *by = followed->by;
  functions_get (analysis->functions, followed->task.index)->is_compared
      = trusted && trust != TRUST_CFI_ALONE && !followed->leaves_open;
  if (trusted)
    row_map_add_start (analysis->row_map, function->entry);
  for (size_t i = 0; i < followed->n_notes; i++)
    if (!take_note (analysis, followed, &by->notes[followed->first_note + i],
                    trusted))
      return false;
  row_map_end_routine (analysis->row_map);
  bool found
      = trusted && trust != TRUST_CFI_ALONE && followed->n_disproofs > 0;
  functions_get (analysis->functions, followed->task.index)->is_disproved
      |= found;
  bool ok = !found
            || disproofs_add (analysis->disproofs,
                              by->disproofs.list + followed->first_disproof,
                              followed->n_disproofs);
  follower_release (followed);
  return ok;
}

/* Following one function in its turn.  */

/* Follow function INDEX until all functions it calls are known.  */
static bool
follow_now (struct analysis *analysis, struct followed *followed,
            struct error *err)
{
  for (int i = 1;; i++)
    {
      followed->task.is_last = i == ROUTINE_ROUNDS_MAX;
      followed->task.steps_left = analysis->steps_left;
      followed->task.notes_max = SIZE_MAX;
      follower_follow (ahead_own (analysis->ahead), followed);
      if (followed->skipped || !followed->met_unknown
          || followed->task.is_last)
        return true;
      analysis->steps_left -= followed->steps;
      analysis->names_changed = true;
      if (!take_notes (analysis, followed))
        return error_set_no_memory (err);
      if (!returning_run (analysis->returning, err))
        return false;
    }
}

/* Whether what was found ahead of the turn is what would be found now.  What
   others showed in the meantime, without any change that ends what is followed
   ahead, are functions that come back and functions that were proven.  */
static bool
is_still_true (const struct analysis *analysis,
               const struct followed *followed)
{
  const struct code_function *function
      = functions_get (analysis->functions, followed->task.index);
  bool lacks_proof = followed->failure == ROUTINE_DOUBTFUL
                     || followed->failure == ROUTINE_UNPROVEN
                     || (followed->failure == ROUTINE_SOUND
                         && !followed->leaves && !function->is_called);
  return followed->by
         && (followed->skipped
                 ? follower_skips (function, followed->task.attempt)
                 : !followed->met_unknown && !lacks_proof
                       && !(analysis->doubtful_calls == DOUBTFUL_CALLS_END_PATH
                            && followed->has_doubtful_calls)
                       && !(analysis->names_changed && followed->reads_tables)
                       && followed->steps < followed->task.steps_left
                       && followed->n_notes + followed->n_disproofs
                              < followed->task.notes_max
                       && followed->steps < analysis->steps_left);
}

/* Count FUNCTION, with FAILURE, once.  */
static void
count (struct analysis_summary *summary, const struct code_function *function,
       enum routine_failure failure)
{
  bool was_sound = function->is_concluded && !function->fails;
  if (function->is_concluded && !was_sound)
    return;
  summary->functions += !function->is_concluded;
  summary->failures[ROUTINE_SOUND] -= was_sound;
  summary->failures[failure]++;
}

/* Whether FUNCTION is where the program begins, by CFI that says so: it has no
   caller, so that there is nothing to compare.  */
static bool
has_no_caller (const struct analysis *analysis,
               const struct code_function *function)
{
  return analysis->request->only_compares && !function->is_known
         && function->entry == analysis->starts.program_entry;
}

/* FOLLOWED was followed for the last time, or another time because something
   that it calls is not what it seemed.  */
static void
conclude (struct analysis *analysis, const struct followed *followed)
{
  const struct analysis_observer *observer = analysis->observer;
  struct code_function *function
      = functions_get (analysis->functions, followed->task.index);
  if (!has_no_caller (analysis, function))
    count (analysis->summary, function, followed->failure);
  if (function->is_disproved)
    disproofs_retract (analysis->disproofs, function->entry);
  function->is_disproved = false;
  function->is_bare = followed->is_bare;
  function->fails = followed->failure != ROUTINE_SOUND;
  function->is_concluded = true;
  if (!function->fails)
    function->is_proven = followed->leaves;
  if (function->fails && observer && observer->reject)
    observer->reject (observer->argument, function->entry, followed->failure,
                      followed->failed_at);
}

/* Note whether FOLLOWED, to which only pointers lead, is a function.  */
static void
judge_pointer (struct analysis *analysis, const struct followed *followed)
{
  struct code_function *function
      = functions_get (analysis->functions, followed->task.index);
  bool is_start = followed->failure == ROUTINE_SOUND;
  if (!function->is_pointer || function->is_called)
    return;
  analysis->n_changes += function->is_start != is_start;
  function->is_start = is_start;
}

/* Follow a function in its turn, if it was not followed before.  */
static bool
follow (struct analysis *analysis, struct followed *followed,
        struct error *err)
{
  uint32_t index = followed->task.index;
  bool ok = true;
  if (!is_still_true (analysis, followed)
      && !follow_now (analysis, followed, err))
    return false;
  if (followed->skipped)
    return true;
  analysis->steps_left -= followed->steps;
  if (followed->concluded || followed->is_part)
    functions_note_changes (analysis->functions,
                            functions_get (analysis->functions, index),
                            followed->changes);
  if (followed->task.attempt != ATTEMPT_REVISION && !followed->is_part)
    judge_pointer (analysis, followed);
  if (followed->concluded)
    conclude (analysis, followed);
  else if (followed->failure == ROUTINE_DOUBTFUL && !followed->is_part)
    ok = index_list_add (&analysis->doubtful, index);
  else if (followed->task.attempt == ATTEMPT_FIRST && !followed->is_part)
    ok = index_list_add (&analysis->starts.again, index);
  ok = take_notes (analysis, followed) && ok && !followed->by->failed;
  return ok || error_set_no_memory (err);
}

/* Following what there is.  */

/* Nothing changed while the functions that were followed ahead had their turn,
   or something did.  How many are followed ahead grows slowly and falls fast,
   so that little is followed in vain where changes come often.  */
static void
adapt (struct analysis *analysis, bool nothing_changed)
{
  if (analysis->observer && analysis->observer->see)
    return; /* which shows states at the function's turn */
  size_t n = analysis->n_ahead;
  n = nothing_changed ? n + n / 4 + 1 : n / 4 + 1;
  analysis->n_ahead = n < AHEAD_MAX ? n : AHEAD_MAX;
}

/* How often something changed that others than the function under way look
   at.  */
static uint64_t
n_changes (const struct analysis *analysis)
{
  return analysis->n_changes + analysis->starts.n_changes
         + functions_disturbances (analysis->functions)
         + returning_late (analysis->returning);
}

/* Follow some of the N functions of LIST, or NULL: of all, from AT on, ahead
   of their turn.  How many.  They share numbers of steps and of notes, so that
   what is followed in vain costs bounded time and memory; those that need more
   are followed in their turn.  */
static size_t
look_ahead (struct analysis *analysis, const struct index_list *list, size_t n,
            size_t at, enum attempt attempt)
{
  n = n - at < analysis->n_ahead ? n - at : analysis->n_ahead;
  uint64_t steps = analysis->steps_left < AHEAD_STEPS_MAX
                       ? analysis->steps_left
                       : AHEAD_STEPS_MAX;
  for (size_t i = 0; i < n; i++)
    analysis->items[i] = (struct followed){
      .task = { .index = list ? list->list[at + i] : (uint32_t)(at + i),
                .attempt = attempt,
                .doubtful_calls = analysis->doubtful_calls,
                .steps_left = steps / n,
                .notes_max = AHEAD_NOTES_MAX / n }
    };
  analysis->names_changed = false;
  ahead_follow (analysis->ahead, analysis->items, n < AHEAD_MIN ? 0 : n);
  return n;
}

/* Follow the functions of LIST, or NULL: all, from *AT on.  The list may grow;
   functions that are found wait until it is known whether they are called.
   Some are followed ahead of their turn, by several threads, as if none of
   these showed anything that matters to the others; where one does, those
   behind it are followed again.  So what is found depends neither on threads
   nor on what is followed ahead.  */
static bool
follow_all (struct analysis *analysis, const struct index_list *list,
            size_t *at, enum attempt attempt, struct error *err)
{
  const size_t all = functions_count (analysis->functions);
  for (;;)
    {
      uint64_t before = n_changes (analysis);
      size_t n
          = look_ahead (analysis, list, list ? list->n : all, *at, attempt);
      size_t i = 0;
      if (n == 0)
        return true;
      while (i < n && before == n_changes (analysis))
        {
          ++*at;
          if (!follow (analysis, &analysis->items[i++], err))
            return false;
        }
      adapt (analysis, i == n);
    }
}

/* Dispute the rows of functions that turned out to be entered with another
   frame.  */
static bool
withdraw (struct analysis *analysis, struct error *err)
{
  struct index_list list = { 0 };
  size_t at = 0;
  bool ok = true;
  for (uint32_t i = 0; i < analysis->starts.n_tried && ok; i++)
    if (functions_get (analysis->functions, i)->no_rows
        && functions_get (analysis->functions, i)->is_start)
      ok = index_list_add (&list, i) || error_set_no_memory (err);
  ok = ok && follow_all (analysis, &list, &at, ATTEMPT_REVISION, err);
  free (list.list);
  return ok;
}

/* Follow functions again that call what turned out to return with another
   stack pointer, or with registers changed.  What they say otherwise now is
   disputed.  */
static bool
follow_affected (struct analysis *analysis, struct error *err)
{
  uint32_t index;
  while ((index = functions_next_affected (analysis->functions))
         != FUNCTION_NONE)
    {
      struct followed again
          = { .task = { .index = index,
                        .attempt = ATTEMPT_LAST,
                        .doubtful_calls = analysis->doubtful_calls } };
      if (!follow (analysis, &again, err))
        return false;
    }
  return !functions_failed (analysis->functions) || error_set_no_memory (err);
}

static bool
follow_again (struct analysis *analysis, struct error *err)
{
  struct index_list *again = &analysis->starts.again;
  size_t at = 0;
  if (!facts_sort_named (&analysis->facts))
    return error_set_no_memory (err);
  if (!follow_all (analysis, again, &at, ATTEMPT_LAST, err))
    return false;
  again->n = 0;
  return true;
}

/* Follow all that is pending, and what it calls.  */
static bool
follow_pending (struct analysis *analysis, struct error *err)
{
  while (starts_pending (&analysis->starts))
    {
      if (!returning_run (analysis->returning, err))
        return false;
      starts_promote_called (&analysis->starts);
      if (!follow_all (analysis, NULL, &analysis->starts.n_tried,
                       ATTEMPT_FIRST, err)
          || !follow_again (analysis, err) || !follow_affected (analysis, err))
        return false;
    }
  return withdraw (analysis, err)
         && row_map_drop_disputed (analysis->row_map, err);
}

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
  analysis->doubtful_calls = DOUBTFUL_CALLS_END_PATH;
  for (size_t i = 0; i < analysis->doubtful.n; i++)
    if (!index_list_add (&analysis->starts.again, analysis->doubtful.list[i]))
      return false;
  analysis->doubtful.n = 0;
  return true;
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
      if (!follow_pending (analysis, err))
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

/* What all of it needs.  */

static bool
read_go_table (struct analysis *analysis)
{
  const struct code_machine *machine
      = analysis->request->beyond_cfi
            ? code_machine_of_go (analysis->request->image->arch)
            : NULL;
  analysis->context.go = machine ? &analysis->go : NULL;
  analysis->context.go_machine = machine;
  return !machine || go_table_read (&analysis->go, &analysis->facts);
}

static void
connect (struct analysis *analysis)
{
  const struct code_request *request = analysis->request;
  struct routine_context *context = &analysis->context;
  context->machine = analysis->machine;
  context->bare_machine = code_machine_bare (request->image->arch);
  context->decoder = analysis->decoder;
  context->facts = &analysis->facts;
  context->borders = &analysis->borders;
  context->functions = analysis->functions;
  context->known = &analysis->known;
  context->pads = request->pads;
  context->n_pads = request->n_pads;
  context->ends_unknown = request->beyond_cfi;
  analysis->starts = (struct starts){
    .request = request,
    .known = &analysis->known,
    .go = &analysis->go,
    .row_map = analysis->row_map,
    .facts = &analysis->facts,
    .functions = analysis->functions,
    .program_entry = seeds_program_entry (request->image),
    .has_hints
    = request->beyond_cfi && request->image->header.e_type == ET_EXEC,
  };
}

static bool
prepare_to_follow (struct analysis *analysis)
{
  const struct follower_options options
      = { .request = analysis->request,
          .context = &analysis->context,
          .program_entry = analysis->starts.program_entry,
          .has_hints = analysis->starts.has_hints,
          .compares = analysis->disproofs != NULL,
          .observer = analysis->observer };
  analysis->items = calloc (AHEAD_MAX, sizeof *analysis->items);
  analysis->ahead = ahead_new (&options, analysis->request->threads);
  if (!analysis->items || !analysis->ahead)
    return false;
  analysis->n_ahead = 1;
  analysis->steps_left
      = routine_steps_left (ahead_own (analysis->ahead)->routine);
  return true;
}

static bool
prepare (struct analysis *analysis, struct error *err)
{
  const struct code_request *request = analysis->request;
  const struct image *image = request->image;
  analysis->machine = code_machine_of (image->arch);
  if (!analysis->machine)
    return error_set (err, CFI2SFRAME_UNSUPPORTED,
                      "this build cannot analyse code of this machine");
  if (!facts_read (&analysis->facts, image, err))
    return false;
  analysis->decoder = insn_decoder_new (image->arch);
  analysis->functions = functions_new (image);
  if (!analysis->decoder || !analysis->functions || !read_go_table (analysis)
      || !known_code_init (&analysis->known, request, analysis->machine,
                           analysis->decoder, &analysis->facts))
    return error_set_no_memory (err);
  if (request->beyond_cfi
      && !borders_find (&analysis->borders, &analysis->facts,
                        analysis->decoder))
    return error_set_no_memory (err);
  analysis->returning = returning_new (analysis->functions, &analysis->facts,
                                       analysis->decoder);
  connect (analysis);
  return (analysis->returning && prepare_to_follow (analysis))
         || error_set_no_memory (err);
}

static void
clean_up (struct analysis *analysis)
{
  ahead_free (analysis->ahead);
  free (analysis->items);
  starts_free (&analysis->starts);
  returning_free (analysis->returning);
  functions_free (analysis->functions);
  known_code_free (&analysis->known);
  go_table_free (&analysis->go);
  borders_free (&analysis->borders);
  facts_free (&analysis->facts);
  insn_decoder_free (analysis->decoder);
  free (analysis->doubtful.list);
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
analysis_run (const struct code_request *request,
              const struct analysis_observer *observer,
              struct row_map *row_map, struct disproofs *disproofs,
              struct analysis_summary *summary, struct beginnings *beginnings,
              struct error *err)
{
  struct analysis analysis = { .request = request,
                               .observer = observer,
                               .row_map = row_map,
                               .disproofs = disproofs,
                               .summary = summary,
                               .doubtful_calls = DOUBTFUL_CALLS_FAIL };
  *summary = (struct analysis_summary){ 0 };
  bool ok = row_map_init (row_map, err) && prepare (&analysis, err)
            && run_rounds (&analysis, err);
  if (ok && beginnings
      && !beginnings_find (beginnings, request, &analysis.known,
                           analysis.functions, &analysis.facts))
    ok = error_set_no_memory (err);
  if (ok)
    count_compared (&analysis);
  if (ok && analysis.steps_left == 0)
    give_up (&analysis);
  if (ok && disproofs)
    comparison_settle (disproofs, row_map);
  clean_up (&analysis);
  return ok;
}
