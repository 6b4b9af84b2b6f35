/* Targets of jumps, direct and through jump tables.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An indirect jump is followed through the tables that its target was loaded
   from (jump_table.h), up to a bound, or while entries stay in the
   function.  */

#include "analysis/routine.h"

#include "base/array.h"

enum
{
  REFERENCED_ENTRIES_MAX = 4096, /* of a table that may be taken as a whole */
  PADDING_STEPS = 16             /* between functions */
};

/* Whether only padding is between ADDRESS and the start of another function,
   so that no path reaches ADDRESS.  */
static bool
is_behind_the_end (const struct routine *routine, uint64_t address)
{
  struct insn_step step = { .is_nop = true };
  for (int i = 0; i < PADDING_STEPS && step.is_nop; i++)
    {
      const struct code_function *function
          = functions_at (routine->context->functions, address);
      if (function && routine_is_start (routine, address)
          && function_is_certain (function))
        return true;
      if (!facts_step (routine->context->facts, address, &step))
        return false;
      address += step.size;
    }
  return false;
}

bool
routine_is_never_taken (const struct routine *routine, const struct insn *insn)
{
  return insn->condition == CONDITION_ABOVE
         && is_behind_the_end (routine, insn->target);
}

/* Add the edge from node FROM to TARGET, entry INDEX of table number TABLE.
   Huge functions drop edges: then calls look doubtful and tables short, which
   makes no wrong row.  */
static void
add_edge (struct routine *routine, uint32_t from, uint64_t target,
          uint32_t table, uint32_t index)
{
  if (from == NODE_NONE || routine->n_edges >= routine->nodes_max)
    return;
  uint32_t to = address_map_get (&routine->node_numbers, target);
  if (to == NODE_NONE)
    return;
  if (ARRAY_ROOM (routine->edges, routine->n_edges + 1,
                  &routine->edges_capacity))
    routine->edges[routine->n_edges++]
        = (struct routine_edge){ from, to, table, index };
  else
    routine_fail (routine, ROUTINE_TOO_MUCH, routine->nodes[to].insn.address);
}

void
routine_jump (struct routine *routine, uint64_t target,
              const struct state *state)
{
  if (routine_is_start (routine, target))
    return;
  uint32_t number = routine_node_at (routine, target);
  if (number != NODE_NONE)
    routine_join (routine, number, state);
}

/* Find the jump tables of INSN, an indirect jump: *TARGET is set to an entry
   or a target of them.  False: it uses none.  */
static bool
find_tables (struct routine *routine, const struct insn *insn,
             const struct state *state, struct value *target)
{
  uint32_t number;
  if (insn->from == REG_NONE)
    {
      bool reads = insn->width == 8 && state_table (state, insn, &number);
      *target = value_of (VALUE_TABLE_ENTRY, reads ? number : 0);
      return reads;
    }
  *target = state->registers[insn->from];
  if (value_is_address (*target)
      && jump_tables_add (
          &routine->tables,
          &(struct jump_table){ .address = (uint64_t)target->number },
          &number))
    *target = value_of (VALUE_TABLE_TARGET, number);
  if (value_is_table_target (*target))
    return true;
  if (!value_is_table_entry (*target))
    return false;
  for (number = TABLE_NONE; value_next_table (*target, &number);)
    if (routine->tables.tables[number].width != 8)
      return false;
  return true;
}

/* Return the latest end of the table at ADDRESS.  */
static uint64_t
find_table_end (const struct routine *routine, uint64_t address)
{
  const uint64_t ends[]
      = { facts_next_reference (routine->context->facts, address),
          address_list_next (&routine->table_ends, address),
          address_list_next (&routine->context->facts->table_ends, address) };
  uint64_t end = ends[0] < ends[1] ? ends[0] : ends[1];
  return ends[2] < end ? ends[2] : end;
}

/* Whether TARGET is in the function: in its main code, or in a part.  Words
   that happen to look like offsets are trusted only within the part that reads
   TABLE.  */
static bool
is_inside (const struct routine *routine, const struct jump_table *table,
           uint64_t target)
{
  const struct code_range *part
      = covered_code_part (routine->context->covered_code, target);
  return (target >= routine->entry && target < routine->end)
         || (part
             && (table->width == 8
                 || part
                        == covered_code_part (routine->context->covered_code,
                                              table->reader)));
}

/* Give TABLE, which has no bound, one: if it ends at a referenced address, and
   all of its words lead to this function or to parts of functions, it is taken
   as a whole.  Few tables lead to parts; but a table that begins with such an
   entry would have no entry otherwise.  */
static void
bound_by_references (const struct routine *routine, struct jump_table *table)
{
  uint64_t n = (table->end - table->address) / 4, target;
  if (table->width != 4 || table->max != UINT64_MAX
      || n > REFERENCED_ENTRIES_MAX)
    return;
  for (uint64_t i = 0; i < n; i++)
    if (!jump_table_target (table, routine->context->facts, i, &target)
        || ((target < routine->entry || target >= routine->end)
            && !covered_code_part (routine->context->covered_code, target)))
      return;
  table->max = n - 1;
}

/* Accept TABLE, which is in writable data, if all entries that the bound
   allows are offsets from the table itself and lead into the function.
   Nothing else looks like that.  Free Pascal has its jump tables among the
   data.  */
static void
accept_table_in_data (struct routine *routine, struct jump_table *table)
{
  uint64_t target, i = 0;
  if (table->width != 4 || table->base != table->address || table->max == 0)
    return;
  table->is_in_data = true;
  while (i <= table->max
         && jump_table_target (table, routine->context->facts, i, &target)
         && target >= routine->entry && target < routine->end)
    i++;
  routine->steps += i;
  table->is_in_data = i > table->max;
}

/* Whether TARGET is that of entries for values that a switch never has: a NOP
   at the end of the function (LLVM).  */
static bool
is_never_chosen (struct routine *routine, uint64_t target)
{
  uint32_t number = routine_node_at (routine, target);
  return number != NODE_NONE && routine->nodes[number].insn.is_nop
         && is_behind_the_end (routine, target);
}

/* Jump to all targets of table NUMBER.  Return whether there are any.  A table
   without a bound ends where an entry leaves the function.  */
static bool
jump_by_table (struct routine *routine, uint32_t number,
               const struct state *state, uint32_t node)
{
  struct jump_table table = routine->tables.tables[number];
  uint64_t target, i = 0;
  routine->result.reads_tables = true;
  table.end = find_table_end (routine, table.address);
  if (image_is_writable (routine->context->facts->image, table.address, 1))
    accept_table_in_data (routine, &table);
  bound_by_references (routine, &table);
  bool bounded = table.max != UINT64_MAX && table.width != 0;
  routine->result.reads_too_far |= table.max == UINT64_MAX && table.width == 8;
  while (routine->result.failure == ROUTINE_SOUND
         && routine->steps <= routine->steps_left
         && jump_table_target (&table, routine->context->facts, i, &target)
         && (bounded || is_inside (routine, &table, target)))
    {
      if (!is_never_chosen (routine, target))
        {
          routine_jump (routine, target, state);
          add_edge (routine, node, target, number, (uint32_t)i);
        }
      routine->steps++;
      i++;
    }
  return i > 0;
}

bool
routine_jump_by_tables (struct routine *routine, const struct insn *insn,
                        const struct state *state, uint32_t node)
{
  struct value target;
  if (!find_tables (routine, insn, state, &target))
    return false;
  bool resolved = true;
  for (uint32_t i = TABLE_NONE; value_next_table (target, &i);)
    resolved &= jump_by_table (routine, i, state, node);
  return resolved;
}
