/* Unit tests of src/sframe/encode.c: rows in, exact bytes out.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <string.h>

#include "base/bytes.h"
#include "sframe/decode.h"
#include "sframe/encode.h"
#include "tests/encoded.h"

static struct encode_options
options_for (const struct arch *arch, struct sframe_variant variant)
{
  return (struct encode_options){ .arch = arch,
                                  .variant = variant,
                                  .sorted = true };
}

static void
assert_bytes (const struct buffer *section, const uint8_t *expected,
              size_t size)
{
  assert_int_equal (section->size, size);
  assert_memory_equal (section->bytes, expected, size);
}

/* push %rbp; mov %rsp,%rbp: three rows at 0x401000, 16 bytes of code.  */
static struct sframe_row push_rows[] = {
  { .start = 0, .base_sp = true, .n_words = 1, .words = { 8 } },
  { .start = 1, .base_sp = true, .n_words = 2, .words = { 16, -16 } },
  { .start = 4, .base_sp = false, .n_words = 2, .words = { 16, -16 } },
};

static const struct sframe_fde push_function
    = { .address = 0x401000, .size = 16, .n_rows = 3, .rows = push_rows };

/* The section of that function at 0x402000 has these bytes.  */
static void
expect_section (struct sframe_variant variant, const uint8_t *bytes,
                size_t size)
{
  struct buffer out = section_of (options_for (&arch_amd64, variant),
                                  &push_function, 1, 0x402000);
  assert_bytes (&out, bytes, size);
  buffer_free (&out);
}

TEST (amd64_sections)
{
  /* preamble, ABI and RA at -8; FDEs and FREs; FRE bytes, FDE offset; FRE
     offset */
  static const uint8_t in_v3[] = {
    0xe2, 0xde, 3,    5,    3,    0,    0xf8, 0,    /**/
    1,    0,    0,    0,    3,    0,    0,    0,    /**/
    16,   0,    0,    0,    0,    0,    0,    0,    /**/
    16,   0,    0,    0,                            /**/
    0xe4, 0xef, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, /* 0x401000 - 0x40201c */
    16,   0,    0,    0,    0,    0,    0,    0,    /* size, FRE offset */
    3,    0,    0,    0,    0,                      /* attribute */
    0,    0x03, 8,    1,    0x05, 16,   0xf0, 4,    0x04, 16, 0xf0,
  };
  uint8_t in_v2[] = {
    0xe2, 0xde, 2,    5,    3,  0,  0xf8, 0,                 /**/
    1,    0,    0,    0,    3,  0,  0,    0,                 /**/
    11,   0,    0,    0,    0,  0,  0,    0,                 /**/
    20,   0,    0,    0,                                     /**/
    0xe4, 0xef, 0xff, 0xff, 16, 0,  0,    0, 0, 0,  0,    0, /**/
    3,    0,    0,    0,    0,  0,  0,    0,                 /**/
    0,    0x03, 8,    1,    5,  16, 0xf0, 4, 4, 16, 0xf0,
  };
  static const uint8_t in_v1[] = {
    0xe2, 0xde, 1,    1,    3,  0,  0xf8, 0,                 /**/
    1,    0,    0,    0,    3,  0,  0,    0,                 /**/
    11,   0,    0,    0,    0,  0,  0,    0,                 /**/
    17,   0,    0,    0,                                     /**/
    0x00, 0xf0, 0xff, 0xff, 16, 0,  0,    0, 0, 0,  0,    0, /**/
    3,    0,    0,    0,    0,                               /**/
    0,    0x03, 8,    1,    5,  16, 0xf0, 4, 4, 16, 0xf0,
  };
  expect_section (v3, in_v3, sizeof in_v3);
  expect_section (v2, in_v2, sizeof in_v2);
  /* Without PCREL the start counts from the section.  */
  in_v2[3] = 1;
  in_v2[28] = 0x00;
  in_v2[29] = 0xf0;
  expect_section (v2_0, in_v2, sizeof in_v2);
  expect_section (v1, in_v1, sizeof in_v1);
}

