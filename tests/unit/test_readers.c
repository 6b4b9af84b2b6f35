/* Unit tests of src/sframe/readers.c: a section has the traits
   that it was made with, and no other.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Whether rules and readers agree is the business of tests/conformance.  */

#include <limits.h>
#include <string.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "failing_allocations.h"
#include "sframe/encode.h"
#include "sframe/readers.h"
#include "tests/unit_test.h"

enum
{
  ADDRESS = 0x402000,
  FIRST = 0x401000, /* the functions of a section */
  SECOND = 0x401100
};

enum version
{
  V3,
  V2,
  V2_0,
  V1
};

static const struct sframe_variant variants[] = { [V3] = { 3, true },
                                                  [V2] = { 2, true },
                                                  [V2_0] = { 2, false },
                                                  [V1] = { 1, false } };

/* Traits, as a set.  */
#define HAS(trait) (1u << SFRAME_TRAIT_##trait)

static const uint32_t traits_of_version[]
    = { [V3] = HAS (VERSION_3) | HAS (PCREL),
        [V2] = HAS (VERSION_2) | HAS (PCREL),
        [V2_0] = HAS (VERSION_2) | HAS (NOT_PCREL),
        [V1] = HAS (VERSION_1) };

/* A section of two functions: a usual one, and SECOND with ROWS.  */
struct section
{
  const char *name;
  const struct arch *arch;
  enum version version;
  uint32_t traits; /* beside those of the version */
  struct sframe_fde second;
  struct sframe_row rows[2];
  bool of_function; /* the traits are those of the second function */
  bool empty;       /* there are no functions */
  bool unsorted;    /* the header does not say that functions are sorted */
  bool share;       /* the second function has the first one's rows */
  uint8_t aux;      /* bytes of an auxiliary header */
  uint8_t gap;      /* bytes between header and functions */
  uint8_t behind;   /* bytes behind the rows */
};

/* The second function, and its usual row: CFA = SP + 8.  */
#define FUNCTION(...) .second = { .size = 16, __VA_ARGS__ }
#define USUAL FUNCTION (.n_rows = 1), .rows = { SP (0) }
#define SP(at)                                                   \
  {                                                              \
    .start = (at), .base_sp = true, .n_words = 1, .words = { 8 } \
  }

/* A flexible function with one row of N words; CONTROL says which of them are
   control words, the first of which is CFA.  */
#define BY(register) ((register) << SFRAME_CONTROL_REGNUM_SHIFT | 1)
#define FLEXIBLE(n, controls, cfa, ...)                                      \
  FUNCTION (.flexible = true, .n_rows = 1), .rows = {                        \
    { .n_words = (n), .control = (controls), .words = { cfa, __VA_ARGS__ } } \
  }

