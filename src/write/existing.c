/* An .sframe that a file has already.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "write/existing.h"

#include "place/facts.h"

enum
{
  PLACES_MAX = 64 /* .sframe sections and segments to remove */
};

/* Whether the ELF header, a header table, a section or a segment has bytes of
   RANGE.  If BUT is not 0, section BUT does not count, and neither does any
   PT_LOAD or PT_GNU_SFRAME, because these have its bytes.  */
static bool
is_owned (const struct image *image, struct interval range, size_t but)
{
  if (intervals_meet (range, interval_at (0, sizeof (Elf64_Ehdr)))
      || intervals_meet (range, segment_table_range (image))
      || intervals_meet (range, section_table_range (image)))
    return true;
  for (size_t i = 1; i < image->n_sections; i++)
    {
      const GElf_Shdr *other = &image->sections[i].header;
      if (i != but && image_section_has_bytes (other)
          && intervals_meet (range,
                             interval_at (other->sh_offset, other->sh_size)))
        return true;
    }
  FOR_EACH_SEGMENT (other, image)
    {
      bool has_it
          = but != 0
            && (other->p_type == PT_LOAD || other->p_type == PT_GNU_SFRAME);
      if (!has_it && image_segment_has_bytes (other)
          && intervals_meet (range,
                             interval_at (other->p_offset, other->p_filesz)))
        return true;
    }
  return false;
}

struct existing
existing_find (const struct image *image)
{
  struct existing found = { .place = sframe_place_find (image) };
  /* A conversion puts the record behind all bytes that headers own.  In a
     hostile file they may own bytes of the record, which would be lost with
     it.  */
  found.has_record
      = undo_record_find (&found.record, image)
        && !is_owned (image,
                      (struct interval){ found.record.offset, UINT64_MAX }, 0);
  return found;
}

bool
existing_check_replaceable (const struct existing *existing,
                            const struct image *image, struct error *err)
{
  const struct sframe_place *place = &existing->place;
  if (place->n_sections > 1 || place->n_segments > 1)
    return error_set_word (err, CFI2SFRAME_REFUSED, WORD_BAD_SFRAME,
                           "has several .sframe sections or segments");
  if (place->disagrees)
    return error_set_word (err, CFI2SFRAME_REFUSED, WORD_BAD_SFRAME,
                           "its .sframe section and PT_GNU_SFRAME disagree");
  if (place->bytes == NULL && place->size > 0)
    return error_set_word (err, CFI2SFRAME_REFUSED, WORD_NO_SFRAME,
                           ".sframe has no contents");
  /* In a hostile file another section or segment may have bytes of the
     .sframe, which a new .sframe would overwrite.  Without section headers the
     size cannot be trusted, so a conversion does not touch the old bytes.  */
  const struct interval bytes = interval_at (place->offset, place->size);
  if (place->section != 0 && place->size > 0
      && is_owned (image, bytes, place->section))
    return error_set_word (err, CFI2SFRAME_REFUSED, WORD_BAD_SFRAME,
                           "its .sframe overlaps other contents");
  return true;
}

void
existing_forget_record (struct existing *existing, struct image *image)
{
  if (!existing->has_record)
    return;
  image->size = existing->record.offset;
  existing->has_record = false;
}

/* Add patches that zero the type of program headers, and all of section
   headers, because elflint complains about other bytes in these.  PT_NULL and
   SHT_NULL are 0 (gABI).  */
static bool
add_removals (struct plan *plan, const struct image *image, struct error *err)
{
  const GElf_Ehdr *header = &image->header;
  for (size_t i = 0; i < image->n_segments; i++)
    if (image->segments[i].p_type == PT_GNU_SFRAME
        && plan_add_patch (plan, header->e_phoff + i * header->e_phentsize,
                           sizeof (Elf64_Word), err)
               == NULL)
      return false;
  for (size_t i = 1; i < image->n_sections; i++)
    if (section_is_sframe (&image->sections[i])
        && plan_add_patch (plan, header->e_shoff + i * header->e_shentsize,
                           sizeof (Elf64_Shdr), err)
               == NULL)
      return false;
  return true;
}

bool
existing_plan_removal (struct plan *plan, const struct existing *existing,
                       const struct image *image, struct error *err)
{
  *plan = (struct plan){ 0 };
  if (existing->place.size == 0)
    return error_set_word (err, CFI2SFRAME_NOTHING, WORD_NO_SFRAME,
                           "has no .sframe");
  if (existing->place.n_sections + existing->place.n_segments > PLACES_MAX)
    return error_set (err, CFI2SFRAME_REFUSED,
                      "has more than %d .sframe sections and segments",
                      PLACES_MAX);
  /* The record of an earlier conversion does not fit the new file.  */
  plan->new_size
      = existing->has_record ? existing->record.offset : image->size;
  return plan_copy (plan, 0, 0, plan->new_size, err)
         && add_removals (plan, image, err);
}
