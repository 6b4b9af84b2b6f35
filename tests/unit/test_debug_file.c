/* Finding the debug file that belongs to a file.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/crc32.h"
#include "elf/build_id.h"
#include "elf/debug_file.h"
#include "elf/dynamic.h"
#include "tests/unit/elf_builder.h"

/* A program in memory, and a directory to look for its debug file in.  */
struct fixture
{
  struct elf_builder elf;
  struct image image;
  char directory[64];
  struct debug_places places;
};

static void
open_fixture (struct fixture *f)
{
  struct error err = { 0 };
  elf_builder_program (&f->elf, EM_X86_64, false);
  elf_builder_finish (&f->elf);
  assert_true (image_open_memory (&f->image, f->elf.bytes, f->elf.size, &err));
  strcpy (f->directory, "debug-XXXXXX");
  assert_non_null (mkdtemp (f->directory));
  f->places = (struct debug_places){ .global = f->directory };
}

static void
close_fixture (struct fixture *f)
{
  char command[128];
  image_close (&f->image);
  snprintf (command, sizeof command, "rm -rf %s", f->directory);
  assert_int_equal (system (command), 0);
}

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

/* The build-id as digits, with AFTER_FIRST behind the first two.  */
static void
build_id_digits (const struct fixture *f, const char *after_first,
                 char *digits)
{
  struct build_id id = build_id_find (&f->image);
  for (size_t i = 0; i < id.size; i++)
    digits
        += sprintf (digits, "%02x%s", id.bytes[i], i == 0 ? after_first : "");
}

static void
build_id_path (const struct fixture *f, char *path, size_t size)
{
  char digits[2 * BUILD_ID_SIZE_MAX + 2];
  build_id_digits (f, "/", digits);
  snprintf (path, size, ".build-id/%s.debug", digits);
}

static void
test_found_by_build_id (void **state)
{
  (void)state;
  struct fixture f;
  struct debug_file file;
  struct error err = { 0 };
  char path[200];
  open_fixture (&f);
  build_id_path (&f, path, sizeof path);
  debug_file_find (&file, &f.image, &f.places, &err);
  assert_null (file.image.elf);
  assert_int_equal (err.status, CFI2SFRAME_OK);
  write_debug_file (&f, path, 0);
  debug_file_find (&file, &f.image, &f.places, &err);
  assert_non_null (file.image.elf);
  assert_int_equal (err.status, CFI2SFRAME_OK);
  assert_non_null (strstr (file.path, path));
  debug_file_close (&file);
  close_fixture (&f);
}

static void
test_another_build_id (void **state)
{
  (void)state;
  struct fixture f;
  struct debug_file file;
  struct error err = { 0 };
  char path[200];
  open_fixture (&f);
  build_id_path (&f, path, sizeof path);
  write_debug_file (&f, path, build_id_offset (&f));
  debug_file_find (&file, &f.image, &f.places, &err);
  assert_null (file.image.elf);
  assert_int_equal (err.status, CFI2SFRAME_REFUSED);
  assert_non_null (strstr (err.reason, "another build-id"));
  close_fixture (&f);
}

/* The cache comes after the system's directory.  */
static void
test_cache (void **state)
{
  (void)state;
  struct fixture f;
  struct debug_file file;
  struct error err = { 0 };
  char path[200];
  open_fixture (&f);
  build_id_path (&f, path, sizeof path);
  write_debug_file (&f, path, build_id_offset (&f));
  char digits[2 * BUILD_ID_SIZE_MAX + 1];
  build_id_digits (&f, "", digits);
  snprintf (path, sizeof path, "cache/%s/debuginfo", digits);
  write_debug_file (&f, path, 0);
  snprintf (f.places.cache, sizeof f.places.cache, "%s/cache", f.directory);
  debug_file_find (&file, &f.image, &f.places, &err);
  assert_non_null (file.image.elf);
  assert_int_equal (err.status, CFI2SFRAME_OK);
  debug_file_close (&file);
  close_fixture (&f);
}

static void
test_crc (void **state)
{
  (void)state;
  assert_int_equal (crc32_of ((const uint8_t *)"123456789", 9), 0xcbf43926);
  assert_int_equal (crc32_of (NULL, 0), 0);
}

/* A word between any two parts leads to any CRC.  */
static void
test_word_for_crc (void **state)
{
  (void)state;
  static const uint32_t wanted[] = { 0, 1, 0xcbf43926, 0xffffffff };
  uint8_t bytes[40];
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (uint8_t)(i * 41 + 7);
  for (size_t at = 0; at + 4 <= sizeof bytes; at++)
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
      {
        uint32_t word = crc32_word_for (bytes, at, bytes + at + 4,
                                        sizeof bytes - at - 4, wanted[i]);
        store_u32 (bytes + at, word, false);
        assert_int_equal (crc32_of (bytes, sizeof bytes), wanted[i]);
      }
}

