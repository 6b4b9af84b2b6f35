/* What conditions, flags and system calls tell of values
   (analysis/state_apply.c). SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "state_fixture.h"

static uint64_t
bound_of (unsigned reg)
{
  return state_bound (&now, now.registers[reg]).max;
}

FIXTURE_TEST (conditions_bound_what_was_compared)
{
  static const struct
  {
    enum insn_condition condition;
    bool taken;
    uint64_t with, max;
  } cases[] = {
    { CONDITION_ABOVE, false, 9, 9 },
    { CONDITION_ABOVE, true, 9, UINT64_MAX },
    { CONDITION_NOT_ABOVE, true, 9, 9 },
    { CONDITION_NOT_ABOVE, false, 9, UINT64_MAX },
    { CONDITION_NOT_ABOVE, true, 0, 0 },
    { CONDITION_BELOW, true, 9, 8 },
    { CONDITION_BELOW, false, 9, UINT64_MAX },
    { CONDITION_BELOW, true, 1, 0 },
    { CONDITION_BELOW, true, 0, UINT64_MAX },
    { CONDITION_NOT_BELOW, false, 9, 8 },
    { CONDITION_NOT_BELOW, true, 9, UINT64_MAX },
    { CONDITION_EQUAL, true, 9, UINT64_MAX },
    { CONDITION_OTHER, true, 9, UINT64_MAX },
    { CONDITION_OTHER, false, 9, UINT64_MAX },
  };
  FOR_EACH_ROW (given, cases)
    {
      enter (&arch_aarch64);
      compare (X0, (int64_t)given->with);
      state_branch (&now, given->condition, given->taken);
      assert_true (bound_of (X0) == given->max);
      assert_int_equal (now.n_bounds, given->max != UINT64_MAX);
      assert_true (bound_of (X1) == UINT64_MAX);
    }
}

AARCH64_TEST (flags_are_forgotten)
{
  compare (X0, 5);
  struct insn sets_flags = insn_of (OP_NONE, REG_NONE, REG_NONE);
  sets_flags.sets_flags = true;
  apply (sets_flags);
  state_branch (&now, CONDITION_NOT_ABOVE, true);
  assert_true (bound_of (X0) == UINT64_MAX);
  /* A call changes the flags.  */
  compare (X19, 5);
  move (X20, X0, 8);
  compare (X20, 5);
  call ();
  state_branch (&now, CONDITION_NOT_ABOVE, true);
  assert_true (bound_of (X20) == UINT64_MAX);
  compare (X0, 5);
  change (X1);
  state_branch (&now, CONDITION_NOT_ABOVE, true);
  assert_true (bound_of (X0) == 5);
  /* The bound is of the value that was compared, which the register may no
     longer have.  */
  compare (X1, 7);
  move (X2, X1, 8);
  change (X1);
  state_branch (&now, CONDITION_NOT_ABOVE, true);
  assert_true (bound_of (X2) == 7);
  assert_true (bound_of (X1) == UINT64_MAX);
  /* The comparison of a known address gives no bound ...  */
  compare (X0, 5);
  bound (SP, 3);
  assert_int_equal (now.n_bounds, 2);
  /* ... and a known number in a register is as good as an immediate.  */
  set (X9, -1);
  change (X0);
  with_index (OP_COMPARE_BOTH, REG_NONE, X0, X9, 4);
  state_branch (&now, CONDITION_NOT_ABOVE, true);
  assert_true (bound_of (X0) == UINT32_MAX);
  change (X0);
  set (X9, 77);
  with_index (OP_COMPARE_BOTH, REG_NONE, X0, X9, 8);
  state_branch (&now, CONDITION_BELOW, true);
  assert_true (bound_of (X0) == 76);
}

