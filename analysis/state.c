/* The parts of a state, and the join of two states.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/state.h"

void
state_enter (struct state *state, const struct code_machine *machine,
             struct jump_tables *tables)
{
  const struct arch *arch = machine->arch;
  memset (state, 0, sizeof *state);
  state->machine = machine;
  state->tables = tables;
  /* At a function's entry, a register that calls may change has an argument or
     nothing of use.  A callee-saved register has a value of the caller.
     Nothing is known of other registers.  */
  for (unsigned reg = 0; reg < machine->n_registers; reg++)
    state->registers[reg]
        = value_of (machine->preserved >> reg & 1   ? VALUE_SAVED
                    : machine->clobbered >> reg & 1 ? VALUE_COMPUTED
                                                    : VALUE_UNKNOWN,
                    reg);
  state->registers[arch->sp] = value_of (VALUE_CFA, arch->fixed_ra_offset);
  if (arch_tracks_ra (arch))
    {
      state->registers[arch->ra] = value_of (VALUE_SAVED, arch->ra);
      return;
    }
  state->slots[0] = (struct slot){ value_of (VALUE_CFA, arch->fixed_ra_offset),
                                   value_of (VALUE_SAVED, arch->ra) };
  state->n_slots = 1;
}

/* ---- Slots: words of the stack that do not overlap */

void
state_remove_slot (struct state *state, unsigned index)
{
  unsigned last = --state->n_slots;
  uint64_t popped = state->popped >> last & 1;
  state->slots[index] = state->slots[last];
  state->popped &= ~((uint64_t)1 << index) & ~((uint64_t)1 << last);
  if (index != last)
    state->popped |= popped << index;
}

/* Whether VALUE deserves a slot.  Constants may be addresses of jump tables or
   numbers of system calls; they and values from tables leave room for saved
   registers.  An image has no address above 4 GiB unless it is relocated.  */
static bool
is_worth_keeping (const struct state *state, struct value value)
{
  bool is_syscall = (value.kind == VALUE_NUMBER || value.kind == VALUE_HALF)
                    && value.number >= 0 && value.number < SYSCALLS_MAX;
  bool is_for_table = value_is_table_target (value)
                      || value_is_table_entry (value)
                      || (value_is_address (value) && value.number >= 0x1000
                          && value.number <= UINT32_MAX);
  return value.kind == VALUE_SAVED || value.kind == VALUE_SIGNED
         || value_is_stack (value)
         || (is_for_table && state->n_slots < STATE_SLOTS_MAX - 10)
         || (is_syscall && state->n_slots < STATE_SLOTS_MAX / 2);
}

void
state_store (struct state *state, struct value place, struct value value,
             unsigned width)
{
  if (place.kind != VALUE_CFA && place.kind != VALUE_BASE)
    return;
  for (unsigned i = state->n_slots; i-- > 0;)
    {
      const struct slot *slot = &state->slots[i];
      int64_t own = slot->value.kind == VALUE_HALF ? 4 : 8;
      if (slot->place.kind == place.kind
          && slot->place.number < place.number + (int64_t)width
          && place.number < slot->place.number + own)
        state_remove_slot (state, i);
    }
  /* 0 and 1 are stored so often that they get a slot only if pushed.  */
  if ((value.kind == VALUE_CONSTANT || value.kind == VALUE_RELOADED)
      && value.number > 1 && value.number < SYSCALLS_MAX)
    value.kind = VALUE_NUMBER;
  else if (value.kind == VALUE_CONSTANT)
    value.kind = VALUE_RELOADED;
  bool is_half = width == 4 && value.kind == VALUE_NUMBER;
  if (is_half)
    value = value_of (VALUE_HALF, value.number & UINT32_MAX);
  if ((width == 8 || is_half) && is_worth_keeping (state, value)
      && state->n_slots < STATE_SLOTS_MAX)
    state->slots[state->n_slots++] = (struct slot){ place, value };
}

unsigned
state_find_slot (const struct state *state, struct value place)
{
  unsigned i = 0;
  while (i < state->n_slots && !value_equal (state->slots[i].place, place))
    i++;
  return i;
}

struct value
state_load (const struct state *state, struct value place)
{
  unsigned i = state_find_slot (state, place);
  return i < state->n_slots && state->slots[i].value.kind != VALUE_HALF
             ? state->slots[i].value
             : value_of (VALUE_UNKNOWN, 0);
}

