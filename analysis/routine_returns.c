/* Which calls of a routine return, and which entries its jump tables have.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The problem: code behind a call of a function that never returns belongs to
   another function, and must not get rows of this one.  Imported functions
   that never return are known by name only if they are in libc and the like.
   Without CFI, nothing else shows where the function ends if the next function
   never returns, either.  So the code behind a call is evidence only if it
   returns to the caller, or if the callee was seen to return elsewhere.

   A call of a function that was never seen to return is doubtful, unless the
   code behind the call is shown to be this function's own:

     it goes straight to a return, which routine_check.c has found to have
       this function's frame; or
     it uses values that this function has put into callee-saved registers;
     and it is not a landing pad, which may do both.

   Behind a call through an unknown pointer, any path to a return is enough,
   and so is a loop around the call.

   If one call returns, all calls of the same function, or through the same
   word, do: compilers treat "never returns" as a part of the function's type.
   This is assumed even of words that the program may write.  There is one
   exception: a call with code behind it that a pointer leads to, and from
   which no path returns, stays doubtful.  That code may be another function.

   Jump tables without a bound have the same problem.  If pointers to functions
   that never return follow the table, nothing shows its end, and each of these
   functions would get rows of this one.  So the table ends behind its last
   entry from which a path returns, or reaches code that is also reached
   without such tables, or jumps by a table that such code jumps by.  The first
   entry is always there.  */

#include "analysis/routine.h"

enum
{
  INSTRUCTIONS_MAX = 16, /* examined behind a call */
  LANDING_MAX = 64,      /* the same, for its result and for loops */
  ROUNDS_MAX = 16        /* if it takes more rounds, calls stay doubtful */
};

/* Return the node behind NUMBER if the path goes on there, or NODE_NONE.  */
static uint32_t
next_node (const struct routine *routine, uint32_t number)
{
  uint32_t next = routine_find_behind (routine, number);
  return next != NODE_NONE && routine->nodes[next].predecessor == number
             ? next
             : NODE_NONE;
}

/* Return the node that NUMBER jumps to, or NODE_NONE.  */
static uint32_t
target_of (const struct routine *routine, uint32_t number)
{
  const struct insn *insn = &routine->nodes[number].insn;
  return insn->flow == FLOW_JUMP || insn->flow == FLOW_BRANCH
             ? address_map_get (&routine->node_numbers, insn->target)
             : NODE_NONE;
}

/* Whether node NUMBER, if there is one, reaches a return.  */
static bool
reaches_return (const struct routine *routine, uint32_t number)
{
  return number != NODE_NONE && routine->nodes[number].reaches_return;
}

/* Call PROPAGATE until nothing changes.  */
static void
iterate_to_fixpoint (struct routine *routine,
                     bool (*propagate) (struct routine *routine))
{
  for (int i = 0; i < ROUNDS_MAX && propagate (routine); i++)
    continue;
}

/* Propagate reaches_return backwards along the edges, from the last node to
   the first: nodes are mostly numbered in the order of the code.  Return
   whether anything changed.  */
static bool
propagate_backwards (struct routine *routine)
{
  bool changed = false;
  for (size_t i = routine->n_edges; i-- > 0;)
    {
      struct routine_node *from = &routine->nodes[routine->edges[i].from];
      bool back = reaches_return (routine, routine->edges[i].to);
      changed |= back && !from->reaches_return;
      from->reaches_return |= back;
    }
  for (uint32_t i = (uint32_t)routine->n_nodes; i-- > 0;)
    {
      struct routine_node *node = &routine->nodes[i];
      if (node->reaches_return && node->reaches_return_alone)
        continue;
      uint32_t next = next_node (routine, i);
      bool back = node->reaches_return || reaches_return (routine, next)
                  || reaches_return (routine, target_of (routine, i));
      bool straight
          = node->insn.flow == FLOW_RETURN
            || (next != NODE_NONE && routine->nodes[next].block == NODE_NONE
                && routine->nodes[next].reaches_return_alone);
      changed |= back != node->reaches_return
                 || straight != node->reaches_return_alone;
      node->reaches_return = back;
      node->reaches_return_alone = straight;
    }
  return changed;
}

