/* Unit tests of stacks: copies of memory, modules, comparing walks.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/elf_sframe.h"
#include "tests/unit/failing_allocations.h"
#include "stacks/call_tree.h"
#include "stacks/core.h"
#include "stacks/live_modules.h"
#include "stacks/memory.h"
#include "stacks/process.h"
#include "stacks/stack_walk.h"

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

static void
what_was_copied_stays_as_it_was (void **state)
{
  (void)state;
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

static void
copies_end_where_memory_does (void **state)
{
  (void)state;
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

static void
reads_go_across_copies_but_not_across_gaps (void **state)
{
  (void)state;
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

static void
an_open_memory_is_copied_when_it_is_read (void **state)
{
  (void)state;
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

static void
what_is_missed_is_noted_if_the_program_has_it (void **state)
{
  (void)state;
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

static void
hostile_segments_do_not_overlap (void **state)
{
  (void)state;
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

static void
the_last_bytes_are_memory_too (void **state)
{
  (void)state;
  static const uint8_t bytes[8] = { 1, 2, 3 };
  struct memory memory = { 0 };
  uint8_t got[9];
  assert_true (memory_add (&memory, UINT64_MAX - 8, bytes, 8));
  assert_true (memory_read (&memory, UINT64_MAX - 8, got, 8));
  assert_memory_equal (got, bytes, 8);
  assert_false (memory_read (&memory, UINT64_MAX - 8, got, 9));
  memory_free (&memory);
}

static void
without_memory_nothing_is_there (void **state)
{
  (void)state;
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

static void
map (struct process *process, uint64_t start, uint64_t end, uint64_t offset,
     ino_t inode, const char *path)
{
  const struct walk_mapping report
      = { .start = start,
          .end = end,
          .offset = offset,
          .path = mapping_is_of_file (path, inode) ? path : NULL,
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
  const struct mapping *mapping = process_mapping_at (process, start);
  assert_non_null (mapping);
  assert_ptr_equal (process_mapping_at (process, end - 1), mapping);
  assert_int_equal (mapping->start, start);
  assert_int_equal (mapping->end, end);
  assert_int_equal (process_is_file_at (process, start), path != NULL);
  if (path == NULL)
    return;
  assert_int_equal (mapping->offset, offset);
  assert_string_equal (mapping->file->path, path);
}

static void
mappings_are_found_by_address (void **state)
{
  (void)state;
  struct process process = { 0 };
  for (uint64_t i = 1; i <= 20; i++)
    map (&process, i << 16, (i << 16) + 0x8000, 0, i, "/lib/many");
  for (uint64_t i = 1; i <= 20; i++)
    {
      assert_null (process_mapping_at (&process, (i << 16) - 1));
      assert_mapping (&process, i << 16, (i << 16) + 0x8000, 0, "/lib/many");
      assert_int_equal (process_mapping_at (&process, i << 16)->file->inode,
                        i);
      assert_null (process_mapping_at (&process, (i << 16) + 0x8000));
    }
  assert_non_null (process_add_thread (&process, 5));
  process_forget_mappings (&process);
  assert_int_equal (process.n_mappings, 0);
  assert_null (process_mapping_at (&process, 0x10000));
  process_free (&process);
}

static void
what_is_mapped_last_is_there (void **state)
{
  (void)state;
  struct process process = { 0 };
  /* As a loader does it: the whole file, then its segments over that.  */
  map (&process, 0x70000, 0x79000, 0, 7, "/lib/a");
  map (&process, 0x72000, 0x75000, 0x3000, 7, "/lib/a");
  map (&process, 0x77000, 0x79000, 0, 0, "");
  map (&process, 0x60000, 0x62000, 0, 0, "[vdso]");
  map (&process, 0x40000, 0x50000, 0, 0, "[heap]");
  map (&process, 0x50000, 0x51000, 0x1000, 9, "/no/start");
  map (&process, 0x51000, 0x51000, 0x1000, 9, "/empty");
  assert_int_equal (process.n_mappings, 7);
  assert_mapping (&process, 0x40000, 0x50000, 0, NULL);
  assert_mapping (&process, 0x50000, 0x51000, 0x1000, "/no/start");
  assert_mapping (&process, 0x60000, 0x62000, 0, "[vdso]");
  assert_mapping (&process, 0x70000, 0x72000, 0, "/lib/a");
  assert_mapping (&process, 0x72000, 0x75000, 0x3000, "/lib/a");
  assert_mapping (&process, 0x75000, 0x77000, 0x5000, "/lib/a");
  assert_mapping (&process, 0x77000, 0x79000, 0, NULL);
  /* Over parts of two, and all between.  */
  map (&process, 0x71000, 0x76000, 0, 8, "/lib/b");
  assert_int_equal (process.n_mappings, 7);
  assert_mapping (&process, 0x70000, 0x71000, 0, "/lib/a");
  assert_mapping (&process, 0x71000, 0x76000, 0, "/lib/b");
  assert_mapping (&process, 0x76000, 0x77000, 0x6000, "/lib/a");
  /* The child has them, too.  */
  struct process child = { .files = &files };
  process_copy_mappings (&child, &process);
  process_free (&process);
  assert_int_equal (child.n_mappings, 7);
  assert_mapping (&child, 0x76000, 0x77000, 0x6000, "/lib/a");
  process_free (&child);
}