bool
state_load_half (const struct state *state, struct value place,
                 struct value *number)
{
  unsigned i = state_find_slot (state, place);
  if (i == state->n_slots
      || (state->slots[i].value.kind != VALUE_HALF
          && state->slots[i].value.kind != VALUE_NUMBER))
    return false;
  *number = value_of (VALUE_NUMBER, state->slots[i].value.number & UINT32_MAX);
  return true;
}

/* ---- Bounds */

static bool
subject_equal (const struct subject *a, const struct subject *b)
{
  return a->is_memory == b->is_memory && a->has_base == b->has_base
         && a->has_index == b->has_index && a->scale == b->scale
         && a->offset == b->offset && value_equal (a->base, b->base)
         && value_equal (a->index, b->index);
}

struct subject
state_memory (const struct state *state, const struct insn *insn)
{
  struct subject memory = { .is_memory = true, .offset = insn->offset };
  if (insn->base != REG_NONE)
    {
      memory.has_base = true;
      memory.base = state->registers[insn->base];
    }
  if (insn->index != REG_NONE)
    {
      memory.has_index = true;
      memory.index = state->registers[insn->index];
      memory.scale = insn->scale;
    }
  return memory;
}

struct limit
state_bound_of (const struct state *state, const struct subject *subject)
{
  for (unsigned i = 0; i < state->n_bounds; i++)
    if (subject_equal (&state->bounds[i].subject, subject))
      return state->bounds[i].limit;
  return (struct limit){ .max = UINT64_MAX };
}

struct limit
state_bound (const struct state *state, struct value value)
{
  struct subject subject = subject_of_value (value);
  return state_bound_of (state, &subject);
}

void
state_set_bound (struct state *state, const struct subject *subject,
                 struct limit limit)
{
  for (unsigned i = 0; i < state->n_bounds; i++)
    if (subject_equal (&state->bounds[i].subject, subject))
      {
        state->bounds[i].limit = limit;
        return;
      }
  if (state->n_bounds == STATE_BOUNDS_MAX)
    {
      memmove (state->bounds, state->bounds + 1,
               sizeof *state->bounds * (STATE_BOUNDS_MAX - 1));
      state->n_bounds--;
    }
  state->bounds[state->n_bounds++] = (struct bound){ *subject, limit };
}

static void
remove_bound (struct state *state, unsigned index)
{
  state->bounds[index] = state->bounds[--state->n_bounds];
}

/* Whether a store of WIDTH bytes at PLACE can change SUBJECT.  A store to a
   known place of the stack is assumed not to reach memory that is found by
   another pointer: compilers spill registers between a comparison and the
   switch that it is for.  */
static bool
is_changed_by (const struct subject *subject, struct value place,
               unsigned width)
{
  if (!subject->is_memory || !value_is_stack (place))
    return subject->is_memory;
  if (!subject->has_base || !value_is_stack (subject->base))
    return false;
  int64_t start = subject->base.number + subject->offset;
  return subject->has_index || subject->base.kind != place.kind
         || (start < place.number + (int64_t)width
             && place.number < start + 8);
}

void
state_forget_bounds (struct state *state, struct value place, unsigned width)
{
  for (unsigned i = state->n_bounds; i-- > 0;)
    if (is_changed_by (&state->bounds[i].subject, place, width))
      remove_bound (state, i);
  state->has_compared &= !is_changed_by (&state->compared, place, width);
}

/* Whether the subject of BOUND depends on VALUE.  */
static bool
depends_on (const struct bound *bound, struct value value)
{
  return value_equal (bound->subject.base, value)
         || value_equal (bound->subject.index, value);
}

void
state_forget_value (struct state *state, struct value value)
{
  for (unsigned i = state->n_bounds; i-- > 0;)
    if (depends_on (&state->bounds[i], value))
      remove_bound (state, i);
}

/* ---- Joins */

