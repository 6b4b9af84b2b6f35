/* What instructions make of registers and of the stack
   (analysis/state_apply.c). SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "state_fixture.h"

#ifdef CODE_ANALYSIS

#  define LIMIT (INT64_C (1) << 58) /* of what a value's number can be */

/* Registers of arguments need not be restored for the caller.  */
AMD64_TEST (registers_at_the_entry)
{
  expect (RBX, VALUE_SAVED, RBX);
  expect (RSP, VALUE_CFA, -8);
  expect_kind (RDX, VALUE_COMPUTED);
  expect_kind (RIP, VALUE_UNKNOWN);
}

AARCH64_TEST (numbers_have_59_bits)
{
  set (X0, LIMIT - 1);
  expect (X0, VALUE_CONSTANT, LIMIT - 1);
  set (X0, -LIMIT);
  expect (X0, VALUE_CONSTANT, -LIMIT);
  set (X0, LIMIT);
  expect_kind (X0, VALUE_UNKNOWN);
  set (X0, -LIMIT - 1);
  expect_kind (X0, VALUE_UNKNOWN);
  set (X0, LIMIT - 1);
  add (X0, X0, 1);
  expect_kind (X0, VALUE_UNKNOWN);
  set (X0, 1);
  add (X0, X0, INT64_MAX);
  expect_kind (X0, VALUE_UNKNOWN);
  add (X0, SP, -16);
  expect (X0, VALUE_CFA, -16);
  /* Computed + something is something else that was computed.  */
  change (X0);
  struct value before = now.registers[X0];
  add (X0, X0, 8);
  expect_kind (X0, VALUE_COMPUTED);
  assert_false (value_equal (before, now.registers[X0]));
  add (X1, X19, 8);
  expect_kind (X1, VALUE_UNKNOWN);
}

/* The lower half of a number is the number itself if it is not negative as a
   signed number of that width.  */
AARCH64_TEST (moves_of_a_half)
{
  set (X0, INT32_MAX);
  move (X1, X0, 4);
  expect (X1, VALUE_CONSTANT, INT32_MAX);
  move (X1, X0, 2);
  expect_kind (X1, VALUE_COMPUTED);
  set (X0, INT64_C (1) << 31);
  move (X1, X0, 4);
  expect_kind (X1, VALUE_COMPUTED);
  move (X1, X0, 8);
  expect (X1, VALUE_CONSTANT, INT64_C (1) << 31);
  set (X0, -1);
  move (X1, X0, 4);
  expect_kind (X1, VALUE_COMPUTED);
  set (X0, 0);
  move (X1, X0, 4);
  expect (X1, VALUE_CONSTANT, 0);
  move (X1, SP, 4);
  expect_kind (X1, VALUE_COMPUTED);
  move (X1, SP, 8);
  expect (X1, VALUE_CFA, 0);
  move (X1, X19, 4);
  expect_kind (X1, VALUE_COMPUTED);
  change (X0);
  move (X1, X0, 1);
  assert_true (value_equal (now.registers[X0], now.registers[X1]));
}

static void
insert (unsigned to, unsigned at, int64_t bits, unsigned width)
{
  struct insn insn = insn_of (OP_INSERT, to, to);
  insn.scale = (uint8_t)at;
  insn.immediate = bits << at;
  insn.width = (uint16_t)width;
  apply (insn);
}

AARCH64_TEST (parts_of_constants_are_replaced)
{
  set (X0, 0x11112222);
  insert (X0, 16, 0x3333, 8);
  expect (X0, VALUE_CONSTANT, 0x33332222);
  insert (X0, 0, 0x4444, 8);
  expect (X0, VALUE_CONSTANT, 0x33334444);
  insert (X0, 32, 0x55, 8);
  expect (X0, VALUE_CONSTANT, 0x5533334444);
  insert (X0, 32, 0, 8);
  expect (X0, VALUE_CONSTANT, 0x33334444);
  set (X0, -1);
  insert (X0, 16, 0, 4);
  expect (X0, VALUE_CONSTANT, 0xffff);
  insert (X0, 16, 0x8000, 4);
  expect (X0, VALUE_CONSTANT, 0x8000ffff);
  set (X0, 0x10000);
  insert (X0, 48, 0x7fff, 8); /* too large to be known */
  expect_kind (X0, VALUE_UNKNOWN);
  insert (X0, 0, 1, 8);
  expect_kind (X0, VALUE_COMPUTED);
}

