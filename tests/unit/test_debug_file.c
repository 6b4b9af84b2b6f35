/* Unit tests of src/elf/debug_file.c: which file is the debug file of a
   program, and which files are refused as such.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/crc32.h"
#include "elf/notes.h"
#include "elf/debug_file.h"
#include "elf/dynamic.h"
#include "tests/unit/elf_builder.h"
#include "tests/unit_test.h"

/* A program in memory, and a directory to look for its debug file in.  */
struct fixture
{
  struct elf_builder elf;
  struct image image;
  char directory[64];
  struct debug_places places;
  /* Where a debug file is looked for by its build-id, in the directory; the
     cache only if places.cache is set.  */
  char build_id[2 * BUILD_ID_SIZE_MAX + 40],
      cached[2 * BUILD_ID_SIZE_MAX + 40];
};

static void
make_directory (struct fixture *f)
{
  strcpy (f->directory, "debug-XXXXXX");
  assert_non_null (mkdtemp (f->directory));
  f->places = (struct debug_places){ .global = f->directory };
}

static void
set_paths (struct fixture *f)
{
  char digits[2 * BUILD_ID_SIZE_MAX + 1] = "";
  struct build_id id = build_id_find (&f->image);
  for (size_t i = 0; i < id.size; i++)
    sprintf (digits + 2 * i, "%02x", id.bytes[i]);
  snprintf (f->build_id, sizeof f->build_id, ".build-id/%.2s/%s.debug", digits,
            digits + 2);
  snprintf (f->cached, sizeof f->cached, "cache/%s/debuginfo", digits);
}

static void
use_cache (struct fixture *f)
{
  snprintf (f->places.cache, sizeof f->places.cache, "%s/cache", f->directory);
}

/* Open the program that f->elf describes.  */
static void
open_built (struct fixture *f)
{
  struct error err = { 0 };
  elf_builder_finish (&f->elf);
  assert_true (image_open_memory (&f->image, f->elf.bytes, f->elf.size, &err));
  make_directory (f);
  set_paths (f);
}

static void
open_fixture (struct fixture *f)
{
  elf_builder_program (&f->elf, EM_X86_64, false);
  open_built (f);
}

static void
close_fixture (struct fixture *f)
{
  char command[128];
  image_close (&f->image);
  snprintf (command, sizeof command, "rm -rf %s", f->directory);
  assert_int_equal (system (command), 0);
}

#define FIXTURE_TEST(name) \
  TEST_WITH (struct fixture, f, open_fixture, close_fixture, name)

/* Write the program as its own debug file to DIRECTORY/PATH, with one byte
   changed: that at CHANGED, unless it is 0.  */
static void
write_debug_file (const struct fixture *f, const char *path, size_t changed)
{
  char name[300];
  snprintf (name, sizeof name, "%s/%s", f->directory, path);
  for (char *slash = strchr (name, '/'); slash != NULL;
       slash = strchr (slash + 1, '/'))
    {
      *slash = '\0';
      mkdir (name, 0700);
      *slash = '/';
    }
  FILE *out = fopen (name, "wb");
  assert_non_null (out);
  for (size_t i = 0; i < f->elf.size; i++)
    fputc (f->elf.bytes[i] ^ (i == changed && changed != 0), out);
  fclose (out);
}

/* Where the file's build-id is.  The id is found in a copy where the host has
   another byte order.  */
static size_t
build_id_offset (const struct fixture *f)
{
  struct build_id id = build_id_find (&f->image);
  assert_int_equal (id.size, 20);
  const uint8_t *place = memmem (f->elf.bytes, f->elf.size, id.bytes, id.size);
  assert_non_null (place);
  return (size_t)(place - f->elf.bytes);
}

/* What a search comes to.  */
enum outcome
{
  FOUND,
  NOT_FOUND,
  REFUSED /* there is a file, but not of this program */
};

/* Search for the debug file, which comes to WANTED.  WORDS, unless they are
   NULL, are in the path of a file that is found and in a refusal's reason.  */
