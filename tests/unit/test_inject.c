/* Unit tests of src/write/inject: writing the new file, and a self-check that
   notices every single changed byte.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "tests/inject_file_check.h"
#include "write/inject.h"
#include "place/choose_strategy.h"
#include "elf_builder.h"
#include "tests/unit_test.h"

enum
{
  LARGE = 5000,
  SMALL = 96,
  PAGE = 4096
};

struct fixture
{
  struct elf_builder elf;
  struct image image;
  struct plan plan;
  struct error err;
  uint8_t sframe[LARGE];
  int fd;
  const struct change_case *given;
};

/* The state is a row of a table, or NULL.  */
static int
set_up (void **state)
{
  struct fixture *test = calloc (1, sizeof *test);
  if (test == NULL)
    return -1;
  test->fd = memfd_create ("test_inject", MFD_CLOEXEC);
  elf_builder_program (&test->elf, EM_X86_64, false);
  for (size_t i = 0; i < sizeof test->sframe; i++)
    test->sframe[i] = (uint8_t)(i * 5 + 3);
  test->given = *state;
  *state = test;
  return test->fd < 0 ? -1 : 0;
}

static int
tear_down (void **state)
{
  struct fixture *test = *state;
  plan_free (&test->plan);
  if (test->image.elf != NULL)
    image_close (&test->image);
  close (test->fd);
  free (test);
  return 0;
}

#define FIXTURE_TEST(name) \
  TEST_ON (struct fixture *test, set_up, tear_down, name)

/* Give SECTION bytes of its own: where equal ones are, it may as well be.  */
static void
fill_section (struct elf_builder *elf, const char *name, size_t from,
              size_t step)
{
  const Elf64_Shdr *header = &elf->sections[elf_builder_section (elf, name)];
  for (size_t i = from; i < header->sh_size; i += step)
    elf->bytes[header->sh_offset + i] = (uint8_t)(i + 1);
}

/* Write the file that BYTES, SIZE of them, become by STRATEGY.  */
static void
inject_into (struct fixture *test, const uint8_t *bytes, size_t size,
             uint64_t sframe_size, const char *strategy)
{
  const struct plan_request request = { .sframe_size = sframe_size,
                                        .section_type = SHT_GNU_SFRAME,
                                        .strategy = strategy };
  if (!image_open_memory (&test->image, bytes, size, &test->err)
      || !choose_strategy (&test->plan, &test->image, &request, &test->err)
      || !inject_write (&test->image, &test->plan, test->sframe, test->fd,
                        &test->err))
    fail_msg ("%s", test->err.reason);
  assert_string_equal (test->plan.strategy, strategy);
}

static void
inject (struct fixture *test, uint64_t size, const char *strategy)
{
  fill_section (&test->elf, ".symtab", offsetof (Elf64_Sym, st_size),
                sizeof (Elf64_Sym));
  fill_section (&test->elf, ".strtab", 0, 1);
  elf_builder_finish (&test->elf);
  inject_into (test, test->elf.bytes, test->elf.size, size, strategy);
}

static bool
self_check (struct fixture *test)
{
  return inject_check_file (&test->image, &test->plan, test->sframe, test->fd,
                            &test->err);
}

/* SIZE bytes from the new file's beginning on.  */
static uint8_t *
map_new_file (const struct fixture *test, size_t size)
{
  uint8_t *bytes
      = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, test->fd, 0);
  assert_true (bytes != MAP_FAILED);
  return bytes;
}

/* Bytes of the new file that nothing depends on: dead tables, padding.  */
static void
mark_needed (const struct image *new, uint8_t *needed)
{
  memset (needed, 1, sizeof (Elf64_Ehdr));
  memset (needed + new->header.e_phoff, 1, new->n_segments * 56);
  memset (needed + new->header.e_shoff, 1, new->n_sections * 64);
  /* Section 0 is empty.  */
  memset (needed + new->header.e_shoff, 0, 64);
  for (size_t i = 1; i < new->n_sections; i++)
    {
      const GElf_Shdr *header = &new->sections[i].header;
      uint8_t *entry = needed + new->header.e_shoff + i * 64;
      bool is_gap = strncmp (new->sections[i].name, ".old_", 5) == 0
                    || strcmp (new->sections[i].name, ".headers_end") == 0
                    || strcmp (new->sections[i].name, ".page_padding") == 0;
      if (header->sh_type == SHT_NOBITS)
        memset (entry + offsetof (Elf64_Shdr, sh_offset), 0, 8);
      else if (is_gap)
        memset (entry, 0, 64);
      else
        memset (needed + header->sh_offset, 1, header->sh_size);
    }
}

static const char *
place_of (const struct image *new, uint64_t offset)
{
  static char text[64];
  snprintf (text, sizeof text, "headers");
  if (offset >= new->header.e_shoff
      && offset < new->header.e_shoff + new->n_sections * 64)
    snprintf (text, sizeof text, "section header of %s + %d",
              new->sections[(offset - new->header.e_shoff) / 64].name,
              (int)((offset - new->header.e_shoff) % 64));
  for (size_t i = 1; i < new->n_sections; i++)
    {
      const GElf_Shdr *header = &new->sections[i].header;
      if (header->sh_type != SHT_NOBITS && offset >= header->sh_offset
          && offset - header->sh_offset < header->sh_size)
        snprintf (text, sizeof text, "%s", new->sections[i].name);
    }
  return text;
}

