/* Running jobs, and recording their effects.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A job runs the routine of its function, and decides whether the result is
   final.  If so, a second pass over the instructions (routine_visit) records
   their rows, the functions and addresses that they lead to, and, for --lint
   and --verify-code, the comparison with CFI.  */

#include "analysis/analyser.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

struct analyser *
analyser_new (const struct routine_context *context)
{
  const struct code_request *request = context->request;
  struct analyser *analyser = calloc (1, sizeof *analyser);
  if (!analyser)
    return NULL;
  analyser->context = context;
  analyser->routine = routine_new (context);
  analyser->comparison = (struct comparison){
    .disproofs = &analyser->disproofs,
    .cfi = { .functions = request->covered, .n = request->n_covered },
  };
  analyser->described = (struct row_search){ .functions = request->described,
                                             .n = request->n_described };
  if (analyser->routine)
    return analyser;
  analyser_free (analyser);
  return NULL;
}

void
analyser_free (struct analyser *analyser)
{
  if (!analyser)
    return;
  routine_free (analyser->routine);
  disproofs_free (&analyser->disproofs);
  free (analyser->effects);
  free (analyser->rows);
  free (analyser);
}

void
analyser_discard_effects (const struct analysis_job *job)
{
  struct analyser *analyser = job->analyser;
  if (analyser->n_effects != job->first_effect + job->n_effects)
    return;
  analyser->n_rows = job->first_row;
  analyser->n_effects = job->first_effect;
  analyser->disproofs.n = job->first_disproof;
}

/* ---- Effects */

static bool
has_room (const struct analyser *analyser)
{
  const struct analysis_job *job = analyser->job;
  return analyser->n_effects - job->first_effect + analyser->disproofs.n
             - job->first_disproof
         < job->task.effects_max;
}

static void
add_effect (struct analyser *analyser, const struct effect *effect)
{
  if (!has_room (analyser))
    return;
  if (ARRAY_ROOM (analyser->effects, analyser->n_effects + 1,
                  &analyser->effects_capacity))
    analyser->effects[analyser->n_effects++] = *effect;
  else
    analyser->failed = true;
}

static void
add_address_effect (struct analyser *analyser, enum effect_kind kind,
                    uint64_t address)
{
  add_effect (analyser, &(struct effect){ .kind = kind, .address = address });
}

static void
add_number_effect (struct analyser *analyser, enum effect_kind kind,
                   uint32_t number)
{
  add_effect (analyser, &(struct effect){ .kind = kind, .number = number });
}

/* Record that row NUMBER holds for the SIZE bytes at ADDRESS.  */
static void
add_row_effect (struct analyser *analyser, uint64_t address, uint32_t size,
                uint32_t number)
{
  const struct analysis_job *job = analyser->job;
  struct effect *last = analyser->n_effects > job->first_effect
                            ? &analyser->effects[analyser->n_effects - 1]
                            : NULL;
  if (last && last->kind == EFFECT_ROW && last->number == number
      && last->address + last->size == address && last->size < UINT32_MAX / 2)
    last->size += size;
  else
    add_effect (analyser, &(struct effect){ .kind = EFFECT_ROW,
                                            .address = address,
                                            .size = size,
                                            .number = number });
}

/* Record the address that INSN computes.  The sweep of noreturn.c misses code
   that only jump tables lead to.  */
static void
record_references (struct analyser *analyser, const struct insn *insn,
                   const struct state *state)
{
  bool constant
      = insn->op == OP_SET || (insn->op == OP_STORE && insn->from == REG_NONE);
  uint64_t address = (uint64_t)insn->immediate, place, size;
  if (state_computes_address (state, insn, &place))
    add_address_effect (analyser, EFFECT_REFERENCED, place);
  else if (analyser->context->has_hints && constant
           && facts_code (analyser->context->facts, address, &size))
    add_address_effect (analyser, EFFECT_HINT, address);
}

/* Find the address that INSN computes, or loads from a relocated word.  */
static bool
find_computed_address (const struct image_facts *facts,
                       const struct insn *insn, const struct state *state,
                       uint64_t *address)
{
  struct subject memory = state_memory (state, insn);
  if (insn->op == OP_LOAD && !memory.has_index && memory.has_base
      && value_is_address (memory.base))
    memory.offset += memory.base.number;
  else if (insn->op != OP_LOAD || memory.has_index || memory.has_base)
    {
      *address = (uint64_t)insn->immediate;
      return state_computes_address (state, insn, address)
             || insn->op == OP_SET;
    }
  const struct relocated *word
      = facts_relocated (facts, (uint64_t)memory.offset);
  *address = word ? word->value : 0;
  return word != NULL;
}

