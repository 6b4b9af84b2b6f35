/* The .sframe of an ELF image, by section or by program header.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The section header is asked first: GNU ld up to 2.47 writes program headers
   that are larger than the section.  */

#include "sframe/find_sframe.h"

bool
find_sframe (const struct image *image, struct sframe_decoder *decoder,
             struct error *err)
{
  const struct image_section *section = image_find_sframe (image);
  if (section != NULL && section->header.sh_size > 0)
    {
      const uint8_t *bytes = image_section_bytes (image, section);
      if (bytes == NULL)
        return error_set_word (err, CFI2SFRAME_NOTHING, WORD_NO_SFRAME,
                               ".sframe has no contents");
      return sframe_decoder_open (decoder, bytes, section->header.sh_size,
                                  section->header.sh_addr, err);
    }
  const GElf_Phdr *segment = image_sframe_segment (image);
  if (segment != NULL)
    return sframe_decoder_open (decoder, image->bytes + segment->p_offset,
                                segment->p_filesz, segment->p_vaddr, err);
  return error_set_word (err, CFI2SFRAME_NOTHING, WORD_NO_SFRAME,
                         "no .sframe");
}
