/* Unit tests of stacks/syscall_code.c: signal frames of all machines.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <string.h>

#include "base/bytes.h"
#include "stacks/stack_walk.h"
#include "tests/unit_test.h"

#define CODE UINT64_C (0x10000)
#define STACK UINT64_C (0x7000000)

enum
{
  STACK_SIZE = 4096,
  SP_AT = 64
};

/* Where the kernel's structures (struct rt_sigframe, without what the
   handler's return has popped) have some of the registers, in bytes from SP
   on.  */
static const struct
{
  const struct arch *arch;
  uint8_t code[16];
  unsigned size, last; /* bytes of code; where its last instruction begins */
  unsigned n;          /* registers */
  unsigned pc_at, sp_at, fp_at, ra_at; /* RA: 0 if it has no register */
} machines[] = {
  { &arch_amd64,
    { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 },
    9,
    7,
    17,
    40 + 8 * 16,
    40 + 8 * 15,
    40 + 8 * 10,
    0 },
  { &arch_amd64,
    { 0xb8, 15, 0, 0, 0, 0x0f, 0x05 },
    7,
    5,
    17,
    40 + 8 * 16,
    40 + 8 * 15,
    40 + 8 * 10,
    0 },
  { &arch_aarch64,
    { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 },
    8,
    4,
    32,
    568,
    560,
    312 + 8 * 29,
    312 + 8 * 30 },
  { &arch_s390x,
    { 0x0a, 173 },
    2,
    0,
    16,
    336 + 8,
    336 + 16 + 8 * 15,
    336 + 16 + 8 * 11,
    336 + 16 + 8 * 14 },
  { &arch_s390x,
    { 0x0a, 119 },
    2,
    0,
    16,
    176 + 8,
    176 + 16 + 8 * 15,
    176 + 16 + 8 * 11,
    176 + 16 + 8 * 14 },
};

static uint8_t stack[STACK_SIZE];

static int
find_nothing (struct process *process, const struct mapping *mapping)
{
  (void)process;
  (void)mapping;
  return -1;
}

static void
put (const struct arch *arch, unsigned at, uint64_t value)
{
  store_u64 (stack + SP_AT + at, value, arch->big_endian);
}

static struct registers
registers_at (const struct arch *arch, uint64_t pc, unsigned n)
{
  struct registers registers = { .pc = pc, .n = n };
  registers.values[arch->sp] = STACK + SP_AT;
  return registers;
}

TEST (what_a_signal_interrupted_is_where_the_kernel_saved_it)
{
  for (size_t i = 0; i < N_OF (machines); i++)
    {
      const struct arch *arch = machines[i].arch;
      struct process process = { .arch = arch };
      uint8_t code[32] = { 0 };
      memcpy (code + 8, machines[i].code, machines[i].size);
      assert_true (memory_add (&process.memory, STACK, stack, sizeof stack)
                   && memory_add (&process.memory, CODE, code, sizeof code));
      memset (stack, 0, sizeof stack);
      put (arch, machines[i].pc_at, 0x1111);
      put (arch, machines[i].sp_at, 0x2222);
      put (arch, machines[i].fp_at, 0x3333);
      if (machines[i].ra_at != 0)
        put (arch, machines[i].ra_at, 0x4444);
      for (unsigned at = 0; at < 16; at++)
        {
          struct registers registers
              = registers_at (arch, CODE + at, machines[i].n);
          bool is_there = at == 8 || at == 8 + machines[i].last;
          if (syscall_code_step (&process, &registers) != is_there)
            fail_msg ("machine %zu, at %u", i, at);
          if (!is_there)
            continue;
          assert_int_equal (registers.pc, 0x1111);
          assert_int_equal (registers.values[arch->sp], 0x2222);
          assert_int_equal (registers.values[arch->fp], 0x3333);
          assert_int_equal (registers.values[arch->ra],
                            machines[i].ra_at != 0 ? 0x4444 : 0x1111);
        }
      /* The stack ends within what was saved.  */
      struct registers registers
          = registers_at (arch, CODE + 8, machines[i].n);
      registers.values[arch->sp] = STACK + STACK_SIZE - machines[i].pc_at;
      assert_false (syscall_code_step (&process, &registers));
      process_free (&process);
    }
}

/* Of walks by CFI alone, changes of stacks were not counted.  */
TEST (two_signals_that_interrupted_each_other_are_no_endless_stack)
{
  enum
  {
    OTHER = 2048, /* bytes from the first one to the second one */
    MANY = 1000
  };
  const struct arch *arch = machines[0].arch;
  struct process process = { .arch = arch };
  struct stack_walk sframe, cfi;
  const struct registers registers
      = registers_at (arch, CODE + 8, machines[0].n);
  uint8_t code[32] = { 0 };
  memcpy (code + 8, machines[0].code, machines[0].size);
  assert_true (memory_add (&process.memory, STACK, stack, sizeof stack)
               && memory_add (&process.memory, CODE, code, sizeof code));
  memset (stack, 0, sizeof stack);
  for (unsigned at = 0; at <= OTHER; at += OTHER)
    {
      put (arch, at + machines[0].pc_at, CODE + 8);
      put (arch, at + machines[0].sp_at, STACK + SP_AT + OTHER - at);
    }
  assert_true (stack_walk_init (&sframe, MANY)
               && stack_walk_init (&cfi, MANY));
  stack_walk_by_sframe (&process, &registers, &sframe);
  stack_walk_by_cfi (&process, &registers, &cfi);
  assert_int_equal (sframe.end, SFW_NO_PROGRESS);
  assert_int_equal (cfi.end, SFW_NO_PROGRESS);
  assert_int_equal (cfi.n, sframe.n);
  stack_walk_free (&sframe);
  stack_walk_free (&cfi);
  process_free (&process);
}

