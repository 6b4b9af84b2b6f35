/* The self-check of a file from which .sframe was removed without a record.
   SPDX-License-Identifier: LGPL-2.1-or-later

   What may differ is told from the old file alone, without the plan: each
   header of .sframe says nothing any more, and all else is as it was.  */

#include "write/inject_check.h"

#include <string.h>

#include "write/existing.h"
#include "write/inject_check_parts.h"

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
      if (expected.p_type == PT_GNU_SFRAME)
        expected.p_type = PT_NULL;
      if (memcmp (&expected, &after->segments[i], sizeof expected) != 0)
        return check_violated (check, "other program headers", "");
    }
  for (size_t i = 0; i < before->n_sections; i++)
    {
      GElf_Shdr expected = { 0 };
      if (i == 0 || !section_is_sframe (&before->sections[i]))
        expected = before->sections[i].header;
      if (memcmp (&expected, &after->sections[i].header, sizeof expected) != 0)
        return check_violated (check, "other header of",
                               before->sections[i].name);
    }
  return true;
}

/* All but the tables of headers, which check_headers_left compares.  */
static bool
check_bytes_left (const struct check *check)
{
  const struct interval segments = segment_table_range (check->before);
  const struct interval sections = section_table_range (check->before);
  uint64_t size = check->after->size;
  for (uint64_t at = 0; check_next_difference (check, 0, 0, size, &at); at++)
    {
      const struct interval byte = { at, at + 1 };
      if (!intervals_meet (byte, segments) && !intervals_meet (byte, sections))
        return check_violated (check, "other bytes than before", "");
    }
  return true;
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
  bool good = (check_headers_left (&check) && check_bytes_left (&check))
              || inject_check_unreadable (err);
  image_close (&after);
  return good;
}
