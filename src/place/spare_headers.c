/* Program headers whose slots can be taken.
   SPDX-License-Identifier: LGPL-2.1-or-later

   doc/formats/injection has who reads which.  */

#include "place/header_slots.h"

#include <string.h>

#include "elf/dynamic.h"
#include "elf/notes.h"
#include "place/facts.h"

/* In elf.h since glibc 2.26.  */
#define FLAG_1_PIE 0x08000000

void
slots_set_table_end (const struct image *image, struct header_slots *slots)
{
  /* More may be taken than are added.  */
  slots->table_end = segment_table_range (image).end
                     + slots->n_added * sizeof (Elf64_Phdr)
                     - slots->taken.n * sizeof (Elf64_Phdr);
}

/* Whether segment INDEX is a PT_NOTE that says what PT_GNU_PROPERTY says.  */
static bool
is_doubled_note (const struct image *image, size_t index)
{
  const GElf_Phdr *property = image_find_segment (image, PT_GNU_PROPERTY);
  if (property == NULL || property->p_filesz == 0)
    return false;
  GElf_Phdr note = *property;
  note.p_type = PT_NOTE;
  return memcmp (&note, &image->segments[index], sizeof note) == 0;
}

void
spare_headers_take_type (const struct image *image, struct header_slots *slots,
                         uint32_t type)
{
  for (size_t i = 0; i < image->n_segments && slots->taken.n < slots->n_added;
       i++)
    if (image->segments[i].p_type == type)
      slots->taken.indices[slots->taken.n++] = i;
}

void
spare_headers_take (const struct image *image, struct header_slots *slots)
{
  spare_headers_take_type (image, slots, PT_GNU_SFRAME);
  spare_headers_take_type (image, slots, PT_NULL);
  for (size_t i = 0; i < image->n_segments && slots->taken.n < slots->n_added;
       i++)
    if (is_doubled_note (image, i))
      slots->taken.indices[slots->taken.n++] = i;
}

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
      while (note_next (&walk, &note))
        if (note_is (&note, "GNU", NT_GNU_ABI_TAG))
          return true;
    }
  return false;
}

/* Whether some reader needs PT_PHDR, if there is one.  Only programs ask it
   where they were loaded.  A library's dynamic linker knows where it has
   mapped it, and glibc computes the address of a static PIE from that of its
   dynamic section.  */
static bool
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

void
spare_headers_take_pt_phdr (const struct draft *draft,
                            struct header_slots *slots)
{
  if (!pt_phdr_is_needed (draft))
    spare_headers_take_type (draft->image, slots, PT_PHDR);
}
