/* Unit tests of walk: whole walks say what steps say, whatever was walked
   before; tables of modules.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <string.h>

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/elf_sframe.h"
#include "tests/encoded.h"
#include "sframe/format.h"
#include "sframewalk.h"
#include "walk/module_list.h"
#include "walk/module_table.h"
#include "tests/guarded.h"

enum
{
  ADDRESS = 0x402000, /* of the section */
  CODE = 0x401000,    /* of the first function */
  FUNCTIONS = 24,
  FAR = FUNCTIONS - 2, /* the number of the function with far_rows */
  SPACE = 64,          /* bytes from one function to the next */
  END = CODE + FUNCTIONS * SPACE,
  STACK = 0x7ff000,
  WORDS = 256,
  FRAMES = 200
};

static struct sframe_row rows[][2] = {
  { { .start = 0, .base_sp = true, .n_words = 1, .words = { 24 } } },
  { { .start = 0, .base_sp = true, .n_words = 2, .words = { 32, -16 } } },
  { { .start = 0, .n_words = 2, .words = { 16, -16 } } },
  { { .start = 0, .base_sp = true, .n_words = 1, .words = { 8 } },
    { .start = 20, .n_words = 0 } },
  /* CFA by a word of the stack, as behind a realigned one.  */
  { { .start = 0,
      .n_words = 5,
      .control = 1 | 1 << 3,
      .words = { 6 << 3 | 3, -8, 0, 2, -16 } } },
};
/* FP as far below the CFA as numbers of SFrame reach: the offset by
   which cached rules mean "unchanged".  */
static struct sframe_row far_rows[] = {
  { .start = 0, .base_sp = true, .n_words = 2, .words = { 24, INT32_MIN } },
};
/* As glibc's __restore_rt.  */
static struct sframe_row trampoline_rows[] = {
  { .start = 0,
    .n_words = 6,
    .control = 1 | 1 << 2 | 1 << 4,
    .words = { 7 << 3 | 3, 16, 7 << 3 | 3, 24, 7 << 3 | 3, 8 } },
};

static struct sframe_fde
function_number (unsigned i)
{
  struct sframe_fde function = { .address = CODE + i * SPACE,
                                 .size = SPACE,
                                 .n_rows = i % 5 == 3 ? 2 : 1,
                                 .rows = rows[i % 5],
                                 .flexible = i % 5 == 4 };
  if (i == FAR)
    function = (struct sframe_fde){
      .address = function.address, .size = SPACE, .n_rows = 1, .rows = far_rows
    };
  if (i == FUNCTIONS - 1)
    function = (struct sframe_fde){ .address = function.address,
                                    .size = SPACE / 2,
                                    .flexible = true,
                                    .signal = true,
                                    .n_rows = 1,
                                    .rows = trampoline_rows };
  return function;
}

/* A program with a stack.  */
struct program
{
  struct buffer buffer;
  struct sfw_section section;
  struct sfw_modules *modules;
  struct sfw_walker *walker;
  struct sfw_memory memory;
  uint8_t stack[8 * WORDS];
  uint8_t code[FUNCTIONS * SPACE]; /* for read_code */
};

/* Write the section of all functions to BUFFER.  */
static void
write_section (struct buffer *buffer)
{
  const struct encode_options options
      = { .arch = &arch_amd64, .variant = v3, .sorted = true };
  struct sframe_fde functions[FUNCTIONS];
  for (unsigned i = 0; i < FUNCTIONS; i++)
    functions[i] = function_number (i);
  *buffer = section_of (options, functions, FUNCTIONS, ADDRESS);
}

static void
prepare (struct program *program)
{
  memset (program, 0, sizeof *program);
  write_section (&program->buffer);
  program->section = (struct sfw_section){ program->buffer.bytes,
                                           program->buffer.size, ADDRESS };
  program->modules = sfw_modules_new ();
  assert_non_null (program->modules);
  assert_true (
      sfw_modules_add (program->modules, CODE, END, &program->section));
  program->walker = sfw_walker_init (malloc (sfw_walker_size ()),
                                     sfw_walker_size (), program->modules);
  assert_non_null (program->walker);
  program->memory = (struct sfw_memory){ .bytes = program->stack,
                                         .low = STACK,
                                         .high = STACK + 8 * WORDS };
}

static void
finish (struct program *program)
{
  free (program->walker);
  sfw_modules_free (program->modules);
  buffer_free (&program->buffer);
}

#define PROGRAM_TEST(name) \
  TEST_WITH (struct program, program, prepare, finish, name)

static void
store (struct program *program, uint64_t address, uint64_t value)
{
  store_u64 (program->stack + (address - STACK), value, false);
}

/* What steps make of it.  */
static size_t
by_steps (const struct program *program, struct sfw_frame *frame,
          uint64_t *addresses, uint8_t *marks, size_t max, enum sfw_end *end)
{
  size_t n = 0;
  *end = SFW_MORE;
  while (*end == SFW_MORE)
    {
      addresses[n] = frame->pc;
      marks[n] = frame->interrupted ? SFW_MARK_INTERRUPTED : 0;
      if (++n == max)
        break;
      uint64_t pc = frame->pc - !frame->interrupted;
      *end = pc - CODE < END - CODE
                 ? sfw_step (&program->section, &program->memory, frame)
                 : SFW_NO_SECTION;
    }
  return n;
}

/* The ends seen so far, as bits.  */
static unsigned ends_seen;
static size_t most_frames;

static void
assert_walk_is_steps (struct program *program, const struct sfw_frame *start,
                      size_t max)
{
  uint64_t addresses[2][FRAMES];
  uint8_t marks[2][FRAMES];
  struct sfw_frame frames[2] = { *start, *start };
  enum sfw_end ends[2];
  size_t n
      = by_steps (program, &frames[0], addresses[0], marks[0], max, &ends[0]);
  assert_int_equal (sfw_walk (program->walker, &program->memory, &frames[1],
                              addresses[1], marks[1], max, &ends[1]),
                    n);
  assert_memory_equal (addresses[0], addresses[1], n * sizeof addresses[0][0]);
  assert_memory_equal (marks[0], marks[1], n);
  assert_int_equal (ends[0], ends[1]);
  assert_int_equal (frames[0].pc, frames[1].pc);
  assert_int_equal (frames[0].sp, frames[1].sp);
  assert_int_equal (frames[0].fp, frames[1].fp);
  assert_int_equal (frames[0].interrupted, frames[1].interrupted);
  ends_seen |= 1u << ends[0];
  most_frames = n > most_frames ? n : most_frames;
}

/* A number that is the same in every run.  */
static uint32_t
next (uint32_t *state)
{
  *state = *state * 1664525 + 1013904223;
  return *state >> 8;
}

static uint64_t
random_word (uint32_t *random)
{
  uint32_t kind = next (random) % 32;
  uint64_t code = CODE + next (random) % (FUNCTIONS * SPACE);
  /* Few places of code, so that they come again.  */
  return kind == 0   ? next (random)
         : kind == 1 ? END - SPACE + 1
         : kind < 8  ? STACK + next (random) % (8 * WORDS) / 8 * 8
                     : code - code % 16 + 1;
}

/* Numbers are drawn one after the other, so that they are the same ones with
   all compilers.  */
static struct sfw_frame
random_start (uint32_t *random)
{
  struct sfw_frame start = { .pc = CODE + next (random) % 4 * SPACE + 16 };
  start.sp = STACK + next (random) % 8 * 8;
  start.fp = STACK + next (random) % 4 * 64;
  start.interrupted = next (random) % 4 == 0;
  return start;
}

