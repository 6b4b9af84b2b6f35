/* Unit tests of src/sframe/compare.c: equal sections, and differences with the
   name of their defect.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <stdio.h>
#include <string.h>

#include "sframe/compare.h"
#include "sframe/encode.h"
#include "tests/unit_test.h"

#define VARIANT(version, pcrel) ((struct sframe_variant){ version, pcrel })
#define SECTION_ADDRESS 0x4000

/* A section in memory with a decoder on it.  */
struct made
{
  struct sframe_encoder *encoder;
  struct buffer bytes;
  struct sframe_decoder decoder;
};

/* Most tests compare these.  */
static struct made a, b;

static void
made_open (struct made *made, struct sframe_variant variant)
{
  const struct encode_options options
      = { .arch = &arch_amd64, .variant = variant, .gnu_widths = true };
  made->encoder = sframe_encoder_new (&options);
  assert_non_null (made->encoder);
  buffer_init (&made->bytes, false);
}

static void
made_add (struct made *made, const struct sframe_fde *function)
{
  struct error err = { 0 };
  if (!sframe_encoder_add (made->encoder, function, &err))
    fail_msg ("%s", err.reason);
}

static void
made_finish (struct made *made)
{
  struct error err = { 0 };
  assert_true (sframe_encoder_write (made->encoder, SECTION_ADDRESS,
                                     &made->bytes, &err));
  if (!sframe_decoder_open (&made->decoder, made->bytes.bytes,
                            made->bytes.size, SECTION_ADDRESS, &err))
    fail_msg ("%s", err.reason);
}

static void
made_close (struct made *made)
{
  sframe_encoder_free (made->encoder);
  buffer_free (&made->bytes);
}

/* CFA = SP (or FP) + OFFSET.  */
static struct sframe_row
row_at (uint32_t start, bool base_sp, int32_t offset)
{
  return (struct sframe_row){
    .start = start, .base_sp = base_sp, .n_words = 1, .words = { offset }
  };
}

/* Differences seen by the sink.  */
static struct
{
  size_t n;
  struct cfi2sframe_difference last;
  char text[200]; /* of the last one */
} seen;

static void
remember (void *context, const struct cfi2sframe_difference *difference)
{
  (void)context;
  seen.n++;
  seen.last = *difference;
  snprintf (seen.text, sizeof seen.text, "%s", difference->text);
}

static struct cfi2sframe_compare_result
compare (struct made *one, struct made *other)
{
  struct cfi2sframe_compare_result result;
  struct error err = { 0 };
  made_finish (one);
  made_finish (other);
  memset (&seen, 0, sizeof seen);
  if (!sframe_compare (&one->decoder, &other->decoder, NULL, remember, NULL,
                       &result, &err))
    fail_msg ("%s", err.reason);
  made_close (one);
  made_close (other);
  return result;
}

/* One function with rows, in a new section.  */
static void
one_function (struct made *made, struct sframe_variant variant, uint32_t size,
              struct sframe_row *rows, size_t n_rows)
{
  const struct sframe_fde function
      = { .address = 0x1000, .size = size, .rows = rows, .n_rows = n_rows };
  made_open (made, variant);
  made_add (made, &function);
}

TEST (redundant_rows_and_versions_do_not_matter)
{
  struct sframe_row few[] = { row_at (0, true, 8), row_at (4, true, 16) };
  struct sframe_row many[]
      = { row_at (0, true, 8), row_at (2, true, 8), row_at (4, true, 16),
          row_at (9, true, 16), row_at (16, true, 8) };
  one_function (&a, VARIANT (3, true), 16, few, 2);
  one_function (&b, VARIANT (1, false), 16, many, 5);
  struct cfi2sframe_compare_result result = compare (&a, &b);
  assert_true (compare_result_equal (&result));
  assert_int_equal (seen.n, 0);
  assert_int_equal (result.equal, 1);
  assert_int_equal (result.bytes_equal, 16);
  assert_int_equal (result.merged_rows_a, 0);
  assert_int_equal (result.merged_rows_b, 2);
  assert_int_equal (result.rows_at_end_b, 1);
}

TEST (first_difference_is_told)
{
  struct sframe_row one[] = { row_at (0, true, 8), row_at (4, true, 16) };
  struct sframe_row two[] = { row_at (0, true, 8), row_at (4, true, 24) };
  one_function (&a, VARIANT (3, true), 16, one, 2);
  one_function (&b, VARIANT (2, true), 16, two, 2);
  struct cfi2sframe_compare_result result = compare (&a, &b);
  assert_int_equal (seen.n, 1);
  assert_int_equal (seen.last.kind, CFI2SFRAME_DIFFERENT);
  assert_int_equal (seen.last.defect, COMPARE_NO_DEFECT);
  assert_int_equal (seen.last.function, 0x1000);
  assert_int_equal (seen.last.pc, 0x1004);
  assert_string_equal (seen.text, "CFA rsp+16 / rsp+24");
  assert_int_equal (result.different, 1);
  assert_int_equal (result.bytes_equal, 4);
  assert_int_equal (result.bytes_different, 12);
}

