/* Rows of a state, and the check of given rows against a state.
   SPDX-License-Identifier: LGPL-2.1-or-later

   state_row () looks for rules that find the CFA, the return address and the
   caller's FP in a state.  state_check () computes what a given rule would
   find in it, and compares that with the right value.  */

#include "analysis/state.h"

enum
{
  SIGNING_KEYS = 2 /* A, B */
};

/* Set RULE.  False: OFFSET does not fit into the 32 bits of a rule.  */
static bool
rule_with (struct frame_rule *rule, enum frame_rule_kind kind, unsigned reg,
           int64_t offset)
{
  *rule = (struct frame_rule){ .kind = (uint8_t)kind,
                               .reg = (uint16_t)reg,
                               .offset = (int32_t)offset };
  return offset == rule->offset;
}

/* Return VALUE + DISTANCE.  A DISTANCE of 0 leaves any VALUE as it is.  */
static struct value
moved (struct value value, int64_t distance)
{
  return distance == 0 ? value : value_moved (value, distance);
}

bool
state_is_at_entry (const struct state *state)
{
  const struct arch *arch = state->machine->arch;
  return value_equal (state->registers[arch->sp],
                      value_of (VALUE_CFA, arch->fixed_ra_offset));
}

uint32_t
state_changed_registers (const struct state *state)
{
  uint32_t changed = 0;
  FOR_EACH_REGISTER (reg, state->machine->preserved)
    if (!value_equal (state->registers[reg], value_of (VALUE_SAVED, reg)))
      changed |= reg_mask (reg);
  return changed;
}

bool
state_has_ra (const struct state *state, unsigned reg)
{
  const struct arch *arch = state->machine->arch;
  struct value ra
      = arch_tracks_ra (arch)
            ? state->registers[reg]
            : state_load (state, value_of (VALUE_CFA, arch->fixed_ra_offset));
  return value_equal (ra, value_of (VALUE_SAVED, arch->ra));
}

bool
state_is_restored (const struct state *state)
{
  return state_is_at_entry (state)
         && state_has_ra (state, state->machine->arch->ra)
         && state_changed_registers (state) == 0;
}

bool
state_has_lost_frame (const struct state *state)
{
  for (unsigned reg = 0; reg < state->machine->n_registers; reg++)
    if (value_is_stack (state->registers[reg]))
      return false;
  return true;
}

/* Whether slot INDEX is not below the stack pointer, where any later code
   overwrites it.  All rules that read the stack ask this.  A base is at most
   CFA + base_limit, so a stack pointer that is relative to the base has an
   upper limit.  A stack pointer that is relative to the CFA has moved above
   the base.  */
static bool
is_above_sp (const struct state *state, unsigned index)
{
  struct value place = state->slots[index].place;
  struct value sp = state_sp (state);
  int64_t lowest = sp.number - state->machine->kept_below;
  if (place.kind == sp.kind)
    return place.number >= lowest;
  if (sp.kind == VALUE_BASE)
    return place.number >= lowest + state->base_limit;
  return sp.kind != VALUE_CFA && !(state->popped >> index & 1);
}

/* Whether VALUE can be restored from slot INDEX.  */
static bool
slot_restores (const struct state *state, unsigned index, struct value value)
{
  return value_equal (state->slots[index].value, value)
         && is_above_sp (state, index);
}

/* Return the slot with VALUE whose place is relative to BASE, or NULL.  */
static const struct slot *
find_slot (const struct state *state, enum value_kind base, struct value value)
{
  for (unsigned i = 0; i < state->n_slots; i++)
    if (state->slots[i].place.kind == base && slot_restores (state, i, value))
      return &state->slots[i];
  return NULL;
}

bool
state_can_restore (const struct state *state, struct value value)
{
  return find_slot (state, VALUE_CFA, value)
         || find_slot (state, VALUE_BASE, value);
}