/* Return the key of a call in functions->returned: its target, or the constant
   address of a pointer.  0: unknown.  */
static uint64_t
call_key (const struct routine *routine, const struct insn *insn)
{
  if (insn->flow == FLOW_CALL)
    return insn->target;
  return routine_called_place (routine->context, insn);
}

/* Whether a pointer leads to the code behind node NUMBER, perhaps behind
   padding, so that a function may begin there.  */
static bool
has_pointer_behind (const struct routine *routine, uint32_t number)
{
  while ((number = next_node (routine, number)) != NODE_NONE)
    {
      const struct insn *insn = &routine->nodes[number].insn;
      if (address_list_has (&routine->context->facts->pointed, insn->address))
        return true;
      if (!insn->is_nop)
        return false;
    }
  return false;
}

/* Whether the code behind the call reads callee-saved registers that the
   routine has written, other than by saving them.  No function begins so.  */
static bool
uses_own_registers_after (const struct routine *routine, uint32_t number)
{
  const struct code_machine *machine = routine->machine;
  uint32_t preserved = machine->preserved & ~reg_mask (machine->arch->sp);
  uint32_t gone = 0;
  for (int i = 0; i < INSTRUCTIONS_MAX; i++)
    {
      number = next_node (routine, number);
      if (number == NODE_NONE || routine->nodes[number].block != NODE_NONE)
        return false;
      const struct insn *insn = &routine->nodes[number].insn;
      uint32_t used = insn->reads;
      if (insn->op == OP_MOVE && !(preserved >> insn->to & 1))
        used |= routine->written & UINT32_C (1) << insn->from;
      if (used & preserved & ~gone)
        return true;
      if (insn->flow != FLOW_NEXT)
        return false;
      gone |= insn_written (insn);
    }
  return false;
}

/* Return the node after NUMBER on the path, or NODE_NONE.  */
static uint32_t
next_on_path (const struct routine *routine, uint32_t number)
{
  const struct insn *insn = &routine->nodes[number].insn;
  if (insn->flow == FLOW_JUMP)
    return address_map_get (&routine->node_numbers, insn->target);
  return insn->flow == FLOW_NEXT || insn->flow == FLOW_BRANCH
                 || insn_is_call (insn)
             ? routine_find_behind (routine, number)
             : NODE_NONE;
}

/* Masks of registers behind a call that may have a landing pad there.  */
struct landing
{
  uint32_t results; /* the results of the call, or the exception */
  uint32_t first;   /* the first result, or the exception itself */
  bool moves;       /* a result was copied elsewhere */
};

/* Update LANDING by INSN.  Return whether INSN uses the first result as no
   landing pad uses an exception: as a number, as an address, or as an argument
   other than the first.  */
static bool
uses_result (const struct code_machine *machine, const struct insn *insn,
             struct landing *landing)
{
  uint32_t arguments = machine->clobbered & ~machine->results
                       & ~(UINT32_C (1) << machine->first_argument);
  if ((insn->reads & landing->first)
      || (insn_is_call (insn) && (landing->first & arguments)))
    return true;
  bool copies = insn->op == OP_MOVE && (landing->first >> insn->from & 1);
  uint32_t gone
      = insn_written (insn) | (insn_is_call (insn) ? machine->clobbered : 0);
  if (insn->op != OP_NONE)
    landing->moves |= (landing->results & reg_mask (insn->from))
                      || (insn->op == OP_STORE && insn->is_pair
                          && (landing->results & reg_mask (insn->second)));
  landing->results &= ~gone;
  landing->first &= ~gone;
  landing->first |= copies ? UINT32_C (1) << insn->to : 0;
  return false;
}

/* Whether the code behind call NUMBER may be a landing pad.  A pad has the
   routine's registers and may return, but is no evidence that the call
   returns.  Its first instructions copy the exception from the registers in
   which the unwinder passes it, which are those of a call's result.  Only the
   runtime reads an exception.  */
