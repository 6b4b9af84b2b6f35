/* Following functions, and noting down what comes of it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/follower.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "analysis/routine.h"
#include "analysis/row_map.h"

struct follower *
follower_new (const struct routine_context *context)
{
  const struct code_request *request = context->request;
  struct follower *follower = calloc (1, sizeof *follower);
  if (!follower)
    return NULL;
  follower->context = context;
  follower->routine = routine_new (context);
  follower->comparison = (struct comparison){
    .disproofs = &follower->disproofs,
    .known = { .functions = request->known, .n = request->n_known },
  };
  follower->described = (struct row_search){ .functions = request->described,
                                             .n = request->n_described };
  if (follower->routine)
    return follower;
  follower_free (follower);
  return NULL;
}

void
follower_free (struct follower *follower)
{
  if (!follower)
    return;
  routine_free (follower->routine);
  disproofs_free (&follower->disproofs);
  free (follower->notes);
  free (follower->rows);
  free (follower);
}

void
follower_release (const struct followed *followed)
{
  struct follower *follower = followed->by;
  if (follower->n_notes != followed->first_note + followed->n_notes)
    return;
  follower->n_rows = followed->first_row;
  follower->n_notes = followed->first_note;
  follower->disproofs.n = followed->first_disproof;
}

/* ---- Notes */

static bool
has_room (const struct follower *follower)
{
  const struct followed *current = follower->current;
  return follower->n_notes - current->first_note + follower->disproofs.n
             - current->first_disproof
         < current->task.notes_max;
}

static void
add_note (struct follower *follower, const struct follower_note *note)
{
  if (!has_room (follower))
    return;
  if (ARRAY_ROOM (follower->notes, follower->n_notes + 1,
                  &follower->notes_capacity))
    follower->notes[follower->n_notes++] = *note;
  else
    follower->failed = true;
}

static void
note_address (struct follower *follower, enum note_kind kind, uint64_t address)
{
  add_note (follower,
            &(struct follower_note){ .kind = kind, .address = address });
}

static void
note_number (struct follower *follower, enum note_kind kind, uint32_t number)
{
  add_note (follower,
            &(struct follower_note){ .kind = kind, .number = number });
}

/* Note that row NUMBER holds for the SIZE bytes at ADDRESS.  */
static void
note_row (struct follower *follower, uint64_t address, uint32_t size,
          uint32_t number)
{
  const struct followed *current = follower->current;
  struct follower_note *last = follower->n_notes > current->first_note
                                   ? &follower->notes[follower->n_notes - 1]
                                   : NULL;
  if (last && last->kind == NOTE_ROW && last->number == number
      && last->address + last->size == address && last->size < UINT32_MAX / 2)
    last->size += size;
  else
    add_note (follower, &(struct follower_note){ .kind = NOTE_ROW,
                                                 .address = address,
                                                 .size = size,
                                                 .number = number });
}

/* Note the addresses that INSN computes and that noreturn.c has not seen,
   because only a jump table leads to INSN.  */
static void
note_mentioned (struct follower *follower, const struct insn *insn,
                const struct state *state)
{
  bool constant
      = insn->op == OP_SET || (insn->op == OP_STORE && insn->from == REG_NONE);
  uint64_t address = (uint64_t)insn->immediate, place, size;
  if (state_names_place (state, insn, &place))
    note_address (follower, NOTE_NAMED, place);
  else if (follower->context->has_hints && constant
           && facts_code (follower->context->facts, address, &size))
    note_address (follower, NOTE_HINT, address);
}

/* The address that INSN computes, or loads from a word that is relocated.  */
static bool
computes_address (const struct image_facts *facts, const struct insn *insn,
                  const struct state *state, uint64_t *address)
{
  struct subject memory = state_memory (state, insn);
  if (insn->op == OP_LOAD && !memory.has_index && memory.has_base
      && value_is_address (memory.base))
    memory.offset += memory.base.number;
  else if (insn->op != OP_LOAD || memory.has_index || memory.has_base)
    {
      *address = (uint64_t)insn->immediate;
      return state_names_place (state, insn, address) || insn->op == OP_SET;
    }
  const struct relocated *word
      = facts_relocated (facts, (uint64_t)memory.offset);
  *address = word ? word->value : 0;
  return word != NULL;
}

