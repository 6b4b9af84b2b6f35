/* Unit tests of stacks/stack_walk.c: walks are the steps that the public
   interface takes, however long they are and wherever they go.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <string.h>

#include "tests/unit/failing_allocations.h"
#include "stacks/stack_print.h"
#include "stacks/stack_walk.h"
#include "walk/apply.h"
#include "tests/unit_test.h"

#define CODE UINT64_C (0x10000)
#define STACK UINT64_C (0x7000000)

enum
{
  WORDS = 4096,
  KINDS = 16, /* what a rule is depends on its address modulo this */
  SIGNAL = 5,
  WITH_FP = 6,
  BY_FP = 7,
  OUTERMOST = 8,
  NO_CALL = 9,
  POPPED = 10,
  SAVED = 11
};

static uint64_t stack[WORDS];
static uint8_t code[KINDS * KINDS]; /* without a call */

/* CFA is SP + 16, RA in front of it, unless the kind of ADDRESS says
   otherwise.  */
static enum sfw_end
find_rules (const void *process, uint64_t address, struct unwind_rules *rules)
{
  (void)process;
  unsigned kind = address % KINDS;
  if (address - CODE >= sizeof code)
    return SFW_NO_SECTION;
  rules->arch = &arch_amd64;
  rules->signal = kind == SIGNAL;
  rules->starts_row = kind == NO_CALL || kind == POPPED || kind == SAVED;
  if (kind == OUTERMOST)
    return SFW_MORE;
  rules->row = (struct frame_row){
    .cfa = { RULE_REG, 0, kind == BY_FP ? arch_amd64.fp : arch_amd64.sp, 16 },
    .ra = { RULE_DEREF_CFA, 0, 0, -8 },
    .fp = { .kind = RULE_SAME },
  };
  if (kind == POPPED)
    rules->row.cfa.offset = 8;
  if (kind == WITH_FP || kind == BY_FP || kind == POPPED || kind == SAVED)
    rules->row.fp = (struct frame_rule){ RULE_DEREF_CFA, 0, 0, -16 };
  return SFW_MORE;
}

static struct process
process_with_stack (void)
{
  struct process process = { .arch = &arch_amd64, .find_rules = find_rules };
  assert_true (memory_add (&process.memory, STACK, stack, sizeof stack)
               && memory_add (&process.memory, CODE, code, sizeof code));
  return process;
}

static struct registers
registers_at (uint64_t pc, unsigned word, uint64_t fp)
{
  struct registers registers = { .pc = pc, .n = 17 };
  registers.values[arch_amd64.sp] = STACK + 8 * word;
  registers.values[arch_amd64.fp] = fp;
  return registers;
}

/* A frame in every second word, whose kinds come in turn.  */
static void
fill_stack (const uint8_t *kinds, unsigned n, unsigned frames)
{
  memset (stack, 0, sizeof stack);
  for (unsigned i = 0; i < frames; i++)
    {
      stack[2 * i] = STACK + 16 * (i + 1);
      stack[2 * i + 1] = CODE + 32 + kinds[i % n];
    }
}

TEST (a_walk_has_as_many_frames_as_there_is_room_for)
{
  static const uint8_t kinds[] = { 4, SIGNAL, 3, NO_CALL, WITH_FP, BY_FP, 2 };
  enum
  {
    FRAMES = 50
  };
  struct process process = process_with_stack ();
  const struct registers registers = registers_at (CODE + 1, 0, 7);
  fill_stack (kinds, sizeof kinds, FRAMES);
  for (size_t max = 1; max < FRAMES + 4; max++)
    {
      struct stack_walk walk;
      assert_true (stack_walk_init (&walk, max));
      stack_walk_by_sframe (&process, &registers, &walk);
      assert_int_equal (walk.n, max < FRAMES + 1 ? max : FRAMES + 1);
      assert_int_equal (walk.end, max < FRAMES + 1 ? SFW_MORE : SFW_ZERO);
      for (size_t i = 1; i < walk.n; i++)
        {
          const struct frame *frame = &walk.frames[i];
          uint8_t kind = kinds[(i - 1) % sizeof kinds];
          uint8_t before = i > 1 ? kinds[(i - 2) % sizeof kinds] : 0;
          assert_int_equal (frame->pc, CODE + 32 + kind);
          assert_int_equal (frame->interrupted, before == SIGNAL);
          assert_int_equal (frame->at_pc, before == SIGNAL || kind == NO_CALL);
          assert_int_equal (frame->way, WAY_ROW);
        }
      stack_walk_free (&walk);
    }
  process_free (&process);
}