/* Truncated everywhere: nothing but refusals, but for an empty file, which
   debuginfod's client makes where no server has one.  */
static void
test_truncated_debug_files (void **state)
{
  (void)state;
  struct fixture f;
  char path[200], name[300];
  open_fixture (&f);
  build_id_path (&f, path, sizeof path);
  write_debug_file (&f, path, 0);
  snprintf (name, sizeof name, "%s/%s", f.directory, path);
  for (size_t size = 0; size < f.elf.size; size += 1 + size / 16)
    {
      struct debug_file file;
      struct error err = { 0 };
      assert_int_equal (truncate (name, (off_t)size), 0);
      debug_file_find (&file, &f.image, &f.places, &err);
      assert_null (file.image.elf);
      assert_int_equal (err.status,
                        size == 0 ? CFI2SFRAME_OK : CFI2SFRAME_REFUSED);
      write_debug_file (&f, path, 0);
    }
  close_fixture (&f);
}

/* Found by fuzzing: the dynamic section was read from behind the end.  */
static void
test_segments_have_no_bytes (void **state)
{
  (void)state;
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

/* A program on the disk, in the folder, whose link names LINK; its sections
   end with that.  */
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
  strcpy (f->directory, "debug-XXXXXX");
  assert_non_null (mkdtemp (f->directory));
  f->places = (struct debug_places){ .global = f->directory };
  write_debug_file (f, "prog", 0);
  snprintf (path, sizeof path, "%s/prog", f->directory);
  assert_true (image_open (&f->image, path, &err));
}

/* Beside the file, in .debug there, and in the system's directory under the
   name of the file's own.  A link that leads elsewhere, as one in a hostile
   file may, is not followed.  */