/* Note that the address which INSN hands on is a function's: where
   the program begins, main is handed to the C library.  */
static void
note_main (struct follower *follower, const struct insn *insn,
           const struct state *state)
{
  const struct image_facts *facts = follower->context->facts;
  const unsigned argument = follower->routine->machine->first_argument;
  uint64_t address, size;
  if (insn_written (insn) >> argument & 1)
    follower->handed
        = insn->to == argument
                  && computes_address (facts, insn, state, &address)
              ? address
              : 0;
  bool hands_on = insn_is_call (insn) || insn->flow == FLOW_JUMP_INDIRECT;
  if (hands_on && facts_code (facts, follower->handed, &size))
    note_address (follower, NOTE_FUNCTION, follower->handed);
}

/* The row that others have for the code at ADDRESS, if STATE shows that row to
   be right; else NULL.  */
static const struct frame_row *
described_row (struct follower *follower, uint64_t address,
               const struct state *state)
{
  const struct frame_row *row
      = row_search_find (&follower->described, address);
  for (unsigned i = 0; row && i < ROW_RULES; i++)
    if (state_check (state, (enum row_rule)i, row) != VERDICT_AGREES)
      row = NULL;
  return row;
}

/* The number of the row that STATE, at ADDRESS, comes to; rows repeat for
   instruction after instruction.  */
static uint32_t
make_row (struct follower *follower, uint64_t address,
          const struct state *state)
{
  bool is_bare = follower->current->is_bare;
  struct frame_row row;
  bool known = state_row (state, !is_bare, &row);
  const struct frame_row *other
      = known && !is_bare ? described_row (follower, address, state) : NULL;
  if (!known)
    row.cfa = frame_rule_unsupported (REASON_CFA_EXPRESSION);
  if (other)
    row = *other;
  size_t n = follower->n_rows;
  if (n > 0 && frame_row_same_rules (&follower->rows[n - 1], &row))
    return (uint32_t)n - 1;
  if (!ARRAY_ROOM (follower->rows, n + 1, &follower->rows_capacity))
    {
      follower->failed = true;
      return ROW_UNKNOWN;
    }
  follower->rows[follower->n_rows++] = row;
  return (uint32_t)n;
}

static const struct code_function *
function_of (const struct follower *follower, const struct followed *followed)
{
  return &follower->context->functions->list[followed->task.index];
}

/* Hold INSN of a routine that can be trusted against CFI; SP as in
   comparison.h.  */
static void
compare (struct follower *follower, const struct insn *insn,
         const struct state *state, struct value sp)
{
  const struct followed *current = follower->current;
  const struct analysis_observer *observer
      = follower->context->request->observer;
  const struct code_function *function = function_of (follower, current);
  if (follower->context->request->compares)
    comparison_see (&follower->comparison, function->entry,
                    current->is_bare ? TRUST_STACK : TRUST_ALL, insn, state,
                    sp);
  if (observer && observer->see)
    observer->see (observer->argument, function->entry,
                   followed_trust (current, function), insn, state);
}

/* Note that the routine calls the function at ENTRY, or goes on in it.  */
static void
note_callee (struct follower *follower, uint64_t entry)
{
  uint32_t index = functions_find (follower->context->functions, entry);
  if (index != FUNCTION_NONE)
    note_number (follower, NOTE_CALLEE, index);
}

/* Note where INSN leads, if that is another function: by a call or a jump, or
   because it is the last one in front of a function.  A visitor for
   routine_visit.  */
static void
note_callees (void *argument, const struct insn *insn,
              const struct state *state)
{
  struct follower *follower = argument;
  bool goes_on = insn->flow == FLOW_NEXT || insn->flow == FLOW_BRANCH;
  bool is_jump_or_call = insn->flow > FLOW_NEXT && insn->flow < FLOW_RETURN;
  (void)state;
  const struct code_function *callee
      = is_jump_or_call ? routine_callee (follower->context, insn) : NULL;
  if (callee)
    note_callee (follower, callee->entry);
  if (goes_on)
    note_callee (follower, insn->address + insn->size);
}

/* STATE without what rests on trust in a callee alone, in KNOWN if that is
   another one.  */