/* Fill the stack for an epilogue that has popped FP: its slot is below SP, in
   front of the copy.  */
static struct registers
fill_epilogue (const uint8_t *kinds, unsigned n)
{
  fill_stack (kinds, n, 5);
  memmove (stack + 1, stack, sizeof stack - sizeof stack[0]);
  stack[0] = CODE + 32 + 4;
  struct registers registers = registers_at (CODE + WITH_FP, 0, 7);
  registers.values[arch_amd64.sp] -= 8;
  return registers;
}

TEST (an_fp_that_cannot_be_read_is_missed_only_where_it_is_needed)
{
  static const uint8_t plain[] = { 4 }, by_fp[] = { 4, 4, BY_FP };
  struct process process = process_with_stack ();
  struct stack_walk walk;
  assert_true (stack_walk_init (&walk, 10));
  struct registers registers = fill_epilogue (plain, 1);
  stack_walk_by_sframe (&process, &registers, &walk);
  assert_int_equal (walk.end, SFW_ZERO);
  assert_int_equal (walk.n, 7);
  assert_true (walk.frames[1].fp == UNKNOWN_REGISTER);
  registers = fill_epilogue (by_fp, 3);
  stack_walk_by_sframe (&process, &registers, &walk);
  assert_int_equal (walk.end, SFW_MEMORY);
  assert_int_equal (walk.n, 5);
  stack_walk_free (&walk);
  process_free (&process);
}

/* Behind a pop FP has its caller's value, whatever CFI says.  */
TEST (an_fp_that_was_popped_is_in_its_register)
{
  static const struct
  {
    uint8_t last; /* byte of the instruction in front of the row */
    bool popped;
  } cases[] = {
    { 0x5d, true },                                    /* pop %rbp, pop %r13 */
    { 0x58, true },                                    /* pop %rax, pop %r8 */
    { 0x5f, true },                                    /* pop %rdi, pop %r15 */
    { 0xc9, true },                                    /* leave */
    { 0x57, false },                                   /* push %rdi */
    { 0x60, false }, { 0xc8, false }, { 0xf8, false }, /* mov %rbp,-8(%rsp) */
    { 0xff, false }, /* mov %rbp,-0x100(%rsp) */
  };
  struct process process = process_with_stack ();
  struct stack_walk walk;
  assert_true (stack_walk_init (&walk, 10));
  FOR_EACH_ROW (given, cases)
    {
      code[POPPED - 1] = given->last;
      stack[0] = CODE + 32 + BY_FP;
      stack[4] = 0;
      stack[5] = CODE + 64 + OUTERMOST;
      struct registers registers
          = registers_at (CODE + POPPED, 0, STACK + 4 * sizeof stack[0]);
      stack_walk_by_sframe (&process, &registers, &walk);
      if (walk.end != (given->popped ? SFW_OUTERMOST : SFW_MEMORY))
        fail_msg ("%s", unwind_end_name (walk.end));
      assert_int_equal (walk.n, given->popped ? 3 : 2);
    }
  memset (code, 0, sizeof code);
  stack_walk_free (&walk);
  process_free (&process);
}

/* What the last instruction popped was another register.  */
TEST (an_fp_that_is_on_the_stack_was_not_popped)
{
  struct process process = process_with_stack ();
  struct stack_walk walk;
  assert_true (stack_walk_init (&walk, 10));
  code[SAVED - 1] = 0x5d;
  stack[0] = 0x1234;
  stack[1] = CODE + 32 + OUTERMOST;
  struct registers registers = registers_at (CODE + SAVED, 0, 0x7777);
  stack_walk_by_sframe (&process, &registers, &walk);
  assert_int_equal (walk.n, 2);
  assert_true (walk.frames[1].fp == 0x1234);
  memset (code, 0, sizeof code);
  stack_walk_free (&walk);
  process_free (&process);
}