/* A thousand stacks, each walked from several places, changed a little, and
   walked again.  */
PROGRAM_TEST (a_walk_is_its_steps_whatever_was_walked_before)
{
  uint32_t random = 1;
  for (unsigned i = 0; i < 1000; i++)
    {
      for (unsigned word = 0; word < WORDS; word++)
        store (program, STACK + 8 * word, random_word (&random));
      for (unsigned round = 0; round < 20; round++)
        {
          struct sfw_frame start = random_start (&random);
          size_t max
              = next (&random) % 3 == 0 ? 1 + next (&random) % 30 : FRAMES;
          assert_walk_is_steps (program, &start, max);
          assert_walk_is_steps (program, &start, FRAMES);
          uint64_t place = STACK + next (&random) % WORDS * 8;
          store (program, place, random_word (&random));
        }
    }
  /* The test has seen what it is about.  */
  assert_true (most_frames > 20);
  static const enum sfw_end wanted[]
      = { SFW_MORE,   SFW_OUTERMOST, SFW_NO_SECTION,
          SFW_MEMORY, SFW_NO_ROW,    SFW_NO_PROGRESS };
  FOR_EACH_ROW (given, wanted)
    assert_true (ends_seen >> *given & 1);
}

/* A stack of COUNT frames of 24 bytes, and the outermost.  */
static struct sfw_frame
simple_stack (struct program *program, unsigned count)
{
  for (unsigned i = 0; i < count; i++)
    store (program, STACK + 24 * i + 16, CODE + 8);
  store (program, STACK + 24 * count + 16, CODE + 3 * SPACE + 30);
  return (struct sfw_frame){ .pc = CODE + 4, .sp = STACK };
}

static uint64_t found[FRAMES];
static uint8_t found_marks[FRAMES];

/* Walk from FRAME on, MAX frames at most: that finds N of them.  */
static void
expect_walk (struct program *program, struct sfw_frame *frame, size_t max,
             size_t n, enum sfw_end expected)
{
  enum sfw_end end;
  assert_int_equal (sfw_walk (program->walker, &program->memory, frame, found,
                              found_marks, max, &end),
                    n);
  assert_int_equal (end, expected);
}

/* The fallback goes by frame pointers.  */
static bool
by_frame_pointer (void *context, struct sfw_frame *frame,
                  const struct sfw_memory *memory)
{
  ++*(unsigned *)context;
  const uint8_t *at = (const uint8_t *)memory->bytes + (frame->fp - STACK);
  *frame = (struct sfw_frame){ .pc = load_u64 (at + 8, false),
                               .sp = frame->fp + 16,
                               .fp = load_u64 (at, false) };
  return true;
}

/* More frames than a walk remembers, of which a few change.  */
TEST (deep_stacks_are_walked_to_their_end)
{
  enum
  {
    DEEP = 3000
  };
  struct program program;
  enum sfw_end end;
  uint64_t *addresses = calloc (DEEP + 9, sizeof *addresses);
  uint8_t *marks = malloc (DEEP + 9), *stack = calloc (DEEP + 1, 24);
  assert_true (addresses != NULL && marks != NULL && stack != NULL);
  prepare (&program);
  program.memory.bytes = stack;
  program.memory.high = STACK + 24 * (DEEP + 1);
  for (unsigned i = 0; i <= DEEP; i++)
    store_u64 (stack + 24 * i + 16,
               i == DEEP ? CODE + 3 * SPACE + 30
                         : CODE + 5 * SPACE + 1 + i % 7,
               false);
  for (unsigned round = 0; round < 8; round++)
    {
      struct sfw_frame frame
          = { .pc = CODE + 4, .sp = STACK + 24 * (round & 1) };
      size_t n = sfw_walk (program.walker, &program.memory, &frame, addresses,
                           marks, DEEP + 9, &end);
      assert_int_equal (n, DEEP + 2 - (round & 1));
      assert_int_equal (end, SFW_OUTERMOST);
      for (size_t i = 1; i < n; i++)
        assert_int_equal (
            addresses[i],
            load_u64 (stack + 24 * (i - 1 + (round & 1)) + 16, false));
      for (size_t i = 0; i < n; i++)
        assert_int_equal (marks[i], 0);
      store_u64 (stack + 24 * (400 * round) + 16,
                 CODE + 10 * SPACE + 1 + round, false);
    }
  finish (&program);
  free (addresses);
  free (marks);
  free (stack);
}

/* A NULL that no call has made: unused entries of the cache have PC 0.  */
PROGRAM_TEST (a_walk_from_pc_0_ends_there)
{
  simple_stack (program, 5);
  for (unsigned round = 0; round < 2; round++)
    {
      struct sfw_frame frame = { .sp = STACK };
      expect_walk (program, &frame, FRAMES, 1, SFW_NO_SECTION);
      /* The fallback leads on from it.  */
      unsigned asked = 0;
      frame = (struct sfw_frame){ .sp = STACK, .fp = STACK + 24 + 8 };
      sfw_walker_set_fallback (program->walker, by_frame_pointer, &asked);
      expect_walk (program, &frame, FRAMES, 6, SFW_OUTERMOST);
      sfw_walker_set_fallback (program->walker, NULL, NULL);
    }
}

PROGRAM_TEST (an_fp_saved_at_the_lowest_offset_is_read_and_not_unchanged)
{
  for (unsigned round = 0; round < 3; round++)
    {
      struct sfw_frame frame = simple_stack (program, 5);
      store (program, STACK + 24 * 2 + 16, CODE + FAR * SPACE + 8);
      expect_walk (program, &frame, FRAMES, 7, SFW_OUTERMOST);
      /* There is no memory so far away.  */
      assert_true (frame.fp == UINT64_C (1) << 63);
    }
}

/* A stack that ends at the highest addresses, where every frame lies above
   whatever numbers the walker has in its memory.  */
PROGRAM_TEST (frames_above_the_last_walk_are_not_looked_for_behind_its_end)
{
  uint64_t addresses[FRAMES];
  enum sfw_end end;
  size_t size = sfw_walker_size ();
  struct guarded memory = guarded_memory (size);
  struct sfw_walker *walker
      = sfw_walker_init (memory.end - size, size, program->modules);
  assert_non_null (walker);
  simple_stack (program, 20);
  program->memory.low = UINT64_MAX - 0xffff;
  program->memory.high = program->memory.low + 8 * WORDS;
  for (unsigned round = 0; round < 6; round++)
    {
      size_t max = round % 2 == 0 ? 3 : FRAMES;
      struct sfw_frame frame
          = { .pc = CODE + 4, .sp = program->memory.low + 24 * (round / 2) };
      assert_int_equal (sfw_walk (walker, &program->memory, &frame, addresses,
                                  NULL, max, &end),
                        max == 3 ? 3 : 22 - round / 2);
      assert_int_equal (end, max == 3 ? SFW_MORE : SFW_OUTERMOST);
    }
  guarded_free (memory);
}

enum
{
  RECURSIONS = 6000
};

/* Walk the DEEP innermost frames of a recursion, all of which have one PC, and
   the outermost one.  */
