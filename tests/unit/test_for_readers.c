/* Unit tests of src/convert/for_readers.c: which versions the readers of --for
   take, and what they say of a file and its section.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <string.h>

#include "base/buffer.h"
#include "convert/section_check.h"
#include "sframe/formats.h"
#include "convert/for_readers.h"
#include "elf_builder.h"
#include "sframe/encode.h"
#include "tests/encoded.h"

enum
{
  ADDRESS = 0x402000,
  LINUX = CFI2SFRAME_READER_LINUX,
  GLIBC = CFI2SFRAME_READER_GLIBC,
  LIBSFRAME = CFI2SFRAME_READER_LIBSFRAME,
  LIBSFRAME_2_44 = CFI2SFRAME_READER_LIBSFRAME_2_44,
  LIBSFRAME_2_40 = CFI2SFRAME_READER_LIBSFRAME_2_40,
  ALL = LINUX | GLIBC | LIBSFRAME | LIBSFRAME_2_44 | LIBSFRAME_2_40
};

TEST (readers_have_names)
{
  assert_string_equal (for_readers_name (0), "linux");
  assert_string_equal (for_readers_name (1), "glibc");
  assert_string_equal (for_readers_name (4), "libsframe-2.40");
  assert_null (for_readers_name (5));
  assert_true (for_readers_are_known (0));
  assert_true (for_readers_are_known (ALL));
  assert_false (for_readers_are_known (ALL + 1));
}

/* Readers with the newest format that all of them take, or with words of the
   reason that there is none.  */
struct choice
{
  const char *name;
  unsigned readers;
  enum cfi2sframe_format format;
  const char *reason;
};

static const struct choice choices[] = {
  { "linux takes 3", LINUX, CFI2SFRAME_V3, NULL },
  { "libsframe takes 3", LIBSFRAME, CFI2SFRAME_V3, NULL },
  { "both of them, too", LINUX | LIBSFRAME, CFI2SFRAME_V3, NULL },
  { "glibc takes 2", GLIBC, CFI2SFRAME_V2, NULL },
  { "with libsframe, too", GLIBC | LIBSFRAME, CFI2SFRAME_V2, NULL },
  { "libsframe 2.44 takes 2.0", LIBSFRAME_2_44, CFI2SFRAME_V2_0, NULL },
  { "with glibc, too", GLIBC | LIBSFRAME_2_44, CFI2SFRAME_V2_0, NULL },
  { "libsframe 2.40 takes 1", LIBSFRAME_2_40, CFI2SFRAME_V1, NULL },
  { "linux and glibc have no version", LINUX | GLIBC, CFI2SFRAME_V1,
    "no version is read by all of them: linux reads 3; glibc reads 2 and "
    "2.0" },
  { "libsframe's releases have none", LIBSFRAME | LIBSFRAME_2_40,
    CFI2SFRAME_V1, ": libsframe reads 3 and 2; libsframe-2.40 reads 1" },
};

TEST_ROWS (choices, const struct choice *choice, NULL, NULL,
           newest_common_format)
{
  struct error err = { 0 };
  /* Another one than any that is expected.  */
  enum cfi2sframe_format format = (enum cfi2sframe_format)77;
  bool found = for_readers_format (choice->readers, &format, &err);
  assert_int_equal (found, choice->reason == NULL);
  assert_int_equal (format, found ? choice->format : 77);
  assert_int_equal (err.status, found ? CFI2SFRAME_OK : CFI2SFRAME_INVALID);
  if (!found)
    assert_non_null (strstr (err.reason, choice->reason));
}

TEST (without_readers_the_format_stays)
{
  struct error err = { 0 };
  enum cfi2sframe_format format = CFI2SFRAME_V2;
  assert_true (for_readers_format (0, &format, &err));
  assert_int_equal (format, CFI2SFRAME_V2);
}

TEST (all_readers_fit_into_the_message)
{
  struct error err = { 0 };
  enum cfi2sframe_format format = CFI2SFRAME_V3;
  assert_false (for_readers_format (ALL, &format, &err));
  assert_non_null (strstr (err.reason, "; libsframe-2.44 reads 2.0; "
                                       "libsframe-2.40 reads 1"));
}

/* A file of a machine with a section for it, which is in memory only.  */
struct fixture
{
  struct elf_builder elf;
  struct image image;
  struct buffer section;
  struct sframe_decoder decoder;
  char text[200];
  struct error err;
};

static void
encode_section (struct fixture *f, enum cfi2sframe_format format,
                struct sframe_row row, bool sorted)
{
  const struct encode_options options = { .arch = f->image.arch,
                                          .variant = format_variant (format),
                                          .sorted = sorted };
  const struct sframe_fde function
      = { .address = 0x1000, .size = 16, .n_rows = 1, .rows = &row };
  f->section = section_of (options, &function, 1, ADDRESS);
  f->decoder = decoder_on (&f->section, ADDRESS);
}