/* Code in no file, that keeps frame pointers, has its caller wherever it is
   interrupted.  */
TEST (code_of_a_jit_has_its_caller_wherever_it_is_interrupted)
{
  /* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret; the other mov;
     endbr64; push %rbp */
  static const uint8_t jit[]
      = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3, 0x55, 0x48,
          0x8b, 0xec, 0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0xcc, 0xcc, 0xcc };
  static const struct
  {
    unsigned at, pushed; /* words of the frame that are on the stack */
    bool made;
  } cases[]
      = { { 0, 0, false }, { 1, 1, false }, { 4, 1, true },  { 6, 1, true },
          { 7, 0, false }, { 9, 1, false }, { 12, 0, false } };
  enum
  {
    JIT = 0x400000,
    TOP = 8 /* word of the return address */
  };
  FOR_EACH_ROW (given, cases)
    {
      struct mapping mapping
          = { .start = JIT, .end = JIT + sizeof jit, .executable = true };
      struct process process = process_with_stack ();
      struct stack_walk walk;
      process.mappings.list = &mapping;
      process.mappings.n = 1;
      assert_true (stack_walk_init (&walk, 10)
                   && memory_add (&process.memory, JIT, jit, sizeof jit));
      memset (stack, 0, 32 * sizeof *stack);
      /* The caller's frame, which is JIT code, too, and the end.  */
      const uint64_t caller_fp = STACK + 8 * (TOP + 6);
      stack[TOP] = JIT + 6;
      stack[TOP + 6] = 0;
      stack[TOP + 7] = 0;
      struct registers registers
          = registers_at (JIT + given->at, TOP - given->pushed,
                          given->made ? STACK + 8 * (TOP - 1) : caller_fp);
      if (given->pushed > 0)
        stack[TOP - 1] = caller_fp;
      stack_walk_by_sframe (&process, &registers, &walk);
      if (walk.n != 2 || walk.frames[1].pc != JIT + 6
          || walk.frames[1].fp != caller_fp
          || walk.frames[1].sp != STACK + 8 * (TOP + 1)
          || walk.frames[1].way != WAY_FP)
        fail_msg ("at %u: %zu frames, the caller %#lx", given->at, walk.n,
                  (unsigned long)walk.frames[1].pc);
      process.mappings.list = NULL;
      process.mappings.n = 0;
      stack_walk_free (&walk);
      process_free (&process);
    }
}

/* Rows of AArch64: of two functions that save FP and RA at the bottom of
   frames of 64 bytes, by SP and by FP; of one that saves RA alone.  */
enum
{
  ROW_BY_SP = 0x100,
  ROW_BY_FP = 0x200,
  ROW_WITHOUT_FP = 0x300
};

static enum sfw_end
find_rules_of_aarch64 (const void *process, uint64_t address,
                       struct unwind_rules *rules)
{
  const struct arch *arch = &arch_aarch64;
  (void)process;
  uint64_t function = address - CODE;
  if (function >= 0x400 || function < ROW_BY_SP)
    return SFW_NO_SECTION;
  rules->arch = arch;
  function &= ~UINT64_C (0xff);
  rules->row = (struct frame_row){
    .cfa = { RULE_REG, 0, function == ROW_BY_FP ? arch->fp : arch->sp, 64 },
    .ra = { RULE_DEREF_CFA, 0, 0, -56 },
    .fp = { RULE_DEREF_CFA, 0, 0, -64 },
  };
  if (function == ROW_WITHOUT_FP)
    rules->row.fp = (struct frame_rule){ .kind = RULE_SAME };
  return SFW_MORE;
}

/* Code without rows, whose frame has more than FP and RA, was called by
   FUNCTION: the words in front of that frame's end are not return addresses.
 */