bool
state_saves_registers (const struct state *state)
{
  FOR_EACH_REGISTER (reg, state->machine->preserved)
    {
      struct value saved = value_of (VALUE_SAVED, reg);
      const struct slot *slot = find_slot (state, VALUE_CFA, saved);
      if (slot && slot->place.number < state->machine->arch->fixed_ra_offset
          && !value_equal (state->registers[reg], saved))
        return true;
    }
  return false;
}

/* Set RULE to that of the CFA.  SP is the better base, unless FP points to the
   word where the caller's FP is saved, as a frame pointer does.  Any other
   address of the stack in FP may be a variable's value, loaded from a word
   that a callee has changed since.  */
static bool
cfa_rule (const struct state *state, struct frame_rule *rule)
{
  const struct code_machine *machine = state->machine;
  const uint16_t sp = machine->arch->sp, fp = machine->arch->fp;
  bool has_frame_pointer = value_equal (
      state_load (state, state->registers[fp]), value_of (VALUE_SAVED, fp));
  bool sp_first
      = machine->keeps_sp
        || (state->registers[sp].kind == VALUE_CFA && !has_frame_pointer);
  const uint16_t order[] = { sp_first ? sp : fp, sp_first ? fp : sp };
  const struct slot *slot
      = find_slot (state, VALUE_BASE, value_of (VALUE_CFA, 0));
  for (unsigned i = 0; i < 2; i++)
    {
      struct value value = state->registers[order[i]];
      int64_t number = value.number;
      if (value.kind == VALUE_CFA)
        return rule_with (rule, RULE_REG, order[i], -number);
      if (value.kind == VALUE_BASE && slot)
        return rule_with (rule, RULE_DEREF_REG, order[i],
                          slot->place.number - number);
    }
  return false;
}

/* Return the slot with VALUE, the return address.  If there are several, it is
   the one in the frame record, behind the caller's FP (AAPCS64, 6.4.6 "The
   Frame Pointer").  NULL if none is there: the slots may be copies, which
   callees may overwrite.  */
static const struct slot *
find_true_slot (const struct state *state, enum value_kind base,
                struct value value)
{
  const struct slot *last = NULL, *in_record = NULL;
  unsigned n = 0;
  for (unsigned i = 0; i < state->n_slots; i++)
    {
      const struct slot *slot = &state->slots[i];
      if (!slot_restores (state, i, value))
        continue;
      n++;
      if (slot->place.kind != base)
        continue;
      last = slot;
      struct value in_front
          = state_load (state, moved (slot->place, -state->machine->word));
      if (value_equal (in_front,
                       value_of (VALUE_SAVED, state->machine->arch->fp)))
        in_record = slot;
    }
  return n == 1 ? last : in_record;
}

/* Return the slot of the return address, signed or not, relative to BASE.  If
   one slot has a signed address, unsigned ones are copies for the function's
   own use (__builtin_return_address).  */
static const struct slot *
find_ra_slot (const struct state *state, enum value_kind base)
{
  for (int64_t key = 0; key < SIGNING_KEYS; key++)
    {
      struct value with_code = value_of (VALUE_SIGNED, key);
      if (find_slot (state, base, with_code))
        return find_true_slot (state, base, with_code);
    }
  return find_true_slot (state, base,
                         value_of (VALUE_SAVED, state->machine->arch->ra));
}

/* Set the RA rule of ROW, on machines where its place is not fixed.  */
static bool
ra_rule (const struct state *state, struct frame_row *row)
{
  const struct slot *slot = find_ra_slot (state, VALUE_CFA);
  struct value value
      = slot ? slot->value : state->registers[state->machine->arch->ra];
  row->ra = (struct frame_rule){ .kind = RULE_SAME };
  if (slot && !rule_with (&row->ra, RULE_DEREF_CFA, 0, slot->place.number))
    return false;
  /* The key belongs to whole functions; A is the usual one.  */
  row->ra_signed = value_equal (value, value_of (VALUE_SIGNED, 0));
  return row->ra_signed
         || value_equal (value,
                         value_of (VALUE_SAVED, state->machine->arch->ra));
}

