/* Functions have their turn.
   SPDX-License-Identifier: LGPL-2.1-or-later

   What a turn changes makes work that was done ahead of later turns invalid:

     of all that is ahead (n_changes)
       whether a pointer leads to a function (judge_pointer);
       what starts.c counts: functions that begin, or are called, there;
       a function that moves the stack or changes registers (functions.h);
       a function that was followed before and is seen to return now
         (returning_late);
     of a single function (holds_in_turn)
       it called what was not known, or lacks a proof, which another may have
         given meanwhile;
       its calls may not return, and such calls end paths by now;
       it read tables, and addresses were named, where tables end;
       its share of steps or notes was used up.

   All else that a turn passes on is looked at by no follower.  */

#include "analysis/turns.h"

#include <stdlib.h>

enum
{
  ROUTINE_ROUNDS_MAX = 16,
  /* Functions followed ahead of their turn; fewer are not worth it.  */
  AHEAD_MIN = 16,
  AHEAD_MAX = 512,
  AHEAD_STEPS_MAX = 1 << 26, /* of all of them together */
  AHEAD_NOTES_MAX = 1 << 22  /* notes and disproofs of all of them together */
};

bool
turns_begin (struct turns *turns, const struct turns_context *context)
{
  const struct follower_options options
      = { .request = context->request,
          .context = context->routines,
          .program_entry = context->starts->program_entry,
          .has_hints = context->starts->has_hints,
          .compares = context->disproofs != NULL };
  *turns = (struct turns){ .context = *context,
                           .doubtful_calls = DOUBTFUL_CALLS_FAIL };
  turns->items = calloc (AHEAD_MAX, sizeof *turns->items);
  turns->ahead = ahead_new (&options, context->request->threads);
  if (!turns->items || !turns->ahead)
    return false;
  turns->n_ahead = 1;
  turns->steps_left = ahead_own (turns->ahead)->routine->steps_left;
  return true;
}

void
turns_free (struct turns *turns)
{
  ahead_free (turns->ahead);
  free (turns->items);
  free (turns->doubtful.list);
}

/* Notes of a function that was followed.  */

/* A call of CALLEE was seen to return.  Functions that ended with such a call
   go on.  */
static void
note_back (struct turns *turns, uint64_t callee)
{
  struct functions *functions = turns->context.functions;
  struct code_function *function = functions_at (functions, callee);
  if (function && turns->doubtful_calls == DOUBTFUL_CALLS_END_PATH
      && !functions_comes_back (functions, callee))
    functions_affect_callers (functions, function);
  functions_note_back (functions, callee);
}

/* An observation about the function at ADDRESS.  */
static void
pass_on_observation (struct turns *turns, enum observation_kind kind,
                     uint64_t address)
{
  struct functions *functions = turns->context.functions;
  struct code_function *function = functions_at (functions, address);
  if (kind == OBSERVED_UNKNOWN)
    functions_add (functions, address, false);
  else if (kind == OBSERVED_COMES_BACK)
    note_back (turns, address);
  else if (function && kind == OBSERVED_PASSED_OVER)
    function->is_passed_over = true;
  else if (function && kind == OBSERVED_MOVES_STACK)
    functions_note_stack_mover (functions, function);
}

/* Whether there is memory for all that NOTE, of FOLLOWED, leads to.  Rows that
   others have for the code of a function that is not TRUSTED are disputed.  */
