/* Which calls of a function are seen to return, and which entries of tables.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Imported functions that never return are known by name only if they are in
   libc and the like.  Behind a call of another function that never returns
   there is the next function of the image, and nothing shows it where the next
   function does not return, either.  So what is behind a call counts only if
   it returns to the caller, or if the callee was seen to return elsewhere.

   Where no CFI tells the end of a function, a call of something that never
   returns may be its last instruction, and what is behind it another function,
   which would get the rows of this one.  So a call of what was never seen to
   return is doubtful, unless the code behind the call is the function's own:
   it goes straight to a return, which routine_check.c has found to have the
   function's own frame, or it goes on with what the function has put into
   registers that belong to its callers.  A landing pad shows neither.  Behind
   a call by an unknown pointer, any way to a return will do, and a loop around
   the call.

   One call that is seen to return shows it of all calls of the same function,
   or by way of the same word: whether a function returns is a part of its
   type, as compilers see it.  That is assumed of words which the program may
   write.  It is shown of no call with code behind it that a pointer leads to
   and that has no way to a return: that code may be another function.

   Nor does anything show the end of a jump table without a bound, where it is
   analysed by pointers to functions that never return: each of them would
   get the rows of the function with the table.  So the table ends behind the
   last entry from which a path returns, or gets to code that is reached
   without such tables, or jumps by a table that such code jumps by.  Its first
   entry is there in any case.  */

#include "analysis/routine.h"

enum
{
  INSTRUCTIONS_MAX = 16, /* looked at behind a call */
  LANDING_MAX = 64,      /* the same, for its result and for loops */
  ROUNDS_MAX = 16        /* what takes longer counts as not seen to return */
};

/* The node that NUMBER goes on with, or NODE_NONE.  */
static uint32_t
next_node (const struct routine *routine, uint32_t number)
{
  uint32_t next = routine_find_behind (routine, number);
  return next != NODE_NONE && routine->nodes[next].predecessor == number
             ? next
             : NODE_NONE;
}

/* The node that NUMBER jumps to, or NODE_NONE.  */
static uint32_t
target_of (const struct routine *routine, uint32_t number)
{
  const struct insn *insn = &routine->nodes[number].insn;
  return insn->flow == FLOW_JUMP || insn->flow == FLOW_BRANCH
             ? address_map_get (&routine->numbers, insn->target)
             : NODE_NONE;
}

/* Whether node NUMBER, if there is one, goes back.  */
static bool
reaches_return (const struct routine *routine, uint32_t number)
{
  return number != NODE_NONE && routine->nodes[number].reaches_return;
}

/* Have SPREAD go over the routine until nothing changes.  */
static void
iterate_to_fixpoint (struct routine *routine,
                     bool (*propagate) (struct routine *routine))
{
  for (int i = 0; i < ROUNDS_MAX && propagate (routine); i++)
    continue;
}

/* From the end to the beginning: nodes mostly have the numbers of the order
   that they are in.  Whether anything changed.  */
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

/* What a call is known by: where it leads, or the constant place of a pointer.
   0: it is not known.  */
static uint64_t
call_key (const struct routine *routine, const struct insn *insn)
{
  if (insn->flow == FLOW_CALL)
    return insn->target;
  return routine_called_place (routine->context, insn);
}

/* Whether a pointer leads to what is behind node NUMBER, perhaps behind
   padding: a function may begin there.  */
static bool
is_in_front_of_pointed (const struct routine *routine, uint32_t number)
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

/* Whether what is behind the call goes on with what the routine has put into
   registers that belong to callers, and uses these other than by saving them:
   no function begins_insn so.  */
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
        used |= routine->changed & UINT32_C (1) << insn->from;
      if (used & preserved & ~gone)
        return true;
      if (insn->flow != FLOW_NEXT)
        return false;
      gone |= insn_written (insn);
    }
  return false;
}

/* The node that the path goes on with behind node NUMBER, or NODE_NONE: by a
   jump, or else straight on.  */
static uint32_t
node_after (const struct routine *routine, uint32_t number)
{
  const struct insn *insn = &routine->nodes[number].insn;
  if (insn->flow == FLOW_JUMP)
    return address_map_get (&routine->numbers, insn->target);
  return insn->flow == FLOW_NEXT || insn->flow == FLOW_BRANCH
                 || insn_is_call (insn)
             ? routine_find_behind (routine, number)
             : NODE_NONE;
}

/* What the registers hold behind a call that may be a landing pad: masks.  */
struct landing
{
  uint32_t results; /* the results of the call, or what the unwinder has put */
  uint32_t first;   /* the first of these: the exception */
  bool moves;       /* some of it was moved away */
};

/* Follow INSN.  Whether the first result is used in a way in which no landing
   pad uses an exception: as a number, as an address, or as an argument other
   than the first.  */
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