/* A just-in-time compiler's code, or another library, may lie there.  */
static void
what_lies_between_two_mappings_of_a_file_is_not_the_file_s (void **state)
{
  (void)state;
  struct process process = { 0 };
  map (&process, 0x10000, 0x12000, 0, 3, "/bin/b");
  map (&process, 0x90000, 0x91000, 0, 3, "/bin/b");
  map (&process, 0x50000, 0x52000, 0, 0, "");
  map (&process, 0x60000, 0x62000, 0, 4, "/lib/c");
  assert_false (process_is_file_at (&process, 0x12000));
  assert_false (process_is_file_at (&process, 0x50000));
  assert_mapping (&process, 0x60000, 0x62000, 0, "/lib/c");
  assert_mapping (&process, 0x90000, 0x91000, 0, "/bin/b");
  assert_ptr_equal (process_mapping_at (&process, 0x10000)->file,
                    process_mapping_at (&process, 0x90000)->file);
  process_free (&process);
}

static void
what_is_called_like_a_file_is_none_without_an_inode (void **state)
{
  (void)state;
  assert_true (mapping_is_of_file ("/lib/a", 3));
  assert_true (mapping_is_of_file ("[vdso]", 0));
  assert_false (mapping_is_of_file ("//anon", 0));
  assert_false (mapping_is_of_file ("[heap]", 0));
  assert_false (mapping_is_of_file ("", 0));
  assert_false (mapping_is_of_file ("anon_inode:[io_uring]", 3));
}

static void
set_walk (struct walk *walk, size_t n, enum sfw_end end)
{
  walk->n = n;
  walk->end = end;
  for (size_t i = 0; i < n; i++)
    walk->frames[i] = (struct frame){ 0x1000 + i, 0x7000 + 16 * i, 5,
                                      i == 0,     i == 0,          WAY_ROW };
}

static void
walks_agree_frame_by_frame (void **state)
{
  (void)state;
  struct walk sframe, cfi;
  assert_true (walk_init (&sframe, 10) && walk_init (&cfi, 10));
  set_walk (&sframe, 5, SFW_OUTERMOST);
  set_walk (&cfi, 5, SFW_OUTERMOST);
  assert_true (walks_agree (&sframe, &cfi));
  assert_int_equal (walk_same_frames (&sframe, &cfi), 5);
  /* libdwfl has another idea of what is interrupted.  */
  sframe.frames[2].interrupted = true;
  assert_true (walks_agree (&sframe, &cfi));
  uint64_t *const members[]
      = { &sframe.frames[3].pc, &sframe.frames[3].sp, &sframe.frames[3].fp };
  for (size_t i = 0; i < 3; i++)
    {
      *members[i] ^= 8;
      assert_false (walks_agree (&sframe, &cfi));
      assert_int_equal (walk_same_frames (&sframe, &cfi), 3);
      *members[i] ^= 8;
    }
  /* What was in a frame before is not compared.  */
  sframe.n = 4;
  assert_int_equal (walk_same_frames (&sframe, &cfi), 4);
  assert_int_equal (walk_same_frames (&cfi, &sframe), 4);
  walk_free (&sframe);
  walk_free (&cfi);
}

static void
a_shorter_walk_is_a_difference_unless_cfi_ended (void **state)
{
  (void)state;
  struct walk sframe, cfi;
  assert_true (walk_init (&sframe, 10) && walk_init (&cfi, 10));
  set_walk (&sframe, 4, SFW_NO_ROW);
  set_walk (&cfi, 5, SFW_OUTERMOST);
  assert_false (walks_agree (&sframe, &cfi));
  set_walk (&cfi, 5, SFW_NO_ROW);
  assert_false (walks_agree (&sframe, &cfi));
  set_walk (&sframe, 6, SFW_OUTERMOST);
  assert_true (walks_agree (&sframe, &cfi));
  set_walk (&cfi, 5, SFW_OUTERMOST);
  assert_false (walks_agree (&sframe, &cfi));
  walk_free (&sframe);
  walk_free (&cfi);
}

static int
down (uint64_t a, uint64_t b, void *context)
{
  ++*(unsigned *)context;
  return (a < b) - (a > b);
}

