/* Call-site tables: which landing pad a call has, and damage.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <stdio.h>

#include "cfi/landing_pads.h"
#include "tests/unit/cfi_builder.h"
#include "tests/unit_test.h"

/* The tables lie in the second segment, so that their place in the file and
   the address they have are different things.  */
#define TABLES UINT64_C (0x123400200000)
#define CODE UINT64_C (0x123400010000)

enum
{
  SEGMENT_OFFSET = 0x40,
  SEGMENT_SIZE = 0x60,
  FUNCTION_SIZE = 0x100
};

/* CFI, and the file that has the tables of call sites.  */
static struct
{
  struct buffer bytes; /* .eh_frame */
  size_t cie;
  struct cfi_section section;
  struct image image;
  GElf_Phdr segments[4];
  uint8_t file[SEGMENT_OFFSET + SEGMENT_SIZE];
} f;

/* The segment's last bytes are in memory only.  */
static void
begin (void)
{
  buffer_free (&f.bytes);
  memset (&f, 0, sizeof f);
  f.image.n_segments = 4;
  f.segments[0]
      = (GElf_Phdr){ .p_type = PT_NOTE, .p_vaddr = TABLES, .p_filesz = 8 };
  f.segments[1] = (GElf_Phdr){ .p_type = PT_LOAD,
                               .p_vaddr = TABLES - 0x1000,
                               .p_filesz = 0x1000,
                               .p_memsz = 0x1000 };
  f.segments[2] = (GElf_Phdr){ .p_type = PT_LOAD,
                               .p_offset = SEGMENT_OFFSET,
                               .p_vaddr = TABLES,
                               .p_filesz = SEGMENT_SIZE,
                               .p_memsz = 2 * SEGMENT_SIZE };
  f.segments[3] = (GElf_Phdr){ .p_type = PT_LOAD,
                               .p_vaddr = TABLES + 0x1000,
                               .p_filesz = 0x1000,
                               .p_memsz = 0x1000 };
  f.image.segments = f.segments;
  f.image.bytes = f.file;
  f.image.size = sizeof f.file;
  buffer_init (&f.bytes, false);
  /* zLR: pcrel sdata4 for both.  */
  f.cie = put_cie (&f.bytes, 1, "zLR", "\x1b\x1b", 2, 2, 0x78, 16,
                   "\x0c\x07\x08\x90\x01", 5);
}

/* A function at CODE + OFFSET whose table is at LSDA; 0: it has none.  */
static void
add_function (uint64_t offset, uint64_t lsda, const char *instructions,
              size_t size)
{
  struct buffer *bytes = &f.bytes;
  size_t start = bytes->size;
  buffer_u32 (bytes, 0);
  buffer_u32 (bytes, (uint32_t)(start + 4 - f.cie));
  buffer_u32 (bytes,
              (uint32_t)(CODE + offset - (SECTION_ADDRESS + start + 8)));
  buffer_u32 (bytes, FUNCTION_SIZE);
  buffer_u8 (bytes, 4);
  buffer_u32 (bytes, lsda == 0
                         ? 0
                         : (uint32_t)(lsda - (SECTION_ADDRESS + start + 17)));
  put (bytes, instructions, size);
  end_entry (bytes, start);
}

/* The sites, as "start-end pad" from CODE, with "+N" bytes of arguments.  */
static void
expect_sites (const char *expected)
{
  struct landing_pads pads;
  struct error err = { 0 };
  char text[1000] = "";
  assert_true (eh_frame_read (&f.section, &arch_amd64, f.bytes.bytes,
                              f.bytes.size, SECTION_ADDRESS, &err));
  f.image.arch = &arch_amd64;
  assert_true (landing_pads_read (&pads, &f.image, &f.section, &err));
  for (size_t i = 0; i < pads.n && i < 20; i++)
    {
      const struct code_pad *site = &pads.pads[i];
      size_t used = strlen (text);
      used += (size_t)snprintf (text + used, sizeof text - used,
                                "%s%llx-%llx %llx", i > 0 ? ", " : "",
                                (unsigned long long)(site->start - CODE),
                                (unsigned long long)(site->end - CODE),
                                (unsigned long long)(site->pad - CODE));
      if (site->args_size > 0)
        snprintf (text + used, sizeof text - used, "+%llu",
                  (unsigned long long)site->args_size);
    }
  assert_string_equal (text, expected);
  landing_pads_free (&pads);
  assert_null (pads.pads);
  cfi_section_free (&f.section);
}

