/* PT_PHDR, where it repeats what another header says.
   SPDX-License-Identifier: LGPL-2.1-or-later

   doc/formats/injection has who reads PT_PHDR.  */

#include "place/pt_phdr.h"

#include "elf/dynamic.h"
#include "elf/notes.h"

/* In elf.h since glibc 2.26.  */
#define FLAG_1_PIE 0x08000000

/* Whether IMAGE was linked with the start files of glibc, which have a note.
   mold 1.10 lets a walk by PT_NOTE's own alignment lose its way.  */
static bool
has_abi_tag (const struct image *image)
{
  for (size_t i = 0; i < 2 * image->n_segments; i++)
    {
      const GElf_Phdr *segment = &image->segments[i / 2];
      struct note_walk walk = note_walk_segment (image, segment, i % 2 != 0);
      struct note note;
      while (segment->p_type == PT_NOTE && note_next (&walk, &note))
        if (note_is (&note, "GNU", NT_GNU_ABI_TAG))
          return true;
    }
  return false;
}

/* Only programs ask PT_PHDR where they were loaded.  A library's dynamic
   linker knows where it has mapped it, and glibc computes the address of a
   static PIE from that of its dynamic section.  */
bool
pt_phdr_is_needed (const struct draft *draft)
{
  const struct image *image = draft->image;
  uint64_t value;
  if (image->header.e_type != ET_DYN || draft->loader
      || image_find_segment (image, PT_INTERP) != NULL)
    return true;
  if (dynamic_find (image, DT_FLAGS_1, &value) && (value & FLAG_1_PIE))
    return !has_abi_tag (image);
  return image->header.e_entry != 0
         && !dynamic_find (image, DT_SONAME, &value);
}
