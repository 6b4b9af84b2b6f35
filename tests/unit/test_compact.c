/* Joining neighbours under one FDE.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sframe/compact.h"
#include "sframe/decode.h"

#define SECTION_ADDRESS 0x100000

/* Gaps of up to 15 bytes count as padding, except in front of this.  */
static uint64_t not_padding_before;

static bool
is_padding (const void *context, uint64_t address, uint64_t size)
{
  (void)context;
  return size < 16 && address + size != not_padding_before;
}

struct fixture
{
  struct encode_options options;
  struct compactor *compactor;
  struct sframe_encoder *encoder;
  struct buffer section;
  struct sframe_decoder decoder;
};

static void
begin_version (struct fixture *f, uint8_t version, bool share)
{
  *f = (struct fixture){ .options = { .arch = &arch_amd64,
                                      .variant = { version, version > 1 },
                                      .sorted = true,
                                      .share = share } };
  not_padding_before = 0;
  f->compactor
      = compactor_new (&f->options, (struct compact_gaps){ NULL, is_padding });
  f->encoder = sframe_encoder_new (&f->options);
  assert_non_null (f->compactor);
  assert_non_null (f->encoder);
}

static void
begin (struct fixture *f)
{
  begin_version (f, 3, true);
}

/* A function with N_ROWS rows SP+8, SP+16, ... one byte apart.  With CLOSED,
   the last row says SP+8 again.  */
static void
add (struct fixture *f, uint64_t address, uint32_t size, unsigned n_rows,
     bool closed)
{
  struct error err = { 0 };
  struct sframe_row rows[80] = { 0 };
  for (unsigned i = 0; i < n_rows; i++)
    rows[i] = (struct sframe_row){
      .start = i,
      .base_sp = true,
      .n_words = 1,
      .words = { closed && i + 1 == n_rows ? 8 : (int32_t)(8 + 8 * i) },
    };
  struct sframe_function function
      = { .address = address, .size = size, .n_rows = n_rows, .rows = rows };
  assert_true (compactor_add (f->compactor, &function, &err));
}

static void
finish (struct fixture *f)
{
  struct error err = { 0 };
  buffer_init (&f->section, false);
  assert_true (compactor_finish (f->compactor, f->encoder, &err));
  assert_true (
      sframe_encoder_write (f->encoder, SECTION_ADDRESS, &f->section, &err));
  assert_int_equal (f->section.size, sframe_encoder_size (f->encoder));
  assert_true (sframe_decoder_open (&f->decoder, f->section.bytes,
                                    f->section.size, SECTION_ADDRESS, &err));
}

static void
end (struct fixture *f)
{
  buffer_free (&f->section);
  compactor_free (f->compactor);
  sframe_encoder_free (f->encoder);
}

/* The decoder must find CFA = SP + OFFSET at PC, or nothing when OFFSET is
   0.  */
static void
expect_row (const struct fixture *f, uint64_t pc, int32_t offset)
{
  struct sframe_function function;
  struct sframe_row row;
  struct error err = { 0 };
  int found = sframe_decoder_lookup (&f->decoder, pc, &function, &row, &err);
  assert_int_equal (found, offset != 0);
  if (found)
    {
      assert_true (row.base_sp);
      assert_int_equal (row.words[0], offset);
    }
}

static void
test_neighbours_join (void **state)
{
  (void)state;
  struct fixture f;
  begin (&f);
  add (&f, 0x1000, 16, 3, true);
  add (&f, 0x1010, 10, 2, false);
  add (&f, 0x1020, 16, 2, false);
  finish (&f);
  assert_int_equal (f.decoder.n_functions, 1);
  /* The second function's first row continues the first one's last.  */
  assert_int_equal (f.decoder.n_rows, 3 + 1 + 2);
  expect_row (&f, 0xfff, 0);
  expect_row (&f, 0x1000, 8);
  expect_row (&f, 0x1001, 16);
  expect_row (&f, 0x100f, 8);
  expect_row (&f, 0x1010, 8);
  expect_row (&f, 0x1011, 16);
  expect_row (&f, 0x1020, 8);
  expect_row (&f, 0x102f, 16);
  expect_row (&f, 0x1030, 0);
  end (&f);
}

