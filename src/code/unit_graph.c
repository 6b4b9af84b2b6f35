/* Nodes, labels, and where functions end.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "code/unit_graph.h"

#include "base/search.h"

#include "base/array.h"
#include "code/state_join.h"

void
unit_fail (struct unit *unit, enum unit_failure failure, uint64_t address)
{
  if (unit->failure != UNIT_SOUND)
    return;
  unit->failure = failure;
  unit->failed_at = address;
}

/* Borders.  */

bool
unit_is_start (const struct unit *unit, uint64_t address)
{
  const struct code_function *function
      = functions_at (unit->context->functions, address);
  return function && address != unit->entry && function->is_start;
}

static bool
ends_before (const struct unit *unit, uint64_t address)
{
  return functions_is_marked (unit->context->functions, address)
         && (unit_is_start (unit, address)
             || (address != unit->entry
                 && known_code_is_border (unit->context->known, address)));
}

/* Nodes.  */

static void
decode_node (struct unit *unit, struct unit_node *node)
{
  uint64_t size;
  const uint8_t *bytes
      = places_code (unit->context->places, node->address, &size);
  struct insn *insn = &node->insn;
  if (!bytes
      || !insn_decode (unit->context->decoder, bytes, size, node->address,
                       insn))
    *insn = (struct insn){ 0 }; /* visitors look at it */
  else if (insn->flow == FLOW_CALL
           && functions_call_is_push (unit->context->functions, insn->target,
                                      node->address + insn->size))
    {
      const struct arch *arch = unit->machine->arch;
      insn->flow = FLOW_NEXT;
      if (arch_tracks_ra (arch))
        insn->writes |= UINT32_C (1) << arch->ra;
      else
        insn->op = OP_PUSH;
    }
}

uint32_t
unit_node_at (struct unit *unit, uint64_t address)
{
  uint32_t new = (uint32_t)unit->n_nodes;
  bool has_room
      = unit->n_nodes < unit->nodes_max
        && ARRAY_ROOM (unit->nodes, unit->n_nodes + 1, &unit->nodes_capacity);
  uint32_t number = has_room ? address_map_enter (&unit->numbers, address, new)
                             : address_map_get (&unit->numbers, address);
  if (number < new)
    return number;
  if (number == UNIT_NONE)
    {
      unit_fail (unit, UNIT_TOO_MUCH, address);
      return UNIT_NONE;
    }
  struct unit_node *node = &unit->nodes[unit->n_nodes++];
  *node = (struct unit_node){ .address = address,
                              .label = UNIT_NONE,
                              .predecessor = UNIT_NONE };
  decode_node (unit, node);
  node->is_last = ends_before (unit, address + node->insn.size);
  return number;
}

/* The node that was decoded after NUMBER, if it is behind it.  */
static uint32_t
next_if_behind (const struct unit *unit, uint32_t number)
{
  const struct unit_node *node = &unit->nodes[number];
  uint64_t address = node->address + node->insn.size;
  return number + 1 < unit->n_nodes
                 && unit->nodes[number + 1].address == address
             ? number + 1
             : UNIT_NONE;
}

uint32_t
unit_find_behind (const struct unit *unit, uint32_t number)
{
  uint32_t behind = next_if_behind (unit, number);
  const struct unit_node *node = &unit->nodes[number];
  return behind != UNIT_NONE
             ? behind
             : address_map_get (&unit->numbers,
                                node->address + node->insn.size);
}

uint32_t
unit_node_behind (struct unit *unit, uint32_t number)
{
  uint32_t behind = next_if_behind (unit, number);
  const struct unit_node *node = &unit->nodes[number];
  return behind != UNIT_NONE
             ? behind
             : unit_node_at (unit, node->address + node->insn.size);
}

/* Labels.  */

static void
enqueue (struct unit *unit, uint32_t number)
{
  struct unit_label *label = &unit->labels[number];
  if (label->queued)
    return;
  if (!ARRAY_ROOM (unit->queue, unit->n_queue + 1, &unit->queue_capacity))
    {
      unit_fail (unit, UNIT_TOO_MUCH, unit->nodes[label->node].address);
      return;
    }
  label->queued = true;
  unit->queue[unit->n_queue++] = number;
}

/* A new label on the way of a path that was walked before: what comes along
   there has to arrive at it, so the walk is done again.  */
static void
walk_again_to (struct unit *unit, uint32_t number)
{
  for (; unit->nodes[number].label == UNIT_NONE; unit->steps++)
    number = unit->nodes[number].predecessor;
  enqueue (unit, unit->nodes[number].label);
}

void
unit_add_label (struct unit *unit, uint32_t number, const struct state *state)
{
  struct unit_node *node = &unit->nodes[number];
  size_t end = unit->states_size + state_size (state);
  if (unit->n_labels >= unit->labels_max
      || !ARRAY_ROOM (unit->labels, unit->n_labels + 1, &unit->labels_capacity)
      || !ARRAY_ROOM (unit->states, end, &unit->states_capacity))
    {
      unit_fail (unit, UNIT_TOO_MUCH, node->address);
      return;
    }
  node->label = (uint32_t)unit->n_labels++;
  unit->labels[node->label]
      = (struct unit_label){ .node = number, .state = unit->states_size };
  unit->states_size = end;
  struct state *own = unit_label_state (unit, node->label);
  state_copy (own, state);
  state_settle (own, unit->machine, node->address);
  enqueue (unit, node->label);
  if (node->predecessor != UNIT_NONE)
    walk_again_to (unit, node->predecessor);
}

void
unit_arrive (struct unit *unit, uint32_t number, const struct state *state)
{
  const struct unit_node *node = &unit->nodes[number];
  if (node->label == UNIT_NONE)
    unit_add_label (unit, number, state);
  else if (state_join (unit_label_state (unit, node->label), unit->machine,
                       state, node->address, &unit->tables))
    enqueue (unit, node->label);
}
