/* Unit tests of walk/apply.c: one step from a frame to its caller, on sections
   and stacks in memory.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <string.h>

#include "base/bytes.h"
#include "sframe/encode.h"
#include "walk/apply.h"
#include "tests/encoded.h"

enum
{
  ADDRESS = 0x402000, /* of the section */
  CODE = 0x401000,    /* of the first function */
  STACK = 0x7ff000,
  WORDS = 64
};

static const struct sframe_variant variants[]
    = { { 1, false }, { 2, false }, { 2, true }, { 3, true } };

/* A program: one section and one stack.  */
static struct program
{
  struct buffer section;
  uint8_t stack[8 * WORDS];
  bool big_endian;
  uint64_t pac_mask;
  struct sfw_frame frame;
  uint64_t code_end; /* of the 8 bytes of `code'; 0: code cannot be read */
  uint8_t code[8];
} program;

static int
free_program (void **state)
{
  (void)state;
  buffer_free (&program.section);
  return 0;
}

#define PROGRAM_TEST(name) TEST_BETWEEN (NULL, free_program, name)

static bool
read_memory (void *context, uint64_t address, void *to, size_t size)
{
  (void)context;
  if (program.code_end != 0 && size == sizeof program.code
      && address == program.code_end - size)
    {
      memcpy (to, program.code, size);
      return true;
    }
  if (address < STACK || address - STACK > sizeof program.stack - size)
    return false;
  memcpy (to, program.stack + (address - STACK), size);
  return true;
}

static enum sfw_end
step (void)
{
  const struct sfw_section section
      = { program.section.bytes, program.section.size, ADDRESS };
  const struct sfw_memory memory
      = { .read = read_memory, .pac_mask = program.pac_mask };
  return sfw_step (&section, &memory, &program.frame);
}

static void
prepare (const struct arch *arch, struct sframe_variant variant,
         const struct sframe_fde *functions, size_t n)
{
  const struct encode_options options
      = { .arch = arch, .variant = variant, .sorted = true };
  free_program (NULL);
  memset (&program, 0, sizeof program);
  program.section = section_of (options, functions, n, ADDRESS);
  program.big_endian = arch->big_endian;
  program.frame = (struct sfw_frame){
    .pc = CODE, .sp = STACK + 64, .fp = STACK + 128, .interrupted = true
  };
}

/* A program with one function of 64 bytes.  */
static void
prepare_rows (const struct arch *arch, struct sframe_variant variant,
              struct sframe_row *rows, size_t n)
{
  struct sframe_fde function
      = { .address = CODE, .size = 64, .n_rows = n, .rows = rows };
  function.flexible = n > 0 && rows[0].control != 0;
  prepare (arch, variant, &function, 1);
}

static void
store (uint64_t address, uint64_t value)
{
  store_u64 (program.stack + (address - STACK), value, program.big_endian);
}

/* A step that fails leaves the frame as it was.  */
static void
assert_ends (enum sfw_end expected)
{
  struct sfw_frame before = program.frame;
  assert_int_equal (step (), expected);
  assert_memory_equal (&before, &program.frame, sizeof before);
}

static void
assert_caller (uint64_t pc, uint64_t sp, uint64_t fp)
{
  assert_int_equal (step (), SFW_MORE);
  assert_int_equal (program.frame.pc, pc);
  assert_int_equal (program.frame.sp, sp);
  assert_int_equal (program.frame.fp, fp);
  assert_false (program.frame.has_ra);
  assert_null (program.frame.registers);
}

/* Rows of amd64.  */

static struct sframe_row amd64_rows[] = {
  { .start = 0, .base_sp = true, .n_words = 1, .words = { 8 } },
  { .start = 1, .base_sp = true, .n_words = 2, .words = { 16, -16 } },
  { .start = 4, .n_words = 2, .words = { 16, -16 } },
};

PROGRAM_TEST (a_prologue_is_walked_in_all_versions)
{
  for (size_t i = 0; i < N_OF (variants); i++)
    {
      prepare_rows (&arch_amd64, variants[i], amd64_rows, 3);
      /* At the entry: the return address is on top of the stack.  */
      store (STACK + 64, 0x555000);
      assert_caller (0x555000, STACK + 72, STACK + 128);
      assert_false (program.frame.interrupted);
      /* After push %rbp.  */
      program.frame = (struct sfw_frame){
        .pc = CODE + 1, .sp = STACK + 64, .fp = 1, .interrupted = true
      };
      store (STACK + 64, 0xf00d);
      store (STACK + 72, 0x556000);
      assert_caller (0x556000, STACK + 80, 0xf00d);
      /* After mov %rsp,%rbp, looked up in front of a return address.  */
      program.frame.pc = CODE + 5;
      program.frame.fp = STACK + 160;
      store (STACK + 160, STACK + 300);
      store (STACK + 168, 0x557000);
      assert_caller (0x557000, STACK + 176, STACK + 300);
    }
}