/* Change every byte, one at a time, in two ways.  */
static void
check_notices_everything (struct fixture *test)
{
  size_t size = test->plan.new_size;
  uint8_t *bytes = map_new_file (test, size);
  uint8_t *copy = malloc (size), *needed = calloc (1, size);
  assert_non_null (copy);
  assert_non_null (needed);
  memcpy (copy, bytes, size);
  struct image new;
  assert_true (image_open_memory (&new, copy, size, &test->err));
  mark_needed (&new, needed);
  static const uint8_t changes[] = { 0x01, 0x80 };
  for (size_t i = 0; i < size; i++)
    FOR_EACH_ROW (given, changes)
      if (needed[i])
        {
          bytes[i] ^= *given;
          if (self_check (test))
            fail_msg ("a change at 0x%zx (%s) goes unnoticed", i,
                      place_of (&new, i));
          /* Any other status would be about the input.  */
          assert_int_equal (test->err.status, CFI2SFRAME_REFUSED);
          bytes[i] ^= *given;
        }
  assert_true (self_check (test));
  image_close (&new);
  free (needed);
  free (copy);
  munmap (bytes, size);
}

/* ---- Files of which every byte is checked.  */

static void
make_symbol_of_hash (struct fixture *test)
{
  elf_builder_symbol (&test->elf, 1, ".gnu.hash", STT_SECTION, 0x248);
}

static void
make_big_endian (struct fixture *test)
{
  elf_builder_program (&test->elf, EM_S390, true);
  make_symbol_of_hash (test);
}

/* Dynamic symbol 1 is that of section .interp.  */
static void
make_dynamic_symbol (struct fixture *test)
{
  uint8_t *symbol = test->elf.bytes + 0x270 + 24;
  symbol[4] = STT_SECTION;
  store_u16 (symbol + 6, 1, false);
  store_u64 (symbol + 8, 0x200, false);
}

/* patchelf 0.14.3 moves the section of PT_GNU_PROPERTY, lengthens the table
   over the old bytes, and forgets the header.  These files failed the
   self-check.  */
static void
bury_property (struct fixture *test)
{
  test->elf.segments[7] = elf_builder_load (PF_R, 0x1d8, 0x1d8, 0x20);
  test->elf.segments[7].p_type = PT_GNU_PROPERTY;
  test->elf.segments[7].p_align = 8;
}

/* As patchelf 0.11 leaves notes, which is refused in a file that does not say
   who owns the bytes behind the table.  */
static void
bury_note (struct fixture *test)
{
  elf_builder_set_range (elf_builder_segment (&test->elf, PT_NOTE), 0x1f0,
                         0x54);
}

/* One header for two notes, as in plugins of Qt 6.  */
static void
make_plugin (struct fixture *test, uint32_t contents)
{
  Elf64_Phdr *note = elf_builder_segment (&test->elf, PT_INTERP);
  memset (test->elf.bytes + 0x200, 0, 0x20);
  elf_builder_note (&test->elf, 0x200, "qt!", 7, contents);
  note->p_type = PT_NOTE;
  note->p_align = 8;
  note->p_filesz = note->p_memsz = 0x20;
  test->elf.sections[1].sh_type = SHT_NOTE;
  test->elf.sections[1].sh_addralign = 8;
  test->elf.sections[1].sh_size = 0x20;
}

static void
make_long_plugin (struct fixture *test)
{
  make_plugin (test, 16);
}

/* Its note ends with a filler.  */
static void
make_short_plugin (struct fixture *test)
{
  make_plugin (test, 12);
}

/* Programs find it by its name, so nothing may have its old address.  */
FIXTURE_TEST (moved_dynamic_symbols_are_noticed)
{
  make_dynamic_symbol (test);
  inject (test, LARGE, "evict");
  /* In both files, as if the plan had taken it for a section's.  */
  uint64_t info = 0x270 + 24 + 4;
  uint64_t new_info;
  const uint8_t object = STT_OBJECT;
  assert_true (plan_find (&test->plan, info, 1, &new_info));
  test->elf.bytes[info] = object;
  assert_int_equal (pwrite (test->fd, &object, 1, (off_t)new_info), 1);
  assert_false (self_check (test));
  assert_string_equal (test->err.reason,
                       "self-check of the new file failed: other contents in "
                       ".dynsym");
}

/* Where the table keeps off those bytes,
   segments_that_the_table_has_grown_over shows nothing.  */
FIXTURE_TEST (the_table_grows_over_a_buried_segment)
{
  uint8_t under_table[0x20];
  bury_property (test);
  inject (test, LARGE, "evict");
  assert_int_equal (pread (test->fd, under_table, sizeof under_table, 0x1d8),
                    sizeof under_table);
  assert_memory_not_equal (under_table, test->elf.bytes + 0x1d8,
                           sizeof under_table);
}

/* It maps nothing, so nothing has to be in its place.  */
FIXTURE_TEST (empty_segments_are_kept)
{
  test->elf.segments[7]
      = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R, .p_vaddr = 0x2900 };
  inject (test, SMALL, "slack");
  assert_true (self_check (test));
}

/* The kernel maps whole pages: in one with the BSS, which the program writes
   to, the section would be overwritten.  */