static void
expect (const struct fixture *f, enum outcome wanted, const char *words)
{
  struct debug_file file;
  struct error err = { 0 };
  debug_file_find (&file, &f->image, &f->places, &err);
  if ((file.image.elf != NULL) != (wanted == FOUND))
    fail_msg ("%s: %s", wanted == FOUND ? "not found" : "found", err.reason);
  assert_int_equal (err.status,
                    wanted == REFUSED ? CFI2SFRAME_REFUSED : CFI2SFRAME_OK);
  if (words != NULL)
    assert_non_null (strstr (wanted == FOUND ? file.path : err.reason, words));
  if (wanted == FOUND)
    debug_file_close (&file);
}

/* Open the debug file DIRECTORY/NAME of IMAGE, which is refused with REASON
   unless that is NULL.  */
static void
expect_opened (const struct fixture *f, const char *name,
               const struct image *image, const char *reason)
{
  struct debug_file file;
  struct error err = { 0 };
  char path[128];
  snprintf (path, sizeof path, "%s/%s", f->directory, name);
  assert_int_equal (debug_file_open (&file, path, image, &err),
                    reason == NULL);
  if (reason == NULL)
    debug_file_close (&file);
  else
    assert_non_null (strstr (err.reason, reason));
}

FIXTURE_TEST (a_debug_file_is_found_by_its_build_id)
{
  expect (f, NOT_FOUND, NULL);
  write_debug_file (f, f->build_id, 0);
  expect (f, FOUND, f->build_id);
}

FIXTURE_TEST (another_build_id_is_refused)
{
  for (size_t i = 0; i < 20; i++)
    {
      write_debug_file (f, f->build_id, build_id_offset (f) + i);
      expect (f, REFUSED, "another build-id");
    }
}

/* A path has PATH_MAX - 1 bytes at most.  Cut off there, a longer one would
   name another file.  */
TEST (a_path_that_is_too_long_leads_nowhere)
{
  for (size_t more = 0; more < 2; more++)
    {
      struct fixture f;
      char global[PATH_MAX];
      open_fixture (&f);
      write_debug_file (&f, f.build_id, 0);
      f.build_id[strlen (f.build_id) - 1] = '\0';
      write_debug_file (&f, f.build_id, 0);
      size_t size = PATH_MAX - 1 + more - strlen ("/") - strlen (f.build_id)
                    - strlen ("g");
      memset (global, '/', size);
      memcpy (global, f.directory, strlen (f.directory));
      global[size] = '\0';
      f.places.global = global;
      expect (&f, more ? NOT_FOUND : FOUND, NULL);
      close_fixture (&f);
    }
}

FIXTURE_TEST (the_cache_comes_after_the_system_s_directory)
{
  use_cache (f);
  write_debug_file (f, f->build_id, build_id_offset (f));
  write_debug_file (f, f->cached, 0);
  expect (f, FOUND, f->cached);
}

/* A debug file that is cut off anywhere is refused, but for an empty one,
   which debuginfod's client makes where no server has a debug file.  */
FIXTURE_TEST (truncated_debug_files_are_refused)
{
  char name[300];
  snprintf (name, sizeof name, "%s/%s", f->directory, f->build_id);
  for (size_t size = 0; size < f->elf.size; size += 1 + size / 16)
    {
      write_debug_file (f, f->build_id, 0);
      assert_int_equal (truncate (name, (off_t)size), 0);
      expect (f, size == 0 ? NOT_FOUND : REFUSED, NULL);
    }
}

/* Found by fuzzing: the dynamic section of a debug file was read from behind
   the file's end.  */
TEST (segments_of_a_debug_file_have_no_bytes)
{
  struct elf_builder elf;
  struct image image;
  struct error err = { 0 };
  uint64_t value;
  elf_builder_program (&elf, EM_X86_64, false);
  elf.sections[elf_builder_section (&elf, ".text")].sh_type = SHT_NOBITS;
  elf_builder_segment (&elf, PT_DYNAMIC)->p_offset = 2 * elf.size;
  elf_builder_finish (&elf);
  assert_true (image_open_memory (&image, elf.bytes, elf.size, &err));
  assert_true (image.debug_only);
  for (size_t i = 0; i < image.n_segments; i++)
    assert_int_equal (image.segments[i].p_filesz, 0);
  assert_false (dynamic_find (&image, DT_STRTAB, &value));
  image_close (&image);
}

/* A program on the disk, in the directory.  Its link of SIZE bytes names
   LINK.  */
