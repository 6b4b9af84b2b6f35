/* Unit tests of stacks: copies of memory, modules, comparing walks.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <gelf.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/elf_sframe.h"
#include "base/lines.h"
#include "base/mapped_file.h"
#include "tests/unit/failing_allocations.h"
#include "sframe/format.h"
#include "stacks/call_tree.h"
#include "stacks/core.h"
#include "stacks/file_finder.h"
#include "stacks/jit_names.h"
#include "stacks/live.h"
#include "stacks/memory.h"
#include "stacks/process.h"
#include "stacks/profile.h"
#include "stacks/row_cache.h"
#include "stacks/stack_walk.h"
#include "stacks/trace_sampler.h"
#include "tests/unit_test.h"

/* A program's memory: readable from START to END; each byte says where it is,
   and which version of it this is.  */
struct program
{
  uint64_t start, end;
  unsigned fetches;
  uint8_t version;
};

static uint8_t
byte_at (const struct program *program, uint64_t address)
{
  return (uint8_t)(address * 7 + (address >> 12) + program->version);
}

static size_t
fetch (void *source, uint64_t address, void *to, size_t size)
{
  struct program *program = source;
  uint8_t *out = to;
  size_t n = 0;
  program->fetches++;
  while (n < size && address + n >= program->start
         && address + n < program->end)
    {
      out[n] = byte_at (program, address + n);
      n++;
    }
  return n;
}

static struct memory
memory_of (struct program *program)
{
  return (struct memory){ .fetch = fetch, .source = program };
}

static void
assert_read (struct memory *memory, const struct program *program,
             uint64_t address, size_t size)
{
  uint8_t bytes[64];
  assert_true (size <= sizeof bytes);
  assert_true (memory_read (memory, address, bytes, size));
  for (size_t i = 0; i < size; i++)
    assert_int_equal (bytes[i], byte_at (program, address + i));
}

static void
assert_unknown (struct memory *memory, uint64_t address, size_t size)
{
  uint8_t bytes[64];
  assert_false (memory_read (memory, address, bytes, size));
}

TEST (what_was_copied_stays_as_it_was)
{
  struct program program = { 0x10000, 0x20000, 0, 0 }, before = program;
  struct memory memory = memory_of (&program);
  memory_copy (&memory, 0x12340, 0x100);
  program.version = 1;
  assert_read (&memory, &before, 0x12340, 64);
  assert_read (&memory, &before, 0x1243f, 1);
  assert_unknown (&memory, 0x1233f, 1);
  assert_unknown (&memory, 0x12440, 1);
  assert_unknown (&memory, 0x1243f, 2);
  /* Copying again what is there changes nothing but the rest.  */
  memory_copy (&memory, 0x12300, 0x200);
  assert_read (&memory, &before, 0x12340, 64);
  assert_read (&memory, &program, 0x12300, 64);
  assert_read (&memory, &program, 0x12440, 64);
  memory_copy (&memory, 0x12480, 8);
  assert_unknown (&memory, 0x12500, 1);
  /* Nothing more than was asked for, up to the next copy.  */
  memory_copy (&memory, 0x12200, 8);
  assert_unknown (&memory, 0x12208, 1);
  memory_free (&memory);
}

TEST (copies_end_where_memory_does)
{
  struct program program = { 0x10000, 0x20008, 0, 0 };
  struct memory memory = memory_of (&program);
  memory_copy (&memory, 0x1fff0, 0x10000);
  assert_read (&memory, &program, 0x20000, 8);
  assert_unknown (&memory, 0x20001, 8);
  memory_copy (&memory, 0x5000, 0x1000);
  assert_unknown (&memory, 0x5000, 1);
  memory_copy (&memory, UINT64_MAX - 7, 64);
  assert_unknown (&memory, UINT64_MAX - 7, 8);
  memory_free (&memory);
}

TEST (reads_go_across_copies_but_not_across_gaps)
{
  struct program program = { 0x10000, 0x20000, 0, 0 };
  struct memory memory = memory_of (&program);
  memory_copy (&memory, 0x11010, 0x10);
  memory_copy (&memory, 0x11000, 0x10);
  memory_copy (&memory, 0x11021, 0x10);
  assert_read (&memory, &program, 0x11004, 28);
  assert_unknown (&memory, 0x11004, 40);
  memory_copy (&memory, 0x11000, 0x100);
  assert_read (&memory, &program, 0x11004, 64);
  memory_free (&memory);
}

TEST (an_open_memory_is_copied_when_it_is_read)
{
  struct program program = { 0x10000, 0x20000, 0, 0 };
  struct memory memory = memory_of (&program);
  assert_unknown (&memory, 0x15555, 8);
  memory.open = true;
  assert_read (&memory, &program, 0x15555, 8);
  unsigned fetches = program.fetches;
  assert_read (&memory, &program, 0x1555d, 8);
  assert_int_equal (program.fetches, fetches);
  assert_read (&memory, &program, 0x1fff8, 8);
  assert_unknown (&memory, 0x1fff9, 8);
  assert_unknown (&memory, 0xffff, 1);
  assert_unknown (&memory, UINT64_MAX - 3, 8);
  memory.open = false;
  assert_read (&memory, &program, 0x15555, 8);
  memory_forget (&memory);
  assert_unknown (&memory, 0x15555, 8);
  memory_free (&memory);
}

TEST (what_is_missed_is_noted_if_the_program_has_it)
{
  struct program program = { 0x10000, 0x20000, 0, 0 };
  struct memory memory = memory_of (&program);
  memory_copy (&memory, 0x10000, 0x1000);
  assert_read (&memory, &program, 0x10000, 64);
  assert_unknown (&memory, 0x20000, 8);
  assert_unknown (&memory, 0xffff, 1);
  assert_false (memory.missed);
  assert_unknown (&memory, 0x10fff, 2);
  assert_true (memory.missed);
  memory.missed = false;
  memory.open = true;
  assert_read (&memory, &program, 0x10fff, 2);
  assert_false (memory.missed);
  memory_free (&memory);
}

TEST (copies_have_a_bound_in_sum)
{
  struct program program = { 0x10000, 0x20000, 0, 0 };
  struct memory memory = memory_of (&program);
  memory.most = 0x1800;
  memory_copy (&memory, 0x11000, 0x1000);
  memory_copy (&memory, 0x11800, 0x800);
  assert_false (memory.full);
  memory_copy (&memory, 0x14000, 0x1000);
  assert_true (memory.full);
  assert_read (&memory, &program, 0x147ff, 1);
  assert_unknown (&memory, 0x14800, 1);
  memory.open = true;
  assert_unknown (&memory, 0x18000, 1);
  assert_read (&memory, &program, 0x11fff, 1);
  memory_forget (&memory);
  assert_false (memory.full);
  assert_read (&memory, &program, 0x14800, 1);
  memory_free (&memory);
}

TEST (hostile_segments_do_not_overlap)
{
  static const uint8_t bytes[64] = { 1, 2, 3 };
  struct memory memory = { 0 };
  uint8_t got;
  assert_true (memory_add (&memory, 0x1000, bytes, 64));
  assert_false (memory_add (&memory, 0x1000, bytes, 64));
  assert_false (memory_add (&memory, 0x103f, bytes, 1));
  assert_false (memory_add (&memory, 0xfff, bytes, 2));
  assert_false (memory_add (&memory, 0, bytes, 0));
  assert_true (memory_add (&memory, 0xfff, bytes + 2, 1));
  assert_true (memory_add (&memory, 0x1040, bytes + 1, 1));
  assert_false (memory_add (&memory, UINT64_MAX - 8, bytes, 64));
  assert_true (memory_read (&memory, 0x1040, &got, 1));
  assert_int_equal (got, 2);
  assert_true (memory_read (&memory, 0xfff, &got, 1));
  assert_int_equal (got, 3);
  memory_free (&memory);
}

TEST (the_last_bytes_are_memory_too)
{
  static const uint8_t bytes[8] = { 1, 2, 3 };
  struct memory memory = { 0 };
  uint8_t got[9];
  assert_true (memory_add (&memory, UINT64_MAX - 8, bytes, 8));
  assert_true (memory_read (&memory, UINT64_MAX - 8, got, 8));
  assert_memory_equal (got, bytes, 8);
  assert_false (memory_read (&memory, UINT64_MAX - 8, got, 9));
  memory_free (&memory);
}

TEST (without_memory_nothing_is_there)
{
  static const uint8_t bytes[8] = { 1, 2, 3 };
  struct program program = { .start = 0x1000, .end = 0x9000 };
  struct memory memory = memory_of (&program);
  uint8_t got;
  allocations_granted = 0;
  allocations_fail_lastingly = true;
  memory_copy (&memory, 0x1000, 100);
  bool added = memory_add (&memory, 0x1000, bytes, sizeof bytes);
  bool read = memory_read (&memory, 0x1000, &got, 1);
  allocations_granted = UINT_MAX;
  allocations_fail_lastingly = false;
  assert_false (added);
  assert_false (read);
  memory_copy (&memory, 0x1000, 100);
  assert_read (&memory, &program, 0x1000, 50);
  memory_free (&memory);
}

/* The files of all processes here.  */
static struct code_files files;

static int
forget_files (void **state)
{
  (void)state;
  code_files_free (&files);
  return 0;
}

#define FIXTURE_TEST(name) TEST_BETWEEN (NULL, forget_files, name)

static void
map (struct process *process, uint64_t start, uint64_t end, uint64_t offset,
     ino_t inode, const char *path)
{
  const struct walk_mapping report
      = { .start = start,
          .end = end,
          .offset = offset,
          .path = mapping_is_of_file (path, inode != 0) ? path : NULL,
          .device = 1,
          .inode = inode };
  process->files = &files;
  assert_true (process_map (process, &report));
}

