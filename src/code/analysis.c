/* From seeds to units to claims.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "code/analysis.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"
#include "code/seeds.h"
#include "code/state_apply.h"
#include "code/state_row.h"

enum
{
  POINTER_ROUNDS_MAX = 32,
  UNIT_ROUNDS_MAX = 16
};

struct analysis
{
  const struct code_request *request;
  const struct code_machine *machine;
  struct insn_decoder *decoder;
  struct places places;
  struct go_table go;
  struct returns *returns;
  struct unit *unit;
  struct unit_context context;
  uint64_t *borders;        /* starts of `known` */
  struct code_range *parts; /* those of `known` that start no function */
  size_t n_parts;
  struct claims *claims;
  struct code_summary *summary;
  size_t n_followed; /* functions of `returns` that were looked at */
  uint32_t *later;   /* of them, to be tried when the others were */
  size_t n_later, later_capacity;
  uint32_t *doubtful; /* of them, that make calls nobody has seen come back */
  size_t n_doubtful, doubtful_capacity;
  bool last;              /* try of those */
  uint64_t program_entry; /* or 0 */
  uint64_t entry;         /* of the unit under way */
  bool trusted;           /* the unit under way can be */
  bool certain; /* and more than its CFI says that it begins with a call */
  /* Constants in code that can be addresses, where those are not relocated. */
  bool has_hints;
  uint64_t *hints;
  size_t n_hints, hints_capacity;
};

bool
code_analysis_exists (const struct arch *arch)
{
  return code_machine_of (arch) != NULL;
}

/* The known function with ADDRESS in it, or NULL.  */
static const struct frame_function *
known_at (const struct code_request *request, uint64_t address)
{
  const struct frame_function *known = request->known;
  size_t at = SEARCH_FIRST (request->n_known, i,
                            known[i].address + known[i].size > address);
  return at < request->n_known && known[at].address <= address ? &known[at]
                                                               : NULL;
}

/* Starts.  */

static bool
add_start (struct analysis *analysis, uint64_t address)
{
  uint64_t size;
  return !places_code (&analysis->places, address, &size)
         || returns_add (analysis->returns, address, true) != UINT32_MAX;
}

/* Where CFI knows of code, it says what starts there.  */
static bool
add_start_elsewhere (void *argument, uint64_t address)
{
  struct analysis *analysis = argument;
  return known_at (analysis->request, address)
         || add_start (analysis, address);
}

/* The same for what is certain to be called.  */
static bool
add_called_elsewhere (void *argument, uint64_t address)
{
  struct analysis *analysis = argument;
  if (!add_start_elsewhere (analysis, address))
    return false;
  uint32_t index = returns_find (analysis->returns, address);
  if (index != UINT32_MAX)
    returns_function (analysis->returns, index)->is_called = true;
  return true;
}

/* An address that is mentioned is tried only where no function got to.  */
static bool
add_pointer (void *argument, uint64_t address)
{
  struct analysis *analysis = argument;
  if (known_at (analysis->request, address)
      || claims_find (analysis->claims, address)
      || returns_find (analysis->returns, address) != UINT32_MAX)
    return true;
  if (!add_start (analysis, address))
    return false;
  uint32_t added = returns_find (analysis->returns, address);
  if (added != UINT32_MAX)
    returns_function (analysis->returns, added)->is_pointer = true;
  return true;
}

/* Remember a function that was passed over, or failed.  */
static bool
try_later (struct analysis *analysis, uint32_t index)
{
  if (!ARRAY_ROOM (analysis->later, analysis->n_later + 1,
                   &analysis->later_capacity))
    return false;
  analysis->later[analysis->n_later++] = index;
  return true;
}

/* What claims were made for before may have been known by its symbol then.  */
static bool
add_told (struct analysis *analysis, uint64_t address)
{
  if (!add_pointer (analysis, address))
    return false;
  uint32_t index = returns_find (analysis->returns, address);
  if (index == UINT32_MAX || claims_find (analysis->claims, address))
    return true;
  struct code_function *function = returns_function (analysis->returns, index);
  function->is_told = true;
  return index >= analysis->n_followed || function->is_start
         || try_later (analysis, index);
}

/* Whether FUNCTION has a row for a leading nop alone.  Parts of functions
   have: landing pads cannot be at the very beginning.  */
static bool
leads_with_nop (const struct frame_function *function,
                const struct insn_step *step)
{
  return step->is_nop && function->n_rows > 1
         && function->rows[1].start == step->size;
}

