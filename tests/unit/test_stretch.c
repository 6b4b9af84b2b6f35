/* Stretches: functions built in two pieces are the same as at once.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "convert/stretch.h"
#include "sframe/decode.h"
#include "sframe/verify.h"
#include "tests/unit/cfi_builder.h"

#define CODE UINT64_C (0x123400010000)

enum
{
  FDES = 6000,
  STUBS = 40
};

/* FDEs and stubs in an image of one executable segment.  */
struct fixture
{
  struct image image;
  GElf_Phdr segment;
  struct cfi_section cfi;
  struct plt_list plt;
  struct frame_function stubs[STUBS];
  struct frame_row rows[2];
  struct buffer bytes;
  uint32_t random;
};

/* xorshift32 (Marsaglia, 2003).  */
static uint32_t
random_below (struct fixture *f, uint32_t limit)
{
  f->random ^= f->random << 13;
  f->random ^= f->random >> 17;
  f->random ^= f->random << 5;
  return f->random % limit;
}

/* One of some hundred programs, of which some cannot be expressed.  */
static void
put_random_fde (struct fixture *f, size_t cie, uint64_t address, uint32_t size)
{
  char program[] = { (char)(0x41 + random_below (f, 8)),
                     0x0e,
                     (char)(8 * (1 + random_below (f, 12))),
                     (char)(0x41 + random_below (f, 3)),
                     0x0d,
                     (char)(random_below (f, 20) == 0 ? 3 : 6) };
  put_fde (&f->bytes, cie, address, size, program, sizeof program);
}

static void
add_stubs (struct fixture *f, uint64_t address)
{
  f->rows[0] = (struct frame_row){ .cfa = { RULE_REG, 0, arch_amd64.sp, 8 },
                                   .ra = { RULE_DEREF_CFA, 0, 0, -8 },
                                   .fp = { .kind = RULE_SAME } };
  f->rows[1] = f->rows[0];
  f->rows[1].start = 5;
  f->rows[1].cfa.offset = 16;
  for (size_t i = 0; i < STUBS; i++)
    f->stubs[i] = (struct frame_function){ .address = address + 16 * i,
                                           .size = 16,
                                           .from_plt = true,
                                           .rows = f->rows,
                                           .n_rows = 2 };
  f->plt = (struct plt_list){ f->stubs, STUBS };
}

static void
use_code_segment (struct fixture *f)
{
  f->segment = (GElf_Phdr){ .p_type = PT_LOAD,
                            .p_flags = PF_R | PF_X,
                            .p_vaddr = CODE,
                            .p_memsz = 0x1000000,
                            .p_filesz = 0x1000000 };
  f->image = (struct image){ .arch = &arch_amd64,
                             .size = 0x2000000,
                             .segments = &f->segment,
                             .n_segments = 1 };
}

/* N_FDES functions; one in OVERLAP_EVERY reaches into what follows.  Stubs are
   in the middle, behind which addresses start again: the order in the section
   is not that of the addresses.  */
static void
begin (struct fixture *f, uint32_t seed, size_t n_fdes, uint32_t overlap_every)
{
  struct error err = { 0 };
  *f = (struct fixture){ .random = seed };
  buffer_init (&f->bytes, false);
  size_t cies[] = { put_amd64_cie (&f->bytes),
                    put_cie (&f->bytes, 1, "zRS", "\x1b", 1, 1, 0x78, 16,
                             "\x0c\x07\x08\x90\x01", 5) };
  uint64_t address = CODE + 0x100000;
  for (size_t i = 0; i < n_fdes; i++)
    {
      uint32_t size = 1 + random_below (f, 64);
      uint64_t next = address + size + random_below (f, 2) * 8;
      if (random_below (f, overlap_every) == 0)
        size += random_below (f, 200);
      put_random_fde (f, cies[random_below (f, 50) == 0], address, size);
      address = next;
      if (i == n_fdes / 2)
        {
          add_stubs (f, address + 8);
          address = CODE;
        }
    }
  use_code_segment (f);
  assert_true (cfi_section_read (&f->cfi, &arch_amd64, f->bytes.bytes,
                                 f->bytes.size, SECTION_ADDRESS, &err));
  assert_int_equal (f->cfi.n_fdes, n_fdes);
}

static void
end (struct fixture *f)
{
  cfi_section_free (&f->cfi);
  buffer_free (&f->bytes);
}

static struct stretch_source
source_of (const struct fixture *f)
{
  return (struct stretch_source){ &f->image, &f->cfi, &f->plt };
}

static struct sframe_encoder *
build (const struct fixture *f, const struct stretch_range *range,
       uint8_t version, bool share, struct cfi2sframe_report *report)
{
  const struct stretch_source source = source_of (f);
  const struct encode_options encode = { .arch = &arch_amd64,
                                         .variant = { version, version > 1 },
                                         .sorted = true,
                                         .share = share };
  struct cfi2sframe_options options;
  struct error err = { 0 };
  cfi2sframe_options_init (&options);
  struct sframe_encoder *encoder = sframe_encoder_new (&encode);
  assert_non_null (encoder);
  struct stretch *stretch
      = stretch_new (&source, range, &options, &encode, encoder, report, &err);
  assert_non_null (stretch);
  assert_true (stretch_build (stretch, &err));
  stretch_free (stretch);
  return encoder;
}

static void
write_and_free (struct sframe_encoder *encoder, struct buffer *out)
{
  struct error err = { 0 };
  buffer_init (out, false);
  sframe_encoder_finish (encoder);
  assert_true (sframe_encoder_write (encoder, CODE, out, &err));
  sframe_encoder_free (encoder);
}