static const struct state *
without_trust (const struct follower *follower, const struct state *state,
               struct state *known)
{
  unsigned sp = follower->routine->machine->arch->sp;
  if (!state->trusts_sp || !follower->current->result.resets_sp)
    return state;
  state_copy (known, state);
  known->registers[sp] = value_of (VALUE_UNKNOWN, 0);
  return known;
}

static void
note_instruction (void *argument, const struct insn *insn,
                  const struct state *before)
{
  struct follower *follower = argument;
  struct state known;
  const struct state *state = without_trust (follower, before, &known);
  const struct followed *current = follower->current;
  if (!has_room (follower))
    return;
  if (insn->size > 0)
    note_row (follower, insn->address, insn->size,
              current->trusted ? make_row (follower, insn->address, state)
                               : ROW_UNKNOWN);
  if (current->trusted)
    note_mentioned (follower, insn, state);
  if (function_of (follower, current)->entry
          == follower->context->program_entry
      && follower->context->request->beyond_cfi)
    note_main (follower, insn, state);
  if (insn->flow == FLOW_CALL)
    note_address (follower, NOTE_CALL, insn->target);
  note_callees (follower, insn, state);
  if (current->trusted)
    compare (follower, insn, state,
             before->registers[follower->routine->machine->arch->sp]);
}

/* ---- Following */

/* Have the routine follow FUNCTION, if BARE without its registers.  Its code
   ends where its CFI does, or the image's, so that jump tables without a bound
   end there.  */
static void
follow (struct follower *follower, const struct code_function *function,
        bool bare, enum doubtful_calls doubtful_calls)
{
  uint64_t entry = function->entry, end = entry, size = 0;
  const struct frame_function *known
      = cfi_code_at (follower->context->known, entry);
  if (known)
    end = known->address + known->size;
  else if (facts_code (follower->context->facts, entry, &size))
    end = entry + size;
  follower->current->result
      = *routine_follow (follower->routine, entry, end, doubtful_calls, bare);
}

/* FUNCTION was followed for the last time, and fails.  Where CFI is compared
   with the code, it is followed again without registers: compilers with
   conventions of their own use those of the ABI as they like, and what a
   function does to the stack can be told all the same.  No rows are made of
   that, because callers may rely on FP; what it changes for them stays.  */
static void
follow_bare (struct follower *follower, const struct code_function *function)
{
  struct followed *current = follower->current;
  const enum routine_failure failure = current->result.failure;
  const uint32_t changes = current->result.changes;
  bool by_registers
      = failure == ROUTINE_SAVED_USED || failure == ROUTINE_RETURN
        || failure == ROUTINE_TAIL_CALL || failure == ROUTINE_RUNS_INTO
        || failure == ROUTINE_UNRESOLVED;
  if (!by_registers || !follower->context->request->only_compares
      || !function->is_known)
    return;
  follow (follower, function, true, DOUBTFUL_CALLS_RETURN);
  current->is_bare
      = current->result.failure == ROUTINE_SOUND
        && !current->result.met_unknown
        && routine_is_function (follower->context, &current->result, function);
  if (!current->is_bare)
    follow (follower, function, false, DOUBTFUL_CALLS_RETURN);
  current->result.changes = changes;
}

/* Follow FUNCTION for the first time, or the last.  Unless it is, a function
   that calls what is not known is left as it is.  */
static void
attempt (struct follower *follower, const struct code_function *function)
{
  struct followed *current = follower->current;
  const struct follower_task *task = &current->task;
  struct routine_result *result = &current->result;
  bool has_cfi = cfi_code_at (follower->context->known, function->entry);
  follow (follower, function, false,
          has_cfi ? DOUBTFUL_CALLS_RETURN : task->doubtful_calls);
  if (result->met_unknown && task->is_last)
    result->failure = ROUTINE_TOO_MUCH;
  if (current->is_part)
    return;
  if (result->failure == ROUTINE_SOUND
      && !routine_is_function (follower->context, result, function))
    result->failure = ROUTINE_UNPROVEN;
  bool is_settled = result->failure == ROUTINE_SOUND
                    || (result->failure != ROUTINE_DOUBTFUL
                        && task->attempt == ATTEMPT_LAST);
  current->concluded = (!result->met_unknown || task->is_last) && is_settled;
  if (current->concluded)
    follow_bare (follower, function);
}

