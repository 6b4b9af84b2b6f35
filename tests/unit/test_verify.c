/* Unit tests of src/sframe/verify.c: every difference between .eh_frame and
   .sframe is found, and none is invented.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <string.h>

#include "cfi/cfi_section.h"
#include "base/bytes.h"
#include "cfi/cfa_program.h"
#include "convert/fields.h"
#include "sframe/encode.h"
#include "tests/unit/lowering.h"
#include "sframe/verify.h"
#include "tests/unit/cfi_builder.h"
#include "tests/encoded.h"

enum
{
  EH_FRAME = 0x2000,
  SFRAME = 0x3000
};

/* An .eh_frame in the making.  */

static const uint8_t amd64_cie[] = {
  20,   0,   0,   0,                       /* length */
  0,    0,   0,   0,                       /* CIE */
  1,    'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, /* augmentation, pcrel sdata4 */
  0x0c, 7,   8,                            /* def_cfa rsp+8 */
  0x90, 1,                                 /* RA at CFA-8 */
  0,    0,
};

static void
add_fde (struct buffer *out, uint32_t address, uint32_t size,
         const void *instructions, size_t length)
{
  uint32_t entry = (uint32_t)out->size;
  size_t padding = 3 - length % 4; /* DW_CFA_nop */
  buffer_u32 (out, (uint32_t)(4 + 8 + 1 + length + padding));
  buffer_u32 (out, entry + 4); /* distance of the CIE */
  buffer_u32 (out, address - (EH_FRAME + entry + 8));
  buffer_u32 (out, size);
  buffer_u8 (out, 0); /* no augmentation data */
  buffer_append (out, instructions, length);
  buffer_fill (out, 0, padding);
}

struct sides
{
  const struct arch *arch; /* NULL: amd64 */
  struct buffer eh_frame;
  struct cfi_section cfi;
  struct frame_functions stubs;
  struct buffer sframe;
  struct sframe_variant variant;
};

static const struct arch *
arch_of (const struct sides *sides)
{
  return sides->arch != NULL ? sides->arch : &arch_amd64;
}

/* Read what was put into sides->eh_frame.  */
static void
read_cfi (struct sides *sides)
{
  struct error err = { 0 };
  buffer_u32 (&sides->eh_frame, 0);
  if (!eh_frame_read (&sides->cfi, arch_of (sides), sides->eh_frame.bytes,
                      sides->eh_frame.size, EH_FRAME, &err))
    fail_msg ("%s", err.reason);
  assert_int_equal (sides->cfi.n_damaged, 0);
}

static bool
encode_part (void *context, const struct sframe_fde *part, struct error *err)
{
  return sframe_encoder_add (context, part, err);
}

/* Convert the CFI to SFrame, without the FDEs from END on.  */
static void
convert (struct sides *sides, size_t end)
{
  struct error err = { 0 };
  struct encode_options encode
      = { .arch = &arch_amd64, .variant = sides->variant, .sorted = true };
  struct sframe_encoder *encoder = sframe_encoder_new (&encode);
  const struct full_sink sink = { encoder, encode_part, NULL };
  struct cfa_machine *machine = cfa_machine_new (&sides->cfi);
  struct frame_function function = { 0 };
  for (size_t i = 0; i < end && i < sides->cfi.n_fdes; i++)
    {
      enum frame_reason reason;
      assert_true (cfa_machine_run (machine, &sides->cfi.fdes[i], &function,
                                    &reason, &err));
      if (reason == REASON_NONE)
        assert_true (lower_in_full (&encode, &function, &sink, &err));
    }
  buffer_init (&sides->sframe, false);
  assert_true (sframe_encoder_write (encoder, SFRAME, &sides->sframe, &err));
  frame_function_free (&function);
  cfa_machine_free (machine);
  sframe_encoder_free (encoder);
}

static void
sides_init (struct sides *sides, unsigned version)
{
  *sides = (struct sides){ .variant = { (uint8_t)version, version > 1 } };
  buffer_init (&sides->eh_frame, false);
  buffer_append (&sides->eh_frame, amd64_cie, sizeof amd64_cie);
}

