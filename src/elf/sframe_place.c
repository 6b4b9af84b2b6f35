/* Finding the .sframe of a file.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "elf/sframe_place.h"

#include <string.h>

bool
section_is_sframe (const struct image_section *section)
{
  return section->header.sh_type == SHT_GNU_SFRAME
         || (section->header.sh_type != SHT_NULL
             && strcmp (section->name, ".sframe") == 0);
}

/* Add SECTION of IMAGE, an .sframe, to PLACE.  */
static void
add_section (struct sframe_place *place, const struct image *image,
             const struct image_section *section)
{
  const GElf_Shdr *header = &section->header;
  const uint8_t *bytes
      = header->sh_size > 0 ? image_section_bytes (image, section) : NULL;
  if (place->n_sections++ > 0 && (place->bytes != NULL || bytes == NULL))
    return;
  place->section = (size_t)(section - image->sections);
  place->offset = header->sh_offset;
  place->address = header->sh_addr;
  place->size = header->sh_size;
  place->bytes = bytes;
}

struct sframe_place
sframe_place_find (const struct image *image)
{
  struct sframe_place place = { 0 };
  FOR_EACH_SECTION (section, image)
    if (section_is_sframe (section))
      add_section (&place, image, section);
  FOR_EACH_SEGMENT (segment, image)
    if (segment->p_type == PT_GNU_SFRAME && segment->p_filesz > 0
        && place.n_segments++ == 0)
      place.segment = segment;
  if (place.segment == NULL)
    return place;
  place.disagrees
      = place.n_sections > 0
        && (place.bytes == NULL || place.segment->p_offset != place.offset
            || place.segment->p_vaddr != place.address);
  if (place.bytes != NULL)
    return place;
  place.offset = place.segment->p_offset;
  place.address = place.segment->p_vaddr;
  place.size = place.segment->p_filesz;
  place.bytes = image->bytes + place.offset;
  return place;
}
