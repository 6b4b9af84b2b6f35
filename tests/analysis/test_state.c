/* What instructions make of registers and stack (analysis/state*), and what
   rows say of that.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Instructions are given decoded, so that no decoder has a part in these
   tests.  */

#include <config.h>

#include <stdio.h>
#include <string.h>

#include "analysis/state.h"
#include "tests/unit_test.h"

#ifdef CODE_ANALYSIS

enum
{
  /* x86-64 */
  RAX = 0,
  RDX = 1,
  RCX = 2,
  RBX = 3,
  RBP = 6,
  RSP = 7,
  R10 = 10,
  R12 = 12,
  RIP = 16,
  /* aarch64 */
  X0 = 0,
  X1 = 1,
  X2 = 2,
  X9 = 9,
  X19 = 19,
  X20 = 20,
  FP = 29,
  LR = 30,
  SP = 31
};

#  define LIMIT (INT64_C (1) << 58) /* of what a value's number can be */

static const struct code_machine *machine;
static struct state now;
static struct jump_tables tables;
static uint64_t address;

/* Begin a function of ARCH.  Builds without Zydis have no x86-64.  */
static void
enter (const struct arch *arch)
{
  machine = code_machine_of (arch);
  if (machine == NULL)
    skip ();
  state_enter (&now, machine, &tables);
  jump_tables_reset (&tables);
  address = 0x1000;
}

/* At the entry again.  */
static void
enter_again (void)
{
  state_enter (&now, machine, &tables);
}

static int
free_tables (void **state)
{
  (void)state;
  jump_tables_free (&tables);
  tables = (struct jump_tables){ 0 };
  return 0;
}

#  define FIXTURE_TEST(name) TEST_BETWEEN (NULL, free_tables, name)

/* A test that begins in a function of ARCH.  */
#  define TEST_OF(arch, function)                                    \
    static void function (void);                                     \
    static void run_##function (void **state)                        \
    {                                                                \
      (void)state;                                                   \
      enter (&arch);                                                 \
      function ();                                                   \
    }                                                                \
    TEST_ENTER (function, .test = { #function, run_##function, NULL, \
                                    free_tables, NULL })             \
    static void function (void)

#  define AMD64_TEST(name) TEST_OF (arch_amd64, name)
#  define AARCH64_TEST(name) TEST_OF (arch_aarch64, name)

/* Instructions.  */

static void
apply (struct insn insn)
{
  address += 4;
  insn.address = address;
  state_apply (&now, &insn);
}

static struct insn
insn_of (enum insn_op op, unsigned to, unsigned from)
{
  return (struct insn){ .size = 4,
                        .op = (uint8_t)op,
                        .to = (uint8_t)to,
                        .from = (uint8_t)from,
                        .second = REG_NONE,
                        .base = REG_NONE,
                        .index = REG_NONE };
}

static struct insn
memory_insn (enum insn_op op, unsigned reg, unsigned base, int64_t offset,
             unsigned width)
{
  struct insn insn = insn_of (op, op == OP_LOAD ? reg : REG_NONE,
                              op == OP_STORE ? reg : REG_NONE);
  insn.memory = true;
  insn.base = (uint8_t)base;
  insn.offset = offset;
  insn.width = (uint16_t)width;
  return insn;
}

static void
with_immediate (enum insn_op op, unsigned to, unsigned from, int64_t immediate)
{
  struct insn insn = insn_of (op, to, from);
  insn.immediate = immediate;
  apply (insn);
}

static void
add (unsigned to, unsigned from, int64_t n)
{
  with_immediate (OP_ADD, to, from, n);
}

static void
align (unsigned to, unsigned from, int64_t mask)
{
  with_immediate (OP_ALIGN, to, from, mask);
}

static void
set (unsigned to, int64_t n)
{
  with_immediate (OP_SET, to, REG_NONE, n);
}

static void
with_index (enum insn_op op, unsigned to, unsigned from, unsigned index,
            unsigned width)
{
  struct insn insn = insn_of (op, to, from);
  insn.index = (uint8_t)index;
  insn.width = (uint16_t)width;
  apply (insn);
}

static void
move (unsigned to, unsigned from, unsigned width)
{
  with_index (OP_MOVE, to, from, REG_NONE, width);
}

static void
load (unsigned to, unsigned base, int64_t offset)
{
  apply (memory_insn (OP_LOAD, to, base, offset, 8));
}

static void
store (unsigned from, unsigned base, int64_t offset)
{
  apply (memory_insn (OP_STORE, from, base, offset, 8));
}

static void
push (unsigned reg)
{
  apply (insn_of (OP_PUSH, REG_NONE, reg));
}

static void
pop (unsigned reg)
{
  apply (insn_of (OP_POP, reg, REG_NONE));
}

static void
call (void)
{
  state_call (&now, &(struct insn){ .address = address });
}

/* TO gets something unknown.  */
static void
change (unsigned to)
{
  struct insn insn = insn_of (OP_NONE, REG_NONE, REG_NONE);
  insn.writes = UINT32_C (1) << to;
  apply (insn);
}

/* Values.  */

static void
expect (unsigned reg, enum value_kind kind, int64_t number)
{
  assert_int_equal (now.registers[reg].kind, kind);
  assert_true (now.registers[reg].number == number);
}

static void
expect_kind (unsigned reg, enum value_kind kind)
{
  assert_int_equal (now.registers[reg].kind, kind);
}

/* The word at BASE + OFFSET has this value; VALUE_UNKNOWN: no slot.  */
static void
expect_word (unsigned base, int64_t offset, enum value_kind kind,
             int64_t number)
{
  struct value place = now.registers[base];
  struct value word = state_load (
      &now, value_of ((enum value_kind)place.kind, place.number + offset));
  assert_int_equal (word.kind, kind);
  assert_true (word.number == number);
}

static void
expect_unknown_word (unsigned base, int64_t offset)
{
  expect_word (base, offset, VALUE_UNKNOWN, 0);
}

static uint64_t
bound_of (unsigned reg)
{
  return state_bound (&now, now.registers[reg]).max;
}

/* ---- One instruction */

/* Arguments are not what the caller wants to have back.  */
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

/* Half of a register is what the whole one is only of numbers that are not
   negative as a signed one.  */
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

/* A return address is signed with SP as it is, which has to be the CFA.  */
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
  /* Of half a register of the caller nothing is known.  */
  with_index (OP_SWAP, RAX, RBX, REG_NONE, 4);
  expect (RAX, VALUE_CONSTANT, 5);
  expect_kind (RBX, VALUE_COMPUTED);
}

/* ---- The stack */

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

/* A signal handler may overwrite what is below SP.  Compilers read it there
   only in one piece of code, until SP goes down again.  */
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

