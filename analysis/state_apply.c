/* The transfer function: the effect of one instruction on a state.
   SPDX-License-Identifier: LGPL-2.1-or-later

   state_apply () handles all that happens between two instructions, by the
   kind of operation (enum insn_op): arithmetic on registers, loads and stores,
   the stack, comparisons, system calls.  state_call () has the effect of a
   call that returns, state_branch () what a condition shows on either side of
   a branch.  */

#include "analysis/state.h"

static void
set_computed (struct state *state, const struct insn *insn, unsigned reg)
{
  struct value value = value_new (VALUE_COMPUTED, insn->address, reg);
  if (state->n_bounds > 0)
    state_forget_value (state, value);
  state->registers[reg] = value;
  if (state->has_equals
      && (state->equals[0] == reg || state->equals[1] == reg))
    state->has_equals = false;
}

/* Set register TO to VALUE.  A value without a number gets one of this
   instruction and register.  */
static void
set_register (struct state *state, const struct insn *insn, unsigned to,
              struct value value)
{
  set_computed (state, insn, to);
  if (!value_is_anonymous (value) || value.number != 0)
    state->registers[to] = value;
  else if (value.kind == VALUE_UNKNOWN)
    state->registers[to] = value_new (VALUE_UNKNOWN, insn->address, to);
}

static void
forget_base (struct state *state, const struct insn *insn)
{
  for (unsigned reg = 0; reg < state->machine->n_registers; reg++)
    if (state->registers[reg].kind == VALUE_BASE)
      state->registers[reg] = value_new (VALUE_UNKNOWN, insn->address, reg);
  for (unsigned i = state->n_slots; i-- > 0;)
    if (state->slots[i].place.kind == VALUE_BASE
        || state->slots[i].value.kind == VALUE_BASE)
      state_remove_slot (state, i);
}

/* Remove slots below SP, which is about to go down.  */
static void
forget_below (struct state *state, struct value sp)
{
  for (unsigned i = state->n_slots; i-- > 0;)
    if (state->slots[i].place.kind == sp.kind
        && state->slots[i].place.number < sp.number)
      state_remove_slot (state, i);
}

/* to = from & -2^n, or from - an unknown number: a new base.  If SP moves away
   from a base that FP also has, FP is the better base, and SP becomes
   computed.  */
static void
apply_new_base (struct state *state, const struct insn *insn)
{
  struct value from = state->registers[insn->from];
  bool was_base = from.kind == VALUE_BASE;
  if (value_is_constant (from) && insn->op == OP_ALIGN)
    return set_register (
        state, insn, insn->to,
        value_of (VALUE_NUMBER, from.number & insn->immediate));
  if (!value_is_stack (from)
      || (was_base && insn->to != state->machine->arch->sp))
    return set_computed (state, insn, insn->to);
  if (was_base
      && state->registers[state->machine->arch->fp].kind == VALUE_BASE)
    {
      forget_below (state, from);
      set_computed (state, insn, insn->to);
      return;
    }
  forget_base (state, insn);
  if (!was_base)
    state->base_limit = from.number;
  else if (state->base_limit + from.number < NUMBER_LIMIT)
    state->base_limit += from.number;
  state->base_is_below
      = insn->op == OP_SUBTRACT || (was_base && state->base_is_below);
  set_register (state, insn, insn->to, value_of (VALUE_BASE, 0));
}

/* A multiple of a bounded value is bounded, too.  */
static void
apply_scale (struct state *state, const struct insn *insn)
{
  struct value from = state->registers[insn->from];
  struct limit limit = state_bound (state, from);
  set_computed (state, insn, insn->to);
  if (value_is_constant (from) && from.number <= UINT32_MAX
      && from.number >= 0)
    state->registers[insn->to]
        = value_of (VALUE_NUMBER, from.number * insn->immediate);
  struct subject scaled = subject_of_value (state->registers[insn->to]);
  if (limit.max <= UINT32_MAX)
    {
      limit.max *= (uint64_t)insn->immediate;
      state_set_bound (state, &scaled, limit);
    }
}

/* Whether VALUE also describes its lowest WIDTH bytes, extended.  */
static bool
is_lower_part (struct value value, unsigned width)
{
  return width == 8 || value_is_anonymous (value)
         || value_is_table_entry (value)
         || ((value_is_constant (value) || value.kind == VALUE_RELOADED)
             && value.number >= 0
             && value.number < INT64_C (1) << (8 * width - 1));
}