FIXTURE_TEST (new_segments_that_share_a_page_are_noticed)
{
  test->elf.segments[6].p_type = test->elf.segments[7].p_type = PT_NULL;
  test->elf.size = 0x2700; /* then .sframe begins late in its page */
  inject (test, LARGE, "spare-slot");
  assert_true (self_check (test));
  struct image new;
  uint8_t *bytes = map_new_file (test, test->plan.new_size);
  assert_true (
      image_open_memory (&new, bytes, test->plan.new_size, &test->err));
  for (size_t i = 0; i < new.n_segments; i++)
    {
      const GElf_Phdr *load = &new.segments[i];
      uint8_t *entry = bytes + new.header.e_phoff + i * sizeof (Elf64_Phdr);
      if (load->p_type != PT_LOAD || load->p_vaddr < 0x3000)
        continue;
      assert_true (load->p_vaddr - PAGE >= 0x2900); /* the BSS ends there */
      store_u64 (entry + offsetof (Elf64_Phdr, p_vaddr), load->p_vaddr - PAGE,
                 false);
      store_u64 (entry + offsetof (Elf64_Phdr, p_paddr), load->p_paddr - PAGE,
                 false);
    }
  image_close (&new);
  munmap (bytes, test->plan.new_size);
  assert_false (self_check (test));
  assert_string_equal (
      test->err.reason,
      "self-check of the new file failed: the new segment is wrong");
}

/* Files like these ended with a self-check that had failed, as if the mistake
   were this program's.  */
FIXTURE_TEST (headers_that_contradict_each_other_are_said_to)
{
  size_t dynamic = elf_builder_section (&test->elf, ".dynamic");
  test->elf.sections[dynamic].sh_addr = 0;
  inject (test, LARGE, "evict");
  assert_false (self_check (test));
  assert_int_equal (test->err.status, CFI2SFRAME_MALFORMED);
  assert_non_null (strstr (
      test->err.reason, "its headers contradict each other: other contents"));
}

/* ---- Files that a check could take long for.  */

enum
{
  TABLE = 0x8000,       /* of program headers, in a segment of its own */
  FILLER_END = 0x18000, /* of that segment */
  SECTIONS = 30000,     /* headers, nearly all of them empty */
  LONG_FILE = FILLER_END + SECTIONS * sizeof (Elf64_Shdr),
  LAST_NOTES = 2730 * 12, /* bytes */
  NOTES_FILE_SIZE = FILLER_END + 600000 * 12,
  CHECK_SECONDS_MAX = 4 /* of the processor; without the bounds it is more */
};

static bool
check_in_time (struct fixture *test)
{
  clock_t begin = clock ();
  bool good = self_check (test);
  clock_t end = clock ();
  assert_true (end - begin < CHECK_SECONDS_MAX * CLOCKS_PER_SEC);
  return good;
}

/* Have the program header table at TABLE, with the note behind it and filler
   up to FILLER_END.  */
static void
move_table_in_front_of_filler (struct elf_builder *elf)
{
  uint64_t note = TABLE + elf->n_segments * sizeof (Elf64_Phdr);
  Elf64_Phdr *table = elf_builder_segment (elf, PT_PHDR);
  Elf64_Phdr *header = elf_builder_segment (elf, PT_NOTE);
  Elf64_Shdr *section
      = &elf->sections[elf_builder_section (elf, ".note.gnu.build-id")];
  memset (elf->bytes + TABLE, 'X', FILLER_END - TABLE);
  memcpy (elf->bytes + note, elf->bytes + header->p_offset, header->p_filesz);
  elf->header.e_phoff = TABLE;
  table->p_offset = table->p_vaddr = table->p_paddr = TABLE;
  header->p_offset = header->p_vaddr = header->p_paddr = note;
  section->sh_offset = section->sh_addr = note;
  elf->segments[7] = elf_builder_load (PF_R, TABLE, TABLE, FILLER_END - TABLE);
}

/* The finished file with SECTIONS section headers behind it; allocated.  */
static uint8_t *
add_empty_sections (const struct elf_builder *elf)
{
  uint8_t *bytes = calloc (1, LONG_FILE);
  assert_non_null (bytes);
  memcpy (bytes, elf->bytes, FILLER_END);
  memcpy (bytes + FILLER_END, elf->bytes + elf->header.e_shoff,
          elf->n_sections * sizeof (Elf64_Shdr));
  store_u64 (bytes + offsetof (Elf64_Ehdr, e_shoff), FILLER_END, false);
  store_u16 (bytes + offsetof (Elf64_Ehdr, e_shnum), SECTIONS, false);
  return bytes;
}

/* All headers were read for each byte.  */
FIXTURE_TEST (filler_among_many_sections_is_checked_at_once)
{
  move_table_in_front_of_filler (&test->elf);
  elf_builder_finish (&test->elf);
  uint8_t *bytes = add_empty_sections (&test->elf);
  inject_into (test, bytes, LONG_FILE, LARGE, "evict");
  bool good = check_in_time (test);
  image_close (&test->image);
  test->image.elf = NULL;
  free (bytes);
  if (!good)
    fail_msg ("%s", test->err.reason);
}

/* Have a segment of notes without names from FILLER_END to the end of a file
   of NOTES_FILE_SIZE bytes, and its last notes in a PT_NOTE.  */
static void
add_long_notes (struct elf_builder *elf)
{
  uint64_t size = NOTES_FILE_SIZE - FILLER_END;
  uint64_t last = NOTES_FILE_SIZE - LAST_NOTES, size_before = elf->size;
  Elf64_Phdr *header = elf_builder_segment (elf, PT_NOTE);
  elf->segments[1].p_type = PT_NULL;
  elf->segments[7] = elf_builder_load (PF_R, FILLER_END, FILLER_END, size);
  elf_builder_set_range (header, last, LAST_NOTES);
  elf_builder_add_section (elf, ".note.many", SHT_NOTE, SHF_ALLOC, FILLER_END,
                           size, 4);
  elf->size = size_before; /* names go there, and section headers */
}