/* Stored below SP, which then goes down: so some compilers save registers.  */
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

/* The same where SP comes back from a realigned frame.  */
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
  /* Of a part of a word nothing is known but that it may be a register.  */
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

/* Where an index is added nobody knows the place.  */
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

static struct insn
pair (enum insn_op op, unsigned first, unsigned second, int64_t offset)
{
  struct insn insn = memory_insn (op, first, SP, offset, 16);
  insn.is_pair = true;
  insn.second = (uint8_t)second;
  return insn;
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
  /* Whatever both words are, they are not what was there.  */
  apply (pair (OP_STORE, X19, X20, -16));
  apply (pair (OP_STORE, REG_NONE, REG_NONE, -16));
  expect_unknown_word (SP, -16);
  expect_unknown_word (SP, -8);
}

/* ---- A base that nobody knows the distance of */

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
  /* Below is below, whatever happens then.  */
  add (RSP, RSP, -16);
  align (RSP, RSP, -64);
  assert_int_equal (now.base_limit, -48);
  assert_true (now.base_is_below);
  /* A base of a base is as far from the CFA as that one; of a known place, not
     farther than it was moved.  */
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
  /* Other registers get no base from one, but from a place that is known.  */
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

/* FP has it; SP goes further down, for a variable array.  */
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
  /* Here no word is known at the entry.  */
  enter (&arch_aarch64);
  align (SP, SP, -32);
  store (X19, SP, -8);
  store (X20, SP, 8);
  move (FP, SP, 8);
  with_index (OP_SUBTRACT, SP, SP, REG_NONE, 8);
  expect_word (FP, 8, VALUE_SAVED, X20);
  expect_unknown_word (FP, -8);
}

/* ---- Bounds */

static void
compare (unsigned from, int64_t with)
{
  struct insn insn = insn_of (OP_COMPARE, REG_NONE, from);
  insn.immediate = with;
  insn.width = 8;
  apply (insn);
}

/* REG is MAX at most, as it is where a branch is taken.  */
static void
bound (unsigned reg, int64_t max)
{
  compare (reg, max);
  state_branch (&now, CONDITION_NOT_ABOVE, true);
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
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      enter (&arch_aarch64);
      compare (X0, (int64_t)cases[i].with);
      state_branch (&now, cases[i].condition, cases[i].taken);
      assert_true (bound_of (X0) == cases[i].max);
      assert_int_equal (now.n_bounds, cases[i].max != UINT64_MAX);
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
  /* A call leaves other flags behind.  */
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
  /* What is compared is the value: the register may have another one.  */
  compare (X1, 7);
  move (X2, X1, 8);
  change (X1);
  state_branch (&now, CONDITION_NOT_ABOVE, true);
  assert_true (bound_of (X2) == 7);
  assert_true (bound_of (X1) == UINT64_MAX);
  /* A comparison of something that is known tells nothing ...  */
  compare (X0, 5);
  bound (SP, 3);
  assert_int_equal (now.n_bounds, 2);
  /* ... and a number in a register is a number.  */
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
  /* Between the comparison and the branch, too.  */
  apply (in_memory);
  store (X1, X20, 0);
  state_branch (&now, CONDITION_NOT_ABOVE, true);
  load (X0, X19, 8);
  assert_true (bound_of (X0) == UINT64_MAX);
  /* A word of the stack that is known does not change it.  */
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
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      enter (&arch_aarch64);
      apply (in_frame);
      state_branch (&now, CONDITION_NOT_ABOVE, true);
      store (X1, SP, cases[i].offset);
      assert_int_equal (now.n_bounds, cases[i].changes ? 0 : 1);
      enter (&arch_aarch64);
      apply (in_frame);
      state_branch (&now, CONDITION_NOT_ABOVE, true);
      apply (pair (OP_STORE, X1, X2, cases[i].offset - 8));
      assert_int_equal (now.n_bounds,
                        cases[i].changes || cases[i].offset == -16 ? 0 : 1);
    }
}

/* Where a realigned frame is, relative to the caller's, is not known.  */
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

/* In a loop an instruction gives its register a new value under the number of
   the old one, which was bounded.  */
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
      /* Not when one of them has changed meanwhile ...  */
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
      /* ... nor when only a half was compared.  */
      now = before;
      with_index (OP_COMPARE_BOTH, REG_NONE, SP, X9, 4);
      state_branch (&now, CONDITION_EQUAL, true);
      expect_kind (SP, VALUE_COMPUTED);
    }
  /* Nobody takes a branch that two places of one frame would have to be equal
     for.  */
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
  /* Of other registers nothing is told.  */
  now.registers[X20] = value_of (VALUE_CFA, 0);
  with_index (OP_COMPARE_BOTH, REG_NONE, X9, X20, 8);
  assert_true (state_branch (&now, CONDITION_EQUAL, true));
  /* What belongs to the caller is something else.  */
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

/* ---- Jump tables */

static void
bounded_index (unsigned reg, uint64_t max)
{
  change (reg);
  bound (reg, (int64_t)max);
}

static struct insn
indexed (unsigned to, unsigned base, unsigned index, unsigned scale,
         unsigned width)
{
  struct insn insn = memory_insn (OP_LOAD, to, base, 0, width);
  insn.index = (uint8_t)index;
  insn.scale = (uint8_t)scale;
  return insn;
}

static void
expect_table (uint32_t number, uint64_t at, uint64_t max, unsigned width,
              bool is_signed)
{
  assert_true (number < tables.n);
  const struct jump_table *table = &tables.tables[number];
  assert_true (table->address == at && table->max == max);
  assert_int_equal (table->width, width);
  assert_int_equal (table->is_signed, is_signed);
}