TEST (a_thread_ends_with_what_its_function_returned)
{
  static const struct
  {
    const struct arch *arch;
    uint8_t code[16];
    bool ends;
  } cases[] = {
    { &arch_amd64, { 0x89, 0xc7, 0x31, 0xc0, 0xb0, 60, 0x0f, 0x05 }, true },
    { &arch_amd64, { 0x89, 0xc7, 0xb8, 60, 0, 0, 0, 0x0f, 0x05 }, true },
    /* Another status, another system call.  */
    { &arch_amd64, { 0x31, 0xff, 0xb8, 60, 0, 0, 0, 0x0f, 0x05 }, false },
    { &arch_amd64, { 0x89, 0xc7, 0xb8, 61, 0, 0, 0, 0x0f, 0x05 }, false },
    { &arch_aarch64, { 0xa8, 0x0b, 0x80, 0xd2, 0x01, 0, 0, 0xd4 }, true },
    { &arch_s390x, { 0x0a, 1 }, true },
    { &arch_aarch64, { 0x0a, 1 }, false },
  };
  FOR_EACH_ROW (given, cases)
    {
      struct process process = { .arch = given->arch };
      assert_true (
          memory_add (&process.memory, CODE, given->code, sizeof given->code));
      assert_int_equal (syscall_code_ends_thread (&process, CODE),
                        given->ends);
      process_free (&process);
    }
}

/* perf record may leave registers out (--user-regs); perf_input.c refuses such
   recordings.  */
TEST (registers_that_were_not_recorded_are_not_0)
{
  static const uint8_t words[3 * sizeof (uint64_t)];
  struct registers registers;
  /* perf's numbers of bp, sp and ip.  */
  registers_decode (&arch_amd64, ORDER_PERF, words, 1 << 6 | 1 << 7 | 1 << 8,
                    &registers);
  assert_true (registers.values[arch_amd64.fp] == 0);
  assert_true (registers.values[0] == UNKNOWN_REGISTER);
}

/* PROCESS has CODE, which is a file's.  */
static void
load_code (struct process *process, const uint8_t *code, size_t size)
{
  static struct code_files files;
  const struct walk_mapping report = {
    .start = CODE, .end = CODE + 0x1000, .path = "/lib/code", .inode = 1
  };
  *process = (struct process){ .arch = &arch_amd64,
                               .files = &files,
                               .open_file = find_nothing };
  assert_true (process_map (process, &report)
               && memory_add (&process->memory, CODE, code, size));
}

/* musl 1.2.3.  */
TEST (vfork_has_the_return_address_in_rdx)
{
  static const uint8_t code[]
      = { 0x5a, 0xb8, 58, 0, 0, 0, 0x0f, 0x05, 0x52, 0x48 };
  struct process process;
  struct register_rules rules;
  load_code (&process, code, sizeof code);
  for (unsigned at = 0; at < sizeof code; at++)
    {
      const struct registers registers
          = registers_at (&arch_amd64, CODE + at, 17);
      bool popped = at >= 1 && at <= 8;
      if (syscall_code_rules (&process, &registers, &rules) != popped)
        fail_msg ("at %u", at);
      assert_int_equal (rules.registers[16].number, 1);
      assert_int_equal (rules.cfa.offset, 0);
    }
  process_free (&process);
}

/* The bytes are those of glibc 2.36, and of musl 1.2.3.  */
TEST (clone_returns_in_the_new_thread_and_in_the_one_that_made_it)
{
  static const struct
  {
    uint8_t code[24];
    unsigned size; /* bytes of code */
    unsigned own;  /* where code of the new thread alone begins */
  } cases[] = {
    { { 0x0f, 0x05, 0x48, 0x85, 0xc0, 0x7c, 0x13, 0x74, 0x01, 0xc3, 0x31, 0xed,
        0x58, 0x5f, 0xff, 0xd0 },
      16,
      10 },
    { { 0x0f, 0x05, 0x48, 0x85, 0xc0, 0x7c, 0x18, 0x74, 0x01, 0xc3, 0x31,
        0xed, 0x48, 0x83, 0xe4, 0xf0, 0x4c, 0x89, 0xc7, 0xff, 0xd2 },
      21,
      10 },
    { { 0x0f, 0x05, 0x85, 0xc0, 0x75, 0x0f, 0x31, 0xed, 0x5f, 0x41, 0xff,
        0xd1 },
      12,
      6 },
    /* A frame pointer stays: it is no new thread's.  */
    { { 0x0f, 0x05, 0x85, 0xc0, 0x75, 0x0f, 0x31, 0xc0, 0x5f, 0x41, 0xff,
        0xd1 },
      12,
      0 },
  };
  FOR_EACH_ROW (given, cases)
    {
      struct process process;
      struct register_rules rules;
      bool is_clone = given->own > 0;
      load_code (&process, given->code, sizeof given->code);
      for (unsigned at = 0; at < given->size; at++)
        {
          struct registers registers
              = registers_at (&arch_amd64, CODE + at, 17);
          assert_int_equal (syscall_code_begins_thread (&process, &registers),
                            is_clone && at >= 2);
          assert_false (syscall_code_rules (&process, &registers, &rules));
          registers.values[0] = 4711; /* the thread that made it */
          assert_false (syscall_code_begins_thread (&process, &registers));
          assert_int_equal (syscall_code_rules (&process, &registers, &rules),
                            at < given->own);
          assert_int_equal (rules.cfa.offset,
                            is_clone && at < given->own ? 8 : 0);
        }
      process_free (&process);
    }
}
