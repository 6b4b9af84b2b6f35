/* Whether what was followed is a function that keeps to the ABI.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/routine_check.h"

#include "base/array.h"
#include "analysis/state_apply.h"
#include "analysis/state_row.h"
#include "analysis/routine_flow.h"

bool
routine_is_after_call (const struct routine *routine, uint64_t address)
{
  uint32_t number = address_map_get (&routine->numbers, address);
  while (number != NODE_NONE && routine->nodes[number].insn.is_nop)
    number = routine->nodes[number].predecessor;
  return number != NODE_NONE
         && (routine->nodes[number].insn.flow == FLOW_CALL
             || routine->nodes[number].insn.flow == FLOW_CALL_INDIRECT);
}

bool
routine_agrees_with_go (const struct routine *routine, uint64_t address,
                        const struct state *state)
{
  const struct arch *arch = routine->machine->arch;
  int32_t depth = go_table_depth (routine->context->go, address);
  return depth != GO_DEPTH_UNKNOWN
         && value_equal (
             state->registers[arch->sp],
             value_of (VALUE_CFA, (int64_t)arch->fixed_ra_offset - depth));
}

/* The routine leaves as functions do at the node that is visited.  */
static void
note_end (struct routine *routine)
{
  routine->nodes[routine->visited].goes_back = true;
  routine->result.is_unframed = routine->result.has_end = true;
}

/* Whether what the routine does with STATE shows that it began with the frame
   of a call.  Behind a system call of an unknown number it does not, if
   nothing but a pointer leads to the entry, or (RUNS_ON) the routine only runs
   into what follows: it may be where a handler of a signal returns to, and the
   code behind that call another function.  */
static bool
shows_entry (const struct routine *routine, const struct state *state,
             bool runs_on)
{
  return !state->has_asked || !(runs_on || routine_is_on_trial (routine));
}

/* The routine makes a call with STATE.  */
static void
note_frame (struct routine *routine, const struct state *state)
{
  const struct code_machine *machine = routine->machine;
  struct value sp = state->registers[machine->arch->sp];
  if (machine->call_aligned == 0 || sp.kind != VALUE_CFA
      || sp.number % machine->call_aligned != 0)
    routine->result.is_unframed = true;
  else
    routine->result.is_framed |= state_saves_registers (state, machine)
                                 && shows_entry (routine, state, false);
}

/* Whether a function starts at the routine's entry beyond doubt.  */
static bool
begins_certainly (const struct routine *routine)
{
  const struct code_function *function
      = functions_at (routine->context->functions, routine->entry);
  return function && (function->is_called || function->is_known);
}

/* A function that has saved a register may use the register: a variable
   without a value is in it.  */
bool
routine_uses_saved (struct routine *routine, const struct insn *insn,
                    const struct state *state)
{
  for (uint32_t left = insn->reads; left; left &= left - 1)
    {
      struct value value = state->registers[(unsigned)__builtin_ctz (left)];
      if (value.kind != VALUE_SAVED
          || !(routine->machine->preserved >> value.number & 1))
        continue;
      if (!state_keeps (state, routine->machine, value)
          || !begins_certainly (routine))
        return true;
      routine->result.is_odd = true;
    }
  return false;
}

/* Whether FUNCTION, which is left for, is entered as functions are.  A symbol
   alone does not show that: labels of threaded code have them, too.  */
static bool
is_entered_certainly (const struct code_function *function)
{
  return !function->is_pointer
         && (function->is_called || function->is_known || function->is_proven);
}

/* The routine leaves for another function, in front of whose start STATE
   holds.  */
static void
check_leaving (struct routine *routine, uint64_t target, uint64_t from,
               enum routine_failure failure, const struct state *state)
{
  uint32_t index = functions_find (routine->context->functions, target);
  const struct code_function *function
      = functions_at (routine->context->functions, target);
  bool by_jump = failure == ROUTINE_TAIL_CALL;
  /* Code that goes on where a pointer leads: that was a label.  */
  bool is_label = !by_jump && function && function->is_pointer;
  if (state_is_restored (state, routine->machine) && !is_label)
    {
      routine->result.is_proven
          |= function && is_entered_certainly (function)
             && shows_entry (routine, state, failure == ROUTINE_RUNS_INTO);
      note_end (routine);
      return;
    }
  routine_fail (routine, failure, from);
  if (!function || !(by_jump || is_label))
    return;
  if (ARRAY_ROOM (routine->result.left_for, routine->result.n_left_for + 1,
                  &routine->left_for_capacity))
    routine->result.left_for[routine->result.n_left_for++] = index;
  else
    routine->steps_left = 0; /* what was found must not be used */
}

