/* From places where functions may start to the rows of their code.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "code/analysis.h"

#include <stdlib.h>

#include "code/borders.h"
#include "code/returning.h"
#include "code/routine_flow.h"
#include "code/seeds.h"
#include "code/starts.h"
#include "code/state_apply.h"
#include "code/state_row.h"

enum
{
  POINTER_ROUNDS_MAX = 32,
  ROUTINE_ROUNDS_MAX = 16
};

/* How often a function was tried before.  A function that fails at first is
   tried once more when all others were tried, because these may have named
   addresses where jump tables end.  */
enum attempt
{
  ATTEMPT_FIRST,
  ATTEMPT_LAST
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
  struct routine *routine;
  struct routine_context context;
  struct row_map *row_map;
  struct analysis_summary *summary;
  enum routine_doubts doubts; /* what to do about calls that may not return */
  struct index_list doubtful; /* functions that make such calls */
  /* The routine under way.  */
  uint64_t entry;
  uint32_t index;
  bool trusted;
  bool bare; /* followed as if it preserved no registers */
  enum analysis_trust trust;
  bool failed; /* memory ran out */
};

/* Rows.  What a routine says goes to the map of rows (row_map.h).  */

/* Record the addresses that INSN computes and that returning.c has not seen,
   because only a jump table leads to INSN.  */
static void
note_mentioned (struct analysis *analysis, const struct insn *insn,
                const struct state *state)
{
  bool constant
      = insn->op == OP_SET || (insn->op == OP_STORE && insn->from == REG_NONE);
  uint64_t address = (uint64_t)insn->immediate, place, size;
  if (state_names_place (state, insn, &place))
    facts_name (&analysis->facts, place);
  else if (analysis->starts.has_hints && constant
           && facts_code (&analysis->facts, address, &size))
    starts_note_hint (&analysis->starts, address);
}

/* The address that INSN computes, or loads from a word that is relocated.  */
static bool
computes_address (const struct analysis *analysis, const struct insn *insn,
                  const struct state *state, uint64_t *address)
{
  struct subject memory = state_memory (state, insn);
  if (insn->op == OP_LOAD && !memory.has_index && memory.has_base
      && memory.base.kind == VALUE_CONSTANT)
    memory.offset += memory.base.number;
  else if (insn->op != OP_LOAD || memory.has_index || memory.has_base)
    {
      *address = (uint64_t)insn->immediate;
      return state_names_place (state, insn, address) || insn->op == OP_SET;
    }
  const struct relocated *word
      = facts_relocated (&analysis->facts, (uint64_t)memory.offset);
  *address = word ? word->value : 0;
  return word != NULL;
}

/* Record that the address which INSN computes is a function's: where the
   program begins, main is handed to the C library.  */
static void
note_main (struct analysis *analysis, const struct insn *insn,
           const struct state *state)
{
  uint64_t address, size;
  if (computes_address (analysis, insn, state, &address)
      && facts_code (&analysis->facts, address, &size)
      && !starts_add_called (&analysis->starts, address))
    analysis->failed = true;
}

/* The row that STATE, of the routine under way, comes to.  */
static void
make_row (const struct analysis *analysis, const struct state *state,
          struct frame_row *row)
{
  const struct code_machine *machine = routine_machine (analysis->routine);
  bool known = analysis->bare ? state_row_without_fp (state, machine, row)
                              : state_row (state, machine, row);
  if (!known)
    row->cfa = frame_rule_unsupported (REASON_CFA_EXPRESSION);
}

/* Record that the routine under way leads to another function, if INSN does.
   A visitor for routine_visit.  */
static void
note_caller (void *argument, uint64_t address, const struct insn *insn,
             const struct state *state)
{
  const struct analysis *analysis = argument;
  bool leaves = insn->flow != FLOW_NEXT && insn->flow != FLOW_RETURN
                && insn->flow != FLOW_STOP;
  (void)address;
  (void)state;
  struct code_function *callee
      = leaves ? routine_callee (&analysis->context, insn) : NULL;
  if (callee)
    functions_note_caller (analysis->functions, callee, analysis->index);
}