TEST (functions_of_one_side_are_counted)
{
  struct sframe_row rows[] = { row_at (0, true, 8) };
  struct sframe_fde other
      = { .address = 0x2000, .size = 8, .rows = rows, .n_rows = 1 };
  one_function (&a, VARIANT (3, true), 16, rows, 1);
  made_add (&a, &other);
  one_function (&b, VARIANT (3, true), 16, rows, 1);
  struct cfi2sframe_compare_result result = compare (&a, &b);
  assert_int_equal (result.only_a, 1);
  assert_int_equal (result.equal, 1);
  assert_int_equal (seen.last.kind, CFI2SFRAME_ONLY_A);
  assert_int_equal (seen.last.function, 0x2000);

  one_function (&a, VARIANT (3, true), 16, rows, 1);
  one_function (&b, VARIANT (3, true), 16, rows, 1);
  made_add (&b, &other);
  result = compare (&a, &b);
  assert_int_equal (result.only_b, 1);
  assert_int_equal (seen.last.kind, CFI2SFRAME_ONLY_B);
  assert_int_equal (result.bytes_only_b, 8);
}

/* A section without functions has no array of spans, whose end was computed
   all the same: an error only under UBSan.  */
TEST (a_section_without_functions_is_compared)
{
  struct sframe_row rows[] = { row_at (0, true, 8) };
  made_open (&a, VARIANT (3, true));
  one_function (&b, VARIANT (3, true), 16, rows, 1);
  struct cfi2sframe_compare_result result = compare (&a, &b);
  assert_int_equal (result.only_b, 1);
  assert_int_equal (result.equal + result.only_a, 0);
}

/* A function in two pieces is equal where it is described.  */
TEST (a_split_function_is_equal_where_it_is_described)
{
  struct sframe_row rows[] = { row_at (0, true, 8) };
  struct sframe_fde tail
      = { .address = 0x100c, .size = 4, .rows = rows, .n_rows = 1 };
  one_function (&a, VARIANT (3, true), 16, rows, 1);
  one_function (&b, VARIANT (3, true), 8, rows, 1);
  made_add (&b, &tail);
  struct cfi2sframe_compare_result result = compare (&a, &b);
  assert_int_equal (result.different, 1);
  assert_int_equal (result.only_b, 0);
  assert_int_equal (result.bytes_only_a, 4);
  assert_int_equal (seen.last.pc, 0x1008);
}

/* Rules that go on in the next function begin there anew: the byte that B
   leaves out, of two functions, is a return address.  */
TEST (equal_rules_of_neighbours_are_not_one_stretch)
{
  struct sframe_row rows[] = { row_at (0, true, 8) };
  one_function (&a, VARIANT (3, true), 16, rows, 1);
  one_function (&b, VARIANT (3, true), 16, rows, 1);
  for (uint64_t address = 0x1010; address <= 0x1020; address += 16)
    {
      struct sframe_fde next
          = { .address = address, .size = 16, .rows = rows, .n_rows = 1 };
      made_add (&a, &next);
      next.address++;
      next.size--;
      made_add (&b, &next);
    }
  struct cfi2sframe_compare_result result = compare (&a, &b);
  assert_int_equal (result.defects[COMPARE_RETURN_ADDRESS], 2);
  assert_int_equal (seen.last.function, 0x1020);
}

/* Readers find the function behind; a section that has its sizes wrong is not
   equal all the same.  */
TEST (functions_that_overlap_on_one_side_differ)
{
  struct sframe_row rows[] = { row_at (0, true, 8) };
  for (int larger = 0; larger < 3; larger++)
    {
      struct made sides[2];
      for (int i = 0; i < 2; i++)
        {
          struct sframe_fde second
              = { .address = 0x1010, .size = 16, .rows = rows, .n_rows = 1 };
          bool overlaps = larger == i || larger == 2;
          one_function (&sides[i], VARIANT (3, true), overlaps ? 24 : 16, rows,
                        1);
          made_add (&sides[i], &second);
        }
      struct cfi2sframe_compare_result result = compare (&sides[0], &sides[1]);
      assert_int_equal (result.different, larger != 2);
      assert_int_equal (seen.n, larger != 2);
      if (larger != 2)
        assert_string_equal (seen.text,
                             "it reaches into the function behind it");
    }
}

/* A function that hides bytes and has a row that the other side leaves out was
   counted and reported twice, but only where it was B's.  */