/* For each note of a PT_NOTE all notes of the section were walked over, and
   again where one of these differs.  */
FIXTURE_TEST (notes_in_a_long_section_are_checked_at_once)
{
  static uint8_t bytes[NOTES_FILE_SIZE];
  const uint8_t other = 2;
  add_long_notes (&test->elf);
  elf_builder_finish (&test->elf);
  memcpy (bytes, test->elf.bytes, FILLER_END);
  for (size_t i = FILLER_END; i < NOTES_FILE_SIZE; i += 12)
    bytes[i + 8] = 1; /* the type */
  inject_into (test, bytes, NOTES_FILE_SIZE, SMALL, "slack");
  if (!check_in_time (test))
    fail_msg ("%s", test->err.reason);
  assert_int_equal (
      pwrite (test->fd, &other, 1, NOTES_FILE_SIZE - LAST_NOTES + 8), 1);
  assert_false (check_in_time (test));
}

FIXTURE_TEST (short_files_are_noticed)
{
  inject (test, LARGE, "evict");
  assert_int_equal (ftruncate (test->fd, (off_t)test->plan.new_size - 1), 0);
  assert_false (self_check (test));
}

FIXTURE_TEST (holes_stay_holes)
{
  char path[] = "/tmp/test_inject.XXXXXX";
  int old = mkstemp (path);
  assert_true (old >= 0);
  unlink (path);
  /* The old file from a descriptor, with a hole of 1 MiB in it.  */
  elf_builder_add_section (&test->elf, ".late", SHT_PROGBITS, 0, 0x4000, 16,
                           1);
  elf_builder_finish (&test->elf);
  uint64_t hole = 1 << 20;
  struct plan_extent extents[2]
      = { { 0, 0, 0x1000 }, { 0x1000, 0x1000, hole + 0x1000 } };
  uint8_t last[4096];
  memset (last, 7, sizeof last);
  assert_true (pwrite (old, test->elf.bytes, 0x1000, 0) == 0x1000);
  assert_true (pwrite (old, last, sizeof last, (off_t)(0x1000 + hole))
               == sizeof last);
  struct image image = { .fd = old, .size = 0x2000 + hole };
  image.bytes = mmap (NULL, image.size, PROT_READ, MAP_PRIVATE, old, 0);
  assert_true (image.bytes != MAP_FAILED);
  struct plan plan = { .new_size = image.size,
                       .sframe_offset = 8,
                       .sframe_size = 8,
                       .extents = extents,
                       .n_extents = 2 };
  assert_true (
      inject_write (&image, &plan, test->sframe, test->fd, &test->err));
  /* Before reading the mapping, which would fill the hole.  */
  off_t data = lseek (test->fd, 0x1000, SEEK_DATA);
  uint8_t *bytes = mmap (NULL, image.size, PROT_READ, MAP_SHARED, test->fd, 0);
  assert_true (bytes != MAP_FAILED);
  assert_memory_equal (bytes + 16, image.bytes + 16, image.size - 16);
  assert_memory_equal (bytes + 8, test->sframe, 8);
  munmap (bytes, image.size);
  munmap ((void *)image.bytes, image.size);
  off_t source = lseek (old, 0x1000, SEEK_DATA);
  close (old);
  if (source == 0x1000)
    skip (); /* this file system has no holes */
  assert_int_equal (data, 0x1000 + hole);
}

/* Make SIZE bytes of the file FD, each page filled with its number from 1 on,
   but for page HOLE, which is a hole.  */
static void
fill_pages (int fd, size_t size, size_t hole)
{
  uint8_t page[PAGE];
  assert_int_equal (ftruncate (fd, (off_t)size), 0);
  for (size_t i = 0; i < size / PAGE; i++)
    {
      memset (page, (int)i + 1, PAGE);
      if (i != hole)
        assert_int_equal (pwrite (fd, page, PAGE, (off_t)(i * PAGE)), PAGE);
    }
}

/* Whether page NUMBER of the open file FD is filled with VALUE.  */
static void
assert_page (int fd, size_t number, uint8_t value)
{
  uint8_t page[PAGE], wanted[PAGE];
  memset (wanted, value, PAGE);
  assert_int_equal (pread (fd, page, PAGE, (off_t)(number * PAGE)), PAGE);
  assert_memory_equal (page, wanted, PAGE);
}

/* In a copy of the old file, a part that moved left old bytes where its hole
   should be: programs larger than 8 MiB were damaged on XFS and Btrfs.  */
FIXTURE_TEST (holes_of_what_moves_are_written_over_a_copy)
{
  int old = memfd_create ("old", MFD_CLOEXEC);
  assert_true (old >= 0);
  fill_pages (old, 3 * PAGE, 1);
  fill_pages (test->fd, 3 * PAGE, 1);
  struct image image = { .fd = old, .size = 3 * PAGE };
  struct plan_extent moved = { 0, PAGE, 3 * PAGE };
  struct plan plan = { .new_size = 4 * PAGE,
                       .sframe_offset = 8,
                       .sframe_size = 8,
                       .extents = &moved,
                       .n_extents = 1 };
  image.bytes = mmap (NULL, image.size, PROT_READ, MAP_PRIVATE, old, 0);
  assert_true (image.bytes != MAP_FAILED);
  assert_true (
      inject_write_over (&image, &plan, test->sframe, test->fd, &test->err));
  assert_page (test->fd, 1, 1);
  assert_page (test->fd, 2, 0);
  assert_page (test->fd, 3, 3);
  munmap ((void *)image.bytes, image.size);
  close (old);
}