static int
tear_down (void **state)
{
  (void)state;
  buffer_free (&f.bytes);
  return 0;
}

#define FIXTURE_TEST(name) TEST_BETWEEN (NULL, tear_down, name)

static void
put_table (size_t offset, const char *table, size_t size)
{
  memcpy (f.file + SEGMENT_OFFSET + offset, table, size);
}

/* One function with PROGRAM, whose table is said to be at LSDA; TABLE is the
   last in the segment.  */
static void
expect_of_function (uint64_t lsda, const char *table, size_t size,
                    const char *program, size_t program_size,
                    const char *expected)
{
  begin ();
  put_table (SEGMENT_SIZE - size, table, size);
  add_function (0, lsda, program, program_size);
  expect_sites (expected);
}

/* One function with this table.  */
static void
expect_of_table (const char *table, size_t size, const char *expected)
{
  expect_of_function (TABLES + SEGMENT_SIZE - size, table, size, "", 0,
                      expected);
}

/* One function with this table and PROGRAM.  */
static void
expect_of_program (const char *table, size_t size, const char *program,
                   size_t program_size, const char *expected)
{
  expect_of_function (TABLES + SEGMENT_SIZE - size, table, size, program,
                      program_size, expected);
}

/* Bytes of a table: pads from the function, no types, uleb128.  */
#define TABLE(records) \
  "\xff\xff\x01" records, sizeof "\xff\xff\x01" records - 1

FIXTURE_TEST (records_become_sites)
{
  expect_of_table (TABLE ("\x04\x10\x08\x40\x00"), "10-18 40");
  /* A call without a pad; one at the function's end; an empty one.  */
  expect_of_table (TABLE ("\x10\x10\x08\x00\x00\x18\x08\x40\x01\x30\x00\x50"
                          "\x00\xc0\x00\x10\x00\x00"),
                   "18-20 40");
  expect_of_table (TABLE ("\x05\x80\x01\x80\x01\x40\x00"), "80-100 40");
  expect_of_table (TABLE ("\x00"), "");
}

FIXTURE_TEST (what_reaches_out_of_the_function_is_left_out)
{
  /* A site that ends behind the function, begins behind it, or before the end
     of the last one: it and what follows are not believed.  */
  expect_of_table (TABLE ("\x0a\x10\x08\x40\x00\x80\x01\x81\x01\x40\x00"),
                   "10-18 40");
  expect_of_table (TABLE ("\x05\x81\x02\x00\x40\x00"), "");
  expect_of_table (TABLE ("\x0c\x10\x08\x40\x00\x17\x08\x50\x00\x30\x08\x60"
                          "\x00"),
                   "10-18 40");
  expect_of_table (TABLE ("\x08\x10\x08\x40\x00\x18\x08\x50\x00"),
                   "10-18 40, 18-20 50");
}

FIXTURE_TEST (damaged_tables_end_where_the_damage_is)
{
  /* Longer than what is there; cut off in each field of a record.  */
  expect_of_table (TABLE ("\x05\x10\x08\x40\x00"), "");
  for (size_t size = 1; size < 5; size++)
    {
      char table[] = "\xff\xff\x01\x04\x10\x08\x40\x00";
      table[3] = (char)(4 + size);
      char two[16];
      memcpy (two, table, 8);
      memcpy (two + 8, "\xa0\x88\x80\x80", size);
      expect_of_table (two, 8 + size, "10-18 40");
    }
  /* Headers cut off.  */
  expect_of_table ("\xff", 1, "");
  expect_of_table ("\xff\xff", 2, "");
  expect_of_table ("\xff\xff\x01", 3, "");
  expect_of_table ("\xff\x00", 2, "");
}

FIXTURE_TEST (tables_are_read_in_the_encodings_of_compilers)
{
  /* udata4, as GCC writes with some options.  */
  expect_of_table ("\xff\xff\x03\x0d\x10\0\0\0\x08\0\0\0\x40\0\0\0\0", 17,
                   "10-18 40");
  /* None, and one that counts from somewhere.  */
  expect_of_table ("\xff\xff\xff\x04\x10\x08\x40\x00", 8, "");
  expect_of_table ("\xff\xff\x1b\x0d\x10\0\0\0\x08\0\0\0\x40\0\0\0\0", 17, "");
  /* Types behind the table: their offset is skipped.  */
  expect_of_table ("\xff\x9b\x83\x01\x01\x04\x10\x08\x40\x00", 10, "10-18 40");
}