/* From START up to END, PATH is mapped from OFFSET on; NULL: no file.  */
static void
assert_mapping (const struct process *process, uint64_t start, uint64_t end,
                uint64_t offset, const char *path)
{
  const struct mapping *mapping = mappings_at (&process->mappings, start);
  assert_non_null (mapping);
  assert_ptr_equal (mappings_at (&process->mappings, end - 1), mapping);
  assert_int_equal (mapping->start, start);
  assert_int_equal (mapping->end, end);
  assert_int_equal (process_is_file_at (process, start), path != NULL);
  if (path == NULL)
    return;
  assert_int_equal (mapping->offset, offset);
  assert_string_equal (mapping->file->path, path);
}

TEST (mappings_are_found_by_address)
{
  struct process process = { 0 };
  for (uint64_t i = 1; i <= 20; i++)
    map (&process, i << 16, (i << 16) + 0x8000, 0, i, "/lib/many");
  for (uint64_t i = 1; i <= 20; i++)
    {
      assert_null (mappings_at (&process.mappings, (i << 16) - 1));
      assert_mapping (&process, i << 16, (i << 16) + 0x8000, 0, "/lib/many");
      assert_int_equal (
          mappings_at (&process.mappings, i << 16)->file->recorded.inode, i);
      assert_null (mappings_at (&process.mappings, (i << 16) + 0x8000));
    }
  assert_non_null (process_add_thread (&process, 5));
  mappings_forget (&process.mappings, &files.mappings);
  assert_int_equal (process.mappings.n, 0);
  assert_null (mappings_at (&process.mappings, 0x10000));
  process_free (&process);
}

TEST (what_is_mapped_last_is_there)
{
  struct process process = { 0 };
  /* As a loader does it: the whole file, then its segments over that.  */
  map (&process, 0x70000, 0x79000, 0, 7, "/lib/a");
  map (&process, 0x72000, 0x75000, 0x3000, 7, "/lib/a");
  map (&process, 0x77000, 0x79000, 0, 0, "");
  map (&process, 0x60000, 0x62000, 0, 0, "[vdso]");
  map (&process, 0x40000, 0x50000, 0, 0, "[heap]");
  map (&process, 0x50000, 0x51000, 0x1000, 9, "/no/start");
  map (&process, 0x51000, 0x51000, 0x1000, 9, "/empty");
  assert_int_equal (process.mappings.n, 7);
  assert_mapping (&process, 0x40000, 0x50000, 0, NULL);
  assert_mapping (&process, 0x50000, 0x51000, 0x1000, "/no/start");
  assert_mapping (&process, 0x60000, 0x62000, 0, "[vdso]");
  assert_mapping (&process, 0x70000, 0x72000, 0, "/lib/a");
  assert_mapping (&process, 0x72000, 0x75000, 0x3000, "/lib/a");
  assert_mapping (&process, 0x75000, 0x77000, 0x5000, "/lib/a");
  assert_mapping (&process, 0x77000, 0x79000, 0, NULL);
  /* Over parts of two, and all between.  */
  map (&process, 0x71000, 0x76000, 0, 8, "/lib/b");
  assert_int_equal (process.mappings.n, 7);
  assert_mapping (&process, 0x70000, 0x71000, 0, "/lib/a");
  assert_mapping (&process, 0x71000, 0x76000, 0, "/lib/b");
  assert_mapping (&process, 0x76000, 0x77000, 0x6000, "/lib/a");
  /* The child has them, too.  */
  struct process child = { .files = &files };
  assert_true (mappings_share (&child.mappings, &process.mappings));
  assert_ptr_equal (child.mappings.list, process.mappings.list);
  /* And what one of them maps, the other one has not.  */
  map (&child, 0x40000, 0x41000, 0, 10, "/lib/c");
  assert_mapping (&child, 0x40000, 0x41000, 0, "/lib/c");
  assert_mapping (&child, 0x41000, 0x50000, 0, NULL);
  assert_mapping (&process, 0x40000, 0x50000, 0, NULL);
  process_free (&process);
  assert_int_equal (child.mappings.n, 8);
  assert_mapping (&child, 0x76000, 0x77000, 0x6000, "/lib/a");
  process_free (&child);
}

/* The kernel gives mmap the highest addresses first.  */
TEST (mappings_may_come_in_any_order)
{
  enum
  {
    MANY = 400000
  };
  struct process process = { .files = &files };
  alarm (60);
  for (uint64_t i = 0; i < 2 * MANY; i++)
    {
      uint64_t start = (i < MANY ? MANY - i : i + 1) << 16;
      const struct walk_mapping report
          = { .start = start, .end = start + 0x8000, .runs = i & 1 };
      assert_true (process_map (&process, &report));
    }
  alarm (0);
  assert_int_equal (process.mappings.n, 2 * MANY);
  for (uint64_t i = 1; i <= 2 * MANY; i++)
    assert_int_equal (mappings_at (&process.mappings, i << 16)->start,
                      i << 16);
  process_free (&process);
}

/* An input with hostile order took time by the square of its length.  */
TEST (few_mappings_move_for_a_new_one)
{
  enum
  {
    MANY = 200000
  };
  struct process process = { .files = &files };
  const uint64_t middle = (uint64_t)MANY / 2 << 16;
  for (uint64_t i = 1; i <= MANY; i++)
    map (&process, i << 16, (i << 16) + 0x8000, 0, 0, "");
  struct walk_mapping report
      = { .start = middle + 0x9000, .end = middle + 0xa000 };
  assert_false (process_map (&process, &report));
  assert_null (mappings_at (&process.mappings, report.start));
  assert_int_equal (process.mappings.n, MANY);
  /* What only takes the place of others has no bound.  */
  report = (struct walk_mapping){ .start = middle,
                                  .end = middle + 0x8000,
                                  .runs = true };
  assert_true (process_map (&process, &report));
  assert_true (process_runs_at (&process, middle));
  report = (struct walk_mapping){ .start = (UINT64_C (60000) << 16) + 0x9000,
                                  .end = (UINT64_C (60000) << 16) + 0xa000 };
  assert_true (process_map (&process, &report));
  /* Nor are so many copied for a child.  */
  struct process child = { .files = &files };
  assert_true (mappings_share (&child.mappings, &process.mappings));
  assert_false (process_map (&child, &report));
  assert_non_null (mappings_at (&child.mappings, middle));
  process_free (&child);
  process_free (&process);
}

/* A just-in-time compiler's code, or another library, may lie there.  */
TEST (what_lies_between_two_mappings_of_a_file_is_not_the_file_s)
{
  struct process process = { 0 };
  map (&process, 0x10000, 0x12000, 0, 3, "/bin/b");
  map (&process, 0x90000, 0x91000, 0, 3, "/bin/b");
  map (&process, 0x50000, 0x52000, 0, 0, "");
  map (&process, 0x60000, 0x62000, 0, 4, "/lib/c");
  assert_false (process_is_file_at (&process, 0x12000));
  assert_false (process_is_file_at (&process, 0x50000));
  assert_mapping (&process, 0x60000, 0x62000, 0, "/lib/c");
  assert_mapping (&process, 0x90000, 0x91000, 0, "/bin/b");
  assert_ptr_equal (mappings_at (&process.mappings, 0x10000)->file,
                    mappings_at (&process.mappings, 0x90000)->file);
  process_free (&process);
}