static void
take (void *argument, uint64_t address, const struct insn *insn,
      const struct state *state)
{
  struct analysis *analysis = argument;
  const struct analysis_observer *observer = analysis->observer;
  struct frame_row row;
  if (analysis->trusted)
    make_row (analysis, state, &row);
  if (insn->size > 0)
    row_map_add (analysis->row_map, address, insn->size,
                 analysis->trusted ? &row : NULL);
  if (analysis->trusted)
    note_mentioned (analysis, insn, state);
  if (analysis->entry == analysis->starts.program_entry
      && analysis->request->beyond_cfi)
    note_main (analysis, insn, state);
  if (insn->flow == FLOW_CALL
      && !starts_note_call (&analysis->starts, insn->target))
    analysis->failed = true;
  note_caller (analysis, address, insn, state);
  if (analysis->trusted && observer->see)
    observer->see (observer->argument, analysis->entry, analysis->trust,
                   address, insn, state);
}

static enum analysis_trust
trust_of (const struct analysis *analysis,
          const struct code_function *function)
{
  const struct routine *routine = analysis->routine;
  bool certain = (function->is_called || routine_is_proven (routine)
                  || routine_leaves (routine))
                 && !routine_is_odd (routine);
  return !certain            ? TRUST_CFI_ALONE
         : function->is_bare ? TRUST_STACK
                             : TRUST_ALL;
}

/* Add the rows of FUNCTION, followed last, to the map.  If FUNCTION is not
   TRUSTED, rows that others have for its code are disputed.  */
static void
take_routine (struct analysis *analysis, const struct code_function *function,
              bool trusted)
{
  uint64_t entry = function->entry;
  analysis->entry = entry;
  analysis->index = functions_find (analysis->functions, entry);
  analysis->trusted = trusted;
  analysis->bare = function->is_bare;
  analysis->trust = trust_of (analysis, function);
  if (trusted)
    row_map_add_start (analysis->row_map, entry);
  routine_visit (analysis->routine, take, analysis);
  row_map_end_routine (analysis->row_map);
}

/* Following one function.  */

/* The end of the code that starts at ENTRY: that of its CFI, or the image's,
   so that jump tables without a bound end there.  */
static uint64_t
end_of (const struct analysis *analysis, uint64_t entry)
{
  uint64_t size = 0;
  const struct frame_function *known = known_code_at (&analysis->known, entry);
  if (known)
    return known->address + known->size;
  facts_code (&analysis->facts, entry, &size);
  return entry + size;
}

/* Follow the routine at ENTRY until all functions it calls are known.  */
static bool
follow_routine (struct analysis *analysis, uint64_t entry,
                enum routine_failure *failure, uint64_t *failed_at,
                struct error *err)
{
  enum routine_doubts doubts = known_code_at (&analysis->known, entry)
                                   ? DOUBTS_NONE
                                   : analysis->doubts;
  for (int i = 0; i < ROUTINE_ROUNDS_MAX; i++)
    {
      *failure = routine_follow (analysis->routine, entry,
                                 end_of (analysis, entry), doubts, failed_at);
      if (!routine_met_unknown (analysis->routine))
        break;
      if (!returning_run (analysis->returning, err))
        return false;
      *failure = ROUTINE_TOO_MUCH; /* should this have been the last round */
    }
  return true;
}

/* Whether FUNCTION, which was followed last and is sound, begins with the
   frame of a call: an instruction calls it, its CFI says so, or it returns as
   functions do.

   Code that never returns can be entered in other ways: by the kernel, when
   the handler of a signal returns, or by code that has put something onto the
   stack.  Code that leaves where memory says may be a handler of threaded
   code, and have the frame of its interpreter.  */
static bool
is_function (const struct analysis *analysis,
             const struct code_function *function)
{
  return function->is_called || routine_is_proven (analysis->routine)
         || known_code_at (&analysis->known, function->entry);
}