TEST (big_endian_section)
{
  static const uint8_t expected[] = {
    0xde, 0xe2, 3,    5,    4,    0,    0,    0,    /**/
    0,    0,    0,    1,    0,    0,    0,    2,    /**/
    0,    0,    0,    17,   0,    0,    0,    0,    /**/
    0,    0,    0,    16,                           /**/
    0,    0,    0,    0,    0,    0,    0,    0xe4, /* 0x1100 - 0x101c */
    0,    0,    4,    0,    0,    0,    0,    0,    /**/
    0,    2,    1,    1,    0,                      /* ADDR2, flexible */
    0,    0,    0x04, 0x09, 0x00,                   /**/
    1,    0x2c, 0x24, 0x04, 0x11, 0xff, 0x7f,       /**/
  };
  /* As word sizes differ per row, so do their bytes: 1041 needs two.  */
  struct sframe_row rows[] = {
    { .n_words = 2, .control = 1, .words = { 9, 0 } },
    { .start = 300, .n_words = 2, .control = 1, .words = { 1041, -129 } },
  };
  struct sframe_fde function = { .address = 0x1100,
                                 .size = 1024,
                                 .flexible = true,
                                 .n_rows = 2,
                                 .rows = rows };
  struct buffer out
      = section_of (options_for (&arch_s390x, v3), &function, 1, 0x1000);
  assert_bytes (&out, expected, sizeof expected);
  buffer_free (&out);
}

/* Info byte and words of the only row with one word.  */
static struct buffer
row_bytes (struct encode_options options, struct sframe_row row, uint32_t size)
{
  struct sframe_fde function = { .size = size, .n_rows = 1, .rows = &row };
  struct buffer out = section_of (options, &function, 1, 0);
  size_t head = SFRAME_HEADER_SIZE
                + (options.variant.version == 3
                       ? SFRAME_V3_INDEX_SIZE + SFRAME_V3_ATTRIBUTE_SIZE
                       : SFRAME_V2_FDE_SIZE);
  memmove (out.bytes, out.bytes + head, out.size - head);
  out.size -= head;
  return out;
}

TEST (word_sizes)
{
  static const struct
  {
    int32_t word;
    bool control;
    uint8_t bytes, gnu_v2_bytes;
  } cases[] = {
    { 0, false, 1, 1 },         { 127, false, 1, 1 },
    { 128, false, 2, 2 },       { -127, false, 1, 1 },
    { -128, false, 1, 2 },      { -129, false, 2, 2 },
    { 32767, false, 2, 2 },     { 32768, false, 4, 4 },
    { -32767, false, 2, 2 },    { -32768, false, 2, 4 },
    { -32769, false, 4, 4 },    { INT32_MAX, false, 4, 4 },
    { INT32_MIN, false, 4, 4 }, { 255, true, 1, 1 },
    { 256, true, 2, 2 },        { 65535, true, 2, 2 },
    { 65536, true, 4, 4 },      { -1, true, 4, 4 },
  };
  FOR_EACH_ROW (given, cases)
    {
      struct sframe_row row = { .base_sp = true,
                                .n_words = 1,
                                .control = given->control,
                                .words = { given->word } };
      struct encode_options options = options_for (&arch_amd64, v3);
      struct buffer out = row_bytes (options, row, 1);
      assert_int_equal (out.size, 2 + given->bytes);
      assert_int_equal (out.bytes[1] >> 5, given->bytes / 2);
      buffer_free (&out);

      options = options_for (&arch_amd64, v2);
      options.gnu_widths = true;
      out = row_bytes (options, row, 1);
      assert_int_equal (out.size, 2 + given->gnu_v2_bytes);
      buffer_free (&out);
    }
}

TEST (negative_words_in_both_orders)
{
  struct sframe_row row = { .n_words = 1, .words = { -32769 } };
  struct buffer out = row_bytes (options_for (&arch_aarch64, v3), row, 1);
  assert_memory_equal (out.bytes, "\0\x42\xff\x7f\xff\xff", 6);
  buffer_free (&out);
  out = row_bytes (options_for (&arch_aarch64_be, v3), row, 1);
  assert_memory_equal (out.bytes, "\0\x42\xff\xff\x7f\xff", 6);
  buffer_free (&out);
}