static void
open_linked_fixture (struct fixture *f, const char *link, size_t size)
{
  struct error err = { 0 };
  char path[128];
  elf_builder_program (&f->elf, EM_X86_64, false);
  uint64_t at = (f->elf.size + 3) & ~UINT64_C (3);
  elf_builder_add_section (&f->elf, ".gnu_debuglink", SHT_PROGBITS, 0, at,
                           size, 4);
  strcpy ((char *)f->elf.bytes + at, link);
  elf_builder_finish (&f->elf);
  make_directory (f);
  write_debug_file (f, "prog", 0);
  snprintf (path, sizeof path, "%s/prog", f->directory);
  assert_true (image_open (&f->image, path, &err));
  set_paths (f);
}

static void
open_program_with_a_link (struct fixture *f)
{
  open_linked_fixture (f, "p.debug", 12);
}

#define LINKED_TEST(name) \
  TEST_WITH (struct fixture, f, open_program_with_a_link, close_fixture, name)

/* A debug file that a link names is looked for beside the program, in .debug
   there, and in the system's directory below the path of the program's own
   one.  A link with a slash, as a hostile file may have it, leads nowhere.  */
TEST (a_debug_file_is_found_by_link)
{
  static const struct
  {
    const char *link, *place;
    bool found;
  } cases[] = {
    { "p.debug", "p.debug", true },
    { "pr.debug", "pr.debug", true }, /* four bytes more, all but one zero */
    { "p.debug", ".debug/p.debug", true },
    { "p.debug", "GLOBAL/p.debug", true },
    { "p.debug", "elsewhere/p.debug", false },
    { "sub/p.debug", "sub/p.debug", false },
    { "../p.debug", "p.debug", false },
    { "", "p.debug", false },
  };
  FOR_EACH_ROW (given, cases)
    {
      struct fixture f;
      char *folder, place[300];
      open_linked_fixture (&f, given->link,
                           ((strlen (given->link) + 4) & ~(size_t)3) + 4);
      folder = realpath (f.directory, NULL);
      assert_non_null (folder);
      if (strncmp (given->place, "GLOBAL/", 7) == 0)
        snprintf (place, sizeof place, "%.200s%s", folder + 1,
                  given->place + 6);
      else
        snprintf (place, sizeof place, "%s", given->place);
      write_debug_file (&f, place, 0);
      expect (&f, given->found ? FOUND : NOT_FOUND, NULL);
      free (folder);
      close_fixture (&f);
    }
}

/* Write the debug file, SPLIT from the program, to DIRECTORY/PATH.  */
static void
write_split_file (struct fixture *f, const char *path, bool split)
{
  size_t text = elf_builder_section (&f->elf, ".text");
  uint8_t *type
      = f->elf.bytes + f->elf.header.e_shoff + text * sizeof (Elf64_Shdr) + 4;
  store_u32 (type, split ? SHT_NOBITS : SHT_PROGBITS, false);
  write_debug_file (f, path, 0);
  store_u32 (type, SHT_PROGBITS, false);
}

/* The path of WHERE, which may stand for one of the usual places, in the
   directory, whose absolute path is FOLDER.  */
static void
place_of (const struct fixture *f, const char *where, const char *folder,
          char *place, size_t size)
{
  if (strcmp (where, "GLOBAL") == 0)
    snprintf (place, size, "%.200s/p.debug", folder + 1);
  else if (strcmp (where, "BUILD-ID") == 0)
    snprintf (place, size, "%s", f->build_id);
  else if (strcmp (where, "CACHE") == 0)
    snprintf (place, size, "%s", f->cached);
  else
    snprintf (place, size, "%s", where);
}

/* Let PLACE be a link to TO, with the folder that the link is in, and write
   the debug file elsewhere.  */
static void
write_link (struct fixture *f, const char *place, const char *folder,
            const char *to, bool split)
{
  char name[400], target[400];
  write_debug_file (f, place, 0);
  snprintf (name, sizeof name, "%s/%s", f->directory, place);
  unlink (name);
  snprintf (target, sizeof target, "%.200s%s", to[0] == '/' ? folder : "", to);
  assert_int_equal (symlink (target, name), 0);
  write_split_file (f, "elsewhere/p.debug", split);
}

/* A debug file that is to be changed has no code, and no link leads to it, but
   in the system's directory; one that is read may be anything.  */
