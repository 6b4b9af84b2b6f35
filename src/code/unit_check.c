/* Whether what was followed is a function that keeps to the ABI.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "code/unit_check.h"

#include "base/array.h"
#include "code/state_apply.h"
#include "code/state_row.h"
#include "code/unit_flow.h"

bool
unit_is_after_call (const struct unit *unit, uint64_t address)
{
  uint32_t number = address_map_get (&unit->numbers, address);
  while (number != UNIT_NONE && unit->nodes[number].insn.is_nop)
    number = unit->nodes[number].predecessor;
  return number != UNIT_NONE
         && (unit->nodes[number].insn.flow == FLOW_CALL
             || unit->nodes[number].insn.flow == FLOW_CALL_INDIRECT);
}

bool
unit_agrees_with_go (const struct unit *unit, uint64_t address,
                     const struct state *state)
{
  const struct arch *arch = unit->machine->arch;
  int32_t depth = go_table_depth (unit->context->go, address);
  return depth != GO_DEPTH_UNKNOWN
         && value_equal (
             state->registers[arch->sp],
             value_of (VALUE_CFA, (int64_t)arch->fixed_ra_offset - depth));
}

/* The unit leaves as functions do at ADDRESS.  */
static void
note_end (struct unit *unit, uint64_t address)
{
  uint32_t number = address_map_get (&unit->numbers, address);
  if (number != UNIT_NONE)
    unit->nodes[number].goes_back = true;
}

/* Whether a function starts at the unit's entry beyond doubt.  */
static bool
begins_certainly (const struct unit *unit)
{
  const struct code_function *function
      = functions_at (unit->context->functions, unit->entry);
  return function && (function->is_called || function->is_known);
}

/* Whether INSN uses what belongs to the caller.  A function that has saved a
   register may: that is a variable without a value.  */
static bool
uses_saved (struct unit *unit, const struct insn *insn,
            const struct state *state)
{
  for (uint32_t left = insn->reads; left; left &= left - 1)
    {
      struct value value = state->registers[(unsigned)__builtin_ctz (left)];
      if (value.kind != VALUE_SAVED
          || !(unit->machine->preserved >> value.number & 1))
        continue;
      if (!state_keeps (state, unit->machine, value)
          || !begins_certainly (unit))
        return true;
      unit->is_odd = true;
    }
  return false;
}

/* The unit leaves for another function, in front of whose start STATE
   holds.  */
static void
check_leaving (struct unit *unit, uint64_t target, uint64_t from,
               enum unit_failure failure, const struct state *state)
{
  uint32_t index = functions_find (unit->context->functions, target);
  const struct code_function *function
      = functions_at (unit->context->functions, target);
  bool by_jump = failure == UNIT_TAIL_CALL;
  /* Code that goes on where a pointer leads: that was a label.  */
  bool is_label = !by_jump && function && function->is_pointer;
  if (state_is_restored (state, unit->machine) && !is_label)
    {
      unit->is_proven |= function && !function->is_pointer;
      note_end (unit, from);
      return;
    }
  unit_fail (unit, failure, from);
  if (!function || !(by_jump || is_label))
    return;
  if (ARRAY_ROOM (unit->left_for, unit->n_left_for + 1,
                  &unit->left_for_capacity))
    unit->left_for[unit->n_left_for++] = index;
  else
    unit->steps_left = 0; /* nobody may rely on what was found */
}

/* Whether INSN, a return, goes to the caller.  */
static bool
returns_rightly (struct unit *unit, const struct insn *insn, uint64_t address,
                 const struct state *state)
{
  const struct code_machine *machine = unit->machine;
  if (insn->op == OP_NONE)
    return insn->immediate == 0
           && (insn->from == REG_NONE || insn->from == machine->arch->ra)
           && state_is_restored (state, machine);
  struct state after;
  state_copy (&after, state);
  state_apply (&after, machine, insn, address, &unit->tables);
  return state_is_restored (&after, machine);
}

/* Whether INSN goes on with an exception although no path landed in the
   unit.  Such a path ended where a call does not return or where the compiler
   knew that nobody gets to, and ran into something else.  */
static bool
is_beyond_the_end (const struct unit *unit, const struct insn *insn)
{
  bool calls = insn->flow == FLOW_CALL || insn->flow == FLOW_CALL_INDIRECT;
  if (!calls || unit->landed)
    return false;
  uint64_t place = unit_called_place (unit->context, insn);
  const struct relocated *word
      = place ? places_relocated (unit->context->places, place) : NULL;
  return word && word->lands;
}