/* Signing a return address takes the value of SP, which has to be the CFA.  */
AARCH64_TEST (signing_needs_the_stack_pointer_of_the_entry)
{
  with_immediate (OP_SIGN, LR, LR, 1);
  expect (LR, VALUE_SIGNED, 1);
  with_immediate (OP_AUTHENTICATE, LR, LR, 0); /* the other key */
  expect_kind (LR, VALUE_UNKNOWN);
  enter_again ();
  with_immediate (OP_SIGN, LR, LR, 0);
  expect (LR, VALUE_SIGNED, 0);
  with_immediate (OP_SIGN, LR, LR, 0); /* twice */
  expect_kind (LR, VALUE_UNKNOWN);
  enter_again ();
  with_immediate (OP_SIGN, LR, LR, 0);
  add (SP, SP, -16);
  with_immediate (OP_AUTHENTICATE, LR, LR, 0);
  expect_kind (LR, VALUE_UNKNOWN);
  enter_again ();
  with_immediate (OP_SIGN, LR, LR, 0);
  add (SP, SP, -16);
  add (SP, SP, 16);
  with_immediate (OP_AUTHENTICATE, LR, LR, 0);
  expect (LR, VALUE_SAVED, LR);
  with_immediate (OP_AUTHENTICATE, LR, LR, 0); /* there is no code */
  expect_kind (LR, VALUE_UNKNOWN);
  enter_again ();
  add (SP, SP, -16);
  with_immediate (OP_SIGN, LR, LR, 0);
  expect_kind (LR, VALUE_UNKNOWN);
  enter_again ();
  with_immediate (OP_SIGN, LR, LR, 0);
  add (SP, SP, -16);
  with_immediate (OP_STRIP, LR, LR, 0);
  expect (LR, VALUE_SAVED, LR);
  with_immediate (OP_STRIP, LR, LR, 0);
  expect (LR, VALUE_SAVED, LR);
  with_immediate (OP_SIGN, X0, X19, 0);
  expect_kind (X0, VALUE_UNKNOWN);
}

AARCH64_TEST (sums)
{
  set (X0, 24);
  with_index (OP_SUM, X1, SP, X0, 8);
  expect (X1, VALUE_CFA, 24);
  with_index (OP_SUM, X1, X0, SP, 8);
  expect (X1, VALUE_CFA, 24);
  with_index (OP_SUM, X1, X0, X0, 8);
  expect (X1, VALUE_CONSTANT, 48);
  with_index (OP_SUM, X1, SP, SP, 8);
  expect_kind (X1, VALUE_COMPUTED);
  with_index (OP_SUBTRACT, SP, SP, X0, 8);
  expect (SP, VALUE_CFA, -24);
  with_index (OP_SUBTRACT, X1, SP, X2, 8);
  expect_kind (X1, VALUE_COMPUTED);
}

AMD64_TEST (registers_are_swapped)
{
  set (RAX, 5);
  with_index (OP_SWAP, RAX, RBX, REG_NONE, 8);
  expect (RAX, VALUE_SAVED, RBX);
  expect (RBX, VALUE_CONSTANT, 5);
  /* Nothing is known of half of a register of the caller.  */
  with_index (OP_SWAP, RAX, RBX, REG_NONE, 4);
  expect (RAX, VALUE_CONSTANT, 5);
  expect_kind (RBX, VALUE_COMPUTED);
}