TEST (what_is_to_be_changed_is_no_other_file)
{
  static const struct
  {
    const char *place; /* of the file, or, with a target, of the link */
    const char *to;    /* what the link leads to, from its own folder or,
                          with a slash in front, from the directory */
    bool split, to_read, to_change, beside;
  } cases[] = {
    { "p.debug", NULL, true, true, true, true },
    { "p.debug", NULL, false, true, false, true },
    { "p.debug", "elsewhere/p.debug", true, true, false, true },
    { ".debug/p.debug", NULL, true, true, true, true },
    { ".debug/p.debug", NULL, false, true, false, true },
    { ".debug/p.debug", "../elsewhere/p.debug", true, true, false, true },
    { ".debug", "elsewhere", true, true, false, true },
    { "BUILD-ID", NULL, true, true, true, false },
    { "BUILD-ID", NULL, false, true, false, false },
    { "BUILD-ID", "../../elsewhere/p.debug", true, true, true, false },
    { "BUILD-ID", "../../elsewhere/p.debug", false, true, false, false },
    { "CACHE", NULL, true, true, true, false },
    { "CACHE", "../../elsewhere/p.debug", true, true, false, false },
    { "GLOBAL", NULL, true, true, true, false },
    { "GLOBAL", NULL, false, true, false, false },
    { "GLOBAL", "/elsewhere/p.debug", true, true, true, false },
    { "GLOBAL", "/elsewhere/p.debug", false, true, false, false },
  };
  FOR_EACH_ROW (given, cases)
    for (unsigned to_change = 0; to_change < 2; to_change++)
      {
        struct fixture f;
        struct debug_file file;
        struct error err = { 0 };
        char place[300];
        open_linked_fixture (&f, "p.debug", 12);
        f.places.to_change = to_change;
        use_cache (&f);
        char *folder = realpath (f.directory, NULL);
        assert_non_null (folder);
        place_of (&f, given->place, folder, place, sizeof place);
        if (given->to == NULL)
          write_split_file (&f, place, given->split);
        else
          write_link (&f, place, folder, given->to, given->split);
        bool found = to_change ? given->to_change : given->to_read;
        debug_file_find (&file, &f.image, &f.places, &err);
        if ((file.image.elf != NULL) != found)
          fail_msg ("%s", err.reason);
        if (found)
          {
            assert_int_equal (file.beside,
                              given->beside ? strlen (folder) + 1 : 0);
            debug_file_close (&file);
          }
        else if (!given->split)
          assert_non_null (strstr (err.reason, "it has code"));
        else
          assert_int_equal (err.status, CFI2SFRAME_OK);
        free (folder);
        close_fixture (&f);
      }
}

/* Why one file is not taken does not matter when another one is.  */
TEST (a_file_beside_makes_up_for_another)
{
  for (unsigned beside = 0; beside < 2; beside++)
    {
      struct fixture f;
      struct debug_file file;
      struct error err = { 0 };
      open_linked_fixture (&f, "p.debug", 12);
      f.places.to_change = true;
      write_split_file (&f, f.build_id, false);
      if (beside)
        write_split_file (&f, "p.debug", true);
      debug_file_find (&file, &f.image, &f.places, &err);
      assert_int_equal (file.image.elf != NULL, beside);
      assert_int_equal (err.status,
                        beside ? CFI2SFRAME_OK : CFI2SFRAME_REFUSED);
      if (beside)
        debug_file_close (&file);
      close_fixture (&f);
    }
}

/* The CRC decides also if only the debug file has a build-id.  */
LINKED_TEST (a_crc_counts_where_one_has_a_build_id)
{
  write_debug_file (f, "p.debug", 0);
  size_t type = build_id_offset (f) - 8; /* behind it: "GNU" */
  uint32_t crc = crc32_of (f->elf.bytes, f->elf.size);
  size_t link
      = f->elf.sections[elf_builder_section (&f->elf, ".gnu_debuglink")]
            .sh_offset;
  store_u32 (f->elf.bytes + type, NT_GNU_BUILD_ID + 1, false);
  /* Either of the two, and for the last time the debug file.  */
  for (unsigned i = 0; i < 3; i++)
    {
      bool right = i > 0;
      if (i == 2)
        {
          write_debug_file (f, "p.debug", 0);
          crc = crc32_of (f->elf.bytes, f->elf.size);
          store_u32 (f->elf.bytes + type, NT_GNU_BUILD_ID, false);
        }
      struct image image;
      struct error err = { 0 };
      store_u32 (f->elf.bytes + link + 8, crc + !right, false);
      assert_true (
          image_open_memory (&image, f->elf.bytes, f->elf.size, &err));
      expect_opened (f, "p.debug", &image, right ? NULL : "not the CRC");
      image_close (&image);
    }
}

