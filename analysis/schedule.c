/* The order of the analysis, and the commit of effects.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Jobs of a batch are analysed speculatively by several threads, and committed
   in order by one.  A commit can change what later jobs have read:

     changes that invalidate all later jobs of the batch (n_changes)
       a pointer turns out to lead to a function, or not (judge_pointer);
       an address turns out to be a start, or to be called (starts.c);
       a function moves the stack or changes registers (functions.h);
       a function of an earlier batch turns out to return (noreturn.c);
     changes that invalidate a single job (is_still_valid)
       it called an unregistered function, or lacked a proof that another
         job may have given meanwhile;
       it has doubtful calls, and these end paths by now;
       it read jump tables, and references were found, where tables end;
       it used up its share of steps or effects.

   Analysers read nothing else that a commit changes.  */

#include <config.h>

#include "analysis/schedule.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/background.h"

enum
{
  ROUTINE_ROUNDS_MAX = 16,
  /* Functions of a batch; a smaller batch is not worth it.  */
  BATCH_MIN = 16,
  BATCH_MAX = 512,
  BATCH_STEPS_MAX = 1 << 26,   /* of all jobs of a batch together */
  BATCH_EFFECTS_MAX = 1 << 22, /* of all jobs, with disproofs */
  THREADS_MAX = 16,
  /* Functions of a batch for which one more thread pays.  */
  FUNCTIONS_PER_THREAD = 16
};

/* ---- The pool of threads, each with an analyser */

struct worker
{
  struct pool *pool;
  struct analyser *analyser;
  struct background background;
};

struct pool
{
  struct worker workers[THREADS_MAX]; /* the first: the caller's thread */
  unsigned n_workers;
  struct analysis_job *jobs;
  size_t n;
  atomic_size_t n_taken;
};

/* Run jobs.  Functions differ in size, so threads take them one by one.  */
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

/* Run the N JOBS.  The effects of all threads are kept until the next call.
   The result does not depend on the number of threads.  */
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

static struct code_function *
job_function (const struct schedule *schedule, const struct analysis_job *job)
{
  return &schedule->shared->functions->list[job->task.index];
}

/* ---- Commit of effects */

/* Commit an observation about the function at ADDRESS.  Callers that ended
   with a call of it, which is now known to return, are analysed again.  */
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
      functions_set_returned (functions, address);
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

/* Commit EFFECT of JOB.  If the job's function is not TRUSTED, its code gets
   no row, and conflicts with rows of other functions.  False if memory ran
   out.  */
