/* The worklist of a function.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Instructions are decoded once, when a path first gets to them, and kept as
   nodes.  A node where paths can meet has a label, which owns the state in
   front of it; states in between are made anew from the label before them.  */

#include "code/unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "code/address_map.h"

enum
{
  /* At least so much room for a unit, and what an image of its size allows:
     a node for 4 bytes, a label for 32.  */
  NODES_MIN = 1 << 14,
  LABELS_MIN = 1 << 12,
  STEPS_MIN = 1 << 21,
  ADDRESS_MIN = 0x1000, /* constants below are no addresses */
  PLACES_REMEMBERED = 4096,
  NAMED_ENTRIES_MAX = 4096, /* of a table that is read on trial */
  TRIES_MAX = 3,
  STUB_STEPS = 2,  /* endbr64 and the jump */
  VISITS_MAX = 512 /* of a node, on average */
};

static const uint32_t none = UINT32_MAX;

struct node
{
  uint64_t address;
  uint32_t label;       /* or none */
  uint32_t predecessor; /* node that goes on here, or none */
  struct insn insn;     /* size 0: no instruction */
};

struct label
{
  uint32_t node;
  bool queued;
  struct state state;
};

struct unit
{
  const struct unit_context *context;
  const struct code_machine *machine;
  bool is_go;
  uint64_t entry, end;
  struct address_map numbers; /* of nodes */
  struct node *nodes;
  size_t n_nodes, nodes_capacity;
  struct label *labels;
  size_t n_labels, labels_capacity;
  size_t nodes_max, labels_max;
  uint32_t *queue; /* labels to be walked from; a stack */
  size_t n_queue, queue_capacity;
  struct jump_tables tables;
  uint64_t *ends; /* addresses that an earlier try has found; ascending */
  size_t n_ends, ends_capacity;
  bool landed;      /* exceptions get to it */
  bool is_proven;   /* returns */
  bool leaves;      /* the same by a jump that may be a tail call */
  bool met_unknown; /* called a function that nobody has followed */
  uint64_t steps;
  uint64_t steps_left; /* for all functions together */
  enum unit_failure failure;
  uint64_t failed_at;
};

struct unit *
unit_new (const struct unit_context *context)
{
  struct unit *unit = calloc (1, sizeof *unit);
  if (!unit)
    return NULL;
  unit->context = context;
  unit->machine = context->machine;
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
  jump_tables_free (&unit->tables);
  free (unit->nodes);
  free (unit->labels);
  free (unit->queue);
  free (unit->ends);
  free (unit);
}

static void
fail (struct unit *unit, enum unit_failure failure, uint64_t address)
{
  if (unit->failure != UNIT_SOUND)
    return;
  unit->failure = failure;
  unit->failed_at = address;
}

/* Nodes.  */