/* Three functions: with a frame pointer, a lazy PLT, one without a caller.  */
static void
sides_init_usual (struct sides *sides, unsigned version)
{
  static const uint8_t push[]
      = { 0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x47, 0x0c, 7, 8, 0xc6 };
  static const uint8_t plt[]
      = { 0x0e, 16, 0x46, 0x0e, 24,   0x4a, 0x0f, 11,   0x77, 8,
          0x80, 0,  0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22 };
  static const uint8_t start[] = { 0x07, 16 };
  sides_init (sides, version);
  add_fde (&sides->eh_frame, 0x1000, 16, push, sizeof push);
  add_fde (&sides->eh_frame, 0x1040, 176, plt, sizeof plt);
  add_fde (&sides->eh_frame, 0x1100, 34, start, sizeof start);
  read_cfi (sides);
}

static void
sides_free (struct sides *sides)
{
  cfi_section_free (&sides->cfi);
  buffer_free (&sides->eh_frame);
  buffer_free (&sides->sframe);
}

static void
begin (struct sides *sides)
{
  sides_init (sides, 3);
}

static void
begin_usual (struct sides *sides)
{
  sides_init_usual (sides, 3);
}

/* On V3, with CFI that is still to be made or that of three functions.  */
#define SIDES_TEST(name) \
  TEST_WITH (struct sides, sides, begin, sides_free, name)
#define USUAL_TEST(name) \
  TEST_WITH (struct sides, sides, begin_usual, sides_free, name)

static enum frame_reason
problem_of_size (const void *context, const struct cfi_fde *fde)
{
  (void)context;
  return fde->size == 0 || fde->size > UINT64_MAX - fde->address
             ? REASON_EMPTY_RANGE
             : REASON_NONE;
}

static bool
verify_status (struct sides *sides, struct cfi2sframe_check_result *result,
               struct error *err)
{
  struct sframe_decoder decoder;
  const struct cfi_source source = { .cfi = sides->cfi,
                                     .stubs = sides->stubs,
                                     .problem = problem_of_size };
  *result = (struct cfi2sframe_check_result){ 0 };
  return sframe_decoder_open (&decoder, sides->sframe.bytes,
                              sides->sframe.size, SFRAME, err)
         && sframe_verify (&decoder, &source, result, err);
}

static struct cfi2sframe_check_result
verify (struct sides *sides)
{
  struct error err = { 0 };
  struct cfi2sframe_check_result result;
  if (!verify_status (sides, &result, &err))
    fail_msg ("%s", err.reason);
  return result;
}

TEST (what_was_converted_is_equal)
{
  for (unsigned version = 1; version <= 3; version++)
    {
      struct sides sides;
      sides_init_usual (&sides, version);
      convert (&sides, SIZE_MAX);
      struct cfi2sframe_check_result result = verify (&sides);
      assert_int_equal (result.functions, 3);
      assert_int_equal (result.bytes_wrong, 0);
      assert_int_equal (result.bytes_extra, 0);
      /* Only V3 can say that there is no caller.  */
      assert_int_equal (result.bytes_equal, version == 3 ? 226 : 192);
      assert_int_equal (result.bytes_absent, version == 3 ? 0 : 34);
      assert_string_equal (result.difference, "");
      sides_free (&sides);
    }
}

/* Verify a section with one function that says CFA = SP + 8 throughout.  */
static struct cfi2sframe_check_result
verify_against (struct sides *sides, struct sframe_fde function)
{
  struct sframe_row row = { .base_sp = true, .n_words = 1, .words = { 8 } };
  const struct encode_options options
      = { .arch = arch_of (sides), .variant = sides->variant };
  if (function.rows == NULL)
    {
      function.rows = &row;
      function.n_rows = 1;
    }
  sides->sframe = section_of (options, &function, 1, SFRAME);
  struct cfi2sframe_check_result result = verify (sides);
  buffer_free (&sides->sframe);
  return result;
}

/* The same with a function at ADDRESS.  */
static struct cfi2sframe_check_result
verify_range (struct sides *sides, uint64_t address, uint32_t size)
{
  return verify_against (
      sides, (struct sframe_fde){ .address = address, .size = size });
}