static void
apply_set (struct state *state, const struct insn *insn)
{
  set_register (state, insn, insn->to,
                value_moved (value_of (VALUE_CONSTANT, 0), insn->immediate));
}

static void
apply_add (struct state *state, const struct insn *insn)
{
  set_register (state, insn, insn->to,
                value_moved (state->registers[insn->from], insn->immediate));
}

/* Copy a register.  A narrow copy of a small value keeps the value.  */
static void
apply_move (struct state *state, const struct insn *insn)
{
  struct value from = state->registers[insn->from];
  if (is_lower_part (from, insn->width))
    set_register (state, insn, insn->to, from);
  else
    set_computed (state, insn, insn->to);
}

/* If A is an entry of a jump table and B the table's base, make their sum a
   target.  False: they are not.  */
static bool
sum_is_target (struct state *state, struct value a, struct value b,
               const struct insn *insn)
{
  bool is_scaled = insn->op == OP_SUM_SCALED;
  if (!value_is_table_entry (a) || !value_is_address (b))
    return false;
  for (uint32_t i = TABLE_NONE; value_next_table (a, &i);)
    if (!jump_table_set_base (&state->tables->tables[i], (uint64_t)b.number,
                              is_scaled ? insn->scale : 1,
                              is_scaled && insn->sign_extended
                                  && insn->width
                                         == state->tables->tables[i].width))
      return false;
  set_register (state, insn, insn->to,
                value_of (a.kind == VALUE_TABLE_ENTRY ? VALUE_TABLE_TARGET
                                                      : VALUE_TABLE_TARGETS,
                          a.number));
  return true;
}

static void
apply_sum (struct state *state, const struct insn *insn)
{
  struct value a = state->registers[insn->from];
  struct value b = state->registers[insn->index];
  /* A scaled sum is known for entries of jump tables only.  */
  if (insn->op == OP_SUM_SCALED)
    {
      if (!sum_is_target (state, b, a, insn))
        set_computed (state, insn, insn->to);
      return;
    }
  if (sum_is_target (state, b, a, insn) || sum_is_target (state, a, b, insn))
    return;
  if (a.kind == VALUE_CONSTANT && b.kind == VALUE_NUMBER)
    a.kind = VALUE_NUMBER; /* the sum is no address */
  bool may_move = a.kind != VALUE_RELOADED && b.kind != VALUE_RELOADED;
  if (may_move && value_is_constant (b))
    set_register (state, insn, insn->to, value_moved (a, b.number));
  else if (may_move && value_is_constant (a))
    set_register (state, insn, insn->to, value_moved (b, a.number));
  else
    set_computed (state, insn, insn->to);
}

static void
apply_subtraction (struct state *state, const struct insn *insn)
{
  struct value by = insn->index == REG_NONE ? value_of (VALUE_UNKNOWN, 0)
                                            : state->registers[insn->index];
  if (value_is_constant (by))
    set_register (state, insn, insn->to,
                  value_moved (state->registers[insn->from], -by.number));
  else if (insn->to == state->machine->arch->sp)
    apply_new_base (state, insn);
  else
    set_computed (state, insn, insn->to);
}

static void
apply_insert (struct state *state, const struct insn *insn)
{
  struct value old = state->registers[insn->from];
  if (!value_is_constant (old))
    return set_computed (state, insn, insn->to);
  uint64_t number = (uint64_t)old.number & ~(UINT64_C (0xffff) << insn->scale);
  number |= (uint64_t)insn->immediate;
  if (insn->width == 4)
    number &= UINT32_MAX;
  set_register (
      state, insn, insn->to,
      value_moved (value_of ((enum value_kind)old.kind, 0), (int64_t)number));
}

/* Calculate with constants.  A narrow result keeps the upper bytes.  */
static void
apply_calculation (struct state *state, const struct insn *insn)
{
  struct value old = state->registers[insn->to];
  struct value a = insn->from == REG_NONE ? value_of (VALUE_CONSTANT, 0)
                                          : state->registers[insn->from];
  struct value b = insn->index == REG_NONE ? value_of (VALUE_CONSTANT, 0)
                                           : state->registers[insn->index];
  set_computed (state, insn, insn->to);
  if (!value_is_constant (a) || !value_is_constant (b)
      || (insn->width < 4 && !value_is_constant (old)))
    return;
  uint64_t by = insn->index == REG_NONE ? (uint64_t)insn->immediate
                                        : (uint64_t)b.number;
  uint64_t result = insn_calculate ((enum insn_calculation)insn->calculation,
                                    (uint64_t)a.number, by, insn->width);
  if (insn->width < 4)
    result |= (uint64_t)old.number & UINT64_MAX << 8 * insn->width;
  set_register (state, insn, insn->to,
                value_moved (value_of (VALUE_NUMBER, 0), (int64_t)result));
}