static void
compare_with_two (const struct fixture *f, uint8_t version)
{
  const struct stretch_source source = source_of (f);
  const struct stretch_range all = { 0, f->cfi.n_fdes, 0, f->plt.n_functions };
  struct stretch_range ranges[2];
  struct cfi2sframe_report once = { 0 }, twice = { 0 };
  struct buffer expected, made;
  struct error err = { 0 };
  assert_true (stretch_cut (&source, &ranges[0], &ranges[1]));
  assert_int_equal (ranges[0].end_fde, ranges[1].first_fde);
  assert_int_equal (ranges[0].end_stub, ranges[1].first_stub);
  assert_true (ranges[0].end_fde >= f->cfi.n_fdes / 2);
  write_and_free (build (f, &all, version, true, &once), &expected);
  struct sframe_encoder *first = build (f, &ranges[0], version, true, &twice);
  struct sframe_encoder *second
      = build (f, &ranges[1], version, false, &twice);
  assert_true (sframe_encoder_append (first, second, &err));
  sframe_encoder_free (second);
  write_and_free (first, &made);
  assert_int_equal (made.size, expected.size);
  assert_memory_equal (made.bytes, expected.bytes, made.size);
  assert_memory_equal (&once, &twice, sizeof once);
  assert_true (once.functions_covered > 0 && once.left_out[REASON_OVERLAP] > 0
               && (version == 3 || once.left_out[REASON_CFA_REGISTER] > 0));
  buffer_free (&expected);
  buffer_free (&made);
}

static void
two_are_the_same_as_one (void **state)
{
  (void)state;
  for (uint32_t seed = 1; seed <= 10; seed++)
    {
      struct fixture f;
      begin (&f, seed, FDES, 2 + seed * 3);
      for (uint8_t version = 1; version <= 3; version++)
        compare_with_two (&f, version);
      end (&f);
    }
}

static void
no_cut_through_a_function (void **state)
{
  (void)state;
  struct fixture f;
  struct stretch_range ranges[2];
  begin (&f, 1, FDES, 1000);
  struct stretch_source source = source_of (&f);
  assert_true (stretch_cut (&source, &ranges[0], &ranges[1]));
  size_t cut = ranges[1].first_fde;
  /* A function that ends where the next one begins is no obstacle.  */
  f.cfi.fdes[7].size = f.cfi.fdes[cut].address - f.cfi.fdes[7].address;
  assert_true (stretch_cut (&source, &ranges[0], &ranges[1]));
  assert_int_equal (ranges[1].first_fde, cut);
  f.cfi.fdes[7].size++;
  assert_true (stretch_cut (&source, &ranges[0], &ranges[1]));
  assert_true (ranges[1].first_fde > cut);
  f.cfi.fdes[7].size = 0x1000000;
  assert_false (stretch_cut (&source, &ranges[0], &ranges[1]));
  f.cfi.fdes[7].size = UINT64_MAX;
  assert_false (stretch_cut (&source, &ranges[0], &ranges[1]));
  end (&f);
}

static void
no_cut_through_a_stub (void **state)
{
  (void)state;
  struct fixture f;
  struct stretch_range ranges[2];
  begin (&f, 1, FDES, 1000);
  struct stretch_source source = source_of (&f);
  assert_true (stretch_cut (&source, &ranges[0], &ranges[1]));
  f.stubs[0].address = f.cfi.fdes[ranges[1].first_fde].address - 8;
  assert_false (stretch_cut (&source, &ranges[0], &ranges[1]));
  end (&f);
}

static void
too_little_to_cut (void **state)
{
  (void)state;
  struct fixture f;
  struct stretch_range ranges[2];
  begin (&f, 1, 1000, 1000);
  struct stretch_source source = source_of (&f);
  assert_false (stretch_cut (&source, &ranges[0], &ranges[1]));
  end (&f);
}

/* The same PLT expression, which counts from address 0, at two addresses that
   are not alike modulo 16: the second must not get the first one's rows.  */
static void
plt_expressions_are_not_repeated (void **state)
{
  static const char program[]
      = "\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22";
  (void)state;
  struct fixture f = { .random = 1 };
  struct error err = { 0 };
  struct sframe_decoder decoder;
  struct verify_result result;
  struct cfi2sframe_report report = { 0 };
  struct buffer section;
  buffer_init (&f.bytes, false);
  size_t cie = put_amd64_cie (&f.bytes);
  put_fde (&f.bytes, cie, CODE, 40, program, sizeof program - 1);
  put_fde (&f.bytes, cie, CODE + 0x104, 40, program, sizeof program - 1);
  assert_true (cfi_section_read (&f.cfi, &arch_amd64, f.bytes.bytes,
                                 f.bytes.size, SECTION_ADDRESS, &err));
  use_code_segment (&f);
  const struct stretch_range all = { 0, 2, 0, 0 };
  write_and_free (build (&f, &all, 3, true, &report), &section);
  assert_true (
      sframe_decoder_open (&decoder, section.bytes, section.size, CODE, &err));
  struct verify_sources sources = { .cfi = &f.cfi };
  assert_true (sframe_verify (&decoder, &sources, &result, &err));
  assert_int_equal (result.bytes_wrong, 0);
  assert_int_equal (result.bytes_equal, 80);
  buffer_free (&section);
  end (&f);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (two_are_the_same_as_one),
    cmocka_unit_test (plt_expressions_are_not_repeated),
    cmocka_unit_test (no_cut_through_a_function),
    cmocka_unit_test (no_cut_through_a_stub),
    cmocka_unit_test (too_little_to_cut),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