AARCH64_TEST (memory_is_bounded_until_it_may_change)
{
  struct insn in_memory = memory_insn (OP_COMPARE_MEMORY, REG_NONE, X19, 8, 8);
  in_memory.immediate = 5;
  for (int i = 0; i < 3; i++)
    {
      apply (in_memory);
      state_branch (&now, CONDITION_NOT_ABOVE, true);
      if (i == 1)
        call ();
      else if (i == 2)
        store (X1, X20, 0);
      load (X0, X19, 8);
      assert_true (bound_of (X0) == (i == 0 ? 5 : UINT64_MAX));
    }
  /* A store between the comparison and the branch counts, too.  */
  apply (in_memory);
  store (X1, X20, 0);
  state_branch (&now, CONDITION_NOT_ABOVE, true);
  load (X0, X19, 8);
  assert_true (bound_of (X0) == UINT64_MAX);
  /* A store to a known word of the stack does not change the other word.  */
  apply (in_memory);
  store (X1, SP, -8);
  state_branch (&now, CONDITION_NOT_ABOVE, true);
  load (X0, X19, 8);
  assert_true (bound_of (X0) == 5);
  apply (memory_insn (OP_LOAD, X0, X19, 16, 8));
  assert_true (bound_of (X0) == UINT64_MAX);
}

FIXTURE_TEST (the_stack_is_bounded_until_it_is_overwritten)
{
  static const struct
  {
    int64_t offset;
    bool changes;
  } cases[] = { { -24, true },  { -32, false }, { -31, true },
                { -16, false }, { -17, true },  { -100, false } };
  struct insn in_frame = memory_insn (OP_COMPARE_MEMORY, REG_NONE, SP, -24, 8);
  in_frame.immediate = 5;
  FOR_EACH_ROW (given, cases)
    {
      enter (&arch_aarch64);
      apply (in_frame);
      state_branch (&now, CONDITION_NOT_ABOVE, true);
      store (X1, SP, given->offset);
      assert_int_equal (now.n_bounds, given->changes ? 0 : 1);
      enter (&arch_aarch64);
      apply (in_frame);
      state_branch (&now, CONDITION_NOT_ABOVE, true);
      apply (pair (OP_STORE, X1, X2, given->offset - 8));
      assert_int_equal (now.n_bounds,
                        given->changes || given->offset == -16 ? 0 : 1);
    }
}

/* The distance of a realigned frame from the caller's frame is not known.  */
FIXTURE_TEST (a_word_of_another_base_may_be_the_same)
{
  struct insn in_frame = memory_insn (OP_COMPARE_MEMORY, REG_NONE, SP, -24, 8);
  in_frame.immediate = 5;
  for (int i = 0; i < 2; i++)
    {
      enter (&arch_aarch64);
      apply (in_frame);
      state_branch (&now, CONDITION_NOT_ABOVE, true);
      now.registers[X20] = value_of (i == 0 ? VALUE_CFA : VALUE_BASE, 0);
      store (X1, X20, 200);
      assert_int_equal (now.n_bounds, i == 0 ? 1 : 0);
    }
}

AARCH64_TEST (multiples_are_bounded)
{
  bound (X0, 10);
  with_immediate (OP_SCALE, X1, X0, 8);
  assert_true (bound_of (X1) == 80);
  assert_true (bound_of (X0) == 10);
  with_immediate (OP_SCALE, X1, X2, 8);
  assert_true (bound_of (X1) == UINT64_MAX);
  bound (X2, UINT32_MAX);
  with_immediate (OP_SCALE, X1, X2, 2);
  assert_true (bound_of (X1) == 2 * (uint64_t)UINT32_MAX);
  bound (X2, INT64_C (1) << 32);
  with_immediate (OP_SCALE, X1, X2, 2);
  assert_true (bound_of (X1) == UINT64_MAX);
}

/* In a loop, the new value of an instruction has the number of the old value,
   which was bounded.  */
AARCH64_TEST (a_new_value_has_no_old_bound)
{
  for (int i = 0; i < 2; i++)
    {
      address = 0x2000;
      change (X0);
      assert_true (bound_of (X0) == UINT64_MAX);
      bound (X0, 10);
      assert_true (bound_of (X0) == 10);
    }
}