static void
calls_are_counted_once_for_each_stack (void **state)
{
  (void)state;
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

static void
callees_are_ordered_and_all_are_visited (void **state)
{
  (void)state;
  struct call_tree tree;
  unsigned compared = 0;
  assert_true (call_tree_init (&tree));
  for (uint64_t i = 0; i < 1000; i++)
    {
      uint32_t node = call_tree_child (&tree, 0, i * 7 % 1000);
      call_tree_child (&tree, node, i % 3);
      call_tree_child (&tree, node, 10 + i % 3);
    }
  call_tree_sort (&tree, down, &compared);
  /* Not by comparing all with all.  */
  assert_true (compared < 1000 * 16);
  uint32_t node = 0, visited = 1;
  uint64_t last = UINT64_MAX;
  while ((node = call_tree_next (&tree, node)) != 0)
    {
      const struct call_node *at = &tree.nodes[node];
      visited++;
      if (at->parent == 0)
        {
          assert_true (at->key < last);
          last = at->key;
        }
      else if (at->next != 0)
        assert_true (tree.nodes[at->next].key < at->key);
    }
  assert_int_equal (visited, tree.n);
  assert_int_equal (visited, 3001);
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

static void
of_a_core_that_is_cut_off_the_rest_is_read (void **state)
{
  (void)state;
  uint8_t core_bytes[CORE_SIZE], byte, word[8];
  struct process process;
  struct error err;
  make_core (core_bytes);
  /* The kernel leaves out what is in files.  */
  store_u64 (core_bytes + 64 + 56 + 40, 0x1000, false);
  struct core *core = open_bytes (core_bytes, CORE_SIZE, &process, &err);
  assert_non_null (core);
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
static void
of_a_core_without_threads_it_is_said_whether_it_was_cut_off (void **state)
{
  (void)state;
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
        assert_memory_equal (err.reason, "threads", 7);
    }
}

/* What libdwfl says of a core's modules, in the place of the real one.  */
static struct
{
  bool on, no_session, no_end, no_report, no_elf, no_bytes;
  bool no_threads;  /* there are none ...  */
  int threads_fail; /* ... or this is the answer */
  bool no_pc;
  bool some_registers; /* so many, whatever the machine is */
  unsigned registers;
  bool other_process; /* its number is this one */
  int pid;
  Elf *elf;
} dwfl;

static const struct
{
  Dwarf_Addr start, end;
  const char *file, *name;
} dwfl_modules[] = {
  { 0x30000, 0x38000, "/lib/c", "c" },
  { 0x10000, 0x18000, NULL, "[vdso: 1]" },
  { 0x40000, 0x41000, "/lib/d", "d" },
  { 0x20000, 0x28000, "/lib/b", "b" },
};

Dwfl *__real_dwfl_begin (const Dwfl_Callbacks *);
Dwfl *__wrap_dwfl_begin (const Dwfl_Callbacks *);
int __real_dwfl_report_end (Dwfl *,
                            int (*) (Dwfl_Module *, void *, const char *,
                                     Dwarf_Addr, void *),
                            void *);
int __wrap_dwfl_report_end (Dwfl *,
                            int (*) (Dwfl_Module *, void *, const char *,
                                     Dwarf_Addr, void *),
                            void *);
int __real_dwfl_core_file_attach (Dwfl *, Elf *);
int __wrap_dwfl_core_file_attach (Dwfl *, Elf *);
bool __real_dwfl_frame_pc (Dwfl_Frame *, Dwarf_Addr *, bool *);
bool __wrap_dwfl_frame_pc (Dwfl_Frame *, Dwarf_Addr *, bool *);
int __real_dwfl_frame_reg (Dwfl_Frame *, unsigned, Dwarf_Word *);
int __wrap_dwfl_frame_reg (Dwfl_Frame *, unsigned, Dwarf_Word *);
int __real_dwfl_core_file_report (Dwfl *, Elf *, const char *);
int __wrap_dwfl_core_file_report (Dwfl *, Elf *, const char *);
ptrdiff_t __real_dwfl_getmodules (Dwfl *,
                                  int (*) (Dwfl_Module *, void **,
                                           const char *, Dwarf_Addr, void *),
                                  void *, ptrdiff_t);
ptrdiff_t __wrap_dwfl_getmodules (Dwfl *,
                                  int (*) (Dwfl_Module *, void **,
                                           const char *, Dwarf_Addr, void *),
                                  void *, ptrdiff_t);
const char *__real_dwfl_module_info (Dwfl_Module *, void ***, Dwarf_Addr *,
                                     Dwarf_Addr *, Dwarf_Addr *, Dwarf_Addr *,
                                     const char **, const char **);
const char *__wrap_dwfl_module_info (Dwfl_Module *, void ***, Dwarf_Addr *,
                                     Dwarf_Addr *, Dwarf_Addr *, Dwarf_Addr *,
                                     const char **, const char **);
Elf *__real_dwfl_module_getelf (Dwfl_Module *, GElf_Addr *);
Elf *__wrap_dwfl_module_getelf (Dwfl_Module *, GElf_Addr *);
int __real_dwfl_getthreads (Dwfl *, int (*) (Dwfl_Thread *, void *), void *);
int __wrap_dwfl_getthreads (Dwfl *, int (*) (Dwfl_Thread *, void *), void *);
char *__real_elf_rawfile (Elf *, size_t *);
char *__wrap_elf_rawfile (Elf *, size_t *);

Dwfl *
__wrap_dwfl_begin (const Dwfl_Callbacks *callbacks)
{
  return dwfl.no_session ? NULL : __real_dwfl_begin (callbacks);
}

int
__wrap_dwfl_report_end (Dwfl *session,
                        int (*removed) (Dwfl_Module *, void *, const char *,
                                        Dwarf_Addr, void *),
                        void *argument)
{
  int result = __real_dwfl_report_end (session, removed, argument);
  return dwfl.no_end ? 1 : result;
}

int
__wrap_dwfl_core_file_attach (Dwfl *session, Elf *elf)
{
  int pid = __real_dwfl_core_file_attach (session, elf);
  return dwfl.other_process ? dwfl.pid : pid;
}

bool
__wrap_dwfl_frame_pc (Dwfl_Frame *frame, Dwarf_Addr *pc, bool *activation)
{
  return !dwfl.no_pc && __real_dwfl_frame_pc (frame, pc, activation);
}

int
__wrap_dwfl_frame_reg (Dwfl_Frame *frame, unsigned reg, Dwarf_Word *value)
{
  if (!dwfl.some_registers)
    return __real_dwfl_frame_reg (frame, reg, value);
  if (reg >= dwfl.registers)
    return -1;
  *value = 0x100 + reg;
  return 0;
}

int
__wrap_dwfl_core_file_report (Dwfl *session, Elf *elf, const char *executable)
{
  return dwfl.no_report
             ? -1
             : __real_dwfl_core_file_report (session, elf, executable);
}

ptrdiff_t
__wrap_dwfl_getmodules (Dwfl *session,
                        int (*take) (Dwfl_Module *, void **, const char *,
                                     Dwarf_Addr, void *),
                        void *argument, ptrdiff_t offset)
{
  assert_int_equal (offset, 0); /* from the first one on */
  if (!dwfl.on)
    return __real_dwfl_getmodules (session, take, argument, offset);
  for (size_t i = 0; i < sizeof dwfl_modules / sizeof *dwfl_modules; i++)
    if (take ((Dwfl_Module *)(uintptr_t)&dwfl_modules[i], NULL,
              dwfl_modules[i].name, dwfl_modules[i].start, argument)
        != DWARF_CB_OK)
      return (ptrdiff_t)i + 1;
  return 0;
}

const char *
__wrap_dwfl_module_info (Dwfl_Module *module, void ***user, Dwarf_Addr *start,
                         Dwarf_Addr *end, Dwarf_Addr *dwarf_bias,
                         Dwarf_Addr *symbol_bias, const char **file,
                         const char **debug_file)
{
  if (!dwfl.on)
    return __real_dwfl_module_info (module, user, start, end, dwarf_bias,
                                    symbol_bias, file, debug_file);
  for (size_t i = 0; i < sizeof dwfl_modules / sizeof *dwfl_modules; i++)
    if ((const void *)module == &dwfl_modules[i])
      {
        *end = dwfl_modules[i].end;
        *file = dwfl_modules[i].file;
        return dwfl_modules[i].name;
      }
  return NULL;
}

Elf *
__wrap_dwfl_module_getelf (Dwfl_Module *module, GElf_Addr *bias)
{
  if (!dwfl.on)
    return __real_dwfl_module_getelf (module, bias);
  *bias = 0;
  return dwfl.no_elf ? NULL : dwfl.elf;
}

int
__wrap_dwfl_getthreads (Dwfl *session, int (*take) (Dwfl_Thread *, void *),
                        void *argument)
{
  return dwfl.threads_fail != 0 ? dwfl.threads_fail
         : dwfl.no_threads      ? 0
                           : __real_dwfl_getthreads (session, take, argument);
}

char *
__wrap_elf_rawfile (Elf *elf, size_t *size)
{
  return dwfl.no_bytes ? NULL : __real_elf_rawfile (elf, size);
}

static void
modules_of_a_core_ascend (void **state)
{
  (void)state;
  uint8_t bytes[CORE_SIZE];
  struct process process;
  struct error err;
  make_core (bytes);
  dwfl.on = true;
  struct core *core = open_bytes (bytes, CORE_SIZE, &process, &err);
  dwfl.on = false;
  assert_non_null (core);
  /* Behind those of modules are the core's three segments.  */
  assert_int_equal (process.n_mappings, 4 + 3);
  assert_mapping (&process, 0x10000, 0x18000, 0, "[vdso: 1]");
  assert_mapping (&process, 0x20000, 0x28000, 0, "/lib/b");
  assert_mapping (&process, 0x30000, 0x38000, 0, "/lib/c");
  assert_mapping (&process, 0x40000, 0x41000, 0, "/lib/d");
  core_close (core, &process);
}

static void
what_could_run_is_known_of_a_core (void **state)
{
  (void)state;
  uint8_t bytes[CORE_SIZE];
  struct process process;
  struct error err;
  make_core (bytes);
  put_segment (bytes, 2, PT_LOAD, CORE_MEMORY, 0x900000, 0);
  store_u32 (bytes + 64 + 2 * 56 + 4, PF_R | PF_X, false);
  store_u64 (bytes + 64 + 2 * 56 + 40, 0x2000, false); /* p_memsz */
  put_segment (bytes, 3, PT_LOAD, CORE_MEMORY, UINT64_MAX - 0xfff, 0x1001);
  struct core *core = open_bytes (bytes, CORE_SIZE, &process, &err);
  assert_non_null (core);
  assert_int_equal (process.n_mappings, 2);
  assert_false (process_runs_at (&process, 0x7ff000));
  assert_true (process_runs_at (&process, 0x901fff));
  assert_null (process_mapping_at (&process, 0x902000));
  core_close (core, &process);
}

static void
a_core_whose_modules_are_not_found_out_is_refused (void **state)
{
  (void)state;
  uint8_t bytes[CORE_SIZE];
  struct process process;
  struct error err;
  make_whole_core (bytes);
  dwfl.no_report = true;
  struct core *core = open_bytes (bytes, CORE_SIZE, &process, &err);
  dwfl.no_report = false;
  assert_null (core);
  assert_memory_equal (err.reason, "modules", 7);
  dwfl.no_end = true;
  core = open_bytes (bytes, CORE_SIZE, &process, &err);
  dwfl.no_end = false;
  assert_null (core);
  assert_memory_equal (err.reason, "modules", 7);
  dwfl.no_session = true;
  core = open_bytes (bytes, CORE_SIZE, &process, &err);
  dwfl.no_session = false;
  assert_null (core);
  assert_memory_equal (err.reason, "libdwfl", 7);
}

/* Registers without a thread are of no use.  */
static void
a_core_whose_threads_are_not_found_out_is_refused (void **state)
{
  (void)state;
  for (unsigned fails = 0; fails < 2; fails++)
    {
      uint8_t bytes[CORE_SIZE];
      struct process process;
      struct error err;
      make_whole_core (bytes);
      dwfl.no_threads = true;
      dwfl.threads_fail = fails ? -1 : 0;
      struct core *core = open_bytes (bytes, CORE_SIZE, &process, &err);
      dwfl.no_threads = false;
      dwfl.threads_fail = 0;
      assert_null (core);
      if (fails)
        assert_memory_equal (err.reason, "threads", 7);
      else
        {
          assert_string_equal (err.reason, "no threads in it");
          assert_int_equal (err.status, CFI2SFRAME_NOTHING);
        }
    }
}

/* A number that is not negative is one of a process.  */
static void
a_core_of_process_0_is_read (void **state)
{
  (void)state;
  for (int pid = -1; pid <= 0; pid++)
    {
      uint8_t bytes[CORE_SIZE];
      struct process process;
      struct error err;
      make_whole_core (bytes);
      dwfl.other_process = true;
      dwfl.pid = pid;
      struct core *core = open_bytes (bytes, CORE_SIZE, &process, &err);
      dwfl.other_process = false;
      assert_int_equal (core != NULL, pid == 0);
      if (core != NULL)
        core_close (core, &process);
      else
        assert_memory_equal (err.reason, "threads", 7);
    }
}

/* Without PC or SP nothing is known of a thread.  There is room for some
   registers, however many libdwfl knows.  */
static void
of_a_thread_pc_and_sp_are_needed (void **state)
{
  static const struct
  {
    unsigned registers, n;
    bool no_pc, known;
  } cases[] = {
    { 7, 7, false, false }, /* x86-64's SP is register 7 */
    { 8, 8, false, true },
    { 8, 0, true, false },
    { REGISTERS_MAX, REGISTERS_MAX, false, true },
    { REGISTERS_MAX + 1, REGISTERS_MAX, false, true },
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      uint8_t bytes[CORE_SIZE];
      struct process process;
      struct error err;
      make_whole_core (bytes);
      dwfl.some_registers = true;
      dwfl.registers = cases[i].registers;
      dwfl.no_pc = cases[i].no_pc;
      struct core *core = open_bytes (bytes, CORE_SIZE, &process, &err);
      dwfl.some_registers = dwfl.no_pc = false;
      assert_non_null (core);
      assert_int_equal (process.n_threads, 1);
      assert_int_equal (process.threads[0].registers.n, cases[i].n);
      assert_int_equal (process.threads[0].known, cases[i].known);
      core_close (core, &process);
    }
}

/* Without standard input its descriptor is given to the file.  */
static void
a_core_may_be_descriptor_0 (void **state)
{
  (void)state;
  uint8_t bytes[CORE_SIZE];
  char path[PATH_SIZE];
  struct process process = { 0 };
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
static void
a_core_that_cannot_be_mapped_is_an_error (void **state)
{
  (void)state;
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

/* The rows of a file of a core are in the file that libdwfl has found.  */
static void
the_section_is_in_the_module_s_file (void **state)
{
  static const struct
  {
    uint32_t type;
    uint64_t offset, size;
    const char *reason; /* NULL: there is one */
    bool no_elf, no_bytes;
  } cases[] = {
    { .type = PT_GNU_SFRAME, .offset = 0x900, .size = 0x40 },
    { .type = PT_GNU_SFRAME, .offset = 0x900, .size = CORE_SIZE - 0x900 },
    { PT_GNU_SFRAME, CORE_SIZE, 0, "it has no .sframe", false, false },
    { PT_GNU_SFRAME, 0x900, CORE_SIZE - 0x900 + 1,
      "segment 3 lies outside the file", false, false },
    { PT_NOTE, 0x900, 0x40, "it has no .sframe", false, false },
    { PT_GNU_SFRAME, 0x900, 0x40, "its file was not found", true, false },
    { PT_GNU_SFRAME, 0x900, 0x40, "its file cannot be read", false, true },
  };
  (void)state;
  const struct section_policy policy = { .only_sframe = true };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      uint8_t bytes[CORE_SIZE];
      struct sfw_section section;
      uint64_t address;
      make_library (bytes, cases[i].type, cases[i].offset, cases[i].size);
      dwfl.elf = elf_memory ((char *)bytes, CORE_SIZE);
      assert_non_null (dwfl.elf);
      dwfl.no_elf = cases[i].no_elf;
      dwfl.no_bytes = cases[i].no_bytes;
      dwfl.on = true;
      struct code_file *file = code_files_get (&files, "/lib/c", 0, i);
      assert_non_null (file);
      code_file_take_module (file, (Dwfl_Module *)(uintptr_t)&dwfl_modules[0]);
      memset (&dwfl, 0, offsetof (typeof (dwfl), elf));
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
      elf_end (dwfl.elf);
      dwfl.elf = NULL;
    }
}

/* The file that was mapped may be gone, and another one have its name.  */
static void
only_the_file_that_was_mapped_is_opened (void **state)
{
  (void)state;
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
      mapping.file = code_files_get (&files, path, status.st_dev + (i == 1),
                                     i == 3 ? 0 : status.st_ino + (i == 2));
      code_file_take (mapping.file, live_open_file (&process, &mapping));
      assert_true (mapping.file->opened);
      assert_int_equal (mapping.file->image.bytes != NULL, i == 0);
      if (i > 0)
        assert_string_equal (mapping.file->rows.reason,
                             "its file was not found");
    }
  code_files_free (&files);
  unlink (path);
  close (fd);
}

static void
a_core_that_is_not_there_cannot_be_opened (void **state)
{
  (void)state;
  struct process process = { 0 };
  struct error err = { 0 };
  assert_null (core_open (&process, "/nonexistent/core", NULL, &err));
  assert_int_equal (err.status, CFI2SFRAME_IO);
  assert_string_equal (err.reason, "cannot open: No such file or directory");
}

static void
what_cannot_be_decompressed_is_refused (void **state)
{
  (void)state;
  expect_core ((const uint8_t *)"\x1f\x8b\x08 and no more", 15,
               "gzip cannot decompress it, or there is no space", 0);
}

/* Where program headers should be is nothing.  */
static void
a_core_without_program_headers_is_refused (void **state)
{
  (void)state;
  uint8_t bytes[CORE_SIZE];
  make_core (bytes);
  store_u64 (bytes + 32, CORE_SIZE + 64, false);
  expect_core (bytes, CORE_SIZE, "no program headers", 0);
}

static void
what_is_no_core_is_refused (void **state)
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
  };
  (void)state;
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
static void
machines_of_both_byte_orders_have_cores (void **state)
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
  (void)state;
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

static void
without_memory_there_is_no_core (void **state)
{
  (void)state;
  uint8_t bytes[CORE_SIZE];
  struct process process;
  struct error err = { 0 };
  unsigned n = 0;
  make_whole_core (bytes);
  allocations_granted = 0;
  assert_null (open_bytes (bytes, CORE_SIZE, &process, &err));
  assert_int_equal (err.status, CFI2SFRAME_NO_MEMORY);
  dwfl.on = true; /* it has modules */
  do
    {
      allocations_granted = ++n;
      struct core *core = open_bytes (bytes, CORE_SIZE, &process, &err);
      assert_int_equal (err.status,
                        core != NULL ? CFI2SFRAME_OK : CFI2SFRAME_NO_MEMORY);
      if (core == NULL)
        continue;
      assert_int_equal (process.n_mappings, 4 + 2);
      core_close (core, &process);
    }
  while (allocations_granted == UINT_MAX);
  allocations_granted = UINT_MAX;
  dwfl.on = false;
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

static void
nothing_is_left_of_a_closed_core (void **state)
{
  (void)state;
  uint8_t bytes[CORE_SIZE];
  struct process process;
  struct error err = { 0 };
  int before = dup (0);
  close (before);
  make_core (bytes);
  struct core *core = open_bytes (bytes, CORE_SIZE, &process, &err);
  assert_non_null (core);
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

/* Each segment that lies in front of the one before it costs libdwfl a search;
   there may be 16,384 of them.  */
static void
a_core_in_no_order_is_refused (void **state)
{
  enum
  {
    UNORDERED = 16384
  };
  static const struct
  {
    unsigned n;
    int step;
    uint64_t first; /* address of the first one; 0: that of its turn */
    const char *reason;
  } cases[] = {
    { UNORDERED + 1, -1, 0, NULL },
    { UNORDERED + 2, -1, 0, "its program headers are in no order" },
    { UNORDERED + 2, 1, 0, NULL },
    { UNORDERED + 2, 0, 0, NULL },
    { UNORDERED + 2, 1, UINT64_C (1) << 40, NULL },
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      uint8_t small[CORE_SIZE];
      size_t head = 64 + 56 * (size_t)(cases[i].n + 1);
      uint8_t *bytes = calloc (1, head + CORE_SIZE);
      make_core (small);
      memcpy (bytes, small, 64);
      memcpy (bytes + head, small, CORE_SIZE);
      store_u16 (bytes + 56, (uint16_t)(cases[i].n + 1), false);
      put_segment (bytes, 0, PT_NOTE, head + CORE_NOTES, 0,
                   load_u64 (small + 64 + 32, false));
      for (unsigned k = 0; k < cases[i].n; k++)
        put_segment (
            bytes, k + 1, PT_LOAD, head + CORE_MEMORY,
            0x10000 * (UNORDERED + 3 + (uint64_t)k * (uint64_t)cases[i].step),
            0);
      if (cases[i].first != 0)
        put_segment (bytes, 1, PT_LOAD, head + CORE_MEMORY, cases[i].first, 0);
      expect_core (bytes, head + CORE_SIZE, cases[i].reason, i);
      free (bytes);
    }
}

static void
create_fifo (char path[PATH_SIZE])
{
  close (create_file (path));
  unlink (path);
  assert_int_equal (mkfifo (path, 0600), 0);
}

static void
a_fifo_is_no_core (void **state)
{
  (void)state;
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

static const char by_now[] = "which is a fifo by now";

/* A note that says which files a core's process had mapped.  */
static void
a_core_that_maps_a_fifo_is_refused (void **state)
{
  static const struct
  {
    uint64_t n;         /* files, as the note says */
    unsigned words;     /* in front of the names */
    const char *format; /* of the names; ';' ends one, '+' is 500 slashes */
    bool refused;
    uint32_t type;
  } cases[] = {
    { 1, 5, "+%s;", true, NT_FILE },
    { 1, 5, "%s;", false, NT_AUXV },
    { 1, 5, "%s;", true, NT_FILE },
    { 2, 8, "/;%s;", true, NT_FILE },
    { 1, 5, "%s/none;/;", false, NT_FILE },
    { 2, 8, "/;%s;/dev/null;", true, NT_FILE },
    { 1, 5, "%s", false, NT_FILE },           /* no end */
    { 2, 5, "%s;", false, NT_FILE },          /* the name is among the words */
    { UINT64_MAX, 5, "%s;", false, NT_FILE }, /* more than there can be */
    { UINT64_MAX / 24 + 1, 5, "%s;", false, NT_FILE },
    { 0, 2, "%s;", true, NT_FILE },
    { 0, 1, "", false, NT_FILE },
    { 1, 5, "", false, NT_FILE },
  };
  (void)state;
  char fifo[PATH_SIZE];
  create_fifo (fifo);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      uint8_t bytes[CORE_SIZE], note[800] = { 0 };
      char *names = (char *)note + 8 * (size_t)cases[i].words;
      bool is_long = cases[i].format[0] == '+';
      size_t length = is_long ? 500 : 0;
      memset (names, '/', length);
      length
          += (size_t)sprintf (names + length, cases[i].format + is_long, fifo);
      store_u64 (note, cases[i].n, false);
      for (size_t k = 0; k < length; k++)
        names[k] = names[k] == ';' ? '\0' : names[k];
      size_t size = 8 * (size_t)cases[i].words + length;
      make_core (bytes);
      /* Behind the notes is memory, which begins with NUL.  */
      memcpy (add_note (bytes, cases[i].type, size), note, size);
      expect_core (bytes, CORE_SIZE, cases[i].refused ? by_now : NULL, i);
    }
  unlink (fifo);
}

/* A core with a list of two libraries, whose second leads to NEXT, found from
   program headers of these types and an entry of .dynamic with TAG.  */
static void
put_libraries (uint8_t core[CORE_SIZE], uint32_t first_type, uint32_t tag,
               const char *name, unsigned which, uint64_t next)
{
  enum
  {
    MEMORY = 0x7ff000,
    BIAS = 0x700000, /* what was linked at 0xff000 is at MEMORY */
    DYNAMIC = 0x80,
    R_DEBUG = 0xa0,
    LINK_MAP = 0xc0, /* two of them */
    NAME = 0x100
  };
  uint8_t *note = add_note (core, NT_AUXV, 32);
  store_u64 (note, AT_PHNUM, false);
  store_u64 (note + 8, 2, false);
  store_u64 (note + 16, AT_PHDR, false);
  store_u64 (note + 24, MEMORY, false);
  put_segment (core, 1, PT_LOAD, CORE_MEMORY, MEMORY, 0x200);
  uint8_t *memory = core + CORE_MEMORY;
  memset (memory, 0, CORE_SIZE - CORE_MEMORY);
  store_u32 (memory, first_type, false);
  store_u64 (memory + 16, MEMORY - BIAS, false);
  store_u32 (memory + 56, PT_DYNAMIC, false);
  store_u64 (memory + 56 + 16, MEMORY - BIAS + DYNAMIC, false);
  store_u64 (memory + DYNAMIC, tag, false);
  store_u64 (memory + DYNAMIC + 8, MEMORY + R_DEBUG, false);
  store_u64 (memory + R_DEBUG + 8, MEMORY + LINK_MAP, false);
  store_u64 (memory + LINK_MAP + 24, MEMORY + LINK_MAP + 32, false);
  store_u64 (memory + LINK_MAP + 32 * which + 8, MEMORY + NAME, false);
  store_u64 (memory + LINK_MAP + 32 + 24, next, false);
  strcpy ((char *)memory + NAME, name);
}

static void
a_library_that_is_a_fifo_by_now_is_refused (void **state)
{
  static const struct
  {
    uint32_t type, tag;
    unsigned which; /* library has the name */
    uint64_t next;
    bool refused;
  } cases[] = {
    { PT_PHDR, DT_DEBUG, 0, 0, true },
    { PT_PHDR, DT_DEBUG, 1, 0, true },
    { PT_PHDR, DT_DEBUG, 1, 0x123, true },
    { PT_PHDR, DT_DEBUG, 2, 0x7ff0c0, false }, /* a ring, and no name */
    { PT_PHDR, DT_DEBUG, 2, 0x7ff0e0, false },
    { PT_PHDR, DT_NULL, 0, 0, false },
    { PT_PHDR, DT_SONAME, 0, 0, false },
    { PT_NOTE, DT_DEBUG, 0, 0, false }, /* where it is, nobody knows */
  };
  (void)state;
  char fifo[PATH_SIZE];
  create_fifo (fifo);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      uint8_t bytes[CORE_SIZE];
      make_core (bytes);
      put_libraries (bytes, cases[i].type, cases[i].tag, fifo, cases[i].which,
                     cases[i].next);
      expect_core (bytes, CORE_SIZE, cases[i].refused ? by_now : NULL, i);
    }
  unlink (fifo);
}

int
main (void)
{
  cmocka_set_message_output (CM_OUTPUT_TAP);
  static const struct CMUnitTest tests[] = {
    cmocka_unit_test (what_was_copied_stays_as_it_was),
    cmocka_unit_test (copies_end_where_memory_does),
    cmocka_unit_test (reads_go_across_copies_but_not_across_gaps),
    cmocka_unit_test (an_open_memory_is_copied_when_it_is_read),
    cmocka_unit_test (what_is_missed_is_noted_if_the_program_has_it),
    cmocka_unit_test (hostile_segments_do_not_overlap),
    cmocka_unit_test (the_last_bytes_are_memory_too),
    cmocka_unit_test (without_memory_nothing_is_there),
    cmocka_unit_test (mappings_are_found_by_address),
    cmocka_unit_test (what_is_mapped_last_is_there),
    cmocka_unit_test (
        what_lies_between_two_mappings_of_a_file_is_not_the_file_s),
    cmocka_unit_test (what_is_called_like_a_file_is_none_without_an_inode),
    cmocka_unit_test (walks_agree_frame_by_frame),
    cmocka_unit_test (a_shorter_walk_is_a_difference_unless_cfi_ended),
    cmocka_unit_test (calls_are_counted_once_for_each_stack),
    cmocka_unit_test (callees_are_ordered_and_all_are_visited),
    cmocka_unit_test (of_a_core_that_is_cut_off_the_rest_is_read),
    cmocka_unit_test (
        of_a_core_without_threads_it_is_said_whether_it_was_cut_off),
    cmocka_unit_test (modules_of_a_core_ascend),
    cmocka_unit_test (what_could_run_is_known_of_a_core),
    cmocka_unit_test (a_core_whose_modules_are_not_found_out_is_refused),
    cmocka_unit_test (a_core_whose_threads_are_not_found_out_is_refused),
    cmocka_unit_test (a_core_of_process_0_is_read),
    cmocka_unit_test (of_a_thread_pc_and_sp_are_needed),
    cmocka_unit_test (a_core_may_be_descriptor_0),
    cmocka_unit_test (a_core_that_cannot_be_mapped_is_an_error),
    cmocka_unit_test (the_section_is_in_the_module_s_file),
    cmocka_unit_test (only_the_file_that_was_mapped_is_opened),
    cmocka_unit_test (a_core_that_is_not_there_cannot_be_opened),
    cmocka_unit_test (what_cannot_be_decompressed_is_refused),
    cmocka_unit_test (a_fifo_is_no_core),
    cmocka_unit_test (a_core_without_program_headers_is_refused),
    cmocka_unit_test (what_is_no_core_is_refused),
    cmocka_unit_test (machines_of_both_byte_orders_have_cores),
    cmocka_unit_test (without_memory_there_is_no_core),
    cmocka_unit_test (nothing_is_left_of_a_closed_core),
    cmocka_unit_test (a_core_in_no_order_is_refused),
    cmocka_unit_test (a_core_that_maps_a_fifo_is_refused),
    cmocka_unit_test (a_library_that_is_a_fifo_by_now_is_refused),
  };
  return cmocka_run_group_tests_name ("process", tests, NULL, forget_files);
}