AMD64_TEST (words_are_saved_and_restored)
{
  push (RBX);
  expect (RSP, VALUE_CFA, -16);
  expect_word (RSP, 0, VALUE_SAVED, RBX);
  expect_word (RSP, 8, VALUE_SAVED, RIP);
  move (RBX, RSP, 8);
  expect (RBX, VALUE_CFA, -16);
  assert_false (state_is_restored (&now));
  pop (RBX);
  expect (RBX, VALUE_SAVED, RBX);
  expect (RSP, VALUE_CFA, -8);
  assert_true (state_is_restored (&now));
  pop (REG_NONE);
  expect (RSP, VALUE_CFA, 0);
  assert_false (state_is_restored (&now));
  enter_again ();
  push (REG_NONE);
  expect_unknown_word (RSP, 0);
  expect (RSP, VALUE_CFA, -16);
}

/* A signal handler may overwrite the words below SP.  Compilers read them only
   until SP is lowered again.  */
AMD64_TEST (what_was_popped_is_gone_when_the_stack_grows_again)
{
  push (RBX);
  push (R12);
  add (RSP, RSP, 16);
  expect_word (RSP, -8, VALUE_SAVED, RBX);
  expect_word (RSP, -16, VALUE_SAVED, R12);
  add (RSP, RSP, -8);
  expect_unknown_word (RSP, 0);
  expect_word (RSP, -8, VALUE_SAVED, R12);
  add (RSP, RSP, -8);
  expect_unknown_word (RSP, 0);
  /* The word where SP stays is not popped.  */
  enter_again ();
  push (RBX);
  push (R12);
  add (RSP, RSP, 8);
  add (RSP, RSP, -16);
  expect_word (RSP, 16, VALUE_SAVED, RBX);
  expect_unknown_word (RSP, 8);
}

/* Some compilers save registers by storing them below SP and lowering SP
   afterwards.  */
AMD64_TEST (what_was_stored_below_the_stack_pointer_stays)
{
  store (RBX, RSP, -8);
  store (R12, RSP, -40);
  expect_word (RSP, -8, VALUE_SAVED, RBX);
  add (RSP, RSP, -24);
  expect_word (RSP, 16, VALUE_SAVED, RBX);
  expect_word (RSP, -16, VALUE_SAVED, R12);
  add (RSP, RSP, -24);
  expect_word (RSP, 8, VALUE_SAVED, R12);
}

/* Words of a realigned frame are gone, too, when SP has left it and is lowered
   again.  */
AMD64_TEST (a_realigned_frame_is_released_as_a_whole)
{
  add (R10, RSP, 0);
  push (RBX);
  store (R12, RSP, -8);
  align (RSP, RSP, -32);
  expect (RSP, VALUE_BASE, 0);
  expect_word (R10, -8, VALUE_SAVED, RBX);
  move (RSP, R10, 8);
  expect (RSP, VALUE_CFA, -8);
  expect_word (RSP, -8, VALUE_SAVED, RBX);
  expect_word (RSP, -16, VALUE_SAVED, R12);
  add (RSP, RSP, -16);
  expect_unknown_word (RSP, 8);
  expect_unknown_word (RSP, 0);
}

AMD64_TEST (a_call_leaves_the_frame_alone_and_nothing_below)
{
  push (RBX);
  store (R12, RSP, -8);
  store (RBP, RSP, -16);
  set (RAX, 1);
  set (RBX, 2);
  set (R10, 3);
  call ();
  expect_kind (RAX, VALUE_COMPUTED);
  expect_kind (R10, VALUE_COMPUTED);
  expect (RBX, VALUE_CONSTANT, 2);
  expect (RSP, VALUE_CFA, -16);
  expect_word (RSP, 0, VALUE_SAVED, RBX);
  expect_unknown_word (RSP, -8);
  expect_unknown_word (RSP, -16);
  assert_int_equal (now.n_slots, 2);
}