/* Whether INSN goes on with an exception although no path landed in the
   routine.  Such a path ended where a call does not return or at a
   place that no path gets to, as the compiler knew, and ran into other
   code.  */
static bool
is_beyond_the_end (const struct routine *routine, const struct insn *insn)
{
  bool calls = insn->flow == FLOW_CALL || insn->flow == FLOW_CALL_INDIRECT;
  if (!calls || routine->landed)
    return false;
  uint64_t place = routine_called_place (routine->context, insn);
  const struct relocated *word
      = place ? facts_relocated (routine->context->facts, place) : NULL;
  return word && word->lands;
}

/* Whether INSN ends the handling of a signal: such code is where a handler
   returns to, with what the kernel saved on the stack, and no function.  */
static bool
returns_from_signal (const struct code_machine *machine,
                     const struct insn *insn, const struct state *state)
{
  int64_t number;
  return insn->calls_kernel && state_kernel_call (state, machine, &number)
         && number == machine->rt_sigreturn;
}

/* The call that the path to the node that is visited comes from, without
   another path in between, or NULL.  Each path begins at a label.  */
static const struct routine_node *
last_call (const struct routine *routine)
{
  const struct routine_node *node = &routine->nodes[routine->visited];
  while (node->label == NODE_NONE)
    {
      node = &routine->nodes[node->predecessor];
      if (node->insn.flow == FLOW_CALL
          || node->insn.flow == FLOW_CALL_INDIRECT)
        return node;
    }
  return NULL;
}

/* Whether the path to ADDRESS, whose instruction ends at NEXT, gets to the
   end of a part of the function that no path gets to, as the compiler knew.
   Such an end is told from a call that does not return, in front of what is
   another path.  */
static bool
ends_part (const struct routine *routine, uint64_t address, uint64_t next)
{
  const struct code_range *part
      = known_code_part (routine->context->known, address);
  return part && part->end == next && !routine_is_start (routine, next)
         && !last_call (routine);
}

/* The path ends with STATE in front of another function.  Where CFI says that
   the routine ends there, the call that the path comes from does not return:
   the compiler knew that, and may have moved instructions behind it (GCC, with
   PostgreSQL's errfinish).  The routine is followed again without them.  */
static void
doubt_last_call (struct routine *routine, const struct state *state)
{
  const struct routine_node *call = last_call (routine);
  if (call && !routine->context->ends_unknown
      && !state_is_restored (state, routine->machine)
      && !address_map_set (&routine->doubtful, call->address, 0))
    routine_fail (routine, ROUTINE_TOO_MUCH, routine->entry);
}

static bool
jump_by_tables (struct routine *routine, uint64_t address,
                const struct insn *insn, const struct state *state)
{
  routine->noting = routine->visited;
  bool resolved = routine_jump_by_tables (routine, insn, address, state);
  routine->noting = NODE_NONE;
  return resolved;
}

/* Whether INSN, an indirect jump, goes where a word of an array points.
   Such a jump may be a tail call, or lead from one handler of an
   interpreter to the next, with the frame of the function that they are
   parts of.  */
static bool
goes_by_index (const struct routine *routine, const struct insn *insn,
               const struct state *state)
{
  if (insn->from == REG_NONE)
    return insn->index != REG_NONE;
  /* A value that no instruction made leads to no node.  */
  uint32_t number = address_map_get (
      &routine->numbers, value_address (state->registers[insn->from]));
  return number != NODE_NONE && routine->nodes[number].insn.op == OP_LOAD
         && routine->nodes[number].insn.index != REG_NONE;
}

/* Whether the routine may have gone where a jump table, which was read too
   far, does not lead.  Code that moves its caller's stack has no switch; where
   functions without CFI are followed, that is not relied on.  */
static bool
may_read_too_far (const struct routine *routine)
{
  return routine->tables.n > 0 && !routine->context->ends_unknown;
}

/* Whether INSN goes back to the caller with another stack pointer than
   functions do: a subroutine that saves registers for its caller, and the
   like.  */
