/* In which order functions are job, and their effects passed on.
   SPDX-License-Identifier: LGPL-2.1-or-later

   What a turn changes makes work that was done ahead of later turns invalid:

     of all that is ahead (functions->n_changes)
       whether a pointer leads to a function (judge_pointer);
       functions that begin, or are called, there (starts.c);
       a function that moves the stack or changes registers (functions.h);
       a function that was job before and is seen to return now
         (noreturn.c);
     of a single function (is_still_valid)
       it called what was not known, or lacks a proof, which another may have
         given meanwhile;
       its calls may not return, and such calls end paths by now;
       it read tables, and addresses were referenced, where tables end;
       its share of steps or effects was used up.

   All else that a turn passes on is looked at by no analyser.  */

#include <config.h>

#include "analysis/schedule.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/background.h"

enum
{
  ROUTINE_ROUNDS_MAX = 16,
  /* Functions job ahead of their turn; fewer are not worth it.  */
  BATCH_MIN = 16,
  BATCH_MAX = 512,
  BATCH_STEPS_MAX = 1 << 26, /* of all of them together */
  BATCH_EFFECTS_MAX
  = 1 << 22, /* effects and disproofs of all of them together */
  THREADS_MAX = 16,
  /* A thread is worth its start from so many functions on.  */
  FUNCTIONS_PER_THREAD = 16
};

/* ---- Followers at work at the same time, each in a thread */

struct worker
{
  struct pool *pool;
  struct analyser *analyser;
  struct background background;
};

struct pool
{
  struct worker workers[THREADS_MAX]; /* the first: of the caller's thread, for
                                         functions in their turn, too */
  unsigned n_workers;
  struct analysis_job *jobs;
  size_t n;
  atomic_size_t n_taken;
};

/* Functions differ in size: each thread takes the next one when it is done
   with one.  */
static void
run_worker (void *argument)
{
  const struct worker *worker = argument;
  struct pool *pool = worker->pool;
  struct analyser *analyser = worker->analyser;
  analyser->n_effects = analyser->n_rows = analyser->disproofs.n = 0;
  for (size_t i; (i = atomic_fetch_add (&pool->n_taken, 1)) < pool->n;)
    analyser_run (analyser, &pool->jobs[i]);
}

/* Follow the N functions of ITEMS.  All effects, also those of the caller's
   thread, are kept until the next call.  What comes of it does not depend on
   how many threads there are.  */
static void
pool_run (struct pool *pool, struct analysis_job *jobs, size_t n)
{
  unsigned others = 0;
  pool->jobs = jobs;
  pool->n = n;
  atomic_store (&pool->n_taken, 0);
  while (others + 1 < pool->n_workers && n / FUNCTIONS_PER_THREAD > others + 1)
    {
      struct worker *other = &pool->workers[++others];
      background_start (&other->background, run_worker, other);
    }
  run_worker (&pool->workers[0]);
  while (others > 0)
    background_wait (&pool->workers[others--].background);
}

bool
schedule_begin (struct schedule *schedule)
{
  const struct routine_context *context = &schedule->shared->context;
  struct pool *pool = schedule->pool = calloc (1, sizeof *pool);
  schedule->jobs = calloc (BATCH_MAX, sizeof *schedule->jobs);
  if (!schedule->jobs || !pool)
    return false;
  do
    {
      struct worker *worker = &pool->workers[pool->n_workers++];
      worker->pool = pool;
      worker->analyser = analyser_new (context);
      if (!worker->analyser)
        return false;
    }
  while (pool->n_workers < context->request->threads
         && pool->n_workers < THREADS_MAX);
  schedule->doubtful_calls = DOUBTFUL_CALLS_FAIL;
  schedule->batch_size = 1;
  schedule->steps_left = pool->workers[0].analyser->routine->steps_left;
  return true;
}

void
schedule_free (struct schedule *schedule)
{
  for (unsigned i = 0; schedule->pool && i < schedule->pool->n_workers; i++)
    analyser_free (schedule->pool->workers[i].analyser);
  free (schedule->pool);
  free (schedule->jobs);
  address_list_free (&schedule->doubtful);
}

/* ---- Notes of a function that was job */

/* An observation about the function at ADDRESS.  Functions that ended with a
   call which was seen to return go on.  */