/* Set RULE to that of FP.  WITH_RA: the return address is on the stack.
   Compilers often keep FP there longer than needed, but readers never expect
   FP to be on the stack alone.  */
static bool
fp_rule (const struct state *state, bool with_ra, struct frame_rule *rule)
{
  unsigned fp = state->machine->arch->fp;
  struct value saved = value_of (VALUE_SAVED, fp);
  struct value value = state->registers[fp];
  const struct slot *slot = find_slot (state, VALUE_CFA, saved);
  if (slot && (with_ra || !value_equal (value, saved)))
    return rule_with (rule, RULE_DEREF_CFA, 0, slot->place.number);
  slot = find_slot (state, VALUE_BASE, saved);
  if (slot && value.kind == VALUE_BASE)
    return rule_with (rule, RULE_DEREF_REG, fp,
                      slot->place.number - value.number);
  *rule = (struct frame_rule){ .kind = RULE_SAME };
  return value_equal (value, saved);
}

/* Whether the return address is at its fixed place and not below SP, where the
   child of vfork () overwrites it.  */
static bool
has_fixed_ra (const struct state *state)
{
  struct value place
      = value_of (VALUE_CFA, state->machine->arch->fixed_ra_offset);
  unsigned i = state_find_slot (state, place);
  return i < state->n_slots
         && slot_restores (state, i,
                           value_of (VALUE_SAVED, state->machine->arch->ra));
}

bool
state_row (const struct state *state, bool with_fp, struct frame_row *row)
{
  const int8_t ra = state->machine->arch->fixed_ra_offset;
  *row = (struct frame_row){ .ra = { .kind = RULE_DEREF_CFA, .offset = ra } };
  return !state->includes_child
         && (arch_tracks_ra (state->machine->arch) ? ra_rule (state, row)
                                                   : has_fixed_ra (state))
         && cfa_rule (state, &row->cfa)
         && (!with_fp
             || fp_rule (state, row->ra.kind == RULE_DEREF_CFA, &row->fp));
}

/* Return the value that RULE computes for the caller's register OWN.  */
static struct value
value_of_rule (const struct state *state, struct frame_rule rule, unsigned own)
{
  switch (rule.kind)
    {
    case RULE_SAME:
      return state_register (state, own);
    case RULE_REG:
      return moved (state_register (state, rule.reg), rule.offset);
    case RULE_DEREF_REG:
      return state_load (
          state, moved (state_register (state, rule.reg), rule.offset));
    case RULE_CFA:
      return value_of (VALUE_CFA, rule.offset);
    case RULE_DEREF_CFA:
      return state_load (state, value_of (VALUE_CFA, rule.offset));
    default:
      return value_of (VALUE_UNKNOWN, 0);
    }
}

struct value
state_rule_value (const struct state *state, enum row_rule which,
                  const struct frame_row *row)
{
  const struct arch *arch = state->machine->arch;
  const unsigned own[ROW_RULES] = { arch->sp, arch->ra, arch->fp };
  struct value base = state_register (state, row->cfa.reg);
  /* A caller's value has no known distance from the CFA.  */
  if (which == ROW_CFA && row->cfa.kind == RULE_REG
      && base.kind == VALUE_SAVED)
    return base;
  return value_of_rule (state, row_rule (row, which), own[which]);
}

struct value
state_saved_at (const struct state *state, enum row_rule which)
{
  static const enum value_kind bases[] = { VALUE_CFA, VALUE_BASE };
  struct value fp = value_of (VALUE_SAVED, state->machine->arch->fp);
  const struct slot *slot = NULL;
  for (unsigned i = 0; i < 2 && !slot && which != ROW_CFA; i++)
    slot = which == ROW_RA ? find_ra_slot (state, bases[i])
                           : find_slot (state, bases[i], fp);
  return slot ? slot->place : value_of (VALUE_UNKNOWN, 0);
}