TEST (what_is_called_like_a_file_is_none_without_an_inode)
{
  assert_true (mapping_is_of_file ("/lib/a", true));
  assert_true (mapping_is_of_file ("/lib/a (deleted)", true));
  assert_true (mapping_is_of_file ("/SYSV", true));
  assert_true (mapping_is_of_file ("[vdso]", false));
  static const char *const others[] = { "//anon",
                                        "[heap]",
                                        "",
                                        "anon_inode:[io_uring]",
                                        "/dev/zero (deleted)",
                                        "/SYSV00000000 (deleted)",
                                        "/anon_hugepage (deleted)" };
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    assert_false (mapping_is_of_file (others[i], i >= 3));
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

TEST (calls_are_counted_once_for_each_stack)
{
  struct call_tree tree;
  uint64_t totals[8];
  assert_true (call_tree_init (&tree));
  uint32_t a = call_tree_child (&tree, 0, 10);
  uint32_t b = call_tree_child (&tree, a, 20);
  uint32_t c = call_tree_child (&tree, a, 30);
  assert_int_equal (call_tree_child (&tree, 0, 10), a);
  assert_int_equal (call_tree_child (&tree, a, 20), b);
  /* The same function, called by another.  */
  uint32_t d = call_tree_child (&tree, c, 20);
  assert_int_not_equal (d, b);
  tree.nodes[b].self = 1;
  tree.nodes[c].self = 10;
  tree.nodes[d].self = 100;
  call_tree_sum (&tree, totals);
  assert_int_equal (totals[0], 111);
  assert_int_equal (totals[a], 111);
  assert_int_equal (totals[b], 1);
  assert_int_equal (totals[c], 110);
  call_tree_free (&tree);
}

TEST (callees_are_ordered_and_all_are_visited)
{
  struct call_tree tree;
  assert_true (call_tree_init (&tree));
  for (uint64_t i = 0; i < 1000; i++)
    {
      uint32_t node = call_tree_child (&tree, 0, i * 7 % 1000);
      call_tree_child (&tree, node, i % 3);
      call_tree_child (&tree, node, 10 + i % 3);
    }
  assert_true (call_tree_sort (&tree));
  uint32_t node = 0, visited = 1, callees = 0;
  while ((node = call_tree_next (&tree, node)) != 0)
    {
      const struct call_node *at = &tree.nodes[node];
      visited++;
      if (at->parent == 0)
        {
          assert_int_equal (at->key, callees);
          callees++;
        }
      else if (at->next != 0)
        assert_true (tree.nodes[at->next].key > at->key);
    }
  assert_int_equal (visited, tree.n);
  assert_int_equal (visited, 3001);
  call_tree_free (&tree);
}

/* A recording may have any addresses.  A list took a step for each pair.  */
TEST (a_function_may_call_a_hundred_thousand_others)
{
  enum
  {
    MANY = 100000
  };
  struct call_tree tree;
  assert_true (call_tree_init (&tree));
  alarm (20);
  for (unsigned round = 0; round < 2; round++)
    for (uint64_t i = 0; i < MANY; i++)
      assert_int_equal (call_tree_child (&tree, 0, i << 12), i + 1);
  assert_int_equal (tree.n, MANY + 1);
  /* By other keys.  */
  for (uint32_t i = 1; i <= MANY; i++)
    tree.nodes[i].key = MANY - i;
  assert_true (call_tree_sort (&tree));
  alarm (0);
  assert_int_equal (call_tree_find (&tree, 0, 1), MANY - 1);
  assert_int_equal (call_tree_find (&tree, 0, MANY), 0);
  assert_int_equal (tree.nodes[0].first, MANY);
  call_tree_free (&tree);
}

/* The core of an x86-64 thread, with three pieces of memory: one whole, one
   whose bytes are cut off, and one whose bytes would be behind the end.  */
enum
{
  CORE_NOTES = 0x200,
  CORE_MEMORY = 0x800,
  CORE_SIZE = 0xa00,
  PRSTATUS_SIZE = 336,
  PRSTATUS_REGISTERS_END = 112 + 8 * 20, /* up to rsp */
  PRPSINFO_SIZE = 136,
  PATH_SIZE = 40
};

static void
put_segment (uint8_t *core, unsigned index, uint32_t type, uint64_t offset,
             uint64_t address, uint64_t size)
{
  uint8_t *segment = core + 64 + 56 * (size_t)index;
  store_u32 (segment, type, false);
  store_u64 (segment + 8, offset, false);
  store_u64 (segment + 16, address, false);
  store_u64 (segment + 32, size, false);
  store_u64 (segment + 40, size, false);
}

static uint8_t *
put_note (uint8_t *at, uint32_t type, uint32_t size)
{
  store_u32 (at, 5, false);
  store_u32 (at + 4, size, false);
  store_u32 (at + 8, type, false);
  memcpy (at + 12, "CORE", 5);
  return at + 20;
}

/* Add a note of SIZE bytes, which are at the result, behind the others.  */
static uint8_t *
add_note (uint8_t *core, uint32_t type, size_t size)
{
  uint64_t used = load_u64 (core + 64 + 32, false);
  uint8_t *note = put_note (core + CORE_NOTES + used, type, (uint32_t)size);
  put_segment (core, 0, PT_NOTE, CORE_NOTES, 0,
               (uint64_t)(note - core) - CORE_NOTES
                   + ((size + 3) & ~(size_t)3));
  return note;
}

static void
make_core (uint8_t core[CORE_SIZE])
{
  memset (core, 0, CORE_SIZE);
  memcpy (core, ELFMAG, SELFMAG);
  core[EI_CLASS] = ELFCLASS64;
  core[EI_DATA] = ELFDATA2LSB;
  core[EI_VERSION] = EV_CURRENT;
  store_u16 (core + 16, ET_CORE, false);
  store_u16 (core + 18, EM_X86_64, false);
  store_u32 (core + 20, EV_CURRENT, false);
  store_u64 (core + 32, 64, false);
  store_u16 (core + 52, 64, false);
  store_u16 (core + 54, 56, false);
  store_u16 (core + 56, 4, false);
  uint8_t *status = add_note (core, NT_PRSTATUS, PRSTATUS_SIZE);
  store_u32 (status + 32, 4712, false);
  store_u64 (status + 112 + 8 * 16, 0x401234, false); /* rip */
  store_u64 (status + 112 + 8 * 19, 0x7ff010, false); /* rsp */
  uint8_t *info = add_note (core, NT_PRPSINFO, PRPSINFO_SIZE);
  store_u32 (info + 24, 4711, false);
  put_segment (core, 1, PT_LOAD, CORE_MEMORY, 0x7ff000, 0x100);
  put_segment (core, 2, PT_LOAD, CORE_SIZE - 0x80, 0x900000, 0x1000);
  put_segment (core, 3, PT_LOAD, CORE_SIZE + 0x3000, 0xa00000, 0x1000);
  for (unsigned i = CORE_MEMORY; i < CORE_SIZE; i++)
    core[i] = (uint8_t)i;
}

/* The same core with nothing missing.  */
static void
make_whole_core (uint8_t core[CORE_SIZE])
{
  make_core (core);
  put_segment (core, 2, PT_LOAD, CORE_SIZE - 0x80, 0x900000, 0x80);
  put_segment (core, 3, PT_LOAD, CORE_MEMORY, 0xa00000, 0);
}

/* An empty file; PATH becomes its name.  */
static int
create_file (char path[PATH_SIZE])
{
  strcpy (path, "/tmp/test_process.XXXXXX");
  int fd = mkstemp (path);
  assert_true (fd >= 0);
  return fd;
}

/* What core_open () says of a file of SIZE BYTES.  */
static struct core *
open_bytes (const uint8_t *bytes, size_t size, struct process *process,
            struct error *err)
{
  char path[PATH_SIZE];
  int fd = create_file (path);
  *process = (struct process){ .files = &files };
  error_clear (err);
  assert_int_equal (write (fd, bytes, size), size);
  close (fd);
  struct core *core = core_open (process, path, NULL, err);
  unlink (path);
  return core;
}

/* The same of one that is a core.  */
static struct core *
open_whole (const uint8_t *bytes, size_t size, struct process *process)
{
  struct error err;
  struct core *core = open_bytes (bytes, size, process, &err);
  assert_non_null (core);
  return core;
}

static bool
ends_with (const char *text, const char *end)
{
  size_t size = strlen (text), end_size = strlen (end);
  return size >= end_size
         && memcmp (text + size - end_size, end, end_size) == 0;
}

/* A file of SIZE BYTES is a core if REASON is NULL; otherwise it is refused,
   in a sentence that ends with REASON.  */
static void
expect_core (const uint8_t *bytes, size_t size, const char *reason,
             size_t case_number)
{
  struct process process;
  struct error err;
  struct core *core = open_bytes (bytes, size, &process, &err);
  if ((core == NULL) != (reason != NULL)
      || (reason != NULL && !ends_with (err.reason, reason)))
    fail_msg ("case %zu: %s", case_number, err.reason);
  if (reason != NULL && ends_with (reason, "not a core file"))
    assert_int_equal (err.status, CFI2SFRAME_NOT_ELF);
  if (reason != NULL && ends_with (reason, "that has no SFrame"))
    assert_int_equal (err.status, CFI2SFRAME_UNSUPPORTED);
  if (core != NULL)
    core_close (core, &process);
}

TEST (of_a_core_that_is_cut_off_the_rest_is_read)
{
  uint8_t core_bytes[CORE_SIZE], byte, word[8];
  struct process process;
  make_core (core_bytes);
  /* The kernel leaves out what is in files.  */
  store_u64 (core_bytes + 64 + 56 + 40, 0x1000, false);
  struct core *core = open_whole (core_bytes, CORE_SIZE, &process);
  assert_int_equal (process.pid, 4711);
  assert_int_equal (process.n_threads, 1);
  assert_int_equal (process.threads[0].tid, 4712);
  assert_true (process.threads[0].known);
  assert_int_equal (process.threads[0].registers.pc, 0x401234);
  assert_int_equal (process.threads[0].registers.values[7], 0x7ff010);
  assert_true (memory_read (&process.memory, 0x7ff010, word, 8));
  assert_int_equal (load_u64 (word, false), 0x1716151413121110);
  assert_true (memory_read (&process.memory, 0x7ff0ff, &byte, 1));
  assert_false (memory_read (&process.memory, 0x7ff100, &byte, 1));
  assert_true (memory_read (&process.memory, 0x90007f, &byte, 1));
  assert_int_equal (byte, 0xff);
  assert_false (memory_read (&process.memory, 0x900080, &byte, 1));
  assert_false (memory_read (&process.memory, 0xa00000, &byte, 1));
  assert_false (memory_read (&process.memory, 0, &byte, 1)); /* notes */
  assert_int_equal (core_missing (core), 0x1000 - 0x80 + 0x1000);
  core_close (core, &process);
}

/* Who lacks the threads should know that there is less of the file than there
   was.  */
TEST (of_a_core_without_threads_it_is_said_whether_it_was_cut_off)
{
  static const struct
  {
    uint64_t notes, notes_size, memory_size;
    bool cut;
  } cases[] = { { CORE_NOTES, 0, 0x80, false },
                { CORE_NOTES, 0, 0x81, true },
                { CORE_SIZE, 8, 0x80, true } };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      uint8_t bytes[CORE_SIZE];
      make_whole_core (bytes);
      put_segment (bytes, 0, PT_NOTE, cases[i].notes, 0, cases[i].notes_size);
      put_segment (bytes, 2, PT_LOAD, CORE_SIZE - 0x80, 0x900000,
                   cases[i].memory_size);
      struct process process;
      struct error err;
      assert_null (open_bytes (bytes, CORE_SIZE, &process, &err));
      bool said = ends_with (err.reason,
                             "it was cut off, and no threads are left in it");
      if (said != cases[i].cut)
        fail_msg ("%zu: %s", i, err.reason);
      if (!said)
        assert_string_equal (err.reason, "no threads in it");
    }
}

TEST (what_could_run_is_known_of_a_core)
{
  uint8_t bytes[CORE_SIZE];
  struct process process;
  make_core (bytes);
  put_segment (bytes, 2, PT_LOAD, CORE_MEMORY, 0x900000, 0);
  store_u32 (bytes + 64 + 2 * 56 + 4, PF_R | PF_X, false);
  store_u64 (bytes + 64 + 2 * 56 + 40, 0x2000, false); /* p_memsz */
  put_segment (bytes, 3, PT_LOAD, CORE_MEMORY, UINT64_MAX - 0xfff, 0x1001);
  struct core *core = open_whole (bytes, CORE_SIZE, &process);
  assert_int_equal (process.mappings.n, 2);
  assert_false (process_runs_at (&process, 0x7ff000));
  assert_true (process_runs_at (&process, 0x901fff));
  assert_null (mappings_at (&process.mappings, 0x902000));
  core_close (core, &process);
}