/* FUNCTION was followed for the last time, and fails.  Where CFI is compared
   with the code, it is followed again without registers: compilers with
   conventions of their own use those of the ABI as they like, and what a
   function does to the stack can be told all the same.  No rows are made of
   that, because callers may rely on FP.  */
static enum routine_failure
follow_bare (struct analysis *analysis, struct code_function *function,
             enum routine_failure failure, uint64_t *failed_at)
{
  uint64_t entry = function->entry, at;
  bool by_registers
      = failure == ROUTINE_SAVED_USED || failure == ROUTINE_RETURN
        || failure == ROUTINE_TAIL_CALL || failure == ROUTINE_RUNS_INTO
        || failure == ROUTINE_UNRESOLVED;
  if (!by_registers || !analysis->request->only_compares
      || !function->is_known)
    return failure;
  enum routine_failure bare = routine_follow_bare (
      analysis->routine, entry, end_of (analysis, entry), &at);
  if (bare == ROUTINE_SOUND && !routine_met_unknown (analysis->routine)
      && is_function (analysis, function))
    {
      function->is_bare = true;
      return ROUTINE_SOUND;
    }
  return routine_follow (analysis->routine, entry, end_of (analysis, entry),
                         DOUBTS_NONE, failed_at);
}

/* Withhold rows from the functions that the routine followed last enters with
   another frame than that of a call; the routine has failed for good.  */