static void
decode_node (struct unit *unit, struct node *node)
{
  uint64_t size;
  const uint8_t *bytes
      = places_code (unit->context->places, node->address, &size);
  struct insn *insn = &node->insn;
  if (!bytes
      || !insn_decode (unit->context->decoder, bytes, size, node->address,
                       insn))
    insn->size = 0;
  else if (insn->flow == FLOW_CALL
           && returns_is_push (unit->context->returns, insn->target,
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

/* The node at ADDRESS, or none.  */
static uint32_t
node_at (struct unit *unit, uint64_t address)
{
  uint32_t number = address_map_get (&unit->numbers, address);
  if (number != none)
    return number;
  number = (uint32_t)unit->n_nodes;
  if (unit->n_nodes >= unit->nodes_max
      || !ARRAY_ROOM (unit->nodes, unit->n_nodes + 1, &unit->nodes_capacity)
      || !address_map_set (&unit->numbers, address, number))
    {
      fail (unit, UNIT_TOO_MUCH, address);
      return none;
    }
  struct node *node = &unit->nodes[unit->n_nodes++];
  *node = (struct node){ address, none, none, { 0 } };
  decode_node (unit, node);
  return number;
}

/* The node behind NUMBER: mostly the one that was decoded after it.  */
static uint32_t
node_behind (struct unit *unit, uint32_t number)
{
  const struct node *node = &unit->nodes[number];
  uint64_t address = node->address + node->insn.size;
  if (number + 1 < unit->n_nodes && unit->nodes[number + 1].address == address)
    return number + 1;
  return node_at (unit, address);
}

/* Labels.  */

static void
enqueue (struct unit *unit, uint32_t number)
{
  struct label *label = &unit->labels[number];
  if (label->queued)
    return;
  if (!ARRAY_ROOM (unit->queue, unit->n_queue + 1, &unit->queue_capacity))
    {
      fail (unit, UNIT_TOO_MUCH, unit->nodes[label->node].address);
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
  for (; unit->nodes[number].label == none; unit->steps++)
    number = unit->nodes[number].predecessor;
  enqueue (unit, unit->nodes[number].label);
}

static void
add_label (struct unit *unit, uint32_t number, const struct state *state)
{
  struct node *node = &unit->nodes[number];
  if (unit->n_labels >= unit->labels_max
      || !ARRAY_ROOM (unit->labels, unit->n_labels + 1,
                      &unit->labels_capacity))
    {
      fail (unit, UNIT_TOO_MUCH, node->address);
      return;
    }
  struct label *label = &unit->labels[unit->n_labels];
  label->node = number;
  label->queued = false;
  state_copy (&label->state, state);
  state_settle (&label->state, unit->machine, node->address);
  node->label = (uint32_t)unit->n_labels++;
  enqueue (unit, node->label);
  if (node->predecessor != none)
    walk_again_to (unit, node->predecessor);
}

/* STATE arrives at node NUMBER, where paths can meet.  */
static void
arrive (struct unit *unit, uint32_t number, const struct state *state)
{
  const struct node *node = &unit->nodes[number];
  if (node->label == none)
    add_label (unit, number, state);
  else if (state_join (&unit->labels[node->label].state, unit->machine, state,
                       node->address, &unit->tables))
    enqueue (unit, node->label);
}

/* Borders.  */

static bool
is_start (const struct unit *unit, uint64_t address)
{
  uint32_t index = returns_find (unit->context->returns, address);
  return index != UINT32_MAX && address != unit->entry
         && returns_function (unit->context->returns, index)->is_start;
}

static bool
is_border (const struct unit *unit, uint64_t address)
{
  size_t low = 0, high = unit->context->n_borders;
  while (low < high)
    {
      size_t middle = low + (high - low) / 2;
      if (unit->context->borders[middle] < address)
        low = middle + 1;
      else
        high = middle;
    }
  return low < unit->context->n_borders
         && unit->context->borders[low] == address && address != unit->entry;
}

/* Whether the unit ends in front of ADDRESS, where it gets without a jump.  */
static bool
ends_before (const struct unit *unit, uint64_t address)
{
  return returns_is_marked (unit->context->returns, address)
         && (is_start (unit, address) || is_border (unit, address));
}

/* Where an instruction leads.  */

static void
jump_to (struct unit *unit, uint64_t target, const struct state *state)
{
  if (is_start (unit, target))
    return;
  uint32_t number = node_at (unit, target);
  if (number != none)
    arrive (unit, number, state);
}

/* Where an indirect jump goes by tables, *TARGET is an entry or a target of
   them.  False: by none.  */
static bool
find_tables (struct unit *unit, const struct insn *insn, uint64_t address,
             const struct state *state, struct value *target)
{
  uint32_t number;
  if (insn->from == REG_NONE)
    {
      bool reads = insn->width == 8
                   && state_table (state, unit->machine, insn, address,
                                   &unit->tables, &number);
      *target = value_of (VALUE_ENTRY, reads ? number : 0);
      return reads;
    }
  *target = state->registers[insn->from];
  if (target->kind == VALUE_CONSTANT && target->number > 0
      && jump_tables_note_address (&unit->tables, (uint64_t)target->number,
                                   &number))
    *target = value_of (VALUE_TARGET, number);
  if (value_is_target (*target))
    return true;
  if (!value_is_entry (*target))
    return false;
  for (number = none; value_next_table (*target, &number);)
    if (unit->tables.tables[number].width != 8)
      return false;
  return true;
}

/* Where the table at ADDRESS ends at the latest.  */
static uint64_t
end_of_table (const struct unit *unit, uint64_t address)
{
  uint64_t end = places_next_named (unit->context->places, address);
  for (size_t i = 0; i < unit->n_ends && unit->ends[i] < end; i++)
    if (unit->ends[i] > address)
      end = unit->ends[i];
  return end;
}

/* The part of a function that ADDRESS is in, or NULL.  */
static const struct code_range *
find_part (const struct unit_context *context, uint64_t address)
{
  size_t low = 0, high = context->n_parts;
  while (low < high)
    {
      size_t middle = low + (high - low) / 2;
      if (context->parts[middle].end <= address)
        low = middle + 1;
      else
        high = middle;
    }
  return low < context->n_parts && context->parts[low].start <= address
             ? &context->parts[low]
             : NULL;
}

/* Whether TARGET is in the function, whose parts can be elsewhere: in the
   part that reads the table, certainly.  Words that happen to look like
   offsets are not trusted to lead to other parts.  */
static bool
is_inside (const struct unit *unit, const struct jump_table *table,
           uint64_t target)
{
  const struct code_range *part = find_part (unit->context, target);
  return (target >= unit->entry && target < unit->end)
         || (part
             && (table->width == 8
                 || part == find_part (unit->context, table->reader)));
}

/* The target of entry INDEX.  False behind the last: a table without a bound
   ends where an entry leaves the function.  */
static bool
table_target (const struct unit *unit, const struct jump_table *table,
              uint64_t index, uint64_t *target)
{
  bool bounded = table->max != UINT64_MAX && table->width != 0;
  return jump_table_target (table, unit->context->places, index, target)
         && (bounded || is_inside (unit, table, *target));
}

/* A table without a bound that ends where an address is named, and leads to
   this function or parts of functions from its first word to its last, is
   taken as a whole.  Few tables have the parts in them, but those that begin
   with one would have no entry otherwise.  */
static void
bound_by_names (const struct unit *unit, struct jump_table *table)
{
  uint64_t n = (table->end - table->address) / 4, target;
  if (table->width != 4 || table->max != UINT64_MAX || n > NAMED_ENTRIES_MAX)
    return;
  for (uint64_t i = 0; i < n; i++)
    if (!jump_table_target (table, unit->context->places, i, &target)
        || ((target < unit->entry || target >= unit->end)
            && !find_part (unit->context, target)))
      return;
  table->max = n - 1;
}

/* Jump to the targets of table NUMBER in turn.  Whether there are any.  */
static bool
jump_by_table (struct unit *unit, uint32_t number, const struct state *state)
{
  struct jump_table table = unit->tables.tables[number];
  uint64_t target, i = 0;
  table.end = end_of_table (unit, table.address);
  bound_by_names (unit, &table);
  while (unit->failure == UNIT_SOUND
         && table_target (unit, &table, i, &target))
    {
      jump_to (unit, target, state);
      unit->steps++;
      i++;
    }
  return i > 0;
}

/* INSN at ADDRESS, an indirect jump, goes by tables.  Whether each of them
   leads anywhere.  */
static bool
jump_by_tables (struct unit *unit, const struct insn *insn, uint64_t address,
                const struct state *state)
{
  struct value target;
  if (!find_tables (unit, insn, address, state, &target))
    return false;
  bool resolved = true;
  for (uint32_t i = none; value_next_table (target, &i);)
    resolved &= jump_by_table (unit, i, state);
  return resolved;
}

/* The place of the address that the stub of an imported function at ADDRESS
   jumps to, or 0 when it is none.  */
static uint64_t
stub_place (const struct unit_context *context, uint64_t address)
{
  uint64_t size;
  const uint8_t *bytes = places_code (context->places, address, &size);
  struct insn_step step = { .flow = FLOW_NEXT };
  for (int i = 0; bytes && i < STUB_STEPS && step.flow == FLOW_NEXT; i++)
    {
      if (!insn_decode_step (context->decoder, bytes, size, address, &step))
        return 0;
      bytes += step.size;
      size -= step.size;
      address += step.size;
    }
  return step.flow == FLOW_JUMP_INDIRECT ? step.place : 0;
}

/* The place of the address that INSN, a call, reads, perhaps by way of a stub;
   0: unknown.  */
static uint64_t
called_place (const struct unit_context *context, const struct insn *insn)
{
  bool constant = insn->from == REG_NONE && insn->memory
                  && insn->base == REG_NONE && insn->index == REG_NONE;
  if (insn->flow == FLOW_CALL)
    return stub_place (context, insn->target);
  return constant ? (uint64_t)insn->offset : 0;
}

/* Go's compiler knows which calls do not return, and puts anything behind
   them; that the depth does not change says that the path goes on, or at least
   that nothing is wrong if it does.  */
static bool
go_call_returns (const struct go_table *table, uint64_t call, uint64_t next)
{
  int32_t depth = go_table_depth (table, next);
  return depth != GO_DEPTH_UNKNOWN && depth == go_table_depth (table, call)
         && !go_table_is_start (table, next);
}

/* A callee that nobody has followed yet counts as returning for now; the unit
   will be followed again (unit_met_unknown).  */
static bool
call_returns (struct unit *unit, const struct insn *insn, uint64_t address,
              const struct state *state)
{
  const struct unit_context *context = unit->context;
  struct value argument = state->registers[unit->machine->first_argument];
  bool is_set = argument.kind == VALUE_CONSTANT && argument.number != 0;
  if (unit->is_go)
    return go_call_returns (context->go, address, address + insn->size);
  if (insn->flow == FLOW_CALL_INDIRECT)
    return returns_through (context->places, called_place (context, insn),
                            is_set);
  if (returns_find (context->returns, insn->target) == none)
    {
      returns_add (context->returns, insn->target, false);
      unit->met_unknown = true;
      return true;
    }
  return returns_at (context->returns, insn->target)
         && (!is_set
             || returns_through (context->places, called_place (context, insn),
                                 is_set));
}

static const struct code_pad *
find_pad (const struct unit_context *context, uint64_t call)
{
  size_t low = 0, high = context->n_pads;
  while (low < high)
    {
      size_t middle = low + (high - low) / 2;
      if (context->pads[middle].end <= call)
        low = middle + 1;
      else
        high = middle;
    }
  return low < context->n_pads && context->pads[low].start <= call
             ? &context->pads[low]
             : NULL;
}

/* A call may end up at a landing pad, with the registers of the caller and
   without the arguments on the stack.  */
static void
throw_to_pad (struct unit *unit, uint64_t call, const struct state *state)
{
  const struct code_pad *pad = find_pad (unit->context, call);
  if (!pad)
    return;
  struct state landed;
  state_copy (&landed, state);
  struct insn drop = { .op = OP_ADD,
                       .to = (uint8_t)unit->machine->arch->sp,
                       .from = (uint8_t)unit->machine->arch->sp,
                       .immediate = (int64_t)pad->args_size };
  state_apply (&landed, unit->machine, &drop, call, &unit->tables);
  unit->landed = true;
  jump_to (unit, pad->pad, &landed);
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
    state_call (state, machine, address);
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
      jump_to (unit, insn->target, state);
      return;
    }
  struct state taken;
  state_copy (&taken, state);
  state_branch (&taken, (enum insn_condition)insn->condition, true);
  jump_to (unit, insn->target, &taken);
  state_branch (state, (enum insn_condition)insn->condition, false);
}

/* Follow where the node's instruction leads, which was done to STATE already.
   Whether it goes on with the next one.  */
static bool
leave_node (struct unit *unit, uint32_t number, struct state *state)
{
  struct node node; /* a copy: nodes move when they grow */
  memcpy (&node, &unit->nodes[number], sizeof node);
  const struct insn *insn = &node.insn;
  bool returns;
  switch (insn->flow)
    {
    case FLOW_BRANCH:
      branch (unit, insn, state);
      return true;
    case FLOW_JUMP:
      jump_to (unit, insn->target, state);
      return false;
    case FLOW_JUMP_INDIRECT:
      jump_by_tables (unit, insn, node.address, state);
      return false;
    case FLOW_CALL:
    case FLOW_CALL_INDIRECT:
      returns = call_returns (unit, insn, node.address, state);
      state_call (state, unit->machine, node.address);
      throw_to_pad (unit, node.address, state);
      return returns;
    default:
      return false;
    }
}

/* Do the node's instruction.  Whether it goes on with the next one.  */
static bool
step (struct unit *unit, uint32_t number, struct state *state)
{
  const struct node *node = &unit->nodes[number];
  state_apply (state, unit->machine, &node->insn, node->address,
               &unit->tables);
  return node->insn.flow == FLOW_NEXT || leave_node (unit, number, state);
}

/* Whether what leads to ADDRESS is a call, perhaps with padding behind it.
   If another function starts there, the call does not return.  */
static bool
is_after_call (const struct unit *unit, uint64_t address)
{
  uint32_t number = address_map_get (&unit->numbers, address);
  while (number != none && unit->nodes[number].insn.is_nop)
    number = unit->nodes[number].predecessor;
  return number != none
         && (unit->nodes[number].insn.flow == FLOW_CALL
             || unit->nodes[number].insn.flow == FLOW_CALL_INDIRECT);
}

/* Whether Go's table has the stack pointer where STATE has it.  */
static bool
go_agrees (const struct unit *unit, uint64_t address,
           const struct state *state)
{
  const struct arch *arch = unit->machine->arch;
  int32_t depth = go_table_depth (unit->context->go, address);
  return depth != GO_DEPTH_UNKNOWN
         && value_equal (
             state->registers[arch->sp],
             value_of (VALUE_CFA, (int64_t)arch->fixed_ra_offset - depth));
}

/* Whether the path from the instruction at ADDRESS to NEXT ends in front of
   that.  */
static bool
stops_before (struct unit *unit, uint64_t address, uint64_t next,
              const struct state *state)
{
  if (ends_before (unit, next))
    return true;
  if (!unit->is_go || go_agrees (unit, next, state))
    return false;
  if (!is_after_call (unit, address))
    fail (unit, UNIT_GO_DIFFERS, next);
  return true;
}

/* From label NUMBER to the next one.  */
static void
walk (struct unit *unit, uint32_t label)
{
  uint32_t number = unit->labels[label].node;
  struct state state;
  state_copy (&state, &unit->labels[label].state);
  while (unit->failure == UNIT_SOUND && unit->nodes[number].insn.size > 0)
    {
      unit->steps++;
      if (!step (unit, number, &state))
        return;
      uint64_t address = unit->nodes[number].address;
      uint64_t behind = address + unit->nodes[number].insn.size;
      if (stops_before (unit, address, behind, &state))
        return;
      uint32_t next = node_behind (unit, number);
      if (next == none)
        return;
      struct node *node = &unit->nodes[next];
      bool elsewhere
          = node->predecessor != none && node->predecessor != number;
      if (node->predecessor == none)
        node->predecessor = number;
      if (node->label != none || elsewhere)
        {
          arrive (unit, next, &state);
          return;
        }
      number = next;
    }
}

/* Following everything, then looking whether the entry was one.  */

static bool
uses_saved (const struct code_machine *machine, const struct insn *insn,
            const struct state *state)
{
  for (uint32_t left = insn->reads; left; left &= left - 1)
    {
      struct value value = state->registers[(unsigned)__builtin_ctz (left)];
      if (value.kind == VALUE_SAVED && machine->preserved >> value.number & 1)
        return true;
    }
  return false;
}

/* The unit leaves for another function, in front of whose start STATE
   holds.  */
static void
check_leaving (struct unit *unit, uint64_t target, uint64_t from,
               enum unit_failure failure, const struct state *state)
{
  uint32_t index = returns_find (unit->context->returns, target);
  struct code_function *function
      = index == none ? NULL
                      : returns_function (unit->context->returns, index);
  bool by_jump = failure == UNIT_TAIL_CALL;
  /* Code that goes on where a pointer leads: that was a label.  */
  bool is_label = !by_jump && function && function->is_pointer;
  if (state_is_restored (state, unit->machine) && !is_label)
    {
      unit->is_proven |= function && !function->is_pointer;
      return;
    }
  fail (unit, failure, from);
  if (function && (by_jump || is_label))
    function->no_claims = true;
}

/* Whether INSN, a return, goes to the caller.  */
static bool
returns_rightly (struct unit *unit, const struct insn *insn, uint64_t address,
                 const struct state *state)
{
  const struct code_machine *machine = unit->machine;
  if (insn->op == OP_NONE)
    return insn->immediate == 0
           && (insn->from == REG_NONE || insn->from == machine->arch->ra)
           && state_is_restored (state, machine);
  struct state after;
  state_copy (&after, state);
  state_apply (&after, machine, insn, address, &unit->tables);
  return state_is_restored (&after, machine);
}

/* Whether INSN goes on with an exception although none landed in the unit.
   Such a path ended where a call does not return or where the compiler knew
   that nobody gets to, and ran into something else.  */
static bool
is_beyond_the_end (const struct unit *unit, const struct insn *insn)
{
  bool calls = insn->flow == FLOW_CALL || insn->flow == FLOW_CALL_INDIRECT;
  if (!calls || unit->landed)
    return false;
  uint64_t place = called_place (unit->context, insn);
  const struct relocated *word
      = place ? places_relocated (unit->context->places, place) : NULL;
  return word && word->lands;
}

/* Whether INSN ends the handling of a signal: such code is where a handler
   returns to, with what the kernel saved on the stack, and no function.  */
static bool
returns_from_signal (const struct code_machine *machine,
                     const struct insn *insn, const struct state *state)
{
  return insn->calls_kernel
         && value_equal (state->registers[machine->kernel_call],
                         value_of (VALUE_CONSTANT, machine->rt_sigreturn));
}

/* INSN is a copy: nodes move when they grow.  Where tables had less entries
   when the jump was followed, there is more to follow now.  */
static void
check_jump (struct unit *unit, uint64_t address, struct insn insn,
            const struct state *state)
{
  const struct code_machine *machine = unit->machine;
  if (jump_by_tables (unit, &insn, address, state))
    return;
  if (state_is_restored (state, machine))
    unit->leaves = true;
  else if (!state_has_left (state, machine))
    fail (unit, UNIT_UNRESOLVED, address);
}

static void
check_node (void *argument, uint64_t address, const struct insn *insn,
            const struct state *state)
{
  struct unit *unit = argument;
  const struct code_machine *machine = unit->machine;
  uint64_t next = address + insn->size;
  if (insn->size == 0)
    return fail (unit, UNIT_DECODE, address);
  if (unit->is_go && !go_agrees (unit, address, state))
    return fail (unit, UNIT_GO_DIFFERS, address);
  if (uses_saved (machine, insn, state))
    return fail (unit, UNIT_SAVED_USED, address);
  if (is_beyond_the_end (unit, insn))
    return fail (unit, UNIT_UNWINDS, address);
  if (returns_from_signal (machine, insn, state))
    return fail (unit, UNIT_SIGNAL, address);
  if ((insn->flow == FLOW_JUMP || insn->flow == FLOW_BRANCH)
      && is_start (unit, insn->target))
    check_leaving (unit, insn->target, address, UNIT_TAIL_CALL, state);
  if (insn->flow == FLOW_RETURN)
    {
      unit->is_proven = true;
      if (!returns_rightly (unit, insn, address, state))
        fail (unit, UNIT_RETURN, address);
    }
  if (insn->flow == FLOW_JUMP_INDIRECT)
    check_jump (unit, address, *insn, state);
  bool goes_on
      = insn->flow == FLOW_NEXT || insn->flow == FLOW_BRANCH
        || ((insn->flow == FLOW_CALL || insn->flow == FLOW_CALL_INDIRECT)
            && call_returns (unit, insn, address, state));
  if (goes_on && ends_before (unit, next) && !is_after_call (unit, address))
    {
      struct state after;
      state_copy (&after, state);
      state_apply (&after, machine, insn, address, &unit->tables);
      check_leaving (unit, next, address, UNIT_RUNS_INTO, &after);
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
  unit->steps = 0;
  unit->landed = unit->met_unknown = false;
  unit->is_proven = unit->leaves = false;
  unit->failure = UNIT_SOUND;
  jump_tables_reset (&unit->tables);
  state_enter (&state, unit->machine);
  uint32_t number = node_at (unit, entry);
  if (number != none)
    add_label (unit, number, &state);
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
        fail (unit, UNIT_TOO_MUCH, unit->entry);
    }
}

static void
follow (struct unit *unit, uint64_t entry, uint64_t end)
{
  start (unit, entry, end);
  do
    {
      walk_all (unit);
      if (unit->failure == UNIT_SOUND)
        unit_visit (unit, check_node, unit);
    }
  while (unit->n_queue > 0 && unit->failure == UNIT_SOUND);
  if (unit->steps >= unit->steps_left)
    fail (unit, UNIT_TOO_MUCH, entry);
  unit->steps_left
      -= unit->steps < unit->steps_left ? unit->steps : unit->steps_left;
}

/* A function can fail because a table without a bound was read too far, into
   one that is found later: then another try does better.  */
enum unit_failure
unit_follow (struct unit *unit, uint64_t entry, uint64_t end,
             uint64_t *failed_at)
{
  unit->n_ends = 0;
  follow (unit, entry, end);
  for (int i = 0; i < TRIES_MAX && unit->failure != UNIT_SOUND
                  && unit->failure != UNIT_TOO_MUCH && unit->tables.n > 0
                  && remember_places (unit);
       i++)
    follow (unit, entry, end);
  *failed_at = unit->failed_at;
  return unit->failure;
}

void
unit_visit (struct unit *unit,
            void (*visit) (void *argument, uint64_t address,
                           const struct insn *insn, const struct state *state),
            void *argument)
{
  for (size_t i = 0; i < unit->n_labels; i++)
    {
      uint32_t number = unit->labels[i].node;
      struct state state;
      state_copy (&state, &unit->labels[i].state);
      for (;;)
        {
          const struct node *node = &unit->nodes[number];
          visit (argument, node->address, &node->insn, &state);
          node = &unit->nodes[number]; /* nodes move when they grow */
          if (node->insn.size == 0
              || !pass (unit, &node->insn, node->address, &state))
            break;
          uint32_t next = address_map_get (&unit->numbers,
                                           node->address + node->insn.size);
          if (next == none || unit->nodes[next].label != none
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
unit_leaves (const struct unit *unit)
{
  return unit->leaves;
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
    [UNIT_TOO_MUCH] = "too-much",
  };
  return names[failure];
}
