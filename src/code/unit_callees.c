/* Which calls of a function are seen to come back.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "code/unit_callees.h"

#include "code/unit_flow.h"

enum
{
  INSTRUCTIONS_MAX = 16, /* looked at behind a call */
  ROUNDS_MAX = 16 /* what takes longer counts as not seen to come back */
};

static bool
is_call (const struct insn *insn)
{
  return insn->flow == FLOW_CALL || insn->flow == FLOW_CALL_INDIRECT;
}

/* The node that NUMBER goes on with, or UNIT_NONE.  */
static const struct unit_node *
node_behind (const struct unit *unit, uint32_t number)
{
  uint32_t behind = unit_find_behind (unit, number);
  return behind != UNIT_NONE && unit->nodes[behind].predecessor == number
             ? &unit->nodes[behind]
             : NULL;
}

static bool
target_goes_back (const struct unit *unit, const struct insn *insn)
{
  if (insn->flow != FLOW_JUMP && insn->flow != FLOW_BRANCH)
    return false;
  uint32_t target = address_map_get (&unit->numbers, insn->target);
  return target != UNIT_NONE && unit->nodes[target].goes_back;
}

/* From the end to the beginning: nodes mostly have the numbers of the order
   that they are in.  Whether anything changed.  */
static bool
spread_backwards (struct unit *unit)
{
  bool changed = false;
  for (size_t i = unit->n_edges; i-- > 0;)
    {
      struct unit_node *from = &unit->nodes[unit->edges[i].from];
      bool goes_back = unit->nodes[unit->edges[i].to].goes_back;
      changed |= goes_back && !from->goes_back;
      from->goes_back |= goes_back;
    }
  for (uint32_t i = (uint32_t)unit->n_nodes; i-- > 0;)
    {
      struct unit_node *node = &unit->nodes[i];
      if (node->goes_back && node->goes_straight)
        continue;
      const struct unit_node *behind = node_behind (unit, i);
      bool goes_back = node->goes_back || (behind && behind->goes_back)
                       || target_goes_back (unit, &node->insn);
      bool goes_straight
          = node->insn.flow == FLOW_RETURN
            || (behind && behind->label == UNIT_NONE && behind->goes_straight);
      changed |= goes_back != node->goes_back
                 || goes_straight != node->goes_straight;
      node->goes_back = goes_back;
      node->goes_straight = goes_straight;
    }
  return changed;
}

/* What a call is known by: where it leads, or the constant place of a pointer
   that is the program's only to read.  0: it is not known.  */
static uint64_t
callee_of (const struct unit *unit, const struct insn *insn)
{
  if (insn->flow == FLOW_CALL)
    return insn->target;
  uint64_t place = unit_called_place (unit->context, insn);
  const struct relocated *word
      = place ? places_relocated (unit->context->places, place) : NULL;
  return word && word->is_got ? place : 0;
}

/* Whether the function of the image that CALLEE leads to by way of the GOT was
   seen to come back.  */
static bool
defined_comes_back (const struct unit *unit, const struct insn *insn)
{
  uint64_t place = unit_called_place (unit->context, insn);
  const struct relocated *word
      = place ? places_relocated (unit->context->places, place) : NULL;
  return word && word->is_got && word->value != 0
         && functions_comes_back (unit->context->functions, word->value);
}

/* Registers that belong to callers and that INSN uses, other than by saving
   them.  */
static uint32_t
used_registers (const struct unit *unit, const struct insn *insn)
{
  const struct code_machine *machine = unit->machine;
  uint32_t preserved
      = machine->preserved & ~(UINT32_C (1) << machine->arch->sp);
  uint32_t used = insn->reads;
  if (insn->op == OP_MOVE && !(preserved >> insn->to & 1))
    used |= unit->changed & UINT32_C (1) << insn->from;
  return used & preserved;
}

static uint32_t
changed_registers (const struct insn *insn)
{
  bool has_target = insn->to < REG_COUNT && insn->op != OP_NONE;
  return insn->writes | (has_target ? UINT32_C (1) << insn->to : 0);
}

/* Whether what is behind the call goes on with what the unit has put into
   registers that belong to callers: no function begins so.  */
static bool
goes_on_with_registers (const struct unit *unit, uint32_t number)
{
  uint32_t gone = 0;
  for (int i = 0; i < INSTRUCTIONS_MAX; i++)
    {
      const struct unit_node *node = node_behind (unit, number);
      if (!node || node->label != UNIT_NONE)
        return false;
      if (used_registers (unit, &node->insn) & ~gone)
        return true;
      if (node->insn.flow != FLOW_NEXT)
        return false;
      gone |= changed_registers (&node->insn);
      number = (uint32_t)(node - unit->nodes);
    }
  return false;
}

static void
judge_call (struct unit *unit, uint32_t number)
{
  const struct unit_node *node = &unit->nodes[number];
  const struct unit_node *behind = node_behind (unit, number);
  struct functions *functions = unit->context->functions;
  uint64_t callee = behind ? callee_of (unit, &node->insn) : 0;
  if (callee == 0)
    return;
  if (node->goes_straight || goes_on_with_registers (unit, number))
    functions_note_back (functions, callee);
  else if (!behind->goes_back && !functions_comes_back (functions, callee)
           && !defined_comes_back (unit, &node->insn)
           && !address_map_set (&unit->doubtful, node->address, 0))
    unit_fail (unit, UNIT_TOO_MUCH, node->address);
}

/* Stubs jump to what never returns as well.  */
static bool
is_stub (const struct unit *unit)
{
  const struct insn call = { .flow = FLOW_CALL, .target = unit->entry };
  return unit_called_place (unit->context, &call) != 0;
}

/* Who ends in NODE comes back: no compiler makes a tail call of what never
   does.  */
static void
judge_end (struct unit *unit, const struct unit_node *node)
{
  struct functions *functions = unit->context->functions;
  if (!node->goes_back)
    return;
  functions_note_back (functions, unit->entry);
  if (node->insn.flow == FLOW_JUMP)
    functions_note_back (functions, node->insn.target);
}

/* Whether nobody has seen yet that some call of the unit comes back.  */
static bool
has_news (const struct unit *unit)
{
  for (size_t i = 0; i < unit->n_nodes; i++)
    {
      const struct insn *insn = &unit->nodes[i].insn;
      uint64_t callee = is_call (insn) ? callee_of (unit, insn) : 0;
      if (callee != 0
          && !functions_comes_back (unit->context->functions, callee))
        return true;
    }
  return false;
}

bool
unit_judge_callees (struct unit *unit)
{
  size_t n_ends = is_stub (unit) ? 0 : unit->n_nodes;
  for (size_t i = 0; i < n_ends; i++)
    judge_end (unit, &unit->nodes[i]);
  if (!has_news (unit))
    return false;
  for (int i = 0; i < ROUNDS_MAX && spread_backwards (unit); i++)
    continue;
  unit->changed = 0;
  for (size_t i = 0; i < unit->n_nodes; i++)
    unit->changed |= changed_registers (&unit->nodes[i].insn);
  for (uint32_t i = 0; i < unit->n_nodes; i++)
    if (is_call (&unit->nodes[i].insn))
      judge_call (unit, i);
  return unit->doubtful.n_used > 0;
}
