/* The abstract interpretation of one function.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A worklist has the basic blocks whose state has changed.  A block is
   interpreted instruction by instruction, and its last state is joined into
   the states of the blocks that it leads to.  When the worklist is empty the
   states are a fixpoint.  Then each instruction is checked (routine_check.c).
   Some results show that an assumption of the run was wrong, for example that
   a call returns; then the function is interpreted again without it
   (run_until_consistent).  */

#include "analysis/routine.h"

#include <stdlib.h>

enum
{
  /* The smallest room for a routine.  Larger images allow more: a node for 4
     bytes, a block for 32.  */
  NODES_MIN = 1 << 14,
  BLOCKS_MIN = 1 << 12,
  STEPS_MIN = 1 << 18,
  ADDRESS_MIN = 0x1000, /* lower constants are not addresses */
  REFERENCES_MAX = 4096,
  TRIES_MAX = 8,
  VISITS_MAX = 512 /* interpretations of a node, on average */
};

struct routine *
routine_new (const struct routine_context *context)
{
  struct routine *routine = calloc (1, sizeof *routine);
  if (!routine)
    return NULL;
  routine->context = context;
  routine->machine = context->machine;
  routine->nodes_max = NODES_MIN + context->facts->image->size / 4;
  /* Real files take 0.1 to 0.9 steps for each of their bytes.  They take 9
     where no function returns, because each is first taken to run on into all
     code behind it (CHICKEN's compiler).  */
  routine->steps_left = STEPS_MIN + 12 * context->facts->image->size;
  routine->blocks_max = BLOCKS_MIN + context->facts->image->size / 32;
  return routine;
}

void
routine_free (struct routine *routine)
{
  if (!routine)
    return;
  address_map_free (&routine->node_numbers);
  address_map_free (&routine->doubtful);
  address_map_free (&routine->unwritten);
  address_map_free (&routine->observed);
  free (routine->observations);
  free (routine->edges);
  jump_tables_free (&routine->tables);
  free (routine->nodes);
  free (routine->blocks);
  free (routine->states);
  free (routine->worklist);
  address_list_free (&routine->table_ends);
  free (routine->result.entered_with_frame);
  free (routine);
}

/* Interpret both ways of the branch INSN.  The state is copied only if the two
   differ.  Return whether the routine goes on behind the branch; a child
   process with another stack does not.  */
static bool
interpret_branch (struct routine *routine, const struct insn *insn,
                  struct state *state, bool jumps)
{
  const enum insn_condition condition = (enum insn_condition)insn->condition;
  bool by_child;
  enum value_kind kind = state_branch_on_fork (state, insn, &by_child);
  if (kind == VALUE_MAYBE_FORKED)
    routine_fail (routine, ROUTINE_SYSTEM_CALL, insn->address);
  bool may_change = state_branch_may_change (state, condition);
  if (kind == VALUE_FORKED)
    state->includes_child = false;
  if (kind == VALUE_FORKED || !may_change)
    {
      if (jumps && !(kind == VALUE_FORKED && by_child))
        routine_jump (routine, insn->target, state);
      return kind != VALUE_FORKED || by_child;
    }
  if (jumps && !routine_is_never_taken (routine, insn))
    {
      struct state taken;
      state_copy (&taken, state);
      if (state_branch (&taken, condition, true))
        routine_jump (routine, insn->target, &taken);
    }
  return state_branch (state, condition, false);
}

/* Interpret INSN.  Return whether the path goes on with the next instruction.
   With JUMPS, join STATE into all other successors.  Without, that was done
   before, and a call counts as returning.  */
static bool
interpret (struct routine *routine, const struct insn *insn,
           struct state *state, bool jumps)
{
  struct insn copy;
  bool returns;
  if (state_exits (state, insn))
    return false;
  state_apply (state, insn);
  if (insn->flow == FLOW_NEXT)
    return true;
  copy = *insn; /* nodes move when they grow */
  switch (copy.flow)
    {
    case FLOW_BRANCH:
      return interpret_branch (routine, &copy, state, jumps);
    case FLOW_CALL:
    case FLOW_CALL_INDIRECT:
      returns = !jumps || routine_call_returns (routine, &copy, state);
      routine_apply_call (routine, &copy, state);
      if (jumps)
        routine_join_landing_pad (routine, copy.address, state);
      return returns;
    case FLOW_JUMP:
      if (jumps)
        routine_jump (routine, copy.target, state);
      return false;
    case FLOW_JUMP_INDIRECT:
      if (jumps)
        routine_jump_by_tables (routine, &copy, state, NODE_NONE);
      return false;
    default:
      return false;
    }
}

/* Whether the path ends behind NODE, where STATE holds.  */
static bool
ends_behind (struct routine *routine, const struct routine_node *node,
             const struct state *state)
{
  uint64_t next = node->insn.address + node->insn.size;
  if (node->is_last)
    return true;
  if (!routine->is_go || routine_agrees_with_go (routine, next, state))
    return false;
  if (!routine_is_after_call (routine, node->insn.address))
    routine_fail (routine, ROUTINE_GO_DIFFERS, next);
  return true;
}