FIXTURE_TEST (pads_count_from_where_the_table_says)
{
  uint64_t at = TABLES + 0x10, pads = CODE + 0x1000;
  char table[13] = "\x1b....\xff\x01\x04\x10\x08\x40";
  /* An address of their own, relative to the field; one the program fills in
     is not known.  */
  begin ();
  store_u32 ((uint8_t *)table + 1, (uint32_t)(pads - (at + 1)), false);
  put_table (0x10, table, 12);
  add_function (0, at, "", 0);
  expect_sites ("10-18 1040");
  f.file[SEGMENT_OFFSET + 0x10] = (uint8_t)'\x9b';
  expect_sites ("");
  /* Nothing of it in the file.  */
  expect_of_table ("\x1b\x00\x00\x00", 4, "");
}

FIXTURE_TEST (tables_outside_of_the_file_have_no_sites)
{
  static const uint64_t places[]
      = { 0, TABLES + SEGMENT_SIZE, TABLES + 2 * SEGMENT_SIZE, TABLES + 0x800,
          TABLES - 0x2000 };
  FOR_EACH_ROW (given, places)
    expect_of_function (*given, TABLE ("\x04\x10\x08\x40\x00"), "", 0, "");
}

FIXTURE_TEST (all_segments_are_asked_and_none_behind_the_last)
{
  for (int found = 1; found >= 0; found--)
    {
      begin ();
      put_table (0, TABLE ("\x04\x10\x08\x40\x00"));
      add_function (0, found ? TABLES : TABLES - 1, "", 0);
      f.image.n_segments = 1;
      f.image.segments = malloc (sizeof *f.image.segments);
      assert_non_null (f.image.segments);
      f.image.segments[0] = f.segments[2];
      expect_sites (found ? "10-18 40" : "");
      free (f.image.segments);
    }
}

FIXTURE_TEST (functions_share_a_table_and_their_code)
{
  begin ();
  put_table (0, TABLE ("\x04\x10\x08\x40\x00"));
  add_function (0, TABLES, "", 0);
  /* Overlaps the first; then one that begins where that ends.  */
  add_function (FUNCTION_SIZE - 1, TABLES, "", 0);
  add_function (FUNCTION_SIZE, TABLES, "", 0);
  add_function (2 * FUNCTION_SIZE, 0, "", 0);
  add_function (3 * FUNCTION_SIZE, TABLES, "", 0);
  expect_sites ("10-18 40, 110-118 140, 310-318 340");
}

FIXTURE_TEST (the_300_sites_are_kept)
{
  struct landing_pads pads;
  struct error err = { 0 };
  begin ();
  put_table (0, TABLE ("\x04\x10\x08\x40\x00"));
  for (unsigned i = 0; i < 300; i++)
    add_function ((uint64_t)i * FUNCTION_SIZE, TABLES, "", 0);
  assert_true (eh_frame_read (&f.section, &arch_amd64, f.bytes.bytes,
                              f.bytes.size, SECTION_ADDRESS, &err));
  assert_true (landing_pads_read (&pads, &f.image, &f.section, &err));
  assert_int_equal (pads.n, 300);
  for (unsigned i = 0; i < 300; i++)
    assert_int_equal (pads.pads[i].start,
                      CODE + (uint64_t)i * FUNCTION_SIZE + 0x10);
  landing_pads_free (&pads);
  cfi_section_free (&f.section);
}

/* Each of many functions has the same table of many empty sites.  */
FIXTURE_TEST (a_table_is_not_read_for_ever)
{
  struct landing_pads pads;
  struct error err = { 0 };
  begin ();
  put_table (0, "\xff\xff\x01\x5c", 4);
  for (unsigned i = 0; i < 1000; i++)
    add_function ((uint64_t)i * FUNCTION_SIZE, TABLES, "", 0);
  assert_true (eh_frame_read (&f.section, &arch_amd64, f.bytes.bytes,
                              f.bytes.size, SECTION_ADDRESS, &err));
  f.image.arch = &arch_amd64;
  assert_false (landing_pads_read (&pads, &f.image, &f.section, &err));
  assert_int_equal (err.status, CFI2SFRAME_MALFORMED);
  assert_null (pads.pads);
  cfi_section_free (&f.section);
}