static void
assert_recursion_is_walked (struct program *program, unsigned deep,
                            uint64_t pc)
{
  static uint64_t addresses[RECURSIONS + 3];
  enum sfw_end end;
  const uint64_t high = STACK + 24 * (RECURSIONS + 1);
  struct sfw_frame frame = { .pc = pc, .sp = high - 24 * (deep + 1) };
  assert_int_equal (sfw_walk (program->walker, &program->memory, &frame,
                              addresses, NULL, RECURSIONS + 3, &end),
                    deep + 2);
  assert_int_equal (end, SFW_OUTERMOST);
  assert_int_equal (frame.sp, high);
  for (size_t i = 0; i <= deep; i++)
    assert_int_equal (addresses[i], pc);
}

/* A walk of the outermost frame alone: of the walk before nothing is left.  */
static void
forget_last_walk (struct program *program)
{
  uint64_t addresses[2];
  struct sfw_frame frame
      = { .pc = CODE + 3 * SPACE + 30, .sp = program->memory.high };
  assert_int_equal (sfw_walk (program->walker, &program->memory, &frame,
                              addresses, NULL, 2, NULL),
                    1);
}

/* A recursion that gets deeper from walk to walk: each walk ends with the
   frames of the one before, for which there is less and less room.  And one
   that is deeper than there is room at once.  A cached rule that was
   overwritten with a frame would pass for the rule of that frame's PC.  */
TEST (deep_recursions_keep_to_the_room_of_the_last_walk)
{
  struct program program;
  uint8_t *stack = calloc (RECURSIONS + 1, 24);
  assert_non_null (stack);
  prepare (&program);
  program.memory.bytes = stack;
  program.memory.high = STACK + 24 * (RECURSIONS + 1);
  for (uint64_t pc = CODE + 5 * SPACE + 1; pc < CODE + 6 * SPACE; pc++)
    {
      for (unsigned i = 0; i < RECURSIONS; i++)
        store_u64 (stack + 24 * i + 16, pc, false);
      store_u64 (stack + 24 * RECURSIONS + 16, CODE + 3 * SPACE + 30, false);
      for (unsigned deep = 400; deep <= RECURSIONS; deep += 400)
        assert_recursion_is_walked (&program, deep, pc);
      forget_last_walk (&program);
      assert_recursion_is_walked (&program, RECURSIONS, pc);
    }
  finish (&program);
  free (stack);
}

PROGRAM_TEST (a_change_of_the_table_is_noticed)
{
  struct sfw_row row;
  struct sfw_frame start = simple_stack (program, 5), frame = start;
  expect_walk (program, &frame, FRAMES, 7, SFW_OUTERMOST);
  assert_int_equal (sfw_modules_lookup (program->modules, CODE, &row),
                    SFW_MORE);
  assert_int_equal (row.cfa.kind, SFW_REG);
  assert_int_equal (row.cfa.reg, 7);
  assert_int_equal (row.cfa.offset, 24);
  assert_int_equal (row.ra.kind, SFW_DEREF_CFA);
  unsigned long generation = sfw_modules_generation (program->modules);
  errno = 0;
  assert_false (sfw_modules_remove (program->modules, CODE + 1));
  assert_int_equal (errno, ENOENT);
  assert_int_equal (sfw_modules_generation (program->modules), generation);
  assert_true (sfw_modules_remove (program->modules, CODE));
  assert_true (sfw_modules_generation (program->modules) != generation);
  frame = start;
  expect_walk (program, &frame, FRAMES, 1, SFW_NO_SECTION);
  assert_true (
      sfw_modules_add (program->modules, CODE, END, &program->section));
  frame = start;
  expect_walk (program, &frame, FRAMES, 7, SFW_OUTERMOST);
}

PROGRAM_TEST (modules_do_not_overlap_and_have_sections_that_can_be_read)
{
  struct sfw_section bad;
  assert_false (sfw_modules_add (program->modules, END - 1, END + 9, NULL));
  assert_int_equal (errno, EEXIST);
  assert_false (sfw_modules_add (program->modules, CODE - 9, CODE + 1, NULL));
  assert_false (sfw_modules_add (program->modules, END + 1, END + 1, NULL));
  assert_int_equal (errno, EINVAL);
  bad = program->section;
  bad.size = 20;
  assert_false (sfw_modules_add (program->modules, END, END + 9, &bad));
  assert_int_equal (errno, EINVAL);
  for (unsigned i = 0; i < 40; i++)
    assert_true (sfw_modules_add (program->modules, END + 200 - 5 * i,
                                  END + 204 - 5 * i, NULL));
  struct sfw_row row;
  assert_int_equal (sfw_modules_lookup (program->modules, CODE, &row),
                    SFW_MORE);
}

/* sfw_lookup would find other functions by bisection than an index of buckets
   does.  Sections of few functions have no index.  */
PROGRAM_TEST (modules_have_sections_that_are_sorted)
{
  uint8_t *bytes = program->buffer.bytes;
  uint8_t *fde = bytes + SFRAME_HEADER_SIZE + SFRAME_V3_INDEX_SIZE;
  uint64_t second = load_u64 (fde, false);
  for (uint32_t n = 2; n <= FUNCTIONS; n += FUNCTIONS - 2)
    {
      store_u32 (bytes + SFRAME_HEADER_N_FDES, n, false);
      /* Just behind the first one's start, at it and in front of it.  */
      for (uint64_t back = SPACE - 1; back <= SPACE + 1; back++)
        {
          store_u64 (fde, second - back, false);
          errno = 0;
          assert_int_equal (sfw_modules_add (program->modules, END, END + 9,
                                             &program->section),
                            back <= SPACE);
          assert_int_equal (errno, back <= SPACE ? 0 : EINVAL);
          assert_int_equal (sfw_modules_remove (program->modules, END),
                            back <= SPACE);
        }
      store_u64 (fde, second, false);
      bytes[SFRAME_HEADER_FLAGS] ^= SFRAME_FLAG_SORTED;
      errno = 0;
      assert_false (
          sfw_modules_add (program->modules, END, END + 9, &program->section));
      assert_int_equal (errno, EINVAL);
      bytes[SFRAME_HEADER_FLAGS] ^= SFRAME_FLAG_SORTED;
    }
}

/* When a module is replaced, or memory of a just-in-time compiler is used
   again, another section is at the same address.  */
PROGRAM_TEST (a_section_with_other_bytes_is_another_section)
{
  struct buffer buffer;
  struct sfw_row row;
  rows[0][0].words[0] = 40;
  write_section (&buffer);
  rows[0][0].words[0] = 24;
  assert_int_equal (buffer.size, program->section.size);
  const struct sfw_section other = { buffer.bytes, buffer.size, ADDRESS };
  assert_true (sfw_modules_remove (program->modules, CODE));
  assert_true (sfw_modules_add (program->modules, CODE, CODE + SPACE,
                                &program->section));
  assert_true (sfw_modules_add (program->modules, CODE + SPACE, END, &other));
  for (unsigned i = 0; i <= 5; i += 5)
    {
      assert_int_equal (
          sfw_modules_lookup (program->modules, CODE + i * SPACE, &row),
          SFW_MORE);
      assert_int_equal (row.cfa.offset, i == 0 ? 24 : 40);
    }
  buffer_free (&buffer);
}

/* Add N modules of SPACE bytes with SECTION to the list of MODULES, and
   publish it.  Returns the section of the last module.  */