TEST (row_flags)
{
  struct sframe_row row
      = { .base_sp = true, .ra_signed = true, .n_words = 1, .words = { 0 } };
  struct buffer out = row_bytes (options_for (&arch_aarch64, v3), row, 4);
  assert_memory_equal (out.bytes, "\0\x83\0", 3);
  buffer_free (&out);
  /* RA undefined.  */
  row = (struct sframe_row){ 0 };
  out = row_bytes (options_for (&arch_amd64, v3), row, 4);
  assert_int_equal (out.size, 2);
  assert_memory_equal (out.bytes, "\0\0", 2);
  buffer_free (&out);
}

/* FRE type by the last row's start; GNU: by the function's size.  */
TEST (fre_types)
{
  static const struct
  {
    uint32_t last, size;
    uint8_t type, gnu_type;
  } cases[] = {
    { 255, 256, 0, 1 },      { 254, 255, 0, 0 },     { 256, 257, 1, 1 },
    { 65535, 65536, 1, 2 },  { 65534, 65535, 1, 1 }, { 65536, 65537, 2, 2 },
    { 4, UINT32_MAX, 0, 2 },
  };
  FOR_EACH_ROW (given, cases)
    for (int gnu = 0; gnu < 2; gnu++)
      {
        struct sframe_row rows[]
            = { { .base_sp = true, .n_words = 1, .words = { 8 } },
                { .start = given->last, .n_words = 1, .words = { 16 } } };
        struct sframe_fde function
            = { .size = given->size, .n_rows = 2, .rows = rows };
        struct encode_options options = options_for (&arch_amd64, v3);
        options.gnu_widths = gnu;
        struct buffer out = section_of (options, &function, 1, 0);
        unsigned type = out.bytes[28 + 16 + 2];
        assert_int_equal (type, gnu ? given->gnu_type : given->type);
        assert_int_equal (out.size,
                          28 + 16 + 5 + 2 * (2 + ((size_t)1 << type)));
        buffer_free (&out);
      }
}

TEST (function_flags)
{
  struct sframe_row rows[] = {
    { .base_sp = true, .n_words = 1, .words = { 8 } },
    { .start = 11, .base_sp = true, .n_words = 1, .words = { 16 } },
  };
  struct sframe_fde function = {
    .size = 4096, .repeat = 16, .b_key = true, .n_rows = 2, .rows = rows
  };
  struct buffer out
      = section_of (options_for (&arch_amd64, v2), &function, 1, 0);
  assert_int_equal (out.bytes[28 + 16], 0x30);
  assert_int_equal (out.bytes[28 + 17], 16);
  buffer_free (&out);
  function.signal = true;
  function.flexible = true;
  out = section_of (options_for (&arch_amd64, v3), &function, 1, 0);
  assert_memory_equal (out.bytes + 28 + 16, "\x02\0\xb0\x01\x10", 5);
  buffer_free (&out);
}

/* What a version has no bit for must not be written without it.  */
TEST (what_a_version_lacks_is_refused)
{
  static const struct sframe_variant variants[]
      = { { 1, false }, { 2, false }, { 2, true }, { 3, true } };
  for (unsigned v = 0; v < 4; v++)
    for (unsigned what = 0; what < 4; what++)
      {
        struct encode_options options = options_for (&arch_amd64, variants[v]);
        struct sframe_encoder *encoder = sframe_encoder_new (&options);
        struct error err = { 0 };
        struct sframe_row row = push_rows[0];
        struct sframe_fde function
            = { .address = 0x1000, .size = 64, .n_rows = 1, .rows = &row };
        function.signal = what == 1;
        function.repeat = what == 2 ? 16 : 0;
        function.flexible = what == 3;
        if (what == 3)
          row = (struct sframe_row){ .control = 1,
                                     .n_words = 2,
                                     .words = { 0x3b, 8 } };
        bool known = what == 0 || variants[v].version == 3
                     || (what == 2 && variants[v].version == 2);
        if (sframe_encoder_add (encoder, &function, &err) != known)
          fail_msg ("version %u, %u: %s", variants[v].version, what,
                    err.reason);
        sframe_encoder_free (encoder);
      }
}