PROGRAM_TEST (a_return_address_behind_its_function_belongs_to_it)
{
  static struct sframe_row other[]
      = { { .start = 0, .n_words = 2, .words = { 16, -16 } } };
  static const struct sframe_fde functions[] = {
    { .address = CODE, .size = 64, .n_rows = 1, .rows = amd64_rows },
    { .address = CODE + 64, .size = 64, .n_rows = 1, .rows = other },
  };
  prepare (&arch_amd64, v3, functions, 2);
  store (STACK + 64, 0x555000);
  program.frame.interrupted = false;
  program.frame.pc = CODE + 64;
  assert_caller (0x555000, STACK + 72, STACK + 128);
  /* The same address in an innermost frame is the next function's.  */
  program.frame.interrupted = true;
  program.frame.pc = CODE + 64;
  program.frame.fp = STACK + 256;
  store (STACK + 256, 7);
  store (STACK + 264, 0x555001);
  assert_caller (0x555001, STACK + 272, 7);
}

PROGRAM_TEST (repeated_blocks_are_looked_up_by_their_offset)
{
  static struct sframe_row rows[] = {
    { .start = 0, .base_sp = true, .n_words = 1, .words = { 8 } },
    { .start = 11, .base_sp = true, .n_words = 1, .words = { 16 } },
  };
  static const struct sframe_fde plt = {
    .address = CODE, .size = 256, .repeat = 16, .n_rows = 2, .rows = rows
  };
  prepare (&arch_amd64, v2, &plt, 1);
  store (STACK + 64, 1);
  store (STACK + 72, 0x555000);
  program.frame.pc = CODE + 5 * 16 + 11;
  assert_caller (0x555000, STACK + 80, STACK + 128);
  program.frame.pc = CODE + 5 * 16 + 10;
  program.frame.interrupted = true;
  program.frame.sp = STACK + 64;
  store (STACK + 64, 0x555001);
  assert_caller (0x555001, STACK + 72, STACK + 128);
}

/* Ends.  */

PROGRAM_TEST (an_undefined_return_address_is_the_outermost_frame)
{
  static struct sframe_row rows[] = { { .start = 0 } };
  prepare_rows (&arch_amd64, v3, rows, 1);
  assert_ends (SFW_OUTERMOST);
  prepare_rows (&arch_amd64, v2, rows, 1);
  assert_ends (SFW_OUTERMOST);
}

PROGRAM_TEST (a_row_without_words_says_nothing_in_version_1)
{
  static struct sframe_row rows[] = { { .start = 0, .base_sp = true } };
  prepare_rows (&arch_amd64, v1, rows, 1);
  assert_ends (SFW_BAD_SECTION);
}

PROGRAM_TEST (a_walk_says_why_it_ended)
{
  prepare_rows (&arch_amd64, v3, amd64_rows, 3);
  assert_ends (SFW_ZERO);
  store (STACK + 64, 0x555000);
  program.frame.pc = CODE + 64;
  assert_ends (SFW_NO_ROW);
  program.frame.pc = CODE - 1;
  assert_ends (SFW_NO_ROW);
  program.frame.pc = CODE;
  program.frame.sp = STACK - 1;
  assert_ends (SFW_MEMORY);
  program.frame.sp = STACK + 64;
  program.section.bytes[0] ^= 1;
  assert_ends (SFW_BAD_SECTION);
  program.section.bytes[0] ^= 1;
  program.section.size -= 1;
  assert_ends (SFW_BAD_SECTION);
  /* A row whose words have an unknown size.  */
  prepare_rows (&arch_amd64, v3, amd64_rows, 1);
  program.section.bytes[program.section.size - 2] |= 0x60;
  assert_ends (SFW_BAD_SECTION);
}

