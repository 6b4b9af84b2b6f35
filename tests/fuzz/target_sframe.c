/* The readers of SFrame sections: the one that reads everything, and the one
   of walks, which has to agree with it.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Input: a section.  */

#include <config.h>

#include "fuzz.h"

#include "tests/walk/same_rules.h"

enum
{
  ADDRESS = 0x500000,
  LOOKED_AT = 200 /* functions */
};

static void
check_lookups (const uint8_t *bytes, size_t size,
               const struct sframe_decoder *decoder)
{
  for (uint32_t i = 0; i < decoder->n_functions && i < LOOKED_AT; i++)
    {
      uint64_t start = sframe_decoder_start (decoder, i);
      uint64_t end = start + sframe_decoder_size (decoder, i);
      FUZZ_CHECK (same_rules (bytes, size, ADDRESS, start));
      FUZZ_CHECK (same_rules (bytes, size, ADDRESS, start + i % 64));
      FUZZ_CHECK (same_rules (bytes, size, ADDRESS, end - 1));
      FUZZ_CHECK (same_rules (bytes, size, ADDRESS, end));
    }
}

void
fuzz_sframe (const uint8_t *bytes, size_t size)
{
  struct sframe_decoder decoder;
  struct error err = { 0 };
  FUZZ_CHECK (same_rules (bytes, size, ADDRESS, ADDRESS));
  if (!sframe_decoder_open (&decoder, bytes, size, ADDRESS, &err))
    return;
  fuzz_read_section (&decoder, false);
  check_lookups (bytes, size, &decoder);
}