AMD64_TEST (stores_of_all_widths)
{
  add (RSP, RSP, -24);
  store (RBX, RSP, 8);
  apply (memory_insn (OP_STORE, REG_NONE, RSP, 16, 4));
  apply (memory_insn (OP_STORE, REG_NONE, RSP, 4, 4));
  expect_word (RSP, 8, VALUE_SAVED, RBX);
  apply (memory_insn (OP_STORE, RBX, RSP, 15, 1));
  expect_unknown_word (RSP, 8);
  store (RBX, RSP, 8);
  apply (memory_insn (OP_STORE, REG_NONE, RSP, 5, 4));
  expect_unknown_word (RSP, 8);
  apply (memory_insn (OP_STORE, RBX, RSP, 8, 4));
  expect_unknown_word (RSP, 8);
  /* Nothing is known of a part of a word, but that it may be a register.  */
  store (RBX, RSP, 8);
  apply (memory_insn (OP_LOAD, RAX, RSP, 8, 4));
  expect_kind (RAX, VALUE_UNKNOWN);
  load (RAX, RSP, 8);
  expect (RAX, VALUE_SAVED, RBX);
  load (RAX, RSP, 0);
  expect_kind (RAX, VALUE_UNKNOWN);
  load (RAX, RDX, 8);
  expect_kind (RAX, VALUE_COMPUTED);
}

/* An address with an index is not known.  */
AMD64_TEST (indexed_words_of_the_stack_are_unknown)
{
  push (RBX);
  struct insn insn = memory_insn (OP_LOAD, RAX, RSP, 0, 8);
  insn.index = RCX;
  insn.scale = 8;
  apply (insn);
  expect_kind (RAX, VALUE_COMPUTED);
  insn = memory_insn (OP_STORE, RDX, RSP, 0, 8);
  insn.index = RCX;
  insn.scale = 8;
  apply (insn);
  expect_word (RSP, 0, VALUE_SAVED, RBX);
}

AARCH64_TEST (pairs_of_registers)
{
  struct insn save = pair (OP_STORE, FP, LR, -32);
  save.adjusts_base = true;
  save.immediate = -32;
  apply (save);
  expect (SP, VALUE_CFA, -32);
  expect_word (SP, 0, VALUE_SAVED, FP);
  expect_word (SP, 8, VALUE_SAVED, LR);
  set (FP, 1);
  set (LR, 1);
  apply (pair (OP_STORE, X19, REG_NONE, 16));
  expect_word (SP, 16, VALUE_SAVED, X19);
  expect_unknown_word (SP, 24);
  apply (pair (OP_LOAD, X0, REG_NONE, 16));
  expect (X0, VALUE_SAVED, X19);
  struct insn back = pair (OP_LOAD, FP, LR, 0);
  back.adjusts_base = true;
  back.immediate = 32;
  apply (back);
  expect (SP, VALUE_CFA, 0);
  expect (FP, VALUE_SAVED, FP);
  expect (LR, VALUE_SAVED, LR);
  assert_true (state_is_restored (&now));
  /* Both words have unknown values, and not the values from before.  */
  apply (pair (OP_STORE, X19, X20, -16));
  apply (pair (OP_STORE, REG_NONE, REG_NONE, -16));
  expect_unknown_word (SP, -16);
  expect_unknown_word (SP, -8);
}

AMD64_TEST (a_new_base_makes_the_old_one_unknown)
{
  add (RSP, RSP, -24);
  align (RSP, RSP, -32);
  expect (RSP, VALUE_BASE, 0);
  assert_int_equal (now.base_limit, -32);
  assert_false (now.base_is_below);
  add (R10, RSP, 16);
  add (RAX, RSP, 16);
  store (RBX, RSP, 0);
  store (RSP, RSP, 8);
  with_index (OP_SUBTRACT, RSP, RSP, RCX, 8);
  expect (RSP, VALUE_BASE, 0);
  expect_kind (R10, VALUE_UNKNOWN);
  expect_kind (RAX, VALUE_UNKNOWN);
  assert_int_equal (now.base_limit, -32);
  assert_true (now.base_is_below);
  assert_int_equal (now.n_slots, 1);
  /* A base that is below the limit stays below it.  */
  add (RSP, RSP, -16);
  align (RSP, RSP, -64);
  assert_int_equal (now.base_limit, -48);
  assert_true (now.base_is_below);
  /* A base that is made from another base has the limit of that one.  A base
     that is made from a known address has that address as its limit.  */
  enter_again ();
  align (RSP, RSP, -32);
  align (RSP, RSP, -64);
  assert_false (now.base_is_below);
  enter_again ();
  add (RBP, RSP, 0);
  with_index (OP_SUBTRACT, RSP, RSP, RAX, 8);
  assert_true (now.base_is_below);
  move (RSP, RBP, 8);
  align (RSP, RSP, -64);
  assert_int_equal (now.base_limit, -8);
  assert_false (now.base_is_below);
  /* Registers other than SP get no base from a base, but from a known address.
   */
  align (RAX, RSP, -64);
  expect_kind (RAX, VALUE_COMPUTED);
  align (RAX, RDX, -64);
  expect_kind (RAX, VALUE_COMPUTED);
  enter_again ();
  add (RAX, RSP, -24);
  align (RAX, RAX, -64);
  expect (RAX, VALUE_BASE, 0);
  assert_int_equal (now.base_limit, -32);
  enter_again ();
  with_index (OP_SUBTRACT, RSP, RSP, RAX, 8);
  expect (RSP, VALUE_BASE, 0);
  assert_int_equal (now.base_limit, -8);
  assert_true (now.base_is_below);
}