USUAL_TEST (differences_are_counted_and_explained)
{
  struct cfi2sframe_check_result result = verify_range (sides, 0x1000, 16);
  assert_int_equal (result.bytes_equal, 1 + 5);
  assert_int_equal (result.bytes_wrong, 10);
  assert_int_equal (result.first_wrong, 0x1001);
  assert_string_equal (result.difference,
                       "0x1001: CFA is rsp+16 in .eh_frame, rsp+8 in .sframe");

  /* The PLT: entry 0, then sp+8 until the threshold of each entry.  */
  result = verify_range (sides, 0x1040, 176);
  assert_int_equal (result.bytes_equal, 10 * 11);
  assert_int_equal (result.bytes_wrong, 16 + 10 * 5);

  result = verify_range (sides, 0x1100, 34);
  assert_string_equal (
      result.difference,
      "0x1100: RA is undefined in .eh_frame, at CFA-8 in .sframe");
  assert_int_equal (result.bytes_wrong, 34);
}

USUAL_TEST (rows_for_other_code_are_extra)
{
  struct cfi2sframe_check_result result = verify_range (sides, 0xff0, 17);
  assert_int_equal (result.bytes_equal, 1);
  assert_int_equal (result.bytes_extra, 16);
  assert_int_equal (result.first_wrong, 0xff0);
  assert_string_equal (result.difference, "0xff0: row for code without CFI");
  result = verify_range (sides, 0x1122, 0x1000);
  assert_int_equal (result.bytes_extra, 0x1000);
  /* Up to the end of the address space.  */
  result = verify_range (sides, UINT64_MAX - 15, 64);
  assert_int_equal (result.bytes_extra, 15);
}

/* Stubs that were recognised by their instructions count as known code.  */
USUAL_TEST (known_stubs_are_not_extra)
{
  struct frame_row rows[] = {
    { .cfa = { RULE_REG, 0, 7, 8 },
      .ra = { RULE_DEREF_CFA, 0, 0, -8 },
      .fp = { RULE_SAME, 0, 0, 0 } },
    { .start = 11,
      .cfa = { RULE_REG, 0, 7, 16 },
      .ra = { RULE_DEREF_CFA, 0, 0, -8 },
      .fp = { RULE_SAME, 0, 0, 0 } },
  };
  struct frame_function stubs = { .address = 0x1200,
                                  .size = 0x100,
                                  .from_plt = true,
                                  .repeat = 16,
                                  .rows = rows,
                                  .n_rows = 2 };
  struct sframe_row sframe_rows[] = {
    { .base_sp = true, .n_words = 1, .words = { 8 } },
    { .start = 11, .base_sp = true, .n_words = 1, .words = { 16 } },
  };
  struct sframe_fde function = { .address = 0x1200,
                                 .size = 0x100,
                                 .repeat = 16,
                                 .n_rows = 2,
                                 .rows = sframe_rows };
  sides->stubs
      = (struct frame_functions){ .functions = &stubs, .n_functions = 1 };
  struct cfi2sframe_check_result result = verify_against (sides, function);
  assert_int_equal (result.bytes_equal, 0x100);
  assert_int_equal (result.bytes_wrong + result.bytes_extra, 0);
  /* The CFI's functions are absent, stubs never are.  */
  assert_int_equal (result.bytes_absent, 226);
  assert_int_equal (result.functions, 3);
  function.size = 0x80;
  result = verify_against (sides, function);
  assert_int_equal (result.bytes_equal, 0x80);
  assert_int_equal (result.bytes_absent, 226);
  sframe_rows[1].start = 9;
  result = verify_against (sides, function);
  assert_int_equal (result.bytes_wrong, 8 * 2);
  assert_int_equal (result.first_wrong, 0x1209);
  function.repeat = 32; /* only every second entry is described */
  sframe_rows[1].start = 11;
  result = verify_against (sides, function);
  assert_int_equal (result.bytes_wrong, 4 * 11);
}

