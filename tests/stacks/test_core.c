/* Unit tests of core files, and of finding the files that they name.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/elf_sframe.h"
#include "tests/unit/failing_allocations.h"
#include "sframe/format.h"
#include "stacks/memory.h"
#include "stacks/process.h"
#include "tests/stacks/process_files.h"
#include "tests/unit_test.h"

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
  strcpy (path, "/tmp/test_core.XXXXXX");
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
expect_core (const uint8_t *bytes, size_t size, const char *reason)
{
  struct process process;
  struct error err;
  struct core *core = open_bytes (bytes, size, &process, &err);
  if ((core == NULL) != (reason != NULL)
      || (reason != NULL && !ends_with (err.reason, reason)))
    fail_msg ("%s", err.reason);
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
  for (size_t i = 0; i < N_OF (cases); i++)
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
  assert_false (process_is_executable (&process, 0x7ff000));
  assert_true (process_is_executable (&process, 0x901fff));
  assert_null (mappings_at (&process.mappings, 0x902000));
  core_close (core, &process);
}

/* Were each put over the one that it begins in, a core of many could have all
   of them moved again for each.  */
TEST (of_segments_that_overlap_the_first_one_counts)
{
  uint8_t bytes[CORE_SIZE];
  struct process process;
  make_core (bytes);
  put_segment (bytes, 1, PT_LOAD, CORE_MEMORY, 0x900800, 0x100);
  put_segment (bytes, 2, PT_LOAD, CORE_MEMORY, 0x900000, 0x80);
  store_u32 (bytes + 64 + 2 * 56 + 4, PF_R | PF_X, false);
  store_u64 (bytes + 64 + 2 * 56 + 40, 0x1000, false); /* p_memsz */
  put_segment (bytes, 3, PT_LOAD, CORE_MEMORY, 0x900c00, 0x800);
  struct core *core = open_whole (bytes, CORE_SIZE, &process);
  assert_int_equal (process.mappings.n, 2);
  assert_mapping (&process, 0x900000, 0x901000, 0, NULL);
  assert_true (process_is_executable (&process, 0x900800));
  assert_mapping (&process, 0x901000, 0x901400, 0, NULL);
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
  assert_true (process_is_executable (&process, 0x100000));
  assert_mapping (&process, 0x900000, 0x901000, 0, NULL);
  assert_mapping (&process, 0x901000, 0x902000, 0x5000, "/lib/b");
  assert_false (process_is_executable (&process, 0x901000));
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
  FOR_EACH_ROW (given, cases)
    {
      uint8_t bytes[CORE_SIZE];
      struct process process;
      make_core (bytes);
      uint64_t at = load_u64 (bytes + 64 + 32, false);
      put_ranges (bytes, given->ranges, 2, given->names, given->names_size);
      store_u64 (bytes + CORE_NOTES + at + 20, given->n, false);
      struct core *core = open_whole (bytes, CORE_SIZE, &process);
      if (files.n != given->found)
        fail_msg ("%u", files.n);
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
  limit_processor (120);
  FOR_EACH_ROW (given, cases)
    {
      size_t size;
      struct process process;
      uint8_t *bytes = make_large_core (MANY, given->type, given->step,
                                        (size_t)MANY * NOTE, &size);
      uint8_t *notes = bytes + size - (size_t)MANY * NOTE;
      for (unsigned k = 0; k < MANY; k++)
        store_u32 (
            put_note (notes + (size_t)k * NOTE, NT_PRSTATUS, PRSTATUS_SIZE)
                + 32,
            k, false);
      struct core *core = open_whole (bytes, size, &process);
      assert_int_equal (process.n_threads, MANY);
      if (given->step != 0)
        assert_int_equal (process.mappings.n, MANY - 1);
      core_close (core, &process);
      free (bytes);
    }
  limit_processor (0);
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
  limit_processor (60);
  struct core *core = open_bytes (bytes, size, &process, &err);
  limit_processor (0);
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
  limit_processor (30);
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
  limit_processor (0);
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
        files.copied = FILES_COPIED_MAX - 2 * sizeof page;
      int fd = file_finder_open (&process,
                                 mappings_at (&process.mappings, i << 16));
      assert_int_equal (fd >= 0, i < 3);
      if (fd >= 0)
        close (fd);
    }
  process_free (&process);
}

/* A mapping that is too large to be copied was, where another one lies behind
   it: up to 64 GiB that nothing had counted.  */