static bool
commit_effect (struct schedule *schedule, const struct analysis_job *job,
               const struct effect *effect, bool trusted)
{
  struct analysis_shared *shared = schedule->shared;
  struct starts *starts = schedule->starts;
  const struct frame_row *row;
  switch (effect->kind)
    {
    case EFFECT_ROW:
      row = trusted && effect->number != ROW_UNKNOWN
                ? &job->analyser->rows[effect->number]
                : NULL;
      row_map_add (shared->row_map, effect->address, effect->size, row);
      return true;
    case EFFECT_CALL:
      return starts_mark_called (starts, effect->address);
    case EFFECT_FUNCTION:
      return starts_add_called (starts, effect->address);
    case EFFECT_REFERENCED:
      return !trusted
             || address_list_add (&shared->facts.referenced, effect->address);
    case EFFECT_HINT:
      return !trusted || address_list_add (&starts->hints, effect->address);
    case EFFECT_CALLEE:
      functions_add_caller (shared->functions,
                            &shared->functions->list[effect->number],
                            job->task.index);
      return true;
    case EFFECT_ENTERED_WITH_FRAME:
      shared->functions->list[effect->number].is_entered_with_frame = true;
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
  struct code_function *function = job_function (schedule, job);
  bool trusted = job->trusted && !function->is_entered_with_frame;
  enum routine_trust trust = job_trust (job, function);
  const struct analyser *analyser = job->analyser;
  function->is_compared
      = trusted && trust != TRUST_CFI_ALONE && !job->has_undecided_rule;
  if (trusted)
    row_map_add_start (schedule->shared->row_map, function->entry);
  for (size_t i = 0; i < job->n_effects; i++)
    if (!commit_effect (schedule, job,
                        &analyser->effects[job->first_effect + i], trusted))
      return false;
  bool found = trusted && trust != TRUST_CFI_ALONE && job->n_disproofs > 0;
  /* Effects can add functions, so that FUNCTION may have moved.  */
  bool ok = !found
            || disproofs_add (schedule->shared->disproofs,
                              job_function (schedule, job),
                              analyser->disproofs.list + job->first_disproof,
                              job->n_disproofs);
  analyser_discard_effects (job);
  return ok;
}

/* ---- Commit of one job */

/* Analyse the function of JOB until all of its callees are registered.  */
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

/* Whether JOB was analysed, and another analysis would give the same result.
   Functions that have been found to return, or been proved, since the batch
   began can change the result of a single job; every other change discards the
   rest of the batch.  */
static bool
is_still_valid (const struct schedule *schedule,
                const struct analysis_job *job)
{
  const struct code_function *function = job_function (schedule, job);
  if (!job->analyser)
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
  /* A job that reached its limits may have larger ones now.  */
  return job->steps < job->task.steps_left && job->steps < schedule->steps_left
         && job->n_effects + job->n_disproofs < job->task.effects_max;
}

/* Count FUNCTION, whose analysis gave FAILURE, once.  */
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
  schedule->n_unfinished += failure == ROUTINE_TOO_MUCH;
}

/* Record the result of JOB: it is its function's last analysis, or another one
   because a callee has changed.  */
static void
conclude (struct schedule *schedule, const struct analysis_job *job)
{
  struct analysis_shared *shared = schedule->shared;
  const struct analysis_observer *observer = shared->context.request->observer;
  struct code_function *function = job_function (schedule, job);
  /* The program's entry, unless CFI says that a function starts there, has no
     caller and nothing to compare.  */
  bool has_no_caller = shared->context.request->only_compares
                       && !function->has_fde
                       && function->entry == shared->context.program_entry;
  if (!has_no_caller)
    count_conclusion (schedule, function, job->result.failure);
  disproofs_retract (shared->disproofs, shared->functions, function);
  function->is_bare = job->is_bare;
  function->fails = job->result.failure != ROUTINE_SOUND;
  function->is_concluded = true;
  if (!function->fails)
    function->is_proven = job->result.leaves;
  if (function->fails && observer && observer->reject)
    observer->reject (observer->argument, function->entry, job->result.failure,
                      job->result.failed_at);
}

/* Record whether the function of JOB, to which only pointers lead, is one.  */
static void
judge_pointer (struct schedule *schedule, const struct analysis_job *job)
{
  struct code_function *function = job_function (schedule, job);
  bool is_start = job->result.failure == ROUTINE_SOUND;
  if (!function_has_only_pointers (function))
    return;
  if (function->is_start != is_start)
    schedule->shared->functions->n_changes++;
  function->is_start = is_start;
}

/* Commit JOB, which is analysed first if it was not, or is invalid.  */
static bool
commit (struct schedule *schedule, struct analysis_job *job, struct error *err)
{
  bool ok = true;
  if (!is_still_valid (schedule, job) && !analyse_now (schedule, job, err))
    return false;
  if (job->skipped)
    return true;
  struct code_function *function = job_function (schedule, job);
  schedule->steps_left -= job->steps;
  if (job->concluded || job->is_subroutine)
    {
      if (job->result.changes & ~function->changes)
        functions_invalidate_callers (schedule->shared->functions, function);
      function->changes |= job->result.changes;
    }
  if (job->task.attempt != ATTEMPT_REVISION && !job->is_subroutine)
    judge_pointer (schedule, job);
  if (job->concluded)
    conclude (schedule, job);
  else if (job->result.failure == ROUTINE_DOUBTFUL && !job->is_subroutine)
    ok = address_list_add (&schedule->doubtful, function->entry);
  else if (job->task.attempt == ATTEMPT_FIRST && !job->is_subroutine)
    ok = address_list_add (&schedule->starts->again, function->entry);
  ok = commit_effects (schedule, job) && ok && !job->analyser->failed;
  return ok || error_set_no_memory (err);
}

