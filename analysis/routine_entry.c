/* Whether a routine begins with the frame of a call.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/routine_entry.h"

#include "analysis/state_row.h"

bool
routine_shows_entry (const struct routine *routine, const struct state *state,
                     bool runs_on)
{
  return !state->has_asked || !(runs_on || routine_is_on_trial (routine));
}

void
routine_note_frame (struct routine *routine, const struct state *state)
{
  const struct code_machine *machine = routine->machine;
  struct value sp = state->registers[machine->arch->sp];
  if (machine->call_aligned == 0 || sp.kind != VALUE_CFA
      || sp.number % machine->call_aligned != 0)
    routine->result.is_unframed = true;
  else
    routine->result.is_framed
        |= state_saves_registers (state)
           && routine_shows_entry (routine, state, false);
}

bool
routine_begins_certainly (const struct routine *routine)
{
  const struct code_function *function
      = functions_at (routine->context->functions, routine->entry);
  return function && (function->is_called || function->is_known);
}

/* Where functions without CFI are followed, a call proves nothing of the
   frame that the function itself relies on: code of any frame can jump to the
   thunk of an indirect jump ("retpoline"), which is called, too, and leaves by
   an address that it writes over its own return address.  */
bool
routine_leads_to_function (const struct routine_context *context,
                           const struct code_function *function)
{
  return !function->is_pointer
         && (function->is_proven
             || (!context->ends_unknown
                 && (function->is_called || function->is_known)));
}

bool
routine_is_function (const struct routine_context *context,
                     const struct routine_result *result,
                     const struct code_function *function)
{
  return function->is_called || result->is_proven
         || (result->is_framed && !result->is_unframed && !function->is_guess)
         || known_code_at (context->known, function->entry);
}