AARCH64_TEST (entries_are_read_from_tables)
{
  set (X1, 0x5000);
  bounded_index (X0, 6);
  apply (indexed (X2, X1, X0, 1, 1));
  expect (X2, VALUE_TABLE_ENTRY, 0);
  expect_table (0, 0x5000, 6, 1, false);
  assert_false (tables.tables[0].is_weak);
  struct insn words = indexed (X2, X1, X0, 4, 4);
  words.offset = 0x20;
  apply (words);
  expect (X2, VALUE_TABLE_ENTRY, 1);
  expect_table (1, 0x5020, 6, 4, true);
  /* In bytes, and the other way round.  */
  with_immediate (OP_SCALE, X9, X0, 4);
  apply (indexed (X2, X9, X1, 1, 4));
  expect (X2, VALUE_TABLE_ENTRY, 2);
  expect_table (2, 0x5000, 6, 4, true);
  struct insn halves = indexed (X2, X1, X0, 2, 2);
  halves.sign_extended = true;
  apply (halves);
  expect_table (3, 0x5000, 6, 2, true);
  change (X0);
  apply (indexed (X2, X1, X0, 8, 8));
  expect_table (4, 0x5000, UINT64_MAX, 8, false);
  struct insn unbounded = indexed (X2, X1, X0, 1, 4);
  unbounded.offset = 0x100;
  apply (unbounded);
  expect_table (5, 0x5100, UINT64_MAX, 4, true);
  /* Not so: another scale, no constant, no width of a table.  */
  apply (indexed (X2, X1, X0, 8, 4));
  expect_kind (X2, VALUE_COMPUTED);
  apply (indexed (X2, X0, X0, 4, 4));
  expect_kind (X2, VALUE_COMPUTED);
  apply (indexed (X2, X0, X1, 4, 4));
  expect_kind (X2, VALUE_COMPUTED);
  apply (indexed (X2, X1, X0, 1, 16));
  expect_kind (X2, VALUE_COMPUTED);
  assert_int_equal (tables.n, 6);
  /* One entry, by an index that the compiler knows.  */
  struct insn known = memory_insn (OP_LOAD, X2, REG_NONE, 0x5040, 4);
  known.sign_extended = true;
  apply (known);
  expect (X2, VALUE_TABLE_ENTRY, 6);
  expect_table (6, 0x5040, 0, 4, true);
  known.sign_extended = false;
  apply (known);
  expect_kind (X2, VALUE_COMPUTED);
}

AMD64_TEST (tables_have_few_widths_on_x86_64)
{
  set (RCX, 0x5000);
  apply (indexed (RDX, RCX, RAX, 2, 2));
  expect_kind (RDX, VALUE_COMPUTED);
  apply (indexed (RDX, RCX, RAX, 4, 4));
  expect (RDX, VALUE_TABLE_ENTRY, 0);
}

AARCH64_TEST (entries_and_a_base_are_targets)
{
  set (X1, 0x5000);
  bounded_index (X0, 6);
  apply (indexed (X2, X1, X0, 4, 4));
  with_index (OP_SUM, X9, X2, X1, 8);
  expect (X9, VALUE_TABLE_TARGET, 0);
  assert_int_equal (tables.tables[0].base, 0x5000);
  assert_int_equal (tables.tables[0].scale, 1);
  with_index (OP_SUM, X9, X1, X2, 8);
  expect (X9, VALUE_TABLE_TARGET, 0);
  set (X1, 0x6000);
  with_index (OP_SUM, X9, X2, X1, 8); /* from another base */
  assert_int_not_equal (now.registers[X9].kind, VALUE_TABLE_TARGET);
  /* Extended and multiplied where the base is added.  */
  apply (indexed (X2, X1, X0, 1, 1));
  struct insn sum = insn_of (OP_SUM_SCALED, X9, X1);
  sum.index = X2;
  sum.scale = 4;
  sum.width = 1;
  sum.sign_extended = true;
  apply (sum);
  expect (X9, VALUE_TABLE_TARGET, 1);
  assert_int_equal (tables.tables[1].scale, 4);
  assert_true (tables.tables[1].is_signed_later);
  sum.scale = 2;
  apply (sum);
  expect_kind (X9, VALUE_COMPUTED);
  sum.scale = 4;
  sum.width = 2; /* than the entry has */
  apply (sum);
  expect_kind (X9, VALUE_COMPUTED);
  /* Extended without a sign.  */
  enter (&arch_aarch64);
  set (X1, 0x5000);
  bounded_index (X0, 6);
  apply (indexed (X2, X1, X0, 1, 1));
  sum.scale = 4;
  sum.width = 1;
  sum.sign_extended = false;
  apply (sum);
  expect (X9, VALUE_TABLE_TARGET, 0);
  assert_false (tables.tables[0].is_signed_later);
  /* What is compared is not an entry that is jumped by.  */
  apply (indexed (X2, X1, X0, 4, 4));
  compare (X2, 3);
  expect_kind (X2, VALUE_COMPUTED);
}

AARCH64_TEST (a_table_has_the_weaker_bound)
{
  set (X1, 0x5000);
  static const struct
  {
    uint64_t max, result;
    bool is_weak;
  } steps[]
      = { { 6, 6, false }, { 6, 6, false }, { 4, 6, true }, { 9, 9, true } };
  for (size_t i = 0; i < 4; i++)
    {
      bounded_index (X0, steps[i].max);
      apply (indexed (X2, X1, X0, 4, 4));
      expect (X2, VALUE_TABLE_ENTRY, 0);
      expect_table (0, 0x5000, steps[i].result, 4, true);
      assert_int_equal (tables.tables[0].is_weak, steps[i].is_weak);
    }
  tables.tables[0].is_weak = false;
  struct jump_table weak = tables.tables[0];
  uint32_t number;
  weak.is_weak = true;
  assert_true (jump_tables_add (&tables, &weak, &number));
  assert_int_equal (number, 0);
  assert_true (tables.tables[0].is_weak);
  /* Read in another way it is another table.  */
  weak.is_signed = false;
  assert_true (jump_tables_add (&tables, &weak, &number));
  assert_int_equal (number, 1);
  weak.width = 8;
  assert_true (jump_tables_add (&tables, &weak, &number));
  assert_int_equal (number, 2);
  weak.address += 4;
  assert_true (jump_tables_add (&tables, &weak, &number));
  assert_int_equal (number, 3);
  /* The one of four bytes is still known beside that of eight.  */
  weak.address -= 4;
  weak.width = 4;
  assert_true (jump_tables_add (&tables, &weak, &number));
  assert_int_equal (number, 1);
}

FIXTURE_TEST (there_are_a_million_tables_at_most)
{
  struct jump_table table = { .width = 4 };
  uint32_t number;
  jump_tables_reset (&tables);
  for (uint32_t i = 0; i < 1 << 20; i++)
    {
      table.address = 4 * (uint64_t)i;
      if (!jump_tables_add (&tables, &table, &number) || number != i)
        fail_msg ("%u", i);
    }
  assert_false (tables.failed);
  table.address = 4 << 20;
  assert_false (jump_tables_add (&tables, &table, &number));
  assert_true (tables.failed);
  jump_tables_reset (&tables);
  assert_false (tables.failed);
  /* The last one is the first now.  */
  assert_true (jump_tables_add (&tables, &table, &number));
  assert_int_equal (number, 0);
  assert_int_equal (tables.n, 1);
}

/* ---- Where targets are.  */

static uint8_t table_bytes[64];

