/* The meeting of two paths.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/state_join.h"

/* No compiler branches by flags that were set on another path.  */
void
state_settle (struct state *state, uint64_t at)
{
  state->has_compared = state->has_equals = false;
  state->tested = VALUE_OPAQUE;
  for (unsigned reg = 0; reg < state->machine->n_registers; reg++)
    {
      struct value *value = &state->registers[reg];
      if (value_is_anonymous (*value) && !state_is_bounded (state, *value))
        *value = value_new ((enum value_kind)value->kind, at, reg);
    }
}

/* VALUE as a target of jumps, if it is a constant.  */
static struct value
as_target (struct value value, struct jump_tables *tables)
{
  uint32_t number;
  if (value_is_address (value) && value.number > 0
      && jump_tables_note_address (tables, (uint64_t)value.number, &number))
    return value_of (VALUE_TARGET, number);
  return value;
}

/* What was read from one jump table or another; or, in place of reading from
   one, a label of the function.  False: A and B are not of that kind.  */
static bool
join_tables (struct value *met, struct value a, struct value b,
             struct jump_tables *tables)
{
  if (value_is_target (a))
    b = as_target (b, tables);
  else if (value_is_target (b))
    a = as_target (a, tables);
  bool entries = value_is_entry (a) && value_is_entry (b);
  bool targets = value_is_target (a) && value_is_target (b);
  if ((!entries && !targets) || value_tables (a) == 0 || value_tables (b) == 0)
    return false;
  *met = value_of (entries ? VALUE_ENTRIES : VALUE_TARGETS,
                   (int64_t)(value_tables (a) | value_tables (b)));
  return true;
}

/* Whether it is known of VALUE what it is, or that it was computed: where two
   such that differ meet, one of them at most is the caller's.  */
static bool
is_definite (struct value value)
{
  return value.kind == VALUE_OPAQUE || value_is_constant (value)
         || value.kind == VALUE_SAVED || value.kind == VALUE_SIGNED
         || value_is_stack (value);
}

static struct value
value_join (struct value a, struct value b, uint64_t at, unsigned reg,
            struct jump_tables *tables)
{
  struct value met;
  bool anonymous = value_is_anonymous (a) && value_is_anonymous (b);
  if (!anonymous && join_tables (&met, a, b, tables))
    return met;
  if (value_is_address (a) && value_is_address (b) && a.number == b.number)
    return value_of (VALUE_KEPT, a.number);
  return value_new (is_definite (a) && is_definite (b) ? VALUE_OPAQUE
                                                       : VALUE_MIXED,
                    at, reg);
}

/* Whether nothing that meets VALUE, which register REG has at AT, changes it:
   mostly it was made where paths met here before.  */
static bool
stays (struct value value, struct value other, uint64_t at, unsigned reg)
{
  return value_equal (value, other)
         || value_equal (value, value_new (VALUE_MIXED, at, reg))
         || (is_definite (other)
             && value_equal (value, value_new (VALUE_OPAQUE, at, reg)));
}

static bool
join_registers (struct state *state, const struct state *other, uint64_t at)
{
  bool changed = false;
  for (unsigned reg = 0; reg < state->machine->n_registers; reg++)
    {
      struct value *value = &state->registers[reg];
      if (stays (*value, other->registers[reg], at, reg))
        continue;
      struct value met
          = value_join (*value, other->registers[reg], at, reg, state->tables);
      changed |= !value_equal (met, *value);
      *value = met;
    }
  return changed;
}

/* The slot of OTHER that slot INDEX of STATE is the same as, or n_slots.
   Mostly both have the same slots in the same order.  */
static unsigned
same_slot (const struct state *state, const struct state *other,
           unsigned index)
{
  const struct slot *slot = &state->slots[index];
  unsigned i = index;
  if (i >= other->n_slots || !value_equal (other->slots[i].place, slot->place))
    i = state_find_slot (other, slot->place);
  return i < other->n_slots && value_equal (other->slots[i].value, slot->value)
             ? i
             : other->n_slots;
}

static bool
join_slots (struct state *state, const struct state *other)
{
  bool changed = false;
  for (unsigned i = state->n_slots; i-- > 0;)
    {
      unsigned same = same_slot (state, other, i);
      uint64_t released = other->released >> same & 1;
      if (same == other->n_slots)
        state_remove_slot (state, i);
      else if (released & ~(state->released >> i))
        state->released |= released << i;
      else
        continue;
      changed = true;
    }
  return changed;
}

static bool
join_bounds (struct state *state, const struct state *other)
{
  bool changed = false;
  for (unsigned i = state->n_bounds; i-- > 0;)
    {
      struct limit *limit = &state->bounds[i].limit;
      struct limit met = state_bound_of (other, &state->bounds[i].subject);
      bool was_weak = limit->is_weak;
      limit->is_weak |= met.is_weak || met.max != limit->max;
      if (met.max == UINT64_MAX)
        state_remove_bound (state, i);
      else if (met.max > limit->max)
        limit->max = met.max;
      else if (limit->is_weak == was_weak)
        continue;
      changed = true;
    }
  return changed;
}

bool
state_join (struct state *state, const struct state *other, uint64_t at)
{
  bool changed = join_registers (state, other, at);
  changed |= join_slots (state, other);
  changed |= join_bounds (state, other);
  changed |= other->is_child_too && !state->is_child_too;
  changed |= other->has_asked && !state->has_asked;
  changed |= other->trusts_sp && !state->trusts_sp;
  state->is_child_too |= other->is_child_too;
  state->has_asked |= other->has_asked;
  state->trusts_sp |= other->trusts_sp;
  if (other->base_limit > state->base_limit
      || (state->base_is_below && !other->base_is_below))
    {
      state->base_limit = other->base_limit > state->base_limit
                              ? other->base_limit
                              : state->base_limit;
      state->base_is_below &= other->base_is_below;
      changed = true;
    }
  return changed;
}