static bool
moves_stack (const struct routine *routine, const struct insn *insn,
             const struct state *state)
{
  const struct arch *arch = routine->machine->arch;
  struct value ra = value_of (VALUE_SAVED, arch->ra);
  const struct value *sp = &state->registers[arch->sp];
  bool by_stack = insn->flow == FLOW_RETURN && !arch_tracks_ra (arch);
  unsigned from = insn->from == REG_NONE ? arch->ra : insn->from;
  int64_t entry = by_stack ? arch->fixed_ra_offset : 0;
  if (by_stack && !value_equal (state_load (state, *sp), ra))
    return false;
  if (!by_stack && !value_equal (state->registers[from], ra))
    return false;
  return !value_equal (*sp, value_of (VALUE_CFA, entry))
         || insn->immediate != 0;
}

/* Whether INSN calls such a subroutine.  */
static bool
calls_stack_mover (const struct routine *routine, const struct insn *insn)
{
  const struct routine_context *context = routine->context;
  bool calls = insn->flow == FLOW_CALL || insn->flow == FLOW_CALL_INDIRECT;
  if (!calls || !functions_disturbances (context->functions))
    return false;
  const struct code_function *callee = routine_callee (context, insn);
  return callee && callee->moves_stack;
}

/* Whether INSN has the stack pointer of the frame back from elsewhere, where
   only trust in a callee says that it is another.  */
static bool
resets_sp (struct routine *routine, uint64_t address, const struct insn *insn,
           const struct state *state)
{
  const struct code_machine *machine = routine->machine;
  struct state after;
  if (!state->trusts_sp || !insn_resets (insn, machine->arch->sp))
    return false;
  state_copy (&after, state);
  state_apply (&after, machine, insn, address, &routine->tables);
  return value_is_stack (after.registers[machine->arch->sp]);
}

/* Whether SP is in STATE what it is at the entry.  */
static bool
is_at_entry (const struct routine *routine, const struct state *state)
{
  const struct arch *arch = routine->machine->arch;
  return value_equal (state->registers[arch->sp],
                      value_of (VALUE_CFA, arch->fixed_ra_offset));
}

/* A mask of the registers of the ABI that may have other values in STATE, with
   which the routine leaves, than at the entry.  The return address is in
   register RA, or on the stack.  What was pushed has been popped again: where
   SP is another, the path may be none.  A value from the caller's own frame is
   the one that the caller's caller has there, and as new to the caller as any
   other.  */
static uint32_t
changed_registers (const struct routine *routine, const struct state *state,
                   unsigned ra)
{
  const struct arch *arch = routine->machine->arch;
  struct value entry = value_of (VALUE_CFA, arch->fixed_ra_offset);
  struct value back = arch_tracks_ra (arch) ? state->registers[ra]
                                            : state_load (state, entry);
  uint32_t changed = 0;
  if (!is_at_entry (routine, state)
      || !value_equal (back, value_of (VALUE_SAVED, arch->ra)))
    return 0;
  for (uint32_t left = routine->machine->preserved; left; left &= left - 1)
    {
      unsigned reg = (unsigned)__builtin_ctz (left);
      if (!value_equal (state->registers[reg], value_of (VALUE_SAVED, reg)))
        changed |= UINT32_C (1) << reg;
    }
  return changed;
}

/* The routine goes on in NEXT (NULL: in what is not known), which returns to
   the caller: with what NEXT changes, and with the stack pointer where NEXT
   leaves it.  */
static void
take_over (struct routine *routine, const struct code_function *next,
           const struct state *state)
{
  routine->result.changes
      |= changed_registers (routine, state, routine->machine->arch->ra);
  if (!next)
    return;
  routine->result.changes |= next->changes;
  if (next->moves_stack && is_at_entry (routine, state))
    routine_observe (routine, OBSERVED_MOVES_STACK, routine->entry);
}

/* INSN returns, with STATE behind what it does beside that.  */
static void
check_return (struct routine *routine, const struct insn *insn,
              uint64_t address, const struct state *state)
{
  const unsigned ra = routine->machine->arch->ra;
  unsigned from = insn->from == REG_NONE ? ra : insn->from;
  routine->result.is_proven |= shows_entry (routine, state, false);
  note_end (routine);
  routine->result.changes |= changed_registers (routine, state, from);
  if ((insn->immediate != 0 && insn->op == OP_NONE) || from != ra
      || !state_is_restored (state, routine->machine))
    {
      routine->lacks_value
          = value_is_anonymous (state->registers[routine->machine->arch->sp]);
      routine_fail (routine, ROUTINE_RETURN, address);
    }
}

