/* A state, and decoded instructions that change it, for the tests of
   analysis/state*.c: no decoder has a part in these tests.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TESTS_STATE_FIXTURE_H
#define TESTS_STATE_FIXTURE_H

#include <string.h>

#include "analysis/state.h"
#include "tests/unit_test.h"

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

static const struct code_machine *machine;
static struct state now;
static struct jump_tables tables;
static uint64_t address;

/* Begin a function of ARCH.  Builds without Zydis have no x86-64.  */
static inline void
enter (const struct arch *arch)
{
  machine = code_machine_of (arch);
  if (machine == NULL)
    skip ();
  state_enter (&now, machine, &tables);
  jump_tables_reset (&tables);
  address = 0x1000;
}

/* Begin at the entry of the same function again.  */
static inline void
enter_again (void)
{
  state_enter (&now, machine, &tables);
}

static inline int
free_tables (void **state)
{
  (void)state;
  jump_tables_free (&tables);
  tables = (struct jump_tables){ 0 };
  return 0;
}

#define FIXTURE_TEST(name) TEST_BETWEEN (NULL, free_tables, name)

/* A test that begins in a function of ARCH.  */
#define TEST_OF(arch, function)                                     \
  static void function (void);                                      \
  static void run_##function (void **state)                         \
  {                                                                 \
    (void)state;                                                    \
    enter (&arch);                                                  \
    function ();                                                    \
  }                                                                 \
  TEST_ENTER (function, #function, NULL, free_tables, .rows = NULL) \
  static void function (void)

#define AMD64_TEST(name) TEST_OF (arch_amd64, name)
#define AARCH64_TEST(name) TEST_OF (arch_aarch64, name)

static inline void
apply (struct insn insn)
{
  address += 4;
  insn.address = address;
  state_apply (&now, &insn);
}

static inline struct insn
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

static inline struct insn
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

static inline void
with_immediate (enum insn_op op, unsigned to, unsigned from, int64_t immediate)
{
  struct insn insn = insn_of (op, to, from);
  insn.immediate = immediate;
  apply (insn);
}

static inline void
add (unsigned to, unsigned from, int64_t n)
{
  with_immediate (OP_ADD, to, from, n);
}

static inline void
align (unsigned to, unsigned from, int64_t mask)
{
  with_immediate (OP_ALIGN, to, from, mask);
}

static inline void
set (unsigned to, int64_t n)
{
  with_immediate (OP_SET, to, REG_NONE, n);
}

static inline void
with_index (enum insn_op op, unsigned to, unsigned from, unsigned index,
            unsigned width)
{
  struct insn insn = insn_of (op, to, from);
  insn.index = (uint8_t)index;
  insn.width = (uint16_t)width;
  apply (insn);
}

static inline void
move (unsigned to, unsigned from, unsigned width)
{
  with_index (OP_MOVE, to, from, REG_NONE, width);
}

static inline void
load (unsigned to, unsigned base, int64_t offset)
{
  apply (memory_insn (OP_LOAD, to, base, offset, 8));
}

static inline void
store (unsigned from, unsigned base, int64_t offset)
{
  apply (memory_insn (OP_STORE, from, base, offset, 8));
}

static inline void
push (unsigned reg)
{
  apply (insn_of (OP_PUSH, REG_NONE, reg));
}

static inline void
pop (unsigned reg)
{
  apply (insn_of (OP_POP, reg, REG_NONE));
}

static inline void
call (void)
{
  state_call (&now, &(struct insn){ .address = address });
}

/* Give TO an unknown value.  */
static inline void
change (unsigned to)
{
  struct insn insn = insn_of (OP_NONE, REG_NONE, REG_NONE);
  insn.writes = UINT32_C (1) << to;
  apply (insn);
}

static inline void
expect (unsigned reg, enum value_kind kind, int64_t number)
{
  assert_int_equal (now.registers[reg].kind, kind);
  assert_true (now.registers[reg].number == number);
}

static inline void
expect_kind (unsigned reg, enum value_kind kind)
{
  assert_int_equal (now.registers[reg].kind, kind);
}

/* The word at BASE + OFFSET has this value; VALUE_UNKNOWN: no slot.  */
static inline void
expect_word (unsigned base, int64_t offset, enum value_kind kind,
             int64_t number)
{
  struct value place = now.registers[base];
  struct value word = state_load (
      &now, value_of ((enum value_kind)place.kind, place.number + offset));
  assert_int_equal (word.kind, kind);
  assert_true (word.number == number);
}

static inline void
expect_unknown_word (unsigned base, int64_t offset)
{
  expect_word (base, offset, VALUE_UNKNOWN, 0);
}

static inline struct insn
pair (enum insn_op op, unsigned first, unsigned second, int64_t offset)
{
  struct insn insn = memory_insn (op, first, SP, offset, 16);
  insn.is_pair = true;
  insn.second = (uint8_t)second;
  return insn;
}

static inline void
compare (unsigned from, int64_t with)
{
  struct insn insn = insn_of (OP_COMPARE, REG_NONE, from);
  insn.immediate = with;
  insn.width = 8;
  apply (insn);
}

/* Compare REG with MAX and take the branch for "not above".  */
static inline void
bound (unsigned reg, int64_t max)
{
  compare (reg, max);
  state_branch (&now, CONDITION_NOT_ABOVE, true);
}

static inline void
bounded_index (unsigned reg, uint64_t max)
{
  change (reg);
  bound (reg, (int64_t)max);
}

static inline void
expect_table (uint32_t number, uint64_t at, uint64_t max, unsigned width,
              bool is_signed)
{
  assert_true (number < tables.n);
  const struct jump_table *table = &tables.tables[number];
  assert_true (table->address == at && table->max == max);
  assert_int_equal (table->width, width);
  assert_int_equal (table->is_signed, is_signed);
}

/* Make a system call with NUMBER and with the stack STACK for the child.  A
   negative value stands for an unknown one.  */
static inline void
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

static inline struct state
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

#endif /* TESTS_STATE_FIXTURE_H */