static void
disqualify_others (struct analysis *analysis)
{
  size_t n;
  const uint32_t *others = routine_left_for (analysis->routine, &n);
  for (size_t i = 0; i < n; i++)
    functions_get (analysis->functions, others[i])->no_rows = true;
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

/* FUNCTION was followed for the last time, with FAILURE, or another time
   because something that it calls is not what it seemed.  */
static void
conclude (struct analysis *analysis, const struct code_function *function,
          enum routine_failure failure, uint64_t failed_at)
{
  const struct analysis_observer *observer = analysis->observer;
  bool uncertain = function->is_pointer && !function->is_called;
  uint64_t entry = function->entry;
  struct code_function *own = functions_at (analysis->functions, entry);
  bool had_rows = own->is_concluded && !own->fails;
  count (analysis->summary, own, failure);
  own->fails = failure != ROUTINE_SOUND;
  if (had_rows && observer->retract)
    observer->retract (observer->argument, entry);
  own->is_concluded = true;
  if (failure != ROUTINE_SOUND)
    disqualify_others (analysis);
  else
    own->is_proven = routine_is_proven (analysis->routine)
                     || routine_leaves (analysis->routine);
  if (failure != ROUTINE_SOUND && observer->reject)
    observer->reject (observer->argument, entry, failure, failed_at);
  /* A pointer that does not lead to a function says nothing of the code.  */
  if (failure == ROUTINE_SOUND || !uncertain || had_rows)
    take_routine (analysis, function,
                  failure == ROUTINE_SOUND && !own->no_rows
                      && entry != analysis->starts.program_entry);
}

/* Note what callers have to know of FUNCTION, the one followed last.  */
static void
note_changes (struct analysis *analysis, struct code_function *function)
{
  functions_note_changes (analysis->functions, function,
                          routine_changes (analysis->routine));
}

/* Function INDEX is called, but no rows are made of it alone: other CFI
   describes it as a part, or none is looked for.  What its callers have to
   know is noted all the same.  */
static bool
follow_part (struct analysis *analysis, uint32_t index, struct error *err)
{
  uint64_t entry = functions_get (analysis->functions, index)->entry;
  enum routine_failure failure;
  uint64_t failed_at;
  if (!follow_routine (analysis, entry, &failure, &failed_at, err))
    return false;
  note_changes (analysis, functions_get (analysis->functions, index));
  analysis->index = index;
  routine_visit (analysis->routine, note_caller, analysis);
  return true;
}

/* Follow function INDEX, if it is one.  */
static bool
follow (struct analysis *analysis, uint32_t index, enum attempt attempt,
        struct error *err)
{
  struct code_function function = *functions_get (analysis->functions, index);
  enum routine_failure failure;
  uint64_t failed_at;
  bool ok = true, uncertain = function.is_pointer && !function.is_called;
  if (!function.is_start && !(attempt == ATTEMPT_LAST && uncertain))
    return !function.is_called || follow_part (analysis, index, err);
  if (!follow_routine (analysis, function.entry, &failure, &failed_at, err))
    return false;
  if (failure == ROUTINE_SOUND && !is_function (analysis, &function))
    failure = ROUTINE_UNPROVEN;
  if (uncertain)
    functions_get (analysis->functions, index)->is_start
        = failure == ROUTINE_SOUND;
  if (failure == ROUTINE_DOUBTFUL)
    ok = index_list_add (&analysis->doubtful, index);
  else if (failure != ROUTINE_SOUND && attempt == ATTEMPT_FIRST)
    ok = index_list_add (&analysis->starts.again, index);
  else
    {
      note_changes (analysis, functions_get (analysis->functions, index));
      failure = follow_bare (analysis, &function, failure, &failed_at);
      functions_get (analysis->functions, index)->is_bare = function.is_bare;
      conclude (analysis, &function, failure, failed_at);
    }
  return (ok && !analysis->failed) || error_set_no_memory (err);
}

/* Following what there is.  */

/* Dispute the rows of functions that turned out to be entered with another
   frame.  */
static void
withdraw (struct analysis *analysis)
{
  for (size_t i = 0; i < analysis->starts.n_tried; i++)
    {
      const struct code_function *function
          = functions_get (analysis->functions, (uint32_t)i);
      uint64_t failed_at, entry = function->entry;
      if (!function->is_start || !function->no_rows)
        continue;
      if (function->is_bare)
        routine_follow_bare (analysis->routine, entry,
                             end_of (analysis, entry), &failed_at);
      else
        routine_follow (analysis->routine, entry, end_of (analysis, entry),
                        DOUBTS_NONE, &failed_at);
      take_routine (analysis, function, false);
    }
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
    if (!follow (analysis, index, ATTEMPT_LAST, err))
      return false;
  return !functions_failed (analysis->functions) || error_set_no_memory (err);
}

static bool
follow_first (struct analysis *analysis, struct error *err)
{
  size_t n = functions_count (analysis->functions);
  while (analysis->starts.n_tried < n)
    if (!follow (analysis, (uint32_t)analysis->starts.n_tried++, ATTEMPT_FIRST,
                 err))
      return false;
  return true;
}

static bool
follow_again (struct analysis *analysis, struct error *err)
{
  struct index_list *again = &analysis->starts.again;
  facts_sort_named (&analysis->facts);
  for (size_t i = 0; i < again->n; i++) /* which may grow */
    if (!follow (analysis, again->list[i], ATTEMPT_LAST, err))
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
      if (!follow_first (analysis, err) || !follow_again (analysis, err)
          || !follow_affected (analysis, err))
        return false;
    }
  withdraw (analysis);
  return row_map_settle (analysis->row_map, err);
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
  analysis->doubts = DOUBTS_END;
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
  analysis->routine = routine_new (&analysis->context);
  return (analysis->returning && analysis->routine)
         || error_set_no_memory (err);
}

static void
clean_up (struct analysis *analysis)
{
  routine_free (analysis->routine);
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

bool
analysis_run (const struct code_request *request,
              const struct analysis_observer *observer,
              struct row_map *row_map, struct analysis_summary *summary,
              struct parts *parts, struct error *err)
{
  struct analysis analysis = { .request = request,
                               .observer = observer,
                               .row_map = row_map,
                               .summary = summary,
                               .doubts = DOUBTS_FAIL };
  *summary = (struct analysis_summary){ 0 };
  bool ok = row_map_init (row_map, err) && prepare (&analysis, err)
            && run_rounds (&analysis, err);
  if (ok && parts
      && !parts_find (parts, request, analysis.functions, &analysis.facts))
    ok = error_set_no_memory (err);
  if (ok && routine_gave_up (analysis.routine))
    row_map_clear (row_map);
  clean_up (&analysis);
  return ok;
}