FIXTURE_TEST (equal_registers_share_what_is_known)
{
  for (int turn = 0; turn < 2; turn++)
    {
      enter (&arch_aarch64);
      change (SP);
      add (X9, SP, 0);
      now.registers[X9] = value_of (VALUE_CFA, -64);
      with_index (OP_COMPARE_BOTH, REG_NONE, turn ? SP : X9, turn ? X9 : SP,
                  8);
      struct state before = now;
      assert_true (state_branch (&now, CONDITION_EQUAL, false));
      expect_kind (SP, VALUE_COMPUTED);
      state_branch (&now, CONDITION_NOT_EQUAL, true);
      expect_kind (SP, VALUE_COMPUTED);
      assert_true (state_branch (&now, CONDITION_NOT_EQUAL, false));
      expect (SP, VALUE_CFA, -64);
      now = before;
      state_branch (&now, CONDITION_EQUAL, true);
      expect (SP, VALUE_CFA, -64);
      /* Not if a register or the flags have changed meanwhile ...  */
      now = before;
      change (SP);
      state_branch (&now, CONDITION_EQUAL, true);
      expect_kind (SP, VALUE_COMPUTED);
      now = before;
      with_index (OP_SWAP, X1, X2, REG_NONE, 8);
      state_branch (&now, CONDITION_EQUAL, true);
      expect_kind (SP, VALUE_COMPUTED);
      now = before;
      call ();
      state_branch (&now, CONDITION_EQUAL, true);
      expect_kind (SP, VALUE_COMPUTED);
      /* ... nor if only halves of the registers were compared.  */
      now = before;
      with_index (OP_COMPARE_BOTH, REG_NONE, SP, X9, 4);
      state_branch (&now, CONDITION_EQUAL, true);
      expect_kind (SP, VALUE_COMPUTED);
    }
  /* A branch for equal registers is not taken if they are different addresses
     of one frame.  */
  enter (&arch_aarch64);
  for (int64_t number = -64; number <= -32; number += 32)
    {
      now.registers[X9] = value_of (VALUE_CFA, -64);
      now.registers[SP] = value_of (VALUE_CFA, number);
      with_index (OP_COMPARE_BOTH, REG_NONE, X9, SP, 8);
      assert_int_equal (state_branch (&now, CONDITION_EQUAL, true),
                        number == -64);
      assert_int_equal (state_branch (&now, CONDITION_NOT_EQUAL, false),
                        number == -64);
      assert_true (state_branch (&now, CONDITION_EQUAL, false));
      assert_true (state_branch (&now, CONDITION_NOT_EQUAL, true));
      assert_true (state_branch (&now, CONDITION_BELOW, true));
    }
  /* Nothing follows from a comparison with another register.  */
  now.registers[X20] = value_of (VALUE_CFA, 0);
  with_index (OP_COMPARE_BOTH, REG_NONE, X9, X20, 8);
  assert_true (state_branch (&now, CONDITION_EQUAL, true));
  /* The caller's value of a register is never taken for another value.  */
  enter (&arch_aarch64);
  change (X0);
  struct value unknown = now.registers[X0];
  with_index (OP_COMPARE_BOTH, REG_NONE, X19, X0, 8);
  state_branch (&now, CONDITION_EQUAL, true);
  assert_true (value_equal (now.registers[X0], unknown));
  with_index (OP_COMPARE_BOTH, REG_NONE, X19, SP, 8);
  state_branch (&now, CONDITION_EQUAL, true);
  expect (X19, VALUE_SAVED, X19);
}

AARCH64_TEST (a_child_with_another_stack_is_noticed)
{
  const struct
  {
    int64_t number, stack;
    bool really, forks;
  } cases[] = {
    { machine->clone, 0x5000, true, true },
    { machine->clone, -1, true, true },
    { machine->clone, 0, true, false }, /* its parent's */
    { machine->clone, -1, false, false },
    { machine->clone3, 0, true, true },
    { machine->clone3, -1, true, true },
    { machine->clone3 + 1, -1, true, false },
  };
  FOR_EACH_ROW (given, cases)
    {
      call_kernel (given->number, given->stack, given->really);
      assert_int_equal (now.includes_child, given->forks);
      expect_kind (machine->syscall_result,
                   given->forks ? VALUE_FORKED : VALUE_COMPUTED);
    }
}

