/* Unit tests of src/sframe/decode.c: bytes in, rows out, damage refused.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <string.h>

#include "base/bytes.h"
#include "sframe/decode.h"
#include "tests/sframe_lookup.h"
#include "tests/encoded.h"

enum
{
  ADDRESS = 0x402000
};

/* Every kind of row; the machine is amd64 unless a test says otherwise.  */
static struct sframe_row plain_rows[] = {
  { .start = 0, .base_sp = true, .n_words = 1, .words = { 8 } },
  { .start = 1, .base_sp = true, .n_words = 2, .words = { 16, -16 } },
  { .start = 300, .n_words = 2, .words = { 40000, -16 } },
};
static struct sframe_row plt_rows[] = {
  { .start = 0, .base_sp = true, .n_words = 1, .words = { 8 } },
  { .start = 11, .base_sp = true, .n_words = 1, .words = { 16 } },
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
  { .start = 21, .n_words = 2, .control = 1, .words = { 1041, -129 } },
  { .start = 22 },
};

static const struct sframe_fde functions[] = {
  { .address = 0x401000, .size = 400, .n_rows = 3, .rows = plain_rows },
  { .address = 0x401200,
    .size = 256,
    .repeat = 16,
    .n_rows = 2,
    .rows = plt_rows },
  { .address = 0x403000,
    .size = 32,
    .flexible = true,
    .signal = true,
    .n_rows = 5,
    .rows = flexible_rows },
};

static struct buffer
section_in (const struct arch *arch, struct sframe_variant variant, size_t n,
            bool sorted)
{
  const struct encode_options options
      = { .arch = arch, .variant = variant, .sorted = sorted };
  struct sframe_fde known[N_OF (functions)];
  size_t n_known = 0;
  /* Without order they must not be found by chance.  */
  for (size_t i = 0; i < n; i++)
    {
      const struct sframe_fde *function = &functions[sorted ? i : n - 1 - i];
      if (variant.version >= 2 || function->repeat == 0)
        known[n_known++] = *function;
    }
  return section_of (options, known, n_known, ADDRESS);
}

static void
assert_row_equal (const struct sframe_row *got, const struct sframe_row *want)
{
  assert_int_equal (got->start, want->start);
  assert_int_equal (got->base_sp, want->base_sp);
  assert_int_equal (got->ra_signed, want->ra_signed);
  assert_int_equal (got->n_words, want->n_words);
  assert_int_equal (got->control, want->control);
  for (unsigned i = 0; i < want->n_words; i++)
    assert_int_equal (got->words[i], want->words[i]);
}

static void
assert_function_equal (const struct sframe_decoder *decoder, uint32_t index,
                       const struct sframe_fde *want)
{
  struct error err = { 0 };
  struct sframe_fde got;
  struct sframe_row_cursor cursor;
  struct sframe_row row;
  uint64_t left = sframe_decoder_rows_max (decoder);
  assert_true (
      sframe_decoder_walk (decoder, index, &left, &got, &cursor, &err));
  assert_int_equal (got.address, want->address);
  assert_int_equal (got.size, want->size);
  assert_int_equal (got.flexible, want->flexible);
  assert_int_equal (got.repeat, want->repeat);
  assert_int_equal (got.signal, want->signal);
  assert_int_equal (got.n_rows, want->n_rows);
  for (size_t i = 0; i < want->n_rows; i++)
    {
      assert_int_equal (sframe_row_next (&cursor, &row, &err), 1);
      assert_row_equal (&row, &want->rows[i]);
    }
  assert_int_equal (sframe_row_next (&cursor, &row, &err), 0);
}

static void
check_round_trip (const struct arch *arch, struct sframe_variant variant,
                  size_t n)
{
  struct buffer section = section_in (arch, variant, n, true);
  struct sframe_decoder decoder = decoder_on (&section, ADDRESS);
  assert_ptr_equal (decoder.arch, arch);
  assert_int_equal (decoder.variant.version, variant.version);
  assert_int_equal (decoder.variant.pcrel, variant.pcrel);
  uint32_t index = 0;
  for (size_t i = 0; i < n; i++)
    if (variant.version >= 2 || functions[i].repeat == 0)
      assert_function_equal (&decoder, index++, &functions[i]);
  assert_int_equal (decoder.n_functions, index);
  buffer_free (&section);
}

TEST (what_was_written_is_read)
{
  const struct arch *arches[]
      = { &arch_amd64, &arch_aarch64, &arch_aarch64_be, &arch_s390x };
  for (size_t i = 0; i < 4; i++)
    {
      check_round_trip (arches[i], v1, 2);
      check_round_trip (arches[i], v2, 2);
      check_round_trip (arches[i], v2_0, 2);
      check_round_trip (arches[i], v3, 3);
    }
}

