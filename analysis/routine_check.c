/* Whether what was analysed is a function that keeps to the ABI.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Each instruction is seen once, with the state in front of it that all paths
   agree on.  Proved is what callers rely on: every path that leaves the
   routine does so with the stack pointer, the return address and the registers
   of the ABI that it came with.  There are four ways out, and each has a
   check: a return, a jump to where another function starts, a jump to an
   address, and running into the function behind.  One path that leaves
   otherwise, or does what only code of another kind does (find_violation), and
   the routine fails as a whole: then nothing says which of its paths are real.

   Assumed is that the graph has all paths (routine.c), and that calls come
   back where they are taken to (routine_returns.c).

   All rows are relative to the CFA, which is where the stack pointer of the
   entry has it if the routine was called.  Code can be entered with more on
   the stack: by the kernel, where the handler of a signal returns to, or by a
   jump from the function that it is a part of.  Proofs of a call's frame are

     a call: an instruction of a certain function calls the entry;
     the CFI, which says that a function begins_insn there;
     an end: the routine returns, or jumps to what was seen to return, and the
       return address is where a call puts it;
     its frame, if it has no end: it saves registers of its caller, and the
       stack pointer is aligned at all of its calls as the ABI demands, which
       it would not be if the entry had another frame.

   A symbol or a pointer proves nothing, because blocks have them, too.

   Callees are taken to leave SP and the registers of the ABI as they were,
   until following one shows that it does not: assembler code has subroutines
   with conventions of their own.  The register of functions (functions.h) has
   what is shown here, and has the callers analysed again.  */

#include "analysis/routine.h"

#include "base/array.h"

/* ---- The entry */

/* Whether an end of the routine, or a call, with STATE counts as a proof.
   Behind a system call of an unknown number it does not, if nothing but a
   pointer leads to the entry, or (RUNS_ON) the routine only runs into what
   follows: the call may be the one that ends a signal's handler, and the code
   behind it another function.  Where nothing but a pointer leads to the entry,
   and a table of addresses without a bound was read, no end counts: the entry
   may be a block that leads to the table, and the end that of another
   function, which a pointer behind the table leads to.  */
static bool
shows_entry (const struct routine *routine, const struct state *state,
             bool runs_on)
{
  bool on_trial = routine_is_on_trial (routine);
  return !(state->has_unknown_syscall && (runs_on || on_trial))
         && !(routine->result.reads_too_far && on_trial);
}

/* The routine makes a call with STATE: note what that shows of its frame.  */
static void
note_frame (struct routine *routine, const struct state *state)
{
  const struct code_machine *machine = routine->machine;
  struct value sp = state->registers[machine->arch->sp];
  if (machine->call_aligned == 0 || sp.kind != VALUE_CFA
      || sp.number % machine->call_aligned != 0)
    routine->result.is_unframed = true;
  else
    routine->result.is_framed |= state_saves_registers (state)
                                 && shows_entry (routine, state, false);
}

/* Whether FUNCTION, which a routine jumps to, needs the frame of a call.

   Where functions without CFI are analysed, a call proves nothing of the
   frame that the function itself relies on: code of any frame can jump to the
   thunk of an indirect jump ("retpoline"), which is called, too, and leaves by
   an address that it writes over its own return address.  */
static bool
leads_to_function (const struct routine_context *context,
                   const struct code_function *function)
{
  return !function->is_pointer
         && (function->is_proven
             || (!context->request->beyond_cfi
                 && (function->is_called || function->has_fde)));
}

/* ---- What the routine does to the stack and the registers of its callers */

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

/* INSN goes back to the caller, or to an address: note if it does so with
   another stack pointer than functions do.  */
static void
check_sp_at_return (struct routine *routine, const struct insn *insn,
                    const struct state *state)
{
  /* The routine may have gone where a jump table, which was read too far, does
     not lead.  Code that moves its caller's stack has no switch; where
     functions without CFI are analysed, that is not relied on.  */
  bool may_read_too_far
      = routine->tables.n > 0 && !routine->context->request->beyond_cfi;
  if (!may_read_too_far && moves_stack (routine, insn, state))
    routine_observe (routine, OBSERVED_MOVES_STACK, routine->entry);
}

/* Whether INSN calls a function that comes back with another stack pointer. */
static bool
calls_stack_mover (const struct routine *routine, const struct insn *insn)
{
  const struct routine_context *context = routine->context;
  if (!insn_is_call (insn) || !context->functions->any_breaks_abi)
    return false;
  const struct code_function *callee = routine_callee (context, insn);
  return callee && callee->moves_stack;
}

/* Whether INSN gets the stack pointer of the frame back from
   elsewhere, where only trust in a callee says that it is another.  */