/* Where nothing has a build-id.  The CRC has the file's byte order, and begins
   at the next word behind the name; an empty name is none.  */
TEST (the_crc_stands_behind_the_name)
{
  static const char *const names[] = { "p.debug", "pr.debug", "p", "" };
  for (unsigned i = 0; i < 8; i++)
    {
      struct fixture f;
      struct error err = { 0 };
      const char *name = names[i / 2];
      bool big_endian = i % 2;
      elf_builder_program (&f.elf, big_endian ? EM_S390 : EM_X86_64,
                           big_endian);
      elf_builder_note (&f.elf, 0x220, "GNU", NT_GNU_BUILD_ID + 1, 20);
      uint64_t at = (f.elf.size + 3) & ~UINT64_C (3);
      uint64_t crc_at = strlen (name) / 4 * 4 + 4;
      elf_builder_add_section (&f.elf, ".gnu_debuglink", SHT_PROGBITS, 0, at,
                               crc_at + 4, 4);
      strcpy ((char *)f.elf.bytes + at, name);
      elf_builder_finish (&f.elf);
      make_directory (&f);
      write_debug_file (&f, "d", 0);
      store_u32 (f.elf.bytes + at + crc_at, crc32_of (f.elf.bytes, f.elf.size),
                 big_endian);
      assert_true (
          image_open_memory (&f.image, f.elf.bytes, f.elf.size, &err));
      expect_opened (&f, "d", &f.image,
                     name[0] != '\0' ? NULL : "neither a build-id nor");
      close_fixture (&f);
    }
}

/* A build-id that begins as another one is not the same.  */
TEST (a_shorter_build_id_is_another)
{
  for (uint32_t size = 8; size <= 20; size += 12)
    {
      struct fixture f, debug;
      open_fixture (&f);
      debug = f;
      elf_builder_program (&debug.elf, EM_X86_64, false);
      elf_builder_note (&debug.elf, 0x220, "GNU", NT_GNU_BUILD_ID, size);
      elf_builder_finish (&debug.elf);
      write_debug_file (&debug, "d", 0);
      expect_opened (&f, "d", &f.image,
                     size == 20 ? NULL : "another build-id");
      close_fixture (&f);
    }
}

/* The file found by its build-id counts, and so does its reason.  */
LINKED_TEST (the_build_id_comes_before_the_link)
{
  write_debug_file (f, "p.debug", 0);
  write_debug_file (f, f->build_id, 0);
  expect (f, FOUND, f->build_id);
  write_debug_file (f, f->build_id, build_id_offset (f));
  write_debug_file (f, "p.debug", 1);
  expect (f, REFUSED, f->build_id);
}

/* Whatever is wrong with the debug file, what is wrong with the machine stays
   what it is.  */
TEST (some_errors_are_not_the_debug_file_s)
{
  static const enum cfi2sframe_status cases[][2]
      = { { CFI2SFRAME_IO, CFI2SFRAME_IO },
          { CFI2SFRAME_NO_MEMORY, CFI2SFRAME_NO_MEMORY },
          { CFI2SFRAME_NOT_ELF, CFI2SFRAME_REFUSED },
          { CFI2SFRAME_MALFORMED, CFI2SFRAME_REFUSED } };
  for (size_t i = 0; i < N_OF (cases); i++)
    {
      struct error err = { 0 };
      error_set (&err, cases[i][0], "reason");
      assert_false (debug_file_blame (&err, "path"));
      assert_int_equal (err.status, cases[i][1]);
      assert_string_equal (err.reason, "debug file path: reason");
    }
}

/* What another program's debug file differs in, which has the right build-id
   nevertheless.  */
struct difference
{
  const char *name;
  const char *reason; /* why the debug file is refused, or NULL */
  uint16_t machine;   /* instead of EM_X86_64 */
  bool big_endian;
  const char *section; /* instead of ".text" */
  int size, address;   /* more than those of .text */
  bool data;           /* .text is data */
  bool more_code;      /* another section of code, which is not loaded */
  bool own_data;       /* the program's own .text is data */
  bool no_sections;    /* the program has no section headers */
};