static void
assert_lookup (const struct sframe_decoder *decoder, uint64_t pc,
               const struct sframe_row *want)
{
  struct error err = { 0 };
  struct sframe_fde function;
  struct sframe_row row;
  int found = sframe_decoder_lookup (decoder, pc, &function, &row, &err);
  assert_int_equal (found, want != NULL);
  if (want != NULL)
    assert_row_equal (&row, want);
}

TEST (lookup)
{
  for (int sorted = 0; sorted < 2; sorted++)
    {
      struct error err = { 0 };
      struct buffer section = section_in (&arch_amd64, v3, 3, sorted);
      struct sframe_decoder decoder = decoder_on (&section, ADDRESS);
      assert_lookup (&decoder, 0, NULL);
      assert_lookup (&decoder, 0x400fff, NULL);
      assert_lookup (&decoder, 0x401000, &plain_rows[0]);
      assert_lookup (&decoder, 0x401001, &plain_rows[1]);
      assert_lookup (&decoder, 0x401000 + 299, &plain_rows[1]);
      assert_lookup (&decoder, 0x401000 + 300, &plain_rows[2]);
      assert_lookup (&decoder, 0x401000 + 399, &plain_rows[2]);
      assert_lookup (&decoder, 0x401000 + 400, NULL);
      assert_lookup (&decoder, 0x401200, &plt_rows[0]);
      assert_lookup (&decoder, 0x401200 + 10, &plt_rows[0]);
      assert_lookup (&decoder, 0x401200 + 11, &plt_rows[1]);
      assert_lookup (&decoder, 0x401200 + 16, &plt_rows[0]);
      assert_lookup (&decoder, 0x4012ff, &plt_rows[1]);
      assert_lookup (&decoder, 0x401300, NULL);
      assert_lookup (&decoder, 0x40301f, &flexible_rows[4]);
      assert_lookup (&decoder, 0x403020, NULL);
      assert_lookup (&decoder, UINT64_MAX, NULL);
      /* A row that runs past the section is not a row.  */
      decoder.fre_size = 2;
      struct sframe_fde function;
      struct sframe_row row;
      assert_int_equal (
          sframe_decoder_lookup (&decoder, 0x401000, &function, &row, &err),
          -1);
      buffer_free (&section);
    }
}

/* Decode everything there is.  False when any part is refused.  */
static bool
read_all (const void *bytes, size_t size, struct error *err)
{
  struct sframe_decoder decoder;
  if (!sframe_decoder_open (&decoder, bytes, size, ADDRESS, err))
    return false;
  for (uint32_t i = 0; i < decoder.n_functions; i++)
    {
      struct sframe_fde function;
      struct sframe_row_cursor cursor;
      struct sframe_row row;
      uint64_t left = sframe_decoder_rows_max (&decoder);
      int status;
      if (!sframe_decoder_walk (&decoder, i, &left, &function, &cursor, err))
        return false;
      while ((status = sframe_row_next (&cursor, &row, err)) > 0)
        ;
      if (status < 0)
        return false;
    }
  return true;
}

/* A copy without slack, so that the address sanitizer sees every byte read
   behind it.  */
static bool
read_copy (const uint8_t *bytes, size_t size, struct error *err)
{
  uint8_t *copy = malloc (size > 0 ? size : 1);
  memcpy (copy, bytes, size);
  bool accepted = read_all (copy, size, err);
  free (copy);
  return accepted;
}

TEST (truncation_is_refused_at_every_byte)
{
  const struct sframe_variant variants[] = { v1, v2, v2_0, v3 };
  for (size_t i = 0; i < 4; i++)
    {
      size_t n = variants[i].version == 3 ? 3 : 2;
      struct buffer section = section_in (&arch_amd64, variants[i], n, true);
      struct error err = { 0 };
      assert_true (read_copy (section.bytes, section.size, &err));
      for (size_t size = 0; size < section.size; size++)
        {
          assert_false (read_copy (section.bytes, size, &err));
          assert_int_equal (err.status, CFI2SFRAME_MALFORMED);
        }
      /* The same with the row area's size adapted.  */
      size_t fre_size = load_u32 (section.bytes + 16, false);
      for (size_t less = 1; less <= fre_size; less++)
        {
          store_u32 (section.bytes + 16, (uint32_t)(fre_size - less), false);
          assert_false (read_copy (section.bytes, section.size - less, &err));
        }
      buffer_free (&section);
    }
}

