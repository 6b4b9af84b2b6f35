/* Unit tests of what a process has at an address: copies of memory, mappings,
   and rows that are kept.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lines.h"
#include "base/mapped_file.h"
#include "tests/unit/failing_allocations.h"
#include "stacks/memory.h"
#include "stacks/process.h"
#include "stacks/rows.h"
#include "tests/stacks/process_files.h"
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
  memory.limit = 0x1800;
  memory_copy (&memory, 0x11000, 0x1000);
  memory_copy (&memory, 0x11800, 0x800);
  assert_false (memory.limit_reached);
  memory_copy (&memory, 0x14000, 0x1000);
  assert_true (memory.limit_reached);
  assert_read (&memory, &program, 0x147ff, 1);
  assert_unknown (&memory, 0x14800, 1);
  memory.open = true;
  assert_unknown (&memory, 0x18000, 1);
  assert_read (&memory, &program, 0x11fff, 1);
  memory_forget (&memory);
  assert_false (memory.limit_reached);
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
  limit_processor (60);
  for (uint64_t i = 0; i < 2 * MANY; i++)
    {
      uint64_t start = (i < MANY ? MANY - i : i + 1) << 16;
      const struct walk_mapping report
          = { .start = start, .end = start + 0x8000, .executable = i & 1 };
      assert_true (process_map (&process, &report));
    }
  limit_processor (0);
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
                                  .executable = true };
  assert_true (process_map (&process, &report));
  assert_true (process_is_executable (&process, middle));
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

/* Its last page is mapped whole.  At the offset itself may be other code.  */
TEST (behind_its_segment_code_has_an_address_behind_it)
{
  GElf_Phdr segments[]
      = { { .p_type = PT_LOAD, .p_flags = PF_R, .p_filesz = 0x800 },
          { .p_type = PT_LOAD,
            .p_flags = PF_R | PF_X,
            .p_offset = 0x1000,
            .p_vaddr = 0x3000,
            .p_filesz = 0x123 },
          { .p_type = PT_LOAD,
            .p_flags = PF_R | PF_W,
            .p_offset = 0x2000,
            .p_vaddr = 0x6000,
            .p_filesz = 0x10 } };
  const struct code_file file
      = { .image = { .arch = arch_of_machine (EM_X86_64, false),
                     .segments = segments,
                     .n_segments = 3 } };
  const struct code_file without = { .image = { .n_segments = 0 } };
  assert_int_equal (code_file_address (&file, 0x1122), 0x3122);
  assert_int_equal (code_file_address (&file, 0x1123), 0x3123);
  assert_int_equal (code_file_address (&file, 0x1fff), 0x3fff);
  assert_int_equal (code_file_address (&file, 0x2000), 0x6000);
  assert_int_equal (code_file_address (&file, 0x2010), 0x2010);
  assert_int_equal (code_file_address (&file, 0x900), 0x900);
  assert_int_equal (code_file_address (&without, 0x1123), 0x1123);
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
  for (size_t i = 0; i < N_OF (others); i++)
    assert_false (mapping_is_of_file (others[i], i >= 3));
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
  struct error err;
  size_t size;
  int fd = memfd_create ("changes", MFD_CLOEXEC);
  assert_int_equal (write (fd, "rows", 4), 4);
  const void *bytes = mapped_file_open (fd, &size, &err);
  assert_non_null (bytes);
  assert_int_equal (ftruncate (fd, 1), 0);
  mapped_file_close (bytes, size);
  assert_false (mapped_files_check (&err));
  close (fd);
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

TEST_GROUP (NULL, forget_files)
