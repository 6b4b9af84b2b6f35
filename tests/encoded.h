/* Sections for tests, as sframe/encode.c writes them.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TESTS_ENCODED_H
#define TESTS_ENCODED_H

#include "sframe/decode.h"
#include "sframe/encode.h"
#include "tests/unit_test.h"

static const struct sframe_variant v1 = { 1, false };
static const struct sframe_variant v2_0 = { 2, false };
static const struct sframe_variant v2 = { 2, true };
static const struct sframe_variant v3 = { 3, true };

/* The section of N functions at ADDRESS.  */
static inline struct buffer
section_of (struct encode_options options, const struct sframe_fde *functions,
            size_t n, uint64_t address)
{
  struct error err = { 0 };
  struct buffer section;
  struct sframe_encoder *encoder = sframe_encoder_new (&options);
  assert_non_null (encoder);
  for (size_t i = 0; i < n; i++)
    if (!sframe_encoder_add (encoder, &functions[i], &err))
      fail_msg ("%s", err.reason);
  assert_int_equal (sframe_encoder_n_functions (encoder), n);
  buffer_init (&section, options.arch->big_endian);
  assert_true (sframe_encoder_write (encoder, address, &section, &err));
  assert_int_equal (section.size, sframe_encoder_size (encoder));
  sframe_encoder_free (encoder);
  return section;
}

/* What reads SECTION, which is at ADDRESS.  */
static inline struct sframe_decoder
decoder_on (const struct buffer *section, uint64_t address)
{
  struct error err = { 0 };
  struct sframe_decoder decoder;
  if (!sframe_decoder_open (&decoder, section->bytes, section->size, address,
                            &err))
    fail_msg ("%s", err.reason);
  return decoder;
}

#endif /* TESTS_ENCODED_H */