static struct image_facts
facts_with_table (struct image *image, GElf_Phdr *segment)
{
  *segment = (GElf_Phdr){ .p_type = PT_LOAD,
                          .p_flags = PF_R,
                          .p_vaddr = 0x5000,
                          .p_filesz = sizeof table_bytes,
                          .p_memsz = sizeof table_bytes };
  *image = (struct image){ .bytes = table_bytes,
                           .size = sizeof table_bytes,
                           .segments = segment,
                           .n_segments = 1 };
  memset (table_bytes, 0, sizeof table_bytes);
  for (unsigned i = 0; i < 8; i++)
    table_bytes[4 * i] = (uint8_t)(0x10 * i);
  table_bytes[4] = 0xf0;
  table_bytes[5] = table_bytes[6] = table_bytes[7] = 0xff;
  return (struct image_facts){ .image = image };
}

static void
expect_target (const struct jump_table *table, const struct image_facts *facts,
               uint64_t index, uint64_t target)
{
  uint64_t found = 0;
  bool is_one = jump_table_target (table, facts, index, &found);
  assert_int_equal (is_one, target != 0);
  assert_true (!is_one || found == target);
}

FIXTURE_TEST (tables_end_by_bound_and_place)
{
  struct image image;
  GElf_Phdr segment;
  struct image_facts facts = facts_with_table (&image, &segment);
  struct jump_table table = { .address = 0x5000,
                              .base = 0x9000,
                              .end = 0x5010,
                              .max = 6,
                              .width = 4,
                              .scale = 1,
                              .is_signed = true };
  expect_target (&table, &facts, 1, 0x8ff0);
  expect_target (&table, &facts, 2, 0x9020);
  expect_target (&table, &facts, 6, 0x9060);
  expect_target (&table, &facts, 7, 0);
  table.is_weak = true;
  expect_target (&table, &facts, 3, 0x9030);
  expect_target (&table, &facts, 4, 0);
  table.is_weak = false;
  table.max = UINT64_MAX;
  expect_target (&table, &facts, 3, 0x9030);
  expect_target (&table, &facts, 4, 0);
  table.end = UINT64_MAX;
  expect_target (&table, &facts, 7, 0x9070);
  expect_target (&table, &facts, 16, 0); /* behind the file's bytes */
  table.is_signed = false;
  table.scale = 4;
  expect_target (&table, &facts, 1, 0x9000 + 4 * UINT64_C (0xfffffff0));
  table.is_signed_later = true;
  expect_target (&table, &facts, 1, 0x8fc0);
  segment.p_flags |= PF_W;
  expect_target (&table, &facts, 1, 0);
  table.is_in_data = true;
  expect_target (&table, &facts, 1, 0x8fc0);
  /* Whole addresses need no base.  */
  struct jump_table whole = { .address = 0x5000,
                              .base = 0x9000,
                              .end = UINT64_MAX,
                              .max = 6,
                              .width = 8,
                              .scale = 1 };
  segment.p_flags = PF_R;
  expect_target (&whole, &facts, 1, UINT64_C (0x3000000020));
  /* A label instead of a table.  */
  struct jump_table label = { .address = 0x5004 };
  expect_target (&label, &facts, 0, 0x5004);
  expect_target (&label, &facts, 1, 0);
}

FIXTURE_TEST (no_table_has_more_than_65536_entries)
{
  static uint8_t bytes[(1 << 16) + 8];
  struct image image;
  GElf_Phdr segment;
  struct image_facts facts = facts_with_table (&image, &segment);
  image.bytes = bytes;
  image.size = segment.p_filesz = segment.p_memsz = sizeof bytes;
  struct jump_table table = { .address = 0x5000,
                              .base = 0x9000,
                              .end = UINT64_MAX,
                              .max = UINT64_MAX,
                              .width = 1,
                              .scale = 4 };
  expect_target (&table, &facts, 65535, 0x9000);
  expect_target (&table, &facts, 65536, 0);
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
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int by_register = 0; by_register < 2; by_register++)
      {
        enter (&arch_amd64);
        set (RAX, cases[i].from);
        set (RCX, cases[i].by);
        calculate (cases[i].calculation, cases[i].width,
                   by_register ? RCX : REG_NONE, cases[i].by);
        expect (RAX, VALUE_NUMBER, cases[i].result);
      }
  /* A part of what is not known, and what is not known.  */
  enter (&arch_amd64);
  calculate (CALCULATE_MOVE, 1, REG_NONE, 5);
  expect_kind (RAX, VALUE_COMPUTED);
  calculate (CALCULATE_OR, 4, REG_NONE, 5);
  expect_kind (RAX, VALUE_COMPUTED);
  set (RAX, 5);
  calculate (CALCULATE_OR, 4, RBX, 0);
  expect_kind (RAX, VALUE_COMPUTED);
}

/* An address plus a number that was calculated is not an address.  */
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
  /* Half of a word is not the word, and leaves the other half alone.  */
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

/* ---- Children (clone(2)) */

/* State behind a system call with NUMBER, if that is not negative, and STACK
   or, if that is negative, an unknown one for the child.  */
static void
call_kernel (int64_t number, int64_t stack, bool really)
{
  enter (&arch_aarch64);
  if (number < 0)
    change (machine->syscall_register);
  else
    set (machine->syscall_register, number);
  if (stack < 0)
    change (machine->clone_stack);
  else
    set (machine->clone_stack, stack);
  struct insn insn = insn_of (OP_NONE, REG_NONE, REG_NONE);
  insn.is_syscall = really;
  insn.writes = UINT32_C (1) << machine->syscall_result;
  apply (insn);
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
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      call_kernel (cases[i].number, cases[i].stack, cases[i].really);
      assert_int_equal (now.includes_child, cases[i].forks);
      expect_kind (machine->syscall_result,
                   cases[i].forks ? VALUE_FORKED : VALUE_COMPUTED);
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
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (unsigned k = 0; k < 3; k++)
      {
        static const enum value_kind kinds[]
            = { VALUE_COMPUTED, VALUE_FORKED, VALUE_MAYBE_FORKED };
        bool taken;
        enter (&arch_aarch64);
        call_kernel (k == 0 ? 1 : k == 1 ? machine->clone : -1, 0x5000, true);
        assert_int_equal (now.has_unknown_syscall, k == 2);
        if (!cases[i].of_register)
          apply (insn_of (OP_TEST, REG_NONE, machine->syscall_result));
        struct insn branch = insn_of (
            OP_NONE, REG_NONE,
            cases[i].of_register ? machine->syscall_result : REG_NONE);
        branch.condition = cases[i].condition;
        assert_int_equal (state_branch_on_fork (&now, &branch, &taken),
                          cases[i].parts ? kinds[k] : VALUE_COMPUTED);
        if (cases[i].parts)
          assert_int_equal (taken, cases[i].taken);
        if (cases[i].of_register)
          continue;
        /* Flags that something else has set say nothing of it.  */
        apply (insn_of (OP_TEST, REG_NONE, X19));
        assert_int_equal (state_branch_on_fork (&now, &branch, &taken),
                          VALUE_COMPUTED);
      }
}