FIXTURE_TEST (child_and_parent_part_where_the_result_is_asked_for)
{
  static const struct
  {
    enum insn_condition condition;
    bool of_register, parts, taken;
  } cases[] = {
    { CONDITION_EQUAL, false, true, true },
    { CONDITION_NOT_EQUAL, false, true, false },
    { CONDITION_BELOW, false, false, false },
    { CONDITION_NOT_ABOVE, false, false, false },
    { CONDITION_ZERO, true, true, true },
    { CONDITION_NOT_ZERO, true, true, false },
  };
  FOR_EACH_ROW (given, cases)
    for (unsigned k = 0; k < 3; k++)
      {
        static const enum value_kind kinds[]
            = { VALUE_COMPUTED, VALUE_FORKED, VALUE_MAYBE_FORKED };
        bool taken;
        enter (&arch_aarch64);
        call_kernel (k == 0 ? 1 : k == 1 ? machine->clone : -1, 0x5000, true);
        assert_int_equal (now.has_unknown_syscall, k == 2);
        if (!given->of_register)
          apply (insn_of (OP_TEST, REG_NONE, machine->syscall_result));
        struct insn branch = insn_of (
            OP_NONE, REG_NONE,
            given->of_register ? machine->syscall_result : REG_NONE);
        branch.condition = given->condition;
        assert_int_equal (state_branch_on_fork (&now, &branch, &taken),
                          given->parts ? kinds[k] : VALUE_COMPUTED);
        if (given->parts)
          assert_int_equal (taken, given->taken);
        if (given->of_register)
          continue;
        /* Flags of a later instruction say nothing of the result.  */
        apply (insn_of (OP_TEST, REG_NONE, X19));
        assert_int_equal (state_branch_on_fork (&now, &branch, &taken),
                          VALUE_COMPUTED);
      }
}

AARCH64_TEST (unknown_sums_are_not_equal)
{
  add (X1, X19, 8);
  add (X2, X20, 8);
  assert_false (value_equal (now.registers[X1], now.registers[X2]));
  bound (X1, 5);
  assert_true (bound_of (X1) == 5);
  assert_true (bound_of (X2) == UINT64_MAX);
  /* A value that was read from an unknown address can be bounded, too.  */
  load (X0, SP, -8);
  expect_kind (X0, VALUE_UNKNOWN);
  bound (X0, 7);
  assert_true (bound_of (X0) == 7);
}

/* The last instruction that sets the flags counts.  */
FIXTURE_TEST (flags_of_other_instructions_tell_nothing)
{
  struct insn sets_flags = insn_of (OP_NONE, REG_NONE, REG_NONE);
  sets_flags.sets_flags = true;
  struct insn branch = insn_of (OP_NONE, REG_NONE, REG_NONE);
  branch.condition = CONDITION_EQUAL;
  bool taken;
  enter (&arch_aarch64);
  for (int i = 0; i < 6; i++)
    {
      call_kernel (machine->clone, 0x5000, true);
      apply (insn_of (OP_TEST, REG_NONE, machine->syscall_result));
      if (i == 1)
        apply (sets_flags);
      else if (i == 2)
        compare (X19, 5);
      else if (i == 3)
        compare (machine->syscall_result, 5);
      else if (i == 4)
        state_renumber (&now, 0x3000);
      else if (i == 5)
        with_index (OP_COMPARE_BOTH, REG_NONE, X19, X20, 8);
      assert_int_equal (state_branch_on_fork (&now, &branch, &taken),
                        i == 0 ? VALUE_FORKED : VALUE_COMPUTED);
    }
  for (int i = 0; i < 4; i++)
    {
      enter (&arch_aarch64);
      change (SP);
      now.registers[X20] = value_of (VALUE_CFA, -64);
      with_index (OP_COMPARE_BOTH, REG_NONE, SP, X20, 8);
      if (i == 1)
        apply (sets_flags);
      else if (i == 2)
        call ();
      else if (i == 3)
        state_renumber (&now, 0x3000);
      state_branch (&now, CONDITION_EQUAL, true);
      expect_kind (SP, i == 0 ? VALUE_CFA : VALUE_COMPUTED);
    }
}