static bool
may_have_pad_behind (const struct routine *routine, uint32_t number)
{
  const uint32_t results = routine->machine->results;
  struct landing landing = { results, results & -results, false };
  number = routine_find_behind (routine, number);
  for (int i = 0; i < LANDING_MAX && number != NODE_NONE; i++)
    {
      if (uses_result (routine->machine, &routine->nodes[number].insn,
                       &landing))
        return false;
      number = landing.results | landing.first ? next_on_path (routine, number)
                                               : NODE_NONE;
    }
  return landing.moves;
}

/* Observe that a call of CALLEE returns.  */
static void
observe_return (struct routine *routine, uint64_t callee)
{
  if (!routine_has_returned (routine, callee))
    routine_observe (routine, OBSERVED_RETURNED, callee);
}

/* Whether the path behind call NUMBER goes back to code in front of the call:
   such a loop belongs to the routine.  Another function behind the routine may
   jump to the routine's entry, by a tail call, but nowhere else into it.  */
static bool
loops_back_over_call (const struct routine *routine, uint32_t number)
{
  const uint64_t call = routine->nodes[number].insn.address;
  for (int i = 0; i < LANDING_MAX; i++)
    {
      number = next_node (routine, number);
      if (number == NODE_NONE)
        return false;
      const struct insn *insn = &routine->nodes[number].insn;
      bool jumps = insn->flow == FLOW_JUMP || insn->flow == FLOW_BRANCH;
      if (jumps && insn->target > routine->entry && insn->target <= call)
        return true;
    }
  return false;
}

/* Whether call NUMBER of CALLEE (0: unknown), which the code behind it does
   not show to return, may be the last instruction of the function.  If a
   pointer leads to the code behind the call, that may be another function.
   Behind an unknown callee, a loop or a path to a return shows that the
   function goes on.  */
static bool
may_be_last (const struct routine *routine, uint32_t number, uint64_t callee)
{
  const struct insn *insn = &routine->nodes[number].insn;
  bool back = reaches_return (routine, next_node (routine, number));
  bool has_pointer = has_pointer_behind (routine, number);
  if (callee == 0)
    return has_pointer || !(back || loops_back_over_call (routine, number));
  if (back)
    return false;
  if (has_pointer)
    return true;
  if (routine_has_returned (routine, callee))
    return false;
  /* A function of the image may be known by its address or its GOT word.  */
  const struct relocated *word = routine_called_word (routine->context, insn);
  return !word || !word->is_got || word->value == 0
         || !routine_has_returned (routine, word->value);
}

static void
judge_call (struct routine *routine, uint32_t number)
{
  const struct routine_node *node = &routine->nodes[number];
  if (next_node (routine, number) == NODE_NONE)
    return;
  uint64_t callee = call_key (routine, &node->insn);
  if ((node->reaches_return_alone
       || uses_own_registers_after (routine, number))
      && !may_have_pad_behind (routine, number))
    {
      if (callee != 0)
        observe_return (routine, callee);
    }
  else if (may_be_last (routine, number, callee)
           && !address_map_set (&routine->doubtful, node->insn.address, 0))
    routine_fail (routine, ROUTINE_TOO_MUCH, node->insn.address);
}

/* Whether some call of the routine is not yet known to return.  */
static bool
has_undecided_call (const struct routine *routine)
{
  for (uint32_t i = 0; i < routine->n_nodes; i++)
    {
      const struct insn *insn = &routine->nodes[i].insn;
      uint64_t callee = insn_is_call (insn) ? call_key (routine, insn) : 0;
      if (insn_is_call (insn)
          && (callee == 0 || !routine_has_returned (routine, callee)
              || has_pointer_behind (routine, i)))
        return true;
    }
  return false;
}

bool
routine_find_doubtful_calls (struct routine *routine)
{
  const struct insn call = { .flow = FLOW_CALL, .target = routine->entry };
  bool is_stub = routine_called_place (routine->context, &call) != 0;
  /* The routine returns if some node at its end does.  If that is a jump to
     another function, that function returns, too, because compilers make no
     tail call of a function that never does.  PLT stubs, however, jump to such
     functions as well.  */
  for (size_t i = 0; !is_stub && i < routine->n_nodes; i++)
    if (routine->nodes[i].reaches_return)
      {
        observe_return (routine, routine->entry);
        if (routine->nodes[i].insn.flow == FLOW_JUMP)
          observe_return (routine, routine->nodes[i].insn.target);
      }
  if (!has_undecided_call (routine))
    return false;
  iterate_to_fixpoint (routine, propagate_backwards);
  routine->written = 0;
  for (size_t i = 0; i < routine->n_nodes; i++)
    routine->written |= insn_written (&routine->nodes[i].insn);
  for (uint32_t i = 0; i < routine->n_nodes; i++)
    if (insn_is_call (&routine->nodes[i].insn))
      judge_call (routine, i);
  return routine->doubtful.n_used > 0;
}

