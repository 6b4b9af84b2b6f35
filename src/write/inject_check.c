/* The last look at a new file before it takes the old one's place.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Everything is read back from the file, with the reader that reads any file.
   The one exception: in large files the bytes that the kernel copied by the
   plan's extents are not compared (COMPARE_MAX in inject_check_compare.c).  */

#include "write/inject_check.h"

#include <string.h>

#include "base/mapped_file.h"

static bool
check_header_kept (const struct check *check)
{
  const GElf_Ehdr *before = &check->before->header,
                  *after = &check->after->header;
  if (memcmp (before->e_ident, after->e_ident, EI_NIDENT) != 0
      || before->e_type != after->e_type
      || before->e_machine != after->e_machine
      || before->e_version != after->e_version
      || before->e_entry != after->e_entry || before->e_flags != after->e_flags
      || before->e_ehsize != after->e_ehsize
      || before->e_shstrndx != after->e_shstrndx
      || before->e_phoff != after->e_phoff)
    return check_violated (check, "other ELF header", "");
  return true;
}

/* The PT_LOAD that is new: read-only, in pages of its own.  image_open has
   checked that all PT_LOADs are sorted and disjoint.  */
static bool
check_new_load (const struct check *check, const GElf_Phdr *load,
                uint64_t previous_end)
{
  uint64_t page = load->p_align;
  if (load->p_flags != PF_R || load->p_filesz != load->p_memsz || page < 4096
      || (page & (page - 1)) != 0
      || ((load->p_vaddr - load->p_offset) & (page - 1)) != 0
      || load->p_paddr != load->p_vaddr
      || load->p_offset + load->p_filesz > check->after->size
      || (load->p_vaddr & ~(page - 1)) < previous_end)
    return check_violated (check, "the new segment is wrong", "");
  return true;
}

static bool
check_loads (const struct check *check)
{
  size_t n_new = 0;
  uint64_t previous_end = 0;
  for (size_t i = 0; i < check->after->n_segments; i++)
    {
      const GElf_Phdr *load = &check->after->segments[i];
      if (load->p_type != PT_LOAD)
        continue;
      bool is_old = false;
      for (size_t k = 0; k < check->before->n_segments && !is_old; k++)
        is_old
            = check->before->segments[k].p_type == PT_LOAD
              && check_is_same_load (check, &check->before->segments[k], load);
      if (!is_old && n_new++ > 0)
        return check_violated (check, "two new segments", "");
      if (!is_old && !check_new_load (check, load, previous_end))
        return false;
      previous_end = load->p_vaddr + load->p_memsz;
    }
  return true;
}

/* No segment of a type that was not there before.  */
static bool
check_types (const struct check *check)
{
  for (size_t i = 0; i < check->after->n_segments; i++)
    {
      uint32_t type = check->after->segments[i].p_type;
      if (type != PT_GNU_SFRAME
          && image_find_segment (check->before, type) == NULL)
        return check_violated (check, "a segment of another type", "");
    }
  return true;
}

/* Whether a PT_LOAD maps the program header table of IMAGE.  */
static bool
maps_table (const struct image *image)
{
  uint64_t begin = image->header.e_phoff;
  uint64_t size = image->n_segments * sizeof (Elf64_Phdr);
  for (size_t i = 0; i < image->n_segments; i++)
    {
      const GElf_Phdr *load = &image->segments[i];
      if (load->p_type == PT_LOAD && load->p_offset <= begin
          && begin + size <= load->p_offset + load->p_filesz)
        return true;
    }
  return false;
}

static bool
check_segments_kept (const struct check *check)
{
  if (maps_table (check->before) && !maps_table (check->after))
    return check_violated (check, "the program header table is not loaded",
                           "");
  for (size_t i = 0; i < check->before->n_segments; i++)
    if (!check_old_segment (check, &check->before->segments[i]))
      return false;
  return check_types (check) && check_loads (check);
}

/* PT_GNU_SFRAME in the segment LOAD.  */
static bool
check_sframe_header (const struct check *check, const GElf_Phdr *load)
{
  const struct layout_plan *plan = check->plan;
  const GElf_Phdr *sframe = image_find_segment (check->after, PT_GNU_SFRAME);
  return sframe->p_offset == plan->sframe_offset
         && sframe->p_vaddr == plan->sframe_address
         && sframe->p_paddr - sframe->p_vaddr == load->p_paddr - load->p_vaddr
         && sframe->p_filesz == plan->sframe_size
         && sframe->p_memsz == plan->sframe_size && sframe->p_flags == PF_R
         && sframe->p_align == 8;
}

/* Exactly one PT_GNU_SFRAME, in exactly one read-only segment.  */
static bool
check_sframe (const struct check *check)
{
  const struct layout_plan *plan = check->plan;
  const GElf_Phdr *found = NULL;
  /* The flags that count, of which PF_R alone may be set.  */
  uint32_t flags = plan->strategy == LAYOUT_GROW_DATA ? PF_R : PF_R | PF_W;
  size_t n_sframes = 0, n_loads = 0;
  for (size_t i = 0; i < check->after->n_segments; i++)
    {
      const GElf_Phdr *load = &check->after->segments[i];
      if (load->p_type == PT_GNU_SFRAME)
        n_sframes++;
      if (load->p_type == PT_LOAD && (load->p_flags & flags) == PF_R
          && plan->sframe_address >= load->p_vaddr
          && plan->sframe_address - load->p_vaddr < load->p_memsz)
        {
          found = load;
          n_loads++;
        }
    }
  if (n_sframes != 1 || (found && !check_sframe_header (check, found)))
    return check_violated (check, "PT_GNU_SFRAME is wrong", "");
  if (n_loads != 1
      || !check_is_loaded (check, plan->sframe_offset, plan->sframe_address,
                           plan->sframe_size))
    return check_violated (check, ".sframe is not loaded read-only", "");
  if (memcmp (check->after->bytes + plan->sframe_offset, check->sframe,
              plan->sframe_size)
      != 0)
    return check_violated (check, ".sframe has other contents", "");
  return true;
}

bool
inject_check_bytes (const struct image *image, const struct layout_plan *plan,
                    const void *sframe, const void *bytes, size_t size,
                    struct error *err)
{
  struct image after;
  if (size < plan->new_size)
    return error_set (err, CFI2SFRAME_IO, "the new file is too short");
  if (!image_open_memory (&after, bytes, size, err))
    {
      /* MALFORMED would mean the input.  It is the new file that is damaged,
         by a mistake of this program.  */
      struct error cause = *err;
      if (cause.status == CFI2SFRAME_MALFORMED)
        error_set (err, CFI2SFRAME_REFUSED,
                   "self-check of the new file failed: %.200s", cause.reason);
      return false;
    }
  struct check check = { image, &after, plan, sframe, err };
  bool good = check_header_kept (&check) && check_segments_kept (&check)
              && check_seen_from_memory (&check) && check_sframe (&check)
              && check_sections_kept (&check) && check_dynamic_kept (&check);
  image_close (&after);
  return good;
}

bool
inject_self_check (const struct image *image, const struct layout_plan *plan,
                   const void *sframe, int out_fd, struct error *err)
{
  size_t size;
  const void *bytes = mapped_file_open (out_fd, &size, err);
  if (bytes == NULL)
    return false;
  bool good = inject_check_bytes (image, plan, sframe, bytes, size, err);
  mapped_file_close (bytes, size);
  return good;
}