static bool
pass_on_note (struct turns *turns, const struct followed *followed,
              const struct follower_note *note, bool trusted)
{
  struct starts *starts = turns->context.starts;
  const struct frame_row *row;
  switch (note->kind)
    {
    case NOTE_ROW:
      row = trusted && note->number != ROW_UNKNOWN
                ? &followed->by->rows[note->number]
                : NULL;
      row_map_add (turns->context.row_map, note->address, note->size, row);
      return true;
    case NOTE_CALL:
      return starts_note_call (starts, note->address);
    case NOTE_FUNCTION:
      return starts_add_called (starts, note->address);
    case NOTE_NAMED:
      return !trusted || facts_name (turns->context.facts, note->address);
    case NOTE_HINT:
      return !trusted || address_list_add (&starts->hints, note->address);
    case NOTE_CALLEE:
      functions_note_caller (
          turns->context.functions,
          functions_get (turns->context.functions, note->number),
          followed->task.index);
      return true;
    case NOTE_LEFT_FOR:
      functions_get (turns->context.functions, note->number)->no_rows = true;
      return true;
    case NOTE_OBSERVATION:
      pass_on_observation (turns, (enum observation_kind)note->number,
                           note->address);
      return true;
    }
  return true;
}

static bool
pass_on_notes (struct turns *turns, const struct followed *followed)
{
  const struct code_function *function
      = functions_get (turns->context.functions, followed->task.index);
  bool trusted = followed->trusted && !function->no_rows;
  enum routine_trust trust = followed_trust (followed, function);
  const struct follower *by = followed->by;
  functions_get (turns->context.functions, followed->task.index)->is_compared
      = trusted && trust != TRUST_CFI_ALONE && !followed->leaves_open;
  if (trusted)
    row_map_add_start (turns->context.row_map, function->entry);
  for (size_t i = 0; i < followed->n_notes; i++)
    if (!pass_on_note (turns, followed, &by->notes[followed->first_note + i],
                       trusted))
      return false;
  bool found
      = trusted && trust != TRUST_CFI_ALONE && followed->n_disproofs > 0;
  bool ok = !found
            || disproofs_add (
                turns->context.disproofs,
                functions_get (turns->context.functions, followed->task.index),
                by->disproofs.list + followed->first_disproof,
                followed->n_disproofs);
  follower_release (followed);
  return ok;
}

/* The turn of one function.  */

/* Follow the function of FOLLOWED until all functions it calls are known.  */
static bool
follow_now (struct turns *turns, struct followed *followed, struct error *err)
{
  for (int i = 1;; i++)
    {
      followed->task.is_last = i == ROUTINE_ROUNDS_MAX;
      followed->task.steps_left = turns->steps_left;
      followed->task.notes_max = SIZE_MAX;
      follower_follow (ahead_own (turns->ahead), followed);
      if (followed->skipped || !followed->met_unknown
          || followed->task.is_last)
        return true;
      turns->steps_left -= followed->steps;
      turns->names_changed = true;
      if (!pass_on_notes (turns, followed))
        return error_set_no_memory (err);
      if (!returning_run (turns->context.returning, err))
        return false;
    }
}

/* Whether FOLLOWED lacks a proof that functions which were followed meanwhile
   may have given.  */
static bool
lacks_proof (const struct code_function *function,
             const struct followed *followed)
{
  return followed->failure == ROUTINE_DOUBTFUL
         || followed->failure == ROUTINE_UNPROVEN
         || (followed->failure == ROUTINE_SOUND && !followed->leaves
             && !function->is_called);
}

/* Whether FOLLOWED was followed ahead of its turn, and to follow it now would
   find the same.  Other functions may have been seen to return meanwhile, or
   been proven; any other change ends what is followed ahead.  */