/* Rows at the beginning that are those of a call.  */
static bool
is_function_start (const struct analysis *analysis,
                   const struct frame_function *function)
{
  const struct code_machine *machine = analysis->machine;
  const struct frame_rule *cfa = &function->rows[0].cfa;
  uint64_t size;
  const uint8_t *bytes
      = places_code (&analysis->places, function->address, &size);
  struct insn_step step;
  if (!bytes
      || !insn_decode_step (analysis->decoder, bytes, size, function->address,
                            &step)
      || leads_with_nop (function, &step))
    return false;
  return function->n_rows > 0 && function->rows[0].start == 0
         && !function->from_plt && !function->signal && cfa->kind == RULE_REG
         && cfa->reg == machine->arch->sp
         && function->rows[0].ra.kind
                == (arch_tracks_ra (machine->arch) ? RULE_SAME
                                                   : RULE_DEREF_CFA)
         && !function->rows[0].ra_signed
         && cfa->offset == -machine->arch->fixed_ra_offset;
}

static void
mark_known (struct analysis *analysis, uint64_t address)
{
  uint32_t index = returns_find (analysis->returns, address);
  if (index != UINT32_MAX)
    returns_function (analysis->returns, index)->is_known = true;
}

static bool
add_known (struct analysis *analysis)
{
  const struct code_request *request = analysis->request;
  analysis->borders = calloc (request->n_known + 1, sizeof (uint64_t));
  analysis->parts = calloc (request->n_known + 1, sizeof *analysis->parts);
  if (!analysis->borders || !analysis->parts)
    return false;
  for (size_t i = 0; i < request->n_known; i++)
    {
      const struct frame_function *function = &request->known[i];
      analysis->borders[i] = function->address;
      returns_mark (analysis->returns, function->address);
      if (!is_function_start (analysis, function))
        analysis->parts[analysis->n_parts++]
            = (struct code_range){ function->address,
                                   function->address + function->size };
      else if (!add_start (analysis, function->address))
        return false;
      else
        mark_known (analysis, function->address);
    }
  return true;
}

static bool
add_go_starts (struct analysis *analysis)
{
  const struct go_table *go = &analysis->go;
  for (size_t i = 0; i < go->n; i++)
    if (go->steps[i].is_start
        && !add_start_elsewhere (analysis, go->steps[i].address))
      return false;
  return true;
}

static bool
add_starts (struct analysis *analysis)
{
  const struct image *image = analysis->request->image;
  uint64_t entry = seeds_program_entry (image);
  analysis->program_entry = entry;
  if (entry && returns_add (analysis->returns, entry, true) == UINT32_MAX)
    return false;
  return add_known (analysis)
         && (!analysis->request->elsewhere
             || (add_go_starts (analysis)
                 && seeds_from_initialisers (&analysis->places,
                                             add_called_elsewhere, analysis)
                 && seeds_from_symbols (image, !analysis->request->no_symbols,
                                        add_start_elsewhere, analysis)));
}

/* Whether ADDRESS starts a function if code calls it: not inside of another's
   CFI, where assembler code has subroutines that do not keep to the ABI.  */
static bool
may_be_called (const struct analysis *analysis, uint64_t address)
{
  return analysis->request->elsewhere
         && !known_at (analysis->request, address);
}

static void
promote_called (struct analysis *analysis)
{
  for (size_t i = analysis->n_followed; i < returns_count (analysis->returns);
       i++)
    {
      struct code_function *function
          = returns_function (analysis->returns, (uint32_t)i);
      if (function->is_called && may_be_called (analysis, function->entry))
        function->is_start = true;
    }
}

/* A function calls TARGET that is certain to be code.  */
static void
note_call (struct analysis *analysis, uint64_t target)
{
  uint32_t index = returns_find (analysis->returns, target);
  if (index == UINT32_MAX)
    return;
  struct code_function *function = returns_function (analysis->returns, index);
  function->is_called = true;
  if (function->is_start || !may_be_called (analysis, target))
    return;
  if (index >= analysis->n_followed || try_later (analysis, index))
    function->is_start = true;
}

/* Units.  */

/* What the sweep of returns.c has not seen, because only a jump table leads
   there: addresses that are computed.  */