static const struct section sections[] = {
  { "usual functions have no trait", &arch_amd64, V3, 0, USUAL },
  { "nor have those of version 2", &arch_amd64, V2, 0, USUAL },
  { "nor those of version 2.0", &arch_amd64, V2_0, 0, USUAL },
  { "nor those of version 1", &arch_amd64, V1, 0, USUAL },
  { "nor those in big-endian byte order", &arch_s390x, V3, 0, USUAL },

  { "not sorted", &arch_amd64, V3, HAS (UNSORTED), USUAL, .unsorted = true },
  { "no functions", &arch_amd64, V3, HAS (NO_FUNCTIONS), .empty = true },
  { "auxiliary header", &arch_amd64, V3, HAS (AUX_HEADER), USUAL, .aux = 1 },
  { "auxiliary header, big-endian", &arch_s390x, V3,
    HAS (AUX_HEADER) | HAS (AUX_HEADER_BIG_ENDIAN), USUAL, .aux = 1 },
  { "gap", &arch_amd64, V3, HAS (GAP), USUAL, .gap = 1 },
  { "gap behind an auxiliary header", &arch_amd64, V3,
    HAS (AUX_HEADER) | HAS (GAP), USUAL, .aux = 8, .gap = 1 },
  { "bytes behind the rows", &arch_amd64, V3, 0, USUAL, .behind = 1 },
  { "bytes behind the rows, big-endian", &arch_s390x, V3,
    HAS (REST_BIG_ENDIAN), USUAL, .behind = 1 },
  { "shared rows", &arch_amd64, V3, 0, USUAL, .share = true },
  { "shared rows, big-endian", &arch_s390x, V3, HAS (SHARED_BIG_ENDIAN), USUAL,
    .share = true },

  { "no rows", &arch_amd64, V3, HAS (NO_ROWS), FUNCTION (0),
    .of_function = true },
  { "no rows, signal frame", &arch_amd64, V3, HAS (NO_ROWS_SIGNAL),
    FUNCTION (.signal = true), .of_function = true },
  { "signal frame with a row", &arch_amd64, V3, 0,
    FUNCTION (.signal = true, .n_rows = 1), .rows = { SP (0) } },
  { "more rows than bytes", &arch_amd64, V3, HAS (MORE_ROWS_THAN_BYTES),
    .second = { .size = 1, .n_rows = 2 }, .rows = { SP (0), SP (1) },
    .of_function = true },
  { "as many rows as bytes", &arch_amd64, V3, 0,
    .second = { .size = 2, .n_rows = 2 }, .rows = { SP (0), SP (1) } },
  { "one row that repeats", &arch_amd64, V2, 0,
    FUNCTION (.repeat = 8, .n_rows = 1), .rows = { SP (0) } },
  { "two rows that repeat", &arch_amd64, V2, HAS (MASK_OF_ROWS),
    FUNCTION (.repeat = 8, .n_rows = 2), .rows = { SP (0), SP (4) },
    .of_function = true },

  { "row without words", &arch_amd64, V3, HAS (NO_WORDS),
    FUNCTION (.n_rows = 1), .of_function = true },
  { "second row without words", &arch_amd64, V3, HAS (NO_WORDS),
    FUNCTION (.n_rows = 2), .rows = { SP (0), { .start = 1 } },
    .of_function = true },
  { "flexible row without words", &arch_amd64, V3, HAS (NO_WORDS),
    FUNCTION (.flexible = true, .n_rows = 1), .of_function = true },
  { "flexible row", &arch_amd64, V3, 0, FLEXIBLE (2, 1, BY (7), 8) },
  { "CFA = CFA + 0", &arch_amd64, V3, 0, FLEXIBLE (2, 1, 0, 0) },
  { "padding at a row's end", &arch_amd64, V3, HAS (PADDING_LAST),
    FLEXIBLE (3, 5, BY (7), 8, 0), .of_function = true },
  { "padding before a pair", &arch_amd64, V3, 0,
    FLEXIBLE (5, 13, BY (7), 8, 0, 2, -16) },
  { "offset 0 at a row's end", &arch_amd64, V3, 0,
    FLEXIBLE (4, 5, BY (7), 8, 2, 0) },
  { "0 at the end of a row that is not flexible", &arch_amd64, V3, 0,
    FUNCTION (.n_rows = 1), .rows = { { .n_words = 2, .words = { 16, 0 } } } },
  { "register 31", &arch_amd64, V3, 0, FLEXIBLE (2, 1, BY (31), 8) },
  { "register 32", &arch_amd64, V3, HAS (HIGH_REGISTER),
    FLEXIBLE (2, 1, BY (32), 8), .of_function = true },
  { "high register of a second pair", &arch_amd64, V3, HAS (HIGH_REGISTER),
    FLEXIBLE (4, 5, BY (7), 8, BY (32), 0), .of_function = true },
  { "high number that names no register", &arch_amd64, V3, 0,
    FLEXIBLE (2, 1, BY (32) & ~1, 8) },
  { "offset that looks like a high register", &arch_amd64, V3, 0,
    FLEXIBLE (2, 1, BY (7), BY (32)) },

  /* On s390x an offset is 8 * word + 160 (section 3.1 of the
     specification).  */
  { "largest CFA", &arch_s390x, V3, 0, FUNCTION (.n_rows = 1),
    .rows = { { .n_words = 1, .words = { (INT32_MAX - 160) / 8 } } } },
  { "largest CFA of amd64", &arch_amd64, V3, 0, FUNCTION (.n_rows = 1),
    .rows = { { .n_words = 1, .words = { INT32_MAX } } } },
  { "larger CFA", &arch_s390x, V3, HAS (WIDE_CFA), FUNCTION (.n_rows = 1),
    .rows = { { .n_words = 1, .words = { (INT32_MAX - 160) / 8 + 1 } } },
    .of_function = true },
  { "least CFA", &arch_s390x, V3, 0, FUNCTION (.n_rows = 1),
    .rows = { { .n_words = 1, .words = { INT32_MIN / 8 - 20 } } } },
  { "lesser CFA", &arch_s390x, V3, HAS (WIDE_CFA), FUNCTION (.n_rows = 1),
    .rows = { { .n_words = 1, .words = { INT32_MIN / 8 - 21 } } },
    .of_function = true },
  { "wide CFA of a flexible row", &arch_s390x, V3, HAS (WIDE_CFA),
    FLEXIBLE (2, 1, BY (15), INT32_MAX), .of_function = true },
};

/* Put COUNT bytes at AT of SECTION.  */
static void
insert (struct buffer *section, size_t at, size_t count)
{
  buffer_fill (section, 0xa5, count);
  memmove (section->bytes + at + count, section->bytes + at,
           section->size - at - count);
  memset (section->bytes + at, 0xa5, count);
}

