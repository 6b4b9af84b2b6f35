/* Whether a routine is a function that keeps to the ABI.
   SPDX-License-Identifier: LGPL-2.1-or-later

   After the fixpoint each instruction is checked once, with the state in front
   of it.  The checks prove what callers rely on: every path that leaves the
   routine has the stack pointer, the return address and the callee-saved
   registers of the entry.  A path can leave in four ways, and each has a
   check: a return, a jump to the start of another function, an indirect jump,
   and running into the function behind.  If one path leaves otherwise, or does
   what only code of another kind does (find_violation), the whole routine
   fails, because nothing tells which of its paths are real.

   It is assumed that the graph has all paths (routine.c), and that calls
   return as routine_returns.c says.

   All rows are relative to the CFA, whose distance from the stack pointer at
   the entry is fixed if the entry is called.  Code can be entered with more on
   the stack: by the kernel, where a signal's handler returns to, or by a jump
   from the function that it is a part of.  These are proofs that the entry has
   the frame of a call:

     a call: an instruction of a certain function calls the entry;
     the CFI: an FDE says that a function begins there;
     an end: the routine returns, or jumps to a function that was seen to
       return, and the return address is where a call puts it;
     its frame, if it has no end: it saves callee-saved registers, and the
       stack pointer is aligned at all of its calls as the ABI demands,
       which it would not be if the entry had another frame.

   A symbol or a pointer proves nothing, because labels have them, too.

   Callees are assumed to preserve SP and the callee-saved registers until
   their analysis shows that they do not: assembler code has subroutines with
   conventions of their own.  What is found here goes to functions.h, and the
   callers are analysed again.  */

#include "analysis/routine.h"

#include "base/array.h"

/* ---- The entry */

/* Whether an end of the routine, or a call, where STATE holds, counts as a
   proof.  Two cases do not count.

   Behind a system call of an unknown number, if only a pointer leads to the
   entry, or (RUNS_ON) the routine merely runs into the code behind: the call
   may be the one that ends a signal's handler, and the code behind it another
   function.

   If only a pointer leads to the entry, and a table of addresses without a
   bound was read: the entry may be a label that leads to the table, and the
   end that of another function, which a pointer behind the table leads to.  */
static bool
counts_as_proof (const struct routine *routine, const struct state *state,
                 bool runs_on)
{
  bool only_pointers = routine_has_only_pointers (routine);
  return !(state->has_unknown_syscall && (runs_on || only_pointers))
         && !(routine->result.reads_too_far && only_pointers);
}

/* Record what a call with STATE shows about the routine's frame.  */
static void
record_frame (struct routine *routine, const struct state *state)
{
  const struct code_machine *machine = routine->machine;
  struct value sp = state->registers[machine->arch->sp];
  if (machine->call_aligned == 0 || sp.kind != VALUE_CFA
      || sp.number % machine->call_aligned != 0)
    routine->result.is_unframed = true;
  else
    routine->result.is_framed |= state_saves_registers (state)
                                 && counts_as_proof (routine, state, false);
}

/* Whether FUNCTION, which a routine jumps to, needs the frame of a call.

   Where functions without CFI are analysed, a call of FUNCTION does not prove
   that FUNCTION needs it: code with any frame can jump to the thunk of an
   indirect jump ("retpoline"), which is called, too, and leaves by an address
   that it writes over its own return address.  */
static bool
needs_call_frame (const struct routine_context *context,
                  const struct code_function *function)
{
  return !function->is_pointer
         && (function->is_proven
             || (!context->request->beyond_cfi
                 && (function->is_called || function->has_fde)));
}

/* ---- Effects on callers */

/* Whether INSN returns to the caller with another stack pointer than functions
   do, like a subroutine that saves registers for its caller.  */
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

/* INSN returns, or jumps to an address: observe if it does so with another
   stack pointer than functions do.  */
static void
check_sp_at_return (struct routine *routine, const struct insn *insn,
                    const struct state *state)
{
  /* The path may come from a jump table that was read too far.  Code that
     moves its caller's stack has no switch; but this is not relied on where
     functions without CFI are analysed.  */
  bool may_read_too_far
      = routine->tables.n > 0 && !routine->context->request->beyond_cfi;
  if (!may_read_too_far && moves_stack (routine, insn, state))
    routine_observe (routine, OBSERVED_MOVES_STACK, routine->entry);
}

