/* The self-check of a file from which .sframe was removed without a record.
   SPDX-License-Identifier: LGPL-2.1-or-later

   What may differ is told from the old file alone, without the plan: each
   header of .sframe says nothing any more, and all else is as it was.  */

#include "write/inject_check.h"

#include <string.h>

#include "write/existing.h"
#include "write/inject_check_parts.h"

static bool
is_removed_segment (const struct image *image, size_t index)
{
  return image->segments[index].p_type == PT_GNU_SFRAME;
}

static bool
is_removed_section (const struct image *image, size_t index)
{
  return index > 0 && section_is_sframe (&image->sections[index]);
}

/* The headers, as a reader finds them.  Tables of a hostile file may lie in
   each other, so that zeros in one header are read as part of another.  */
static bool
check_headers_left (const struct check *check)
{
  const struct image *before = check->before, *after = check->after;
  if (memcmp (&before->header, &after->header, sizeof before->header) != 0
      || before->n_segments != after->n_segments
      || before->n_sections != after->n_sections)
    return check_violated (check, "other ELF header", "");
  for (size_t i = 0; i < before->n_segments; i++)
    {
      GElf_Phdr expected = before->segments[i];
      if (is_removed_segment (before, i))
        expected.p_type = PT_NULL;
      if (memcmp (&expected, &after->segments[i], sizeof expected) != 0)
        return check_violated (check, "other program headers", "");
    }
  for (size_t i = 0; i < before->n_sections; i++)
    {
      GElf_Shdr expected = { 0 };
      if (!is_removed_section (before, i))
        expected = before->sections[i].header;
      if (memcmp (&expected, &after->sections[i].header, sizeof expected) != 0)
        return check_violated (check, "other header of",
                               before->sections[i].name);
    }
  return true;
}

/* Whether byte AT of the file lies in the table of N entries of SIZE bytes at
   BEGIN.  *INDEX: in which entry.  */
static bool
is_in_table (uint64_t at, uint64_t begin, size_t n, size_t size, size_t *index)
{
  *index = (size_t)((at - begin) / size);
  return at >= begin && *index < n;
}

/* Whether byte AT of the file is one of a header of .sframe.  */
static bool
is_in_removed_header (const struct image *image, uint64_t at)
{
  size_t index;
  return (is_in_table (at, image->header.e_phoff, image->n_segments,
                       sizeof (Elf64_Phdr), &index)
          && is_removed_segment (image, index))
         || (is_in_table (at, image->header.e_shoff, image->n_sections,
                          sizeof (Elf64_Shdr), &index)
             && is_removed_section (image, index));
}

static bool
check_bytes_left (const struct check *check)
{
  uint64_t size = check->after->size;
  for (uint64_t at = 0; check_next_difference (check, 0, 0, size, &at); at++)
    if (!is_in_removed_header (check->before, at))
      return check_violated (check, "other bytes than before", "");
  return true;
}

static bool
check_none_left (const struct check *check)
{
  struct sframe_place left = sframe_place_find (check->after);
  return (left.n_sections == 0 && left.n_segments == 0)
         || check_violated (check, ".sframe is not gone", "");
}

bool
inject_check_removed (const struct image *image, const void *bytes,
                      size_t size, struct error *err)
{
  const struct plan no_extents = { 0 }; /* so every byte is compared */
  const struct existing existing = existing_find (image);
  struct image after;
  if (size
      != (existing.has_record ? existing.record.offset
                              : (uint64_t)image->size))
    return error_set (err, CFI2SFRAME_IO, "the new file has a wrong size");
  if (!image_open_memory (&after, bytes, size, err))
    return inject_check_unreadable (err);
  struct check check = { image, &after, &no_extents, NULL, err };
  bool good = (check_none_left (&check) && check_headers_left (&check)
               && check_bytes_left (&check))
              || inject_check_unreadable (err);
  image_close (&after);
  return good;
}
