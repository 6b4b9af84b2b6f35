/* Following a function along its paths until nothing changes.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "code/unit.h"

#include <stdlib.h>

#include "base/array.h"
#include "code/state_apply.h"
#include "code/unit_callees.h"
#include "code/unit_check.h"
#include "code/unit_flow.h"
#include "code/unit_graph.h"

enum
{
  /* At least so much room for a unit, and what an image of its size allows:
     a node for 4 bytes, a label for 32.  */
  NODES_MIN = 1 << 14,
  LABELS_MIN = 1 << 12,
  STEPS_MIN = 1 << 21,
  ADDRESS_MIN = 0x1000, /* constants below are no addresses */
  PLACES_REMEMBERED = 4096,
  TRIES_MAX = 8,
  VISITS_MAX = 512 /* of a node, on average */
};

struct unit *
unit_new (const struct unit_context *context)
{
  struct unit *unit = calloc (1, sizeof *unit);
  if (!unit)
    return NULL;
  unit->context = context;
  unit->machine = context->machine;
  unit->noting = UNIT_NONE;
  unit->nodes_max = NODES_MIN + context->places->image->size / 4;
  unit->steps_left = STEPS_MIN + 32 * context->places->image->size;
  unit->labels_max = LABELS_MIN + context->places->image->size / 32;
  return unit;
}

void
unit_free (struct unit *unit)
{
  if (!unit)
    return;
  address_map_free (&unit->numbers);
  address_map_free (&unit->doubtful);
  free (unit->edges);
  jump_tables_free (&unit->tables);
  free (unit->nodes);
  free (unit->labels);
  free (unit->states);
  free (unit->queue);
  free (unit->ends);
  free (unit->left_for);
  free (unit);
}

/* Do INSN at ADDRESS as if it went on with the next instruction.  Whether it
   does, as far as is known without asking who returns.  */
static bool
pass (struct unit *unit, const struct insn *insn, uint64_t address,
      struct state *state)
{
  const struct code_machine *machine = unit->machine;
  state_apply (state, machine, insn, address, &unit->tables);
  if (insn->flow == FLOW_CALL || insn->flow == FLOW_CALL_INDIRECT)
    unit_call (unit, insn, address, state);
  else if (insn->flow == FLOW_BRANCH)
    state_branch (state, insn->condition, false);
  return insn->flow != FLOW_JUMP && insn->flow != FLOW_JUMP_INDIRECT
         && insn->flow != FLOW_RETURN && insn->flow != FLOW_STOP;
}

/* Both ways of a branch; the state is copied only where they differ.  */
static void
branch (struct unit *unit, const struct insn *insn, struct state *state)
{
  if (!state_tells_branches (state, (enum insn_condition)insn->condition))
    {
      unit_jump (unit, insn->target, state);
      return;
    }
  if (!unit_is_never_taken (unit, insn))
    {
      struct state taken;
      state_copy (&taken, state);
      state_branch (&taken, (enum insn_condition)insn->condition, true);
      unit_jump (unit, insn->target, &taken);
    }
  state_branch (state, (enum insn_condition)insn->condition, false);
}

/* Follow where the node's instruction leads, which was done to STATE already.
   Whether it goes on with the next one.  */
static bool
leave_node (struct unit *unit, uint32_t number, struct state *state)
{
  struct unit_node node; /* a copy: nodes move when they grow */
  memcpy (&node, &unit->nodes[number], sizeof node);
  const struct insn *insn = &node.insn;
  bool returns;
  switch (insn->flow)
    {
    case FLOW_BRANCH:
      branch (unit, insn, state);
      return true;
    case FLOW_JUMP:
      unit_jump (unit, insn->target, state);
      return false;
    case FLOW_JUMP_INDIRECT:
      unit_jump_by_tables (unit, insn, node.address, state);
      return false;
    case FLOW_CALL:
    case FLOW_CALL_INDIRECT:
      returns = unit_call_returns (unit, insn, node.address, state);
      unit_call (unit, insn, node.address, state);
      unit_throw (unit, node.address, state);
      return returns;
    default:
      return false;
    }
}