/* Interpret BLOCK, up to the next block.  If only pointers lead to the entry,
   the use of an unsaved callee-saved register in the first block shows code
   with other conventions, such as Haskell's.  Such a routine fails at once,
   before it reaches code that may be another function's.  */
static void
interpret_block (struct routine *routine, uint32_t block)
{
  uint32_t number = routine->blocks[block].node;
  bool only_pointers = block == 0 && routine_has_only_pointers (routine);
  struct state state;
  state_copy (&state, routine_block_state (routine, block));
  while (routine->result.failure == ROUTINE_SOUND
         && routine->nodes[number].insn.size > 0
         && routine->steps <= routine->steps_left)
    {
      routine->steps++;
      if (only_pointers
          && routine_uses_saved (routine, &routine->nodes[number].insn,
                                 &state))
        return routine_fail (routine, ROUTINE_SAVED_USED,
                             routine->nodes[number].insn.address);
      if (!interpret (routine, &routine->nodes[number].insn, &state, true))
        return;
      if (ends_behind (routine, &routine->nodes[number], &state))
        return;
      const struct insn *insn = &routine->nodes[number].insn;
      uint32_t next = routine_find_behind (routine, number);
      if (next == NODE_NONE)
        next = routine_node_at (routine, insn->address + insn->size);
      if (next == NODE_NONE)
        return;
      struct routine_node *node = &routine->nodes[next];
      bool elsewhere
          = node->predecessor != NODE_NONE && node->predecessor != number;
      if (node->predecessor == NODE_NONE)
        node->predecessor = number;
      if (node->block != NODE_NONE || elsewhere)
        return routine_join (routine, next, &state);
      number = next;
    }
}

static void
begin (struct routine *routine)
{
  struct state state;
  address_map_clear (&routine->node_numbers);
  routine->n_nodes = routine->n_blocks = routine->n_worklist = 0;
  routine->states_size = 0;
  routine->steps = 0;
  routine->landed = routine->lacks_value = false;
  routine->result = (struct routine_result){
    .reads_tables = routine->result.reads_tables,
    .entered_with_frame = routine->result.entered_with_frame,
  };
  jump_tables_reset (&routine->tables);
  state_enter (&state, routine->machine, &routine->tables);
  uint32_t number = routine_node_at (routine, routine->entry);
  if (number != NODE_NONE)
    routine_add_block (routine, number, &state);
}

/* Remember the address that INSN computes, if it can be one.  */
static void
remember_reference (void *argument, const struct insn *insn,
                    const struct state *state)
{
  struct routine *routine = argument;
  uint64_t place;
  if (!state_computes_address (state, insn, &place))
    {
      if (insn->op != OP_SET || insn->is_address_part
          || insn->immediate < ADDRESS_MIN)
        return;
      place = (uint64_t)insn->immediate;
    }
  if (routine->table_ends.n < REFERENCES_MAX
      && !address_list_add (&routine->table_ends, place))
    routine_fail (routine, ROUTINE_TOO_MUCH, insn->address);
}

/* Remember all addresses that the routine computes, as ends of tables in
   another run.  Return whether there are more than before.  */
static bool
remember_references (struct routine *routine)
{
  size_t before = routine->table_ends.n;
  routine->table_ends.n = 0;
  routine_visit (routine, remember_reference, routine);
  return address_list_sort (&routine->table_ends)
         && routine->table_ends.n > before;
}

static void
empty_worklist (struct routine *routine)
{
  while (routine->n_worklist > 0 && routine->result.failure == ROUTINE_SOUND)
    {
      interpret_block (routine, routine_take_block (routine));
      if (routine->steps > (uint64_t)VISITS_MAX * (routine->n_nodes + 64)
          || routine->steps > routine->steps_left || routine->tables.failed)
        routine_fail (routine, ROUTINE_TOO_MUCH, routine->entry);
    }
}

/* Interpret the routine from its entry to a fixpoint, and check it.  A check
   can find more targets of jumps, which go to the worklist.  */
static void
run_to_fixpoint (struct routine *routine)
{
  begin (routine);
  do
    {
      empty_worklist (routine);
      routine->n_edges = 0;
      if (routine->result.failure == ROUTINE_SOUND)
        routine_visit (routine, routine_check, routine);
    }
  while (routine->n_worklist > 0 && routine->result.failure == ROUTINE_SOUND);
  if (routine->steps >= routine->steps_left)
    routine_fail (routine, ROUTINE_TOO_MUCH, routine->entry);
  routine->steps_left -= routine->steps < routine->steps_left
                             ? routine->steps
                             : routine->steps_left;
}

/* Look for doubtful calls of the routine, which is sound if they return, and
   treat them as DOUBTFUL_CALLS says.  */