/* Note down what the routine, FUNCTION, shows.  A pointer that does not lead
   to a function says nothing of the code.  */
static void
note_down (struct follower *follower, const struct code_function *function)
{
  struct followed *current = follower->current;
  bool is_sound = current->result.failure == ROUTINE_SOUND;
  bool revised = current->task.attempt == ATTEMPT_REVISION;
  bool had_rows = function->is_concluded && !function->fails;
  bool says_something
      = is_sound || !function_is_only_pointed (function) || had_rows;
  current->trusted = current->concluded && is_sound
                     && function->entry != follower->context->program_entry;
  for (size_t i = 0; !revised && i < follower->routine->n_observations; i++)
    add_note (follower,
              &(struct follower_note){
                  .kind = NOTE_OBSERVATION,
                  .address = follower->routine->observations[i].address,
                  .number = follower->routine->observations[i].kind });
  /* The routine failed for good: note the functions that it enters with
     another frame than that of a call.  */
  if (current->concluded && !is_sound)
    for (size_t i = 0; i < current->result.n_left_for; i++)
      note_number (follower, NOTE_LEFT_FOR, current->result.left_for[i]);
  if (revised || (current->concluded && says_something))
    routine_visit (follower->routine, note_instruction, follower);
  else if (current->is_part
           && (!current->result.met_unknown || current->task.is_last))
    routine_visit (follower->routine, note_callees, follower);
}

static bool
is_to_be_followed (const struct code_function *function, enum attempt attempt)
{
  return function->is_start
         || (attempt == ATTEMPT_LAST && function_is_only_pointed (function));
}

bool
follower_skips (const struct code_function *function, enum attempt attempt)
{
  return !is_to_be_followed (function, attempt) && !function->is_called;
}

static void
follow_and_note (struct follower *follower,
                 const struct code_function *function)
{
  struct followed *current = follower->current;
  routine_forget (follower->routine);
  follower->routine->steps_left = current->task.steps_left;
  if (current->task.attempt != ATTEMPT_REVISION)
    attempt (follower, function);
  else
    {
      /* What it said before, when it was not known to be entered with another
         frame, is to be noted once more, to be disputed.  */
      follow (follower, function, function->is_bare, DOUBTFUL_CALLS_RETURN);
      current->result.met_unknown = false;
    }
  if (follower->routine->steps_left > 0)
    note_down (follower, function);
  current->steps = current->task.steps_left - follower->routine->steps_left;
}

void
follower_follow (struct follower *follower, struct followed *followed)
{
  const struct code_function *function = function_of (follower, followed);
  *followed = (struct followed){
    .task = followed->task,
    .by = follower,
    .skipped = follower_skips (function, followed->task.attempt),
    .is_part = !is_to_be_followed (function, followed->task.attempt),
    .first_row = follower->n_rows,
    .first_note = follower->n_notes,
    .first_disproof = follower->disproofs.n,
    .doubts_entry = true, /* until all of it was compared */
  };
  follower->current = followed;
  comparison_begin (&follower->comparison);
  errno = 0;
  if (!followed->skipped)
    follow_and_note (follower, function);
  /* A routine that lacks memory fails like one that is too large: malloc has
     told the two apart.  */
  follower->failed |= follower->comparison.failed || errno == ENOMEM;
  followed->n_notes = follower->n_notes - followed->first_note;
  followed->n_disproofs = follower->disproofs.n - followed->first_disproof;
  followed->doubts_entry = comparison_doubts_entry (&follower->comparison);
  followed->leaves_open = follower->comparison.leaves_open;
}

/* What never returns and is not called either is exported, or begins as its
   CFI says, unless its rows let it begin otherwise.  Code that leaves by an
   array of addresses may be a handler of threaded code all the same.  */
enum routine_trust
followed_trust (const struct followed *followed,
                const struct code_function *function)
{
  bool never_leaves = !followed->result.has_end
                      && (function->is_exported || !followed->doubts_entry);
  bool certain
      = (function->is_called || followed->result.leaves || never_leaves)
        && !followed->result.is_odd;
  return !certain            ? TRUST_CFI_ALONE
         : followed->is_bare ? TRUST_STACK
                             : TRUST_ALL;
}