/* FP has the base, and SP is lowered further, for an array of variable size.
 */
FIXTURE_TEST (the_base_of_the_frame_pointer_stays)
{
  for (unsigned below_first = 0; below_first < 2; below_first++)
    {
      enter (&arch_amd64);
      align (RSP, RSP, -32);
      add (RSP, RSP, -64);
      if (below_first)
        store (R12, RSP, -8);
      store (RBX, RSP, 8);
      if (!below_first)
        store (R12, RSP, -8);
      move (RBP, RSP, 8);
      with_index (OP_SUBTRACT, RSP, RSP, REG_NONE, 8);
      expect (RBP, VALUE_BASE, -64);
      expect_kind (RSP, VALUE_COMPUTED);
      expect_word (RBP, 8, VALUE_SAVED, RBX);
      expect_unknown_word (RBP, -8);
    }
  /* On aarch64 no word of the stack is known at the entry.  */
  enter (&arch_aarch64);
  align (SP, SP, -32);
  store (X19, SP, -8);
  store (X20, SP, 8);
  move (FP, SP, 8);
  with_index (OP_SUBTRACT, SP, SP, REG_NONE, 8);
  expect_word (FP, 8, VALUE_SAVED, X20);
  expect_unknown_word (FP, -8);
}

/* RAX = RAX, in WIDTH bytes, and INDEX or BY.  */
static void
calculate (enum insn_calculation calculation, unsigned width, unsigned index,
           int64_t by)
{
  struct insn insn = insn_of (OP_CALCULATE, RAX, RAX);
  insn.calculation = (uint8_t)calculation;
  insn.width = (uint16_t)width;
  insn.index = (uint8_t)index;
  insn.immediate = by;
  apply (insn);
}

FIXTURE_TEST (numbers_are_calculated)
{
  static const struct
  {
    enum insn_calculation calculation;
    unsigned width;
    int64_t from, by, result;
  } cases[] = {
    { CALCULATE_MOVE, 1, 0x1234, 0x1ff, 0x12ff },
    { CALCULATE_MOVE, 1, -1, 0, -0x100 },
    { CALCULATE_MOVE, 2, 0x123456, 0x1789a, 0x12789a },
    { CALCULATE_ADD, 4, 5, 10, 15 },
    { CALCULATE_ADD, 4, 0xffffffff, 1, 0 },
    { CALCULATE_ADD, 1, 0x1ff, 1, 0x100 },
    { CALCULATE_SUBTRACT, 8, 5, 6, -1 },
    { CALCULATE_SUBTRACT, 4, 5, 6, 0xffffffff },
    { CALCULATE_SUBTRACT_FROM, 4, 5, 20, 15 },
    { CALCULATE_AND, 4, 0x3f, 0x4f, 0xf },
    { CALCULATE_OR, 4, 8, 7, 15 },
    { CALCULATE_XOR, 8, -16, -1, 15 },
    { CALCULATE_MULTIPLY, 4, 5, 3, 15 },
    { CALCULATE_SHIFT_LEFT, 4, 15, 33, 30 },
    { CALCULATE_SHIFT_RIGHT, 4, -16, 28, 15 },
    { CALCULATE_SHIFT_SIGNED, 4, 0x80000000, 31, 0xffffffff },
    { CALCULATE_SHIFT_SIGNED, 8, -30, 1, -15 },
    { CALCULATE_ROTATE_LEFT, 4, 0xf0000000, 4, 15 },
    { CALCULATE_ROTATE_RIGHT, 4, 0xf0, 4, 15 },
    { CALCULATE_ROTATE_RIGHT, 8, 15, 64, 15 },
  };
  FOR_EACH_ROW (given, cases)
    for (int by_register = 0; by_register < 2; by_register++)
      {
        enter (&arch_amd64);
        set (RAX, given->from);
        set (RCX, given->by);
        calculate (given->calculation, given->width,
                   by_register ? RCX : REG_NONE, given->by);
        expect (RAX, VALUE_NUMBER, given->result);
      }
  /* The result is unknown if an operand or the rest of the register is.  */
  enter (&arch_amd64);
  calculate (CALCULATE_MOVE, 1, REG_NONE, 5);
  expect_kind (RAX, VALUE_COMPUTED);
  calculate (CALCULATE_OR, 4, REG_NONE, 5);
  expect_kind (RAX, VALUE_COMPUTED);
  set (RAX, 5);
  calculate (CALCULATE_OR, 4, RBX, 0);
  expect_kind (RAX, VALUE_COMPUTED);
}