static void
move_tables (struct buffer *section, uint32_t by)
{
  for (unsigned field = SFRAME_HEADER_FDE_OFFSET;
       field <= SFRAME_HEADER_FRE_OFFSET; field += 4)
    {
      uint8_t *at = section->bytes + field;
      store_u32 (at, load_u32 (at, section->big_endian) + by,
                 section->big_endian);
    }
}

/* Encode WANTED without its additional bytes.  */
static void
encode (const struct section *wanted, struct buffer *section)
{
  struct error err = { 0 };
  struct sframe_row row = SP (0);
  const struct sframe_fde first
      = { .address = FIRST, .size = 16, .n_rows = 1, .rows = &row };
  struct sframe_fde second = wanted->second;
  const struct encode_options options = { .arch = wanted->arch,
                                          .variant = variants[wanted->version],
                                          .sorted = !wanted->unsorted,
                                          .gnu_widths = true };
  struct sframe_encoder *encoder = sframe_encoder_new (&options);
  second.address = SECOND;
  second.rows = (struct sframe_row *)wanted->rows;
  if (!wanted->empty)
    {
      assert_true (sframe_encoder_add (encoder, &first, &err));
      assert_true (
          wanted->share
              ? sframe_encoder_repeat (encoder, 0, SECOND, second.size, &err)
              : sframe_encoder_add (encoder, &second, &err));
    }
  buffer_init (section, wanted->arch->big_endian);
  assert_true (sframe_encoder_write (encoder, ADDRESS, section, &err));
  sframe_encoder_free (encoder);
}

/* A section in a buffer of its exact size, so that ASan sees what is read
   behind its end.  */
static struct sframe_decoder
open_section (const struct section *wanted)
{
  struct buffer section;
  struct error err = { 0 };
  struct sframe_decoder decoder;
  encode (wanted, &section);
  insert (&section, SFRAME_HEADER_SIZE, wanted->aux + wanted->gap);
  section.bytes[SFRAME_HEADER_AUX_SIZE] = wanted->aux;
  move_tables (&section, wanted->gap);
  buffer_fill (&section, 0xa5, wanted->behind);
  uint8_t *copy = malloc (section.size);
  assert_non_null (copy);
  memcpy (copy, section.bytes, section.size);
  assert_true (
      sframe_decoder_open (&decoder, copy, section.size, ADDRESS, &err));
  buffer_free (&section);
  return decoder;
}

static void
close_section (struct sframe_decoder *decoder)
{
  free ((void *)decoder->bytes);
}

TEST_ROWS (sections, const struct section *wanted, NULL, NULL, has_its_traits)
{
  struct error err = { 0 };
  struct sframe_traits traits = { 0 };
  struct sframe_decoder decoder = open_section (wanted);
  if (!sframe_traits_find (&traits, &decoder, &err))
    fail_msg ("%s", err.reason);
  assert_int_equal (traits.present,
                    traits_of_version[wanted->version] | wanted->traits);
  for (unsigned i = 0; i < SFRAME_N_TRAITS; i++)
    assert_int_equal (traits.first[i],
                      wanted->of_function && wanted->traits >> i & 1 ? SECOND
                                                                     : 0);
  close_section (&decoder);
}

TEST (a_trait_keeps_its_first_address)
{
  struct sframe_traits traits = { 0 };
  assert_false (sframe_traits_have (&traits, SFRAME_TRAIT_NO_ROWS));
  sframe_traits_add (&traits, SFRAME_TRAIT_NO_ROWS, SECOND);
  sframe_traits_add (&traits, SFRAME_TRAIT_NO_ROWS, FIRST);
  assert_int_equal (traits.present, HAS (NO_ROWS));
  assert_int_equal (traits.first[SFRAME_TRAIT_NO_ROWS], SECOND);
}

/* The last byte of a section belongs to a row, and is asked for.  */
TEST (a_broken_section_has_no_traits)
{
  static const struct section usual = { .arch = &arch_amd64, USUAL };
  struct sframe_decoder decoder = open_section (&usual);
  for (unsigned less = 1; less < 8; less++)
    {
      struct error err = { 0 };
      struct sframe_traits traits = { 0 };
      struct sframe_decoder shorter = decoder;
      shorter.fre_size -= less;
      assert_false (sframe_traits_find (&traits, &shorter, &err));
      assert_int_equal (err.status, CFI2SFRAME_MALFORMED);
    }
  close_section (&decoder);
}

/* A hundred kilobytes that claim 40 million rows: every function points to the
   same ones.  All of them were read.  */