static void
test_leaves_become_one_row (void **state)
{
  (void)state;
  struct fixture f;
  begin (&f);
  for (unsigned i = 0; i < 20; i++)
    add (&f, 0x1000 + 16 * i, 12, 1, false);
  finish (&f);
  assert_int_equal (f.decoder.n_functions, 1);
  assert_int_equal (f.decoder.n_rows, 1);
  expect_row (&f, 0x1000 + 16 * 19, 8);
  end (&f);
}

static void
test_what_keeps_functions_apart (void **state)
{
  (void)state;
  struct fixture f;
  /* A gap that is not padding.  */
  begin (&f);
  add (&f, 0x1000, 16, 2, true);
  add (&f, 0x1020, 16, 2, true);
  finish (&f);
  assert_int_equal (f.decoder.n_functions, 2);
  expect_row (&f, 0x1018, 0);
  end (&f);
  /* The same with a short gap that holds something.  */
  begin (&f);
  not_padding_before = 0x1018;
  add (&f, 0x1000, 16, 2, true);
  add (&f, 0x1018, 16, 2, true);
  finish (&f);
  assert_int_equal (f.decoder.n_functions, 2);
  end (&f);
  /* Code that was left out.  */
  begin (&f);
  add (&f, 0x1000, 16, 2, true);
  compactor_separate (f.compactor);
  add (&f, 0x1010, 16, 2, true);
  add (&f, 0x1020, 16, 2, true);
  finish (&f);
  assert_int_equal (f.decoder.n_functions, 2);
  end (&f);
}

static void
test_flags_keep_functions_apart (void **state)
{
  (void)state;
  struct error err = { 0 };
  struct sframe_row row = { .base_sp = true, .n_words = 1, .words = { 8 } };
  struct sframe_function function
      = { .address = 0x1000, .size = 16, .n_rows = 1, .rows = &row };
  struct fixture f;
  begin (&f);
  assert_true (compactor_add (f.compactor, &function, &err));
  function.address += 16;
  function.signal = true;
  assert_true (compactor_add (f.compactor, &function, &err));
  function.address += 16;
  function.signal = false;
  function.b_key = true;
  assert_true (compactor_add (f.compactor, &function, &err));
  function.address += 16;
  function.pcmask = true;
  function.repeat = 16;
  function.b_key = false;
  assert_true (compactor_add (f.compactor, &function, &err));
  function.address += 16;
  function.pcmask = false;
  function.repeat = 0;
  assert_true (compactor_add (f.compactor, &function, &err));
  finish (&f);
  assert_int_equal (f.decoder.n_functions, 5);
  end (&f);
}

static void
test_at_most_48_rows (void **state)
{
  (void)state;
  struct fixture f;
  begin_version (&f, 3, false);
  for (unsigned i = 0; i < 40; i++)
    add (&f, 0x1000 + 16 * i, 16, 5 + i % 3, false);
  add (&f, 0x1000 + 16 * 40, 100, 60, false);
  add (&f, 0x1064 + 16 * 40, 16, 3, false);
  finish (&f);
  uint32_t n_alone = 0;
  for (uint32_t i = 0; i < f.decoder.n_functions; i++)
    {
      struct sframe_function function;
      struct error err = { 0 };
      assert_true (sframe_decoder_function (&f.decoder, i, &function, &err));
      if (function.n_rows > 48)
        {
          assert_int_equal (function.n_rows, 60);
          n_alone++;
        }
    }
  assert_int_equal (n_alone, 1);
  assert_true (f.decoder.n_functions < 12);
  end (&f);
}

/* Blocks that many functions share are cheaper alone than joined.  */
static void
test_sharing_is_weighed (void **state)
{
  (void)state;
  struct fixture f;
  begin (&f);
  for (unsigned i = 0; i < 300; i++)
    add (&f, 0x1000 + 64 * i, 64, 40, false);
  finish (&f);
  assert_int_equal (f.decoder.n_functions, 300);
  assert_true (f.section.size < 300 * 16 + 300);
  end (&f);
}