/* CFI that no row can express must have none.  */
SIDES_TEST (rows_for_unusable_cfi_are_wrong)
{
  static const uint8_t sp_rule[] = { 0x14, 7, 1 }; /* SP = CFA - 8 */
  static const uint8_t unknown[] = { 0x3f };
  add_fde (&sides->eh_frame, 0x1000, 16, sp_rule, sizeof sp_rule);
  add_fde (&sides->eh_frame, 0x1010, 16, unknown, sizeof unknown);
  read_cfi (sides);
  struct cfi2sframe_check_result result = verify_range (sides, 0x1000, 32);
  assert_int_equal (result.bytes_wrong, 32);
  assert_int_equal (result.first_wrong, 0x1000);
  assert_string_equal (
      result.difference,
      "0x1000: CFA is sp-rule in .eh_frame, rsp+8 in .sframe");
}

SIDES_TEST (rows_where_fdes_contradict_each_other_are_wrong)
{
  static const uint8_t other[] = { 0x0e, 16 };
  add_fde (&sides->eh_frame, 0x1000, 32, NULL, 0);
  add_fde (&sides->eh_frame, 0x1010, 32, other, sizeof other);
  add_fde (&sides->eh_frame, 0x1010, 0, NULL, 0);
  read_cfi (sides);
  struct cfi2sframe_check_result result = verify_range (sides, 0x1000, 32);
  assert_int_equal (result.bytes_equal, 16);
  assert_int_equal (result.bytes_wrong, 16);
  assert_int_equal (result.bytes_absent, 16);
}

TEST (signal_frames_must_agree)
{
  static const uint8_t cie[] = {
    20,   0,   0,   0,    0, 0, 0,    0,           /* length, CIE */
    1,    'z', 'R', 'S',  0, 1, 0x78, 16, 1, 0x1b, /* signal frames */
    0x0c, 7,   8,   0x90, 1, 0, /* def_cfa sp+8, RA at cfa-8 */
  };
  /* V2 has no flag, so no row of it is right for a signal frame.  */
  for (unsigned version = 2; version <= 3; version++)
    for (int flag = 0; flag <= (version == 3); flag++)
      {
        struct sides sides
            = { .arch = &arch_amd64, .variant = { (uint8_t)version, true } };
        buffer_init (&sides.eh_frame, false);
        buffer_append (&sides.eh_frame, cie, sizeof cie);
        add_fde (&sides.eh_frame, 0x1000, 16, NULL, 0);
        read_cfi (&sides);
        struct cfi2sframe_check_result result = verify_against (
            &sides, (struct sframe_fde){
                        .address = 0x1000, .size = 16, .signal = flag == 1 });
        assert_int_equal (result.bytes_wrong, flag ? 0 : 16);
        assert_int_equal (result.bytes_equal, flag ? 16 : 0);
        sides_free (&sides);
      }
}

/* The key that a return address is signed with.  */
TEST (keys_must_agree)
{
  static const uint8_t cie[] = {
    20,   0,   0,   0,   0, 0, 0,    0,           /* length, CIE */
    1,    'z', 'R', 'B', 0, 4, 0x78, 30, 1, 0x1b, /* the B key */
    0x0c, 31,  8,   0,   0, 0,                    /* def_cfa sp+8 */
  };
  for (int key = 0; key <= 1; key++)
    {
      struct sides sides = { .arch = &arch_aarch64, .variant = { 3, true } };
      buffer_init (&sides.eh_frame, false);
      buffer_append (&sides.eh_frame, cie, sizeof cie);
      add_fde (&sides.eh_frame, 0x1000, 16, NULL, 0);
      read_cfi (&sides);
      struct cfi2sframe_check_result result = verify_against (
          &sides, (struct sframe_fde){
                      .address = 0x1000, .size = 16, .b_key = key == 1 });
      assert_int_equal (result.bytes_equal, 16 * key);
      assert_int_equal (result.bytes_wrong, 16 * (1 - key));
      assert_string_equal (result.difference,
                           key ? "" : "0x1000: RA signing keys differ");
      sides_free (&sides);
    }
}

/* x86-64 signs nothing.  */
SIDES_TEST (keys_are_of_aarch64_alone)
{
  add_fde (&sides->eh_frame, 0x1000, 16, NULL, 0);
  read_cfi (sides);
  struct cfi2sframe_check_result result = verify_against (
      sides,
      (struct sframe_fde){ .address = 0x1000, .size = 16, .b_key = true });
  assert_int_equal (result.bytes_equal, 16);
}