PROGRAM_TEST (every_end_has_a_name_and_a_text)
{
  for (unsigned i = 0; i <= SFW_INVALID; i++)
    {
      assert_non_null (unwind_end_name ((enum sfw_end)i));
      assert_non_null (sfw_end_text ((enum sfw_end)i));
      for (unsigned j = 0; j < i; j++)
        assert_string_not_equal (unwind_end_name ((enum sfw_end)i),
                                 unwind_end_name ((enum sfw_end)j));
    }
  assert_null (unwind_end_name ((enum sfw_end) (SFW_INVALID + 1)));
  assert_null (sfw_end_text ((enum sfw_end) (SFW_INVALID + 1)));
}

/* Progress.  */

PROGRAM_TEST (a_stack_that_leads_to_itself_ends_the_walk)
{
  prepare_rows (&arch_amd64, v3, amd64_rows, 3);
  /* CFA = FP + 16 below the stack pointer.  */
  program.frame.pc = CODE + 4;
  program.frame.fp = STACK + 16;
  store (STACK + 24, 0x555000);
  assert_ends (SFW_NO_PROGRESS);
  /* ... and where it is, for an innermost frame may have no stack yet, but no
     other.  */
  program.frame.interrupted = false;
  program.frame.pc = CODE + 5;
  program.frame.fp = STACK + 48;
  store (STACK + 56, 0x555000);
  assert_ends (SFW_NO_PROGRESS);
  program.frame.fp = STACK + 49;
  store (STACK + 57, 0x555000);
  assert_caller (0x555000, STACK + 65, 0);
}

/* What makecontext leaves on the stack is not a return address of a call.  */
PROGRAM_TEST (a_frame_that_no_call_made_is_looked_up_at_its_pc)
{
  static struct sframe_row other[]
      = { { .start = 0, .n_words = 2, .words = { 16, -16 } } };
  static const struct sframe_fde functions[] = {
    { .address = CODE, .size = 64, .n_rows = 1, .rows = amd64_rows },
    { .address = CODE + 64, .size = 64, .n_rows = 1, .rows = other },
  };
  static const struct
  {
    const char *code;
    bool is_call;
  } cases[] = {
    { "\x90\x90\x90\x90\x90\x90\x90\xc3", false },
    { "\x90\x90\x90\xe8\x00\x10\x00\x00", true },
    { "\x90\x90\x90\x90\x90\x90\xff\xd0", true },
    { "\xe8\x00\x10\x00\x00\x90\x90\x90", false },
  };
  FOR_EACH_ROW (given, cases)
    {
      bool is_call = given->is_call;
      prepare (&arch_amd64, v3, functions, 2);
      program.code_end = CODE + 64;
      memcpy (program.code, given->code, sizeof program.code);
      program.frame.interrupted = false;
      program.frame.pc = CODE + 64;
      program.frame.fp = STACK + 256;
      store (STACK + 64, 0x555000);
      store (STACK + 256, 7);
      store (STACK + 264, 0x555001);
      const struct sfw_frame frame = program.frame;
      assert_caller (is_call ? 0x555000 : 0x555001,
                     is_call ? STACK + 72 : STACK + 272,
                     is_call ? STACK + 256 : 7);
      assert_false (program.frame.interrupted);
      /* The same PC of a frame that was interrupted is not confused with
         it.  */
      program.frame = frame;
      program.frame.interrupted = true;
      assert_caller (0x555001, STACK + 272, 7);
    }
}

/* Behind the last function, where the section says nothing.  */
PROGRAM_TEST (nothing_is_known_of_a_frame_that_no_call_made)
{
  prepare_rows (&arch_amd64, v3, amd64_rows, 1);
  store (STACK + 64, 0x555000);
  program.frame.interrupted = false;
  program.frame.pc = CODE + 64;
  program.code_end = CODE + 64;
  memset (program.code, 0x90, sizeof program.code);
  assert_ends (SFW_NO_ROW);
  program.code_end = 0;
  assert_caller (0x555000, STACK + 72, STACK + 128);
}

/* As glibc's __restore_rt: everything is in the ucontext at SP.  */
static struct sframe_row trampoline_rows[] = {
  { .start = 0,
    .n_words = 6,
    .control = 1 | 1 << 2 | 1 << 4,
    .words = { 7 << 3 | 3, 160, 7 << 3 | 3, 168, 7 << 3 | 3, 120 } },
};
static const struct sframe_fde trampoline = { .address = CODE,
                                              .size = 64,
                                              .flexible = true,
                                              .signal = true,
                                              .n_rows = 1,
                                              .rows = trampoline_rows };