static void
commit_observation (struct schedule *schedule, enum observation_kind kind,
                    uint64_t address)
{
  struct functions *functions = schedule->shared->functions;
  struct code_function *function = functions_at (functions, address);
  switch (kind)
    {
    case OBSERVED_UNREGISTERED:
      functions_add (functions, address, false);
      break;
    case OBSERVED_RETURNED:
      if (function && schedule->doubtful_calls == DOUBTFUL_CALLS_END_PATH
          && !functions_has_returned (functions, address))
        functions_requeue_callers (functions, function);
      functions_note_returned (functions, address);
      break;
    case OBSERVED_DEAD_BRANCH:
      if (function)
        function->is_dead_branch_target = true;
      break;
    case OBSERVED_MOVES_STACK:
      if (function && !function->moves_stack)
        functions_invalidate_callers (functions, function);
      if (function)
        function->moves_stack = true;
      break;
    }
}

/* Whether there is memory for all that NOTE, of FOLLOWED, leads to.  Rows that
   others have for the code of a function that is not TRUSTED are disputed.  */
static bool
commit_effect (struct schedule *schedule, const struct analysis_job *job,
               const struct effect *effect, bool trusted)
{
  struct starts *starts = schedule->starts;
  const struct frame_row *row;
  switch (effect->kind)
    {
    case EFFECT_ROW:
      row = trusted && effect->number != ROW_UNKNOWN
                ? &job->by->rows[effect->number]
                : NULL;
      row_map_add (schedule->shared->row_map, effect->address, effect->size,
                   row);
      return true;
    case EFFECT_CALL:
      return starts_note_call (starts, effect->address);
    case EFFECT_FUNCTION:
      return starts_add_called (starts, effect->address);
    case EFFECT_REFERENCED:
      return !trusted
             || address_list_add (&schedule->shared->facts.referenced,
                                  effect->address);
    case EFFECT_HINT:
      return !trusted || address_list_add (&starts->hints, effect->address);
    case EFFECT_CALLEE:
      functions_note_caller (
          schedule->shared->functions,
          &schedule->shared->functions->list[effect->number], job->task.index);
      return true;
    case EFFECT_ENTERED_WITH_FRAME:
      schedule->shared->functions->list[effect->number].is_entered_with_frame
          = true;
      return true;
    case EFFECT_OBSERVATION:
      commit_observation (schedule, (enum observation_kind)effect->number,
                          effect->address);
      return true;
    }
  return true;
}

static bool
commit_effects (struct schedule *schedule, const struct analysis_job *job)
{
  const struct code_function *function
      = &schedule->shared->functions->list[job->task.index];
  bool trusted = job->trusted && !function->is_entered_with_frame;
  enum routine_trust trust = job_trust (job, function);
  const struct analyser *by = job->by;
  schedule->shared->functions->list[job->task.index].is_compared
      = trusted && trust != TRUST_CFI_ALONE && !job->leaves_open;
  if (trusted)
    row_map_add_start (schedule->shared->row_map, function->entry);
  for (size_t i = 0; i < job->n_effects; i++)
    if (!commit_effect (schedule, job, &by->effects[job->first_effect + i],
                        trusted))
      return false;
  bool found = trusted && trust != TRUST_CFI_ALONE && job->n_disproofs > 0;
  bool ok = !found
            || disproofs_add (
                schedule->shared->disproofs,
                &schedule->shared->functions->list[job->task.index],
                by->disproofs.list + job->first_disproof, job->n_disproofs);
  analyser_discard_effects (job);
  return ok;
}

/* ---- The turn of one function */

/* Follow the function of FOLLOWED until all functions it calls are known.  */
static bool
analyse_now (struct schedule *schedule, struct analysis_job *job,
             struct error *err)
{
  for (int i = 1;; i++)
    {
      job->task.is_last = i == ROUTINE_ROUNDS_MAX;
      job->task.steps_left = schedule->steps_left;
      job->task.effects_max = SIZE_MAX;
      analyser_run (schedule->pool->workers[0].analyser, job);
      if (job->skipped || !job->result.calls_unregistered || job->task.is_last)
        return true;
      schedule->steps_left -= job->steps;
      schedule->references_changed = true;
      if (!commit_effects (schedule, job))
        return error_set_no_memory (err);
      if (!noreturn_run (schedule->noreturn, err))
        return false;
    }
}

/* Whether FOLLOWED was job ahead of its turn, and to follow it now
   would find the same.  Other functions may have been seen to return
   meanwhile, or been proven; any other change ends what is job ahead.
 */