static const struct difference differences[] = {
  { "the same code is not a difference", .reason = NULL },
  { "code that is not loaded is none either", NULL, .more_code = true },
  { "code of another size", "at other addresses", .size = -1 },
  { "code at another address", "at other addresses", .address = 1 },
  { "code in another section", "at other", .section = ".txet" },
  { "no code", "no code", .data = true },
  { "code where the program has data", "at other", .own_data = true },
  { "code in a segment", NULL, .no_sections = true },
  { "less code than the segment has", NULL, .no_sections = true, .size = -1 },
  { "more code than that", "at other", .no_sections = true, .size = 1 },
  { "code that leaves it", "at other", .no_sections = true, .address = 1 },
  { "another machine", "another machine", .machine = EM_AARCH64 },
  { "another byte order", "another machine", .big_endian = true },
};

TEST_ROWS (differences, const struct difference *difference, NULL, NULL,
           another_program_s_debug_file)
{
  struct fixture f, debug;
  elf_builder_program (&f.elf, EM_X86_64, false);
  if (difference->own_data)
    f.elf.sections[elf_builder_section (&f.elf, ".text")].sh_flags = SHF_ALLOC;
  if (difference->no_sections)
    f.elf.n_sections = 0;
  open_built (&f);
  debug = f;
  elf_builder_program (&debug.elf,
                       difference->machine ? difference->machine : EM_X86_64,
                       difference->big_endian);
  size_t index = elf_builder_section (&debug.elf, ".text");
  Elf64_Shdr *text = &debug.elf.sections[index];
  text->sh_size += (uint64_t)difference->size;
  text->sh_addr += (uint64_t)difference->address;
  if (difference->section != NULL)
    debug.elf.names[index] = difference->section;
  if (difference->data)
    text->sh_flags = SHF_ALLOC;
  if (difference->more_code)
    elf_builder_add_section (&debug.elf, ".other", SHT_PROGBITS, SHF_EXECINSTR,
                             debug.elf.size, 4, 1);
  elf_builder_finish (&debug.elf);
  write_debug_file (&debug, f.build_id, 0);
  expect (&f, difference->reason == NULL ? FOUND : REFUSED,
          difference->reason);
  close_fixture (&f);
}

/* Its first byte is the folder, the others are the name.  */
TEST (one_byte_is_no_build_id_to_look_for)
{
  for (uint32_t size = 1; size <= 2; size++)
    {
      struct fixture f;
      elf_builder_program (&f.elf, EM_X86_64, false);
      elf_builder_note (&f.elf, 0x220, "GNU", 3 /* NT_GNU_BUILD_ID */, size);
      size_t note = elf_builder_section (&f.elf, ".note.gnu.build-id");
      f.elf.sections[note].sh_size = 20;
      elf_builder_segment (&f.elf, PT_NOTE)->p_filesz = 20;
      open_built (&f);
      assert_int_equal (build_id_find (&f.image).size, size);
      write_debug_file (&f, f.build_id, 0);
      expect (&f, size == 1 ? NOT_FOUND : FOUND, NULL);
      close_fixture (&f);
    }
}

/* An image that was made of a file is beside what that file is beside,
   whatever descriptor the file has.  */
LINKED_TEST (what_was_made_of_a_file_is_where_the_file_is)
{
  struct debug_file file;
  struct error err = { 0 };
  write_debug_file (f, "p.debug", 0);
  struct image source = f->image, made = f->image;
  int input = dup (STDIN_FILENO);
  assert_true (input >= 0);
  assert_int_equal (dup2 (f->image.fd, STDIN_FILENO), STDIN_FILENO);
  source.fd = STDIN_FILENO;
  made.fd = -1;
  made.made_from = &source;
  debug_file_find (&file, &made, &f->places, &err);
  assert_int_equal (dup2 (input, STDIN_FILENO), STDIN_FILENO);
  close (input);
  assert_non_null (file.image.elf);
  debug_file_close (&file);
}

/* Contents of any loaded section of code, also the last one, make a file one
   that is run.  */
