/* The sections of a file that are procedure linkage tables, by name.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "elf/plt_sections.h"

/* GNU ld has the first three, and had .plt.bnd (releases 2.26 to 2.28); lld
   has .iplt, for functions that are chosen at run time.  */
static const char *const names[PLT_SECTIONS_MAX]
    = { ".plt", ".plt.sec", ".plt.got", ".plt.bnd", ".iplt" };

void
plt_sections_find (struct plt_sections *plt, const struct image *image)
{
  plt->n = 0;
  for (size_t i = 0; i < PLT_SECTIONS_MAX; i++)
    {
      const struct image_section *section
          = image_find_section (image, names[i]);
      if (section != NULL)
        plt->list[plt->n++] = section;
    }
}

const struct image_section *
plt_sections_at (const struct plt_sections *plt, uint64_t address)
{
  for (size_t i = 0; i < plt->n; i++)
    if (address - plt->list[i]->header.sh_addr < plt->list[i]->header.sh_size)
      return plt->list[i];
  return NULL;
}
