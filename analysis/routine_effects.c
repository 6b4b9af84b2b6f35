/* What a routine does to the stack and the registers of its callers.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/routine_effects.h"

#include "analysis/routine_flow.h"
#include "analysis/state_apply.h"

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
  bool calls = insn->flow == FLOW_CALL || insn->flow == FLOW_CALL_INDIRECT;
  if (!calls || !functions_disturbances (context->functions))
    return false;
  const struct code_function *callee = routine_callee (context, insn);
  return callee && callee->moves_stack;
}

bool
routine_resets_sp (struct routine *routine, uint64_t address,
                   const struct insn *insn, const struct state *state)
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

void
routine_note_changes (struct routine *routine, const struct state *state,
                      unsigned ra)
{
  routine->result.changes |= changed_registers (routine, state, ra);
}

void
routine_inherit (struct routine *routine, const struct code_function *next,
                 const struct state *state)
{
  routine_note_changes (routine, state, routine->machine->arch->ra);
  if (!next)
    return;
  routine->result.changes |= next->changes;
  if (next->moves_stack && is_at_entry (routine, state))
    routine_observe (routine, OBSERVED_MOVES_STACK, routine->entry);
}