PROGRAM_TEST (what_a_signal_interrupted_is_looked_up_at_its_pc)
{
  prepare (&arch_amd64, v3, &trampoline, 1);
  program.frame.interrupted = false;
  program.frame.pc = CODE + 1;
  store (STACK + 64 + 160, STACK + 400);
  store (STACK + 64 + 168, 0x555000);
  store (STACK + 64 + 120, 99);
  assert_caller (0x555000, STACK + 400, 99);
  assert_true (program.frame.interrupted);
  assert_ends (SFW_NO_ROW);
}

PROGRAM_TEST (signals_change_stacks_but_not_for_ever)
{
  prepare (&arch_amd64, v3, &trampoline, 1);
  /* Two trampolines that lead to each other, one of them upwards.  */
  store (STACK + 64 + 160, STACK + 16);
  store (STACK + 64 + 168, CODE);
  store (STACK + 16 + 160, STACK + 64);
  store (STACK + 16 + 168, CODE);
  unsigned steps = 0;
  enum sfw_end end;
  while ((end = step ()) == SFW_MORE)
    assert_true (++steps < 1000);
  assert_int_equal (end, SFW_NO_PROGRESS);
  assert_int_equal (program.frame.stack_changes, 64);
  assert_int_equal (steps, 128);
  /* One that leads to itself ends at once.  */
  program.frame.stack_changes = 0;
  program.frame.sp = STACK + 200;
  store (STACK + 200 + 160, STACK + 200);
  store (STACK + 200 + 168, CODE);
  assert_ends (SFW_NO_PROGRESS);
}

/* A NULL pointer was called: the frame with that PC is the interrupted one. */
PROGRAM_TEST (a_signal_may_interrupt_at_address_0)
{
  prepare (&arch_amd64, v3, &trampoline, 1);
  store (STACK + 64 + 160, STACK + 300);
  store (STACK + 64 + 168, 0);
  assert_int_equal (step (), SFW_MORE);
  assert_int_equal (program.frame.pc, 0);
  assert_int_equal (program.frame.sp, STACK + 300);
  assert_true (program.frame.interrupted);
}

/* A trampoline that does not move the stack, although it has its return
   address from a register.  */
PROGRAM_TEST (a_trampoline_that_stays_where_it_is_ends_the_walk)
{
  static struct sframe_row rows[] = {
    { .start = 0,
      .n_words = 4,
      .control = 1 | 1 << 2,
      .words = { 7 << 3 | 1, 0, 10 << 3 | 1, 0 } },
  };
  struct sframe_fde function = trampoline;
  uint64_t registers[17] = { [10] = CODE };
  function.rows = rows;
  prepare (&arch_amd64, v3, &function, 1);
  program.frame.registers = registers;
  program.frame.n_registers = 17;
  assert_ends (SFW_NO_PROGRESS);
}

/* Registers.  */

PROGRAM_TEST (other_registers_are_known_in_innermost_frames_only)
{
  /* CFA = r10; RA and FP as usual.  */
  static struct sframe_row rows[] = {
    { .start = 0,
      .n_words = 5,
      .control = 1 | 1 << 3,
      .words = { 10 << 3 | 1, 0, 0, 2, -16 } },
  };
  uint64_t registers[17] = { [10] = STACK + 160 };
  prepare_rows (&arch_amd64, v3, rows, 1);
  store (STACK + 152, CODE + 8);
  store (STACK + 144, 42);
  assert_ends (SFW_REGISTER);
  program.frame.registers = registers;
  program.frame.n_registers = 10;
  assert_ends (SFW_REGISTER);
  program.frame.n_registers = 11;
  assert_caller (CODE + 8, STACK + 160, 42);
  assert_ends (SFW_REGISTER);
}

PROGRAM_TEST (a_frame_pointer_may_be_a_distance_from_the_cfa)
{
  /* The register number of a rule by the CFA says nothing.  */
  static struct sframe_row rows[] = {
    { .start = 0,
      .n_words = 5,
      .control = 1 | 1 << 3,
      .words = { 7 << 3 | 1, 8, 0, 3 << 3, 48 } },
  };
  prepare_rows (&arch_amd64, v3, rows, 1);
  store (STACK + 64, CODE + 8);
  assert_caller (CODE + 8, STACK + 72, STACK + 72 + 48);
}