/* What no extent has is zero: of the image, and behind it.  An outdated
   undo record is not in the image, but the copy has it.  */
FIXTURE_TEST (gaps_and_bytes_behind_the_image_are_cleared_in_a_copy)
{
  const uint8_t bytes[2 * PAGE] = { 0 };
  struct image image = { .fd = -1, .bytes = bytes, .size = 2 * PAGE };
  struct plan_extent first = { 0, 0, PAGE };
  struct plan plan = { .new_size = 3 * PAGE,
                       .sframe_offset = 3 * PAGE - 8,
                       .sframe_size = 8,
                       .extents = &first,
                       .n_extents = 1 };
  static const uint8_t none[8];
  fill_pages (test->fd, 4 * PAGE, SIZE_MAX);
  assert_true (inject_write_over (&image, &plan, none, test->fd, &test->err));
  assert_page (test->fd, 0, 1);
  assert_page (test->fd, 1, 0);
  assert_page (test->fd, 2, 0);
}

/* As when grow-down is undone on a file system that shares blocks.  */
FIXTURE_TEST (a_copy_may_be_longer_than_the_new_file)
{
  uint8_t bytes[3 * PAGE];
  struct image image = { .fd = -1, .bytes = bytes, .size = sizeof bytes };
  struct plan_extent last = { 2 * PAGE, 0, PAGE };
  struct plan plan
      = { .new_size = 2 * PAGE, .extents = &last, .n_extents = 1 };
  fill_pages (test->fd, sizeof bytes, SIZE_MAX);
  assert_int_equal (pread (test->fd, bytes, sizeof bytes, 0), sizeof bytes);
  assert_true (inject_write_over (&image, &plan, NULL, test->fd, &test->err));
  assert_page (test->fd, 0, 3);
  assert_page (test->fd, 1, 0);
  assert_int_equal (lseek (test->fd, 0, SEEK_END), 2 * PAGE);
}

static long
page_faults (void)
{
  struct rusage usage;
  assert_int_equal (getrusage (RUSAGE_SELF, &usage), 0);
  return usage.ru_minflt + usage.ru_majflt;
}

/* A file's pages are unmapped and come back.  The pages of the
   caller's memory would come back as zeros, so that is left alone.  */