static void
decide_doubtful_calls (struct routine *routine,
                       enum doubtful_calls doubtful_calls)
{
  if (!routine->context->request->beyond_cfi
      || routine->result.failure != ROUTINE_SOUND
      || routine->result.calls_unregistered || routine->is_go
      || !routine_find_doubtful_calls (routine))
    return;
  if (doubtful_calls == DOUBTFUL_CALLS_END_PATH)
    run_to_fixpoint (routine);
  else if (doubtful_calls == DOUBTFUL_CALLS_FAIL)
    routine_fail (routine, ROUTINE_DOUBTFUL, routine->entry);
}

/* Interpret the routine, and again if an assumption turns out to be wrong.  */
static void
run_until_consistent (struct routine *routine,
                      enum doubtful_calls doubtful_calls)
{
  const struct routine_result *result = &routine->result;
  run_to_fixpoint (routine);
  /* It runs into another function behind calls that are doubtful now.  */
  for (size_t n = 0;
       result->failure == ROUTINE_RUNS_INTO && routine->doubtful.n_used > n;)
    {
      n = routine->doubtful.n_used;
      run_to_fixpoint (routine);
    }
  /* A value is unknown that a callee may have left in its register.  */
  routine->asks_callees = routine->lacks_value;
  if (routine->lacks_value)
    run_to_fixpoint (routine);
  /* A jump table was read too far, into data that is referenced later.  */
  for (int i = 0; i < TRIES_MAX && result->failure != ROUTINE_SOUND
                  && result->failure != ROUTINE_TOO_MUCH
                  && routine->tables.n > 0 && remember_references (routine);
       i++)
    run_to_fixpoint (routine);
  decide_doubtful_calls (routine, doubtful_calls);
  while (result->failure == ROUTINE_SOUND && routine_end_tables (routine))
    run_to_fixpoint (routine);
}

/* Make calls doubtful behind which the stack pointer would have two values.
   Compilers make no such code, so these calls do not return.  Return whether
   any was found.  */
static bool
doubt_calls_with_two_depths (struct routine *routine)
{
  size_t before = routine->doubtful.n_used;
  for (uint32_t i = 0; i < routine->n_blocks; i++)
    {
      const struct routine_node *node
          = &routine->nodes[routine->blocks[i].node];
      struct value sp = state_sp (routine_block_state (routine, i));
      uint32_t call = node->predecessor;
      /* At a join of different stack pointers, SP is numbered by the join.  */
      bool differs = value_is_anonymous (sp)
                     && value_address (sp) == node->insn.address;
      if (call == NODE_NONE || !differs
          || !routine_is_after_call (routine,
                                     routine->nodes[call].insn.address))
        continue;
      while (routine->nodes[call].insn.is_nop)
        call = routine->nodes[call].predecessor;
      if (!address_map_set (&routine->doubtful,
                            routine->nodes[call].insn.address, 0))
        routine_fail (routine, ROUTINE_TOO_MUCH, routine->entry);
    }
  return routine->doubtful.n_used > before;
}

const struct routine_result *
routine_analyse (struct routine *routine, uint64_t entry, uint64_t end,
                 enum doubtful_calls doubtful_calls, bool is_bare)
{
  const struct routine_context *context = routine->context;
  routine->entry = entry;
  routine->end = end;
  routine->is_bare = is_bare;
  routine->is_go = context->go && go_table_is_start (context->go, entry);
  routine->machine = routine->is_go ? context->go_machine
                     : is_bare      ? context->bare_machine
                                    : context->machine;
  /* Reset what an earlier call has learnt.  */
  routine->table_ends.n = 0;
  routine->asks_callees = false;
  address_map_clear (&routine->doubtful);
  address_map_clear (&routine->unwritten);
  run_until_consistent (routine, doubtful_calls);
  for (int i = 0;
       is_bare && i < TRIES_MAX && routine->result.failure != ROUTINE_SOUND
       && doubt_calls_with_two_depths (routine);
       i++)
    run_to_fixpoint (routine);
  routine->result.leaves |= routine->result.is_proven;
  routine->result.has_doubtful_calls = routine->doubtful.n_used > 0;
  return &routine->result;
}

void
routine_visit (struct routine *routine,
               void (*visit) (void *argument, const struct insn *insn,
                              const struct state *state),
               void *argument)
{
  for (uint32_t i = 0; i < routine->n_blocks; i++)
    {
      uint32_t number = routine->blocks[i].node;
      struct state state;
      state_copy (&state, routine_block_state (routine, i));
      for (;;)
        {
          const struct routine_node *node = &routine->nodes[number];
          routine->visited_node = number;
          visit (argument, &node->insn, &state);
          node = &routine->nodes[number]; /* nodes move when they grow */
          if (node->insn.size == 0
              || !interpret (routine, &node->insn, &state, false))
            break;
          uint32_t next = routine_find_behind (routine, number);
          if (next == NODE_NONE || routine->nodes[next].block != NODE_NONE
              || routine->nodes[next].predecessor != number)
            break;
          number = next;
        }
    }
}

void
routine_forget (struct routine *routine)
{
  routine->n_observations = 0;
  routine->result.reads_tables = false;
  address_map_clear (&routine->observed);
}