/* Any one byte changed to anything: no crash, no read outside.  */
TEST (any_byte_may_change)
{
  const struct sframe_variant variants[] = { v1, v2, v3 };
  for (size_t i = 0; i < 3; i++)
    {
      size_t n = variants[i].version == 3 ? 3 : 2;
      struct buffer section = section_in (&arch_amd64, variants[i], n, true);
      for (size_t at = 0; at < section.size; at++)
        {
          uint8_t saved = section.bytes[at];
          for (unsigned value = 0; value < 256; value++)
            {
              struct error err = { 0 };
              section.bytes[at] = (uint8_t)value;
              if (!read_copy (section.bytes, section.size, &err))
                assert_true (err.status == CFI2SFRAME_MALFORMED
                             || err.status == CFI2SFRAME_UNSUPPORTED);
            }
          section.bytes[at] = saved;
        }
      buffer_free (&section);
    }
}

TEST (damage_is_refused)
{
  /* Offsets in the V3 section: header 28, three index entries, then blocks of
     attribute (5) and rows.  */
  enum
  {
    BLOCK0 = 28 + 3 * 16,
    ROW0 = BLOCK0 + 5,
    BLOCK1 = ROW0 + 4 + 5 + 11, /* of the PLT, which has repeated blocks */
    PLT_ROW1 = BLOCK1 + 5 + 3
  };
  static const struct
  {
    size_t at;
    uint8_t size;
    uint32_t value;
    enum cfi2sframe_status status;
    const char *reason;
  } cases[] = {
    { 0, 2, 0xdee3, CFI2SFRAME_MALFORMED, "wrong magic" },
    { 2, 1, 0, CFI2SFRAME_UNSUPPORTED, "unknown version 0" },
    { 2, 1, 4, CFI2SFRAME_UNSUPPORTED, "unknown version 4" },
    { 3, 1, 0x0d, CFI2SFRAME_UNSUPPORTED, "unknown flags" },
    { 3, 1, 0x07, CFI2SFRAME_UNSUPPORTED, "unknown flags" },
    { 4, 1, 0, CFI2SFRAME_UNSUPPORTED, "unknown ABI 0" },
    { 4, 1, 5, CFI2SFRAME_UNSUPPORTED, "unknown ABI 5" },
    { 4, 1, 4, CFI2SFRAME_MALFORMED, "byte order" },
    { 5, 1, 1, CFI2SFRAME_UNSUPPORTED, "fixed offsets" },
    { 6, 1, 0, CFI2SFRAME_UNSUPPORTED, "fixed offsets" },
    { 7, 1, 255, CFI2SFRAME_MALFORMED, "outside the section" },
    { 8, 4, 4, CFI2SFRAME_MALFORMED, "overlap" },
    { 8, 4, 0xffffffff, CFI2SFRAME_MALFORMED, "outside the section" },
    { 8, 4, 0x10000001, CFI2SFRAME_MALFORMED, "outside the section" },
    { 16, 4, 0xffffffff, CFI2SFRAME_MALFORMED, "rows outside" },
    { 20, 4, 0xffffffff, CFI2SFRAME_MALFORMED, "outside the section" },
    { 24, 4, 0, CFI2SFRAME_MALFORMED, "overlap" },
    { 24, 4, 0xffffffff, CFI2SFRAME_MALFORMED, "rows outside" },
    { 28 + 12, 4, 0xffffffff, CFI2SFRAME_MALFORMED, "outside the row" },
    { 28 + 8, 4, 299, CFI2SFRAME_MALFORMED, "row outside its function" },
    { BLOCK0, 2, 0xffff, CFI2SFRAME_MALFORMED, "more rows than bytes" },
    { BLOCK0 + 2, 1, 3, CFI2SFRAME_MALFORMED, "row type" },
    { BLOCK0 + 2, 1, 0x11, CFI2SFRAME_MALFORMED, "block of size 0" },
    { BLOCK0 + 3, 1, 2, CFI2SFRAME_UNSUPPORTED, "function type" },
    { BLOCK0 + 3, 1, 1, CFI2SFRAME_MALFORMED, "incomplete flexible" },
    { ROW0, 2, 2, CFI2SFRAME_MALFORMED, "out of order" },
    { BLOCK1 + 4, 1, 10, CFI2SFRAME_MALFORMED, "row outside its function" },
    { PLT_ROW1, 1, 17, CFI2SFRAME_MALFORMED, "row outside its function" },
    { ROW0 + 2, 1, 0x63, CFI2SFRAME_MALFORMED, "word size" },
    { ROW0 + 2, 1, 0x1f, CFI2SFRAME_MALFORMED, "too many words" },
  };
  struct buffer section = section_in (&arch_amd64, v3, 3, true);
  assert_int_equal (section.bytes[PLT_ROW1], 11);
  FOR_EACH_ROW (given, cases)
    {
      struct error err = { 0 };
      uint8_t *copy = malloc (section.size);
      memcpy (copy, section.bytes, section.size);
      for (unsigned b = 0; b < given->size; b++)
        copy[given->at + b] = (uint8_t)(given->value >> 8 * b);
      assert_false (read_all (copy, section.size, &err));
      if (strstr (err.reason, given->reason) == NULL)
        fail_msg ("%s", err.reason);
      assert_int_equal (err.status, given->status);
      free (copy);
    }
  buffer_free (&section);
}

