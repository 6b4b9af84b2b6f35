/* The executable sections of a file, in order.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "elf/code_sections.h"

#include <stdlib.h>

#include "base/radix.h"
#include "base/search.h"

bool
code_sections_read (struct code_sections *sections, const struct image *image,
                    struct error *err)
{
  *sections = (struct code_sections){ 0 };
  sections->ranges = calloc (image->n_sections + 1, sizeof *sections->ranges);
  if (sections->ranges == NULL)
    return error_set_no_memory (err);
  FOR_EACH_SECTION (section, image)
    {
      const GElf_Shdr *header = &section->header;
      uint64_t end;
      if (image_section_is_code (section)
          && !__builtin_add_overflow (header->sh_addr, header->sh_size, &end))
        sections->ranges[sections->n++]
            = (struct section_range){ header->sh_addr, end };
    }
  return RADIX_SORT (sections->ranges, sections->n)
         || error_set_no_memory (err);
}

void
code_sections_free (struct code_sections *sections)
{
  free (sections->ranges);
  *sections = (struct code_sections){ 0 };
}

bool
code_sections_hold (const struct code_sections *sections, uint64_t address,
                    uint64_t size)
{
  size_t behind
      = SEARCH_FIRST (sections->n, i, sections->ranges[i].start > address);
  if (behind == 0)
    return false;
  const struct section_range *range = &sections->ranges[behind - 1];
  return address <= range->end && size <= range->end - address;
}