/* Compilers do not branch on flags from before a join.  */
void
state_renumber (struct state *state, uint64_t at)
{
  state->has_compared = state->has_equals = false;
  state->tested = VALUE_COMPUTED;
  for (unsigned reg = 0; reg < state->machine->n_registers; reg++)
    {
      struct value *value = &state->registers[reg];
      bool is_bounded = false;
      if (!value_is_anonymous (*value))
        continue;
      for (unsigned i = 0; i < state->n_bounds; i++)
        is_bounded |= depends_on (&state->bounds[i], *value);
      if (!is_bounded)
        *value = value_new ((enum value_kind)value->kind, at, reg);
    }
}

/* Return VALUE, if it is a constant, as a target of jumps.  */
static struct value
as_target (struct value value, struct jump_tables *tables)
{
  uint32_t number;
  if (value_is_address (value) && value.number > 0
      && jump_tables_add (
          tables, &(struct jump_table){ .address = (uint64_t)value.number },
          &number))
    return value_of (VALUE_TABLE_TARGET, number);
  return value;
}

/* Join values that were loaded from jump tables, or of which one is an address
   of the function instead.  False: A and B are no such values.  */
static bool
join_tables (struct value *joined, struct value a, struct value b,
             struct jump_tables *tables)
{
  if (value_is_table_target (a))
    b = as_target (b, tables);
  else if (value_is_table_target (b))
    a = as_target (a, tables);
  bool entries = value_is_table_entry (a) && value_is_table_entry (b);
  bool targets = value_is_table_target (a) && value_is_table_target (b);
  if ((!entries && !targets) || value_tables (a) == 0 || value_tables (b) == 0)
    return false;
  *joined = value_of (entries ? VALUE_TABLE_ENTRIES : VALUE_TABLE_TARGETS,
                      (int64_t)(value_tables (a) | value_tables (b)));
  return true;
}

/* Whether VALUE is known, or known to be computed.  If two different such
   values are joined, at most one of them is the caller's.  */
static bool
is_definite (struct value value)
{
  return value.kind == VALUE_COMPUTED || value_is_constant (value)
         || value.kind == VALUE_SAVED || value.kind == VALUE_SIGNED
         || value_is_stack (value);
}

static struct value
value_join (struct value a, struct value b, uint64_t at, unsigned reg,
            struct jump_tables *tables)
{
  struct value joined;
  bool anonymous = value_is_anonymous (a) && value_is_anonymous (b);
  if (!anonymous && join_tables (&joined, a, b, tables))
    return joined;
  if (value_is_address (a) && value_is_address (b) && a.number == b.number)
    return value_of (VALUE_RELOADED, a.number);
  return value_new (is_definite (a) && is_definite (b) ? VALUE_COMPUTED
                                                       : VALUE_UNKNOWN,
                    at, reg);
}

/* Join the registers of OTHER into STATE.  Most joins change nothing: the
   value was made by an earlier join at this address.  */
static bool
join_registers (struct state *state, const struct state *other, uint64_t at)
{
  bool changed = false;
  for (unsigned reg = 0; reg < state->machine->n_registers; reg++)
    {
      struct value *value = &state->registers[reg];
      struct value with = other->registers[reg];
      if (value_equal (*value, with)
          || value_equal (*value, value_new (VALUE_UNKNOWN, at, reg))
          || (is_definite (with)
              && value_equal (*value, value_new (VALUE_COMPUTED, at, reg))))
        continue;
      struct value joined = value_join (*value, with, at, reg, state->tables);
      changed |= !value_equal (joined, *value);
      *value = joined;
    }
  return changed;
}

/* Return the slot of OTHER that equals slot INDEX of STATE, or n_slots.
   Mostly both states have the same slots in the same order.  */
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
      uint64_t popped = other->popped >> same & 1;
      if (same == other->n_slots)
        state_remove_slot (state, i);
      else if (popped & ~(state->popped >> i))
        state->popped |= popped << i;
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
      struct limit with = state_bound_of (other, &state->bounds[i].subject);
      bool was_weak = limit->is_weak;
      limit->is_weak |= with.is_weak || with.max != limit->max;
      if (with.max == UINT64_MAX)
        remove_bound (state, i);
      else if (with.max > limit->max)
        limit->max = with.max;
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
  changed |= other->includes_child && !state->includes_child;
  changed |= other->has_unknown_syscall && !state->has_unknown_syscall;
  changed |= other->trusts_sp && !state->trusts_sp;
  state->includes_child |= other->includes_child;
  state->has_unknown_syscall |= other->has_unknown_syscall;
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