/* The sum of an address and a calculated number is not an address.  */
AMD64_TEST (calculated_numbers_are_no_addresses)
{
  set (RAX, 5);
  calculate (CALCULATE_ADD, 4, REG_NONE, 3);
  set (RCX, 0x4000);
  with_index (OP_SUM, RDX, RCX, RAX, 8);
  expect (RDX, VALUE_NUMBER, 0x4008);
  with_index (OP_SUM, RDX, RAX, RCX, 8);
  expect (RDX, VALUE_NUMBER, 0x4008);
  with_index (OP_SUM, RSP, RSP, RAX, 8);
  expect (RSP, VALUE_CFA, 0);
  set (RAX, 0x1005);
  align (RAX, RAX, -4096);
  expect (RAX, VALUE_NUMBER, 0x1000);
  with_immediate (OP_SCALE, RAX, RAX, 4);
  expect (RAX, VALUE_NUMBER, 0x4000);
}

AMD64_TEST (numbers_are_kept_in_the_stack)
{
  struct insn insn = insn_of (OP_PUSH, REG_NONE, REG_NONE);
  insn.has_constant = true;
  insn.immediate = 15;
  apply (insn);
  pop (RAX);
  expect (RAX, VALUE_RELOADED, 15);
  push (RAX);
  apply (memory_insn (OP_LOAD, RCX, RSP, 0, 4));
  expect (RCX, VALUE_RELOADED, 15);
  /* A store to half of a word makes the word unknown, but not its other half.
   */
  apply (memory_insn (OP_STORE, RAX, RSP, 0, 4));
  load (RCX, RSP, 0);
  expect_kind (RCX, VALUE_UNKNOWN);
  apply (memory_insn (OP_STORE, REG_NONE, RSP, 4, 4));
  apply (memory_insn (OP_LOAD, RCX, RSP, 0, 4));
  expect (RCX, VALUE_RELOADED, 15);
  apply (memory_insn (OP_STORE, REG_NONE, RSP, 3, 1));
  apply (memory_insn (OP_LOAD, RCX, RSP, 0, 4));
  expect_kind (RCX, VALUE_UNKNOWN);
  /* No system call has such a number.  */
  set (RAX, 512);
  push (RAX);
  pop (RCX);
  expect_kind (RCX, VALUE_UNKNOWN);
}

AMD64_TEST (words_are_popped_to_memory)
{
  push (RBX);
  push (R12);
  push (RCX);
  struct insn pop_to = memory_insn (OP_POP, REG_NONE, RSP, 8, 8);
  apply (pop_to);
  expect (RSP, VALUE_CFA, -24);
  expect_unknown_word (RSP, 0);
  expect_word (RSP, 8, VALUE_SAVED, RBX);
}