/* Whether INSN ends the handling of a signal: such code is where a handler
   returns to, with what the kernel saved on the stack, and no function.  */
static bool
returns_from_signal (const struct code_machine *machine,
                     const struct insn *insn, const struct state *state)
{
  return insn->calls_kernel
         && value_equal (state->registers[machine->kernel_call],
                         value_of (VALUE_CONSTANT, machine->rt_sigreturn));
}

/* Whether the path from NUMBER, whose instruction ends at NEXT, gets to the
   end of a part of the function where the compiler knew that nobody would.
   That is told from a call that does not return, in front of what is another
   path.  */
static bool
ends_part (const struct unit *unit, uint64_t address, uint64_t next)
{
  const struct code_range *part
      = known_code_part (unit->context->known, address);
  uint32_t number = address_map_get (&unit->numbers, address);
  if (!part || part->end != next || unit_is_start (unit, next))
    return false;
  while (number != UNIT_NONE && unit->nodes[number].label == UNIT_NONE)
    {
      number = unit->nodes[number].predecessor;
      if (number != UNIT_NONE
          && (unit->nodes[number].insn.flow == FLOW_CALL
              || unit->nodes[number].insn.flow == FLOW_CALL_INDIRECT))
        return false;
    }
  return number != UNIT_NONE;
}

static bool
jump_by_tables (struct unit *unit, uint64_t address, const struct insn *insn,
                const struct state *state)
{
  unit->noting = address_map_get (&unit->numbers, address);
  bool resolved = unit_jump_by_tables (unit, insn, address, state);
  unit->noting = UNIT_NONE;
  return resolved;
}

/* INSN is a copy: nodes move when they grow.  Where tables had less entries
   when the jump was followed, there is more to follow now.  */
static void
check_jump (struct unit *unit, uint64_t address, struct insn insn,
            const struct state *state)
{
  const struct code_machine *machine = unit->machine;
  if (jump_by_tables (unit, address, &insn, state))
    return;
  if (state_is_restored (state, machine))
    {
      unit->leaves = true;
      note_end (unit, address);
    }
  else if (!state_has_left (state, machine))
    unit_fail (unit, UNIT_UNRESOLVED, address);
}

/* INSN is the last one in front of another function.  */
static void
check_end (struct unit *unit, uint64_t address, const struct insn *insn,
           const struct state *state)
{
  bool calls = insn->flow == FLOW_CALL || insn->flow == FLOW_CALL_INDIRECT;
  bool goes_on = insn->flow == FLOW_NEXT || insn->flow == FLOW_BRANCH
                 || (calls && unit_call_returns (unit, insn, address, state));
  uint64_t next = address + insn->size;
  if (!goes_on || unit_is_after_call (unit, address)
      || ends_part (unit, address, next))
    return;
  struct state after;
  state_copy (&after, state);
  state_apply (&after, unit->machine, insn, address, &unit->tables);
  check_leaving (unit, next, address, UNIT_RUNS_INTO, &after);
}

void
unit_check (void *argument, uint64_t address, const struct insn *insn,
            const struct state *state)
{
  struct unit *unit = argument;
  const struct code_machine *machine = unit->machine;
  bool is_last = unit->nodes[unit->visited].is_last;
  if (insn->size == 0)
    return unit_fail (unit, UNIT_DECODE, address);
  if (unit->is_go && !unit_agrees_with_go (unit, address, state))
    return unit_fail (unit, UNIT_GO_DIFFERS, address);
  if (uses_saved (unit, insn, state))
    return unit_fail (unit, UNIT_SAVED_USED, address);
  if (is_beyond_the_end (unit, insn))
    return unit_fail (unit, UNIT_UNWINDS, address);
  if (returns_from_signal (machine, insn, state))
    return unit_fail (unit, UNIT_SIGNAL, address);
  if ((insn->flow == FLOW_JUMP || insn->flow == FLOW_BRANCH)
      && unit_is_start (unit, insn->target)
      && (state_is_restored (state, machine)
          || !unit_is_never_taken (unit, insn)))
    check_leaving (unit, insn->target, address, UNIT_TAIL_CALL, state);
  if (insn->flow == FLOW_RETURN)
    {
      unit->is_proven = true;
      note_end (unit, address);
      if (!returns_rightly (unit, insn, address, state))
        unit_fail (unit, UNIT_RETURN, address);
    }
  if (insn->flow == FLOW_JUMP_INDIRECT)
    check_jump (unit, address, *insn, state);
  if (is_last)
    check_end (unit, address, insn, state);
}