static bool
holds_in_turn (const struct turns *turns, const struct followed *followed)
{
  const struct code_function *function
      = functions_get (turns->context.functions, followed->task.index);
  if (!followed->by)
    return false;
  if (followed->skipped)
    return follower_skips (function, followed->task.attempt);
  if (followed->met_unknown || lacks_proof (function, followed))
    return false;
  if (turns->doubtful_calls == DOUBTFUL_CALLS_END_PATH
      && followed->has_doubtful_calls)
    return false;
  if (turns->names_changed && followed->reads_tables)
    return false;
  /* The limits were those of the past.  */
  return followed->steps < followed->task.steps_left
         && followed->steps < turns->steps_left
         && followed->n_notes + followed->n_disproofs
                < followed->task.notes_max;
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
has_no_caller (const struct turns *turns, const struct code_function *function)
{
  return turns->context.request->only_compares && !function->is_known
         && function->entry == turns->context.starts->program_entry;
}

/* FOLLOWED was followed for the last time, or another time because something
   that it calls is not what it seemed.  */
static void
conclude (struct turns *turns, const struct followed *followed)
{
  const struct analysis_observer *observer = turns->context.request->observer;
  struct code_function *function
      = functions_get (turns->context.functions, followed->task.index);
  if (!has_no_caller (turns, function))
    count (turns->context.summary, function, followed->failure);
  disproofs_retract (turns->context.disproofs, turns->context.functions,
                     function);
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
judge_pointer (struct turns *turns, const struct followed *followed)
{
  struct code_function *function
      = functions_get (turns->context.functions, followed->task.index);
  bool is_start = followed->failure == ROUTINE_SOUND;
  if (!function->is_pointer || function->is_called)
    return;
  turns->n_changes += function->is_start != is_start;
  function->is_start = is_start;
}

/* Follow a function in its turn, if it was not followed before.  */
static bool
follow (struct turns *turns, struct followed *followed, struct error *err)
{
  uint32_t index = followed->task.index;
  bool ok = true;
  if (!holds_in_turn (turns, followed) && !follow_now (turns, followed, err))
    return false;
  if (followed->skipped)
    return true;
  turns->steps_left -= followed->steps;
  if (followed->concluded || followed->is_part)
    functions_note_changes (turns->context.functions,
                            functions_get (turns->context.functions, index),
                            followed->changes);
  if (followed->task.attempt != ATTEMPT_REVISION && !followed->is_part)
    judge_pointer (turns, followed);
  if (followed->concluded)
    conclude (turns, followed);
  else if (followed->failure == ROUTINE_DOUBTFUL && !followed->is_part)
    ok = index_list_add (&turns->doubtful, index);
  else if (followed->task.attempt == ATTEMPT_FIRST && !followed->is_part)
    ok = index_list_add (&turns->context.starts->again, index);
  ok = pass_on_notes (turns, followed) && ok && !followed->by->failed;
  return ok || error_set_no_memory (err);
}

/* All functions.  */

/* Nothing changed while the functions that were followed ahead had their turn,
   or something did.  How many are followed ahead grows slowly and falls fast,
   so that little is followed in vain where changes come often.  */
static void
adapt (struct turns *turns, bool nothing_changed)
{
  const struct analysis_observer *observer = turns->context.request->observer;
  if (observer && observer->see)
    return; /* states are there at a function's own turn alone */
  size_t n = turns->n_ahead;
  n = nothing_changed ? n + n / 4 + 1 : n / 4 + 1;
  turns->n_ahead = n < AHEAD_MAX ? n : AHEAD_MAX;
}

/* How often something changed that others than the function under way look
   at.  */
static uint64_t
n_changes (const struct turns *turns)
{
  return turns->n_changes + turns->context.starts->n_changes
         + functions_disturbances (turns->context.functions)
         + returning_late (turns->context.returning);
}

/* Follow some of the N functions of LIST, or NULL: of all, from AT on, ahead
   of their turn.  How many.  They share numbers of steps and of notes, so that
   what is followed in vain costs bounded time and memory; those that need more
   are followed in their turn.  */
static size_t
look_ahead (struct turns *turns, const struct index_list *list, size_t n,
            size_t at, enum attempt attempt)
{
  n = n - at < turns->n_ahead ? n - at : turns->n_ahead;
  uint64_t steps = turns->steps_left < AHEAD_STEPS_MAX ? turns->steps_left
                                                       : AHEAD_STEPS_MAX;
  for (size_t i = 0; i < n; i++)
    turns->items[i] = (struct followed){
      .task = { .index = list ? list->list[at + i] : (uint32_t)(at + i),
                .attempt = attempt,
                .doubtful_calls = turns->doubtful_calls,
                .steps_left = steps / n,
                .notes_max = AHEAD_NOTES_MAX / n }
    };
  turns->names_changed = false;
  ahead_follow (turns->ahead, turns->items, n < AHEAD_MIN ? 0 : n);
  return n;
}

/* Follow the functions of LIST, or NULL: all, from *AT on.  The list may grow;
   functions that are found wait until it is known whether they are called.
   Some are followed ahead of their turn, by several threads, as if none of
   these showed anything that matters to the others; where one does, those
   behind it are followed again.  So what is found depends neither on threads
   nor on what is followed ahead.  */
static bool
follow_all (struct turns *turns, const struct index_list *list, size_t *at,
            enum attempt attempt, struct error *err)
{
  const size_t all = functions_count (turns->context.functions);
  for (;;)
    {
      uint64_t before = n_changes (turns);
      size_t n = look_ahead (turns, list, list ? list->n : all, *at, attempt);
      size_t i = 0;
      if (n == 0)
        return true;
      while (i < n && before == n_changes (turns))
        {
          ++*at;
          if (!follow (turns, &turns->items[i++], err))
            return false;
        }
      adapt (turns, i == n);
    }
}

/* Dispute the rows of functions that turned out to be entered with another
   frame.  */
static bool
withdraw (struct turns *turns, struct error *err)
{
  struct index_list list = { 0 };
  size_t at = 0;
  bool ok = true;
  for (uint32_t i = 0; i < turns->context.starts->n_tried && ok; i++)
    if (functions_get (turns->context.functions, i)->no_rows
        && functions_get (turns->context.functions, i)->is_start)
      ok = index_list_add (&list, i) || error_set_no_memory (err);
  ok = ok && follow_all (turns, &list, &at, ATTEMPT_REVISION, err);
  free (list.list);
  return ok;
}

/* Follow functions again that call what turned out to return with another
   stack pointer, or with registers changed.  What they say otherwise now is
   disputed.  */
static bool
follow_affected (struct turns *turns, struct error *err)
{
  uint32_t index;
  while ((index = functions_next_affected (turns->context.functions))
         != FUNCTION_NONE)
    {
      struct followed again
          = { .task = { .index = index,
                        .attempt = ATTEMPT_LAST,
                        .doubtful_calls = turns->doubtful_calls } };
      if (!follow (turns, &again, err))
        return false;
    }
  return !functions_failed (turns->context.functions)
         || error_set_no_memory (err);
}

static bool
follow_again (struct turns *turns, struct error *err)
{
  struct index_list *again = &turns->context.starts->again;
  size_t at = 0;
  if (!facts_sort_named (turns->context.facts))
    return error_set_no_memory (err);
  if (!follow_all (turns, again, &at, ATTEMPT_LAST, err))
    return false;
  again->n = 0;
  return true;
}

bool
turns_follow_pending (struct turns *turns, struct error *err)
{
  while (starts_pending (turns->context.starts))
    {
      if (!returning_run (turns->context.returning, err))
        return false;
      starts_promote_called (turns->context.starts);
      if (!follow_all (turns, NULL, &turns->context.starts->n_tried,
                       ATTEMPT_FIRST, err)
          || !follow_again (turns, err) || !follow_affected (turns, err))
        return false;
    }
  return withdraw (turns, err) && row_map_settle (turns->context.row_map, err);
}

bool
turns_retry_doubtful (struct turns *turns)
{
  turns->doubtful_calls = DOUBTFUL_CALLS_END_PATH;
  for (size_t i = 0; i < turns->doubtful.n; i++)
    if (!index_list_add (&turns->context.starts->again,
                         turns->doubtful.list[i]))
      return false;
  turns->doubtful.n = 0;
  return true;
}