/* Compare CFA, the value that a rule computes, with the CFA.  */
static enum verdict
judge_cfa (const struct state *state, struct value cfa)
{
  int64_t limit;
  switch (cfa.kind)
    {
    case VALUE_CFA:
      return cfa.number == 0 ? VERDICT_AGREES : VERDICT_CONTRADICTS;
    case VALUE_SAVED:
      return VERDICT_CONTRADICTS;
    case VALUE_BASE: /* too low, if its upper limit is below the CFA */
      limit = cfa.number + state->base_limit;
      return limit < 0 || (limit == 0 && state->base_is_below)
                 ? VERDICT_CONTRADICTS
                 : VERDICT_UNKNOWN;
    default:
      return VERDICT_UNKNOWN;
    }
}

/* Return the verdict on VALUE, which a rule of RULE_KIND computes and which is
   not the right one.  SAVED_AT is the place of the right one.  */
static enum verdict
judge_wrong (struct value value, unsigned rule_kind, struct value saved_at)
{
  bool overwritten = value.kind == VALUE_COMPUTED || value_is_constant (value)
                     || value_is_table_entry (value)
                     || value_is_table_target (value);
  if (value_is_stack (value) || value.kind == VALUE_SAVED
      || value.kind == VALUE_SIGNED)
    return VERDICT_CONTRADICTS;
  return overwritten && rule_kind == RULE_SAME
                 && saved_at.kind != VALUE_UNKNOWN
             ? VERDICT_CONTRADICTS
             : VERDICT_UNKNOWN;
}

/* Whether RULE reads a place that cannot have RIGHT, the caller's value of a
   register.  AT is another place that has it.  */
static bool
reads_wrong_place (const struct state *state, struct frame_rule rule,
                   struct value right, struct value at)
{
  struct value sp = state_sp (state);
  struct value place = value_of (VALUE_CFA, rule.offset);
  bool is_in_register = value_equal (state->registers[right.number], right);
  if (rule.kind != RULE_DEREF_CFA || sp.kind != VALUE_CFA)
    return false;
  /* Below the stack pointer, on a path that has not saved the register.  */
  if (is_in_register && place.number < sp.number - state->machine->kept_below)
    return true;
  /* A word of the frame without a slot.  Every word into which a register was
     saved has a slot, as long as there is room.  */
  return rule.offset < 0 && (is_in_register || at.kind == VALUE_CFA)
         && state->n_slots < STATE_SLOTS_MAX
         && state_load (state, place).kind == VALUE_UNKNOWN;
}

enum verdict
state_check (const struct state *state, enum row_rule which,
             const struct frame_row *row)
{
  const struct arch *arch = state->machine->arch;
  struct frame_rule rule = row_rule (row, which);
  struct value value = state_rule_value (state, which, row);
  if (which == ROW_CFA)
    return judge_cfa (state, value);
  unsigned reg = which == ROW_RA ? arch->ra : arch->fp;
  struct value right = value_of (VALUE_SAVED, reg);
  struct value place = state_saved_at (state, which);
  bool is_signed = which == ROW_RA && row->ra_signed;
  if (is_signed ? value.kind == VALUE_SIGNED : value_equal (value, right))
    return VERDICT_AGREES;
  if (which == ROW_RA && rule.kind == RULE_UNDEFINED)
    return VERDICT_AGREES;
  /* A register with the caller's value does not point into this frame.  */
  if (rule.kind == RULE_DEREF_REG
      && state_register (state, rule.reg).kind == VALUE_SAVED)
    return VERDICT_CONTRADICTS;
  if (reads_wrong_place (state, rule, right, place))
    return VERDICT_CONTRADICTS;
  return judge_wrong (value, rule.kind, place);
}