static struct walk_section_copy *
list_parts (struct sfw_modules *modules, unsigned n,
            const struct sfw_section *section)
{
  struct walk_table *edited = walk_edit_begin (modules, true);
  for (uint64_t start = CODE; n > 0; n--, start += SPACE)
    assert_true (walk_edit_add (modules, &edited,
                                (struct walk_module){ .start = start,
                                                      .end = start + SPACE,
                                                      .origin = WALK_LISTED },
                                section));
  walk_edit_end (modules, edited, true);
  return edited->modules[edited->n - 1].section;
}

PROGRAM_TEST (parts_of_a_file_share_its_section)
{
  struct sfw_modules *modules = sfw_modules_new ();
  struct walk_section_copy *copy = list_parts (modules, 3, &program->section);
  assert_int_equal (copy->users, 3);
  /* A list that is made again shares it with the list before.  */
  struct walk_hold hold = walk_modules_hold (modules);
  assert_ptr_equal (list_parts (modules, 2, &program->section), copy);
  assert_int_equal (copy->users, 5);
  walk_modules_release (modules, hold);
  /* Elsewhere the same bytes say something else.  */
  program->section.address++;
  assert_ptr_not_equal (list_parts (modules, 1, &program->section), copy);
  sfw_modules_free (modules);
}

/* A process may have mapped as many files as the kernel lets it.  */
PROGRAM_TEST (a_list_takes_time_in_proportion_to_its_modules)
{
  enum
  {
    MANY = 60000
  };
  struct sfw_modules *modules = sfw_modules_new ();
  struct walk_table *edited = walk_edit_begin (modules, true);
  clock_t before = clock ();
  store_u32 (program->buffer.bytes + SFRAME_HEADER_N_FDES, 0, false);
  for (uint64_t i = 0; i < MANY; i++)
    {
      program->section.address++;
      assert_true (walk_edit_add (
          modules, &edited,
          (struct walk_module){ .start = CODE + i, .end = CODE + i + 1 },
          &program->section));
    }
  assert_true (clock () - before < CLOCKS_PER_SEC);
  walk_edit_end (modules, edited, true);
  sfw_modules_free (modules);
}

/* Remembers when WATCHED is freed.  */
static const void *watched;
static bool watched_is_freed;
void __real_free (void *memory);
void __wrap_free (void *memory);

void
__wrap_free (void *memory)
{
  watched_is_freed |= memory != NULL && memory == watched;
  __real_free (memory);
}

static void
change_modules (struct program *program)
{
  assert_true (sfw_modules_remove (program->modules, CODE));
  assert_true (
      sfw_modules_add (program->modules, CODE, END, &program->section));
}

/* Hold the current table, and watch it.  */
static struct walk_hold
hold_and_watch (struct program *program)
{
  struct walk_hold hold = walk_modules_hold (program->modules);
  watched = hold.table;
  watched_is_freed = false;
  return hold;
}

PROGRAM_TEST (a_table_is_freed_when_its_walk_has_ended_and_not_before)
{
  for (unsigned round = 0; round < 3; round++)
    {
      struct walk_hold hold = hold_and_watch (program);
      for (unsigned i = 0; i < 4; i++)
        change_modules (program);
      assert_false (watched_is_freed);
      walk_modules_release (program->modules, hold);
      change_modules (program);
      assert_true (watched_is_freed);
    }
}

/* There is never a moment without a walk.  */
PROGRAM_TEST (walks_that_overlap_do_not_keep_tables_for_ever)
{
  struct walk_hold hold = hold_and_watch (program);
  for (unsigned i = 0; i < 4; i++)
    {
      change_modules (program);
      struct walk_hold next = walk_modules_hold (program->modules);
      walk_modules_release (program->modules, hold);
      hold = next;
    }
  assert_true (watched_is_freed);
  walk_modules_release (program->modules, hold);
}

PROGRAM_TEST (
    a_fallback_is_asked_where_there_is_no_row_and_its_frames_are_marked)
{
  unsigned asked = 0;
  sfw_walker_set_fallback (program->walker, by_frame_pointer, &asked);
  for (unsigned round = 0; round < 3; round++)
    {
      struct sfw_frame frame = simple_stack (program, 3);
      store (program, STACK + 24 * 2 + 16, 0x900000);
      frame.fp = STACK + 400;
      store (program, STACK + 408, CODE + 3 * SPACE + 30);
      expect_walk (program, &frame, FRAMES, 5, SFW_OUTERMOST);
      assert_int_equal (found[3], 0x900000);
      assert_int_equal (found_marks[3], 0);
      assert_int_equal (found_marks[4], SFW_MARK_FALLBACK);
      assert_int_equal (asked, round + 1);
      /* One that does not get on ends the walk: the caller's SP, 16 bytes
         above FP, is lower or the same.  */
      for (uint64_t fp = STACK + 24; fp <= STACK + 784; fp += 760)
        {
          frame = (struct sfw_frame){ .pc = 0x900000,
                                      .sp = STACK + 800,
                                      .fp = fp };
          store (program, fp + 8, CODE);
          expect_walk (program, &frame, FRAMES, 1, SFW_NO_PROGRESS);
          asked--;
        }
    }
}

/* A trampoline leads down to a frame without a row, and the fallback, which
   knows nothing of signals, back up to the trampoline.  */
PROGRAM_TEST (a_fallback_does_not_let_signals_change_stacks_for_ever)
{
  unsigned asked = 0;
  const uint64_t trampoline = END - SPACE + 1, sp = STACK + 800;
  store (program, sp + 8, sp - 16);
  store (program, sp + 16, STACK + 16);
  store (program, sp + 24, 0x900000);
  store (program, sp - 8, trampoline);
  sfw_walker_set_fallback (program->walker, by_frame_pointer, &asked);
  struct sfw_frame frame = { .pc = trampoline, .sp = sp };
  expect_walk (program, &frame, FRAMES, 129, SFW_NO_PROGRESS);
  assert_int_equal (frame.stack_changes, 64);
}

/* Beside what is at hand, the code can be read.  */
static bool
read_code (void *context, uint64_t address, void *to, size_t size)
{
  const struct program *program = context;
  if (address < CODE || address > END - size)
    return false;
  memcpy (to, program->code + (address - CODE), size);
  return true;
}

/* In front of function 3 there is no call until there is one.  */
PROGRAM_TEST (a_frame_that_no_call_made_is_looked_up_at_its_pc)
{
  static const uint8_t call[] = { 0xe8, 1, 0, 0, 0 };
  program->memory.read = read_code;
  program->memory.context = program;
  for (unsigned round = 0; round < 12; round++)
    {
      bool is_call = round >= 6;
      size_t max = round % 3 == 2 ? 3 : FRAMES;
      struct sfw_frame frame = simple_stack (program, 2);
      store (program, STACK + 24 + 16, CODE + 3 * SPACE);
      store (program, STACK + 2 * 24, CODE + 3 * SPACE + 30);
      if (round == 6)
        {
          memcpy (program->code + 3 * SPACE - sizeof call, call, sizeof call);
          /* What is remembered is of another table then.  */
          change_modules (program);
        }
      /* Function 2 has its CFA by FP.  */
      frame.fp = STACK + 3 * 24;
      store (program, STACK + 3 * 24 + 8, CODE + 3 * SPACE + 30);
      expect_walk (program, &frame, max, max == 3 ? 3 : 4,
                   max == 3 ? SFW_MORE : SFW_OUTERMOST);
      assert_int_equal (found_marks[0] | found_marks[1], 0);
      assert_int_equal (found_marks[2], is_call ? 0 : SFW_MARK_NO_CALL);
      if (max != 3)
        assert_int_equal (frame.sp,
                          is_call ? STACK + 3 * 24 + 16 : STACK + 2 * 24 + 8);
    }
}