/* Do the node's instruction.  Whether it goes on with the next one.  */
static bool
step (struct unit *unit, uint32_t number, struct state *state)
{
  const struct unit_node *node = &unit->nodes[number];
  state_apply (state, unit->machine, &node->insn, node->address,
               &unit->tables);
  return node->insn.flow == FLOW_NEXT || leave_node (unit, number, state);
}

/* Whether the path ends behind NODE.  */
static bool
stops_behind (struct unit *unit, const struct unit_node *node,
              const struct state *state)
{
  uint64_t next = node->address + node->insn.size;
  if (node->is_last)
    return true;
  if (!unit->is_go || unit_agrees_with_go (unit, next, state))
    return false;
  if (!unit_is_after_call (unit, node->address))
    unit_fail (unit, UNIT_GO_DIFFERS, next);
  return true;
}

/* From label NUMBER to the next one.  */
static void
walk (struct unit *unit, uint32_t label)
{
  uint32_t number = unit->labels[label].node;
  struct state state;
  state_copy (&state, unit_label_state (unit, label));
  while (unit->failure == UNIT_SOUND && unit->nodes[number].insn.size > 0)
    {
      unit->steps++;
      if (!step (unit, number, &state))
        return;
      if (stops_behind (unit, &unit->nodes[number], &state))
        return;
      uint32_t next = unit_node_behind (unit, number);
      if (next == UNIT_NONE)
        return;
      struct unit_node *node = &unit->nodes[next];
      bool elsewhere
          = node->predecessor != UNIT_NONE && node->predecessor != number;
      if (node->predecessor == UNIT_NONE)
        node->predecessor = number;
      if (node->label != UNIT_NONE || elsewhere)
        {
          unit_arrive (unit, next, &state);
          return;
        }
      number = next;
    }
}

static void
start (struct unit *unit, uint64_t entry, uint64_t end)
{
  struct state state;
  unit->entry = entry;
  unit->end = end;
  unit->is_go
      = unit->context->go && go_table_is_start (unit->context->go, entry);
  unit->machine
      = unit->is_go ? unit->context->go_machine : unit->context->machine;
  address_map_clear (&unit->numbers);
  unit->n_nodes = unit->n_labels = unit->n_queue = 0;
  unit->states_size = 0;
  unit->steps = 0;
  unit->landed = unit->met_unknown = false;
  unit->n_left_for = 0;
  unit->is_proven = unit->leaves = unit->is_odd = false;
  unit->failure = UNIT_SOUND;
  jump_tables_reset (&unit->tables);
  state_enter (&state, unit->machine);
  uint32_t number = unit_node_at (unit, entry);
  if (number != UNIT_NONE)
    unit_add_label (unit, number, &state);
}

static int
compare_addresses (const void *a, const void *b)
{
  const uint64_t *left = a, *right = b;
  return (*left > *right) - (*left < *right);
}

/* Keep what INSN computes, if that can be an address.  */
static void
remember_place (void *argument, uint64_t address, const struct insn *insn,
                const struct state *state)
{
  struct unit *unit = argument;
  uint64_t place;
  (void)address;
  if (!state_names_place (state, insn, &place))
    {
      if (insn->op != OP_SET || insn->is_part || insn->immediate < ADDRESS_MIN)
        return;
      place = (uint64_t)insn->immediate;
    }
  if (unit->n_ends < PLACES_REMEMBERED
      && ARRAY_ROOM (unit->ends, unit->n_ends + 1, &unit->ends_capacity))
    unit->ends[unit->n_ends++] = place;
}

/* Keep all addresses that the unit computes for another try.  Whether there
   are more than before.  */
static bool
remember_places (struct unit *unit)
{
  size_t before = unit->n_ends;
  unit->n_ends = 0;
  unit_visit (unit, remember_place, unit);
  if (unit->n_ends > 0)
    qsort (unit->ends, unit->n_ends, sizeof *unit->ends, compare_addresses);
  return unit->n_ends > before;
}

static void
walk_all (struct unit *unit)
{
  while (unit->n_queue > 0 && unit->failure == UNIT_SOUND)
    {
      uint32_t label = unit->queue[--unit->n_queue];
      unit->labels[label].queued = false;
      walk (unit, label);
      if (unit->steps > (uint64_t)VISITS_MAX * (unit->n_nodes + 64)
          || unit->steps > unit->steps_left || unit->tables.failed)
        unit_fail (unit, UNIT_TOO_MUCH, unit->entry);
    }
}

