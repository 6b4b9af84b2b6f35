/* The self-check of a new file, and of a file from which .sframe was removed.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The new file is opened like any other and compared with the old one, byte by
   byte.  There is one exception: in large files (COMPARE_MAX in
   inject_check_parts.c) a block that one extent of the plan has copied,
   without a patch, is compared only by its first bytes.  */

#include "write/inject_check.h"

#include <string.h>

#include "elf/sframe_place.h"
#include "write/existing.h"
#include "write/inject_check_parts.h"

static bool
check_header_kept (const struct check *check)
{
  const GElf_Ehdr *after = &check->after->header;
  GElf_Ehdr expected = check->before->header;
  expected.e_shoff = after->e_shoff;
  expected.e_phnum = after->e_phnum;
  expected.e_shnum = after->e_shnum;
  return memcmp (&expected, after, sizeof expected) == 0
         || check_violated (check, "other ELF header", "");
}

/* Whether there is one PT_GNU_SFRAME, and it is right.  */
static bool
check_sframe_segment (const struct check *check)
{
  const struct plan *plan = check->plan;
  const GElf_Phdr expected
      = check_new_segment (check->before, PT_GNU_SFRAME, plan->sframe_offset,
                           plan->sframe_address, plan->sframe_size, 8);
  size_t n = 0, right = 0;
  FOR_EACH_SEGMENT (segment, check->after)
    if (segment->p_type == PT_GNU_SFRAME)
      {
        n++;
        right += memcmp (&expected, segment, sizeof expected) == 0;
      }
  return (n == 1 && right == 1)
         || check_violated (check, "PT_GNU_SFRAME is wrong", "");
}

static bool
check_sframe_section (const struct check *check)
{
  const struct plan *plan = check->plan;
  const struct sframe_place found = sframe_place_find (check->after);
  const GElf_Shdr *header = &check->after->sections[found.section].header;
  const GElf_Shdr expected = { .sh_name = header->sh_name,
                               .sh_type = header->sh_type,
                               .sh_flags = SHF_ALLOC,
                               .sh_addr = plan->sframe_address,
                               .sh_offset = plan->sframe_offset,
                               .sh_size = plan->sframe_size,
                               .sh_addralign = 8 };
  return check->before->section_names == 0
         || (found.n_sections == 1
             && memcmp (&expected, header, sizeof expected) == 0)
         || check_violated (check, "section and segment of .sframe disagree",
                            "");
}

/* Whether the new file loads .sframe where the plan says.  */
static bool
check_sframe (const struct check *check)
{
  const struct plan *plan = check->plan;
  uint64_t begin = plan->sframe_address, end = begin + plan->sframe_size;
  const GElf_Phdr *load = image_load_at (check->after, begin);
  /* The PT_LOAD must be read-only, or no other memory in the pages of .sframe,
     so that no program writes to them.  */
  if (load == NULL || !(load->p_flags & PF_R)
      || ((load->p_flags & PF_W)
          && !check_own_pages (check->before, NULL, NULL, begin, end))
      || !check_is_loaded (check->after, plan->sframe_offset,
                           plan->sframe_address, plan->sframe_size))
    return check_violated (check, ".sframe is not loaded read-only", "");
  if (memcmp (check->after->bytes + plan->sframe_offset, check->sframe,
              plan->sframe_size)
      != 0)
    return check_violated (check, ".sframe has other contents", "");
  return check_sframe_segment (check) && check_sframe_section (check);
}

/* Change ERR, which says what is wrong in the new file, to a failure of the
   self-check, unless memory ran out.  Its old status would mean that the input
   is damaged, but the new file is, by a mistake of this program.  */
static bool
self_check_failed (struct error *err)
{
  struct error cause = *err;
  return cause.status != CFI2SFRAME_NO_MEMORY
         && error_set_word (err, CFI2SFRAME_REFUSED, WORD_SELF_CHECK,
                            "self-check of the new file failed: %.200s",
                            cause.reason);
}

/* Whether the new file has all headers and bytes that the old one has.  */
static bool
check_kept (const struct check *check)
{
  return check_header_kept (check) && check_segments_kept (check)
         && check_memory_kept (check) && check_seen_from_memory (check)
         && check_sections_kept (check) && check_dynamic_kept (check);
}

/* Whether the headers of the old file do not contradict each other: the bytes
   of all sections and segments are loaded from their offsets to their
   addresses, and the file passes this check as a copy of itself.  */
static bool
headers_agree (const struct check *check)
{
  const struct image *image = check->before;
  struct error unused = { 0 };
  struct check own = *check;
  own.after = image;
  own.err = &unused;
  FOR_EACH_SECTION (section, image)
    {
      const GElf_Shdr *header = &section->header;
      if ((header->sh_flags & SHF_ALLOC) && header->sh_size > 0
          && image_section_bytes (image, section) != NULL
          && !check_is_loaded (image, header->sh_offset, header->sh_addr,
                               header->sh_size))
        return false;
    }
  FOR_EACH_SEGMENT (segment, image)
    if (image_segment_has_bytes (segment)
        && !check_is_loaded (image, segment->p_offset, segment->p_vaddr,
                             segment->p_filesz))
      return false;
  return check_kept (&own);
}

bool
inject_check_bytes (const struct image *image, const struct plan *plan,
                    const void *sframe, const void *bytes, size_t size,
                    struct error *err)
{
  struct image after;
  if (size < plan->new_size)
    return error_set (err, CFI2SFRAME_IO, "the new file is too short");
  if (!image_open_memory (&after, bytes, size, err))
    return self_check_failed (err);
  struct check check = { image, &after, plan, sframe, err };
  bool good = check_kept (&check) && check_sframe (&check);
  if (!good)
    {
      /* If the headers of the old file contradict each other, the mistake is
         in the input, and not in this program.  */
      const struct error cause = *err;
      if (cause.status == CFI2SFRAME_NO_MEMORY || headers_agree (&check))
        self_check_failed (err);
      else
        error_set (err, CFI2SFRAME_MALFORMED,
                   "its headers contradict each other: %.200s", cause.reason);
    }
  image_close (&after);
  return good;
}

/* ---- A file from which .sframe was removed without a record

   The old file alone determines what may differ: the headers of .sframe are
   null, and all other bytes are as before.  */

/* Whether the headers are as expected, as a reader decodes them: tables of a
   hostile file may overlap, so that zeros are in two headers.  */
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

/* Whether all bytes outside of the header tables are as before.
   check_headers_left compares the tables.  */
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
    return self_check_failed (err);
  struct check check = { image, &after, &no_extents, NULL, err };
  bool good = (check_headers_left (&check) && check_bytes_left (&check))
              || self_check_failed (err);
  image_close (&after);
  return good;
}