/* The block is that of the other function; address and size are its own.  */
TEST (repeated_functions_have_no_block)
{
  static const struct sframe_variant variants[]
      = { { 1, false }, { 2, true }, { 3, true } };
  for (unsigned v = 0; v < 3; v++)
    {
      struct encode_options options = options_for (&arch_amd64, variants[v]);
      struct sframe_encoder *encoder = sframe_encoder_new (&options);
      struct error err = { 0 };
      struct sframe_fde other = push_function;
      other.address += 0x100;
      other.n_rows = 2;
      assert_true (sframe_encoder_add (encoder, &push_function, &err));
      assert_true (sframe_encoder_add (encoder, &other, &err));
      uint64_t size = sframe_encoder_size (encoder);
      assert_true (sframe_encoder_repeat (encoder, 1, 0x401200, 64, &err));
      assert_true (sframe_encoder_repeat (encoder, 2, 0x401300, 7, &err));
      unsigned entry = sframe_fde_size (options.variant.version);
      assert_int_equal (sframe_encoder_size (encoder), size + 2 * entry);
      assert_int_equal (sframe_encoder_n_functions (encoder), 4);
      assert_int_equal (sframe_encoder_n_rows (encoder), 3 + 3 * 2);
      struct buffer out;
      buffer_init (&out, false);
      assert_true (sframe_encoder_write (encoder, 0x400000, &out, &err));
      struct sframe_decoder decoder = decoder_on (&out, 0x400000);
      struct sframe_fde function;
      assert_true (sframe_decoder_function (&decoder, 2, &function, &err));
      assert_int_equal (function.address, 0x401200);
      assert_int_equal (function.size, 64);
      assert_int_equal (function.n_rows, 2);
      /* Order is checked here, too.  */
      assert_false (sframe_encoder_repeat (encoder, 0, 0x401000, 16, &err));
      assert_int_equal (err.status, CFI2SFRAME_INVALID);
      /* So is the end, behind the start of the last row.  */
      err = (struct error){ 0 };
      assert_false (sframe_encoder_repeat (encoder, 1, 0x401400, 1, &err));
      assert_int_equal (err.status, CFI2SFRAME_INVALID);
      buffer_free (&out);
      sframe_encoder_free (encoder);
    }
}

static bool
accepts (struct encode_options options, const struct sframe_fde *function)
{
  struct error err = { 0 };
  struct sframe_encoder *encoder = sframe_encoder_new (&options);
  bool accepted = sframe_encoder_add (encoder, function, &err);
  if (!accepted)
    assert_int_equal (err.status, CFI2SFRAME_INVALID);
  sframe_encoder_free (encoder);
  return accepted;
}

TEST (unsound_rows_are_refused)
{
  struct encode_options options = options_for (&arch_amd64, v3);
  struct encode_options gnu = options;
  gnu.gnu_widths = true;
  struct sframe_row rows[]
      = { { .n_words = 1 }, { .start = 4, .n_words = 1 } };
  struct sframe_fde function = { .size = 5, .n_rows = 2, .rows = rows };
  assert_true (accepts (options, &function));
  function.size = 4; /* last row at the end */
  assert_false (accepts (options, &function));
  assert_true (accepts (gnu, &function));
  function.size = 3;
  assert_false (accepts (gnu, &function));
  function.size = 5;
  rows[0].start = 4; /* equal starts */
  assert_false (accepts (options, &function));
  assert_true (accepts (gnu, &function));
  rows[0].start = 5; /* descending */
  assert_false (accepts (options, &function));
  assert_false (accepts (gnu, &function));
  rows[0].start = 0;
  rows[0].n_words = SFRAME_WORDS_MAX + 1;
  assert_false (accepts (options, &function));
  rows[0].n_words = 1;
  function.repeat = 4; /* a row behind the repeated block */
  assert_false (accepts (options, &function));
  function.repeat = 8;
  assert_true (accepts (options, &function));
  options.variant = v1;
  assert_false (accepts (options, &function));
  function.repeat = 0;
  function.flexible = true;
  assert_false (accepts (options, &function));
}

