/* The last look at a new file before it takes the old one's place.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Everything is read back from the file, with the reader that reads any file.
   The one exception: in large files (COMPARE_MAX in inject_check_compare.c)
   of blocks that lie in one extent of the plan, and under no patch, the first
   bytes alone are compared.  */

#include "write/inject_check.h"

#include <string.h>

#include "elf/sframe_place.h"
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

/* Whether no program writes to .sframe: its PT_LOAD is read-only, or no page
   of .sframe has other memory.  */
static bool
is_read_only (const struct check *check)
{
  uint64_t begin = check->plan->sframe_address;
  const GElf_Phdr *load = image_load_at (check->after, begin);
  return load != NULL && (load->p_flags & PF_R)
         && (!(load->p_flags & PF_W)
             || check_own_pages (check->before, NULL, begin,
                                 begin + check->plan->sframe_size));
}

/* Whether PT_GNU_SFRAME is there, once.  */
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

/* Whether the new file has .sframe, as PLAN says.  */
static bool
check_sframe (const struct check *check)
{
  const struct plan *plan = check->plan;
  if (!is_read_only (check)
      || !check_is_loaded (check->after, plan->sframe_offset,
                           plan->sframe_address, plan->sframe_size))
    return check_violated (check, ".sframe is not loaded read-only", "");
  if (memcmp (check->after->bytes + plan->sframe_offset, check->sframe,
              plan->sframe_size)
      != 0)
    return check_violated (check, ".sframe has other contents", "");
  return check_sframe_segment (check) && check_sframe_section (check);
}

bool
inject_check_unreadable (struct error *err)
{
  struct error cause = *err;
  return cause.status != CFI2SFRAME_NO_MEMORY
         && error_set_word (err, CFI2SFRAME_REFUSED, WORD_SELF_CHECK,
                            "self-check of the new file failed: %.200s",
                            cause.reason);
}

/* Whether the new file has all that the old one has.  */
static bool
check_kept (const struct check *check)
{
  return check_header_kept (check) && check_segments_kept (check)
         && check_memory_kept (check) && check_seen_from_memory (check)
         && check_sections_kept (check) && check_dynamic_kept (check);
}

/* Whether what headers say of the old file is so: its bytes are loaded from
   the offsets and to the addresses that stand there, and the file would pass
   as a copy of itself.  */
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

/* CHECK has failed.  Where the headers of the old file do not agree, the
   mistake is theirs, and not one of this program.  Gives false.  */
static bool
find_fault (const struct check *check)
{
  const struct error cause = *check->err;
  return cause.status == CFI2SFRAME_NO_MEMORY || headers_agree (check)
             ? inject_check_unreadable (check->err)
             : error_set (check->err, CFI2SFRAME_MALFORMED,
                          "its headers contradict each other: %.200s",
                          cause.reason);
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
    return inject_check_unreadable (err);
  struct check check = { image, &after, plan, sframe, err };
  bool good
      = (check_kept (&check) && check_sframe (&check)) || find_fault (&check);
  image_close (&after);
  return good;
}