static void
note_mentioned (struct analysis *analysis, const struct insn *insn,
                const struct state *state)
{
  bool constant
      = insn->op == OP_SET || (insn->op == OP_STORE && insn->from == REG_NONE);
  uint64_t address = (uint64_t)insn->immediate, place, size;
  if (state_names_place (state, insn, &place))
    places_name (&analysis->places, place);
  else if (analysis->has_hints && constant
           && places_code (&analysis->places, address, &size)
           && ARRAY_ROOM (analysis->hints, analysis->n_hints + 1,
                          &analysis->hints_capacity))
    analysis->hints[analysis->n_hints++] = address;
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
      = places_relocated (&analysis->places, (uint64_t)memory.offset);
  *address = word ? word->value : 0;
  return word != NULL;
}

/* Where the program begins, main is handed to the C library.  */
static void
note_main (struct analysis *analysis, const struct insn *insn,
           const struct state *state)
{
  uint64_t address, size;
  if (computes_address (analysis, insn, state, &address)
      && places_code (&analysis->places, address, &size)
      && add_start_elsewhere (analysis, address))
    note_call (analysis, address);
}

static void
take (void *argument, uint64_t address, const struct insn *insn,
      const struct state *state)
{
  struct analysis *analysis = argument;
  const struct code_request *request = analysis->request;
  struct frame_row row;
  if (analysis->trusted && !state_row (state, analysis->machine, &row))
    row.cfa = frame_rule_unsupported (REASON_CFA_EXPRESSION);
  if (insn->size > 0)
    claims_add (analysis->claims, address, insn->size,
                analysis->trusted ? &row : NULL);
  if (analysis->trusted)
    note_mentioned (analysis, insn, state);
  if (analysis->entry == analysis->program_entry && request->elsewhere)
    note_main (analysis, insn, state);
  if (insn->flow == FLOW_CALL)
    note_call (analysis, insn->target);
  if (analysis->trusted && request->see)
    request->see (request->argument, analysis->entry, analysis->certain,
                  address, insn, state);
}

/* The end of the code that starts at ENTRY: that of its CFI, or the image's,
   so that jump tables without a bound end there.  */
static uint64_t
end_of (const struct analysis *analysis, uint64_t entry)
{
  uint64_t size = 0;
  const struct frame_function *known = known_at (analysis->request, entry);
  if (known)
    return known->address + known->size;
  places_code (&analysis->places, entry, &size);
  return entry + size;
}

static void
visit (struct analysis *analysis, const struct code_function *function,
       bool trusted)
{
  uint64_t entry = function->entry;
  analysis->entry = entry;
  analysis->trusted = trusted;
  analysis->certain = (function->is_called || unit_is_proven (analysis->unit)
                       || unit_leaves (analysis->unit))
                      && !unit_is_odd (analysis->unit);
  if (trusted)
    claims_add_start (analysis->claims, entry);
  unit_visit (analysis->unit, take, analysis);
  claims_end_unit (analysis->claims);
}

static enum unit_doubts
doubts_of (const struct analysis *analysis, uint64_t entry)
{
  return known_at (analysis->request, entry) ? DOUBTS_NONE
         : analysis->last                    ? DOUBTS_END
                                             : DOUBTS_FAIL;
}

/* Follow the unit at ENTRY until all functions it calls are known.  */
static bool
follow_unit (struct analysis *analysis, uint64_t entry,
             enum unit_failure *failure, uint64_t *failed_at,
             struct error *err)
{
  for (int i = 0; i < UNIT_ROUNDS_MAX; i++)
    {
      *failure = unit_follow (analysis->unit, entry, end_of (analysis, entry),
                              doubts_of (analysis, entry), failed_at);
      if (!unit_met_unknown (analysis->unit))
        break;
      if (!returns_run (analysis->returns, err))
        return false;
      *failure = UNIT_TOO_MUCH; /* should this have been the last round */
    }
  return true;
}

/* Whether FUNCTION, followed last and sound, begins with the frame of a call:
   its CFI says so, somebody calls it, or it leaves as functions do.  Code that
   never leaves is entered in other ways, too: by the kernel, when a signal's
   handler returns; by code that put something onto the stack.  What a pointer
   leads to has to return: labels of threaded code leave by jumps, and have the
   frame of the function that they are in.  */
static bool
is_function (const struct analysis *analysis,
             const struct code_function *function)
{
  return function->is_called || unit_is_proven (analysis->unit)
         || ((!function->is_pointer || function->is_told)
             && (unit_leaves (analysis->unit)
                 || known_at (analysis->request, function->entry)));
}

