/* What a routine does to the stack and the registers of its callers.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/routine_effects.h"

#include "analysis/routine_flow.h"
#include "analysis/state_apply.h"
#include "analysis/state_row.h"

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

void
routine_note_going_back (struct routine *routine, const struct insn *insn,
                         const struct state *state)
{
  if (!may_read_too_far (routine) && moves_stack (routine, insn, state))
    routine_observe (routine, OBSERVED_MOVES_STACK, routine->entry);
}

bool
routine_calls_stack_mover (const struct routine *routine,
                           const struct insn *insn)
{
  const struct routine_context *context = routine->context;
  if (!insn_is_call (insn) || !functions_disturbances (context->functions))
    return false;
  const struct code_function *callee = routine_callee (context, insn);
  return callee && callee->moves_stack;
}

bool
routine_resets_sp (struct routine *routine, const struct insn *insn,
                   const struct state *state)
{
  const struct code_machine *machine = routine->machine;
  struct state after;
  if (!state->trusts_sp || !insn_resets (insn, machine->arch->sp))
    return false;
  state_copy (&after, state);
  state_apply (&after, insn);
  return value_is_stack (after.registers[machine->arch->sp]);
}

/* What was pushed has been popped again: where SP is another, the path may be
   none.  A value from the caller's own frame is the one that the caller's
   caller has there, and as new to the caller as any other.  */
void
routine_note_changes (struct routine *routine, const struct state *state,
                      unsigned ra)
{
  if (state_is_at_entry (state) && state_has_ra (state, ra))
    routine->result.changes |= state_changed_registers (state);
}

void
routine_inherit (struct routine *routine, const struct code_function *next,
                 const struct state *state)
{
  routine_note_changes (routine, state, routine->machine->arch->ra);
  if (!next)
    return;
  routine->result.changes |= next->changes;
  if (next->moves_stack && state_is_at_entry (state))
    routine_observe (routine, OBSERVED_MOVES_STACK, routine->entry);
}