FIXTURE_TEST (of_a_mapping_that_is_too_large_nothing_is_copied)
{
  enum
  {
    THERE = 1 << 20, /* bytes of the large one */
    START = 0x10000
  };
  static uint8_t page[4096];
  uint8_t *large = calloc (1, THERE);
  struct process process = { .files = &files, .arch = &arch_amd64 };
  const uint64_t offsets[]
      = { 0, sizeof page, sizeof page + (UINT64_C (1) << 30),
          2 * sizeof page + (UINT64_C (1) << 30) };
  struct stat status;
  assert_non_null (large);
  make_library (page, PT_NULL, 0, 0);
  for (size_t i = 0; i < 3; i++)
    {
      const struct walk_mapping report = { .start = START + offsets[i],
                                           .end = START + offsets[i + 1],
                                           .offset = offsets[i],
                                           .path = "/nonexistent/large" };
      assert_true (process_map (&process, &report));
      assert_true (memory_add (&process.memory, report.start,
                               i == 1 ? large : page,
                               i == 1 ? THERE : sizeof page));
    }
  int fd = file_finder_open (&process, mappings_at (&process.mappings, START));
  assert_true (fd >= 0);
  assert_int_equal (fstat (fd, &status), 0);
  assert_int_equal (status.st_size, offsets[3]);
  assert_in_range (512 * status.st_blocks, 1, THERE / 2);
  close (fd);
  free (large);
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
    bool in_memory, changed, newer, found, large;
  } cases[] = {
    { .mapped = 1, .there = 1, .in_memory = true, .found = true },
    /* Converted, or without symbols, by now.  */
    { 1, 1, true, true, true, true, false },
    /* 5 GB, of which the core has the first page.  */
    { 1, 1, true, true, true, true, true },
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
  FOR_EACH_ROW (given, cases)
    {
      char path[PATH_SIZE];
      struct stat status;
      static uint8_t page[4096];
      uint8_t bytes[CORE_SIZE];
      struct process process = { .files = &files, .arch = &arch_amd64 };
      struct mapped_identity unknown = { 0 };
      int fd = create_file (path);
      make_library (bytes, PT_NULL, 0, 0);
      if (given->mapped != 0)
        put_build_id (bytes, given->mapped);
      memcpy (page, bytes, sizeof bytes);
      make_library (bytes, PT_NULL, 0, 0);
      if (given->there != 0)
        put_build_id (bytes, given->there);
      bytes[0x700] = given->changed;
      assert_int_equal (write (fd, bytes, sizeof bytes), sizeof bytes);
      assert_int_equal (fstat (fd, &status), 0);
      process.dumped = status.st_ctime + (given->newer ? -5 : 5);
      const struct mapping mapping
          = { .start = 0x30000,
              .end = given->large ? UINT64_C (5) << 30 : 0x31000,
              .file = code_files_get (&files, path, &unknown) };
      assert_true (
          mappings_put (&process.mappings, &files.mappings, &mapping));
      if (given->in_memory)
        memory_add (&process.memory, 0x30000, page, sizeof page);
      int opened = file_finder_open (&process, process.mappings.list);
      /* What is not found is copied from memory.  */
      struct stat found = { 0 };
      bool any = opened >= 0 && fstat (opened, &found) == 0;
      assert_int_equal (any && found.st_ino == status.st_ino, given->found);
      if (any != (given->found || given->in_memory))
        fail_msg ("the copy");
      if (opened >= 0)
        close (opened);
      process_free (&process);
      code_files_free (&files);
      close (fd);
      unlink (path);
    }
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
  FOR_EACH_ROW (given, cases)
    {
      char path[PATH_SIZE];
      uint8_t bytes[CORE_SIZE];
      struct sfw_section section;
      uint64_t address;
      int fd = create_file (path);
      unlink (path);
      make_library (bytes, given->type, given->offset, given->size);
      header[2] = given->version;
      header[3] = given->flags;
      memcpy (bytes + 0x900, header, sizeof header);
      assert_int_equal (write (fd, bytes, sizeof bytes), sizeof bytes);
      struct code_file *file = code_files_get (&files, path, &unknown);
      assert_non_null (file);
      code_file_open (file, fd);
      bool found
          = code_file_section (file, &policy, 0x123, &section, &address);
      assert_int_equal (found, given->reason == NULL);
      if (!found)
        assert_string_equal (file->rows.reason, given->reason);
      else
        {
          assert_int_equal (file->rows.origin, SECTION_OWN);
          assert_int_equal (address, 0x30123);
          assert_int_equal (section.address, 0x30900);
          assert_int_equal (section.size, given->size);
          assert_memory_equal (section.bytes, bytes + given->offset,
                               given->size);
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
  struct process process = { .files = &files, .arch = &arch_amd64 };
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
      assert_true (
          mappings_put (&process.mappings, &files.mappings, &mapping));
      code_file_open (mapping.file,
                      file_finder_open (&process, process.mappings.list));
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
                                           .executable = true };
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
  FOR_EACH_ROW (given, cases)
    {
      uint8_t bytes[CORE_SIZE];
      make_core (bytes);
      store_u16 (bytes + given->at, given->value, false);
      expect_core (bytes, given->size, given->reason);
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
  FOR_EACH_ROW (given, cases)
    {
      bool big_endian = given->big_endian;
      uint8_t bytes[CORE_SIZE] = ELFMAG;
      bytes[EI_CLASS] = ELFCLASS64;
      bytes[EI_DATA] = big_endian ? ELFDATA2MSB : ELFDATA2LSB;
      bytes[EI_VERSION] = EV_CURRENT;
      store_u16 (bytes + 16, ET_CORE, big_endian);
      store_u16 (bytes + 18, given->machine, big_endian);
      store_u32 (bytes + 20, EV_CURRENT, big_endian);
      store_u16 (bytes + 52, 64, big_endian);
      struct process process;
      struct error err;
      assert_null (open_bytes (bytes, CORE_SIZE, &process, &err));
      if (ends_with (err.reason, "that has no SFrame") == given->known)
        fail_msg ("%s", err.reason);
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
  assert_true (is_mapped ("/tmp/test_core."));
  core_close (core, &process);
  assert_false (is_mapped ("/tmp/test_core."));
  store_u16 (bytes + 18, EM_PPC64, false);
  assert_null (open_bytes (bytes, CORE_SIZE, &process, &err));
  assert_false (is_mapped ("/tmp/test_core."));
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

TEST_GROUP (NULL, forget_files)