/* Whatever is chosen, it is never larger than sharing alone.  */
static void
test_never_larger (void **state)
{
  (void)state;
  for (uint8_t version = 1; version <= 3; version++)
    for (unsigned seed = 1; seed < 40; seed++)
      {
        struct fixture f;
        struct error err = { 0 };
        unsigned random = seed;
        begin_version (&f, version, true);
        struct sframe_encoder *plain = sframe_encoder_new (&f.options);
        uint64_t address = 0x1000;
        for (unsigned i = 0; i < 60; i++)
          {
            struct sframe_row rows[12] = { 0 };
            random = random * 1103515245 + 12345;
            unsigned n = 1 + (random >> 16) % 12;
            for (unsigned r = 0; r < n; r++)
              rows[r]
                  = (struct sframe_row){ .start
                                         = r * ((random >> 20) % 90 + 1),
                                         .base_sp = true,
                                         .n_words = 1,
                                         .words = { (int32_t)(8 + 8 * r) } };
            struct sframe_function function = {
              .address = address, .size = 1200, .n_rows = n, .rows = rows
            };
            assert_true (compactor_add (f.compactor, &function, &err));
            assert_true (sframe_encoder_add (plain, &function, &err));
            address += 1200 + (random >> 18) % 20;
          }
        finish (&f);
        assert_true (f.section.size <= sframe_encoder_size (plain));
        sframe_encoder_free (plain);
        end (&f);
      }
}

/* Functions taken again by their number make the same section as those added
   anew, also where something separates them.  */
static void
test_repeated_functions (void **state)
{
  enum
  {
    KINDS = 5,
    ROUNDS = 60
  };
  (void)state;
  for (uint8_t version = 1; version <= 3; version++)
    {
      struct fixture anew, again;
      struct error err = { 0 };
      begin_version (&anew, version, true);
      begin_version (&again, version, true);
      for (unsigned i = 0; i < KINDS * ROUNDS; i++)
        {
          unsigned kind = i < KINDS ? i : i * 7 % KINDS;
          uint64_t address = 0x1000 + 64 * (uint64_t)i;
          uint32_t size = 50 + i % 14;
          add (&anew, address, size, 1 + kind, kind % 2 == 0);
          if (i < KINDS)
            add (&again, address, size, 1 + kind, kind % 2 == 0);
          else
            assert_true (
                compactor_repeat (again.compactor, kind, address, size, &err));
          assert_int_equal (compactor_n_functions (again.compactor), i + 1);
          if (i % 11 == 0)
            {
              compactor_separate (anew.compactor);
              compactor_separate (again.compactor);
            }
        }
      finish (&anew);
      finish (&again);
      assert_int_equal (again.section.size, anew.section.size);
      assert_memory_equal (again.section.bytes, anew.section.bytes,
                           anew.section.size);
      end (&anew);
      end (&again);
    }
}

/* Rows that are taken again count for the limit nevertheless.  */
static void
test_repeated_rows_are_limited (void **state)
{
  (void)state;
  struct fixture f;
  struct error err = { 0 };
  begin (&f);
  compactor_free (f.compactor);
  f.options.rows_max = 1000;
  f.compactor
      = compactor_new (&f.options, (struct compact_gaps){ NULL, is_padding });
  add (&f, 0x1000, 64, 20, false);
  unsigned n = 1;
  while (
      compactor_repeat (f.compactor, 0, 0x1000 + 64 * (uint64_t)n, 64, &err))
    n++;
  assert_int_equal (err.status, CFI2SFRAME_REFUSED);
  assert_true (n > 1 && n < 100);
  end (&f);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_neighbours_join),
    cmocka_unit_test (test_leaves_become_one_row),
    cmocka_unit_test (test_what_keeps_functions_apart),
    cmocka_unit_test (test_flags_keep_functions_apart),
    cmocka_unit_test (test_at_most_48_rows),
    cmocka_unit_test (test_sharing_is_weighed),
    cmocka_unit_test (test_never_larger),
    cmocka_unit_test (test_repeated_functions),
    cmocka_unit_test (test_repeated_rows_are_limited),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