TEST (a_function_with_two_differences_is_reported_once)
{
  struct sframe_row rows[]
      = { row_at (0, true, 8), row_at (8, true, 16), row_at (9, true, 8) };
  for (int hiding = 0; hiding < 2; hiding++)
    {
      struct made sides[2];
      const struct sframe_fde behind
          = { .address = 0x1009, .size = 7, .rows = rows, .n_rows = 1 };
      const struct sframe_fde second
          = { .address = 0x1010, .size = 16, .rows = rows, .n_rows = 1 };
      one_function (&sides[hiding], VARIANT (3, true), 24, rows, 3);
      one_function (&sides[!hiding], VARIANT (3, true), 8, rows, 1);
      made_add (&sides[!hiding], &behind);
      made_add (&sides[0], &second);
      made_add (&sides[1], &second);
      struct cfi2sframe_compare_result result = compare (&sides[0], &sides[1]);
      assert_int_equal (result.different, 1);
      assert_int_equal (result.defects[COMPARE_RETURN_ADDRESS], 0);
      assert_int_equal (seen.n, 1);
      assert_string_equal (seen.text,
                           "it reaches into the function behind it");
    }
}

TEST (masks_are_unfolded)
{
  struct sframe_row block[] = { row_at (0, true, 8), row_at (11, true, 16) };
  struct sframe_row rows[] = { row_at (0, true, 8), row_at (11, true, 16),
                               row_at (16, true, 8), row_at (27, true, 16) };
  struct sframe_fde masked = {
    .address = 0x1000, .size = 32, .repeat = 16, .rows = block, .n_rows = 2
  };
  made_open (&a, VARIANT (3, true));
  made_add (&a, &masked);
  one_function (&b, VARIANT (2, true), 32, rows, 4);
  struct cfi2sframe_compare_result result = compare (&a, &b);
  assert_true (compare_result_equal (&result));
  assert_int_equal (result.bytes_equal, 32);
}

TEST (plt_got_defect_is_named)
{
  struct sframe_row wrong[] = { row_at (0, true, 16) };
  struct sframe_row right[] = { row_at (0, true, 8) };
  struct sframe_fde plt = {
    .address = 0x1000, .size = 16, .repeat = 8, .rows = wrong, .n_rows = 1
  };
  one_function (&a, VARIANT (3, true), 16, right, 1);
  made_open (&b, VARIANT (3, true));
  made_add (&b, &plt);
  struct cfi2sframe_compare_result result = compare (&a, &b);
  assert_int_equal (result.different, 0);
  assert_int_equal (result.defects[COMPARE_PLT_GOT], 1);
  assert_int_equal (seen.last.defective, 'B');
  assert_false (compare_result_equal (&result));
}

TEST (stale_offset_defect_is_named)
{
  struct sframe_row wrong[] = { row_at (0, true, 8), row_at (4, false, 8) };
  struct sframe_row right[] = { row_at (0, true, 8), row_at (4, false, 16) };
  struct sframe_fde second
      = { .address = 0x1010, .size = 16, .rows = wrong, .n_rows = 2 };
  one_function (&a, VARIANT (2, true), 16, wrong, 2);
  one_function (&b, VARIANT (2, true), 16, right, 2);
  made_add (&a, &second);
  second.rows = right;
  made_add (&b, &second);
  struct cfi2sframe_compare_result result = compare (&a, &b);
  assert_int_equal (result.defects[COMPARE_STALE_OFFSET], 2);
  assert_int_equal (seen.last.defective, 'A');
}

TEST (every_defect_has_a_name)
{
  for (int i = 0; i < COMPARE_DEFECTS; i++)
    {
      assert_non_null (compare_defect_name ((enum compare_defect)i));
      assert_non_null (compare_defect_text ((enum compare_defect)i));
    }
}

/* MADE and itself are too much to compare.  */
static void
expect_too_many (struct made *made, const char *words)
{
  struct cfi2sframe_compare_result result;
  struct error err = { 0 };
  made_finish (made);
  assert_false (sframe_compare (&made->decoder, &made->decoder, NULL, NULL,
                                NULL, &result, &err));
  assert_int_equal (err.status, CFI2SFRAME_MALFORMED);
  assert_non_null (strstr (err.reason, words));
  made_close (made);
}

/* 10,000 functions that have the same 100,000 rows took a minute.  */
TEST (rows_shared_too_often_are_refused)
{
  enum
  {
    N = 4000
  };
  static struct sframe_row rows[N];
  struct made made;
  struct error err = { 0 };
  for (uint32_t i = 0; i < N; i++)
    rows[i] = row_at (i, true, 8 + 8 * (int32_t)(i % 2));
  one_function (&made, VARIANT (3, true), N, rows, N);
  for (uint64_t i = 1; i < N; i++)
    assert_true (
        sframe_encoder_repeat (made.encoder, 0, 0x1000 + i * N, N, &err));
  expect_too_many (&made, "rows shared too often");
}

/* 400 functions of some megabytes, in 12 KB, took all memory.  */
TEST (blocks_repeated_too_often_are_refused)
{
  struct sframe_row block[] = { row_at (0, true, 8), row_at (11, true, 16) };
  struct sframe_fde masked = { .address = 0x1000,
                               .size = 0x80000,
                               .repeat = 16,
                               .rows = block,
                               .n_rows = 2 };
  struct made made;
  made_open (&made, VARIANT (3, true));
  for (unsigned i = 0; i < 4; i++, masked.address += masked.size)
    made_add (&made, &masked);
  expect_too_many (&made, "blocks repeated too often");
}