/* Record a function that is passed as an argument where the program begins:
   main, which is passed to the C library.  */
static void
record_passed_function (struct analyser *analyser, const struct insn *insn,
                        const struct state *state)
{
  const struct image_facts *facts = analyser->context->facts;
  const unsigned argument = analyser->routine->machine->first_argument;
  uint64_t address, size;
  if (insn_written (insn) >> argument & 1)
    analyser->passed_address
        = insn->to == argument
                  && find_computed_address (facts, insn, state, &address)
              ? address
              : 0;
  bool passes_on = insn_is_call (insn) || insn->flow == FLOW_JUMP_INDIRECT;
  if (passes_on && facts_code (facts, analyser->passed_address, &size))
    add_address_effect (analyser, EFFECT_FUNCTION, analyser->passed_address);
}

/* Return the row from another source at ADDRESS, if STATE confirms it, or
   NULL.  */
static const struct frame_row *
find_described_row (struct analyser *analyser, uint64_t address,
                    const struct state *state)
{
  const struct frame_row *row
      = row_search_find (&analyser->described, address);
  for (unsigned i = 0; row && i < ROW_RULES; i++)
    if (state_check (state, (enum row_rule)i, row) != VERDICT_AGREES)
      row = NULL;
  return row;
}

/* Return the index of the row of STATE, at ADDRESS.  Rows repeat for many
   instructions, so an equal last row is used again.  */
static uint32_t
add_row (struct analyser *analyser, uint64_t address,
         const struct state *state)
{
  bool is_bare = analyser->job->is_bare;
  struct frame_row row;
  bool known = state_row (state, !is_bare, &row);
  const struct frame_row *other
      = known && !is_bare ? find_described_row (analyser, address, state)
                          : NULL;
  if (!known)
    row.cfa = frame_rule_unsupported (REASON_CFA_EXPRESSION);
  if (other)
    row = *other;
  size_t n = analyser->n_rows;
  if (n > 0 && frame_row_same_rules (&analyser->rows[n - 1], &row))
    return (uint32_t)n - 1;
  if (!ARRAY_ROOM (analyser->rows, n + 1, &analyser->rows_capacity))
    {
      analyser->failed = true;
      return ROW_UNKNOWN;
    }
  analyser->rows[analyser->n_rows++] = row;
  return (uint32_t)n;
}

static const struct code_function *
job_function (const struct analyser *analyser, const struct analysis_job *job)
{
  return &analyser->context->functions->list[job->task.index];
}

/* Compare the CFI at INSN with STATE, of a trusted routine; SP:
   comparison.h.  */
static void
compare_with_cfi (struct analyser *analyser, const struct insn *insn,
                  const struct state *state, struct value sp)
{
  const struct analysis_job *job = analyser->job;
  const struct analysis_observer *observer
      = analyser->context->request->observer;
  const struct code_function *function = job_function (analyser, job);
  if (analyser->context->request->compares)
    comparison_compare (&analyser->comparison, function->entry,
                        job->is_bare ? TRUST_STACK : TRUST_ALL, insn, state,
                        sp);
  if (observer && observer->see)
    observer->see (observer->argument, function->entry,
                   job_trust (job, function), insn, state);
}

/* Record that the routine calls the function at ENTRY, or runs into it.  */
static void
record_callee (struct analyser *analyser, uint64_t entry)
{
  uint32_t index = functions_find (analyser->context->functions, entry);
  if (index != FUNCTION_NONE)
    add_number_effect (analyser, EFFECT_CALLEE, index);
}

/* Record the functions that INSN leads to: by a call, by a jump, or as the
   last instruction in front of another function.  A visitor for
   routine_visit.  */
static void
record_callees (void *argument, const struct insn *insn,
                const struct state *state)
{
  struct analyser *analyser = argument;
  bool goes_on = insn->flow == FLOW_NEXT || insn->flow == FLOW_BRANCH;
  bool is_jump_or_call = insn->flow > FLOW_NEXT && insn->flow < FLOW_RETURN;
  (void)state;
  const struct code_function *callee
      = is_jump_or_call ? routine_callee (analyser->context, insn) : NULL;
  if (callee)
    record_callee (analyser, callee->entry);
  if (goes_on)
    record_callee (analyser, insn->address + insn->size);
}

/* Return STATE without a stack pointer that is known only because a callee is
   trusted.  If that changes STATE, the result is in KNOWN.  */
