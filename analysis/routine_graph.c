/* The control flow graph of a function: nodes, basic blocks, and boundaries.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A node is an instruction, decoded once when the first path reaches it.  A
   node where paths can meet begins a basic block, which has the state in front
   of the node.  The states of all other nodes are not stored: they are
   computed again from the beginning of their block.  Blocks are not found in
   advance.  When a second path reaches the middle of a block, a new block
   begins there, and the old one is interpreted again up to it.  */

#include "analysis/routine.h"

#include "base/array.h"

void
routine_fail (struct routine *routine, enum routine_failure failure,
              uint64_t address)
{
  if (routine->result.failure != ROUTINE_SOUND)
    return;
  routine->result.failure = failure;
  routine->result.failed_at = address;
}

/* ---- Observations */

static bool
has_observed (const struct routine *routine, enum observation_kind kind,
              uint64_t address, uint32_t *kinds)
{
  uint32_t mask = address_map_get (&routine->observed, address);
  *kinds = mask == UINT32_MAX ? 0 : mask;
  return *kinds >> kind & 1;
}

bool
routine_observe (struct routine *routine, enum observation_kind kind,
                 uint64_t address)
{
  uint32_t kinds;
  if (has_observed (routine, kind, address, &kinds))
    return false;
  if (address_map_set (&routine->observed, address,
                       kinds | UINT32_C (1) << kind)
      && ARRAY_ROOM (routine->observations, routine->n_observations + 1,
                     &routine->observations_capacity))
    routine->observations[routine->n_observations++]
        = (struct observation){ .kind = kind, .address = address };
  else
    routine->steps_left = 0; /* no result may be used */
  return true;
}

bool
routine_has_returned (const struct routine *routine, uint64_t callee)
{
  uint32_t kinds;
  return functions_has_returned (routine->context->functions, callee)
         || has_observed (routine, OBSERVED_RETURNED, callee, &kinds);
}

/* ---- Where the function ends */

bool
routine_is_start (const struct routine *routine, uint64_t address)
{
  const struct code_function *function
      = functions_at (routine->context->functions, address);
  return function && address != routine->entry && function->is_start;
}

bool
routine_has_only_pointers (const struct routine *routine)
{
  const struct code_function *function
      = functions_at (routine->context->functions, routine->entry);
  return function && function_has_only_pointers (function);
}

/* Whether the function ends behind NODE: another function or an FDE starts
   there, or NODE is a call at the end of its FDE.  No function goes on behind
   such a call: the code there belongs to another section, or has no CFI.  */
static bool
is_last_node (const struct routine *routine, const struct routine_node *node)
{
  const struct routine_context *context = routine->context;
  uint64_t next = node->insn.address + node->insn.size;
  if (address_set_may_have (&context->functions->marks, next)
      && (routine_is_start (routine, next)
          || (next != routine->entry
              && covered_code_is_boundary (context->covered_code, next))))
    return true;
  const struct frame_function *fde
      = insn_is_call (&node->insn)
            ? covered_code_at (context->covered_code, node->insn.address)
            : NULL;
  return fde && fde->address + fde->size == next;
}

/* ---- Nodes */

uint64_t
routine_constant_place (const struct insn *insn)
{
  bool is_constant
      = insn->memory && insn->base == REG_NONE && insn->index == REG_NONE;
  return is_constant ? (uint64_t)insn->offset : 0;
}

static void
decode (struct routine *routine, uint64_t address, struct insn *insn)
{
  const struct routine_context *context = routine->context;
  const struct arch *arch = routine->machine->arch;
  if (!facts_insn (context->facts, address, insn))
    *insn = (struct insn){ .address = address }; /* visitors read it */
  facts_resolve (context->facts, routine_constant_place (insn), &insn->flow,
                 &insn->target);
  if (insn->flow != FLOW_CALL
      || !functions_call_is_push (context->functions, context->facts,
                                  insn->target, address + insn->size))
    return;
  insn->flow = FLOW_NEXT;
  if (arch_tracks_ra (arch))
    insn->writes |= UINT32_C (1) << arch->ra;
  else
    insn->op = OP_PUSH;
}