FIXTURE_TEST (unmapped_pages_come_back)
{
  elf_builder_finish (&test->elf);
  size_t size = test->elf.size;
  uint8_t *memory = mmap (NULL, size, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true (memory != MAP_FAILED);
  memcpy (memory, test->elf.bytes, size);
  assert_true (image_open_memory (&test->image, memory, size, &test->err));
  image_unmap_pages (&test->image);
  assert_memory_equal (memory, test->elf.bytes, size);
  image_close (&test->image);
  munmap (memory, size);
  assert_true (pwrite (test->fd, test->elf.bytes, size, 0) == (ssize_t)size);
  assert_true (image_open_fd (&test->image, dup (test->fd), &test->err));
  assert_memory_equal (test->image.bytes, test->elf.bytes, size);
  long mapped = page_faults ();
  assert_memory_equal (test->image.bytes, test->elf.bytes, size);
  long before = page_faults ();
  image_unmap_pages (&test->image);
  assert_memory_equal (test->image.bytes, test->elf.bytes, size);
  assert_int_equal (mapped, before);
  assert_true (page_faults () > before);
}

/* existing_forget_record makes the image shorter than the file.  The rest
   stayed mapped.  */
FIXTURE_TEST (closing_unmaps_the_whole_file)
{
  unsigned char resident;
  elf_builder_finish (&test->elf);
  size_t size = (test->elf.size + PAGE - 1) / PAGE * PAGE;
  assert_true (pwrite (test->fd, test->elf.bytes, test->elf.size, 0)
               == (ssize_t)test->elf.size);
  assert_int_equal (ftruncate (test->fd, (off_t)(size + PAGE)), 0);
  assert_true (image_open_fd (&test->image, dup (test->fd), &test->err));
  uint8_t *behind = (uint8_t *)test->image.bytes + size;
  assert_int_equal (mincore (behind, PAGE, &resident), 0);
  test->image.size = size;
  image_close (&test->image);
  assert_int_equal (mincore (behind, PAGE, &resident), -1);
}

/* ---- Changes of the new file.  */

/* A new file that something is changed in.  */
struct changed
{
  struct fixture *test;
  uint8_t *bytes;
  const struct image *new;
};

struct change_case
{
  const char *name;
  const char *strategy;
  size_t size;
  void (*make) (struct fixture *test); /* NULL: nothing */
  /* What leaves all headers consistent: a function, a field of a program
     header, or a byte of the file.  Without one, every byte is changed.  */
  void (*change) (struct changed *file);
  struct
  {
    uint32_t type;   /* of the segment, */
    size_t skip;     /* behind so many of that type */
    size_t at, size; /* of the field */
    uint64_t value;
  } header;
  struct
  {
    uint64_t at;
    uint8_t value;
  } byte;
};

#define HEADER(segment_type, nth, field, to)                       \
  .header = { (segment_type), (nth), offsetof (Elf64_Phdr, field), \
              sizeof ((Elf64_Phdr *)NULL)->field, (to) }

static uint8_t *
segment_at (const struct changed *file, uint32_t type, size_t skip)
{
  for (size_t i = 0; i < file->new->n_segments; i++)
    if (file->new->segments[i].p_type == type && skip-- == 0)
      return file->bytes + file->new->header.e_phoff + i * sizeof (Elf64_Phdr);
  fail_msg ("no segment of type %#x", type);
  return NULL;
}

/* Add to the address of a segment, and to its offset.  */
static void
shift_segment (uint8_t *header, uint64_t address, uint64_t offset)
{
  static const size_t fields[]
      = { offsetof (Elf64_Phdr, p_offset), offsetof (Elf64_Phdr, p_vaddr),
          offsetof (Elf64_Phdr, p_paddr) };
  for (size_t i = 0; i < 3; i++)
    store_u64 (header + fields[i],
               load_u64 (header + fields[i], false)
                   + (i == 0 ? offset : address),
               false);
}

static void
shift_section (const struct changed *file, const char *name, uint64_t address,
               uint64_t offset)
{
  const struct image_section *section = image_find_section (file->new, name);
  uint8_t *header
      = file->bytes + file->new->header.e_shoff
        + (size_t)(section - file->new->sections) * sizeof (Elf64_Shdr);
  store_u64 (header + offsetof (Elf64_Shdr, sh_addr),
             section->header.sh_addr + address, false);
  store_u64 (header + offsetof (Elf64_Shdr, sh_offset),
             section->header.sh_offset + offset, false);
}

static void
shift_sframe (struct changed *file, uint64_t address, uint64_t offset)
{
  shift_segment (segment_at (file, PT_GNU_SFRAME, 0), address, offset);
  shift_section (file, ".sframe", address, offset);
  file->test->plan.sframe_address += address;
  file->test->plan.sframe_offset += offset;
}

/* By how much strategy grow-down has moved the old file.  */
static uint64_t
distance_of (const struct changed *file)
{
  return 0x400000 - image_find_segment (file->new, PT_LOAD)->p_vaddr;
}

static void
own_byte_behind_dynstr (struct fixture *test)
{
  test->elf.bytes[0x3f0] = 0x77;
}

static void
own_zeros (struct fixture *test)
{
  size_t data = elf_builder_section (&test->elf, ".data");
  test->elf.sections[data].sh_size -= 0x40;
  test->elf.bytes[0x410] = test->elf.bytes[0x20f0] = 0;
}

/* The build-id gets a PT_NOTE of its own.  */
static void
make_fixed_with_mixed_notes (struct fixture *test)
{
  elf_builder_mix_notes (&test->elf);
  elf_builder_relocate (&test->elf, 0x400000);
}

static void
align_code (struct fixture *test)
{
  test->elf.segments[3].p_align = 0x200000;
}

static void
free_three_headers (struct fixture *test)
{
  test->elf.segments[1].p_type = test->elf.segments[6].p_type
      = test->elf.segments[7].p_type = PT_NULL;
}

static void
add_load (struct changed *file)
{
  uint8_t *header = segment_at (file, PT_NULL, 0);
  memset (header, 0, sizeof (Elf64_Phdr));
  store_u32 (header, PT_LOAD, false);
  store_u32 (header + offsetof (Elf64_Phdr, p_flags), PF_R, false);
  shift_segment (header, 0x100000, 0);
  store_u64 (header + offsetof (Elf64_Phdr, p_filesz), 16, false);
  store_u64 (header + offsetof (Elf64_Phdr, p_memsz), 16, false);
  store_u64 (header + offsetof (Elf64_Phdr, p_align), PAGE, false);
}

/* A static PIE for aarch64: there is padding in the page of the first segment
   (up to offset 0x2000), but a new segment goes to pages of its own.  */
static void
make_static_pie_of_64_kib_pages (struct fixture *test)
{
  struct elf_builder *elf = &test->elf;
  free_three_headers (test);
  elf->header.e_machine = EM_AARCH64;
  elf->header.e_entry += 0x11000;
  memmove (elf->bytes + 0x2000, elf->bytes + 0x1000, elf->size - 0x1000);
  memset (elf->bytes + 0x1000, 0, 0x1000);
  elf->size += 0x1000;
  for (size_t i = 2; i < 6; i++)
    {
      if (elf->segments[i].p_offset > 0)
        shift_segment ((uint8_t *)&elf->segments[i], 0x11000, 0x1000);
      elf->segments[i].p_align = 0x10000;
    }
  for (size_t i = 1; i < elf->n_sections; i++)
    if (elf->sections[i].sh_offset >= 0x1000)
      {
        elf->sections[i].sh_offset += 0x1000;
        if (elf->sections[i].sh_flags & SHF_ALLOC)
          elf->sections[i].sh_addr += 0x11000;
      }
}

/* .sframe goes behind the first segment.  */
static void
make_library_of_64_kib_pages (struct fixture *test)
{
  make_static_pie_of_64_kib_pages (test);
  test->elf.header.e_entry = 0;
}

static void
make_library_with_code_first (struct fixture *test)
{
  make_library_of_64_kib_pages (test);
  test->elf.segments[2].p_flags = PF_R | PF_X;
}

static void
move_sframe_behind_first (struct changed *file)
{
  const struct plan *plan = &file->test->plan;
  uint64_t offset = 0x1000 - plan->sframe_offset;
  uint64_t address = 0x1000 - plan->sframe_address;
  Elf64_Phdr *loads[4], moved;
  memcpy (file->bytes + 0x1000, file->test->sframe, SMALL);
  shift_segment (segment_at (file, PT_LOAD, 3), address, offset);
  shift_sframe (file, address, offset);
  /* By address, it is the second.  */
  for (size_t i = 0; i < 4; i++)
    loads[i] = (Elf64_Phdr *)segment_at (file, PT_LOAD, i);
  moved = *loads[3];
  *loads[3] = *loads[2];
  *loads[2] = *loads[1];
  *loads[1] = moved;
}

static void
shift_new_load (struct changed *file)
{
  shift_segment (segment_at (file, PT_LOAD, 3), 8, 0);
  shift_sframe (file, 8, 0);
}

/* Into the bytes behind the plan's file.  */
static void
move_code_in_file (struct changed *file)
{
  uint64_t place = (file->test->plan.new_size | (PAGE - 1)) + 1 + 8;
  memcpy (file->bytes + place, file->bytes + 0x1000, 0x100);
  shift_segment (segment_at (file, PT_LOAD, 1), 0, place - 0x1000);
  shift_section (file, ".text", 0, place - 0x1000);
}

static void
drop_bss (struct fixture *test)
{
  test->elf.segments[4].p_memsz = test->elf.segments[4].p_filesz;
  test->elf.sections[elf_builder_section (&test->elf, ".bss")].sh_type
      = SHT_NULL;
}

static void
move_sframe_behind_data (struct changed *file)
{
  uint64_t back = file->test->plan.sframe_offset - 0x2180;
  memcpy (file->bytes + 0x2180, file->test->sframe, SMALL);
  shift_sframe (file, -back, -back);
}

static void
make_fixed (struct fixture *test)
{
  elf_builder_relocate (&test->elf, 0x400000);
}

/* But for PT_LOAD, only PT_GNU_STACK is left.  */
static void
make_fixed_and_bare (struct fixture *test)
{
  make_fixed (test);
  for (size_t i = 0; i < 7; i++)
    if (test->elf.segments[i].p_type != PT_LOAD)
      test->elf.segments[i].p_type = PT_NULL;
}

static void
hide_stack_from_memory (struct changed *file)
{
  store_u16 (file->bytes + distance_of (file) + offsetof (Elf64_Ehdr, e_phnum),
             7, false);
}

static void
make_fixed_with_tls (struct fixture *test)
{
  make_fixed (test);
  test->elf.segments[7] = test->elf.segments[5];
  test->elf.segments[7].p_type = PT_TLS;
}

static void
leave_tls_behind (struct changed *file)
{
  shift_segment (segment_at (file, PT_TLS, 0), 0, -distance_of (file));
}

/* No section has the code.  */
static void
free_three_headers_and_code (struct fixture *test)
{
  free_three_headers (test);
  test->elf.sections[elf_builder_section (&test->elf, ".text")].sh_type
      = SHT_NULL;
}

static void
make_fixed_and_static (struct fixture *test)
{
  make_fixed (test);
  test->elf.segments[1].p_type = PT_NULL;
}

static void
lead_to_no_table (struct changed *file)
{
  store_u64 (file->bytes + distance_of (file) + offsetof (Elf64_Ehdr, e_phoff),
             0x100000, false);
}

static void
lead_to_no_section_headers (struct changed *file)
{
  file->bytes[distance_of (file) + offsetof (Elf64_Ehdr, e_shoff)] ^= 8;
}

/* The table is in a segment with room for a header more, and no segment has
   the ELF header, through which a program would find the table.  */
static void
move_table_from_elf_header (struct fixture *test)
{
  Elf64_Phdr *segments = test->elf.segments;
  uint64_t size = 9 * sizeof (Elf64_Phdr);
  test->elf.header.e_phoff = TABLE;
  test->elf.size = TABLE + size;
  segments[0].p_type = PT_NULL;
  segments[2].p_offset = segments[2].p_vaddr = segments[2].p_paddr = 0x40;
  segments[7] = segments[2];
  shift_segment ((uint8_t *)&segments[7], TABLE - 0x40, TABLE - 0x40);
  segments[7].p_filesz = segments[7].p_memsz = size;
}

/* In both files the segment ends where the old table does.  */
static void
cut_table_off (struct changed *file)
{
  uint8_t *load = segment_at (file, PT_LOAD, 3);
  GElf_Phdr *old = &file->test->image.segments[7];
  old->p_filesz = old->p_memsz = 8 * sizeof (Elf64_Phdr);
  store_u64 (load + offsetof (Elf64_Phdr, p_filesz), old->p_filesz, false);
  store_u64 (load + offsetof (Elf64_Phdr, p_memsz), old->p_memsz, false);
}

static const struct change_case changes[] = {
  { "slack_is_checked", "slack", .size = SMALL },
  { "eviction_is_checked", "evict", LARGE, .make = make_symbol_of_hash },
  { "eviction_in_big_endian_is_checked", "evict", LARGE,
    .make = make_big_endian },
  { "moving_symbols_of_sections_is_checked", "evict", LARGE,
    .make = make_dynamic_symbol },
  { "segments_that_the_table_has_grown_over_are_kept", "evict", LARGE,
    .make = bury_property },
  { "moving_notes_that_begin_in_the_table_is_checked", "evict", LARGE,
    .make = bury_note },
  { "growing_down_is_checked", "grow-down", SMALL, .make = make_fixed },
  { "growing_data_is_checked", "grow-data", .size = SMALL },
  { "joining_notes_is_checked", "grow-data", SMALL, .make = make_long_plugin },
  { "joining_notes_with_a_filler_is_checked", "grow-data", SMALL,
    .make = make_short_plugin },
  /* The notes are found all the same; readers that go by 8 bytes look at what
     the header says.  */
  { "a_smaller_alignment_of_notes_is_noticed", "grow-data", SMALL,
    .make = make_long_plugin, HEADER (PT_NOTE, 0, p_align, 4) },
  { "an_alignment_of_notes_that_no_reader_knows_is_noticed", "grow-data",
    SMALL, .make = make_long_plugin, HEADER (PT_NOTE, 0, p_align, 16) },
  { "a_segment_of_notes_with_other_flags_is_noticed", "grow-down", SMALL,
    .make = make_fixed_with_mixed_notes,
    HEADER (PT_NOTE, 1, p_flags, PF_R | PF_X) },
  { "a_segment_of_notes_with_another_alignment_is_noticed", "grow-down", SMALL,
    .make = make_fixed_with_mixed_notes, HEADER (PT_NOTE, 1, p_align, 16) },
  { "a_byte_without_a_section_is_checked", "slack", SMALL,
    .make = own_byte_behind_dynstr, .byte = { 0x3f0, 0x78 } },
  { "a_zero_of_a_section_is_checked", "slack", SMALL, .make = own_zeros,
    .byte = { 0x410, 1 } },
  { "a_zero_without_a_section_is_checked", "slack", SMALL, .make = own_zeros,
    .byte = { 0x20f0, 1 } },
  /* ld.so's first memory is what is left of the page.  */
  { "the_rest_of_the_page_of_a_bss_is_checked", "grow-data", SMALL,
    .byte = { 0x2a00, 1 } },
  { "the_alignment_of_a_library_is_checked", "slack", SMALL,
    .make = align_code, HEADER (PT_LOAD, 1, p_align, PAGE) },
  { "a_second_new_segment_is_noticed", "spare-slot", LARGE,
    .make = free_three_headers, .change = add_load },
  { "a_new_segment_elsewhere_in_its_page_is_noticed", "spare-slot", LARGE,
    .make = free_three_headers, .change = shift_new_load },
  { "a_new_segment_in_a_page_of_a_program_is_noticed", "spare-slot", SMALL,
    .make = make_static_pie_of_64_kib_pages,
    .change = move_sframe_behind_first },
  { "a_new_segment_with_rights_of_code_is_noticed", "spare-slot", SMALL,
    .make = make_library_of_64_kib_pages,
    HEADER (PT_LOAD, 1, p_flags, PF_R | PF_X) },
  { "a_new_segment_that_takes_rights_of_code_is_noticed", "spare-slot", SMALL,
    .make = make_library_with_code_first, HEADER (PT_LOAD, 1, p_flags, PF_R) },
  { "code_elsewhere_in_its_page_is_noticed", "evict", LARGE,
    .change = move_code_in_file },
  { "sframe_in_a_page_that_is_written_to_is_noticed", "grow-data", SMALL,
    .make = drop_bss, .change = move_sframe_behind_data },
  { "segments_without_bytes_are_seen_from_memory", "grow-down", SMALL,
    .make = make_fixed_and_bare, .change = hide_stack_from_memory },
  { "segments_that_stay_behind_are_noticed", "grow-down", SMALL,
    .make = make_fixed_with_tls, .change = leave_tls_behind },
  { "lost_code_is_noticed", "spare-slot", LARGE,
    .make = free_three_headers_and_code,
    HEADER (PT_LOAD, 1, p_type, PT_NULL) },
  { "a_lost_pt_phdr_is_noticed", "grow-down", SMALL,
    .make = make_fixed_and_static, HEADER (PT_PHDR, 0, p_type, PT_NULL) },
  { "an_old_header_without_a_table_is_noticed", "grow-down", SMALL,
    .make = make_fixed, .change = lead_to_no_table },
  { "an_old_header_without_section_headers_is_noticed", "grow-down", SMALL,
    .make = make_fixed, .change = lead_to_no_section_headers },
  { "a_table_that_is_not_loaded_is_noticed", "spare-slot", LARGE,
    .make = move_table_from_elf_header, .change = cut_table_off },
};

static void
make_change (struct changed *file, const struct change_case *given)
{
  if (given->change != NULL)
    {
      given->change (file);
      return;
    }
  if (given->byte.at != 0)
    {
      file->bytes[given->byte.at] = given->byte.value;
      return;
    }
  uint8_t *field = segment_at (file, given->header.type, given->header.skip)
                   + given->header.at;
  if (given->header.size == 4)
    store_u32 (field, (uint32_t)given->header.value, false);
  else
    store_u64 (field, given->header.value, false);
}

TEST_ROWS (changes, struct fixture *test, set_up, tear_down,
           a_change_is_noticed)
{
  const struct change_case *given = test->given;
  if (given->make != NULL)
    given->make (test);
  inject (test, given->size, given->strategy);
  if (!self_check (test))
    fail_msg ("%s", test->err.reason);
  if (given->change == NULL && given->header.size == 0 && given->byte.at == 0)
    {
      check_notices_everything (test);
      return;
    }
  size_t size = test->plan.new_size + 3 * PAGE;
  assert_int_equal (ftruncate (test->fd, (off_t)size), 0);
  uint8_t *bytes = map_new_file (test, size);
  struct image new;
  assert_true (image_open_memory (&new, bytes, size, &test->err));
  assert_true (self_check (test));
  make_change (&(struct changed){ test, bytes, &new }, given);
  image_close (&new);
  munmap (bytes, size);
  assert_false (self_check (test));
  assert_non_null (strstr (test->err.reason, "self-check of the new file"));
}