/* Sign or authenticate a return address.  A code is right only if SP has its
   value of the entry, because unwinders use the CFA for it.  */
static void
apply_signing (struct state *state, const struct insn *insn)
{
  struct value plain = value_of (VALUE_SAVED, state->machine->arch->ra);
  struct value with_code = value_of (VALUE_SIGNED, insn->immediate);
  const struct value *from = &state->registers[insn->from];
  bool at_cfa = value_equal (state_sp (state), value_of (VALUE_CFA, 0));
  struct value to = value_of (VALUE_UNKNOWN, 0);
  if (insn->op == OP_STRIP)
    to = from->kind == VALUE_SIGNED ? plain : *from;
  else if (insn->op == OP_SIGN && at_cfa && value_equal (*from, plain))
    to = with_code;
  else if (insn->op == OP_AUTHENTICATE && at_cfa
           && value_equal (*from, with_code))
    to = plain;
  set_register (state, insn, insn->to, to);
}

/* Return the place of the memory operand of INSN, if it is in the stack.  */
static struct value
place_of (const struct state *state, const struct insn *insn)
{
  if (!insn->memory || insn->base == REG_NONE || insn->index != REG_NONE)
    return value_of (VALUE_UNKNOWN, 0);
  return value_moved (state->registers[insn->base], insn->offset);
}

bool
state_computes_address (const struct state *state, const struct insn *insn,
                        uint64_t *address)
{
  struct value base = value_of (VALUE_CONSTANT, 0);
  if (!insn->computes_address)
    return false;
  if (insn->op == OP_ADD)
    base = state->registers[insn->from];
  *address = (uint64_t)base.number + (uint64_t)insn->immediate;
  return value_is_address (base);
}

/* Whether INSN loads from an array at a constant address.  *BASE is set to the
   address without the offset, *INDEX to the index, in entries or (scale 1) in
   bytes.  */
static bool
is_indexed (const struct state *state, const struct insn *insn,
            struct value *base, struct value *index)
{
  bool scaled = insn->scale == insn->width;
  if (!insn->memory || insn->index == REG_NONE || (!scaled && insn->scale != 1)
      || insn->width > 8 || (insn->width & (insn->width - 1))
      || !(state->machine->table_widths & insn->width))
    return false;
  *base = value_of (VALUE_CONSTANT, 0);
  *index = state->registers[insn->index];
  if (insn->base != REG_NONE)
    *base = state->registers[insn->base];
  if (!value_is_address (*base) && insn->scale == 1)
    {
      struct value swapped = *base;
      *base = *index;
      *index = swapped;
    }
  return value_is_address (*base);
}

/* A load from a constant address, which a compiler makes if it knows the
   index, counts as a table of that entry alone.  */
bool
state_table (const struct state *state, const struct insn *insn,
             uint32_t *number)
{
  struct value base = value_of (VALUE_CONSTANT, 0), index;
  uint64_t max = 0;
  bool is_weak = false;
  if (is_indexed (state, insn, &base, &index))
    {
      const struct limit limit = state_bound (state, index);
      max = limit.max;
      if (insn->scale != insn->width && max != UINT64_MAX)
        max /= insn->width;
      is_weak = limit.is_weak;
    }
  else if (!insn->memory || insn->base != REG_NONE || insn->index != REG_NONE
           || insn->width != 4 || !insn->sign_extended)
    return false;
  struct jump_table table
      = { .reader = insn->address,
          .address = (uint64_t)base.number + (uint64_t)insn->offset,
          .max = max,
          .is_weak = is_weak,
          .width = (uint8_t)insn->width,
          .scale = 1,
          .is_signed = insn->sign_extended || insn->width == 4 };
  return jump_tables_add (state->tables, &table, number);
}

/* Return VALUE as a load from the stack returns it.  */
static struct value
as_reloaded (struct value value)
{
  return value_is_constant (value) ? value_of (VALUE_RELOADED, value.number)
                                   : value;
}

static void
load_word (struct state *state, const struct insn *insn, unsigned to,
           struct value place)
{
  if (to == REG_NONE)
    return;
  if (value_is_stack (place))
    set_register (state, insn, to, as_reloaded (state_load (state, place)));
  else
    set_computed (state, insn, to);
}