/* INSN jumps to where another function starts.  */
static void
check_jump_to_start (struct routine *routine, const struct insn *insn,
                     uint64_t address, const struct state *state)
{
  if (state_is_restored (state, routine->machine)
      || !routine_is_never_taken (routine, insn))
    {
      take_over (routine, routine_callee (routine->context, insn), state);
      check_leaving (routine, insn->target, address, ROUTINE_TAIL_CALL, state);
    }
  else
    routine_observe (routine, OBSERVED_PASSED_OVER, insn->target);
}

/* Whether INSN, an indirect jump, goes to a function of another image.  */
static bool
goes_to_import (const struct routine *routine, const struct insn *insn)
{
  const struct relocated *word = facts_relocated (
      routine->context->facts, routine_called_place (routine->context, insn));
  return word && word->is_got;
}

/* INSN is a copy: nodes move when they grow.  Where tables had less entries
   when the jump was followed, there is more to follow now.  */
static void
check_jump (struct routine *routine, uint64_t address, struct insn insn,
            const struct state *state)
{
  const struct code_machine *machine = routine->machine;
  if (jump_by_tables (routine, address, &insn, state))
    return;
  take_over (routine, routine_callee (routine->context, &insn), state);
  if (state_is_restored (state, machine)
      && !goes_by_index (routine, &insn, state))
    {
      routine->result.leaves = true;
      routine->result.is_proven |= goes_to_import (routine, &insn)
                                   && shows_entry (routine, state, false);
      note_end (routine);
    }
  else if (state_is_restored (state, machine))
    note_end (routine);
  else if (!state_has_left (state, machine))
    {
      routine->lacks_value = true;
      routine_fail (routine, ROUTINE_UNRESOLVED, address);
    }
}

/* INSN is the last one in front of another function.  If it is a call, or
   padding behind one, that call does not return.  */
static void
check_end (struct routine *routine, uint64_t address, const struct insn *insn,
           const struct state *state)
{
  bool goes_on = insn->flow == FLOW_NEXT || insn->flow == FLOW_BRANCH;
  uint64_t next = address + insn->size;
  if (!goes_on || routine_is_after_call (routine, address)
      || ends_part (routine, address, next))
    return;
  struct state after;
  state_copy (&after, state);
  state_apply (&after, routine->machine, insn, address, &routine->tables);
  doubt_last_call (routine, &after);
  take_over (routine, functions_at (routine->context->functions, next),
             &after);
  check_leaving (routine, next, address, ROUTINE_RUNS_INTO, &after);
}

void
routine_check (void *argument, uint64_t address, const struct insn *insn,
               const struct state *state)
{
  struct routine *routine = argument;
  const struct code_machine *machine = routine->machine;
  bool is_last = routine->nodes[routine->visited].is_last;
  if (insn->size == 0)
    return routine_fail (routine, ROUTINE_DECODE, address);
  if (routine->is_go && !routine_agrees_with_go (routine, address, state))
    return routine_fail (routine, ROUTINE_GO_DIFFERS, address);
  if (routine_uses_saved (routine, insn, state))
    return routine_fail (routine, ROUTINE_SAVED_USED, address);
  if (is_beyond_the_end (routine, insn))
    return routine_fail (routine, ROUTINE_UNWINDS, address);
  if (returns_from_signal (machine, insn, state))
    return routine_fail (routine, ROUTINE_SIGNAL, address);
  if ((insn->flow == FLOW_JUMP || insn->flow == FLOW_BRANCH)
      && routine_is_start (routine, insn->target))
    check_jump_to_start (routine, insn, address, state);
  routine->result.resets_sp |= resets_sp (routine, address, insn, state);
  if (calls_stack_mover (routine, insn))
    return routine_fail (routine, ROUTINE_CALLEE, address);
  if (insn->flow == FLOW_CALL || insn->flow == FLOW_CALL_INDIRECT)
    note_frame (routine, state);
  if ((insn->flow == FLOW_RETURN || insn->flow == FLOW_JUMP_INDIRECT)
      && !may_read_too_far (routine) && moves_stack (routine, insn, state))
    routine_observe (routine, OBSERVED_MOVES_STACK, routine->entry);
  if (insn->flow == FLOW_RETURN)
    {
      struct state after;
      state_copy (&after, state);
      state_apply (&after, machine, insn, address, &routine->tables);
      check_return (routine, insn, address, &after);
    }
  if (insn->flow == FLOW_JUMP_INDIRECT)
    check_jump (routine, address, *insn, state);
  if (is_last)
    check_end (routine, address, insn, state);
}
