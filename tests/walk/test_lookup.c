/* Unit tests of walk/lookup.c: for every address it finds the rules that
   sframe/decode.c finds.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <string.h>

#include "tests/walk/same_rules.h"
#include "tests/encoded.h"

enum
{
  ADDRESS = 0x402000,
  CODE = 0x401000,
  SPAN = 0x400, /* of addresses that tests look at, from CODE on */
  CHANGES = 3000
};

static struct sframe_row plain_rows[] = {
  { .start = 0, .base_sp = true, .n_words = 1, .words = { 8 } },
  { .start = 1, .base_sp = true, .n_words = 2, .words = { 16, -16 } },
  { .start = 4, .n_words = 3, .words = { 400, -16, -8 } },
  { .start = 9, .ra_signed = true, .n_words = 2, .words = { 70000, 41 } },
  { .start = 300, .base_sp = true, .n_words = 1, .words = { 16 } },
};
static struct sframe_row flexible_rows[] = {
  { .start = 0, .n_words = 2, .control = 1, .words = { 57, 8 } },
  { .start = 5,
    .n_words = 5,
    .control = 1 | 1 << 2 | 1 << 3,
    .words = { 81, 0, 0, 51, 0 } },
  { .start = 20,
    .n_words = 6,
    .control = 1 | 1 << 2 | 1 << 4,
    .words = { 255, -128, 2, -24, 2, -16 } },
  { .start = 30, .n_words = 0 },
};
static const struct sframe_fde functions[] = {
  { .address = CODE, .size = 400, .n_rows = 5, .rows = plain_rows },
  { .address = CODE + 0x200,
    .size = 64,
    .repeat = 16,
    .n_rows = 3,
    .rows = plain_rows },
  { .address = CODE + 0x300,
    .size = 32,
    .flexible = true,
    .signal = true,
    .n_rows = 4,
    .rows = flexible_rows },
  /* Of V3: the outermost frame, and a trampoline of which nothing is known. */
  { .address = CODE + 0x340, .size = 32 },
  { .address = CODE + 0x380, .size = 32, .signal = true },
  /* The outermost frame in each of two repeated blocks.  */
  { .address = CODE + 0x3c0, .size = 32, .repeat = 16 },
};

struct made
{
  const struct arch *arch;
  struct sframe_variant variant;
  bool sorted;
};

static const struct made made[] = {
  { &arch_amd64, { 1, false }, true },
  { &arch_amd64, { 2, false }, true },
  { &arch_amd64, { 2, true }, false },
  { &arch_amd64, { 3, true }, true },
  { &arch_amd64, { 3, true }, false },
  { &arch_aarch64, { 2, true }, true },
  { &arch_aarch64, { 3, true }, true },
  { &arch_aarch64_be, { 3, true }, true },
  { &arch_s390x, { 2, true }, true },
  { &arch_s390x, { 3, true }, true },
};

static void
make_section (const struct made *made, struct buffer *section)
{
  const struct encode_options options = { .arch = made->arch,
                                          .variant = made->variant,
                                          .sorted = made->sorted };
  /* Each version has what the one before has, and more.  */
  size_t n
      = made->variant.version < 3 ? made->variant.version : N_OF (functions);
  *section = section_of (options, functions, n, ADDRESS);
}

TEST (all_addresses_have_the_rules_of_the_decoder)
{
  FOR_EACH_ROW (given, made)
    {
      struct buffer section;
      struct unwind_section opened;
      struct unwind_rules rules;
      make_section (given, &section);
      assert_true (
          unwind_section_open (&opened, section.bytes, section.size, ADDRESS));
      assert_int_equal (unwind_section_lookup (&opened, CODE, &rules),
                        SFW_MORE);
      for (uint64_t pc = CODE - 8; pc < CODE + SPAN; pc++)
        assert_true (same_rules (section.bytes, section.size, ADDRESS, pc));
      buffer_free (&section);
    }
}

/* A number that is the same in every run.  */
static uint32_t
next (uint32_t *state)
{
  *state = *state * 1664525 + 1013904223;
  return *state >> 8;
}

/* Bytes that differ, and sections that end early, at the end of their memory
   for those who watch accesses.  */
TEST (damaged_sections_are_read_as_the_decoder_reads_them)
{
  uint32_t random = 1;
  for (unsigned i = 0; i < CHANGES; i++)
    {
      struct buffer section;
      make_section (&made[i % (N_OF (made))], &section);
      size_t size = section.size;
      for (unsigned changes = 1 + next (&random) % 3; changes > 0; changes--)
        section.bytes[next (&random) % size] ^= (uint8_t)next (&random);
      if (i % 5 == 0)
        size = next (&random) % (size + 1);
      uint8_t *bytes = malloc (size + !size);
      assert_non_null (bytes);
      memcpy (bytes, section.bytes, size);
      for (uint64_t pc = CODE; pc < CODE + SPAN; pc += 1 + next (&random) % 9)
        assert_true (same_rules (bytes, size, ADDRESS, pc));
      free (bytes);
      buffer_free (&section);
    }
}

/* What a walk makes of the end of a function with N rows, in V2.  */
static enum sfw_end
end_behind_rows (uint32_t n)
{
  struct unwind_section opened;
  struct unwind_rules rules;
  struct sframe_row *many = calloc (n, sizeof *many);
  const struct sframe_fde function
      = { .address = CODE, .size = n, .n_rows = n, .rows = many };
  const struct encode_options options
      = { .arch = &arch_amd64, .variant = v2, .sorted = true };
  assert_non_null (many);
  for (uint32_t i = 0; i < n; i++)
    many[i] = (struct sframe_row){
      .start = i, .base_sp = true, .n_words = 1, .words = { 8 }
    };
  struct buffer section = section_of (options, &function, 1, ADDRESS);
  assert_true (
      unwind_section_open (&opened, section.bytes, section.size, ADDRESS));
  enum sfw_end end = unwind_section_lookup (&opened, CODE + n - 1, &rules);
  buffer_free (&section);
  free (many);
  return end;
}

/* A walk reads all rows in front of the one that it looks for.  */
TEST (functions_with_more_rows_than_converters_write_are_not_searched)
{
  assert_int_equal (end_behind_rows (FRAME_ROWS_MAX), SFW_MORE);
  assert_int_equal (end_behind_rows (FRAME_ROWS_MAX + 1), SFW_BAD_SECTION);
}

TEST (a_count_starts_and_ends_where_it_is_told)
{
  struct buffer section;
  struct unwind_section opened;
  make_section (&made[3], &section);
  assert_true (
      unwind_section_open (&opened, section.bytes, section.size, ADDRESS));
  assert_int_equal (opened.n_fdes, N_OF (functions));
  assert_int_equal (unwind_section_count (&opened, CODE - 1, 0, 3), 0);
  assert_int_equal (unwind_section_count (&opened, CODE, 0, 3), 1);
  assert_int_equal (unwind_section_count (&opened, CODE + 0x2ff, 1, 3), 2);
  assert_int_equal (unwind_section_count (&opened, CODE + 0x300, 1, 3), 3);
  assert_int_equal (unwind_section_count (&opened, CODE + 0x300, 1, 2), 2);
  assert_int_equal (unwind_section_start (&opened, 2), CODE + 0x300);
  buffer_free (&section);
}