static void
apply_load (struct state *state, const struct insn *insn)
{
  struct value place = place_of (state, insn);
  if (insn->is_pair)
    {
      load_word (state, insn, insn->to, place);
      load_word (state, insn, insn->second,
                 value_moved (place, state->machine->word));
      return;
    }
  struct subject memory = state_memory (state, insn);
  struct limit limit = state_bound_of (state, &memory);
  struct value half;
  uint32_t number;
  if (state_table (state, insn, &number))
    set_register (state, insn, insn->to, value_of (VALUE_TABLE_ENTRY, number));
  else if (insn->width == state->machine->word)
    load_word (state, insn, insn->to, place);
  else if (insn->width == 4 && state_load_half (state, place, &half))
    set_register (state, insn, insn->to, as_reloaded (half));
  else
    set_computed (state, insn, insn->to);
  /* A narrow load from the stack may read a part of a saved register.  */
  if (insn->base != REG_NONE
      && state->registers[insn->to].kind == VALUE_COMPUTED
      && value_is_stack (place))
    state->registers[insn->to]
        = value_new (VALUE_UNKNOWN, insn->address, insn->to);
  if (limit.max != UINT64_MAX)
    {
      struct subject loaded = subject_of_value (state->registers[insn->to]);
      state_set_bound (state, &loaded, limit);
    }
}

/* Return the value that INSN stores, if it stores one word.  */
static struct value
stored_value (const struct state *state, const struct insn *insn)
{
  return insn->has_constant
             ? value_moved (value_of (VALUE_CONSTANT, 0), insn->immediate)
             : state_register (state, insn->from);
}

static void
apply_store (struct state *state, const struct insn *insn)
{
  const struct code_machine *machine = state->machine;
  struct value place = place_of (state, insn);
  unsigned width = insn->is_pair ? machine->word : insn->width;
  if (insn->is_pair)
    state_store (state, value_moved (place, machine->word),
                 state_register (state, insn->second), machine->word);
  state_store (state, place, stored_value (state, insn), width);
  state_forget_bounds (state, place, insn->is_pair ? 2 * width : width);
}

static void
apply_memory (struct state *state, const struct insn *insn)
{
  struct value base = state_register (state, insn->base);
  if (insn->op == OP_LOAD)
    apply_load (state, insn);
  else
    apply_store (state, insn);
  if (insn->adjusts_base)
    set_register (state, insn, insn->base,
                  value_moved (base, insn->immediate));
}

static void
apply_push (struct state *state, const struct insn *insn)
{
  const struct code_machine *machine = state->machine;
  unsigned sp = machine->arch->sp;
  struct value what = stored_value (state, insn);
  if (insn->has_constant && what.kind == VALUE_CONSTANT)
    what.kind = VALUE_NUMBER;
  struct value place = value_moved (state->registers[sp], -machine->word);
  set_register (state, insn, sp, place);
  state_store (state, place, what, machine->word);
}

static void
pop (struct state *state, const struct insn *insn, unsigned to)
{
  unsigned sp = state->machine->arch->sp;
  struct value place = state->registers[sp];
  struct value what = as_reloaded (state_load (state, place));
  set_register (state, insn, sp, value_moved (place, state->machine->word));
  if (to != REG_NONE)
    set_register (state, insn, to, what);
}

static void
apply_pop (struct state *state, const struct insn *insn)
{
  if (!insn->memory)
    return pop (state, insn, insn->to);
  struct value place = place_of (state, insn);
  pop (state, insn, REG_NONE);
  state_store (state, place, value_of (VALUE_UNKNOWN, 0),
               state->machine->word);
  state_forget_bounds (state, place, state->machine->word);
}

static void
apply_enter (struct state *state, const struct insn *insn)
{
  unsigned sp = state->machine->arch->sp, fp = state->machine->arch->fp;
  apply_push (state, insn);
  struct value frame = state->registers[sp];
  set_register (state, insn, fp, frame);
  set_register (state, insn, sp, value_moved (frame, insn->immediate));
}

static void
apply_leave (struct state *state, const struct insn *insn)
{
  unsigned sp = state->machine->arch->sp, fp = state->machine->arch->fp;
  set_register (state, insn, sp, state->registers[fp]);
  pop (state, insn, fp);
}

static void
apply_swap (struct state *state, const struct insn *insn)
{
  const unsigned regs[] = { insn->to, insn->from };
  const struct value values[]
      = { state->registers[insn->from], state->registers[insn->to] };
  for (unsigned i = 0; i < 2; i++)
    if (is_lower_part (values[i], insn->width))
      state->registers[regs[i]] = values[i];
    else
      set_computed (state, insn, regs[i]);
  state->has_equals = false;
}