static void
test_found_by_link (void **state)
{
  (void)state;
  static const struct
  {
    const char *link, *place;
    bool found;
  } cases[] = {
    { "p.debug", "p.debug", true },
    { "p.debug", ".debug/p.debug", true },
    { "p.debug", "GLOBAL/p.debug", true },
    { "p.debug", "elsewhere/p.debug", false },
    { "sub/p.debug", "sub/p.debug", false },
    { "../p.debug", "p.debug", false },
    { "", "p.debug", false },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      struct fixture f;
      struct debug_file file;
      struct error err = { 0 };
      char *folder, place[300];
      open_linked_fixture (&f, cases[i].link,
                           ((strlen (cases[i].link) + 4) & ~(size_t)3) + 4);
      folder = realpath (f.directory, NULL);
      assert_non_null (folder);
      if (strncmp (cases[i].place, "GLOBAL/", 7) == 0)
        snprintf (place, sizeof place, "%.200s%s", folder + 1,
                  cases[i].place + 6);
      else
        snprintf (place, sizeof place, "%s", cases[i].place);
      write_debug_file (&f, place, 0);
      debug_file_find (&file, &f.image, &f.places, &err);
      assert_int_equal (file.image.elf != NULL, cases[i].found);
      assert_int_equal (err.status, CFI2SFRAME_OK);
      if (cases[i].found)
        debug_file_close (&file);
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

/* A debug file that is to be changed has no code, and no link leads to it, but
   in the system's directory; one that is read may be anything.  */
static void
what_is_to_be_changed_is_no_other_file (void **state)
{
  static const struct
  {
    const char *place; /* of the file, or, with a target, of the link */
    const char *to;    /* what the link leads to, from its own folder */
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
  };
  (void)state;
  for (size_t i = 0; i < 2 * (sizeof cases / sizeof *cases); i++)
    {
      struct fixture f;
      struct debug_file file;
      struct error err = { 0 };
      char place[300], name[400], digits[2 * BUILD_ID_SIZE_MAX + 2];
      bool to_change = i % 2;
      const char *where = cases[i / 2].place, *to = cases[i / 2].to;
      open_linked_fixture (&f, "p.debug", 12);
      f.places.to_change = to_change;
      snprintf (f.places.cache, sizeof f.places.cache, "%s/cache",
                f.directory);
      char *folder = realpath (f.directory, NULL);
      assert_non_null (folder);
      build_id_digits (&f, "", digits);
      if (strcmp (where, "GLOBAL") == 0)
        snprintf (place, sizeof place, "%.200s/p.debug", folder + 1);
      else if (strcmp (where, "BUILD-ID") == 0)
        build_id_path (&f, place, sizeof place);
      else if (strcmp (where, "CACHE") == 0)
        snprintf (place, sizeof place, "cache/%s/debuginfo", digits);
      else
        snprintf (place, sizeof place, "%s", where);
      if (to == NULL)
        write_split_file (&f, place, cases[i / 2].split);
      else
        {
          /* With the folder that the link is in.  */
          write_debug_file (&f, place, 0);
          snprintf (name, sizeof name, "%s/%s", f.directory, place);
          unlink (name);
          assert_int_equal (symlink (to, name), 0);
          write_split_file (&f, "elsewhere/p.debug", cases[i / 2].split);
        }
      bool found = to_change ? cases[i / 2].to_change : cases[i / 2].to_read;
      debug_file_find (&file, &f.image, &f.places, &err);
      if ((file.image.elf != NULL) != found)
        fail_msg ("case %zu: %s", i, err.reason);
      if (found)
        {
          assert_int_equal (file.beside,
                            cases[i / 2].beside ? strlen (folder) + 1 : 0);
          debug_file_close (&file);
        }
      else if (!cases[i / 2].split)
        assert_non_null (strstr (err.reason, "it has code"));
      else
        assert_int_equal (err.status, CFI2SFRAME_OK);
      free (folder);
      close_fixture (&f);
    }
}

/* The CRC decides also if only the debug file has a build-id.  */
static void
a_crc_counts_where_one_has_a_build_id (void **state)
{
  (void)state;
  struct fixture f;
  open_linked_fixture (&f, "p.debug", 12);
  write_debug_file (&f, "p.debug", 0);
  size_t type = build_id_offset (&f) - 8; /* behind it: "GNU" */
  uint32_t crc = crc32_of (f.elf.bytes, f.elf.size);
  size_t link = f.elf.sections[elf_builder_section (&f.elf, ".gnu_debuglink")]
                    .sh_offset;
  store_u32 (f.elf.bytes + type, NT_GNU_BUILD_ID + 1, false);
  for (unsigned right = 0; right < 2; right++)
    {
      struct image image;
      struct debug_file file;
      struct error err = { 0 };
      char path[128];
      store_u32 (f.elf.bytes + link + 8, crc + !right, false);
      snprintf (path, sizeof path, "%s/p.debug", f.directory);
      assert_true (image_open_memory (&image, f.elf.bytes, f.elf.size, &err));
      assert_int_equal (debug_file_open (&file, path, &image, &err), right);
      if (right)
        debug_file_close (&file);
      else
        assert_non_null (strstr (err.reason, "not the CRC"));
      image_close (&image);
    }
  close_fixture (&f);
}

/* Debug files with the right build-id that are not of this program.  */
static void
test_other_code_or_machine (void **state)
{
  enum change
  {
    NOTHING,
    TEXT_SIZE,
    TEXT_ADDRESS,
    TEXT_NAME,
    MACHINE,
    OTHER_ORDER,
    NO_CODE,
    CODE_NOT_LOADED
  };
  static const char *const reasons[] = { NULL,
                                         "at other addresses",
                                         "at other addresses",
                                         "at other",
                                         "another machine",
                                         "another machine",
                                         "no code",
                                         NULL };
  (void)state;
  for (int change = NOTHING; change <= CODE_NOT_LOADED; change++)
    {
      struct fixture f;
      struct elf_builder debug, *own = malloc (sizeof *own);
      struct debug_file file;
      struct error err = { 0 };
      char path[200];
      open_fixture (&f);
      build_id_path (&f, path, sizeof path);
      elf_builder_program (&debug, change == MACHINE ? EM_AARCH64 : EM_X86_64,
                           change == OTHER_ORDER);
      Elf64_Shdr *text
          = &debug.sections[elf_builder_section (&debug, ".text")];
      text->sh_size -= change == TEXT_SIZE;
      text->sh_addr += change == TEXT_ADDRESS;
      if (change == TEXT_NAME)
        debug.names[text - debug.sections] = ".txet";
      if (change == NO_CODE)
        text->sh_flags = SHF_ALLOC;
      if (change == CODE_NOT_LOADED)
        elf_builder_add_section (&debug, ".other", SHT_PROGBITS, SHF_EXECINSTR,
                                 debug.size, 4, 1);
      elf_builder_finish (&debug);
      *own = f.elf;
      f.elf = debug;
      write_debug_file (&f, path, 0);
      f.elf = *own;
      free (own);
      debug_file_find (&file, &f.image, &f.places, &err);
      assert_int_equal (file.image.elf != NULL, reasons[change] == NULL);
      if (reasons[change] == NULL)
        debug_file_close (&file);
      else
        assert_non_null (strstr (err.reason, reasons[change]));
      close_fixture (&f);
    }
}

/* One byte is no build-id to look for.  */
static void
test_tiny_build_id (void **state)
{
  (void)state;
  struct fixture f;
  struct debug_file file;
  struct error err = { 0 };
  elf_builder_program (&f.elf, EM_X86_64, false);
  elf_builder_note (&f.elf, 0x220, "GNU", 3 /* NT_GNU_BUILD_ID */, 1);
  f.elf.sections[elf_builder_section (&f.elf, ".note.gnu.build-id")].sh_size
      = 20;
  elf_builder_segment (&f.elf, PT_NOTE)->p_filesz = 20;
  elf_builder_finish (&f.elf);
  assert_true (image_open_memory (&f.image, f.elf.bytes, f.elf.size, &err));
  strcpy (f.directory, "debug-XXXXXX");
  assert_non_null (mkdtemp (f.directory));
  f.places = (struct debug_places){ .global = f.directory };
  assert_int_equal (build_id_find (&f.image).size, 1);
  write_debug_file (&f, ".build-id/b1/.debug", 0);
  debug_file_find (&file, &f.image, &f.places, &err);
  assert_null (file.image.elf);
  assert_int_equal (err.status, CFI2SFRAME_OK);
  close_fixture (&f);
}

static void
test_usual_places (void **state)
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
  (void)state;
  char *before[3];
  for (size_t k = 0; k < 3; k++)
    before[k] = getenv (names[k]) ? strdup (getenv (names[k])) : NULL;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      const char *const values[]
          = { cases[i].path, cases[i].xdg, cases[i].home };
      for (size_t k = 0; k < 3; k++)
        if (values[k] != NULL)
          setenv (names[k], values[k], 1);
        else
          unsetenv (names[k]);
      struct debug_places places = debug_places_usual ();
      assert_string_equal (places.cache, cases[i].cache);
      assert_string_equal (places.global, "/usr/lib/debug");
    }
  for (size_t k = 0; k < 3; k++)
    {
      if (before[k] != NULL)
        setenv (names[k], before[k], 1);
      free (before[k]);
    }
}