/* ---- Where paths meet */

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
  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    {
      enter (&arch_aarch64);
      struct state with = now, without = now;
      *members[i](&with) = true;
      join (&with, true);
      assert_true (*members[i](&now));
      join (&without, false);
      assert_true (*members[i](&now));
      now = without;
      join (&without, false);
      assert_false (*members[i](&now));
    }
}

static void
join (const struct state *other, bool changes)
{
  assert_int_equal (state_join (&now, other, 0x3000), changes);
  /* Once is enough.  */
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
  /* The caller's at most on one way.  */
  expect_kind (X2, VALUE_COMPUTED);
  expect_kind (X9, VALUE_COMPUTED);
  expect (SP, VALUE_CFA, 0);
  other.registers[X0] = value_of (VALUE_SAVED, X19);
  join (&other, false);
  /* A third path with something that may belong to the caller.  */
  other.registers[X0] = value_new (VALUE_UNKNOWN, 0x44, X0);
  join (&other, true);
  expect_kind (X0, VALUE_UNKNOWN);
}

/* The other path has one word less, the second one in front.  What a state has
   behind its last word is none of it.  */
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

/* Above SP on one of the paths, and so overwritten perhaps: that is known
   where they meet.  */
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
  /* The slots may be in another order.  */
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
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      struct state other = state_with_bound (cases[i].other);
      now = state_with_bound (cases[i].one);
      join (&other, cases[i].changes);
      struct limit limit = state_bound (&now, now.registers[X0]);
      assert_true (limit.max == cases[i].met);
      assert_int_equal (limit.is_weak, cases[i].is_weak);
    }
  /* Weakness is handed on.  */
  struct state weak = state_with_bound (5);
  weak.bounds[0].limit.is_weak = true;
  now = state_with_bound (5);
  join (&weak, true);
  assert_true (state_bound (&now, now.registers[X0]).is_weak);
}

