/* Unit tests of src/sframe/dump.c: against expected text.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "config.h"

#include <stdio.h>
#include <string.h>

#include "sframe/dump.h"
#include "sframe/encode.h"
#include "tests/encoded.h"

/* The dump of a section, in memory from malloc, or NULL.  */
static char *
dump_of (const void *bytes, size_t size, uint64_t address, struct error *err)
{
  char *text = NULL;
  size_t text_size = 0;
  struct sframe_decoder decoder;
  if (!sframe_decoder_open (&decoder, bytes, size, address, err))
    return NULL;
  FILE *out = open_memstream (&text, &text_size);
  assert_non_null (out);
  bool done = sframe_dump (&decoder, out, err);
  fclose (out);
  if (done)
    return text;
  free (text);
  return NULL;
}

static void
check (struct encode_options options, const struct sframe_fde *functions,
       size_t n, const char *expected)
{
  struct error err = { 0 };
  struct buffer section = section_of (options, functions, n, 0x402000);
  char *text = dump_of (section.bytes, section.size, 0x402000, &err);
  assert_non_null (text);
  assert_string_equal (text, expected);
  free (text);
  buffer_free (&section);
}

#define HEADINGS "STARTPC         CFA       FP        RA           \n"

TEST (amd64_v3)
{
  struct sframe_row plain[] = {
    { .base_sp = true, .n_words = 1, .words = { 8 } },
    { .start = 4, .n_words = 2, .words = { 16, -16 } },
    { .start = 8 },
  };
  struct sframe_row plt[] = {
    { .base_sp = true, .n_words = 1, .words = { 8 } },
    { .start = 11, .base_sp = true, .n_words = 1, .words = { 16 } },
  };
  struct sframe_row flexible[] = {
    { .n_words = 2, .control = 1, .words = { 57, 8 } },
    { .start = 5, .n_words = 5, .control = 13, .words = { 81, 0, 0, 51, 0 } },
    { .start = 9,
      .n_words = 6,
      .control = 21,
      .words = { 51, -8, 2, -24, 97, 0 } },
    { .start = 12, .n_words = 4, .control = 5, .words = { 57, 8, 97, 0 } },
  };
  const struct sframe_fde functions[] = {
    { .address = 0x401000, .size = 16, .n_rows = 3, .rows = plain },
    { .address = 0x401020,
      .size = 160,
      .repeat = 16,
      .n_rows = 2,
      .rows = plt },
    { .address = 0x402000,
      .size = 32,
      .flexible = true,
      .signal = true,
      .n_rows = 4,
      .rows = flexible },
  };
  check ((struct encode_options){ .arch = &arch_amd64,
                                  .variant = { 3, true },
                                  .sorted = true,
                                  .share = true },
         functions, 3,
         "Contents of the SFrame section .sframe:\n"
         "  Header :\n\n"
         "    Version: SFRAME_VERSION_3\n"
         "    Flags: SFRAME_F_FDE_SORTED,\n"
         "           SFRAME_F_FDE_FUNC_START_PCREL\n"
         "    CFA fixed RA offset: -8\n"
         "    Num FDEs: 3\n"
         "    Num FREs: 9\n\n"
         "  Function Index :\n\n"
         "    func idx [0]: pc = 0x401000, size = 16 bytes\n"
         "    " HEADINGS
         "    0000000000401000  sp+8      u         f            \n"
         "    0000000000401004  fp+16     c-16      f            \n"
         "    0000000000401008  RA undefined\n\n"
         "    func idx [1]: pc = 0x401020, size = 160 bytes\n"
         "    STARTPC[m]      CFA       FP        RA           \n"
         "    0000000000000000  sp+8      u         f            \n"
         "    000000000000000b  sp+16     u         f            \n\n"
         "    func idx [2]: pc = 0x402000, size = 32 bytes, attr = \"SF\"\n"
         "    " HEADINGS
         "    0000000000402000  sp+8      u         f            \n"
         "    0000000000402005  r10+0     (fp+0)    U            \n"
         "    0000000000402009  (fp-8)    r12+0     c-24         \n"
         "    000000000040200c  sp+8      u         r12+0        \n");
}