static bool
is_still_valid (const struct schedule *schedule,
                const struct analysis_job *job)
{
  const struct code_function *function
      = &schedule->shared->functions->list[job->task.index];
  if (!job->by)
    return false;
  if (job->skipped)
    return analyser_skips (function, job->task.attempt);
  bool lacks_proof = job->result.failure == ROUTINE_DOUBTFUL
                     || job->result.failure == ROUTINE_UNPROVEN
                     || (job->result.failure == ROUTINE_SOUND
                         && !job->result.leaves && !function->is_called);
  if (job->result.calls_unregistered || lacks_proof)
    return false;
  if (schedule->doubtful_calls == DOUBTFUL_CALLS_END_PATH
      && job->result.has_doubtful_calls)
    return false;
  if (schedule->references_changed && job->result.reads_tables)
    return false;
  /* The limits were those of the past.  */
  return job->steps < job->task.steps_left && job->steps < schedule->steps_left
         && job->n_effects + job->n_disproofs < job->task.effects_max;
}

/* Count FUNCTION, with FAILURE, once.  */
static void
count_conclusion (struct schedule *schedule,
                  const struct code_function *function,
                  enum routine_failure failure)
{
  bool was_sound = function->is_concluded && !function->fails;
  if (function->is_concluded && !was_sound)
    return;
  schedule->n_functions += !function->is_concluded;
  schedule->n_sound -= was_sound;
  schedule->n_sound += failure == ROUTINE_SOUND;
  schedule->n_left += failure == ROUTINE_TOO_MUCH;
}

/* FOLLOWED was job for the last time, or another time because
   something that it calls is not what it seemed.  */
static void
conclude (struct schedule *schedule, const struct analysis_job *job)
{
  const struct analysis_observer *observer
      = schedule->shared->context.request->observer;
  struct code_function *function
      = &schedule->shared->functions->list[job->task.index];
  /* Where the program begins, by CFI that says so, there is no caller, so that
     there is nothing to compare_with_cfi.  */
  bool has_no_caller
      = schedule->shared->context.request->only_compares && !function->has_fde
        && function->entry == schedule->shared->context.program_entry;
  if (!has_no_caller)
    count_conclusion (schedule, function, job->result.failure);
  disproofs_retract (schedule->shared->disproofs, schedule->shared->functions,
                     function);
  function->is_bare = job->is_bare;
  function->fails = job->result.failure != ROUTINE_SOUND;
  function->is_concluded = true;
  if (!function->fails)
    function->is_proven = job->result.leaves;
  if (function->fails && observer && observer->reject)
    observer->reject (observer->argument, function->entry, job->result.failure,
                      job->result.failed_at);
}

/* Note whether FOLLOWED, to which only pointers lead, is a function.  */
static void
judge_pointer (struct schedule *schedule, const struct analysis_job *job)
{
  struct code_function *function
      = &schedule->shared->functions->list[job->task.index];
  bool is_start = job->result.failure == ROUTINE_SOUND;
  if (!function_is_only_pointed (function))
    return;
  if (function->is_start != is_start)
    schedule->shared->functions->n_changes++;
  function->is_start = is_start;
}

/* Follow a function in its turn, if it was not job before.  */
static bool
commit (struct schedule *schedule, struct analysis_job *job, struct error *err)
{
  bool ok = true;
  if (!is_still_valid (schedule, job) && !analyse_now (schedule, job, err))
    return false;
  if (job->skipped)
    return true;
  struct code_function *function
      = &schedule->shared->functions->list[job->task.index];
  schedule->steps_left -= job->steps;
  if (job->concluded || job->is_part)
    {
      if (job->result.changes & ~function->changes)
        functions_invalidate_callers (schedule->shared->functions, function);
      function->changes |= job->result.changes;
    }
  if (job->task.attempt != ATTEMPT_REVISION && !job->is_part)
    judge_pointer (schedule, job);
  if (job->concluded)
    conclude (schedule, job);
  else if (job->result.failure == ROUTINE_DOUBTFUL && !job->is_part)
    ok = address_list_add (&schedule->doubtful, function->entry);
  else if (job->task.attempt == ATTEMPT_FIRST && !job->is_part)
    ok = address_list_add (&schedule->starts->again, function->entry);
  ok = commit_effects (schedule, job) && ok && !job->by->failed;
  return ok || error_set_no_memory (err);
}

/* ---- All functions */

/* Nothing changed while the functions that were job ahead had their
   turn, or something did.  How many are job ahead grows slowly and
   falls fast, so that little is job in vain where changes come often.
 */
static void
adapt_batch_size (struct schedule *schedule, bool nothing_changed)
{
  const struct analysis_observer *observer
      = schedule->shared->context.request->observer;
  if (observer && observer->see)
    return; /* states are there at a function's own turn alone */
  size_t n = schedule->batch_size;
  n = nothing_changed ? n + n / 4 + 1 : n / 4 + 1;
  schedule->batch_size = n < BATCH_MAX ? n : BATCH_MAX;
}