static const struct state *
drop_trust (const struct analyser *analyser, const struct state *state,
            struct state *known)
{
  unsigned sp = analyser->routine->machine->arch->sp;
  if (!state->trusts_sp || !analyser->job->result.resets_sp)
    return state;
  state_copy (known, state);
  known->registers[sp] = value_of (VALUE_UNKNOWN, 0);
  return known;
}

static void
record_instruction (void *argument, const struct insn *insn,
                    const struct state *before)
{
  struct analyser *analyser = argument;
  struct state known;
  const struct state *state = drop_trust (analyser, before, &known);
  const struct analysis_job *job = analyser->job;
  if (!has_room (analyser))
    return;
  if (insn->size > 0)
    add_row_effect (analyser, insn->address, insn->size,
                    job->trusted ? add_row (analyser, insn->address, state)
                                 : ROW_UNKNOWN);
  if (job->trusted)
    record_references (analyser, insn, state);
  if (job_function (analyser, job)->entry == analyser->context->program_entry
      && analyser->context->request->beyond_cfi)
    record_passed_function (analyser, insn, state);
  if (insn->flow == FLOW_CALL)
    add_address_effect (analyser, EFFECT_CALL, insn->target);
  record_callees (analyser, insn, state);
  if (job->trusted)
    compare_with_cfi (analyser, insn, state,
                      before->registers[analyser->routine->machine->arch->sp]);
}

/* ---- Jobs */

/* Run the routine of FUNCTION, BARE without callee-saved registers.  Its code
   ends where its FDE does, or the range of code, so that jump tables without a
   bound end there.  */
static void
run_routine (struct analyser *analyser, const struct code_function *function,
             bool bare, enum doubtful_calls doubtful_calls)
{
  uint64_t entry = function->entry, end = entry, size = 0;
  const struct frame_function *fde
      = covered_code_at (analyser->context->covered_code, entry);
  if (fde)
    end = fde->address + fde->size;
  else if (facts_code (analyser->context->facts, entry, &size))
    end = entry + size;
  analyser->job->result
      = *routine_analyse (analyser->routine, entry, end, doubtful_calls, bare);
}

/* If the last analysis of FUNCTION has failed, and CFI is only compared, try
   again without callee-saved registers: compilers with their own conventions
   use these registers as they like, but their functions still treat the stack
   in a regular way.  Such a result makes no rows, because callers may rely on
   FP.  `changes' stays that of the failed analysis.  */
static void
retry_without_registers (struct analyser *analyser,
                         const struct code_function *function)
{
  struct analysis_job *job = analyser->job;
  const enum routine_failure failure = job->result.failure;
  const uint32_t changes = job->result.changes;
  bool by_registers
      = failure == ROUTINE_SAVED_USED || failure == ROUTINE_RETURN
        || failure == ROUTINE_TAIL_CALL || failure == ROUTINE_RUNS_INTO
        || failure == ROUTINE_UNRESOLVED;
  if (!by_registers || !analyser->context->request->only_compares
      || !function->has_fde)
    return;
  run_routine (analyser, function, true, DOUBTFUL_CALLS_RETURN);
  job->is_bare
      = job->result.failure == ROUTINE_SOUND && !job->result.calls_unregistered
        && routine_is_function (analyser->context, &job->result, function);
  if (!job->is_bare)
    run_routine (analyser, function, false, DOUBTFUL_CALLS_RETURN);
  job->result.changes = changes;
}

/* Analyse FUNCTION for the first time or the last.  If it calls unregistered
   functions, it stays open, unless this is the last analysis.  */
static void
analyse (struct analyser *analyser, const struct code_function *function)
{
  struct analysis_job *job = analyser->job;
  const struct job_task *task = &job->task;
  struct routine_result *result = &job->result;
  bool has_cfi
      = covered_code_at (analyser->context->covered_code, function->entry);
  run_routine (analyser, function, false,
               has_cfi ? DOUBTFUL_CALLS_RETURN : task->doubtful_calls);
  if (result->calls_unregistered && task->is_last)
    result->failure = ROUTINE_TOO_MUCH;
  if (job->is_subroutine)
    return;
  if (result->failure == ROUTINE_SOUND
      && !routine_is_function (analyser->context, result, function))
    result->failure = ROUTINE_UNPROVEN;
  bool is_final = result->failure == ROUTINE_SOUND
                  || (result->failure != ROUTINE_DOUBTFUL
                      && task->attempt == ATTEMPT_LAST);
  job->concluded = (!result->calls_unregistered || task->is_last) && is_final;
  if (job->concluded)
    retry_without_registers (analyser, function);
}