static void
assert_sp_is_not_guessed (uint64_t function, size_t frames)
{
  enum
  {
    JIT = 0x400000,
    CALLER = 10 /* the word where FUNCTION's frame begins */
  };
  static const uint8_t bl[16] = { [3] = 0x94, [7] = 0x94, [11] = 0x94 };
  struct mapping mapping
      = { .start = CODE, .end = JIT + sizeof bl, .executable = true };
  struct process process
      = { .arch = &arch_aarch64, .find_rules = find_rules_of_aarch64 };
  struct stack_walk walk;
  const uint64_t wrong = CODE + ROW_BY_SP + 12, outer = CODE + ROW_BY_FP + 8;
  process.mappings.list = &mapping;
  process.mappings.n = 1;
  assert_true (stack_walk_init (&walk, 10)
               && memory_add (&process.memory, STACK, stack, sizeof stack)
               && memory_add (&process.memory, JIT, bl, sizeof bl));
  for (unsigned i = 0; i < 64; i++)
    stack[i] = wrong;
  /* The frame of the code without rows has four words, the caller's eight.  */
  stack[CALLER - 4] = STACK + 8 * CALLER;
  stack[CALLER - 3] = CODE + function + 4;
  stack[CALLER] = 0;
  stack[CALLER + 1] = outer;
  struct registers registers = { .pc = JIT + 8,
                                 .n = 32,
                                 .values = { [31] = STACK + 8 * (CALLER - 4),
                                             [29] = STACK + 8 * (CALLER - 4),
                                             [30] = wrong } };
  stack_walk_by_sframe (&process, &registers, &walk);
  if (walk.n != frames || walk.frames[1].pc != CODE + function + 4
      || walk.frames[1].way != WAY_FP
      || (frames > 2
          && (walk.frames[2].pc != outer
              || walk.frames[2].sp != STACK + 8 * (CALLER + 8))))
    fail_msg ("function 0x%lx: %zu frames", (unsigned long)function, walk.n);
  process.mappings.list = NULL;
  process.mappings.n = 0;
  stack_walk_free (&walk);
  process_free (&process);
}

TEST (on_aarch64_a_frame_pointer_does_not_tell_sp)
{
  assert_sp_is_not_guessed (ROW_BY_SP, 3);
  assert_sp_is_not_guessed (ROW_BY_FP, 3);
  assert_sp_is_not_guessed (ROW_WITHOUT_FP, 2);
}

/* A frame pointer leads up the stack, to whole words.  */
TEST (a_frame_pointer_that_leads_elsewhere_ends_the_walk)
{
  static const uint8_t jit[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7,
                                 0x5d, 0xc3, 0xcc, 0xcc, 0xcc, 0xcc };
  enum
  {
    JIT = 0x400000,
    SP = 64 /* bytes from the start of the stack */
  };
  static const struct
  {
    unsigned frame; /* where two words of a frame are */
    size_t n;
  } cases[] = { { SP, 2 }, { SP + 8, 2 }, { SP + 4, 1 }, { SP - 16, 1 } };
  FOR_EACH_ROW (given, cases)
    {
      struct mapping mapping
          = { .start = JIT, .end = JIT + sizeof jit, .executable = true };
      const uint64_t frame[] = { 0, JIT + 6 };
      struct process process = process_with_stack ();
      struct stack_walk walk;
      process.mappings.list = &mapping;
      process.mappings.n = 1;
      assert_true (stack_walk_init (&walk, 10)
                   && memory_add (&process.memory, JIT, jit, sizeof jit));
      memset (stack, 0, 32 * sizeof *stack);
      memcpy ((uint8_t *)stack + given->frame, frame, sizeof frame);
      struct registers registers
          = registers_at (JIT + 4, SP / 8, STACK + given->frame);
      stack_walk_by_sframe (&process, &registers, &walk);
      if (walk.n != given->n)
        fail_msg ("frame at %u: %zu frames", given->frame, walk.n);
      process.mappings.list = NULL;
      process.mappings.n = 0;
      stack_walk_free (&walk);
      process_free (&process);
    }
}

/* A group without a thread had no number to be sorted by.  */
TEST (a_thread_that_no_group_has_room_for_is_in_none)
{
  const struct thread threads[] = { { .tid = 1 }, { .tid = 2 } };
  struct stack_walk walk;
  assert_true (stack_walk_init (&walk, 1));
  for (unsigned granted = 0; granted < 20; granted++)
    {
      struct stack_groups groups = { 0 };
      size_t grouped = 0, found = 0;
      walk.n = 1;
      walk.frames[0] = (struct frame){ .pc = 1 };
      allocations_granted = granted;
      for (size_t i = 0; i < 2; i++)
        {
          grouped += stack_groups_add (&groups, &threads[i], &walk);
          walk.frames[0].pc++;
        }
      allocations_granted = UINT_MAX;
      stack_groups_sort (&groups);
      for (size_t i = 0; i < groups.n; i++)
        {
          assert_int_equal (groups.groups[i].n, 1);
          found++;
        }
      assert_int_equal (found, grouped);
      stack_groups_free (&groups);
    }
  stack_walk_free (&walk);
}