/* Leaf functions of aarch64 and s390x leave the return address where the call
   put it.  */
PROGRAM_TEST (a_leaf_returns_by_its_register_once)
{
  static const struct
  {
    const struct arch *arch;
    struct sframe_variant variant;
    struct sframe_row row;
  } machines[] = {
    { &arch_aarch64,
      { 2, true },
      { .start = 0, .base_sp = true, .n_words = 1, .words = { 0 } } },
    { &arch_aarch64_be,
      { 3, true },
      { .start = 0, .base_sp = true, .n_words = 1, .words = { 0 } } },
    { &arch_s390x,
      { 3, true },
      { .start = 0, .base_sp = true, .n_words = 1, .words = { 0 } } },
  };
  for (size_t i = 0; i < N_OF (machines); i++)
    {
      struct sframe_row row = machines[i].row;
      prepare_rows (machines[i].arch, machines[i].variant, &row, 1);
      assert_ends (SFW_REGISTER);
      program.frame.has_ra = true;
      program.frame.ra = CODE + 8;
      assert_caller (CODE + 8, STACK + 64, STACK + 128);
      assert_int_equal (program.frame.stack_changes, 0);
      assert_ends (SFW_REGISTER);
      /* Nor does a return address in all registers help a caller.  */
      program.frame.has_ra = true;
      program.frame.ra = CODE + 8;
      assert_ends (SFW_NO_PROGRESS);
    }
}

/* On s390x a function stores registers in its caller's frame first.  */
PROGRAM_TEST (a_return_address_may_be_in_the_callers_frame)
{
  static struct sframe_row rows[] = {
    { .start = 0, .base_sp = true, .n_words = 3, .words = { 0, -48, -72 } },
  };
  prepare_rows (&arch_s390x, v2, rows, 1);
  store (STACK + 64 + 160 - 48, CODE + 8);
  store (STACK + 64 + 160 - 72, 0x1234);
  assert_caller (CODE + 8, STACK + 64, 0x1234);
  /* Its caller has one of its own.  */
  assert_ends (SFW_NO_PROGRESS);
}

PROGRAM_TEST (frames_are_read_in_the_order_of_bytes_of_the_machine)
{
  static struct sframe_row aarch64[] = {
    { .start = 0, .base_sp = true, .n_words = 3, .words = { 32, -24, -32 } },
  };
  /* CFA = SP + 160 + 160, RA at CFA - 48, FP at CFA - 72.  */
  static struct sframe_row s390x[] = {
    { .start = 0, .base_sp = true, .n_words = 3, .words = { 20, -48, -72 } },
  };
  prepare_rows (&arch_aarch64_be, v2, aarch64, 1);
  store (STACK + 64, 0x1234);
  store (STACK + 72, 0x555000);
  assert_caller (0x555000, STACK + 96, 0x1234);
  prepare_rows (&arch_s390x, v2, s390x, 1);
  store (STACK + 64 + 320 - 48, 0x555000);
  store (STACK + 64 + 320 - 72, 0x1234);
  assert_caller (0x555000, STACK + 64 + 160, 0x1234);
}

PROGRAM_TEST (signatures_are_taken_out_of_signed_addresses_only)
{
  static struct sframe_row rows[] = {
    { .start = 0, .base_sp = true, .n_words = 3, .words = { 16, -8, -16 } },
    { .start = 8,
      .ra_signed = true,
      .base_sp = true,
      .n_words = 3,
      .words = { 16, -8, -16 } },
  };
  static const struct
  {
    uint64_t offset, mask, in, out;
  } cases[] = {
    { 0, 0, 0x5a55aaaabbbbcccc, 0x5a55aaaabbbbcccc },
    { 8, 0, 0x5a55aaaabbbbcccc, 0x0000aaaabbbbcccc },
    { 8, 0, 0x5ad5aaaabbbbcccc, 0xffffaaaabbbbcccc },
    { 8, 0x007f000000000000, 0x0055aaaabbbbcccc, 0x0000aaaabbbbcccc },
    { 8, 0x0070000000000000, 0x0055aaaabbbbcccc, 0x0005aaaabbbbcccc },
  };
  FOR_EACH_ROW (given, cases)
    {
      prepare_rows (&arch_aarch64, v2, rows, 2);
      program.frame.pc = CODE + given->offset;
      program.pac_mask = given->mask;
      store (STACK + 72, given->in);
      assert_caller (given->out, STACK + 80, 0);
    }
}