/* The unit followed last fails for good.  The functions that it gets to with
   another frame than that of a call make no claims.  */
static void
disqualify_others (struct analysis *analysis)
{
  size_t n;
  const uint32_t *others = unit_left_for (analysis->unit, &n);
  for (size_t i = 0; i < n; i++)
    returns_function (analysis->returns, others[i])->no_claims = true;
}

/* Remember a function with calls that nobody has seen come back.  */
static bool
try_last (struct analysis *analysis, uint32_t index)
{
  if (!ARRAY_ROOM (analysis->doubtful, analysis->n_doubtful + 1,
                   &analysis->doubtful_capacity))
    return false;
  analysis->doubtful[analysis->n_doubtful++] = index;
  return true;
}

static bool
follow (struct analysis *analysis, uint32_t index, bool again,
        struct error *err)
{
  const struct code_request *request = analysis->request;
  struct code_function function = *returns_function (analysis->returns, index);
  enum unit_failure failure;
  uint64_t failed_at;
  bool uncertain = function.is_pointer && !function.is_called;
  if (!function.is_start && !(again && uncertain))
    return true;
  if (!follow_unit (analysis, function.entry, &failure, &failed_at, err))
    return false;
  if (failure == UNIT_SOUND && !is_function (analysis, &function))
    failure = UNIT_UNPROVEN;
  if (uncertain)
    returns_function (analysis->returns, index)->is_start
        = failure == UNIT_SOUND;
  if (failure == UNIT_DOUBTFUL)
    return try_last (analysis, index) || error_set_no_memory (err);
  if (failure != UNIT_SOUND && !again)
    return try_later (analysis, index) || error_set_no_memory (err);
  if (failure != UNIT_SOUND)
    disqualify_others (analysis);
  if (failure != UNIT_SOUND && request->distrust)
    request->distrust (request->argument, function.entry, failure, failed_at);
  analysis->summary->functions++;
  analysis->summary->failures[failure]++;
  /* A pointer that does not lead to a function says nothing of the code.  */
  if (failure != UNIT_SOUND && uncertain)
    return true;
  visit (analysis, &function,
         failure == UNIT_SOUND
             && !returns_function (analysis->returns, index)->no_claims
             && function.entry != analysis->program_entry);
  return true;
}

/* Functions that turned out to be entered with another frame after they were
   followed: what was said of them is disputed.  */
static void
withdraw (struct analysis *analysis)
{
  for (size_t i = 0; i < analysis->n_followed; i++)
    {
      const struct code_function *function
          = returns_function (analysis->returns, (uint32_t)i);
      uint64_t failed_at, entry = function->entry;
      if (!function->is_start || !function->no_claims)
        continue;
      unit_follow (analysis->unit, entry, end_of (analysis, entry),
                   DOUBTS_NONE, &failed_at);
      visit (analysis, function, false);
    }
}

/* Functions that could not be followed are tried again: meanwhile others have
   named addresses where jump tables end.  */
static bool
follow_later (struct analysis *analysis, struct error *err)
{
  places_sort_named (&analysis->places);
  for (size_t i = 0; i < analysis->n_later; i++) /* which may grow */
    if (!follow (analysis, analysis->later[i], true, err))
      return false;
  analysis->n_later = 0;
  return true;
}

/* Follow what is known to start; what it calls may be new.  */
static bool
follow_all (struct analysis *analysis, struct error *err)
{
  do
    {
      if (!returns_run (analysis->returns, err))
        return false;
      promote_called (analysis);
      size_t n = returns_count (analysis->returns);
      while (analysis->n_followed < n)
        if (!follow (analysis, (uint32_t)analysis->n_followed++, false, err))
          return false;
      if (!follow_later (analysis, err))
        return false;
    }
  while (analysis->n_followed < returns_count (analysis->returns));
  withdraw (analysis);
  return claims_settle (analysis->claims, err);
}

/* Make functions of what pointers lead to; if there is nothing new, of what
   may be pointers.  */
static bool
add_pointers (struct analysis *analysis)
{
  size_t before = returns_count (analysis->returns);
  places_sort_named (&analysis->places);
  bool ok = seeds_from_pointers (&analysis->places, add_pointer, analysis);
  if (!ok || !analysis->has_hints
      || returns_count (analysis->returns) > before)
    return ok;
  for (size_t i = 0; i < analysis->n_hints; i++)
    if (!add_pointer (analysis, analysis->hints[i]))
      return false;
  analysis->n_hints = 0;
  return seeds_from_words (&analysis->places, add_pointer, analysis);
}