static bool
resets_sp (struct routine *routine, const struct insn *insn,
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

/* The routine returns with STATE, and the return address in register RA, or on
   the stack: note the registers of the ABI that have changed.  What was pushed
   has been popped again: where SP is another, the path may be none.  A value
   from the caller's own frame is the one that the caller's caller has there,
   and as new to the caller as any other.  */
static void
note_changes (struct routine *routine, const struct state *state, unsigned ra)
{
  if (state_is_at_entry (state) && state_has_ra (state, ra))
    routine->result.changes |= state_changed_registers (state);
}

/* The routine goes on in NEXT (NULL: in what is not known), which returns to
   the caller: the effects of NEXT are the routine's, too.  */
static void
inherit (struct routine *routine, const struct code_function *next,
         const struct state *state)
{
  note_changes (routine, state, routine->machine->arch->ra);
  if (!next)
    return;
  routine->result.changes |= next->changes;
  if (next->moves_stack && state_is_at_entry (state))
    routine_observe (routine, OBSERVED_MOVES_STACK, routine->entry);
}

/* ---- What shows that it is not a function, or one of another kind */

bool
routine_is_after_call (const struct routine *routine, uint64_t address)
{
  uint32_t number = address_map_get (&routine->numbers, address);
  while (number != NODE_NONE && routine->nodes[number].insn.is_nop)
    number = routine->nodes[number].predecessor;
  return number != NODE_NONE && insn_is_call (&routine->nodes[number].insn);
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
note_leaving (struct routine *routine)
{
  routine->nodes[routine->visited].reaches_return = true;
  routine->result.is_unframed = routine->result.has_end = true;
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
      const struct code_function *function
          = functions_at (routine->context->functions, routine->entry);
      bool begins_certainly
          = function && (function->is_called || function->has_fde);
      if (!begins_certainly || !state_can_restore (state, value))
        return true;
      routine->result.uses_uninitialised = true;
    }
  return false;
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
  /* Code that goes on where a pointer leads: that was a block.  */
  bool is_label = !by_jump && function && function->is_pointer;
  if (state_is_restored (state) && !is_label)
    {
      routine->result.is_proven
          |= function && leads_to_function (routine->context, function)
             && shows_entry (routine, state, failure == ROUTINE_RUNS_INTO);
      note_leaving (routine);
      return;
    }
  routine_fail (routine, failure, from);
  if (!function || !(by_jump || is_label))
    return;
  if (ARRAY_ROOM (routine->result.entered_with_frame,
                  routine->result.n_entered_with_frame + 1,
                  &routine->entered_with_frame_capacity))
    routine->result.entered_with_frame[routine->result.n_entered_with_frame++]
        = index;
  else
    routine->steps_left = 0; /* what was found must not be used */
}

/* Whether INSN goes on with an exception although no path landed in the
   routine.  Such a path ended where a call does not return or at a
   place that no path gets to, as the compiler knew, and ran into other
   code.  */
static bool
resumes_without_pad (const struct routine *routine, const struct insn *insn)
{
  if (!insn_is_call (insn) || routine->landed)
    return false;
  const struct relocated *word = routine_called_word (routine->context, insn);
  return word && word->is_for_pads;
}

/* The call that the path to the node that is visited comes from, without
   another path in between, or NULL.  Each path begins_insn at a block.  */
static const struct routine_node *
last_call (const struct routine *routine)
{
  const struct routine_node *node = &routine->nodes[routine->visited];
  while (node->block == NODE_NONE)
    {
      node = &routine->nodes[node->predecessor];
      if (insn_is_call (&node->insn))
        return node;
    }
  return NULL;
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

/* INSN returns.  */
static void
check_return (struct routine *routine, const struct insn *insn,
              const struct state *before)
{
  struct state behind;
  const struct state *state = &behind;
  state_copy (&behind, before);
  state_apply (&behind, insn);
  const unsigned ra = routine->machine->arch->ra;
  unsigned from = insn->from == REG_NONE ? ra : insn->from;
  routine->result.is_proven |= shows_entry (routine, state, false);
  note_leaving (routine);
  note_changes (routine, state, from);
  if ((insn->immediate != 0 && insn->op == OP_NONE) || from != ra
      || !state_is_restored (state))
    {
      routine->lacks_value
          = value_is_anonymous (state->registers[routine->machine->arch->sp]);
      routine_fail (routine, ROUTINE_RETURN, insn->address);
    }
}

/* INSN jumps to where another function starts.  */
static void
check_jump_to_start (struct routine *routine, const struct insn *insn,
                     const struct state *state)
{
  if (state_is_restored (state) || !routine_is_never_taken (routine, insn))
    {
      inherit (routine, routine_callee (routine->context, insn), state);
      check_leaving (routine, insn->target, insn->address, ROUTINE_TAIL_CALL,
                     state);
    }
  else
    routine_observe (routine, OBSERVED_DEAD_BRANCH, insn->target);
}

/* INSN jumps to an address.  Where tables had less entries when the jump was
   analysed, there is more to follow now.  A function of another image has
   a frame and returns, as far as its name tells.  */
static void
check_jump (struct routine *routine, const struct insn *insn,
            const struct state *state)
{
  if (routine_jump_by_tables (routine, insn, state, routine->visited))
    return;
  inherit (routine, routine_callee (routine->context, insn), state);
  if (state_is_restored (state))
    {
      const struct relocated *word
          = routine_called_word (routine->context, insn);
      bool to_import = word && word->is_got && !word->exits && !word->may_exit
                       && !word->frameless;
      note_leaving (routine);
      if (goes_by_index (routine, insn, state))
        return;
      routine->result.leaves = true;
      routine->result.is_proven
          |= to_import && shows_entry (routine, state, false);
    }
  else if (!state_has_lost_frame (state))
    {
      routine->lacks_value = true;
      routine_fail (routine, ROUTINE_UNRESOLVED, insn->address);
    }
}

/* INSN is the last one in front of another function.  If it is a call, or
   padding behind one, that call does not return.  */
static void
check_end (struct routine *routine, const struct insn *insn,
           const struct state *state)
{
  const struct routine_context *context = routine->context;
  bool goes_on = insn->flow == FLOW_NEXT || insn->flow == FLOW_BRANCH;
  uint64_t next = insn->address + insn->size;
  if (!goes_on || state_exits (state, insn)
      || routine_is_after_call (routine, insn->address))
    return;
  /* The path gets to the end of a part of the function that no path gets to,
     as the compiler knew.  Such an end is told from a call that does not
     return, in front of what is another path.  */
  const struct routine_node *call = last_call (routine);
  const struct code_range *part
      = covered_code_part (context->covered_code, insn->address);
  if (!call && part && part->end == next && !routine_is_start (routine, next))
    return;
  struct state after;
  state_copy (&after, state);
  state_apply (&after, insn);
  /* Where CFI says that the routine ends here, the call that the path comes
     from does not return: the compiler knew that, and may have moved
     instructions behind it (GCC, with PostgreSQL's errfinish).  The routine is
     analysed again without them.  */
  if (call && !context->request->beyond_cfi && !state_is_restored (&after)
      && !address_map_set (&routine->doubtful, call->insn.address, 0))
    routine_fail (routine, ROUTINE_TOO_MUCH, routine->entry);
  inherit (routine, functions_at (context->functions, next), &after);
  check_leaving (routine, next, insn->address, ROUTINE_RUNS_INTO, &after);
}

/* What shows at INSN, wherever it leads, that this is not a
   function, or one of another kind; or ROUTINE_SOUND.  */
static enum routine_failure
find_violation (struct routine *routine, const struct insn *insn,
                const struct state *state)
{
  if (insn->size == 0)
    return ROUTINE_DECODE;
  if (routine->is_go
      && !routine_agrees_with_go (routine, insn->address, state))
    return ROUTINE_GO_DIFFERS;
  if (routine_uses_saved (routine, insn, state))
    return ROUTINE_SAVED_USED;
  if (resumes_without_pad (routine, insn))
    return ROUTINE_UNWINDS;
  /* Code that ends the handling of a signal is where a handler returns to,
     with what the kernel saved on the stack, and no function.  */
  int64_t number;
  if (insn->flow == FLOW_RESUME
      || (insn->is_syscall && state_syscall_number (state, &number)
          && number == routine->machine->rt_sigreturn))
    return ROUTINE_SIGNAL;
  return calls_stack_mover (routine, insn) ? ROUTINE_CALLEE : ROUTINE_SOUND;
}

/* Look at where INSN leads.  */
static void
check_flow (struct routine *routine, const struct insn *insn,
            const struct state *state)
{
  switch (insn->flow)
    {
    case FLOW_JUMP:
    case FLOW_BRANCH:
      if (routine_is_start (routine, insn->target))
        check_jump_to_start (routine, insn, state);
      break;
    case FLOW_CALL:
    case FLOW_CALL_INDIRECT:
      note_frame (routine, state);
      break;
    case FLOW_RETURN:
      check_sp_at_return (routine, insn, state);
      check_return (routine, insn, state);
      break;
    case FLOW_JUMP_INDIRECT:
      check_sp_at_return (routine, insn, state);
      check_jump (routine, insn, state);
      break;
    default:
      break;
    }
}

void
routine_check (void *argument, const struct insn *insn,
               const struct state *state)
{
  struct routine *routine = argument;
  bool is_last = routine->nodes[routine->visited].is_last;
  enum routine_failure failure = find_violation (routine, insn, state);
  if (failure != ROUTINE_SOUND)
    return routine_fail (routine, failure, insn->address);
  struct insn copy = *insn; /* nodes move when they grow */
  routine->result.resets_sp |= resets_sp (routine, &copy, state);
  check_flow (routine, &copy, state);
  if (is_last)
    check_end (routine, &copy, state);
}

bool
routine_is_function (const struct routine_context *context,
                     const struct routine_result *result,
                     const struct code_function *function)
{
  return function->is_called || result->is_proven
         || (result->is_framed && !result->is_unframed && !function->is_guess)
         || covered_code_at (context->covered_code, function->entry);
}