/* A reader that walks another stack with the same walker, as a handler would
   that has a stack of its own.  */
enum
{
  OTHER_STACK = STACK + 1024
};
static struct program *reader_program;
static unsigned walks_within;

static bool
read_and_walk (void *context, uint64_t address, void *to, size_t size)
{
  (void)context;
  uint64_t addresses[FRAMES];
  enum sfw_end end;
  struct program *program = reader_program;
  struct sfw_frame frame = { .pc = CODE + 9, .sp = OTHER_STACK };
  assert_int_equal (sfw_walk (program->walker, &program->memory, &frame,
                              addresses, NULL, FRAMES, &end),
                    5);
  for (size_t i = 0; i < 4; i++)
    assert_int_equal (addresses[i], CODE + 9);
  assert_int_equal (end, SFW_OUTERMOST);
  walks_within++;
  memcpy (to, program->stack + (address - STACK), size);
  return address - STACK <= sizeof program->stack - size;
}

PROGRAM_TEST (a_walk_within_a_walk_is_right_and_so_is_the_outer_one)
{
  uint64_t addresses[FRAMES];
  enum sfw_end end;
  reader_program = program;
  for (unsigned i = 0; i < 4; i++)
    store (program, OTHER_STACK + 24 * i + 16,
           i < 3 ? CODE + 9 : CODE + 3 * SPACE + 30);
  const struct sfw_memory asks = { .read = read_and_walk };
  for (unsigned round = 0; round < 2; round++)
    {
      struct sfw_frame frame = simple_stack (program, 5);
      assert_int_equal (sfw_walk (program->walker, &asks, &frame, addresses,
                                  NULL, FRAMES, &end),
                        7);
      assert_int_equal (end, SFW_OUTERMOST);
    }
  assert_int_equal (walks_within, 12);
}

/* Emulators take their time (sframewalk_qemu.sh).  */
#ifndef RANDOM_STACKS
#  define RANDOM_STACKS 1000000
#endif

/* Memory that is next to pages without access: whatever is on the stack, what
   was not given is not read.  */
PROGRAM_TEST (random_stacks_between_guard_pages_are_walked)
{
  uint64_t addresses[FRAMES];
  uint32_t random = 3;
  struct guarded memory = guarded_memory (1);
  size_t size = (size_t)(memory.end - memory.begin);
  uint64_t low = (uintptr_t)memory.begin, high = low + 512;
  program->memory.low = low;
  program->memory.high = low + size;
  program->memory.bytes = memory.begin;
  for (unsigned i = 0; i < RANDOM_STACKS; i++)
    {
      uint64_t *words = (uint64_t *)(void *)memory.begin;
      for (unsigned word = 0; word < 4; word++)
        {
          uint64_t value = random_word (&random);
          words[next (&random) % (size / 8)]
              = value - STACK < 8 * WORDS ? value - STACK + low : value;
        }
      struct sfw_frame frame
          = { .pc = CODE + next (&random) % FUNCTIONS * SPACE + 7,
              .sp = low + next (&random) % 5000 - 400,
              .fp = high + next (&random) % 5000 - 1000,
              .interrupted = next (&random) % 2 };
      assert_true (sfw_walk (program->walker, &program->memory, &frame,
                             addresses, NULL, FRAMES, NULL)
                   > 0);
    }
  guarded_free (memory);
}

/* Threads that walk while modules come and go.  */
static atomic_bool stop;
static atomic_uint at_work; /* threads that have walked */

static void *
walk_all_the_time (void *argument)
{
  struct program *program = argument;
  struct sfw_walker *walker = sfw_walker_new (program->modules);
  size_t *walks = calloc (1, sizeof *walks);
  while (!stop)
    {
      uint64_t addresses[FRAMES];
      enum sfw_end end;
      struct sfw_frame frame = { .pc = CODE + 4, .sp = STACK };
      size_t n = sfw_walk (walker, &program->memory, &frame, addresses, NULL,
                           FRAMES, &end);
      if ((n != 7 || end != SFW_OUTERMOST) && end != SFW_NO_SECTION)
        abort ();
      if (++*walks == 1)
        at_work++;
    }
  free (walker);
  return walks;
}

PROGRAM_TEST (threads_walk_while_modules_come_and_go)
{
  pthread_t threads[3];
  simple_stack (program, 5);
  for (unsigned i = 0; i < 3; i++)
    assert_int_equal (
        pthread_create (&threads[i], NULL, walk_all_the_time, program), 0);
  for (unsigned i = 0; i < 2000 || at_work < 3; i++)
    change_modules (program);
  stop = true;
  for (unsigned i = 0; i < 3; i++)
    {
      void *walks;
      pthread_join (threads[i], &walks);
      assert_true (*(size_t *)walks > 0);
      free (walks);
    }
}

/* What a fallback is given to read this process's memory by.  */
static struct sfw_memory given;

static bool
take_memory (void *context, struct sfw_frame *frame,
             const struct sfw_memory *memory)
{
  (void)context;
  (void)frame;
  given = *memory;
  return false;
}

/* Have take_memory called for a frame at SP that was interrupted.  */
static void
walk_from (struct sfw_walker *walker, uint64_t sp)
{
  uint64_t addresses[2];
  ucontext_t context = { 0 };
#if defined __x86_64__
  context.uc_mcontext.gregs[REG_RSP] = (greg_t)sp;
#elif defined __aarch64__
  context.uc_mcontext.sp = sp;
#elif defined __s390x__
  context.uc_mcontext.gregs[15] = sp;
#endif
  sfw_ucontext (walker, &context, addresses, NULL, 2, NULL);
}

/* Between the red zone of a frame, which is 128 bytes below SP, and the end of
   the thread's stack nothing needs to be asked for.  */
PROGRAM_TEST (memory_at_hand_is_the_stack_of_the_thread_and_no_other)
{
  pthread_attr_t attributes;
  void *stack;
  size_t size;
  assert_int_equal (pthread_getattr_np (pthread_self (), &attributes), 0);
  pthread_attr_getstack (&attributes, &stack, &size);
  pthread_attr_destroy (&attributes);
  uint64_t low = (uintptr_t)stack, high = low + size;
  const struct
  {
    uint64_t sp;
    bool at_hand;
  } cases[] = { { low + 127, false },
                { low + 128, true },
                { high - 1, true },
                { high, false },
                { low - 4096, false } };
  sfw_walker_set_fallback (program->walker, take_memory, NULL);
  walk_from (program->walker, high - 1);
  assert_null (given.bytes);
  assert_true (sfw_walker_set_thread (program->walker));
  FOR_EACH_ROW (row, cases)
    {
      walk_from (program->walker, row->sp);
      assert_int_equal (given.bytes != NULL, row->at_hand);
      if (row->at_hand)
        {
          assert_true (given.low == row->sp - 128);
          assert_true (given.high == high);
          assert_true ((uintptr_t)given.bytes == given.low);
        }
    }
}

static struct sfw_frame innermost;

static bool
take_frame (void *context, struct sfw_frame *frame,
            const struct sfw_memory *memory)
{
  (void)context;
  (void)memory;
  innermost = *frame;
  return false;
}

/* __builtin_frame_address keeps the frame pointer's register from any other
   use in the test.  */