/* Without standard input its descriptor is given to the file.  */
TEST (a_core_may_be_descriptor_0)
{
  uint8_t bytes[CORE_SIZE];
  char path[PATH_SIZE];
  struct process process = { .files = &files };
  struct error err = { 0 };
  make_whole_core (bytes);
  int fd = create_file (path), input = dup (STDIN_FILENO);
  assert_true (input >= 0);
  assert_int_equal (write (fd, bytes, CORE_SIZE), CORE_SIZE);
  close (fd);
  close (STDIN_FILENO);
  errno = EINVAL; /* of anything before */
  struct core *core = core_open (&process, path, NULL, &err);
  bool used = fcntl (STDIN_FILENO, F_GETFD) >= 0;
  if (core != NULL)
    core_close (core, &process);
  bool closed = fcntl (STDIN_FILENO, F_GETFD) < 0;
  assert_int_equal (dup2 (input, STDIN_FILENO), STDIN_FILENO);
  close (input);
  unlink (path);
  if (core == NULL)
    fail_msg ("%s", err.reason);
  assert_true (used && closed);
}

/* A file that is larger than what may be mapped.  */
TEST (a_core_that_cannot_be_mapped_is_an_error)
{
  char path[PATH_SIZE];
  struct process process = { 0 };
  struct error err = { 0 };
  struct rlimit before, less;
  int fd = create_file (path);
  assert_int_equal (ftruncate (fd, (off_t)1 << 33), 0);
  close (fd);
  assert_int_equal (getrlimit (RLIMIT_AS, &before), 0);
  less = before;
  less.rlim_cur = (rlim_t)1 << 32;
  assert_int_equal (setrlimit (RLIMIT_AS, &less), 0);
  struct core *core = core_open (&process, path, NULL, &err);
  assert_int_equal (setrlimit (RLIMIT_AS, &before), 0);
  unlink (path);
  assert_null (core);
  assert_int_equal (err.status, CFI2SFRAME_IO);
  assert_string_equal (err.reason, "mmap: Cannot allocate memory");
}

/* Turn a core into a library: the second segment of memory is all of it, at
   0x30000, and the last program header is what a test wants.  */
static void
make_library (uint8_t bytes[CORE_SIZE], uint32_t type, uint64_t offset,
              uint64_t size)
{
  make_core (bytes);
  store_u16 (bytes + 16, ET_DYN, false);
  put_segment (bytes, 0, PT_LOAD, 0, 0x30000, CORE_SIZE);
  put_segment (bytes, 1, PT_NULL, 0, 0, 0);
  put_segment (bytes, 2, PT_NULL, 0, 0, 0);
  put_segment (bytes, 3, type, offset, 0x30000 + offset, size);
}

/* The note NT_FILE of N ranges: start, end and page of the file.  */
static void
put_ranges (uint8_t core[CORE_SIZE], const uint64_t (*ranges)[3], uint64_t n,
            const char *names, size_t names_size)
{
  uint8_t *note
      = add_note (core, NT_FILE, (2 + 3 * (size_t)n) * 8 + names_size);
  store_u64 (note, n, false);
  store_u64 (note + 8, 0x1000, false);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < 3; j++)
      store_u64 (note + 16 + 24 * i + 8 * j, ranges[i][j], false);
  memcpy (note + 16 + 24 * n, names, names_size);
}

/* Each child that maps something has a list of its own.  */
FIXTURE_TEST (lists_of_mappings_have_a_bound_in_sum)
{
  const struct walk_mapping report = { .start = 0x9000, .end = 0xa000 };
  struct process parent = { .files = &files }, child = parent, other = parent;
  for (uint64_t i = 1; i <= 100; i++)
    map (&parent, i << 16, (i << 16) + 0x8000, 0, 1, "/lib/many");
  assert_true (files.mappings >= 100);
  files.mappings = MAPPINGS_MAX - 300;
  assert_true (mappings_share (&child.mappings, &parent.mappings));
  assert_true (mappings_share (&other.mappings, &parent.mappings));
  assert_true (process_map (&child, &report));
  assert_false (process_map (&other, &report));
  /* Without its own, it has its parent's.  */
  assert_non_null (mappings_at (&other.mappings, 0x10000));
  process_free (&child);
  assert_true (process_map (&other, &report));
  assert_non_null (mappings_at (&other.mappings, 0x9000));
  process_free (&other);
  process_free (&parent);
}

FIXTURE_TEST (files_of_a_core_are_where_it_says)
{
  static const uint64_t ranges[][3] = { { 0x100000, 0x102000, 0 },
                                        { 0x901000, 0x902000, 5 },
                                        { 0xa00800, 0xa02000, 7 } };
  uint8_t bytes[CORE_SIZE];
  struct process process;
  code_files_free (&files);
  make_core (bytes);
  put_segment (bytes, 2, PT_LOAD, CORE_MEMORY, 0x900000, 0);
  store_u64 (bytes + 64 + 2 * 56 + 40, 0x3000, false); /* p_memsz */
  /* Contents that are nowhere: no pointer leads there.  */
  store_u64 (bytes + 64 + 3 * 56 + 8, UINT64_C (1) << 63, false);
  put_ranges (bytes, ranges, 3, "/lib/a\0/lib/b\0/lib/a", 21);
  struct core *core = open_whole (bytes, CORE_SIZE, &process);
  /* Without a segment: it was not changed.  */
  assert_mapping (&process, 0x100000, 0x102000, 0, "/lib/a");
  assert_true (process_runs_at (&process, 0x100000));
  assert_mapping (&process, 0x900000, 0x901000, 0, NULL);
  assert_mapping (&process, 0x901000, 0x902000, 0x5000, "/lib/b");
  assert_false (process_runs_at (&process, 0x901000));
  assert_mapping (&process, 0x902000, 0x903000, 0, NULL);
  /* One segment, the range in its end and behind that.  */
  assert_mapping (&process, 0xa00000, 0xa00800, 0, NULL);
  assert_mapping (&process, 0xa00800, 0xa02000, 0x7000, "/lib/a");
  assert_ptr_equal (mappings_at (&process.mappings, 0x100000)->file,
                    mappings_at (&process.mappings, 0xa01000)->file);
  assert_int_equal (files.n, 2);
  core_close (core, &process);
}

/* What a damaged note says of files up to the damage is taken.  */
FIXTURE_TEST (a_damaged_list_of_files_is_read_as_far_as_it_goes)
{
  static const struct
  {
    uint64_t n; /* ranges, as the note says */
    uint64_t ranges[2][3];
    const char *names;
    size_t names_size;
    unsigned found;
  } cases[] = {
    { 2, { { 0x1000, 0x2000, 0 }, { 0x2000, 0x3000, 0 } }, "/a\0/b", 6, 2 },
    { 2, { { 0x1000, 0x2000, 0 }, { 0x2000, 0x3000, 0 } }, "/a\0/b", 5, 1 },
    { 2, { { 0x1000, 0x2000, 0 }, { 0x1800, 0x3000, 0 } }, "/a\0/b", 6, 1 },
    { 2, { { 0x1000, 0x2000, 0 }, { 0x2000, 0x2000, 0 } }, "/a\0/b", 6, 1 },
    { 2,
      { { 0x1000, 0x2000, 0 }, { 0x2000, UINT64_MAX, UINT64_MAX } },
      "/a\0/b",
      6,
      2 },
    { 3, { { 0x1000, 0x2000, 0 }, { 0x2000, 0x3000, 0 } }, "/a\0/b", 6, 0 },
    { UINT64_MAX, { { 0x1000, 0x2000, 0 } }, "/a\0/b", 6, 0 },
    { UINT64_MAX / 24 + 1, { { 0x1000, 0x2000, 0 } }, "/a\0/b", 6, 0 },
    { UINT64_MAX / 3 + 1, { { 0x1000, 0x2000, 0 } }, "/a\0/b", 6, 0 },
    { 0, { { 0x1000, 0x2000, 0 } }, "/a\0/b", 6, 0 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      uint8_t bytes[CORE_SIZE];
      struct process process;
      make_core (bytes);
      uint64_t at = load_u64 (bytes + 64 + 32, false);
      put_ranges (bytes, cases[i].ranges, 2, cases[i].names,
                  cases[i].names_size);
      store_u64 (bytes + CORE_NOTES + at + 20, cases[i].n, false);
      struct core *core = open_whole (bytes, CORE_SIZE, &process);
      if (files.n != cases[i].found)
        fail_msg ("case %zu: %u", i, files.n);
      core_close (core, &process);
      code_files_free (&files);
    }
}

/* Of registers that are cut off nothing is known.  */
FIXTURE_TEST (of_a_thread_all_registers_are_needed)
{
  for (unsigned size = PRSTATUS_REGISTERS_END - 1;
       size <= PRSTATUS_REGISTERS_END; size++)
    {
      uint8_t bytes[CORE_SIZE];
      struct process process;
      struct error err;
      make_whole_core (bytes);
      store_u64 (bytes + 64 + 32, 0, false); /* no notes */
      uint8_t *status = add_note (bytes, NT_PRSTATUS, size);
      store_u32 (status + 32, 7, false);
      struct core *core = open_bytes (bytes, CORE_SIZE, &process, &err);
      assert_int_equal (core != NULL, size == PRSTATUS_REGISTERS_END);
      if (core == NULL)
        continue;
      assert_int_equal (process.pid, 7);
      assert_int_equal (process.threads[0].registers.n, 17);
      core_close (core, &process);
    }
}

/* A core of N program headers of TYPE at STEPs, each with all NOTES bytes of
   notes, which are behind them.  */
static uint8_t *
make_large_core (unsigned n, uint32_t type, uint64_t step, size_t notes,
                 size_t *size)
{
  uint8_t small[CORE_SIZE];
  size_t head = 64 + 56 * (size_t)n;
  *size = head + notes;
  uint8_t *bytes = calloc (1, *size);
  assert_non_null (bytes);
  make_core (small);
  memcpy (bytes, small, 64);
  store_u16 (bytes + 56, (uint16_t)n, false);
  for (unsigned k = 0; k < n; k++)
    put_segment (bytes, k, k == 0 ? PT_NOTE : type, head,
                 0x100000000000 + k * step,
                 k == 0 || type == PT_NOTE ? notes : 8);
  return bytes;
}

/* Nothing is gone through for each of what there may be a mass of.  These were
   hours.  */
FIXTURE_TEST (cores_that_are_made_to_keep_readers_busy_do_not)
{
  enum
  {
    MANY = 60000,
    NOTE = 20 + PRSTATUS_SIZE
  };
  static const struct
  {
    uint32_t type;
    uint64_t step;
  } cases[] = { { PT_NOTE, 0 },       /* the same notes again and again */
                { PT_LOAD, 0x1000 },  /* segments in order ... */
                { PT_LOAD, -0x1000 }, /* ... in reverse */
                { PT_LOAD, 0 } };     /* ... at one address */
  alarm (120);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      size_t size;
      struct process process;
      uint8_t *bytes = make_large_core (MANY, cases[i].type, cases[i].step,
                                        (size_t)MANY * NOTE, &size);
      uint8_t *notes = bytes + size - (size_t)MANY * NOTE;
      for (unsigned k = 0; k < MANY; k++)
        store_u32 (
            put_note (notes + (size_t)k * NOTE, NT_PRSTATUS, PRSTATUS_SIZE)
                + 32,
            k, false);
      struct core *core = open_whole (bytes, size, &process);
      assert_int_equal (process.n_threads, MANY);
      if (cases[i].step != 0)
        assert_int_equal (process.mappings.n, MANY - 1);
      core_close (core, &process);
      free (bytes);
    }
  alarm (0);
}