/* ---- Jump tables */

static bool
is_bounded (const struct routine *routine, const struct routine_edge *edge)
{
  return routine->tables.tables[edge->table].max != UINT64_MAX;
}

/* Mark node NUMBER as surely reached.  Return whether that is new.  */
static bool
mark_reached (struct routine *routine, uint32_t number)
{
  if (number == NODE_NONE || routine->nodes[number].is_surely_reached)
    return false;
  return routine->nodes[number].is_surely_reached = true;
}

/* Propagate is_surely_reached forwards.  Return whether anything changed.  */
static bool
propagate_forwards (struct routine *routine)
{
  bool changed = mark_reached (routine, 0);
  for (uint32_t i = 0; i < routine->n_nodes; i++)
    {
      if (!routine->nodes[i].is_surely_reached)
        continue;
      changed |= mark_reached (routine, next_node (routine, i));
      changed |= mark_reached (routine, target_of (routine, i));
    }
  for (size_t i = 0; i < routine->n_edges; i++)
    if (routine->nodes[routine->edges[i].from].is_surely_reached
        && is_bounded (routine, &routine->edges[i]))
      changed |= mark_reached (routine, routine->edges[i].to);
  return changed;
}

/* Extend reaches_return to all nodes that certainly belong to the function: a
   path from such a node returns, reaches a surely reached node, or jumps by a
   table that a surely reached node jumps by.  */
static void
find_nodes_of_function (struct routine *routine)
{
  struct jump_table *tables = routine->tables.tables;
  iterate_to_fixpoint (routine, propagate_forwards);
  for (size_t i = 0; i < routine->n_nodes; i++)
    routine->nodes[i].reaches_return |= routine->nodes[i].is_surely_reached;
  for (size_t i = 0; i < routine->n_edges; i++)
    tables[routine->edges[i].table].is_certain
        |= routine->nodes[routine->edges[i].from].is_surely_reached;
  for (size_t i = 0; i < routine->n_edges; i++)
    routine->nodes[routine->edges[i].from].reaches_return
        |= tables[routine->edges[i].table].is_certain;
  iterate_to_fixpoint (routine, propagate_backwards);
}

bool
routine_end_tables (struct routine *routine)
{
  bool changed = false;
  if (!routine->context->request->beyond_cfi || routine->n_edges == 0
      || routine->result.calls_unregistered
      || covered_code_at (routine->context->covered_code, routine->entry))
    return false;
  find_nodes_of_function (routine);
  for (size_t i = 0; i < routine->n_edges; i++)
    {
      const struct routine_edge *edge = &routine->edges[i];
      struct jump_table *table = &routine->tables.tables[edge->table];
      if (routine->nodes[edge->to].reaches_return
          && edge->index >= table->n_confirmed)
        table->n_confirmed = edge->index + 1;
    }
  /* A table ends behind its last entry that belongs to the function.  */
  for (size_t i = 0; i < routine->n_edges; i++)
    {
      const struct routine_edge *edge = &routine->edges[i];
      struct jump_table *table = &routine->tables.tables[edge->table];
      uint32_t n = table->n_confirmed > 0 ? table->n_confirmed : 1;
      if (edge->index < n || is_bounded (routine, edge))
        continue;
      table->n_confirmed = UINT32_MAX; /* so that its end is added once */
      changed = true;
      if (!address_list_add (&routine->table_ends,
                             table->address + (uint64_t)n * table->width))
        routine_fail (routine, ROUTINE_TOO_MUCH, routine->entry);
    }
  if (changed && !address_list_sort (&routine->table_ends))
    routine_fail (routine, ROUTINE_TOO_MUCH, routine->entry);
  return changed;
}