uint32_t
routine_node_at (struct routine *routine, uint64_t address)
{
  uint32_t new = (uint32_t)routine->n_nodes;
  bool has_room = routine->n_nodes < routine->nodes_max
                  && ARRAY_ROOM (routine->nodes, routine->n_nodes + 1,
                                 &routine->nodes_capacity);
  uint32_t number
      = has_room ? address_map_enter (&routine->node_numbers, address, new)
                 : address_map_get (&routine->node_numbers, address);
  if (number < new)
    return number;
  if (number == NODE_NONE)
    {
      routine_fail (routine, ROUTINE_TOO_MUCH, address);
      return NODE_NONE;
    }
  struct routine_node *node = &routine->nodes[routine->n_nodes++];
  *node
      = (struct routine_node){ .block = NODE_NONE, .predecessor = NODE_NONE };
  decode (routine, address, &node->insn);
  node->is_last = is_last_node (routine, node);
  return number;
}

uint32_t
routine_find_behind (const struct routine *routine, uint32_t number)
{
  const struct routine_node *node = &routine->nodes[number];
  uint64_t address = node->insn.address + node->insn.size;
  return number + 1 < routine->n_nodes && node[1].insn.address == address
             ? number + 1
             : address_map_get (&routine->node_numbers, address);
}

/* ---- Basic blocks */

/* The worklist is a binary heap: the block at index I has no higher address
   than those at 2 I + 1 and 2 I + 2.  */

static bool
is_before (const struct routine *routine, size_t a, size_t b)
{
  const struct routine_block *blocks = routine->blocks;
  return routine->nodes[blocks[routine->worklist[a]].node].insn.address
         < routine->nodes[blocks[routine->worklist[b]].node].insn.address;
}

static void
swap_entries (struct routine *routine, size_t a, size_t b)
{
  uint32_t block = routine->worklist[a];
  routine->worklist[a] = routine->worklist[b];
  routine->worklist[b] = block;
}

static void
add_to_worklist (struct routine *routine, uint32_t number)
{
  struct routine_block *block = &routine->blocks[number];
  if (block->is_in_worklist)
    return;
  if (!ARRAY_ROOM (routine->worklist, routine->n_worklist + 1,
                   &routine->worklist_capacity))
    return routine_fail (routine, ROUTINE_TOO_MUCH,
                         routine->nodes[block->node].insn.address);
  block->is_in_worklist = true;
  size_t i = routine->n_worklist++;
  routine->worklist[i] = number;
  for (; i > 0 && is_before (routine, i, (i - 1) / 2); i = (i - 1) / 2)
    swap_entries (routine, i, (i - 1) / 2);
}

uint32_t
routine_take_block (struct routine *routine)
{
  uint32_t first = routine->worklist[0];
  size_t n = --routine->n_worklist, next;
  routine->worklist[0] = routine->worklist[n];
  for (size_t i = 0; (next = 2 * i + 1) < n; i = next)
    {
      if (next + 1 < n && is_before (routine, next + 1, next))
        next++;
      if (is_before (routine, i, next))
        break;
      swap_entries (routine, i, next);
    }
  routine->blocks[first].is_in_worklist = false;
  return first;
}

void
routine_add_block (struct routine *routine, uint32_t number,
                   const struct state *state)
{
  struct routine_node *node = &routine->nodes[number];
  size_t end = routine->states_size + state_size (state);
  if (routine->n_blocks >= routine->blocks_max
      || !ARRAY_ROOM (routine->blocks, routine->n_blocks + 1,
                      &routine->blocks_capacity)
      || !ARRAY_ROOM (routine->states, end, &routine->states_capacity))
    return routine_fail (routine, ROUTINE_TOO_MUCH, node->insn.address);
  node->block = (uint32_t)routine->n_blocks++;
  routine->blocks[node->block]
      = (struct routine_block){ .node = number,
                                .state = routine->states_size };
  routine->states_size = end;
  struct state *own = routine_block_state (routine, node->block);
  state_copy (own, state);
  state_renumber (own, node->insn.address);
  add_to_worklist (routine, node->block);
  /* The new block begins in the middle of another one, which has to be
     interpreted again so that its state is joined here.  */
  number = node->predecessor;
  if (number == NODE_NONE)
    return;
  for (; routine->nodes[number].block == NODE_NONE; routine->steps++)
    number = routine->nodes[number].predecessor;
  add_to_worklist (routine, routine->nodes[number].block);
}

void
routine_join (struct routine *routine, uint32_t number,
              const struct state *state)
{
  const struct routine_node *node = &routine->nodes[number];
  if (node->block == NODE_NONE)
    routine_add_block (routine, number, state);
  else if (state_join (routine_block_state (routine, node->block), state,
                       node->insn.address))
    add_to_worklist (routine, node->block);
}