/* As many files, each with a name of its own.  */
FIXTURE_TEST (a_core_of_many_files_is_read_at_once)
{
  enum
  {
    MANY = 60000,
    NAME = 8
  };
  size_t size, words = 2 + 3 * (size_t)MANY;
  struct process process;
  struct error err;
  uint8_t *bytes = make_large_core (
      1, PT_NOTE, 0, 20 + PRSTATUS_SIZE + 20 + 8 * words + MANY * NAME, &size);
  uint8_t *at = put_note (bytes + 64 + 56, NT_PRSTATUS, PRSTATUS_SIZE);
  at = put_note (at + PRSTATUS_SIZE, NT_FILE,
                 (uint32_t)(8 * words + MANY * NAME));
  store_u64 (at, MANY, false);
  for (unsigned k = 0; k < MANY; k++)
    {
      store_u64 (at + 16 + 24 * k, 0x1000 * (uint64_t)k, false);
      store_u64 (at + 24 + 24 * k, 0x1000 * (uint64_t)k + 0x800, false);
      snprintf ((char *)at + 8 * words + (size_t)NAME * k, NAME, "/%06u",
                k * 7919 % MANY);
    }
  alarm (60);
  struct core *core = open_bytes (bytes, size, &process, &err);
  alarm (0);
  assert_non_null (core);
  assert_int_equal (files.n, MANY);
  assert_int_equal (process.mappings.n, MANY);
  core_close (core, &process);
  free (bytes);
}

/* All mappings were gone through for each file.  */
FIXTURE_TEST (files_of_a_core_are_looked_for_at_once)
{
  enum
  {
    MANY = 200000
  };
  uint64_t offset;
  struct process process = { .files = &files,
                             .arch = &arch_amd64,
                             .open_file = file_finder_open };
  alarm (30);
  for (uint64_t i = 1; i <= MANY; i++)
    {
      char path[PATH_SIZE];
      snprintf (path, sizeof path, "/nonexistent/%" PRIu64, i);
      const struct walk_mapping report
          = { .start = i << 16, .end = (i << 16) + 0x8000, .path = path };
      assert_true (process_map (&process, &report));
    }
  for (uint64_t i = 1; i <= MANY; i++)
    assert_null (process_file_at (&process, i << 16, &offset)->image.bytes);
  alarm (0);
  process_free (&process);
}

/* What is mapped of a file that is gone is copied, but not without end: a core
   has the same bytes at as many addresses as its maker likes.  */
FIXTURE_TEST (copies_of_files_have_a_bound_in_sum)
{
  static uint8_t page[4096];
  struct process process = { .files = &files, .arch = &arch_amd64 };
  make_library (page, PT_NULL, 0, 0);
  for (uint64_t i = 1; i <= 3; i++)
    {
      char path[PATH_SIZE];
      snprintf (path, sizeof path, "/nonexistent/%" PRIu64, i);
      const struct walk_mapping report
          = { .start = i << 16, .end = (i << 16) + sizeof page, .path = path };
      assert_true (process_map (&process, &report));
      assert_true (memory_add (&process.memory, i << 16, page, sizeof page));
      if (i == 2)
        files.copied = FILES_COPIED_MAX - sizeof page;
      int fd = file_finder_open (&process,
                                 mappings_at (&process.mappings, i << 16));
      assert_int_equal (fd >= 0, i < 3);
      if (fd >= 0)
        close (fd);
    }
  process_free (&process);
}

/* Put a build-id that is made of DIGIT into a library of make_library.  */
static void
put_build_id (uint8_t bytes[CORE_SIZE], uint8_t digit)
{
  make_library (bytes, PT_NOTE, 0x900, 36);
  uint8_t *note = bytes + 0x900;
  store_u32 (note, 4, false);
  store_u32 (note + 4, 20, false);
  store_u32 (note + 8, NT_GNU_BUILD_ID, false);
  memcpy (note + 12, "GNU", 4);
  memset (note + 16, digit, 20);
}

/* A name in a core is of the file that was mapped if the core has that file's
   build-id, or its first page; if the core has neither, if the file is older
   than the core.  */
FIXTURE_TEST (of_a_core_only_the_file_that_was_mapped_is_opened)
{
  static const struct
  {
    uint8_t mapped, there; /* digits of build-ids; 0: there is none */
    bool in_memory, changed, newer, found;
  } cases[] = {
    { .mapped = 1, .there = 1, .in_memory = true, .found = true },
    /* Converted, or without symbols, by now.  */
    { 1, 1, true, true, true, true },
    { .mapped = 1, .there = 2, .in_memory = true },
    { .mapped = 1, .there = 0, .in_memory = true },
    { .mapped = 0, .there = 1, .in_memory = true },
    { .mapped = 0, .there = 0, .in_memory = true, .found = true },
    { .mapped = 0, .there = 0, .in_memory = true, .changed = true },
    { .mapped = 0, .there = 0, .found = true },
    { .mapped = 0, .there = 0, .newer = true },
    { .mapped = 0, .there = 1, .found = true },
    { .mapped = 0, .there = 1, .newer = true },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      char path[PATH_SIZE];
      struct stat status;
      static uint8_t page[4096];
      uint8_t bytes[CORE_SIZE];
      struct process process = { .files = &files, .arch = &arch_amd64 };
      struct mapped_identity unknown = { 0 };
      int fd = create_file (path);
      make_library (bytes, PT_NULL, 0, 0);
      if (cases[i].mapped != 0)
        put_build_id (bytes, cases[i].mapped);
      memcpy (page, bytes, sizeof bytes);
      make_library (bytes, PT_NULL, 0, 0);
      if (cases[i].there != 0)
        put_build_id (bytes, cases[i].there);
      bytes[0x700] = cases[i].changed;
      assert_int_equal (write (fd, bytes, sizeof bytes), sizeof bytes);
      assert_int_equal (fstat (fd, &status), 0);
      process.dumped = status.st_ctime + (cases[i].newer ? -5 : 5);
      const struct mapping mapping
          = { .start = 0x30000,
              .end = 0x31000,
              .file = code_files_get (&files, path, &unknown) };
      assert_true (
          mappings_put (&process.mappings, &files.mappings, &mapping));
      if (cases[i].in_memory)
        memory_add (&process.memory, 0x30000, page, sizeof page);
      int opened = file_finder_open (&process, process.mappings.list);
      /* What is not found is copied from memory.  */
      struct stat found = { 0 };
      bool any = opened >= 0 && fstat (opened, &found) == 0;
      if ((any && found.st_ino == status.st_ino) != cases[i].found)
        fail_msg ("case %zu", i);
      if (any != (cases[i].found || cases[i].in_memory))
        fail_msg ("case %zu, copy", i);
      if (opened >= 0)
        close (opened);
      process_free (&process);
      code_files_free (&files);
      close (fd);
      unlink (path);
    }
}

/* How it begins is found by a list that takes memory.  */
FIXTURE_TEST (
    without_memory_another_file_is_not_taken_for_the_one_that_was_mapped)
{
  char path[PATH_SIZE];
  struct stat status;
  static uint8_t page[4096];
  uint8_t bytes[CORE_SIZE];
  struct process process = { .files = &files, .arch = &arch_amd64 };
  int fd = create_file (path);
  make_library (bytes, PT_NULL, 0, 0);
  memcpy (page, bytes, sizeof bytes);
  page[0x700] = 1;
  assert_int_equal (write (fd, bytes, sizeof bytes), sizeof bytes);
  assert_int_equal (fstat (fd, &status), 0);
  process.dumped = status.st_ctime + 5;
  const struct walk_mapping report
      = { .start = 0x30000, .end = 0x31000, .path = path };
  assert_true (process_map (&process, &report));
  memory_add (&process.memory, 0x30000, page, sizeof page);
  allocations_granted = 0;
  allocations_fail_lastingly = true;
  int opened = file_finder_open (&process, process.mappings.list);
  allocations_granted = UINT_MAX;
  allocations_fail_lastingly = false;
  assert_int_equal (opened, -1);
  process_free (&process);
  close (fd);
  unlink (path);
}