/* Whether INSN calls a function that returns with another stack pointer.  */
static bool
calls_stack_mover (const struct routine *routine, const struct insn *insn)
{
  const struct routine_context *context = routine->context;
  if (!insn_is_call (insn) || !context->functions->any_breaks_abi)
    return false;
  const struct code_function *callee = routine_callee (context, insn);
  return callee && callee->moves_stack;
}

/* Whether INSN loads an SP of this frame from elsewhere, while SP is known
   only because a callee is trusted.  */
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
   the stack: record the callee-saved registers that have changed.  If SP does
   not have its value of the entry, the path may not exist.  A register that
   was loaded from the caller's frame counts as changed, because the word there
   has a value of the caller's caller.  */
static void
record_changes (struct routine *routine, const struct state *state,
                unsigned ra)
{
  if (state_is_at_entry (state) && state_has_ra (state, ra))
    routine->result.changes |= state_changed_registers (state);
}

/* The routine leaves for NEXT (NULL: unknown), which returns to the routine's
   caller: the effects of NEXT are the routine's, too.  */
static void
add_effects_of (struct routine *routine, const struct code_function *next,
                const struct state *state)
{
  record_changes (routine, state, routine->machine->arch->ra);
  if (!next)
    return;
  routine->result.changes |= next->changes;
  if (next->moves_stack && state_is_at_entry (state))
    routine_observe (routine, OBSERVED_MOVES_STACK, routine->entry);
}

/* ---- Evidence against a function, or for one of another kind */