/* Functions that are found by a pointer hold pointers to others.  */
static bool
follow_pointers (struct analysis *analysis, struct error *err)
{
  for (int i = 0; i < POINTER_ROUNDS_MAX && analysis->request->elsewhere; i++)
    {
      size_t before = returns_count (analysis->returns);
      if (!add_pointers (analysis))
        return error_set_no_memory (err);
      if (before == returns_count (analysis->returns))
        break;
      if (!follow_all (analysis, err))
        return false;
    }
  return true;
}

/* Those that go on where another ends may be parts of it: they come last.  */
static bool
follow_told (struct analysis *analysis, struct error *err)
{
  const struct code_range *told = analysis->request->told;
  for (int last = 0; last < 2 && analysis->request->n_told > 0; last++)
    {
      for (size_t i = 0; i < analysis->request->n_told; i++)
        if ((i > 0 && told[i - 1].end == told[i].start) == last
            && !add_told (analysis, told[i].start))
          return error_set_no_memory (err);
      if (!follow_all (analysis, err))
        return false;
    }
  return true;
}

/* Now everybody was asked who comes back.  */
static bool
follow_doubtful (struct analysis *analysis, struct error *err)
{
  analysis->last = true;
  for (size_t i = 0; i < analysis->n_doubtful; i++)
    if (!follow (analysis, analysis->doubtful[i], true, err))
      return false;
  return analysis->n_doubtful == 0 || follow_all (analysis, err);
}

static bool
prepare (struct analysis *analysis, struct error *err)
{
  const struct code_request *request = analysis->request;
  analysis->machine = code_machine_of (request->image->arch);
  if (!analysis->machine)
    return error_set (err, CFI2SFRAME_UNSUPPORTED,
                      "this build cannot analyse code of this machine");
  analysis->has_hints
      = request->elsewhere && request->image->header.e_type == ET_EXEC;
  analysis->decoder = insn_decoder_new (request->image->arch);
  if (!places_read (&analysis->places, request->image, err))
    return false;
  const struct code_machine *go_machine
      = request->elsewhere ? code_machine_of_go (request->image->arch) : NULL;
  if (go_machine && !go_table_read (&analysis->go, &analysis->places))
    return error_set_no_memory (err);
  if (analysis->decoder)
    analysis->returns = returns_new (&analysis->places, analysis->decoder);
  analysis->context = (struct unit_context){
    .machine = analysis->machine,
    .decoder = analysis->decoder,
    .places = &analysis->places,
    .returns = analysis->returns,
    .go = go_machine ? &analysis->go : NULL,
    .go_machine = go_machine,
    .pads = request->pads,
    .n_pads = request->n_pads,
  };
  analysis->unit = unit_new (&analysis->context);
  if (!analysis->returns || !analysis->unit || !add_starts (analysis))
    return error_set_no_memory (err);
  analysis->context.borders = analysis->borders;
  analysis->context.n_borders = request->n_known;
  analysis->context.parts = analysis->parts;
  analysis->context.n_parts = analysis->n_parts;
  analysis->context.ends_unknown = request->elsewhere;
  return true;
}

static void
clean_up (struct analysis *analysis)
{
  unit_free (analysis->unit);
  returns_free (analysis->returns);
  insn_decoder_free (analysis->decoder);
  places_free (&analysis->places);
  go_table_free (&analysis->go);
  free (analysis->borders);
  free (analysis->parts);
  free (analysis->later);
  free (analysis->doubtful);
  free (analysis->hints);
}

bool
code_analyse (const struct code_request *request, struct claims *claims,
              struct code_summary *summary, struct error *err)
{
  struct analysis analysis
      = { .request = request, .claims = claims, .summary = summary };
  *summary = (struct code_summary){ 0 };
  bool ok = claims_init (claims, err) && prepare (&analysis, err)
            && follow_all (&analysis, err) && follow_pointers (&analysis, err)
            && follow_told (&analysis, err) && follow_doubtful (&analysis, err)
            && follow_pointers (&analysis, err);
  if (ok && unit_gave_up (analysis.unit))
    claims_clear (claims);
  clean_up (&analysis);
  return ok;
}