static const struct sframe_row usual
    = { .base_sp = true, .n_words = 1, .words = { 8 } };

/* A program of MACHINE, DATA being executable if TWO_SEGMENTS are to be, with
   a section in FORMAT.  */
static struct fixture *
open_fixture (uint16_t machine, bool two_segments,
              enum cfi2sframe_format format)
{
  struct fixture *f = calloc (1, sizeof *f);
  assert_non_null (f);
  elf_builder_program (&f->elf, machine, machine == EM_S390);
  for (size_t i = 0; i < f->elf.n_segments && two_segments; i++)
    if (f->elf.segments[i].p_type == PT_LOAD)
      f->elf.segments[i].p_flags |= PF_X;
  elf_builder_finish (&f->elf);
  assert_true (
      image_open_memory (&f->image, f->elf.bytes, f->elf.size, &f->err));
  encode_section (f, format, usual, true);
  return f;
}

static void
close_fixture (struct fixture *f)
{
  buffer_free (&f->section);
  image_close (&f->image);
  free (f);
}

/* A file, the readers, and what they say against it, or NULL.  */
struct file
{
  const char *name;
  uint16_t machine;
  bool two_segments;
  unsigned readers;
  const char *reason;
};

static const struct file files[] = {
  { "linux takes a file for amd64", EM_X86_64, false, LINUX, NULL },
  { "linux takes none for aarch64", EM_AARCH64, false, LINUX,
    "linux reads no SFrame of aarch64" },
  { "glibc takes none for aarch64", EM_AARCH64, false, LIBSFRAME | GLIBC,
    "glibc reads no SFrame of aarch64" },
  { "libsframe takes s390x", EM_S390, false, LIBSFRAME, NULL },
  { "libsframe 2.44 takes none of s390x", EM_S390, false, LIBSFRAME_2_44,
    "libsframe-2.44 reads no SFrame of s390x" },
  { "linux takes one segment of code", EM_X86_64, true, LINUX | LIBSFRAME,
    "linux refuses a file with several executable segments" },
  { "libsframe takes several", EM_X86_64, true, LIBSFRAME, NULL },
  { "without readers everything is taken", EM_AARCH64, true, 0, NULL },
};

TEST_ROWS (files, const struct file *file, NULL, NULL, check_file)
{
  struct fixture *f
      = open_fixture (file->machine, file->two_segments, CFI2SFRAME_V3);
  assert_int_equal (for_readers_check_file (file->readers, &f->image, &f->err),
                    file->reason == NULL);
  assert_int_equal (f->err.status,
                    file->reason == NULL ? CFI2SFRAME_OK : CFI2SFRAME_REFUSED);
  assert_string_equal (f->err.reason,
                       file->reason == NULL ? "" : file->reason);
  close_fixture (f);
}

static bool
section_is_taken (struct fixture *f, unsigned readers)
{
  error_clear (&f->err);
  return for_readers_check_section (readers, f->section.bytes, f->section.size,
                                    ADDRESS, &f->err);
}

TEST (a_section_is_taken_or_refused)
{
  struct fixture *f = open_fixture (EM_X86_64, false, CFI2SFRAME_V3);
  assert_true (section_is_taken (f, LINUX | LIBSFRAME));
  assert_false (section_is_taken (f, LINUX | GLIBC));
  assert_int_equal (f->err.status, CFI2SFRAME_REFUSED);
  assert_string_equal (f->err.reason, "glibc refuses version 3");
  f->section.bytes[0]++;
  assert_true (section_is_taken (f, 0));
  assert_false (section_is_taken (f, LINUX));
  assert_int_equal (f->err.status, CFI2SFRAME_MALFORMED);
  close_fixture (f);
}

/* A row that a reader does not find does no harm.  */
TEST (what_is_not_found_is_no_reason)
{
  struct fixture *f = open_fixture (EM_X86_64, false, CFI2SFRAME_V3);
  buffer_free (&f->section);
  encode_section (f, CFI2SFRAME_V2, (struct sframe_row){ 0 }, true);
  assert_true (section_is_taken (f, GLIBC));
  close_fixture (f);
}

static bool
judge (struct fixture *f, unsigned readers, bool left_out, size_t size)
{
  error_clear (&f->err);
  memset (f->text, 'x', sizeof f->text);
  return for_readers_audit (readers, &f->image, &f->decoder, left_out, f->text,
                            size, &f->err);
}

static void
expect_harm (struct fixture *f, unsigned readers, bool left_out,
             const char *lines, const char *reason)
{
  assert_false (judge (f, readers, left_out, sizeof f->text));
  assert_string_equal (f->text, lines);
  assert_int_equal (f->err.status, CFI2SFRAME_MISMATCH);
  assert_string_equal (f->err.reason, reason);
}