static void
forget_flags (struct state *state)
{
  state->has_compared = state->has_equals = false;
  state->tested = VALUE_COMPUTED;
}

/* Record that the flags say whether a register is 0.  */
static void
apply_test (struct state *state, const struct insn *insn)
{
  unsigned kind = state->registers[insn->from].kind;
  bool may_be_child = kind == VALUE_FORKED || kind == VALUE_MAYBE_FORKED;
  state->tested = (uint8_t)(may_be_child ? kind : VALUE_COMPUTED);
}

/* Record a comparison, whose result a later branch uses.  */
static void
apply_compare (struct state *state, const struct insn *insn)
{
  uint64_t with = (uint64_t)insn->immediate;
  forget_flags (state);
  if (insn->op == OP_COMPARE_BOTH
      && state->registers[insn->index].kind == VALUE_CONSTANT)
    {
      with = (uint64_t)state->registers[insn->index].number;
      if (insn->width == 4)
        with &= UINT32_MAX;
    }
  else if (insn->op == OP_COMPARE_BOTH)
    {
      const unsigned sp = state->machine->arch->sp;
      state->has_equals = insn->width == state->machine->word
                          && (insn->from == sp || insn->index == sp);
      state->equals[0] = insn->from;
      state->equals[1] = insn->index;
      return;
    }
  if (insn->op != OP_COMPARE_MEMORY && with == 0)
    apply_test (state, insn);
  /* A compared value was loaded from a table, but not as a jump's target.  */
  if (insn->op != OP_COMPARE_MEMORY
      && value_is_table_entry (state->registers[insn->from]))
    set_computed (state, insn, insn->from);
  struct subject subject;
  if (insn->op == OP_COMPARE_MEMORY)
    subject = state_memory (state, insn);
  else if (value_is_anonymous (state->registers[insn->from])
           || state->registers[insn->from].kind == VALUE_NUMBER
           || state->registers[insn->from].kind == VALUE_RELOADED)
    subject = subject_of_value (state->registers[insn->from]);
  else
    return;
  state->has_compared = true;
  state->compared = subject;
  state->compared_with = with;
}

static void (*const operations[]) (struct state *state,
                                   const struct insn *insn)
    = { [OP_MOVE] = apply_move,
        [OP_ADD] = apply_add,
        [OP_SUM] = apply_sum,
        [OP_SUM_SCALED] = apply_sum,
        [OP_SCALE] = apply_scale,
        [OP_SET] = apply_set,
        [OP_INSERT] = apply_insert,
        [OP_CALCULATE] = apply_calculation,
        [OP_ALIGN] = apply_new_base,
        [OP_LOAD] = apply_memory,
        [OP_STORE] = apply_memory,
        [OP_PUSH] = apply_push,
        [OP_POP] = apply_pop,
        [OP_LEAVE] = apply_leave,
        [OP_ENTER] = apply_enter,
        [OP_SWAP] = apply_swap,
        [OP_COMPARE] = apply_compare,
        [OP_COMPARE_MEMORY] = apply_compare,
        [OP_COMPARE_BOTH] = apply_compare,
        [OP_TEST] = apply_test,
        [OP_SUBTRACT] = apply_subtraction,
        [OP_SIGN] = apply_signing,
        [OP_AUTHENTICATE] = apply_signing,
        [OP_STRIP] = apply_signing };

/* SP has moved from BEFORE.  Slots that it leaves below itself stay valid for
   a while (GCC's CFI relies on that at the end of functions); but when SP goes
   down over them again, they may have any content.  Slots that were stored
   below SP, before it went down, are kept, because some compilers save
   registers there.  */
static void
move_stack (struct state *state, struct value before)
{
  struct value sp = state_sp (state);
  if (!value_is_stack (sp))
    return;
  for (unsigned i = state->n_slots; i-- > 0;)
    {
      struct value place = state->slots[i].place;
      bool below = place.kind == sp.kind ? place.number < sp.number
                                         : sp.kind == VALUE_CFA;
      if (!below && state->popped >> i & 1)
        state_remove_slot (state, i);
      else if (below
               && (place.kind != before.kind || place.number >= before.number))
        state->popped |= (uint64_t)1 << i;
    }
}

bool
state_syscall_number (const struct state *state, int64_t *number)
{
  struct value value = state->registers[state->machine->syscall_register];
  *number = value.number;
  return value_is_constant (value) || value.kind == VALUE_RELOADED;
}

