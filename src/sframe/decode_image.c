/* Opening a decoder on the .sframe section of an image.
   SPDX-License-Identifier: LGPL-2.1-or-later

   tests/clients links decode.c without libelf.  The one function that needs an
   image therefore has a file of its own.  */

#include "sframe/decode.h"

#include "elf/sframe_place.h"

bool
sframe_decoder_open_image (struct sframe_decoder *decoder,
                           const struct image *image, struct error *err)
{
  const struct sframe_place place = sframe_place_find (image);
  if (place.bytes == NULL)
    return error_set_word (err, CFI2SFRAME_NOTHING, WORD_NO_SFRAME, "%s",
                           place.size > 0 ? ".sframe has no contents"
                                          : "no .sframe");
  return sframe_decoder_open (decoder, place.bytes, place.size, place.address,
                              err);
}