/* What GNU as and other producers write and readers accept.  */
TEST (oddities_are_accepted)
{
  static const uint8_t section[] = {
    0xe2, 0xde, 3,    4, 3, 0,  0xf8, 2, /* two auxiliary bytes */
    2,    0,    0,    0, 0, 0,  0,    0, /* wrong number of rows */
    24,   0,    0,    0,                 /**/
    1,    0,    0,    0,                 /* a gap before the functions */
    34,   0,    0,    0,                 /* and one behind */
    0xaa, 0xaa, 0xaa,                    /**/
    0,    0,    0,    0, 0, 0,  0,    0, 4, 0, 0, 0, 5, 0, 0, 0,    0,
    0,    0,    0,    0, 0, 0,  0,    4, 0, 0, 0, 0, 0, 0, 0, 0xbb, /**/
    0,    0,    0,    0, 0,     /* no rows at all */
    4,    0,    0,    0, 0,     /**/
    1,    3,    8,              /* the first row is not at 0 */
    2,    3,    8,    2, 3, 16, /* two at one place */
    4,    5,    8,    8,        /* one at the end */
    0xcc,                       /* padding */
  };
  struct error err = { 0 };
  struct sframe_decoder decoder;
  if (!read_all (section, sizeof section, &err))
    fail_msg ("%s", err.reason);
  assert_true (
      sframe_decoder_open (&decoder, section, sizeof section, 0x1000, &err));
  assert_int_equal (sframe_decoder_start (&decoder, 0), 0x1000 + 31);
  assert_int_equal (sframe_decoder_start (&decoder, 1), 0x1000 + 47);
  struct sframe_fde function;
  struct sframe_row row;
  assert_int_equal (
      sframe_decoder_lookup (&decoder, 0x1000 + 31, &function, &row, &err), 0);
  assert_int_equal (
      sframe_decoder_lookup (&decoder, 0x1000 + 33, &function, &row, &err), 1);
  assert_int_equal (row.words[0], 16);
}

/* As many rows as walks take, and one more.  */
TEST (rows_of_a_function_are_bounded)
{
  for (uint32_t more = 0; more <= 1; more++)
    {
      struct error err = { 0 };
      uint32_t n = FRAME_ROWS_MAX + more;
      size_t size = SFRAME_HEADER_SIZE + SFRAME_V2_FDE_SIZE + 2 * (size_t)n;
      uint8_t *section = calloc (1, size);
      uint8_t *fde = section + SFRAME_HEADER_SIZE;
      store_u16 (section, SFRAME_MAGIC, false);
      section[SFRAME_HEADER_VERSION] = 2;
      section[SFRAME_HEADER_ABI] = 3;
      section[SFRAME_HEADER_FIXED_RA] = 0xf8;
      store_u32 (section + SFRAME_HEADER_N_FDES, 1, false);
      store_u32 (section + SFRAME_HEADER_FRE_SIZE, 2 * n, false);
      store_u32 (section + SFRAME_HEADER_FRE_OFFSET, SFRAME_V2_FDE_SIZE,
                 false);
      store_u32 (fde + SFRAME_V2_FDE_N_FRES, n, false);
      assert_int_equal (read_all (section, size, &err), more == 0);
      if (more > 0)
        assert_non_null (strstr (err.reason, "too many rows"));
      free (section);
    }
}

TEST (empty_section_is_accepted)
{
  struct error err = { 0 };
  struct buffer section = section_in (&arch_s390x, v3, 0, true);
  assert_int_equal (section.size, 28);
  assert_true (read_copy (section.bytes, section.size, &err));
  struct sframe_fde function;
  struct sframe_row row;
  struct sframe_decoder decoder = decoder_on (&section, 0);
  assert_int_equal (sframe_decoder_lookup (&decoder, 0, &function, &row, &err),
                    0);
  assert_false (sframe_decoder_function (&decoder, 0, &function, &err));
  buffer_free (&section);
}

/* A hostile section has a million functions with the same rows.  */
TEST (rows_are_spent)
{
  struct error err = { 0 };
  struct buffer section = section_in (&arch_amd64, v3, 1, true);
  struct sframe_fde function;
  struct sframe_row_cursor cursor;
  struct sframe_decoder decoder = decoder_on (&section, 0);
  uint64_t left = 2 * functions[0].n_rows;
  for (uint64_t i = 0; i < 3; i++)
    assert_int_equal (
        sframe_decoder_walk (&decoder, 0, &left, &function, &cursor, &err),
        i < 2);
  assert_int_equal (left, 0);
  assert_int_equal (err.status, CFI2SFRAME_MALFORMED);
  buffer_free (&section);
}