/* The rows of a file are in the file.  */
FIXTURE_TEST (the_section_is_in_the_file)
{
  static const struct
  {
    uint32_t type;
    uint64_t offset, size;
    uint8_t version, flags;
    const char *reason; /* NULL: there is one */
  } cases[] = {
    { PT_GNU_SFRAME, 0x900, 0x40, 3, SFRAME_FLAG_SORTED, NULL },
    { PT_GNU_SFRAME, 0x900, CORE_SIZE - 0x900, 1, SFRAME_FLAG_SORTED, NULL },
    { PT_GNU_SFRAME, 0x900, 0x40, 9, SFRAME_FLAG_SORTED,
      "its .sframe cannot be read" },
    { PT_GNU_SFRAME, 0x900, 0x40, 3, 0, "its .sframe cannot be read" },
    { PT_GNU_SFRAME, CORE_SIZE, 0, 3, SFRAME_FLAG_SORTED,
      "it has no .sframe" },
    { PT_GNU_SFRAME, 0x900, CORE_SIZE - 0x900 + 1, 3, SFRAME_FLAG_SORTED,
      "segment 3 lies outside the file" },
    { PT_NOTE, 0x900, 0x40, 3, SFRAME_FLAG_SORTED, "it has no .sframe" },
  };
  /* A section without functions, for x86-64.  */
  uint8_t header[28] = { 0xe2, 0xde, 0, 0, 3, 0, 0xf8 };
  const struct section_policy policy = { .only_sframe = true };
  const struct mapped_identity unknown = { 0 };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      char path[PATH_SIZE];
      uint8_t bytes[CORE_SIZE];
      struct sfw_section section;
      uint64_t address;
      int fd = create_file (path);
      unlink (path);
      make_library (bytes, cases[i].type, cases[i].offset, cases[i].size);
      header[2] = cases[i].version;
      header[3] = cases[i].flags;
      memcpy (bytes + 0x900, header, sizeof header);
      assert_int_equal (write (fd, bytes, sizeof bytes), sizeof bytes);
      struct code_file *file = code_files_get (&files, path, &unknown);
      assert_non_null (file);
      code_file_take (file, fd);
      bool found
          = code_file_section (file, &policy, 0x123, &section, &address);
      assert_int_equal (found, cases[i].reason == NULL);
      if (!found)
        assert_string_equal (file->rows.reason, cases[i].reason);
      else
        {
          assert_int_equal (file->rows.origin, SECTION_OWN);
          assert_int_equal (address, 0x30123);
          assert_int_equal (section.address, 0x30900);
          assert_int_equal (section.size, cases[i].size);
          assert_memory_equal (section.bytes, bytes + cases[i].offset,
                               cases[i].size);
        }
      code_files_free (&files);
    }
}

/* The file that was mapped may be gone, and another one have its name.  */
TEST (only_the_file_that_was_mapped_is_opened)
{
  char path[PATH_SIZE];
  struct stat status;
  uint8_t bytes[CORE_SIZE];
  struct process process = { .files = &files };
  int fd = create_file (path);
  make_library (bytes, PT_NULL, 0, 0);
  assert_int_equal (write (fd, bytes, sizeof bytes), sizeof bytes);
  assert_int_equal (fstat (fd, &status), 0);
  for (unsigned i = 0; i < 4; i++)
    {
      struct mapping mapping = { .end = 0x1000 };
      const struct mapped_identity identity
          = { .device = status.st_dev + (i == 1),
              .inode = i == 3 ? 0 : status.st_ino + (i == 2) };
      mapping.file = code_files_get (&files, path, &identity);
      code_file_take (mapping.file, file_finder_open (&process, &mapping));
      assert_true (mapping.file->opened);
      assert_int_equal (mapping.file->image.bytes != NULL, i == 0);
      if (i > 0)
        assert_string_equal (mapping.file->rows.reason,
                             "its file was not found");
    }
  process_free (&process);
  code_files_free (&files);
  unlink (path);
  close (fd);
}

/* On btrfs stat (2) tells of another device than the list of mappings: names
   were looked for in a copy of memory, which has no table of symbols.  */
TEST (a_file_on_another_device_is_known_by_how_it_begins)
{
  for (unsigned i = 0; i < 3; i++)
    {
      char path[PATH_SIZE];
      struct stat status, found;
      uint8_t bytes[CORE_SIZE];
      struct process process = { .files = &files };
      int fd = create_file (path);
      make_library (bytes, PT_NULL, 0, 0);
      assert_int_equal (write (fd, bytes, sizeof bytes), sizeof bytes);
      assert_int_equal (fstat (fd, &status), 0);
      const struct walk_mapping report = { .start = 0x700000,
                                           .end = 0x701000,
                                           .path = path,
                                           .device = status.st_dev + 1,
                                           .inode = status.st_ino,
                                           .runs = true };
      /* Another one has its inode, or it was emptied.  */
      bytes[100] ^= i == 1;
      assert_int_equal (ftruncate (fd, i == 2 ? 0 : sizeof bytes), 0);
      assert_true (
          process_map (&process, &report)
          && memory_add (&process.memory, 0x700000, bytes, sizeof bytes));
      int opened = file_finder_open (
          &process, mappings_at (&process.mappings, 0x700000));
      assert_int_equal (fstat (opened, &found), 0);
      assert_int_equal (found.st_ino == status.st_ino, i == 0);
      close (opened);
      close (fd);
      unlink (path);
      process_free (&process);
      code_files_free (&files);
    }
}

TEST (a_core_that_is_not_there_cannot_be_opened)
{
  struct process process = { 0 };
  struct error err = { 0 };
  assert_null (core_open (&process, "/nonexistent/core", NULL, &err));
  assert_int_equal (err.status, CFI2SFRAME_IO);
  assert_string_equal (err.reason, "cannot open: No such file or directory");
}