USUAL_TEST (a_section_for_another_machine_is_an_error)
{
  struct cfi2sframe_check_result result;
  struct error err = { 0 };
  convert (sides, SIZE_MAX);
  sides->cfi.arch = &arch_aarch64;
  assert_false (verify_status (sides, &result, &err));
  assert_int_equal (err.status, CFI2SFRAME_MALFORMED);
  sides->cfi.arch = &arch_amd64;
}

/* A function of V3's default type without rows has no caller (specification,
   section 1.2); of a signal frame without rows nothing is known.  */
USUAL_TEST (a_function_without_rows_is_an_outermost_frame)
{
  struct sframe_row row = { .n_words = 0 };
  struct sframe_fde function = { .address = 0x1100, .size = 34, .rows = &row };
  struct cfi2sframe_check_result result = verify_against (sides, function);
  assert_int_equal (result.bytes_equal, 34);
  function.address = 0x1000;
  function.size = 16;
  result = verify_against (sides, function);
  assert_int_equal (result.bytes_wrong, 16);
  assert_string_equal (
      result.difference,
      "0x1000: CFA is rsp+8 in .eh_frame, undefined in .sframe");
  function.signal = true;
  result = verify_against (sides, function);
  assert_int_equal (result.bytes_wrong, 0);
  assert_int_equal (result.bytes_absent, 226);
}

/* Of a PLT without a caller no block is looked at: there are too many.  */
SIDES_TEST (a_large_plt_without_a_caller_is_one_row)
{
  static const uint8_t plt[]
      = { 0x0f, 11,   0x77, 8,    0x80, 0,    0x3f, 0x1a,
          0x3b, 0x2a, 0x33, 0x24, 0x22, 0x07, 16 };
  struct sframe_row row = { .n_words = 0 };
  add_fde (&sides->eh_frame, 0x1000, 1 << 28, plt, sizeof plt);
  read_cfi (sides);
  struct cfi2sframe_check_result result = verify_against (
      sides,
      (struct sframe_fde){
          .address = 0x1000, .size = 1 << 28, .rows = &row, .n_rows = 1 });
  assert_int_equal (result.bytes_equal, 1 << 28);
}

/* The last entry's block ends where addresses start again from 0.  */
SIDES_TEST (a_plt_may_be_at_the_last_addresses)
{
  static const uint8_t plt[] = { 0x0f, 11,   0x77, 8,    0x80, 0,   0x3f,
                                 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22 };
  add_fde (&sides->eh_frame, (uint32_t)-16, 15, plt, sizeof plt);
  read_cfi (sides);
  struct cfi2sframe_check_result result
      = verify_range (sides, UINT64_MAX - 15, 15);
  assert_int_equal (result.bytes_equal, 11);
  assert_int_equal (result.bytes_wrong, 4);
}

/* Where the section may change without changing its meaning.  */
static bool
is_meaningless (const struct sides *sides, size_t at, unsigned bits)
{
  const uint8_t *bytes = sides->sframe.bytes;
  if (at == SFRAME_HEADER_FLAGS)
    return bits == SFRAME_FLAG_SORTED || bits == SFRAME_FLAG_FRAME_POINTER;
  size_t n = load_u32 (bytes + SFRAME_HEADER_N_FDES, false);
  if (at < SFRAME_HEADER_SIZE)
    return false;
  /* A last row with one word is the same with a wide one if a 0 follows.  */
  if (at >= SFRAME_HEADER_SIZE + 20 * n)
    return bits == 1 << SFRAME_FRE_WORD_SHIFT && bytes[at] == 0x03
           && at + 2 < sides->sframe.size && bytes[at + 2] == 0;
  size_t field = (at - SFRAME_HEADER_SIZE) % 20;
  if (field == 16) /* info: the key is for aarch64 */
    return bits == SFRAME_FDE_B_KEY;
  if (field == 17)
    return !(bytes[at - 1] & SFRAME_FDE_PCMASK);
  return field >= 18;
}