/* The section ends where the CRC should be.  */
static void
test_link_without_crc (void **state)
{
  (void)state;
  for (size_t size = 3; size <= 8; size++)
    {
      struct fixture f;
      struct debug_file file;
      struct error err = { 0 };
      open_linked_fixture (&f, "pd", size);
      write_debug_file (&f, "pd", 0);
      debug_file_find (&file, &f.image, &f.places, &err);
      assert_int_equal (file.image.elf != NULL, size == 8);
      if (size == 8)
        debug_file_close (&file);
      close_fixture (&f);
    }
}

/* A debug file of so many sections of code that comparing them takes long.
   1024 are compared.  */
static void
test_many_sections_of_code (void **state)
{
  (void)state;
  for (size_t n = 1024; n <= 1025; n++)
    {
      struct fixture f;
      struct debug_file file;
      struct error err = { 0 };
      char path[200];
      open_fixture (&f);
      build_id_path (&f, path, sizeof path);
      /* The table goes to the end, with .text as often as it takes.  */
      const Elf64_Shdr *old
          = (const void *)(f.elf.bytes + f.elf.header.e_shoff);
      size_t more = n - 1, own = f.elf.header.e_shnum;
      Elf64_Shdr *new = (void *)(f.elf.bytes + ((f.elf.size + 7) & ~7));
      memcpy (new, old, own * sizeof *new);
      for (size_t i = 0; i < more; i++)
        new[own + i] = old[elf_builder_section (&f.elf, ".text")];
      Elf64_Ehdr *header = (void *)f.elf.bytes;
      header->e_shoff = (uint64_t)((uint8_t *)new - f.elf.bytes);
      header->e_shnum = (uint16_t)(own + more);
      f.elf.size = header->e_shoff + (own + more) * sizeof *new;
      assert_true (f.elf.size <= sizeof f.elf.bytes);
      write_debug_file (&f, path, 0);
      debug_file_find (&file, &f.image, &f.places, &err);
      assert_int_equal (file.image.elf != NULL, n == 1024);
      if (n == 1024)
        debug_file_close (&file);
      else
        assert_non_null (strstr (err.reason, "at other addresses"));
      close_fixture (&f);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_found_by_build_id),
    cmocka_unit_test (test_another_build_id),
    cmocka_unit_test (test_cache),
    cmocka_unit_test (test_crc),
    cmocka_unit_test (test_word_for_crc),
    cmocka_unit_test (test_truncated_debug_files),
    cmocka_unit_test (test_segments_have_no_bytes),
    cmocka_unit_test (test_found_by_link),
    cmocka_unit_test (what_is_to_be_changed_is_no_other_file),
    cmocka_unit_test (a_crc_counts_where_one_has_a_build_id),
    cmocka_unit_test (test_link_without_crc),
    cmocka_unit_test (test_other_code_or_machine),
    cmocka_unit_test (test_many_sections_of_code),
    cmocka_unit_test (test_tiny_build_id),
    cmocka_unit_test (test_usual_places),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