FIXTURE_TEST (arguments_on_the_stack_cut_a_site)
{
  /* In units of two bytes: advance_loc 4; GNU_args_size 16; advance_loc1 6;
     GNU_args_size 32; advance_loc2 2; GNU_args_size 0.  */
  static const char program[]
      = "\x44\x2e\x10\x02\x06\x2e\x20\x03\x02\x00\x2e\x00";
  static const struct
  {
    char from, size;
    const char *expected;
  } cases[] = {
    { 0x00, 0x08, "0-8 40" },
    { 0x00, 0x30, "0-8 40, 8-14 40+16, 14-18 40+32, 18-30 40" },
    { 0x08, 0x0c, "8-14 40+16" },
    { 0x09, 0x0b, "9-14 40+16" },
    { 0x10, 0x06, "10-14 40+16, 14-16 40+32" },
    { 0x14, 0x04, "14-18 40+32" },
    { 0x18, 0x10, "18-28 40" },
  };
  FOR_EACH_ROW (given, cases)
    {
      char table[] = "\xff\xff\x01\x04\x10\x08\x40";
      table[4] = given->from;
      table[5] = given->size;
      expect_of_program (table, sizeof table, program, sizeof program - 1,
                         given->expected);
    }
  /* advance_loc4, among other instructions and before a damaged one.  */
  expect_of_program (TABLE ("\x04\x10\x30\x40\x00"),
                     "\x04\x10\x00\x00\x00\x0e\x10\x2e\x08\x3f\x2e\x10", 12,
                     "10-20 40, 20-40 40+8");
}

/* One function with the record LENGTH bytes long from 0x10 on, and a PROGRAM
   of SIZE bytes whose byte AT is a set_loc of the code's byte TARGET, as the
   pointers of the CIE are encoded.  */
static void
expect_of_set_loc (char length, char *program, size_t size, size_t at,
                   uint64_t target, const char *expected)
{
  const char table[] = { '\xff', '\xff', 1, 4, 0x10, length, 0x40, 0 };
  begin ();
  put_table (0, table, sizeof table);
  uint64_t field = SECTION_ADDRESS + f.bytes.size + 22 + at;
  store_u32 ((uint8_t *)program + at + 1, (uint32_t)(CODE + target - field),
             false);
  add_function (0, TABLES, program, size);
  expect_sites (expected);
}

/* set_loc 0x14 in front of a size: the size held from the function's start
   on.  */
FIXTURE_TEST (arguments_change_behind_a_set_loc)
{
  char program[] = "\x01....\x2e\x10\x42\x2e\x00";
  expect_of_set_loc (0x10, program, sizeof program - 1, 0, 0x14,
                     "10-14 40, 14-18 40+16, 18-20 40");
}

/* Code is not reached again, by a number of bytes that does not fit or by
   going backwards: what the program says from there on is said of no code.  */
FIXTURE_TEST (arguments_behind_what_leads_backwards_do_not_count)
{
  /* advance_loc 4; GNU_args_size 16; MIPS_advance_loc8; GNU_args_size 32.  */
  expect_of_program (
      TABLE ("\x04\x10\x08\x40\x00"),
      "\x44\x2e\x10\x1d\xff\xff\xff\xff\xff\xff\xff\xff\x2e\x20", 14,
      "10-18 40+16");
  /* advance_loc 4; GNU_args_size 16; set_loc 4; GNU_args_size 32.  */
  char program[] = "\x44\x2e\x10\x01....\x2e\x20";
  expect_of_set_loc (8, program, sizeof program - 1, 3, 4, "10-18 40+16");
}

/* The instructions are read once for all sites: to read them for each site
   took minutes for a function of some 100 KB of instructions.  */
FIXTURE_TEST (arguments_change_in_and_between_sites)
{
  expect_of_program (
      "\xff\xff\x01\x10\x02\x08\x40\x00\x0a\x06\x00\x00\x12\x04\x50\x00"
      "\x30\x08\x60",
      20, "\x44\x2e\x10\x02\x06\x2e\x20\x03\x02\x00\x2e\x00", 12,
      "2-8 40, 8-a 40+16, 12-14 50+16, 14-16 50+32, 30-38 60");
}