/* The same frames, which end because of two files: a group's reason is that of
   its first thread.  */
TEST (a_group_misses_one_file)
{
  static const struct code_file a, b;
  const struct code_file *const missing[] = { &a, NULL, &b, &a };
  const struct thread threads[4] = { { .tid = 0 } };
  struct stack_groups groups = { 0 };
  struct stack_walk walk;
  assert_true (stack_walk_init (&walk, 1));
  walk.n = 1;
  walk.frames[0] = (struct frame){ .pc = 1 };
  for (size_t i = 0; i < 4; i++)
    {
      walk.missing = missing[i];
      assert_true (stack_groups_add (&groups, &threads[i], &walk));
    }
  assert_int_equal (groups.n, 3);
  for (size_t i = 0; i < groups.n; i++)
    assert_ptr_equal (groups.groups[i].walk.missing, missing[i]);
  assert_int_equal (groups.groups[0].n, 2);
  stack_groups_free (&groups);
  stack_walk_free (&walk);
}

static void
set_walk (struct stack_walk *walk, size_t n, enum sfw_end end)
{
  walk->n = n;
  walk->end = end;
  for (size_t i = 0; i < n; i++)
    walk->frames[i] = (struct frame){ 0x1000 + i, 0x7000 + 16 * i, 5,
                                      i == 0,     i == 0,          WAY_ROW };
}

TEST (walks_agree_frame_by_frame)
{
  struct stack_walk sframe, cfi;
  assert_true (stack_walk_init (&sframe, 10) && stack_walk_init (&cfi, 10));
  set_walk (&sframe, 5, SFW_OUTERMOST);
  set_walk (&cfi, 5, SFW_OUTERMOST);
  assert_true (stack_walks_agree (&sframe, &cfi));
  assert_int_equal (stack_walk_same_frames (&sframe, &cfi), 5);
  /* libdwfl has another idea of what is interrupted.  */
  sframe.frames[2].interrupted = true;
  assert_true (stack_walks_agree (&sframe, &cfi));
  uint64_t *const members[]
      = { &sframe.frames[3].pc, &sframe.frames[3].sp, &sframe.frames[3].fp };
  for (size_t i = 0; i < 3; i++)
    {
      *members[i] ^= 8;
      assert_false (stack_walks_agree (&sframe, &cfi));
      assert_int_equal (stack_walk_same_frames (&sframe, &cfi), 3);
      *members[i] ^= 8;
    }
  /* What was in a frame before is not compared.  */
  sframe.n = 4;
  assert_int_equal (stack_walk_same_frames (&sframe, &cfi), 4);
  assert_int_equal (stack_walk_same_frames (&cfi, &sframe), 4);
  stack_walk_free (&sframe);
  stack_walk_free (&cfi);
}

TEST (a_shorter_walk_is_a_difference_unless_cfi_ended)
{
  struct stack_walk sframe, cfi;
  assert_true (stack_walk_init (&sframe, 10) && stack_walk_init (&cfi, 10));
  set_walk (&sframe, 4, SFW_NO_ROW);
  set_walk (&cfi, 5, SFW_OUTERMOST);
  assert_false (stack_walks_agree (&sframe, &cfi));
  set_walk (&cfi, 5, SFW_NO_ROW);
  assert_false (stack_walks_agree (&sframe, &cfi));
  set_walk (&sframe, 6, SFW_OUTERMOST);
  assert_true (stack_walks_agree (&sframe, &cfi));
  set_walk (&cfi, 5, SFW_OUTERMOST);
  assert_false (stack_walks_agree (&sframe, &cfi));
  stack_walk_free (&sframe);
  stack_walk_free (&cfi);
}