TEST (aarch64_v2)
{
  struct sframe_row rows[] = {
    { .base_sp = true, .n_words = 1, .words = { 0 } },
    { .start = 4, .base_sp = true, .ra_signed = true, .n_words = 1 },
    { .start = 8,
      .base_sp = true,
      .ra_signed = true,
      .n_words = 3,
      .words = { 32, -24, -32 } },
    { .start = 12, .base_sp = true, .n_words = 2, .words = { 16, -16 } },
  };
  const struct sframe_fde function = {
    .address = 0x1000, .size = 16, .b_key = true, .n_rows = 4, .rows = rows
  };
  check ((struct encode_options){ .arch = &arch_aarch64,
                                  .variant = { 2, false } },
         &function, 1,
         "Contents of the SFrame section .sframe:\n"
         "  Header :\n\n"
         "    Version: SFRAME_VERSION_2\n"
         "    Flags: NONE\n"
         "    Num FDEs: 1\n"
         "    Num FREs: 4\n\n"
         "  Function Index :\n\n"
         "    func idx [0]: pc = 0x1000, size = 16 bytes, pauth = B key\n"
         "    " HEADINGS
         "    0000000000001000  sp+0      u         u            \n"
         "    0000000000001004  sp+0      u         u[s]         \n"
         "    0000000000001008  sp+32     c-32      c-24[s]      \n"
         "    000000000000100c  sp+16     u         c-16         \n");
}

TEST (s390x_v2)
{
  struct sframe_row rows[] = {
    { .base_sp = true, .n_words = 1, .words = { 0 } },
    { .start = 2, .base_sp = true, .n_words = 3, .words = { 20, 0, -72 } },
    { .start = 4, .n_words = 3, .words = { 20, 33, 35 } },
  };
  const struct sframe_fde function
      = { .address = 0x1000, .size = 16, .n_rows = 3, .rows = rows };
  check ((struct encode_options){ .arch = &arch_s390x,
                                  .variant = { 2, true },
                                  .sorted = true },
         &function, 1,
         "Contents of the SFrame section .sframe:\n"
         "  Header :\n\n"
         "    Version: SFRAME_VERSION_2\n"
         "    Flags: SFRAME_F_FDE_SORTED,\n"
         "           SFRAME_F_FDE_FUNC_START_PCREL\n"
         "    Num FDEs: 1\n"
         "    Num FREs: 3\n\n"
         "  Function Index :\n\n"
         "    func idx [0]: pc = 0x1000, size = 16 bytes\n"
         "    " HEADINGS
         "    0000000000001000  sp+160    u         u            \n"
         "    0000000000001002  sp+320    c-72      U            \n"
         "    0000000000001004  fp+320    r17       r16          \n");
}

/* The widest numbers fit their cells.  */
TEST (extreme_numbers)
{
  struct sframe_row rows[] = {
    { .n_words = 6,
      .control = 21,
      .ra_signed = true,
      .words = { -1, INT32_MIN, -1, INT32_MIN, -1, INT32_MIN } },
  };
  const struct sframe_fde function
      = { .size = UINT32_MAX, .flexible = true, .n_rows = 1, .rows = rows };
  struct encode_options options
      = { .arch = &arch_s390x, .variant = { 3, true }, .sorted = true };
  struct error err = { 0 };
  struct buffer section = section_of (options, &function, 1, 0);
  char *text = dump_of (section.bytes, section.size, 0, &err);
  assert_non_null (text);
  assert_non_null (strstr (text, "  (r536870911-17179869024)"
                                 "(r536870911-2147483648)"
                                 "(r536870911-2147483648)[s]\n"));
  free (text);
  buffer_free (&section);
}

/* A few kilobytes that claim billions of rows: every function points to the
   same ones.  */
TEST (rows_shared_too_often_are_refused)
{
  enum
  {
    N = 4000
  };
  struct error err = { 0 };
  struct encode_options options = {
    .arch = &arch_amd64, .variant = { 3, true }, .sorted = true, .share = true
  };
  struct sframe_encoder *encoder = sframe_encoder_new (&options);
  struct sframe_row *rows = calloc (10000, sizeof *rows);
  for (uint32_t i = 0; i < 10000; i++)
    rows[i].start = i;
  for (uint32_t i = 0; i < N; i++)
    {
      struct sframe_fde function = {
        .address = 10000 * i, .size = 10000, .n_rows = 10000, .rows = rows
      };
      assert_true (i == 0
                       ? sframe_encoder_add (encoder, &function, &err)
                       : sframe_encoder_repeat (encoder, 0, function.address,
                                                function.size, &err));
    }
  struct buffer section;
  buffer_init (&section, false);
  assert_true (sframe_encoder_write (encoder, 0, &section, &err));
  assert_null (dump_of (section.bytes, section.size, 0, &err));
  assert_int_equal (err.status, CFI2SFRAME_MALFORMED);
  buffer_free (&section);
  sframe_encoder_free (encoder);
  free (rows);
}