bool
routine_is_after_call (const struct routine *routine, uint64_t address)
{
  uint32_t number = address_map_get (&routine->node_numbers, address);
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

/* Record that the routine leaves, as functions do, at the visited node.  */
static void
record_end (struct routine *routine)
{
  routine->nodes[routine->visited_node].reaches_return = true;
  routine->result.is_unframed = routine->result.has_end = true;
}

/* A function that has saved a register may read the register as data: an
   uninitialised variable is in it.  */
bool
routine_uses_saved (struct routine *routine, const struct insn *insn,
                    const struct state *state)
{
  FOR_EACH_REGISTER (reg, insn->reads)
    {
      struct value value = state->registers[reg];
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

/* Check that STATE, in front of the start of another function at TARGET, is
   that of a call; FROM is the address of the instruction that leads there.  */
static void
check_leaving (struct routine *routine, uint64_t target, uint64_t from,
               enum routine_failure failure, const struct state *state)
{
  uint32_t index = functions_find (routine->context->functions, target);
  const struct code_function *function
      = functions_at (routine->context->functions, target);
  bool by_jump = failure == ROUTINE_TAIL_CALL;
  /* If code runs on to the target of a pointer, that is a label.  */
  bool is_label = !by_jump && function && function->is_pointer;
  if (state_is_restored (state) && !is_label)
    {
      routine->result.is_proven
          |= function && needs_call_frame (routine->context, function)
             && counts_as_proof (routine, state, failure == ROUTINE_RUNS_INTO);
      record_end (routine);
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
    routine->steps_left = 0; /* no result may be used */
}

/* Whether INSN resumes an exception although no path of the routine reached a
   landing pad.  Such a path has run on, into other code, behind a call that
   does not return, or from an end that the compiler knew to be
   unreachable.  */
static bool
resumes_without_pad (const struct routine *routine, const struct insn *insn)
{
  if (!insn_is_call (insn) || routine->landed)
    return false;
  const struct relocated *word = routine_called_word (routine->context, insn);
  return word && word->is_for_pads;
}

/* Return the last call on the path to the visited node, if no other path joins
   in between; otherwise NULL.  Each path begins at a block.  */
static const struct routine_node *
last_call (const struct routine *routine)
{
  const struct routine_node *node = &routine->nodes[routine->visited_node];
  while (node->block == NODE_NONE)
    {
      node = &routine->nodes[node->predecessor];
      if (insn_is_call (&node->insn))
        return node;
    }
  return NULL;
}

/* Whether INSN, an indirect jump, loads its target from an array.  Such a jump
   may be a tail call, or lead from one handler of an interpreter to the next,
   with the frame of the function that they are parts of.  */
static bool
jumps_through_array (const struct routine *routine, const struct insn *insn,
                     const struct state *state)
{
  if (insn->from == REG_NONE)
    return insn->index != REG_NONE;
  /* A value that no instruction made has no address of a node.  */
  uint32_t number = address_map_get (
      &routine->node_numbers, value_address (state->registers[insn->from]));
  return number != NODE_NONE && routine->nodes[number].insn.op == OP_LOAD
         && routine->nodes[number].insn.index != REG_NONE;
}

/* Check INSN, a return.  */
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
  routine->result.is_proven |= counts_as_proof (routine, state, false);
  record_end (routine);
  record_changes (routine, state, from);
  if ((insn->immediate != 0 && insn->op == OP_NONE) || from != ra
      || !state_is_restored (state))
    {
      routine->lacks_value
          = value_is_anonymous (state->registers[routine->machine->arch->sp]);
      routine_fail (routine, ROUTINE_RETURN, insn->address);
    }
}

/* Check INSN, a jump to the start of another function.  */
static void
check_jump_to_start (struct routine *routine, const struct insn *insn,
                     const struct state *state)
{
  if (state_is_restored (state) || !routine_is_never_taken (routine, insn))
    {
      add_effects_of (routine, routine_callee (routine->context, insn), state);
      check_leaving (routine, insn->target, insn->address, ROUTINE_TAIL_CALL,
                     state);
    }
  else
    routine_observe (routine, OBSERVED_DEAD_BRANCH, insn->target);
}

/* Check INSN, an indirect jump.  If its jump tables have more entries than
   when the jump was interpreted, they are followed now.  A function of another
   image is assumed to need the frame of a call and to return, unless its name
   says otherwise.  */
static void
check_jump (struct routine *routine, const struct insn *insn,
            const struct state *state)
{
  if (routine_jump_by_tables (routine, insn, state, routine->visited_node))
    return;
  add_effects_of (routine, routine_callee (routine->context, insn), state);
  if (state_is_restored (state))
    {
      const struct relocated *word
          = routine_called_word (routine->context, insn);
      bool to_import = word && word->is_got && !word->exits && !word->may_exit
                       && !word->frameless;
      record_end (routine);
      if (jumps_through_array (routine, insn, state))
        return;
      routine->result.leaves = true;
      routine->result.is_proven
          |= to_import && counts_as_proof (routine, state, false);
    }
  else if (!state_has_lost_frame (state))
    {
      routine->lacks_value = true;
      routine_fail (routine, ROUTINE_UNRESOLVED, insn->address);
    }
}

/* Check INSN, the last instruction in front of another function.  If INSN is a
   call, or padding behind one, that call does not return.  */
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
  /* The path runs off the end of a part, which the compiler knew to be
     unreachable.  If the path has come from a call, that call may be the one
     that never returns (below).  */
  const struct routine_node *call = last_call (routine);
  const struct code_range *part
      = covered_code_part (context->covered_code, insn->address);
  if (!call && part && part->end == next && !routine_is_start (routine, next))
    return;
  struct state after;
  state_copy (&after, state);
  state_apply (&after, insn);
  /* Where CFI says that the routine ends here, the last call does not return.
     The compiler knew that, and may have moved instructions behind the call
     (GCC, with PostgreSQL's errfinish).  The routine is interpreted again with
     that call doubtful.  */
  if (call && !context->request->beyond_cfi && !state_is_restored (&after)
      && !address_map_set (&routine->doubtful, call->insn.address, 0))
    routine_fail (routine, ROUTINE_TOO_MUCH, routine->entry);
  add_effects_of (routine, functions_at (context->functions, next), &after);
  check_leaving (routine, next, insn->address, ROUTINE_RUNS_INTO, &after);
}

/* Return the failure that INSN shows, or ROUTINE_SOUND.  */
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
  /* Code that calls sigreturn is where a signal's handler returns to, with
     what the kernel saved on the stack.  It is no function.  */
  int64_t number;
  if (insn->flow == FLOW_RESUME
      || (insn->is_syscall && state_syscall_number (state, &number)
          && number == routine->machine->rt_sigreturn))
    return ROUTINE_SIGNAL;
  return calls_stack_mover (routine, insn) ? ROUTINE_CALLEE : ROUTINE_SOUND;
}

/* Check where INSN leads.  */
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
      record_frame (routine, state);
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
  bool is_last = routine->nodes[routine->visited_node].is_last;
  enum routine_failure failure = find_violation (routine, insn, state);
  if (failure != ROUTINE_SOUND)
    return routine_fail (routine, failure, insn->address);
  struct insn copy = *insn; /* nodes move when their array grows */
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