TEST (a_judgement_has_a_line_for_each_rule)
{
  struct fixture *f = open_fixture (EM_X86_64, false, CFI2SFRAME_V3);
  assert_true (judge (f, LINUX | LIBSFRAME, true, sizeof f->text));
  assert_string_equal (f->text, "");
  expect_harm (f, LINUX | GLIBC | LIBSFRAME_2_44, false,
               "glibc refuses version 3\n"
               "libsframe-2.44 refuses version 3\n"
               "libsframe-2.44 refuses starts that count from themselves",
               "glibc refuses version 3");
  close_fixture (f);
}

TEST (a_line_about_the_file_is_said_once)
{
  static const char lines[]
      = "linux refuses a file with several executable segments";
  struct fixture *f = open_fixture (EM_X86_64, true, CFI2SFRAME_V3);
  expect_harm (f, LINUX, false, lines, lines);
  close_fixture (f);
}

/* It was said twice when another line was there.  */
TEST (a_line_about_the_file_is_said_once_among_others)
{
  struct fixture *f = open_fixture (EM_X86_64, true, CFI2SFRAME_V2);
  expect_harm (f, LINUX, false,
               "linux refuses version 2\n"
               "linux refuses a file with several executable segments",
               "linux refuses version 2");
  close_fixture (f);
}

TEST (a_machine_is_said_before_the_section)
{
  struct fixture *f = open_fixture (EM_AARCH64, false, CFI2SFRAME_V2);
  expect_harm (f, LINUX, false,
               "linux reads no SFrame of aarch64\nlinux refuses version 2",
               "linux reads no SFrame of aarch64");
  close_fixture (f);
}

TEST (what_readers_do_not_find_is_said_and_no_failure)
{
  struct fixture *f = open_fixture (EM_X86_64, false, CFI2SFRAME_V2);
  buffer_free (&f->section);
  encode_section (f, CFI2SFRAME_V2, usual, false);
  assert_true (judge (f, GLIBC, true, sizeof f->text));
  assert_string_equal (
      f->text, "glibc finds no rule in functions that are not sorted\n"
               "glibc takes code without rows, for the end of the stack if "
               "FP is 0");
  assert_true (judge (f, GLIBC, false, sizeof f->text));
  assert_string_equal (f->text,
                       "glibc finds no rule in functions that are not sorted");
  close_fixture (f);
}

/* Lines are left out whole, and the text ends inside its room.  */
TEST (a_judgement_keeps_to_its_room)
{
  static const char first[] = "glibc refuses version 3",
                    both[] = "glibc refuses version 3\n"
                             "libsframe-2.40 refuses version 3";
  struct fixture *f = open_fixture (EM_X86_64, false, CFI2SFRAME_V3);
  for (size_t size = 1; size <= sizeof both + 1; size++)
    {
      assert_false (judge (f, GLIBC | LIBSFRAME_2_40, false, size));
      assert_string_equal (f->text, size <= sizeof first ? ""
                                    : size < sizeof both ? first
                                                         : both);
      assert_int_equal (f->text[size], 'x');
      assert_string_equal (f->err.reason, first);
    }
  close_fixture (f);
}

TEST (a_broken_section_is_no_judgement)
{
  struct fixture *f = open_fixture (EM_X86_64, false, CFI2SFRAME_V3);
  f->decoder.fre_size--;
  assert_false (judge (f, LINUX, false, sizeof f->text));
  assert_int_equal (f->err.status, CFI2SFRAME_MALFORMED);
  close_fixture (f);
}

/* What any reader needs, whichever it is (convert/section_check.c).  */
TEST (a_header_says_where_a_sorted_section_is)
{
  static const struct
  {
    uint32_t type;
    uint64_t size;
    uint8_t flags;
    const char *problem;
  } cases[] = {
    { PT_GNU_SFRAME, 64, SFRAME_FLAG_SORTED, NULL },
    { PT_GNU_SFRAME, 64, 0, "it is not sorted" },
    { PT_GNU_SFRAME, 0, SFRAME_FLAG_SORTED,
      "no program header says where it is" },
    { PT_NOTE, 64, SFRAME_FLAG_SORTED, "no program header says where it is" },
  };
  FOR_EACH_ROW (given, cases)
    {
      GElf_Phdr segment = { .p_type = given->type,
                            .p_filesz = given->size,
                            .p_memsz = given->size };
      const struct image image = { .segments = &segment, .n_segments = 1 };
      const struct sframe_decoder decoder = { .flags = given->flags };
      const char *problem = section_why_useless (&image, &decoder);
      assert_int_equal (problem == NULL, given->problem == NULL);
      if (problem != NULL)
        assert_string_equal (problem, given->problem);
    }
}