static struct state
state_with_base (int32_t limit, bool is_below)
{
  enter (&arch_amd64);
  add (RSP, RSP, limit + 8);
  if (is_below)
    with_index (OP_SUBTRACT, RSP, RSP, RAX, 8);
  else
    align (RSP, RSP, -32);
  assert_int_equal (now.base_limit, limit);
  assert_int_equal (now.base_is_below, is_below);
  return now;
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
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      struct state other
          = state_with_base (cases[i].other, cases[i].other_below);
      now = state_with_base (cases[i].one, cases[i].one_below);
      memcpy (other.registers, now.registers, sizeof now.registers);
      join (&other, cases[i].changes);
      assert_int_equal (now.base_limit, cases[i].met);
      assert_int_equal (now.base_is_below, cases[i].met_below);
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

/* Numbers of values are those of the place where paths meet.  */
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

/* ---- Rows */

static const struct frame_rule same = { .kind = RULE_SAME };

static struct frame_rule
reg (unsigned number, int32_t offset)
{
  return (struct frame_rule){ .kind = RULE_REG,
                              .reg = (uint16_t)number,
                              .offset = offset };
}

static struct frame_rule
deref (unsigned number, int32_t offset)
{
  return (struct frame_rule){ .kind = RULE_DEREF_REG,
                              .reg = (uint16_t)number,
                              .offset = offset };
}

static struct frame_rule
at_cfa (int32_t offset)
{
  return (struct frame_rule){ .kind = RULE_DEREF_CFA, .offset = offset };
}

static void
expect_rule (const struct frame_rule *found, struct frame_rule expected)
{
  assert_int_equal (found->kind, expected.kind);
  if (expected.kind == RULE_REG || expected.kind == RULE_DEREF_REG)
    assert_int_equal (found->reg, expected.reg);
  if (expected.kind != RULE_SAME)
    assert_int_equal (found->offset, expected.offset);
}

static void
expect_row (struct frame_rule cfa, struct frame_rule ra, struct frame_rule fp)
{
  struct frame_row row;
  assert_true (state_row (&now, true, &row));
  expect_rule (&row.cfa, cfa);
  expect_rule (&row.ra, ra);
  expect_rule (&row.fp, fp);
}

static void
expect_no_row (void)
{
  struct frame_row row;
  assert_false (state_row (&now, true, &row));
}

FIXTURE_TEST (rows_of_x86_64)
{
  const struct frame_rule ra = at_cfa (-8);
  const struct frame_rule fp = at_cfa (-16);
  enter (&arch_amd64);
  expect_row (reg (RSP, 8), ra, same);
  push (RBP);
  expect_row (reg (RSP, 16), ra, fp);
  move (RBP, RSP, 8);
  add (RSP, RSP, -64);
  expect_row (reg (RBP, 16), ra, fp);
  struct state framed = now;
  change (RBP);
  expect_row (reg (RSP, 80), ra, fp);
  change (RSP);
  expect_no_row ();
  now = framed;
  apply (insn_of (OP_LEAVE, REG_NONE, REG_NONE));
  expect_row (reg (RSP, 8), ra, same);
  /* FP is lost below SP.  */
  change (RBP);
  expect_no_row ();
  /* RA is overwritten.  */
  enter_again ();
  store (RAX, RSP, 0);
  expect_no_row ();
  enter_again ();
  store (RBX, RSP, 0);
  expect_no_row ();
}

/* The caller's SP, and FP, are kept in a realigned frame.  */
FIXTURE_TEST (rows_of_a_realigned_frame)
{
  const struct frame_rule ra = at_cfa (-8);
  enter (&arch_amd64);
  add (R10, RSP, 8);
  align (RSP, RSP, -32);
  expect_no_row (); /* R10 is nobody's base */
  push (RAX);
  push (RBP);
  expect_no_row ();
  move (RBP, RSP, 8);
  push (R10);
  expect_row (deref (RBP, -8), ra, deref (RBP, 0));
  add (RSP, RSP, -40);
  expect_row (deref (RBP, -8), ra, deref (RBP, 0));
  add (RBP, RBP, -16);
  expect_row (deref (RBP, 8), ra, deref (RBP, 16));
  /* By SP, which readers know the CFA by, but not FP.  */
  enter_again ();
  add (R10, RSP, 8);
  align (RSP, RSP, -32);
  push (R10);
  expect_row (deref (RSP, 0), ra, same);
  push (RBP);
  expect_row (deref (RSP, 8), ra, same);
  change (RBP);
  expect_no_row ();
  /* Below SP it is not kept.  */
  add (RSP, RSP, 16);
  expect_no_row ();
  /* The base is in the register of a frame pointer that is kept nowhere.  */
  enter_again ();
  add (R10, RSP, 8);
  align (RSP, RSP, -32);
  push (R10);
  move (RBP, RSP, 8);
  expect_no_row ();
  /* The base is at most CFA - 16: below it, SP is below what was pushed. Above
     it, SP may be above that.  */
  enter_again ();
  push (RBP);
  move (RBP, RSP, 8);
  align (RSP, RSP, -32);
  expect_row (reg (RBP, 16), ra, at_cfa (-16));
  add (RSP, RSP, -16);
  expect_row (reg (RBP, 16), ra, at_cfa (-16));
  add (RSP, RSP, 24);
  expect_no_row ();
}

/* Of several slots with the return address the one of the frame record is
   meant; without a record nobody knows which one callees may overwrite.  */
FIXTURE_TEST (copies_of_the_return_address)
{
  for (int first = 0; first < 2; first++)
    {
      enter (&arch_aarch64);
      add (SP, SP, -64);
      if (first)
        store (LR, SP, 32);
      apply (pair (OP_STORE, FP, LR, 0));
      if (!first)
        store (LR, SP, 32);
      change (LR);
      expect_row (reg (SP, 64), at_cfa (-56), at_cfa (-64));
    }
  enter (&arch_aarch64);
  add (SP, SP, -64);
  store (LR, SP, 8);
  store (LR, SP, 32);
  change (LR);
  expect_no_row ();
  /* The one of the record is on another part of the stack.  */
  enter (&arch_aarch64);
  add (SP, SP, -16);
  store (LR, SP, 0);
  store (FP, SP, 8);
  add (9, SP, 0);
  align (SP, SP, -32);
  add (SP, SP, -32);
  apply (pair (OP_STORE, FP, LR, 0));
  add (FP, 9, 0);
  change (LR);
  expect_no_row ();
}

FIXTURE_TEST (rows_of_aarch64)
{
  const struct frame_rule ra = at_cfa (-24);
  const struct frame_rule fp = at_cfa (-32);
  struct frame_row row;
  enter (&arch_aarch64);
  expect_row (reg (SP, 0), same, same);
  with_immediate (OP_SIGN, LR, LR, 0);
  assert_true (state_row (&now, true, &row));
  assert_true (row.ra_signed);
  add (SP, SP, -32);
  apply (pair (OP_STORE, FP, LR, 0));
  expect_row (reg (SP, 32), ra, fp);
  assert_true (state_row (&now, true, &row));
  assert_true (row.ra_signed);
  /* SP is the better base, as it moves once.  */
  add (FP, SP, 0);
  expect_row (reg (SP, 32), ra, fp);
  change (LR);
  expect_row (reg (SP, 32), ra, fp);
  change (SP);
  expect_row (reg (FP, 32), ra, fp);
  /* Key B is not said by rows.  */
  enter_again ();
  with_immediate (OP_SIGN, LR, LR, 1);
  assert_false (state_row (&now, true, &row));
  enter_again ();
  change (LR);
  expect_no_row ();
  /* FP alone on the stack is not said, as long as it is in its register.  */
  enter_again ();
  add (SP, SP, -32);
  store (FP, SP, 0);
  expect_row (reg (SP, 32), same, same);
  change (FP);
  expect_row (reg (SP, 32), same, fp);
  assert_true (state_row (&now, true, &row));
  assert_false (row.ra_signed);
}

/* What is below SP may be overwritten at any time.  */
FIXTURE_TEST (words_below_the_stack_pointer_are_not_kept)
{
  const struct value saved = value_of (VALUE_SAVED, RBX);
  enter (&arch_amd64);
  assert_false (state_can_restore (&now, saved));
  store (RBX, RSP, -8);
  assert_false (state_can_restore (&now, saved));
  add (RSP, RSP, -8);
  assert_true (state_can_restore (&now, saved));
  add (RSP, RSP, 8);
  assert_false (state_can_restore (&now, saved));
  /* Relative to another base nobody knows, and believes the compiler.  */
  enter_again ();
  push (RBX);
  align (RSP, RSP, -32);
  assert_true (state_can_restore (&now, saved));
  enter_again ();
  align (RSP, RSP, -32);
  push (RBX);
  assert_true (state_can_restore (&now, saved));
  add (RSP, RSP, 8);
  assert_false (state_can_restore (&now, saved));
}

AMD64_TEST (nothing_is_left_of_a_frame_without_pointers_to_it)
{
  assert_false (state_has_lost_frame (&now));
  move (RBX, RSP, 8);
  move (R12, RSP, 8);
  change (RSP);
  assert_false (state_has_lost_frame (&now));
  change (RBX);
  assert_false (state_has_lost_frame (&now));
  change (R12);
  assert_true (state_has_lost_frame (&now));
}

FIXTURE_TEST (every_preserved_register_is_restored)
{
  static const unsigned preserved[] = { RBX, RBP, R12, 13, 14, 15 };
  for (size_t i = 0; i < sizeof preserved / sizeof *preserved; i++)
    {
      enter (&arch_amd64);
      change (preserved[i]);
      assert_false (state_is_restored (&now));
    }
  enter (&arch_amd64);
  change (RAX);
  change (R10);
  assert_true (state_is_restored (&now));
  store (RAX, RSP, 0);
  assert_false (state_is_restored (&now));
  enter (&arch_aarch64);
  change (LR);
  assert_false (state_is_restored (&now));
}

/* ---- Others' rows */

static void
expect_cfa (struct frame_rule cfa, enum verdict verdict)
{
  const struct frame_row row = { .cfa = cfa, .ra = same, .fp = same };
  assert_int_equal (state_check (&now, ROW_CFA, &row), verdict);
}

static void
expect_fp (struct frame_rule fp, enum verdict verdict)
{
  const struct frame_row row = { .cfa = same, .ra = same, .fp = fp };
  assert_int_equal (state_check (&now, ROW_FP, &row), verdict);
}

static void
expect_ra (struct frame_rule ra, bool is_signed, enum verdict verdict)
{
  const struct frame_row row
      = { .cfa = same, .ra = ra, .fp = same, .ra_signed = is_signed };
  assert_int_equal (state_check (&now, ROW_RA, &row), verdict);
}

/* Where the word is that the rule WHICH restores; VALUE_UNKNOWN: nowhere.  */
static void
expect_saved_at (enum row_rule which, enum value_kind kind, int64_t number)
{
  struct value place = state_saved_at (&now, which);
  assert_int_equal (place.kind, kind);
  if (kind != VALUE_UNKNOWN)
    assert_true (place.number == number);
}

AMD64_TEST (the_cfa_of_others)
{
  push (RBP);
  expect_cfa (reg (RSP, 16), VERDICT_AGREES);
  expect_cfa (reg (RSP, 8), VERDICT_CONTRADICTS);
  expect_cfa (reg (RBP, 0), VERDICT_CONTRADICTS);
  expect_cfa (reg (RBP, 16), VERDICT_CONTRADICTS);
  expect_cfa (reg (RAX, 16), VERDICT_UNKNOWN);
  expect_cfa (reg (40, 0), VERDICT_UNKNOWN);
  store (RSP, RSP, -8);
  expect_cfa (deref (RSP, -8), VERDICT_CONTRADICTS);
  add (RAX, RSP, 16);
  store (RAX, RSP, -8);
  expect_cfa (deref (RSP, -8), VERDICT_AGREES);
}

/* The base is at most so high: a CFA that is lower than the right one for sure
   is wrong.  */
FIXTURE_TEST (a_cfa_too_low_is_wrong_whatever_the_base_is)
{
  state_with_base (-32, false);
  expect_cfa (reg (RSP, 31), VERDICT_CONTRADICTS);
  expect_cfa (reg (RSP, 32), VERDICT_UNKNOWN);
  expect_cfa (reg (RSP, 33), VERDICT_UNKNOWN);
  state_with_base (-32, true);
  expect_cfa (reg (RSP, 31), VERDICT_CONTRADICTS);
  expect_cfa (reg (RSP, 32), VERDICT_CONTRADICTS);
  expect_cfa (reg (RSP, 33), VERDICT_UNKNOWN);
}

AMD64_TEST (the_frame_pointer_of_others)
{
  expect_fp (same, VERDICT_AGREES);
  push (RBP);
  expect_fp (at_cfa (-16), VERDICT_AGREES);
  expect_fp (at_cfa (-8), VERDICT_CONTRADICTS);
  /* Below the stack pointer, and nothing has put it there.  */
  expect_fp (at_cfa (-24), VERDICT_CONTRADICTS);
  /* Nor into a word of the frame.  */
  add (RSP, RSP, -8);
  expect_fp (at_cfa (-24), VERDICT_CONTRADICTS);
  /* The caller's frame is not known.  */
  expect_fp (at_cfa (8), VERDICT_UNKNOWN);
  add (RSP, RSP, 8);
  move (RBP, RSP, 8);
  expect_fp (at_cfa (-24), VERDICT_CONTRADICTS);
  expect_fp (same, VERDICT_CONTRADICTS);
  expect_fp (deref (RBP, 0), VERDICT_AGREES);
  /* Overwritten by something that was computed; the right one is kept.  */
  set (RBP, 1);
  expect_fp (same, VERDICT_CONTRADICTS);
  change (RBP);
  expect_fp (same, VERDICT_CONTRADICTS);
  now.registers[RBP] = value_of (VALUE_TABLE_ENTRY, 1);
  expect_fp (same, VERDICT_CONTRADICTS);
  now.registers[RBP] = value_of (VALUE_TABLE_TARGET, 1);
  expect_fp (same, VERDICT_CONTRADICTS);
  /* What paths that met did not agree on may be right.  */
  now.registers[RBP] = value_new (VALUE_UNKNOWN, address, RBP);
  expect_fp (same, VERDICT_UNKNOWN);
  /* Nobody knows where the right one is.  */
  enter_again ();
  change (RBP);
  expect_fp (same, VERDICT_UNKNOWN);
  /* The frame is gone.  */
  enter_again ();
  expect_fp (deref (RBP, 0), VERDICT_CONTRADICTS);
  change (RAX);
  expect_fp (deref (RAX, 0), VERDICT_UNKNOWN);
}

AARCH64_TEST (the_return_address_of_others)
{
  expect_ra (same, false, VERDICT_AGREES);
  expect_ra (same, true, VERDICT_CONTRADICTS);
  with_immediate (OP_SIGN, LR, LR, 1);
  expect_ra (same, true, VERDICT_AGREES);
  expect_ra (same, false, VERDICT_CONTRADICTS);
  add (SP, SP, -16);
  store (LR, SP, 8);
  expect_ra (at_cfa (-8), true, VERDICT_AGREES);
  expect_ra (at_cfa (-16), true, VERDICT_CONTRADICTS);
  expect_saved_at (ROW_RA, VALUE_CFA, -8);
  change (LR);
  expect_ra (same, true, VERDICT_CONTRADICTS);
  store (X0, SP, 8);
  expect_ra (same, true, VERDICT_UNKNOWN);
  expect_saved_at (ROW_RA, VALUE_UNKNOWN, 0);
  store (X19, SP, 8);
  expect_ra (at_cfa (-8), true, VERDICT_CONTRADICTS);
  /* A word of a frame that was not made on this path.  */
  enter_again ();
  expect_ra (at_cfa (-8), false, VERDICT_CONTRADICTS);
  add (SP, SP, -16);
  expect_ra (at_cfa (-8), false, VERDICT_CONTRADICTS);
  /* Nobody knows where the right one is.  */
  change (LR);
  expect_ra (at_cfa (-8), false, VERDICT_UNKNOWN);
  /* On x86-64 it is where the call has put it.  */
  enter (&arch_amd64);
  expect_ra (at_cfa (-8), false, VERDICT_AGREES);
  expect_ra (at_cfa (-16), false, VERDICT_CONTRADICTS);
  expect_ra ((struct frame_rule){ .kind = RULE_UNDEFINED }, false,
             VERDICT_AGREES);
}

AMD64_TEST (where_things_are_kept)
{
  expect_saved_at (ROW_FP, VALUE_UNKNOWN, 0);
  align (RSP, RSP, -32);
  push (RBP);
  expect_saved_at (ROW_FP, VALUE_BASE, -8);
  enter_again ();
  push (RBP);
  expect_saved_at (ROW_FP, VALUE_CFA, -16);
  enter (&arch_aarch64);
  align (SP, SP, -32);
  store (LR, SP, 8);
  expect_saved_at (ROW_RA, VALUE_BASE, 8);
}

/* ---- What must not be mixed up */

AARCH64_TEST (unknown_sums_are_not_equal)
{
  add (X1, X19, 8);
  add (X2, X20, 8);
  assert_false (value_equal (now.registers[X1], now.registers[X2]));
  bound (X1, 5);
  assert_true (bound_of (X1) == 5);
  assert_true (bound_of (X2) == UINT64_MAX);
  /* What was read from a place of which nothing is known is bounded, too.  */
  load (X0, SP, -8);
  expect_kind (X0, VALUE_UNKNOWN);
  bound (X0, 7);
  assert_true (bound_of (X0) == 7);
}

/* A word that has an address of the old base is worth nothing with a new one,
   even if the place of the word is known.  */
AMD64_TEST (addresses_of_an_old_base_are_forgotten)
{
  add (RSP, RSP, -32);
  add (R10, RSP, 0);
  align (RSP, RSP, -32);
  store (RSP, R10, 8);
  expect_word (R10, 8, VALUE_BASE, 0);
  with_index (OP_SUBTRACT, RSP, RSP, RCX, 8);
  expect_unknown_word (R10, 8);
  /* The base of FP, which SP had before it came back.  */
  enter_again ();
  add (R10, RSP, 0);
  align (RSP, RSP, -32);
  move (RBP, RSP, 8);
  move (RSP, R10, 8);
  align (RSP, RSP, -64);
  expect (RSP, VALUE_BASE, 0);
  expect_kind (RBP, VALUE_UNKNOWN);
}

/* Numbers of places with different bases cannot be compared.  */
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

/* The last copy of what the caller needs is lost there: a push is sure to
   write where SP is, and a pop where FP leads.  */
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
  /* What is known of memory, too.  */
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

/* Only SP is lowered by what nobody knows; a number in another register has no
   part in that.  */
AMD64_TEST (only_the_stack_pointer_gets_a_new_base)
{
  set (RAX, 24);
  with_index (OP_SUBTRACT, RBP, RSP, RCX, 8);
  expect_kind (RBP, VALUE_COMPUTED);
  with_index (OP_SUBTRACT, RSP, RSP, REG_NONE, 8);
  expect (RSP, VALUE_BASE, 0);
}

/* Entries of tables stay such where they are extended, and are targets only
   with a base that is known.  */
AARCH64_TEST (entries_are_told_from_what_looks_like_them)
{
  set (X1, 0x5000);
  bounded_index (X0, 6);
  apply (indexed (X2, X1, X0, 4, 4));
  move (X9, X2, 4);
  expect (X9, VALUE_TABLE_ENTRY, 0);
  with_index (OP_SUM, X9, X2, X19, 8);
  expect_kind (X9, VALUE_COMPUTED);
  assert_int_equal (tables.tables[0].base, 0);
  struct insn other = indexed (X9, X1, X0, 4, 4);
  other.offset = 0x100;
  apply (other);
  now.registers[X2] = value_of (VALUE_TABLE_ENTRIES, 3);
  with_index (OP_SUM, X9, X2, X1, 8);
  expect (X9, VALUE_TABLE_TARGETS, 3);
  assert_int_equal (tables.tables[0].base, 0x5000);
  assert_int_equal (tables.tables[1].base, 0x5000);
  /* A word beside a pointer is not an entry with a known index.  */
  struct insn beside = memory_insn (OP_LOAD, X2, X19, 0x5040, 4);
  beside.sign_extended = true;
  apply (beside);
  expect_kind (X2, VALUE_COMPUTED);
  assert_int_equal (tables.n, 2);
}

/* Flags are those of the last instruction that sets them.  */
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

/* Go keeps FP in the word below SP, which callees leave alone.  */
FIXTURE_TEST (the_word_below_the_stack_pointer_is_kept_in_go)
{
  const struct value saved = value_of (VALUE_SAVED, FP);
  enter (&arch_aarch64);
  const struct code_machine *usual = machine;
  for (int turn = 0; turn < 2; turn++)
    {
      machine
          = turn ? code_machine_with (&arch_aarch64, CONVENTIONS_GO) : usual;
      enter_again ();
      const struct frame_row row = { .cfa = { RULE_REG, 0, SP, 0 },
                                     .ra = { .kind = RULE_SAME },
                                     .fp = { RULE_DEREF_CFA, 0, 0, -8 } };
      assert_int_equal (state_check (&now, ROW_FP, &row), VERDICT_CONTRADICTS);
      store (FP, SP, -8);
      store (X19, SP, -16);
      assert_int_equal (state_can_restore (&now, saved), turn);
      call ();
      expect_word (SP, -8, turn ? VALUE_SAVED : VALUE_UNKNOWN, turn ? FP : 0);
      expect_unknown_word (SP, -16);
    }
}

/* Paths have met where only SP differs, or an address of the stack.  */
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

FIXTURE_TEST (tables_are_forgotten_as_a_whole)
{
  struct jump_table table = { .address = 0x5000, .width = 4 };
  uint32_t number;
  jump_tables_reset (&tables);
  assert_true (jump_tables_add (&tables, &table, &number));
  table.address = 0x6000;
  assert_true (jump_tables_add (&tables, &table, &number));
  assert_int_equal (number, 1);
  jump_tables_reset (&tables);
  assert_true (jump_tables_add (&tables, &table, &number));
  assert_int_equal (number, 0);
  assert_int_equal (tables.n, 1);
}

/* Rows that would be wrong, or could not be said.  */
AMD64_TEST (states_without_rows)
{
  add (RSP, RSP, -INT64_C (0x7ffffff0));
  expect_row (reg (RSP, 0x7ffffff8), at_cfa (-8), same);
  add (RSP, RSP, -64); /* an offset of 32 bits cannot say it */
  expect_no_row ();
  /* The return address was popped: whoever is called next overwrites it.  */
  enter (&arch_amd64);
  pop (REG_NONE);
  expect_no_row ();
  /* Parent and child have different stacks.  */
  enter (&arch_aarch64);
  call_kernel (machine->clone, 0x5000, true);
  expect_no_row ();
  /* Of two copies of a signed return address the one in the record counts.  */
  enter (&arch_aarch64);
  with_immediate (OP_SIGN, LR, LR, 0);
  add (SP, SP, -64);
  store (LR, SP, 32);
  apply (pair (OP_STORE, FP, LR, 0));
  change (LR);
  expect_row (reg (SP, 64), at_cfa (-56), at_cfa (-64));
}

/* A pointer into the frame is one in any register, whatever its base.  */
AMD64_TEST (any_pointer_keeps_the_frame)
{
  move (RAX, RSP, 8);
  change (RSP);
  assert_false (state_has_lost_frame (&now));
  enter_again ();
  align (RSP, RSP, -32);
  assert_false (state_has_lost_frame (&now));
}

/* Rules by registers are right as far as the registers are.  */
AMD64_TEST (registers_of_others)
{
  push (RBP);
  move (RBX, RBP, 8);
  expect_fp (reg (RBX, 0), VERDICT_AGREES);
  expect_fp (reg (RBX, 8), VERDICT_UNKNOWN);
  change (RAX);
  expect_fp (reg (RAX, 0), VERDICT_UNKNOWN);
  /* There is no register of that number, whatever lies behind the last.  */
  now.bounds[0].subject.base = value_of (VALUE_CFA, 0);
  expect_cfa (reg (REG_COUNT, 0), VERDICT_UNKNOWN);
}

#else

TEST (there_is_no_machine) { assert_null (code_machine_of (&arch_aarch64)); }

#endif