bool
state_exits (const struct state *state, const struct insn *insn)
{
  int64_t number;
  return insn->is_syscall && state_syscall_number (state, &number)
         && (number == state->machine->exit
             || number == state->machine->exit_group);
}

/* Registers get values that the instruction's operation does not give.  */
static void
apply_writes (struct state *state, const struct insn *insn)
{
  FOR_EACH_REGISTER (reg, insn->writes)
    set_computed (state, insn, reg);
}

static void
apply_syscall (struct state *state, const struct insn *insn)
{
  const struct code_machine *machine = state->machine;
  unsigned result = machine->syscall_result;
  int64_t number;
  bool known = state_syscall_number (state, &number);
  struct value stack = state->registers[machine->clone_stack];
  bool has_stack = !value_is_constant (stack) || stack.number != 0;
  /* It creates a child with another stack.  */
  bool forks = known
               && (number == machine->clone3
                   || (number == machine->clone && has_stack));
  forget_flags (state);
  apply_writes (state, insn);
  state->includes_child |= forks;
  state->has_unknown_syscall |= !known;
  if (forks || !known)
    state->registers[result] = value_new (
        known ? VALUE_FORKED : VALUE_MAYBE_FORKED, insn->address, result);
}

void
state_apply (struct state *state, const struct insn *insn)
{
  struct value sp = state_sp (state);
  if (insn->is_syscall)
    return apply_syscall (state, insn);
  if (insn->sets_flags)
    forget_flags (state);
  if (insn->op != OP_NONE)
    operations[insn->op](state, insn);
  apply_writes (state, insn);
  if (state->trusts_sp)
    state->trusts_sp = !insn_resets (insn, state->machine->arch->sp);
  if (!value_equal (state_sp (state), sp))
    move_stack (state, sp);
}

void
state_call (struct state *state, const struct insn *insn)
{
  FOR_EACH_REGISTER (reg, state->machine->clobbered)
    set_computed (state, insn, reg);
  forget_flags (state);
  state_forget_bounds (state, value_of (VALUE_UNKNOWN, 0), 0);
  struct value sp = state_sp (state);
  forget_below (state, value_moved (sp, -state->machine->kept_below));
}

/* SP and a register are equal: each gets what is known of the other.  A loop
   that moves SP down page by page ends with such a comparison.  False: the two
   cannot be equal, as after the first page.  Two registers other than SP learn
   nothing, because their addresses may be loaded from the stack, where a
   callee may have changed them.  */
static bool
learn_equal (struct state *state)
{
  struct value *a = &state->registers[state->equals[0]];
  struct value *b = &state->registers[state->equals[1]];
  if (a->kind == VALUE_CFA && b->kind == VALUE_CFA)
    return a->number == b->number;
  if (a->kind == VALUE_CFA && value_is_anonymous (*b))
    *b = *a;
  else if (b->kind == VALUE_CFA && value_is_anonymous (*a))
    *a = *b;
  return true;
}

enum value_kind
state_branch_on_fork (const struct state *state, const struct insn *insn,
                      bool *taken)
{
  bool of_register = insn->condition == CONDITION_ZERO
                     || insn->condition == CONDITION_NOT_ZERO;
  bool of_flags = insn->condition == CONDITION_EQUAL
                  || insn->condition == CONDITION_NOT_EQUAL;
  unsigned kind = of_register ? state->registers[insn->from].kind
                  : of_flags  ? state->tested
                              : VALUE_COMPUTED;
  *taken = insn->condition == CONDITION_EQUAL
           || insn->condition == CONDITION_ZERO;
  return kind == VALUE_FORKED || kind == VALUE_MAYBE_FORKED
             ? (enum value_kind)kind
             : VALUE_COMPUTED;
}

bool
state_branch (struct state *state, enum insn_condition condition, bool taken)
{
  bool below = condition == (taken ? CONDITION_BELOW : CONDITION_NOT_BELOW);
  bool not_above
      = condition == (taken ? CONDITION_NOT_ABOVE : CONDITION_ABOVE);
  if (state->has_equals
      && condition == (taken ? CONDITION_EQUAL : CONDITION_NOT_EQUAL)
      && !learn_equal (state))
    return false;
  if (state->has_compared && (below || not_above)
      && !(below && state->compared_with == 0))
    state_set_bound (state, &state->compared,
                     (struct limit){ .max = state->compared_with - below });
  return true;
}