TEST (rows_shared_too_often_are_refused)
{
  enum
  {
    N = 4000,
    N_ROWS = 10000
  };
  struct error err = { 0 };
  struct sframe_traits traits = { 0 };
  struct sframe_decoder decoder;
  struct buffer section;
  const struct encode_options options
      = { .arch = &arch_amd64, .variant = variants[V3], .sorted = true };
  struct sframe_encoder *encoder = sframe_encoder_new (&options);
  static struct sframe_row rows[N_ROWS];
  struct sframe_fde function
      = { .size = N_ROWS, .n_rows = N_ROWS, .rows = rows };
  for (uint32_t i = 0; i < N_ROWS; i++)
    rows[i].start = i;
  assert_true (sframe_encoder_add (encoder, &function, &err));
  for (uint64_t i = 1; i < N; i++)
    assert_true (sframe_encoder_repeat (encoder, 0, i * N_ROWS, N_ROWS, &err));
  buffer_init (&section, false);
  assert_true (sframe_encoder_write (encoder, 0, &section, &err));
  assert_true (
      sframe_decoder_open (&decoder, section.bytes, section.size, 0, &err));
  assert_false (sframe_traits_find (&traits, &decoder, &err));
  assert_int_equal (err.status, CFI2SFRAME_MALFORMED);
  buffer_free (&section);
  sframe_encoder_free (encoder);
}

TEST (memory_can_run_out)
{
  static const struct section shared
      = { .arch = &arch_s390x, USUAL, .share = true };
  struct error err = { 0 };
  struct sframe_traits traits = { 0 };
  struct sframe_decoder decoder = open_section (&shared);
  allocations_granted = 0;
  assert_false (sframe_traits_find (&traits, &decoder, &err));
  allocations_granted = UINT_MAX;
  assert_int_equal (err.status, CFI2SFRAME_NO_MEMORY);
  close_section (&decoder);
}

/* The rule of READER about TRAIT.  */
static const struct sframe_reader_rule *
rule_of (enum sframe_reader reader, enum sframe_trait trait)
{
  size_t n;
  const struct sframe_reader_rule *rules = sframe_reader_rules (&n);
  for (size_t i = 0; i < n; i++)
    if (rules[i].reader == reader && rules[i].trait == trait)
      return &rules[i];
  fail_msg ("no rule of %s", sframe_reader_name (reader));
  return NULL;
}

#define RULE(reader, trait) \
  rule_of (SFRAME_READER_##reader, SFRAME_TRAIT_##trait)

TEST (only_harm_is_forbidden)
{
  assert_true (sframe_rule_forbids (RULE (LINUX, VERSION_2)));
  assert_true (sframe_rule_forbids (RULE (GLIBC, GAP)));
  assert_false (sframe_rule_forbids (RULE (GLIBC, UNSORTED)));
  assert_false (sframe_rule_forbids (RULE (GLIBC, CODE_LEFT_OUT)));
}

TEST (a_rule_is_a_sentence)
{
  struct sframe_traits traits = { 0 };
  const struct sframe_reader_rule *rule = RULE (GLIBC, NO_WORDS);
  char text[100];
  sframe_rule_explain (rule, &traits, text, sizeof text);
  assert_string_equal (text, "glibc finds no rule in rows without data words");
  sframe_traits_add (&traits, SFRAME_TRAIT_NO_WORDS, SECOND);
  sframe_rule_explain (rule, &traits, text, sizeof text);
  assert_string_equal (text, "glibc finds no rule in rows without data words, "
                             "first at 0x401100");
  sframe_rule_explain (RULE (LINUX, VERSION_1), &traits, text, sizeof text);
  assert_string_equal (text, "linux refuses version 1");
  sframe_rule_explain (RULE (LIBSFRAME, GAP), &traits, text, sizeof text);
  assert_string_equal (text,
                       "libsframe misreads a gap in front of the functions");
  sframe_rule_explain (RULE (GLIBC, CODE_LEFT_OUT), &traits, text,
                       sizeof text);
  assert_string_equal (text, "glibc takes code without rows, for the end of "
                             "the stack if FP is 0");
}

TEST (a_sentence_is_cut_where_room_ends)
{
  static const char whole[]
      = "glibc finds no rule in rows without data words, "
        "first at 0x401100";
  struct sframe_traits traits = { 0 };
  sframe_traits_add (&traits, SFRAME_TRAIT_NO_WORDS, SECOND);
  for (size_t size = 1; size <= sizeof whole; size++)
    {
      char *text = malloc (size);
      assert_non_null (text);
      sframe_rule_explain (RULE (GLIBC, NO_WORDS), &traits, text, size);
      assert_int_equal (strlen (text), size - 1);
      assert_memory_equal (text, whole, size - 1);
      free (text);
    }
}