TEST (v3_row_count_limit)
{
  struct sframe_row *rows = calloc (65536, sizeof *rows);
  for (uint32_t i = 0; i < 65536; i++)
    rows[i] = (struct sframe_row){ .start = i, .n_words = 1 };
  struct sframe_fde function
      = { .size = 65536, .n_rows = 65535, .rows = rows };
  assert_true (accepts (options_for (&arch_amd64, v3), &function));
  function.n_rows = 65536;
  assert_false (accepts (options_for (&arch_amd64, v3), &function));
  assert_true (accepts (options_for (&arch_amd64, v2), &function));
  free (rows);
}

TEST (order_is_checked)
{
  struct error err = { 0 };
  struct encode_options options = options_for (&arch_amd64, v3);
  struct sframe_encoder *encoder = sframe_encoder_new (&options);
  struct sframe_fde function = push_function;
  assert_true (sframe_encoder_add (encoder, &function, &err));
  assert_false (sframe_encoder_add (encoder, &function, &err));
  function.address += 15; /* overlaps by one byte */
  assert_false (sframe_encoder_add (encoder, &function, &err));
  function.address += 1;
  assert_true (sframe_encoder_add (encoder, &function, &err));
  sframe_encoder_free (encoder);
  options.sorted = false;
  function.address = 0;
  encoder = sframe_encoder_new (&options);
  assert_true (sframe_encoder_add (encoder, &push_function, &err));
  assert_true (sframe_encoder_add (encoder, &function, &err));
  sframe_encoder_free (encoder);
}

/* Starts of V1 and V2 are 32 bits wide, of V3 64.  */
TEST (distance_limits)
{
  static const struct
  {
    uint64_t function, section;
    bool fits;
  } cases[] = {
    { UINT64_C (0x80000000) + 28 + 0x7fffffffu, 0x80000000u, true },
    { UINT64_C (0x80000000) + 28 + 0x80000000u, 0x80000000u, false },
    { 0x1000, 0x1000 + 0x80000000u - 28, true },
    { 0x1000, 0x1000 + 0x80000000u - 27, false },
    { 0, UINT64_C (0xffffffff80000000), true } /* wraps */,
  };
  FOR_EACH_ROW (given, cases)
    for (int version = 2; version <= 3; version++)
      {
        struct error err = { 0 };
        struct encode_options options
            = options_for (&arch_amd64, version == 2 ? v2 : v3);
        struct sframe_encoder *encoder = sframe_encoder_new (&options);
        struct sframe_fde function = push_function;
        function.address = given->function;
        assert_true (sframe_encoder_add (encoder, &function, &err));
        struct buffer out;
        buffer_init (&out, false);
        assert_int_equal (
            sframe_encoder_write (encoder, given->section, &out, &err),
            version == 3 || given->fits);
        buffer_free (&out);
        sframe_encoder_free (encoder);
      }
}

/* Rows that are not written again count for the limit nevertheless.  */
TEST (repeated_rows_are_limited)
{
  struct error err = { 0 };
  struct encode_options options = options_for (&arch_amd64, v3);
  options.share = true;
  options.rows_max = 1000;
  struct sframe_encoder *encoder = sframe_encoder_new (&options);
  assert_true (sframe_encoder_add (encoder, &push_function, &err));
  unsigned n = 1;
  while (sframe_encoder_repeat (encoder, 0, 0x401000 + 0x100 * n, 16, &err))
    n++;
  assert_int_equal (err.status, CFI2SFRAME_REFUSED);
  assert_int_equal (n, 1000 / (5 + 11));
  sframe_encoder_free (encoder);
}