static void
follow (struct unit *unit, uint64_t entry, uint64_t end)
{
  start (unit, entry, end);
  do
    {
      walk_all (unit);
      unit->n_edges = 0;
      if (unit->failure == UNIT_SOUND)
        unit_visit (unit, unit_check, unit);
    }
  while (unit->n_queue > 0 && unit->failure == UNIT_SOUND);
  if (unit->steps >= unit->steps_left)
    unit_fail (unit, UNIT_TOO_MUCH, entry);
  unit->steps_left
      -= unit->steps < unit->steps_left ? unit->steps : unit->steps_left;
}

static void
leave_doubts (struct unit *unit, uint64_t entry, uint64_t end,
              enum unit_doubts doubts)
{
  if (doubts == DOUBTS_END)
    follow (unit, entry, end);
  else if (doubts == DOUBTS_FAIL)
    unit_fail (unit, UNIT_DOUBTFUL, entry);
}

/* A function can fail because a table without a bound was read too far, into
   one that is found later: then another try does better.  */
enum unit_failure
unit_follow (struct unit *unit, uint64_t entry, uint64_t end,
             enum unit_doubts doubts, uint64_t *failed_at)
{
  unit->n_ends = 0;
  address_map_clear (&unit->doubtful);
  follow (unit, entry, end);
  for (int i = 0; i < TRIES_MAX && unit->failure != UNIT_SOUND
                  && unit->failure != UNIT_TOO_MUCH && unit->tables.n > 0
                  && remember_places (unit);
       i++)
    follow (unit, entry, end);
  if (unit->context->ends_unknown && unit->failure == UNIT_SOUND
      && !unit->met_unknown && !unit->is_go && unit_judge_callees (unit))
    leave_doubts (unit, entry, end, doubts);
  *failed_at = unit->failed_at;
  return unit->failure;
}

void
unit_visit (struct unit *unit,
            void (*visit) (void *argument, uint64_t address,
                           const struct insn *insn, const struct state *state),
            void *argument)
{
  for (uint32_t i = 0; i < unit->n_labels; i++)
    {
      uint32_t number = unit->labels[i].node;
      struct state state;
      state_copy (&state, unit_label_state (unit, i));
      for (;;)
        {
          const struct unit_node *node = &unit->nodes[number];
          unit->visited = number;
          visit (argument, node->address, &node->insn, &state);
          node = &unit->nodes[number]; /* nodes move when they grow */
          if (node->insn.size == 0
              || !pass (unit, &node->insn, node->address, &state))
            break;
          uint32_t next = unit_find_behind (unit, number);
          if (next == UNIT_NONE || unit->nodes[next].label != UNIT_NONE
              || unit->nodes[next].predecessor != number)
            break;
          number = next;
        }
    }
}

bool
unit_is_proven (const struct unit *unit)
{
  return unit->is_proven;
}

bool
unit_is_odd (const struct unit *unit)
{
  return unit->is_odd;
}

bool
unit_leaves (const struct unit *unit)
{
  return unit->leaves;
}

const uint32_t *
unit_left_for (const struct unit *unit, size_t *n)
{
  *n = unit->n_left_for;
  return unit->left_for;
}

bool
unit_gave_up (const struct unit *unit)
{
  return unit->steps_left == 0;
}

bool
unit_met_unknown (const struct unit *unit)
{
  return unit->met_unknown;
}

const char *
unit_failure_name (enum unit_failure failure)
{
  static const char *const names[UNIT_FAILURE_COUNT] = {
    [UNIT_SOUND] = "sound",
    [UNIT_DECODE] = "not-code",
    [UNIT_RETURN] = "return",
    [UNIT_TAIL_CALL] = "tail-call",
    [UNIT_RUNS_INTO] = "runs-into",
    [UNIT_SAVED_USED] = "saved-register-used",
    [UNIT_UNWINDS] = "unwinds",
    [UNIT_SIGNAL] = "signal",
    [UNIT_UNRESOLVED] = "unresolved-jump",
    [UNIT_GO_DIFFERS] = "differs-from-pclntab",
    [UNIT_UNPROVEN] = "unproven",
    [UNIT_DOUBTFUL] = "doubtful",
    [UNIT_TOO_MUCH] = "too-much",
  };
  return names[failure];
}
