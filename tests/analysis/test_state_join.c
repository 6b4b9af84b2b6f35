/* What holds where paths meet (analysis/state.c).
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "state_fixture.h"

static void join (const struct state *other, bool changes);

static bool *
a_child (struct state *state)
{
  return &state->includes_child;
}

static bool *
a_question (struct state *state)
{
  return &state->has_unknown_syscall;
}

static bool *
trust (struct state *state)
{
  return &state->trusts_sp;
}

FIXTURE_TEST (what_is_so_on_one_path_is_so_behind)
{
  static bool *(*const members[]) (struct state *)
      = { a_child, a_question, trust };
  FOR_EACH_ROW (given, members)
    {
      enter (&arch_aarch64);
      struct state with = now, without = now;
      *(*given) (&with) = true;
      join (&with, true);
      assert_true (*(*given) (&now));
      join (&without, false);
      assert_true (*(*given) (&now));
      now = without;
      join (&without, false);
      assert_false (*(*given) (&now));
    }
}

static void
join (const struct state *other, bool changes)
{
  assert_int_equal (state_join (&now, other, 0x3000), changes);
  /* The same state again changes nothing.  */
  assert_false (state_join (&now, other, 0x3000));
}

AARCH64_TEST (registers_meet)
{
  struct state other = now;
  join (&other, false);
  set (X0, 1);
  set (X1, 1);
  set (X2, 1);
  add (X9, SP, -8);
  struct state before = now;
  now = other;
  set (X0, 2);
  set (X1, 1);
  move (X2, X19, 8);
  add (X9, SP, -16);
  other = now;
  now = before;
  join (&other, true);
  expect_kind (X0, VALUE_COMPUTED); /* computed on both ways */
  expect (X1, VALUE_CONSTANT, 1);
  /* On one path at most it is a value of the caller.  */
  expect_kind (X2, VALUE_COMPUTED);
  expect_kind (X9, VALUE_COMPUTED);
  expect (SP, VALUE_CFA, 0);
  other.registers[X0] = value_of (VALUE_SAVED, X19);
  join (&other, false);
  /* On a third path it may be a value of the caller.  */
  other.registers[X0] = value_new (VALUE_UNKNOWN, 0x44, X0);
  join (&other, true);
  expect_kind (X0, VALUE_UNKNOWN);
}

/* The other path has one word less, and its second word comes first.  The
   array of slots has old contents behind the last slot.  */
AMD64_TEST (words_meet_in_any_order)
{
  push (RBX);
  push (R12);
  assert_int_equal (now.n_slots, 3); /* the return address, too */
  struct state other = now;
  other.slots[1] = other.slots[2];
  other.n_slots = 2;
  struct value kept = now.slots[2].value, place = now.slots[2].place;
  join (&other, true);
  assert_int_equal (now.n_slots, 2);
  assert_true (value_equal (state_load (&now, place), kept));
}

/* On one path the word was pushed and popped, so it is unknown once SP is
   lowered again.  The joined state knows that.  */
FIXTURE_TEST (popped_on_one_path_is_popped)
{
  for (int turn = 0; turn < 2; turn++)
    {
      enter (&arch_amd64);
      store (RBX, RSP, -8); /* below SP all the time */
      struct state kept = now;
      enter_again ();
      push (RBX);
      add (RSP, RSP, 8);
      struct state popped = now;
      now = turn ? kept : popped;
      join (turn ? &popped : &kept, turn);
      expect_word (RSP, -8, VALUE_SAVED, RBX);
      add (RSP, RSP, -8);
      expect_unknown_word (RSP, 0);
    }
  /* The same with the slots in another order.  */
  enter (&arch_amd64);
  store (R12, RSP, -16);
  store (RBX, RSP, -8);
  struct state kept = now;
  enter_again ();
  push (RBX);
  add (RSP, RSP, 8);
  store (R12, RSP, -16);
  struct state popped = now;
  now = kept;
  join (&popped, true);
  add (RSP, RSP, -16);
  expect_word (RSP, 0, VALUE_SAVED, R12);
  expect_unknown_word (RSP, 8);
}

static struct state
state_with_bound (uint64_t max)
{
  enter (&arch_aarch64);
  compare (X0, (int64_t)max);
  if (max != UINT64_MAX)
    state_branch (&now, CONDITION_NOT_ABOVE, true);
  return now;
}

FIXTURE_TEST (the_weaker_bound_holds)
{
  static const struct
  {
    uint64_t one, other, met;
    bool changes, is_weak;
  } cases[] = {
    { 5, 5, 5, false, false },
    { 5, 9, 9, true, true },
    { 9, 5, 9, true, true },
    { 5, UINT64_MAX, UINT64_MAX, true, false },
    { UINT64_MAX, 5, UINT64_MAX, false, false },
  };
  FOR_EACH_ROW (given, cases)
    {
      struct state other = state_with_bound (given->other);
      now = state_with_bound (given->one);
      join (&other, given->changes);
      struct limit limit = state_bound (&now, now.registers[X0]);
      assert_true (limit.max == given->met);
      assert_int_equal (limit.is_weak, given->is_weak);
    }
  /* The joined bound is weak if one of the bounds is.  */
  struct state weak = state_with_bound (5);
  weak.bounds[0].limit.is_weak = true;
  now = state_with_bound (5);
  join (&weak, true);
  assert_true (state_bound (&now, now.registers[X0]).is_weak);
}