TEST (what_is_no_core_is_refused)
{
  static const struct
  {
    size_t size, at; /* of the file; of the two bytes that become VALUE */
    uint16_t value;
    const char *reason;
  } cases[] = {
    { CORE_SIZE, 16, ET_CORE, NULL }, /* as it is */
    { 0, 16, ET_CORE, "not a core file" },
    { CORE_SIZE, 16, ET_DYN, "not a core file" },
    { CORE_SIZE, 0, 0, "not a core file" },
    { CORE_SIZE, 18, EM_PPC64, "the core of a machine that has no SFrame" },
    /* x32 */
    { CORE_SIZE, EI_CLASS, ELFDATA2LSB << 8 | ELFCLASS32,
      "the core of a machine that has no SFrame" },
    /* Where program headers should be is nothing.  */
    { CORE_SIZE, 32, CORE_SIZE + 64,
      "it was cut off, and no threads are left in it" },
    { 15, 0, 0x8b1f, "gzip cannot decompress it, or there is no space" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      uint8_t bytes[CORE_SIZE];
      make_core (bytes);
      store_u16 (bytes + cases[i].at, cases[i].value, false);
      expect_core (bytes, cases[i].size, cases[i].reason, i);
    }
}

/* The byte order is part of what a machine is.  There are no threads in these
   cores, so that those of known machines are refused for that.  */
TEST (machines_of_both_byte_orders_have_cores)
{
  static const struct
  {
    uint16_t machine;
    bool big_endian, known;
  } cases[] = {
    { EM_X86_64, false, true },  { EM_X86_64, true, false },
    { EM_AARCH64, false, true }, { EM_AARCH64, true, true },
    { EM_S390, false, false },   { EM_S390, true, true },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      bool big_endian = cases[i].big_endian;
      uint8_t bytes[CORE_SIZE] = ELFMAG;
      bytes[EI_CLASS] = ELFCLASS64;
      bytes[EI_DATA] = big_endian ? ELFDATA2MSB : ELFDATA2LSB;
      bytes[EI_VERSION] = EV_CURRENT;
      store_u16 (bytes + 16, ET_CORE, big_endian);
      store_u16 (bytes + 18, cases[i].machine, big_endian);
      store_u32 (bytes + 20, EV_CURRENT, big_endian);
      store_u16 (bytes + 52, 64, big_endian);
      struct process process;
      struct error err;
      assert_null (open_bytes (bytes, CORE_SIZE, &process, &err));
      if (ends_with (err.reason, "that has no SFrame") == cases[i].known)
        fail_msg ("case %zu: %s", i, err.reason);
    }
}

TEST (without_memory_there_is_no_core)
{
  uint8_t bytes[CORE_SIZE];
  struct process process;
  struct error err = { 0 };
  unsigned n = 0;
  make_whole_core (bytes);
  allocations_granted = 0;
  assert_null (open_bytes (bytes, CORE_SIZE, &process, &err));
  assert_int_equal (err.status, CFI2SFRAME_NO_MEMORY);
  do
    {
      allocations_granted = ++n;
      struct core *core = open_bytes (bytes, CORE_SIZE, &process, &err);
      assert_int_equal (err.status,
                        core != NULL ? CFI2SFRAME_OK : CFI2SFRAME_NO_MEMORY);
      if (core == NULL)
        continue;
      assert_int_equal (process.mappings.n, 2);
      core_close (core, &process);
    }
  while (allocations_granted == UINT_MAX);
  allocations_granted = UINT_MAX;
}

static bool
is_mapped (const char *words)
{
  char line[500];
  bool found = false;
  FILE *maps = fopen ("/proc/self/maps", "r");
  assert_non_null (maps);
  while (fgets (line, sizeof line, maps) != NULL)
    found |= strstr (line, words) != NULL;
  fclose (maps);
  return found;
}

TEST (nothing_is_left_of_a_closed_core)
{
  uint8_t bytes[CORE_SIZE];
  struct process process;
  struct error err = { 0 };
  int before = dup (0);
  close (before);
  make_core (bytes);
  struct core *core = open_whole (bytes, CORE_SIZE, &process);
  assert_true (is_mapped ("/tmp/test_process."));
  core_close (core, &process);
  assert_false (is_mapped ("/tmp/test_process."));
  store_u16 (bytes + 18, EM_PPC64, false);
  assert_null (open_bytes (bytes, CORE_SIZE, &process, &err));
  assert_false (is_mapped ("/tmp/test_process."));
  int after = dup (0);
  close (after);
  assert_int_equal (before, after);
}

static void
create_fifo (char path[PATH_SIZE])
{
  close (create_file (path));
  unlink (path);
  assert_int_equal (mkfifo (path, 0600), 0);
}

TEST (a_fifo_is_no_core)
{
  char fifo[PATH_SIZE];
  struct process process = { 0 };
  struct error err = { 0 };
  create_fifo (fifo);
  alarm (60);
  assert_null (core_open (&process, fifo, NULL, &err));
  alarm (0);
  unlink (fifo);
  assert_int_equal (err.status, CFI2SFRAME_NOT_ELF);
  assert_string_equal (err.reason, "not a core file");
}

static int
remove_path (const char *path, const struct stat *status, int type,
             struct FTW *where)
{
  (void)status;
  (void)type;
  (void)where;
  return remove (path);
}

/* Have the file of a mapping change.  */
static void
change_a_mapped_file (void)
{
  char path[PATH_SIZE];
  struct error err;
  size_t size;
  int fd = create_file (path);
  assert_int_equal (write (fd, path, sizeof path), sizeof path);
  const void *bytes = mapped_file_open (fd, &size, &err);
  assert_non_null (bytes);
  assert_int_equal (ftruncate (fd, 1), 0);
  mapped_file_close (bytes, size);
  assert_false (mapped_files_check (&err));
  close (fd);
  unlink (path);
}

/* Rows that took long to make were not kept, without a word, after any file
   that was mapped had changed.  */
TEST (rows_are_kept_unless_their_own_file_has_changed)
{
  static const uint8_t rows[8] = "rows";
  const struct sfw_section section = { rows, sizeof rows, 0x30900 };
  char folder[] = "/tmp/test_process.XXXXXX";
  struct error err;
  struct image image;
  struct detached_file found;
  assert_non_null (mkdtemp (folder));
  assert_int_equal (setenv ("XDG_CACHE_HOME", folder, 1), 0);
  int fd = open ("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  assert_true (image_open_fd (&image, fd, &err));
  change_a_mapped_file ();
  XXH128_hash_t digest = row_cache_digest (&image), other = digest;
  other.low64++;
  row_cache_keep (&image, other, &section);
  assert_false (row_cache_find (&image, other, &found));
  row_cache_keep (&image, digest, &section);
  assert_true (row_cache_find (&image, digest, &found));
  assert_int_equal (found.address, section.address);
  assert_int_equal (found.size, section.size);
  assert_memory_equal (found.section, rows, sizeof rows);
  image_close (&found.image);
  image_close (&image);
  unsetenv ("XDG_CACHE_HOME");
  nftw (folder, remove_path, 8, FTW_DEPTH | FTW_PHYS);
}

static bool
take_any (void *context, char *line)
{
  (void)context;
  return line[0] != '\0';
}

/* A folder can be opened, and its lines cannot be read.  */
TEST (lines_that_cannot_be_read_are_not_the_end)
{
  FILE *file = fopen (".", "r");
  assert_non_null (file);
  assert_false (lines_take (file, '\n', take_any, NULL));
  file = fopen ("/dev/null", "r");
  assert_non_null (file);
  assert_true (lines_take (file, '\n', take_any, NULL));
}

/* The kernel prints it as it is, in front of the state.  */
TEST (a_thread_may_have_any_name)
{
  char name[16];
  assert_int_equal (prctl (PR_GET_NAME, name), 0);
  assert_int_equal (prctl (PR_SET_NAME, "a) Z\nb) T"), 0);
  assert_int_equal (live_thread_state (getpid (), getpid ()), 'R');
  assert_int_equal (prctl (PR_SET_NAME, name), 0);
}

/* A file that grows whenever a size has been asked for; NULL: none.  */
static FILE *grows;
static const char later_line[] = "2000 10 later\n";

static void
grow (void)
{
  if (grows == NULL)
    return;
  fputs (later_line, grows);
  fflush (grows);
}

int __wrap_fstat (int fd, struct stat *status);
int __real_fstat (int fd, struct stat *status);
int
__wrap_fstat (int fd, struct stat *status)
{
  int result = __real_fstat (fd, status);
  grow ();
  return result;
}

struct stat64;
int __wrap_fstat64 (int fd, struct stat64 *status);
int __real_fstat64 (int fd, struct stat64 *status);
int
__wrap_fstat64 (int fd, struct stat64 *status)
{
  int result = __real_fstat64 (fd, status);
  grow ();
  return result;
}

/* Read the names of a map with TEXT, which grows, if MAY_GROW, when its size
   has been asked for.  */
static void
read_map (struct jit_names *names, struct jit_sums *sums, const char *text,
          bool may_grow)
{
  char folder[] = "/tmp/test-names-XXXXXX", path[sizeof folder + 32];
  assert_non_null (mkdtemp (folder));
  snprintf (path, sizeof path, "%s/perf-%d.map", folder, (int)getpid ());
  *sums = (struct jit_sums){ .descriptors = 1 };
  FILE *file = fopen (path, "w");
  assert_non_null (file);
  fputs (text, file);
  fflush (file);
  *names = (struct jit_names){ .pid = getpid (),
                               .own_pid = getpid (),
                               .folder = open (folder, O_PATH | O_DIRECTORY),
                               .dump = -1,
                               .user = geteuid (),
                               .sums = sums };
  grows = may_grow ? file : NULL;
  jit_names_at (names, 0);
  grows = NULL;
  assert_int_equal (ftell (file) > (long)strlen (text), may_grow);
  fclose (file);
  unlink (path);
  rmdir (folder);
}

/* The names of NAMES at addresses, from 0 on: '-' where there is none.  */
static void
assert_names (struct jit_names *names, const char *expected)
{
  for (size_t i = 0; expected[i] != '\0'; i++)
    {
      const struct jit_name *found = jit_names_at (names, i);
      assert_int_equal (found != NULL ? found->name[0] : '-', expected[i]);
    }
}

/* What comes when the size has been looked at could be without end.  */
TEST (names_that_are_written_meanwhile_are_not_read)
{
  struct jit_sums sums;
  struct jit_names names;
  read_map (&names, &sums, "1 2 first\n", true);
  assert_names (&names, "-ff--");
  assert_null (jit_names_at (&names, 0x2000));
  jit_names_free (&names);
  assert_true (sums.names == 0 && sums.descriptors == 0);
}

/* A compiler that collects code makes other code there, of other sizes.  */
TEST (code_in_no_file_is_called_as_the_newest_that_was_made_there)
{
  static const struct
  {
    const char *map, *names; /* at 0, 1, 2 ... */
  } rows[] = {
    { "1 4 a\n5 3 b\n", "-aaaabbb-" },
    { "1 4 a\n5 3 b\n1 7 c\n", "-ccccccc-" },
    { "1 7 a\n3 2 b\n", "-aabbaaa-" },
    { "1 7 a\n3 2 b\n2 2 c\n", "-accbaaa-" },
    { "1 2 a\n2 2 b\n3 2 c\n4 2 d\n2 3 e\n", "-aeeed-" },
    { "2 2 a\n2 2 b\n2 1 c\n", "--cb-" },
    { "fffffffffffffff0 20 a\n", "--" },
    { "2 ffffffffffffffff a\n5 1 b\n", "--aaabaa" },
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    {
      struct jit_sums sums;
      struct jit_names names;
      read_map (&names, &sums, rows[i].map, false);
      assert_names (&names, rows[i].names);
      jit_names_free (&names);
    }
}

/* As of a build whose compilers are programs with code of their own.  */
TEST (names_of_many_processes_leave_descriptors_for_other_files)
{
  enum
  {
    MANY = 1000
  };
  struct jit_sums sums = { 0 };
  struct jit_names *names = calloc (MANY, sizeof *names);
  unsigned kept = 0;
  assert_non_null (names);
  for (unsigned i = 0; i < MANY; i++)
    {
      jit_names_open (&names[i], getpid (), false, dup (STDOUT_FILENO), &sums);
      kept += (names[i].folder >= 0) + (names[i].dump >= 0);
    }
  int free_one = dup (STDOUT_FILENO);
  close (free_one);
  for (unsigned i = 0; i < MANY; i++)
    jit_names_free (&names[i]);
  free (names);
  assert_in_range (free_one, 3, 300);
  assert_int_equal (kept, 256);
  assert_int_equal (sums.descriptors, 0);
}

/* What happens to the child between two requests.  */
static bool killed_when_asked;
static int forks_when_seized = -1; /* a byte here has it wait for a vfork */
static int grows_when_seized = -1; /* a byte here has it make a thread */
static int ends_when_asked = -1;   /* a byte here ends the thread */

static void
await_state (pid_t pid, char state)
{
  while (live_thread_state (pid, pid) != state)
    usleep (1000);
}

static size_t
count_threads (pid_t pid)
{
  size_t n = 0;
  DIR *threads = live_threads (pid);
  while (live_next_thread (threads) != 0)
    n++;
  closedir (threads);
  return n;
}

long __wrap_ptrace (enum __ptrace_request request, pid_t tid, void *address,
                    void *data);
long __real_ptrace (enum __ptrace_request request, pid_t tid, void *address,
                    void *data);
long
__wrap_ptrace (enum __ptrace_request request, pid_t tid, void *address,
               void *data)
{
  if (killed_when_asked && request == PTRACE_INTERRUPT)
    kill (tid, SIGKILL);
  if (forks_when_seized >= 0 && request == PTRACE_INTERRUPT)
    {
      assert_int_equal (write (forks_when_seized, "", 1), 1);
      await_state (tid, 'D');
    }
  if (grows_when_seized >= 0 && request == PTRACE_INTERRUPT)
    {
      size_t n = count_threads (tid);
      assert_int_equal (write (grows_when_seized, "", 1), 1);
      while (count_threads (tid) == n)
        usleep (100);
    }
  if (ends_when_asked >= 0 && request == PTRACE_SEIZE)
    {
      assert_int_equal (write (ends_when_asked, "", 1), 1);
      while (live_thread_state (tid, tid) != '\0')
        usleep (100);
    }
  return __real_ptrace (request, tid, address, data);
}

static bool registers_unknown; /* of threads that wait */

bool __wrap_live_waiting_registers (pid_t pid, pid_t tid,
                                    struct registers *registers);
bool __real_live_waiting_registers (pid_t pid, pid_t tid,
                                    struct registers *registers);
bool
__wrap_live_waiting_registers (pid_t pid, pid_t tid,
                               struct registers *registers)
{
  return !registers_unknown
         && __real_live_waiting_registers (pid, tid, registers);
}

/* A process that waits, or does what RUN does.  */
static pid_t
child_start (void *(*run) (void *), void *argument)
{
  pid_t child = fork ();
  assert_true (child >= 0);
  if (child > 0)
    return child;
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (run != NULL)
    run (argument);
  for (;;)
    pause ();
}

static void
child_end (pid_t child)
{
  kill (child, SIGKILL);
  waitpid (child, NULL, 0);
}

/* No thread was stopped, so that nothing is known of any registers.  */
TEST (a_process_may_end_before_it_stops)
{
  struct process process = { .files = &files };
  struct error err = { 0 };
  pid_t child = child_start (NULL, NULL);
  assert_true (live_open (&process, child, &err));
  killed_when_asked = true;
  assert_false (live_stop (&process, false, &err));
  killed_when_asked = false;
  live_close (&process);
  child_end (child);
  /* Where nothing may be traced.  */
  if (strstr (err.reason, "ptrace") != NULL)
    skip ();
  assert_string_equal (err.reason, "it ended meanwhile");
}

/* How many stacks of a process with one thread are cut if copies have MOST
   bytes in sum; -1 if it cannot be stopped.  */
static int
stacks_cut (pid_t pid, uint64_t most)
{
  struct process process = { .files = &files };
  struct error err = { 0 };
  assert_true (live_open (&process, pid, &err));
  process.memory.most = most;
  int cut = -1;
  if (live_stop (&process, false, &err))
    {
      cut = (int)live_copy_stacks (&process, 1 << 20);
      live_resume (&process);
    }
  live_close (&process);
  return cut;
}

TEST (stacks_that_are_not_copied_whole_are_counted)
{
  pid_t child = child_start (NULL, NULL);
  int little = stacks_cut (child, 64), enough = stacks_cut (child, 2 << 20);
  child_end (child);
  if (little < 0 || enough < 0)
    skip ();
  assert_int_equal (little, 1);
  assert_int_equal (enough, 0);
}

/* A process that is busy until GO has a byte, waits in the kernel for a vfork
   until END is closed, and then writes to ON.  */
struct forker
{
  pid_t pid;
  int go, end, on;
};

static _Noreturn void
forker_run (int go, int end, int on)
{
  char byte;
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  while (read (go, &byte, 1) != 1)
    ;
  if (vfork () == 0)
    {
      (void)!read (end, &byte, 1);
      _exit (0);
    }
  (void)!write (on, "", 1);
  for (;;)
    pause ();
}

static struct forker
forker_start (void)
{
  int go[2], end[2], on[2];
  assert_true (pipe2 (go, O_NONBLOCK) == 0 && pipe (end) == 0
               && pipe (on) == 0);
  pid_t pid = fork ();
  assert_true (pid >= 0);
  if (pid == 0)
    {
      close (end[1]);
      forker_run (go[0], end[0], on[1]);
    }
  close (go[0]);
  close (end[0]);
  close (on[1]);
  return (struct forker){ pid, go[1], end[1], on[0] };
}

/* Whether FORKER runs on when its child has ended.  */
static bool
forker_runs_on (struct forker *forker)
{
  enum
  {
    SECONDS = 20
  };
  struct pollfd answer = { .fd = forker->on, .events = POLLIN };
  close (forker->end);
  forker->end = -1;
  return poll (&answer, 1, SECONDS * 1000) == 1;
}

static void
forker_end (struct forker *forker)
{
  if (forker->end >= 0)
    close (forker->end);
  close (forker->go);
  close (forker->on);
  child_end (forker->pid);
}

static bool threads_refused;

int __wrap_pthread_create (pthread_t *thread, const pthread_attr_t *attributes,
                           void *(*start) (void *), void *argument);
int __real_pthread_create (pthread_t *thread, const pthread_attr_t *attributes,
                           void *(*start) (void *), void *argument);
int
__wrap_pthread_create (pthread_t *thread, const pthread_attr_t *attributes,
                       void *(*start) (void *), void *argument)
{
  return threads_refused
             ? EAGAIN
             : __real_pthread_create (thread, attributes, start, argument);
}

/* Where the tracer would be this program itself, a late thread would be let go
   by its end alone.  */
TEST (without_a_thread_for_it_no_process_is_stopped)
{
  struct process process = { .files = &files };
  struct error err = { 0 };
  struct forker forker = forker_start ();
  assert_true (live_open (&process, forker.pid, &err));
  threads_refused = true;
  bool stopped = live_stop (&process, false, &err);
  threads_refused = false;
  char state = live_thread_state (forker.pid, forker.pid);
  live_close (&process);
  forker_end (&forker);
  assert_false (stopped);
  assert_string_equal (err.reason, "no thread can be started");
  assert_int_equal (state, 'R');
}

TEST (a_thread_that_stops_too_late_runs_on)
{
  struct process process = { .files = &files };
  struct error err = { 0 };
  struct forker forker = forker_start ();
  assert_true (live_open (&process, forker.pid, &err));
  forks_when_seized = forker.go;
  bool stopped = live_stop (&process, false, &err);
  forks_when_seized = -1;
  if (stopped)
    live_resume (&process);
  /* Where nothing may be traced it was not asked.  */
  bool asked = stopped || strstr (err.reason, "ptrace") == NULL;
  bool runs_on = asked && forker_runs_on (&forker);
  forker_end (&forker);
  live_close (&process);
  if (!asked)
    skip ();
  assert_true (runs_on);
}

/* Each thread of the process makes another one when it gets a byte.  */
static void *
make_another (void *from)
{
  char byte;
  pthread_t other;
  if (read (*(int *)from, &byte, 1) == 1)
    pthread_create (&other, NULL, make_another, from);
  while (from != NULL)
    pause ();
  return from;
}

TEST (a_process_that_makes_threads_without_end_is_stopped_as_it_is)
{
  struct process process = { .files = &files };
  struct error err = { 0 };
  int go[2];
  assert_int_equal (pipe (go), 0);
  pid_t child = child_start (make_another, &go[0]);
  assert_true (live_open (&process, child, &err));
  grows_when_seized = go[1];
  alarm (60);
  bool stopped = live_stop (&process, false, &err);
  alarm (0);
  grows_when_seized = -1;
  size_t n = process.n_threads;
  if (stopped)
    live_resume (&process);
  live_close (&process);
  child_end (child);
  close (go[0]);
  close (go[1]);
  /* Where nothing may be traced.  */
  if (!stopped && strstr (err.reason, "ptrace") != NULL)
    skip ();
  assert_true (stopped);
  assert_in_range (n, 10, 100);
}

/* Run until there is a byte.  */
static void *
run_until (void *from)
{
  struct pollfd byte = { .fd = *(int *)from, .events = POLLIN };
  while (poll (&byte, 1, 0) == 0)
    continue;
  return from;
}

static void *
start_runner (void *from)
{
  pthread_t other;
  pthread_create (&other, NULL, run_until, from);
  return from;
}

/* The process was said to have ended, or not to be there: a profile ended at
   its first sample, and every other such sample was lost.  */
TEST (threads_that_run_may_end_before_they_stop)
{
  struct process process = { .files = &files };
  struct error err = { 0 };
  int go[2];
  assert_int_equal (pipe (go), 0);
  pid_t child = child_start (start_runner, &go[0]);
  while (count_threads (child) < 2)
    usleep (100);
  await_state (child, 'S');
  assert_true (live_open (&process, child, &err));
  ends_when_asked = go[1];
  bool stopped = live_stop (&process, true, &err);
  ends_when_asked = -1;
  size_t n = process.n_threads;
  live_close (&process);
  child_end (child);
  close (go[0]);
  close (go[1]);
  assert_false (stopped);
  assert_int_equal (err.status, CFI2SFRAME_NOTHING);
  assert_int_equal (n, 0);
}

TEST (while_a_process_waits_in_the_kernel_its_samples_are_missed_alone)
{
  struct profile profile;
  struct error err = { 0 };
  struct forker forker = forker_start ();
  assert_true (profile_init (&profile));
  assert_non_null (family_add (&profile.family, forker.pid, &err));
  forks_when_seized = forker.go;
  registers_unknown = true;
  bool there = trace_sampler_take (&profile, forker.pid, false, &err);
  registers_unknown = false;
  forks_when_seized = -1;
  bool asked = there || strstr (err.reason, "ptrace") == NULL;
  bool runs_on = asked && forker_runs_on (&forker);
  uint64_t samples = profile.samples;
  forker_end (&forker);
  profile_free (&profile);
  if (!asked)
    skip ();
  assert_true (there);
  assert_true (runs_on);
  assert_int_equal (samples, 0);
}

TEST_GROUP (NULL, forget_files)