TEST (code_is_in_no_separate_debug_file)
{
  static const struct
  {
    uint32_t type;
    uint64_t flags;
    bool split;
  } cases[] = {
    { SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, false },
    { SHT_NOTE, SHF_ALLOC | SHF_EXECINSTR, false },
    { SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, true },
    { SHT_PROGBITS, SHF_EXECINSTR, true },
    { SHT_PROGBITS, SHF_ALLOC, true },
  };
  FOR_EACH_ROW (given, cases)
    for (size_t at = 1; at < 4; at++)
      {
        struct image_section sections[4] = { 0 };
        struct image image = { .sections = sections, .n_sections = 4 };
        struct error err = { 0 };
        sections[at].header.sh_type = given->type;
        sections[at].header.sh_flags = given->flags;
        assert_int_equal (debug_file_check_split (&image, &err), given->split);
      }
}

TEST (the_environment_names_the_cache)
{
  static const struct
  {
    const char *path, *xdg, *home, *cache;
  } cases[] = {
    { "/c", "/x", "/h", "/c" },
    { "", "/x", "/h", "/x/debuginfod_client" },
    { NULL, "/x", "/h", "/x/debuginfod_client" },
    { NULL, "", "/h", "/h/.cache/debuginfod_client" },
    { NULL, NULL, NULL, "" },
  };
  static const char *const names[]
      = { "DEBUGINFOD_CACHE_PATH", "XDG_CACHE_HOME", "HOME" };
  char *before[3];
  for (size_t k = 0; k < 3; k++)
    before[k] = getenv (names[k]) ? strdup (getenv (names[k])) : NULL;
  FOR_EACH_ROW (given, cases)
    {
      const char *const values[] = { given->path, given->xdg, given->home };
      for (size_t k = 0; k < 3; k++)
        if (values[k] != NULL)
          setenv (names[k], values[k], 1);
        else
          unsetenv (names[k]);
      struct debug_places places = debug_places_usual ();
      assert_string_equal (places.cache, given->cache);
      assert_string_equal (places.global, "/usr/lib/debug");
      assert_false (places.to_change);
    }
  /* As long as a path can be, and longer: that leads nowhere.  */
  struct debug_places places;
  char path[sizeof places.cache + 1];
  memset (path, 'c', sizeof path);
  path[sizeof path - 1] = '\0';
  setenv (names[0], path + 1, 1);
  places = debug_places_usual ();
  assert_string_equal (places.cache, path + 1);
  setenv (names[0], path, 1);
  places = debug_places_usual ();
  assert_string_equal (places.cache, "");
  for (size_t k = 0; k < 3; k++)
    {
      if (before[k] != NULL)
        setenv (names[k], before[k], 1);
      free (before[k]);
    }
}

/* Sections that end before the CRC, and one that has all of it.  */
TEST (a_link_has_a_crc)
{
  for (size_t size = 0; size <= 8; size++)
    {
      struct fixture f;
      open_linked_fixture (&f, "pd", size);
      write_debug_file (&f, "pd", 0);
      expect (&f, size == 8 ? FOUND : NOT_FOUND, NULL);
      close_fixture (&f);
    }
}

/* A debug file can have so many sections of code that to compare them takes
   long.  1024 are compared.  */
TEST (a_thousand_sections_of_code_are_compared)
{
  for (size_t n = 1024; n <= 1025; n++)
    {
      struct fixture f;
      open_fixture (&f);
      /* The table goes to the end, with .text as often as it takes.  */
      const Elf64_Shdr *old
          = (const void *)(f.elf.bytes + f.elf.header.e_shoff);
      size_t more = n - 1, own = f.elf.header.e_shnum;
      Elf64_Shdr *new = (void *)(f.elf.bytes + ((f.elf.size + 7) & ~7));
      memcpy (new, old, own * sizeof *new);
      for (size_t i = 0; i < more; i++)
        {
          new[own + i] = old[elf_builder_section (&f.elf, ".text")];
          new[own + i].sh_type = SHT_NOBITS;
        }
      Elf64_Ehdr *header = (void *)f.elf.bytes;
      header->e_shoff = (uint64_t)((uint8_t *)new - f.elf.bytes);
      header->e_shnum = (uint16_t)(own + more);
      f.elf.size = header->e_shoff + (own + more) * sizeof *new;
      assert_true (f.elf.size <= sizeof f.elf.bytes);
      write_debug_file (&f, f.build_id, 0);
      if (n == 1024)
        expect (&f, FOUND, NULL);
      else
        expect (&f, REFUSED, "at other addresses");
      close_fixture (&f);
    }
}