/* Record the effects of the analysis of FUNCTION.  A pointer that does not
   lead to a function says nothing about the code.  */
static void
record_effects (struct analyser *analyser,
                const struct code_function *function)
{
  struct analysis_job *job = analyser->job;
  bool is_sound = job->result.failure == ROUTINE_SOUND;
  bool revised = job->task.attempt == ATTEMPT_REVISION;
  bool had_rows = function->is_concluded && !function->fails;
  bool is_evidence
      = is_sound || !function_has_only_pointers (function) || had_rows;
  job->trusted = job->concluded && is_sound
                 && function->entry != analyser->context->program_entry;
  for (size_t i = 0; !revised && i < analyser->routine->n_observations; i++)
    add_effect (analyser,
                &(struct effect){
                    .kind = EFFECT_OBSERVATION,
                    .address = analyser->routine->observations[i].address,
                    .number = analyser->routine->observations[i].kind });
  /* The failure is final: record the functions that the routine enters with
     another frame than that of a call.  */
  if (job->concluded && !is_sound)
    for (size_t i = 0; i < job->result.n_entered_with_frame; i++)
      add_number_effect (analyser, EFFECT_ENTERED_WITH_FRAME,
                         job->result.entered_with_frame[i]);
  if (revised || (job->concluded && is_evidence))
    routine_visit (analyser->routine, record_instruction, analyser);
  else if (job->is_subroutine
           && (!job->result.calls_unregistered || job->task.is_last))
    routine_visit (analyser->routine, record_callees, analyser);
}

static bool
needs_analysis (const struct code_function *function, enum attempt attempt)
{
  return function->is_start
         || (attempt == ATTEMPT_LAST && function_has_only_pointers (function));
}

bool
analyser_skips (const struct code_function *function, enum attempt attempt)
{
  return !needs_analysis (function, attempt) && !function->is_called;
}

static void
analyse_and_record (struct analyser *analyser,
                    const struct code_function *function)
{
  struct analysis_job *job = analyser->job;
  routine_forget (analyser->routine);
  analyser->routine->steps_left = job->task.steps_left;
  if (job->task.attempt != ATTEMPT_REVISION)
    analyse (analyser, function);
  else
    {
      /* Record the rows of the function once more, without trust, so that they
         conflict with those of the analysis before it was found to be entered
         with a frame.  */
      run_routine (analyser, function, function->is_bare,
                   DOUBTFUL_CALLS_RETURN);
      job->result.calls_unregistered = false;
    }
  if (analyser->routine->steps_left > 0)
    record_effects (analyser, function);
  job->steps = job->task.steps_left - analyser->routine->steps_left;
}

void
analyser_run (struct analyser *analyser, struct analysis_job *job)
{
  const struct code_function *function = job_function (analyser, job);
  *job = (struct analysis_job){
    .task = job->task,
    .analyser = analyser,
    .skipped = analyser_skips (function, job->task.attempt),
    .is_subroutine = !needs_analysis (function, job->task.attempt),
    .first_row = analyser->n_rows,
    .first_effect = analyser->n_effects,
    .first_disproof = analyser->disproofs.n,
    .doubts_entry = true, /* until all rows were compared */
  };
  analyser->job = job;
  comparison_begin (&analyser->comparison);
  errno = 0;
  if (!job->skipped)
    analyse_and_record (analyser, function);
  /* A routine that lacks memory fails with ROUTINE_TOO_MUCH, like one that is
     too large; errno distinguishes the two.  */
  analyser->failed |= analyser->comparison.failed || errno == ENOMEM;
  job->n_effects = analyser->n_effects - job->first_effect;
  job->n_disproofs = analyser->disproofs.n - job->first_disproof;
  job->doubts_entry = comparison_doubts_entry (&analyser->comparison);
  job->has_undecided_rule = analyser->comparison.has_undecided_rule;
}

/* A function is trusted if it is called, or leaves as functions do.  A
   function that has no end is trusted if it is exported, or if its rows
   confirm its first row.  Code that has an end but leaves through an array of
   addresses only is not trusted, because it may be a handler of threaded code;
   nor is code that uses uninitialised registers.  */
enum routine_trust
job_trust (const struct analysis_job *job,
           const struct code_function *function)
{
  bool never_leaves
      = !job->result.has_end && (function->is_exported || !job->doubts_entry);
  bool certain = (function->is_called || job->result.leaves || never_leaves)
                 && !job->result.uses_uninitialised;
  return !certain ? TRUST_CFI_ALONE : job->is_bare ? TRUST_STACK : TRUST_ALL;
}