FIXTURE_TEST (the_higher_base_counts)
{
  static const struct
  {
    int32_t one, other, met;
    bool one_below, other_below, met_below, changes;
  } cases[] = {
    { -32, -32, -32, false, false, false, false },
    { -32, -32, -32, true, true, true, false },
    { -32, -32, -32, true, false, false, true },
    { -32, -32, -32, false, true, false, false },
    { -64, -32, -32, true, true, true, true },
    { -32, -64, -32, true, true, true, false },
    { -64, -32, -32, false, true, false, true },
    { -64, -32, -32, true, false, false, true },
    { -32, -64, -32, true, false, false, true },
  };
  FOR_EACH_ROW (given, cases)
    {
      struct state other = state_with_base (given->other, given->other_below);
      now = state_with_base (given->one, given->one_below);
      memcpy (other.registers, now.registers, sizeof now.registers);
      join (&other, given->changes);
      assert_int_equal (now.base_limit, given->met);
      assert_int_equal (now.base_is_below, given->met_below);
    }
}

AARCH64_TEST (tables_meet)
{
  struct state other = now;
  now.registers[X0] = value_of (VALUE_TABLE_ENTRY, 3);
  other.registers[X0] = value_of (VALUE_TABLE_ENTRY, 5);
  now.registers[X1] = value_of (VALUE_TABLE_TARGET, 3);
  other.registers[X1] = value_of (VALUE_CONSTANT, 0x5000);
  now.registers[X2] = value_of (VALUE_TABLE_TARGET, 1);
  other.registers[X2] = value_of (VALUE_TABLE_ENTRY, 1);
  now.registers[X9] = value_of (VALUE_CONSTANT, 0x5000);
  other.registers[X9] = value_of (VALUE_TABLE_TARGETS, 6);
  now.registers[10] = value_of (VALUE_TABLE_ENTRY, VALUE_TABLES_MAX);
  other.registers[10] = value_of (VALUE_TABLE_ENTRY, 1);
  now.registers[11] = value_of (VALUE_TABLE_TARGET, 1);
  other.registers[11] = value_of (VALUE_CONSTANT, 0);
  now.registers[12] = value_of (VALUE_TABLE_ENTRY, 1);
  other.registers[12] = value_of (VALUE_TABLE_TARGET, 1);
  now.registers[13] = value_of (VALUE_TABLE_ENTRY, 1);
  other.registers[13] = value_of (VALUE_TABLE_ENTRY, VALUE_TABLES_MAX);
  now.registers[14] = value_of (VALUE_SIGNED, 0);
  other.registers[14] = value_of (VALUE_CONSTANT, 5);
  now.registers[15] = value_of (VALUE_TABLE_TARGET, 2);
  other.registers[15] = value_of (VALUE_CONSTANT, 1);
  join (&other, true);
  expect_kind (12, VALUE_UNKNOWN);
  expect_kind (13, VALUE_UNKNOWN);
  expect_kind (14, VALUE_COMPUTED);
  expect_kind (15, VALUE_TABLE_TARGETS);
  expect (X0, VALUE_TABLE_ENTRIES, 1 << 3 | 1 << 5);
  expect (X1, VALUE_TABLE_TARGETS, 1 << 3 | 1 << 0);
  expect_table (0, 0x5000, 0, 0, false);
  expect_kind (X2, VALUE_UNKNOWN);
  expect (X9, VALUE_TABLE_TARGETS, 6 | 1);
  expect_kind (10, VALUE_UNKNOWN);
  expect_kind (11, VALUE_UNKNOWN);
  other.registers[X0] = value_of (VALUE_TABLE_ENTRY, 7);
  join (&other, true);
  expect (X0, VALUE_TABLE_ENTRIES, 1 << 3 | 1 << 5 | 1 << 7);
}

/* Unknown values get numbers of the address where paths meet.  */
AARCH64_TEST (unknown_values_are_renumbered)
{
  set (X9, 3);
  bounded_index (X0, 5);
  change (X1);
  struct value bounded = now.registers[X0];
  compare (X1, 4);
  state_renumber (&now, 0x3000);
  assert_true (value_equal (now.registers[X0], bounded));
  assert_true (
      value_equal (now.registers[X1], value_new (VALUE_COMPUTED, 0x3000, X1)));
  expect (X9, VALUE_CONSTANT, 3);
  state_branch (&now, CONDITION_NOT_ABOVE, true);
  assert_int_equal (now.n_bounds, 1);
  struct state other = now;
  other.registers[X1] = value_new (VALUE_COMPUTED, 0x44, X1);
  join (&other, false);
  other.registers[X1] = value_of (VALUE_CONSTANT, 4);
  join (&other, false);
  other.registers[X1] = value_of (VALUE_SAVED, X19);
  join (&other, false);
  other.registers[X1] = value_new (VALUE_UNKNOWN, 0x44, X1);
  join (&other, true);
}

/* States that differ only in SP or in an address on the stack differ.  */
AMD64_TEST (differences_of_the_stack_are_changes)
{
  push (RSP);
  struct state other = now;
  other.slots[now.n_slots - 1].value = value_of (VALUE_CFA, -64);
  join (&other, true);
  expect_unknown_word (RSP, 0);
  enter (&arch_amd64);
  other = now;
  other.registers[RSP] = value_of (VALUE_CFA, -16);
  join (&other, true);
  expect_kind (RSP, VALUE_COMPUTED);
}