/* No bit of a section can change unnoticed.  */
TEST (every_damaged_bit_is_noticed)
{
  struct sides sides;
  sides_init_usual (&sides, 2);
  convert (&sides, 2);
  struct cfi2sframe_check_result result = verify (&sides);
  uint64_t equal = result.bytes_equal;
  assert_int_equal (equal, 192);
  for (size_t at = 0; at < sides.sframe.size; at++)
    for (unsigned bit = 1; bit < 0x100; bit <<= 1)
      {
        struct error err = { 0 };
        if (is_meaningless (&sides, at, bit))
          continue;
        sides.sframe.bytes[at] ^= (uint8_t)bit;
        if (verify_status (&sides, &result, &err) && result.bytes_wrong == 0
            && result.bytes_extra == 0 && result.bytes_equal == equal)
          {
            print_message ("# byte %zu bit 0x%x\n", at, bit);
            fail ();
          }
        sides.sframe.bytes[at] ^= (uint8_t)bit;
      }
  sides_free (&sides);
}

/* In all versions, and in both bytes of V3.  */
TEST (undefined_bits_are_an_error)
{
  for (unsigned version = 1; version <= 3; version++)
    for (unsigned bit = 0x20; bit <= 0x80; bit <<= 1)
      for (unsigned byte = 0; byte < (version < 3 ? 1 : 2); byte++)
        {
          struct error err = { 0 };
          struct cfi2sframe_check_result result;
          struct sides sides;
          sides_init_usual (&sides, version);
          convert (&sides, 1);
          bool defined
              = byte == 0 && (bit == 0x20 || (bit == 0x80 && version == 3));
          size_t info = version == 3
                            ? SFRAME_HEADER_SIZE + SFRAME_V3_INDEX_SIZE
                                  + SFRAME_V3_ATTRIBUTE_INFO
                            : SFRAME_HEADER_SIZE + SFRAME_V2_FDE_INFO;
          sides.sframe.bytes[info + byte] ^= (uint8_t)bit;
          assert_int_equal (verify_status (&sides, &result, &err), defined);
          if (!defined)
            assert_string_equal (
                err.reason,
                "SFrame: function 0 has bits that are not defined");
          sides_free (&sides);
        }
}

USUAL_TEST (unsorted_sections)
{
  struct error err = { 0 };
  struct cfi2sframe_check_result result;
  convert (sides, SIZE_MAX);
  /* Exchange the first two functions.  Starts are relative to themselves.  */
  uint8_t *index = sides->sframe.bytes + SFRAME_HEADER_SIZE, saved[16];
  memcpy (saved, index, 16);
  memmove (index, index + 16, 16);
  memcpy (index + 16, saved, 16);
  store_u64 (index, load_u64 (index, false) + 16, false);
  store_u64 (index + 16, load_u64 (index + 16, false) - 16, false);
  /* Readers would search for them in vain.  */
  assert_false (verify_status (sides, &result, &err));
  assert_int_equal (err.status, CFI2SFRAME_MALFORMED);
  sides->sframe.bytes[SFRAME_HEADER_FLAGS] &= (uint8_t)~SFRAME_FLAG_SORTED;
  result = verify (sides);
  assert_int_equal (result.bytes_equal, 226);
  assert_int_equal (result.bytes_wrong + result.bytes_extra, 0);
}

/* Of many files, and of the members of an archive.  */
TEST (sums_have_every_count)
{
  const struct cfi2sframe_check_result check = { .functions = 1,
                                                 .bytes_equal = 2,
                                                 .bytes_wrong = 3,
                                                 .bytes_absent = 4,
                                                 .bytes_extra = 5,
                                                 .bytes_from_code = 6,
                                                 .bytes_return_address = 7,
                                                 .executable_bytes = 8 };
  struct cfi2sframe_check_result sum = { 0 };
  check_sum_add (&sum, &check);
  check_sum_add (&sum, &check);
  assert_int_equal (sum.functions, 2);
  assert_int_equal (sum.bytes_equal, 4);
  assert_int_equal (sum.bytes_wrong, 6);
  assert_int_equal (sum.bytes_absent, 8);
  assert_int_equal (sum.bytes_extra, 10);
  assert_int_equal (sum.bytes_from_code, 12);
  assert_int_equal (sum.bytes_return_address, 14);
  assert_int_equal (sum.executable_bytes, 16);
}