FIXTURE_TEST (some_instructions_name_a_place)
{
  uint64_t place;
  enter (&arch_aarch64);
  set (X0, 0x4000);
  struct insn insn = insn_of (OP_ADD, X1, X0);
  insn.immediate = 0x123;
  assert_false (state_computes_address (&now, &insn, &place));
  insn.computes_address = true;
  assert_true (state_computes_address (&now, &insn, &place));
  assert_int_equal (place, 0x4123);
  insn.op = OP_SET;
  insn.from = REG_NONE;
  assert_true (state_computes_address (&now, &insn, &place));
  assert_int_equal (place, 0x123);
  insn.op = OP_ADD;
  insn.from = X19;
  assert_false (state_computes_address (&now, &insn, &place));
}

/* A new base makes the words unknown that have an address relative to the old
   one, even if their own address is known.  */
AMD64_TEST (addresses_of_an_old_base_are_forgotten)
{
  add (RSP, RSP, -32);
  add (R10, RSP, 0);
  align (RSP, RSP, -32);
  store (RSP, R10, 8);
  expect_word (R10, 8, VALUE_BASE, 0);
  with_index (OP_SUBTRACT, RSP, RSP, RCX, 8);
  expect_unknown_word (R10, 8);
  /* FP keeps the base that SP had before SP left the realigned frame.  */
  enter_again ();
  add (R10, RSP, 0);
  align (RSP, RSP, -32);
  move (RBP, RSP, 8);
  move (RSP, R10, 8);
  align (RSP, RSP, -64);
  expect (RSP, VALUE_BASE, 0);
  expect_kind (RBP, VALUE_UNKNOWN);
}

/* Offsets from different bases cannot be compared.  */
AMD64_TEST (words_of_another_base_are_not_below)
{
  push (RBX);
  move (RBP, RSP, 8);
  align (RSP, RSP, -32);
  call ();
  expect_word (RBP, 0, VALUE_SAVED, RBX);
  /* Words of a realigned frame are popped where SP leaves it ...  */
  enter (&arch_amd64);
  add (R10, RSP, 0);
  align (RSP, RSP, -32);
  push (RBX);
  load (RAX, RSP, 0);
  expect (RAX, VALUE_SAVED, RBX);
  move (RBP, RSP, 8);
  move (RSP, R10, 8);
  expect_word (RBP, 0, VALUE_SAVED, RBX);
  /* ... and gone where it comes back.  */
  move (RSP, RBP, 8);
  expect_unknown_word (RBP, 0);
}

/* A push and a pop to memory overwrite the last copy of a saved register.  */
AMD64_TEST (pushes_and_pops_overwrite_what_was_saved)
{
  store (RBX, RSP, -8);
  set (RBX, 1);
  push (RAX);
  expect_unknown_word (RSP, 0);
  enter_again ();
  push (RBX);
  set (RBX, 1);
  move (RBP, RSP, 8);
  push (RCX);
  apply (memory_insn (OP_POP, REG_NONE, RBP, 0, 8));
  expect_unknown_word (RBP, 0);
  /* They also end what is known of a word in memory.  */
  enter_again ();
  struct insn in_frame = memory_insn (OP_COMPARE_MEMORY, REG_NONE, RSP, 8, 8);
  in_frame.immediate = 5;
  push (RCX);
  apply (in_frame);
  state_branch (&now, CONDITION_NOT_ABOVE, true);
  assert_int_equal (now.n_bounds, 1);
  apply (memory_insn (OP_POP, REG_NONE, RSP, 8, 8));
  assert_int_equal (now.n_bounds, 0);
}

/* Only SP gets a new base when an unknown number is subtracted from it.  */
AMD64_TEST (only_the_stack_pointer_gets_a_new_base)
{
  set (RAX, 24);
  with_index (OP_SUBTRACT, RBP, RSP, RCX, 8);
  expect_kind (RBP, VALUE_COMPUTED);
  with_index (OP_SUBTRACT, RSP, RSP, REG_NONE, 8);
  expect (RSP, VALUE_BASE, 0);
}

#else

TEST (there_is_no_machine) { assert_null (code_machine_of (&arch_aarch64)); }

#endif
