/* The reader of SFrame sections.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Input: a section.  */

#include <config.h>

#include "fuzz.h"

void
fuzz_sframe (const uint8_t *bytes, size_t size)
{
  struct sframe_decoder decoder;
  struct error err = { 0 };
  if (sframe_decoder_open (&decoder, bytes, size, 0x500000, &err))
    fuzz_read_section (&decoder, false);
}