TEST (own_stacks_begin_with_the_registers_of_the_caller)
{
  uint64_t addresses[2] = { 0 };
  uintptr_t sp = 0, fp = (uintptr_t)__builtin_frame_address (0);
  struct sfw_modules *modules = sfw_modules_new ();
  struct sfw_walker *walker = sfw_walker_new (modules);
  assert_non_null (walker);
  sfw_walker_set_fallback (walker, take_frame, NULL);
  size_t n = sfw_here (walker, addresses, NULL, 2, NULL);
#if defined __x86_64__
  __asm__("mov %%rsp, %0; mov %%rbp, %1" : "=&r"(sp), "=&r"(fp));
#elif defined __aarch64__
  __asm__("mov %0, sp; mov %1, x29" : "=&r"(sp), "=&r"(fp));
#elif defined __s390x__
  __asm__("lgr %0, %%r15; lgr %1, %%r11" : "=&r"(sp), "=&r"(fp));
#endif
  assert_int_equal (n, 1);
  assert_true (innermost.pc == addresses[0]);
  assert_true (innermost.sp == sp);
  assert_true (innermost.fp == fp);
  free (walker);
  sfw_modules_free (modules);
}

/* What pthread_getattr_np returns, unless it is 0.  */
static int attributes_error;
int __real_pthread_getattr_np (pthread_t thread, pthread_attr_t *attributes);
int __wrap_pthread_getattr_np (pthread_t thread, pthread_attr_t *attributes);

int
__wrap_pthread_getattr_np (pthread_t thread, pthread_attr_t *attributes)
{
  return attributes_error != 0
             ? attributes_error
             : __real_pthread_getattr_np (thread, attributes);
}

PROGRAM_TEST (a_thread_whose_stack_is_not_known_is_an_error)
{
  attributes_error = EMFILE;
  errno = 0;
  assert_false (sfw_walker_set_thread (program->walker));
  assert_int_equal (errno, EMFILE);
  attributes_error = 0;
}

int __wrap_pthread_key_create (pthread_key_t *key, void (*end) (void *));

int
__wrap_pthread_key_create (pthread_key_t *key, void (*end) (void *))
{
  (void)key;
  (void)end;
  return EAGAIN;
}

TEST (a_backtrace_that_cannot_begin_says_why_each_time)
{
  void *addresses[4];
  for (unsigned round = 0; round < 2; round++)
    {
      errno = EXFULL;
      assert_false (sfw_backtrace_update ());
      assert_int_equal (errno, EAGAIN);
      assert_int_equal (sfw_backtrace (addresses, 4), 0);
    }
}