/* Whether call NUMBER may have a landing pad behind it.  A pad has the
   routine's registers and may return, but shows only that the call throws.
   With its first instructions a pad moves the exception away from where the
   unwinder has put it, which is where a call that returns has its result.
   Nothing but the runtime looks into an exception.  */
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
      number = landing.results | landing.first ? node_after (routine, number)
                                               : NODE_NONE;
    }
  return landing.moves;
}

/* A call of CALLEE was seen to return.  */
static void
observe_return (struct routine *routine, uint64_t callee)
{
  if (!routine_has_returned (routine, callee))
    routine_observe (routine, OBSERVED_RETURNED, callee);
}

/* Whether the path behind call NUMBER leads back in front of the call: such a
   loop is the routine's.  What follows the routine may go on at its entry, by
   a tail call, but nowhere else in it.  */
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

/* Whether call NUMBER of CALLEE (0: unknown), which nothing behind it shows to
   return, may be the last instruction on its path.  Where a pointer leads to
   what is behind it, that may be a function.  Behind an unknown callee, its
   returns are not the routine's.  */
static bool
may_be_last (const struct routine *routine, uint32_t number, uint64_t callee)
{
  const struct insn *insn = &routine->nodes[number].insn;
  bool back = reaches_return (routine, next_node (routine, number));
  bool is_pointed = is_in_front_of_pointed (routine, number);
  if (callee == 0)
    return is_pointed || !(back || loops_back_over_call (routine, number));
  if (back)
    return false;
  if (is_pointed)
    return true;
  if (routine_has_returned (routine, callee))
    return false;
  /* A function of the image that is called by way of the GOT is known by its
     address, too.  */
  const struct relocated *word = routine_called_word (routine->context, insn);
  return !word || !word->is_got || word->value == 0
         || !routine_has_returned (routine, word->value);
}

static void
note_call (struct routine *routine, uint32_t number)
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

/* Whether some call of the routine returns, which was not known before.  */
static bool
has_undecided_call (const struct routine *routine)
{
  for (uint32_t i = 0; i < routine->n_nodes; i++)
    {
      const struct insn *insn = &routine->nodes[i].insn;
      uint64_t callee = insn_is_call (insn) ? call_key (routine, insn) : 0;
      if (insn_is_call (insn)
          && (callee == 0 || !routine_has_returned (routine, callee)
              || is_in_front_of_pointed (routine, i)))
        return true;
    }
  return false;
}

bool
routine_note_returns (struct routine *routine)
{
  const struct insn call = { .flow = FLOW_CALL, .target = routine->entry };
  bool is_stub = routine_called_place (routine->context, &call) != 0;
  /* The routine returns if a node where it ends does.  If that is a jump to
     another function, that one returns, too: no compiler makes a tail call of
     a function that never does.  Stubs jump to such functions as well.  */
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
  routine->changed = 0;
  for (size_t i = 0; i < routine->n_nodes; i++)
    routine->changed |= insn_written (&routine->nodes[i].insn);
  for (uint32_t i = 0; i < routine->n_nodes; i++)
    if (insn_is_call (&routine->nodes[i].insn))
      note_call (routine, i);
  return routine->doubtful.n_used > 0;
}

/* ---- Tables */

static bool
is_bounded (const struct routine *routine, const struct routine_edge *edge)
{
  return routine->tables.tables[edge->table].max != UINT64_MAX;
}

/* Note that a path gets to node NUMBER without a table without a bound.
   Whether that was not known.  */
static bool
mark_reached (struct routine *routine, uint32_t number)
{
  if (number == NODE_NONE || routine->nodes[number].is_surely_reached)
    return false;
  return routine->nodes[number].is_surely_reached = true;
}

/* From the beginning to the end.  Whether anything changed.  */
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

/* Have each node go back from which a path returns, gets to a certain one, or
   jumps by a table that a certain one jumps by.  */
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
  /* A table ends in front of an entry if no entry from there on goes back.  */
  for (size_t i = 0; i < routine->n_edges; i++)
    {
      const struct routine_edge *edge = &routine->edges[i];
      struct jump_table *table = &routine->tables.tables[edge->table];
      uint32_t n = table->n_confirmed > 0 ? table->n_confirmed : 1;
      if (edge->index < n || is_bounded (routine, edge))
        continue;
      table->n_confirmed = UINT32_MAX; /* once is enough */
      changed = true;
      if (!address_list_add (&routine->ends,
                             table->address + (uint64_t)n * table->width))
        routine_fail (routine, ROUTINE_TOO_MUCH, routine->entry);
    }
  if (changed && !address_list_sort (&routine->ends))
    routine_fail (routine, ROUTINE_TOO_MUCH, routine->entry);
  return changed;
}