/* Follow some of the N functions of LIST, or NULL: of all, from AT on, ahead
   of their turn, and return how many.  These functions share a number of steps
   and one of effects, so that what is job in vain costs bounded time
   and memory.  A function that needs more is job in its turn.  */
static size_t
analyse_batch (struct schedule *schedule, const struct address_list *list,
               size_t n, size_t at, enum attempt attempt)
{
  n = n - at < schedule->batch_size ? n - at : schedule->batch_size;
  uint64_t steps = schedule->steps_left < BATCH_STEPS_MAX
                       ? schedule->steps_left
                       : BATCH_STEPS_MAX;
  for (size_t i = 0; i < n; i++)
    schedule->jobs[i] = (struct analysis_job){
      .task = { .index = list ? functions_find (schedule->shared->functions,
                                                list->list[at + i])
                              : (uint32_t)(at + i),
                .attempt = attempt,
                .doubtful_calls = schedule->doubtful_calls,
                .steps_left = steps / n,
                .effects_max = BATCH_EFFECTS_MAX / n }
    };
  schedule->references_changed = false;
  pool_run (schedule->pool, schedule->jobs, n < BATCH_MIN ? 0 : n);
  return n;
}

/* Follow the functions of LIST, or NULL: all, from *AT on.  The list may grow;
   functions that are found wait until it is known whether they are called.
   Some are job ahead of their turn, by several threads, as if none of
   these showed anything that matters to the others; where one does, those
   behind it are job again.  So what is found depends neither on
   threads nor on what is job ahead.  */
static bool
analyse_all (struct schedule *schedule, const struct address_list *list,
             size_t *at, enum attempt attempt, struct error *err)
{
  const size_t all = schedule->shared->functions->n;
  for (;;)
    {
      uint64_t before = schedule->shared->functions->n_changes;
      size_t n
          = analyse_batch (schedule, list, list ? list->n : all, *at, attempt);
      size_t i = 0;
      if (n == 0)
        return true;
      while (i < n && before == schedule->shared->functions->n_changes)
        {
          ++*at;
          if (!commit (schedule, &schedule->jobs[i++], err))
            return false;
        }
      adapt_batch_size (schedule, i == n);
    }
}

/* Dispute the rows of functions that turned out to be entered with another
   frame.  */
static bool
retract_rows (struct schedule *schedule, struct error *err)
{
  struct address_list list = { 0 };
  size_t at = 0;
  bool ok = true;
  for (uint32_t i = 0; i < schedule->starts->n_tried && ok; i++)
    if (schedule->shared->functions->list[i].is_entered_with_frame
        && schedule->shared->functions->list[i].is_start)
      ok = address_list_add (&list, schedule->shared->functions->list[i].entry)
           || error_set_no_memory (err);
  ok = ok && analyse_all (schedule, &list, &at, ATTEMPT_REVISION, err);
  address_list_free (&list);
  return ok;
}

/* Follow functions again that call what turned out to return with another
   stack pointer, or with registers changed.  What they say otherwise now is
   disputed.  */
static bool
analyse_requeued (struct schedule *schedule, struct error *err)
{
  uint32_t index;
  while ((index = functions_take_requeued (schedule->shared->functions))
         != FUNCTION_NONE)
    {
      struct analysis_job again
          = { .task = { .index = index,
                        .attempt = ATTEMPT_LAST,
                        .doubtful_calls = schedule->doubtful_calls } };
      if (!commit (schedule, &again, err))
        return false;
    }
  return !schedule->shared->functions->failed || error_set_no_memory (err);
}

bool
schedule_run (struct schedule *schedule, struct error *err)
{
  struct starts *starts = schedule->starts;
  while (starts_pending (starts))
    {
      size_t at = 0;
      if (!noreturn_run (schedule->noreturn, err))
        return false;
      starts_promote_called (starts);
      if (!analyse_all (schedule, NULL, &starts->n_tried, ATTEMPT_FIRST, err))
        return false;
      if (!facts_sort_references (&schedule->shared->facts))
        return error_set_no_memory (err);
      if (!analyse_all (schedule, &starts->again, &at, ATTEMPT_LAST, err))
        return false;
      starts->again.n = 0;
      if (!analyse_requeued (schedule, err))
        return false;
    }
  return retract_rows (schedule, err)
         && row_map_merge (schedule->shared->row_map, err);
}

bool
schedule_retry_doubtful (struct schedule *schedule)
{
  schedule->doubtful_calls = DOUBTFUL_CALLS_END_PATH;
  for (size_t i = 0; i < schedule->doubtful.n; i++)
    if (!address_list_add (&schedule->starts->again,
                           schedule->doubtful.list[i]))
      return false;
  schedule->doubtful.n = 0;
  return true;
}