/* A handler must not change errno of the code that it interrupts.  */
PROGRAM_TEST (own_memory_is_read_where_it_exists_and_errno_stays)
{
  uint64_t word, known_page = 0;
  size_t page = 4096, size = (size_t)sysconf (_SC_PAGESIZE);
  uint8_t *pages = mmap (NULL, 3 * size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true (pages != MAP_FAILED);
  assert_int_equal (munmap (pages + 2 * size, size), 0);
  uint64_t start = (uintptr_t)pages, end = start + 2 * size;
  const struct
  {
    uint64_t address;
    bool exists;
  } cases[] = { { start, true },       { start + page - 4, true },
                { end - 8, true },     { end - 7, false },
                { end, false },        { end - 8, true },
                { UINT64_MAX, false }, { UINT64_MAX - 6, false },
                { 8, false },          { 0, false } };
  memset (pages, 0x5a, 2 * size);
  sfw_walker_set_fallback (program->walker, take_memory, NULL);
  walk_from (program->walker, start);
  FOR_EACH_ROW (row, cases)
    {
      errno = EXFULL;
      assert_int_equal (
          given.read (&known_page, row->address, &word, sizeof word),
          row->exists);
      assert_int_equal (errno, EXFULL);
      if (row->exists)
        assert_true (word == UINT64_C (0x5a5a5a5a5a5a5a5a));
    }
  munmap (pages, 2 * size);
}

static unsigned lines_granted = UINT_MAX;

ssize_t __wrap_getdelim (char **line, size_t *room, int end, FILE *file);
ssize_t __real_getdelim (char **line, size_t *room, int end, FILE *file);

ssize_t
__wrap_getdelim (char **line, size_t *room, int end, FILE *file)
{
  if (lines_granted == 0)
    {
      errno = ENOMEM;
      return -1;
    }
  lines_granted -= lines_granted != UINT_MAX;
  return __real_getdelim (line, room, end, file);
}

/* The table would have a part of the modules.  */
TEST (a_list_that_cannot_be_read_to_its_end_is_none)
{
  struct sfw_modules *modules = sfw_modules_new ();
  unsigned long generation = sfw_modules_generation (modules);
  for (unsigned granted = 0; granted < 3; granted++)
    {
      lines_granted = granted;
      assert_false (sfw_modules_read_maps (modules, getpid ()));
      assert_int_equal (sfw_modules_generation (modules), generation);
    }
  lines_granted = UINT_MAX;
  assert_true (sfw_modules_read_maps (modules, getpid ()));
  sfw_modules_free (modules);
}

TEST (modules_of_processes_are_listed)
{
  struct sfw_modules *modules = sfw_modules_new ();
  struct sfw_row row;
  uint64_t here = (uintptr_t)&modules_of_processes_are_listed;
  assert_true (sfw_modules_update (modules));
  unsigned long generation = sfw_modules_generation (modules);
  assert_true (sfw_modules_update (modules));
  assert_int_equal (sfw_modules_generation (modules), generation);
  /* Whether or not its linker made SFrame data.  */
  assert_false (sfw_modules_add (modules, here, here + 1, NULL));
  assert_int_equal (errno, EEXIST);
  assert_true (sfw_modules_read_maps (modules, getpid ()));
  assert_false (sfw_modules_add (modules, here, here + 1, NULL));
  assert_int_equal (sfw_modules_lookup (modules, 1, &row), SFW_NO_SECTION);
  assert_false (sfw_modules_read_maps (modules, -1));
  sfw_modules_free (modules);
}

/* A page with code that the dynamic linker does not know: the list in /proc
   has it, as it has the code of another process.  */
TEST (the_dynamic_linker_is_asked_again_after_another_list)
{
  struct sfw_modules *modules = sfw_modules_new ();
  void *page = mmap (NULL, 1, PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  uint64_t code = (uintptr_t)page;
  assert_true (page != MAP_FAILED);
  assert_true (sfw_modules_update (modules));
  assert_true (sfw_modules_read_maps (modules, getpid ()));
  assert_false (sfw_modules_add (modules, code, code + 1, NULL));
  assert_int_equal (errno, EEXIST);
  assert_true (sfw_modules_update (modules));
  assert_true (sfw_modules_add (modules, code, code + 1, NULL));
  sfw_modules_free (modules);
  munmap (page, 1);
}

/* Take the code of the program.  */
static int
take_code (struct dl_phdr_info *info, size_t size, void *start)
{
  int i = 0;
  (void)size;
  while (info->dlpi_phdr[i].p_type != PT_LOAD
         || !(info->dlpi_phdr[i].p_flags & PF_X))
    i++;
  *(uint64_t *)start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
  return 1;
}

TEST (what_was_taken_out_or_was_covered_is_listed_again)
{
  struct sfw_modules *modules = sfw_modules_new ();
  uint64_t code;
  dl_iterate_phdr (take_code, &code);
  assert_true (sfw_modules_add (modules, code + 1, code + 2, NULL));
  assert_true (sfw_modules_update (modules));
  unsigned long generation = sfw_modules_generation (modules);
  assert_true (sfw_modules_update (modules));
  assert_int_equal (sfw_modules_generation (modules), generation);
  assert_true (sfw_modules_remove (modules, code + 1));
  for (unsigned i = 0; i < 2; i++)
    {
      assert_true (sfw_modules_update (modules));
      assert_true (sfw_modules_remove (modules, code));
    }
  sfw_modules_free (modules);
}

/* Files that are mapped, with the section of all functions.  */
enum
{
  FILE_CODE = 0x10000, /* offsets: multiples of all sizes of pages */
  FILE_SECTION = 0x20000,
  FILE_MORE_CODE = 0x30000,
  FILE_END = 0x40000
};

static void
write_at (int fd, const void *bytes, size_t size, off_t offset)
{
  assert_int_equal (pwrite (fd, bytes, size, offset), size);
}

/* Write a file that has N_HEADERS program headers and says that its section
   has SIZE bytes.  Of the headers of sections the first one has none, and the
   last one says something else than the one that counts.  */
static void
write_file (const struct program *program, int fd, unsigned n_headers,
            uint64_t size)
{
  assert_true (fd >= 0);
  Elf64_Ehdr header = { .e_phoff = sizeof header,
                        .e_phentsize = sizeof (Elf64_Phdr),
                        .e_phnum = (uint16_t)n_headers };
  memcpy (header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA]
      = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ELFDATA2MSB : ELFDATA2LSB;
  const Elf64_Phdr headers[]
      = { { PT_GNU_SFRAME, PF_R, FILE_SECTION, ADDRESS, ADDRESS, 0, 0, 8 },
          { PT_LOAD, PF_R | PF_X, FILE_CODE, CODE, CODE, 0x1000, 0x1000, 1 },
          { PT_LOAD, PF_R | PF_X, FILE_MORE_CODE, CODE * 2, CODE * 2, 0x1000,
            0x1000, 1 },
          { PT_GNU_SFRAME, PF_R, FILE_SECTION, ADDRESS, ADDRESS, size, size,
            8 },
          { PT_GNU_SFRAME, PF_R, FILE_CODE, CODE, CODE, size, size, 8 } };
  write_at (fd, &header, sizeof header, 0);
  write_at (fd, headers, sizeof headers, sizeof header);
  write_at (fd, program->buffer.bytes, program->buffer.size, FILE_SECTION);
  assert_int_equal (ftruncate (fd, FILE_END + (off_t)size), 0);
}

/* What a lookup finds in code that is mapped from FD.  */
static enum sfw_end
find_in_mapped (int fd)
{
  void *code
      = mmap (NULL, 0x1000, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, FILE_CODE);
  struct sfw_modules *modules = sfw_modules_new ();
  struct sfw_row row = { 0 };
  assert_true (code != MAP_FAILED);
  assert_true (sfw_modules_read_maps (modules, getpid ()));
  enum sfw_end end = sfw_modules_lookup (modules, (uintptr_t)code + 4, &row);
  if (end == SFW_MORE)
    assert_int_equal (row.cfa.offset, 24);
  sfw_modules_free (modules);
  munmap (code, 0x1000);
  return end;
}

/* What a lookup finds in code of a file as by write_file.  */
static enum sfw_end
find_in_file (const struct program *program, unsigned n_headers, uint64_t size)
{
  char name[] = "mapped-XXXXXX";
  int fd = mkstemp (name);
  write_file (program, fd, n_headers, size);
  enum sfw_end end = find_in_mapped (fd);
  close (fd);
  unlink (name);
  return end;
}

/* The kernel's list says "NAME (deleted)" then, which can be another's name.
 */
PROGRAM_TEST (a_file_that_took_the_place_of_another_is_not_read)
{
  char name[] = "mapped-XXXXXX", other_name[40];
  int fd = mkstemp (name);
  snprintf (other_name, sizeof other_name, "%s (deleted)", name);
  int other = open (other_name, O_RDWR | O_CREAT | O_EXCL, 0600);
  write_file (program, fd, 4, program->buffer.size);
  write_file (program, other, 4, program->buffer.size);
  assert_int_equal (find_in_mapped (fd), SFW_MORE);
  unlink (name);
  assert_int_equal (find_in_mapped (fd), SFW_NO_SECTION);
  close (fd);
  close (other);
  unlink (other_name);
}

PROGRAM_TEST (sections_of_mapped_files_are_found)
{
  size_t size = program->buffer.size;
  assert_int_equal (find_in_file (program, 4, size), SFW_MORE);
  assert_int_equal (find_in_file (program, 3, size), SFW_NO_SECTION);
  assert_int_equal (find_in_file (program, 5, size), SFW_MORE);
  assert_int_equal (find_in_file (program, 128, size), SFW_MORE);
  assert_int_equal (find_in_file (program, 2000, size), SFW_NO_SECTION);
  assert_int_equal (find_in_file (program, 4, 0), SFW_NO_SECTION);
  assert_int_equal (find_in_file (program, 4, size - 1), SFW_NO_SECTION);
  /* More than a section can reasonably have.  */
  assert_int_equal (find_in_file (program, 4, (1u << 30) + 1), SFW_NO_SECTION);
}

/* Files with holes cost nothing, and a process may have mapped hundreds of
   them.  */
PROGRAM_TEST (sections_of_a_process_have_a_bound_in_sum)
{
  enum
  {
    SIZE = 1 << 26,
    BAD = (1 << 30) / SIZE
  };
  char bad_name[] = "mapped-XXXXXX", name[] = "mapped-XXXXXX";
  int bad = mkstemp (bad_name), good = mkstemp (name);
  size_t page = (size_t)sysconf (_SC_PAGESIZE);
  write_file (program, bad, 4, SIZE);
  write_at (bad, "none", 4, FILE_SECTION);
  write_file (program, good, 4, SIZE);
  uint8_t *code = mmap (NULL, (BAD + 1) * page, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct sfw_modules *modules = sfw_modules_new ();
  struct sfw_row row;
  assert_true (code != MAP_FAILED);
  /* The list ascends: the good one is the last that is read.  */
  for (size_t n = 0; n <= BAD; n += BAD)
    {
      for (size_t i = BAD - n; i <= BAD; i++)
        assert_true (mmap (code + i * page, page, PROT_READ | PROT_EXEC,
                           MAP_PRIVATE | MAP_FIXED, i < BAD ? bad : good,
                           FILE_CODE)
                     != MAP_FAILED);
      assert_true (sfw_modules_read_maps (modules, getpid ()));
      assert_int_equal (
          sfw_modules_lookup (modules, (uintptr_t)code + BAD * page + 4, &row),
          n == 0 ? SFW_MORE : SFW_NO_SECTION);
    }
  sfw_modules_free (modules);
  munmap (code, (BAD + 1) * page);
  close (bad);
  close (good);
  unlink (bad_name);
  unlink (name);
}

/* The size of a block of memory that cannot be had; 0: all can.  */
static size_t size_refused;
void *__real_malloc (size_t size);
void *__wrap_malloc (size_t size);

void *
__wrap_malloc (size_t size)
{
  if (size == 0 || size != size_refused)
    return __real_malloc (size);
  errno = ENOMEM;
  return NULL;
}

/* The module would look like one without a section.  */
PROGRAM_TEST (without_memory_for_a_section_there_is_no_list)
{
  char name[] = "mapped-XXXXXX";
  int fd = mkstemp (name);
  size_t size = program->buffer.size;
  write_file (program, fd, 4, size);
  void *code
      = mmap (NULL, 0x1000, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, FILE_CODE);
  struct sfw_modules *modules = sfw_modules_new ();
  assert_true (code != MAP_FAILED);
  size_refused = size;
  assert_false (sfw_modules_read_maps (modules, getpid ()));
  assert_int_equal (errno, ENOMEM);
  size_refused = 0;
  assert_true (sfw_modules_read_maps (modules, getpid ()));
  sfw_modules_free (modules);
  munmap (code, 0x1000);
  close (fd);
  unlink (name);
}

/* Nor is memory asked for what the file does not have.  */
PROGRAM_TEST (a_section_that_is_not_in_its_file_is_not_read)
{
  char name[] = "mapped-XXXXXX";
  int fd = mkstemp (name);
  const size_t size = 1u << 29;
  write_file (program, fd, 4, size);
  assert_int_equal (ftruncate (fd, FILE_END), 0);
  size_refused = size;
  assert_int_equal (find_in_mapped (fd), SFW_NO_SECTION);
  size_refused = 0;
  close (fd);
  unlink (name);
}

/* A program header can be left of a section that is not loaded.  */
PROGRAM_TEST (a_section_that_is_not_in_memory_is_not_read)
{
  struct sfw_section section;
  uint64_t size = program->buffer.size;
  const struct
  {
    uint64_t address, size; /* of the segment */
    uint32_t flags;
    bool usable;
  } cases[] = {
    { ADDRESS, size, PF_R, true },
    { ADDRESS - 8, size + 8, PF_R | PF_X, true },
    { ADDRESS, size - 1, PF_R, false },
    { ADDRESS + 1, size, PF_R, false },
    { ADDRESS, size, PF_X, false },
    { 0, 0x1000, PF_R, false },
  };
  FOR_EACH_ROW (given, cases)
    {
      const Elf64_Phdr headers[]
          = { { PT_LOAD, given->flags, 0, given->address, 0, 0, given->size,
                1 },
              { PT_GNU_SFRAME, PF_R, 0, ADDRESS, 0, 0, 0, 8 },
              { PT_GNU_SFRAME, PF_R, 0, ADDRESS, 0, size, size, 8 },
              { PT_GNU_SFRAME, PF_R, 0, ADDRESS, 0, 1, 1, 8 } };
      struct dl_phdr_info info
          = { .dlpi_addr = (uintptr_t)program->buffer.bytes - ADDRESS,
              .dlpi_phdr = headers,
              .dlpi_phnum = 4 };
      assert_int_equal (walk_listed_section (&info, &section), given->usable);
    }
}

/* Segments as lld writes them: one behind the other in the file, with as much
   between their addresses as the largest pages take; and one more with code
   of another bias.  */
TEST (mappings_are_those_of_kernels_with_any_pages)
{
  static const Elf64_Phdr segments[] = {
    { PT_LOAD, PF_R, 0, 0, 0, 0x1234, 0x1234, 0x10000 },
    { PT_LOAD, PF_R | PF_X, 0x1240, 0x11240, 0x11240, 0x2dc0, 0x2dc0,
      0x10000 },
    { PT_LOAD, PF_R | PF_W, 0x4000, 0x24000, 0x24000, 0x800, 0x1800, 0x10000 },
    { PT_LOAD, PF_R | PF_X, 0x4800, 0x34800, 0x34800, 0x100, 0x100, 0x10000 },
  };
  static const struct
  {
    const char *line;
    uint64_t page;
    unsigned n;
    bool found;
  } cases[] = {
    { "aaaa00011000-aaaa00014000 r-xp 00001000 fd:01 9 /p", 0x1000, 4, true },
    { "aaaa00010000-aaaa00020000 r-xp 00000000 fd:01 9 /p", 0x10000, 3, true },
    { "aaaa00010000-aaaa00014000 r-xp 00000000 fd:01 9 /p", 0x4000, 3, true },
    /* A part of a mapping, behind one with other rights.  */
    { "aaaa00013000-aaaa00014000 r-xp 00003000 fd:01 9 /p", 0x1000, 4, true },
    { "aaaa00034000-aaaa00035000 r-xp 00004000 fd:01 9 /p", 0x1000, 4, true },
    /* In front of the code and behind it.  */
    { "aaaa00010000-aaaa00011000 r-xp 00000000 fd:01 9 /p", 0x1000, 4, false },
    { "aaaa00014000-aaaa00015000 r-xp 00005000 fd:01 9 /p", 0x1000, 4, false },
    { "aaaa00010000-aaaa00020000 r-xp 00010000 fd:01 9 /p", 0x10000, 3,
      false },
    /* Both segments with code are in this page.  */
    { "aaaa00010000-aaaa00020000 r-xp 00000000 fd:01 9 /p", 0x10000, 4,
      false },
  };
  FOR_EACH_ROW (given, cases)
    {
      char line[80];
      struct walk_mapping mapping;
      uint64_t bias = 0;
      snprintf (line, sizeof line, "%s", given->line);
      assert_true (walk_maps_line (line, &mapping));
      assert_int_equal (
          walk_mapping_bias (&mapping, segments, given->n, given->page, &bias),
          given->found);
      if (given->found)
        assert_int_equal (bias, 0xaaaa00000000);
    }
}

PROGRAM_TEST (wrong_use_is_noticed)
{
  struct sfw_row row;
  assert_null (sfw_walker_init (NULL, sfw_walker_size (), program->modules));
  assert_null (sfw_walker_init (program->walker, sfw_walker_size () - 1,
                                program->modules));
  assert_null (sfw_walker_new (NULL));
  assert_int_equal (sfw_lookup (NULL, CODE, &row), SFW_INVALID);
  const struct sfw_section endless
      = { program->section.bytes, SIZE_MAX, ADDRESS };
  errno = 0;
  assert_false (sfw_modules_add (program->modules, 0, 1, &endless));
  assert_int_equal (errno, ENOMEM);
  for (unsigned i = 0; i <= SFW_INVALID; i++)
    assert_non_null (sfw_end_text ((enum sfw_end)i));
  assert_null (sfw_end_text ((enum sfw_end) (SFW_INVALID + 1)));
}

static pthread_t updating;

static void *
update (void *modules)
{
  return sfw_modules_update (modules) ? modules : NULL;
}

/* Called by dl_iterate_phdr, which has a lock: change MODULES while another
   thread updates them.  */
static int
add_while_others_update (struct dl_phdr_info *info, size_t size, void *modules)
{
  (void)info;
  (void)size;
  assert_int_equal (pthread_create (&updating, NULL, update, modules), 0);
  usleep (100000); /* it waits for the lock, or at least has begun */
  assert_true (sfw_modules_add (modules, 0x1000, 0x2000, NULL));
  return 1;
}

TEST (modules_can_be_added_while_the_dynamic_linker_is_asked)
{
  void *updated;
  struct sfw_modules *modules = sfw_modules_new ();
  assert_non_null (modules);
  alarm (60);
  dl_iterate_phdr (add_while_others_update, modules);
  assert_int_equal (pthread_join (updating, &updated), 0);
  alarm (0);
  assert_ptr_equal (updated, modules);
  sfw_modules_free (modules);
}