/* ---- Batches */

/* Choose the size of the next batch.  The size grows slowly while commits
   invalidate nothing, and shrinks fast when they do, so that little is
   analysed in vain.  */
static void
adapt_batch_size (struct schedule *schedule, bool nothing_changed)
{
  const struct analysis_observer *observer
      = schedule->shared->context.request->observer;
  if (observer && observer->see)
    return; /* an analyser keeps only the states of its last function */
  size_t n = schedule->batch_size;
  n = nothing_changed ? n + n / 4 + 1 : n / 4 + 1;
  schedule->batch_size = n < BATCH_MAX ? n : BATCH_MAX;
}

/* Analyse a batch: functions from index AT on, of the N of LIST, or of all if
   LIST is NULL.  Return the number of jobs.  The jobs share a limit of steps
   and one of effects, so that a batch in vain costs bounded time and memory.
   A function that needs more is analysed at its commit.  */
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

/* Analyse the functions of LIST, or all if LIST is NULL, from index *AT on.
   LIST may grow meanwhile.  Functions that are found now are not analysed
   before it is known whether they are called.  When a commit invalidates the
   rest of a batch, the next batch begins behind that job.  So the result
   depends neither on threads nor on the sizes of batches.  */
static bool
analyse_all (struct schedule *schedule, const struct address_list *list,
             size_t *at, enum attempt attempt, struct error *err)
{
  const struct functions *functions = schedule->shared->functions;
  const size_t all = functions->n;
  for (;;)
    {
      uint64_t before = functions->n_changes;
      size_t n
          = analyse_batch (schedule, list, list ? list->n : all, *at, attempt);
      size_t i = 0;
      if (n == 0)
        return true;
      while (i < n && before == functions->n_changes)
        {
          ++*at;
          if (!commit (schedule, &schedule->jobs[i++], err))
            return false;
        }
      adapt_batch_size (schedule, i == n);
    }
}

/* Retract the rows of functions that turned out to be entered with another
   frame than that of a call: analyse these again, so that their rows
   conflict.  */
static bool
retract_rows (struct schedule *schedule, struct error *err)
{
  const struct functions *functions = schedule->shared->functions;
  struct address_list list = { 0 };
  size_t at = 0;
  bool ok = true;
  for (uint32_t i = 0; i < schedule->starts->n_tried && ok; i++)
    if (functions->list[i].is_entered_with_frame
        && functions->list[i].is_start)
      ok = address_list_add (&list, functions->list[i].entry)
           || error_set_no_memory (err);
  ok = ok && analyse_all (schedule, &list, &at, ATTEMPT_REVISION, err);
  address_list_free (&list);
  return ok;
}

/* Analyse callers again whose callee returns with another stack pointer or
   with changed registers, or was found to return.  Where they get another row
   now, the two conflict.  */
static bool
analyse_requeued (struct schedule *schedule, struct error *err)
{
  struct functions *functions = schedule->shared->functions;
  uint32_t index;
  while ((index = functions_take_requeued (functions)) != FUNCTION_NONE)
    {
      struct analysis_job again
          = { .task = { .index = index,
                        .attempt = ATTEMPT_LAST,
                        .doubtful_calls = schedule->doubtful_calls } };
      if (!commit (schedule, &again, err))
        return false;
    }
  return !functions->failed || error_set_no_memory (err);
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
