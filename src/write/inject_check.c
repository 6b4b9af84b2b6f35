/* The last look at a new file before it takes the old one's place.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Everything is read back from the file, with the reader that reads any file.
   The one exception: in large files the bytes that the kernel copied by the
   plan's extents are not compared (COMPARE_MAX in inject_check_compare.c).  */

#include "write/inject_check.h"

#include <string.h>

#include "base/bytes.h"
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

/* Whether AFTER is the segment BEFORE after strategy grow-down.  */
static bool
has_grown_down (const struct check *check, const GElf_Phdr *before,
                const GElf_Phdr *after)
{
  return check->plan->strategy == LAYOUT_GROW_DOWN && before->p_offset == 0
         && after->p_offset == 0 && after->p_vaddr < before->p_vaddr
         && after->p_vaddr + after->p_memsz
                == before->p_vaddr + before->p_memsz
         && after->p_memsz - before->p_memsz
                == after->p_filesz - before->p_filesz;
}

/* Whether AFTER is the read-only segment BEFORE with zeros that were behind
   it.  */
static bool
has_taken_padding (const struct image *image, const GElf_Phdr *before,
                   const GElf_Phdr *after)
{
  uint64_t begin = before->p_offset + before->p_filesz;
  return !(before->p_flags & PF_W) && before->p_filesz == before->p_memsz
         && after->p_filesz == after->p_memsz
         && after->p_filesz > before->p_filesz
         && after->p_filesz - before->p_filesz <= image->size - begin
         && bytes_are_zero (image->bytes + begin,
                            after->p_filesz - before->p_filesz);
}

/* Whether AFTER is the segment BEFORE, which got .sframe, or bytes in the file
   for its BSS.  */
static bool
has_grown (const struct check *check, const GElf_Phdr *before,
           const GElf_Phdr *after)
{
  uint64_t sframe = check->plan->sframe_address;
  bool same_place = after->p_vaddr == before->p_vaddr;
  if (check->plan->strategy == LAYOUT_GROW_DATA && same_place
      && (before->p_flags & PF_W) && after->p_memsz > before->p_memsz)
    return after->p_filesz == after->p_memsz
           && sframe >= before->p_vaddr + before->p_memsz
           && sframe + check->plan->sframe_size
                  <= after->p_vaddr + after->p_memsz;
  if (same_place && after->p_memsz == before->p_memsz)
    return after->p_filesz == before->p_filesz
           || ((before->p_flags & PF_W) && after->p_filesz == after->p_memsz);
  return same_place && has_taken_padding (check->before, before, after);
}

static bool
is_same_load (const struct check *check, const GElf_Phdr *before,
              const GElf_Phdr *after)
{
  bool down = has_grown_down (check, before, after);
  bool same_align
      = after->p_align == before->p_align
        || (check->plan->strategy == LAYOUT_GROW_DOWN && after->p_align >= 4096
            && after->p_align < before->p_align);
  return after->p_type == PT_LOAD && after->p_flags == before->p_flags
         && same_align
         && after->p_paddr - after->p_vaddr
                == before->p_paddr - before->p_vaddr
         && (down || has_grown (check, before, after));
}

/* Whether AFTER is where BEFORE was, under the program header table.  patchelf
   0.14.3 lets a longer table run over the bytes of PT_GNU_PROPERTY, whose
   section it has moved, and leaves the header as it is.  Bytes behind the
   table are compared as contents of sections.  */
static bool
is_buried_segment (const struct check *check, const GElf_Phdr *before,
                   const GElf_Phdr *after)
{
  uint64_t begin = check->before->header.e_phoff;
  uint64_t table_end = begin + check->before->n_segments * sizeof (Elf64_Phdr);
  return before->p_offset >= begin && before->p_offset < table_end
         && after->p_offset == before->p_offset
         && after->p_vaddr == before->p_vaddr;
}

/* Whether AFTER takes the place of BEFORE.  Notes may move; a PT_NOTE that
   only repeats PT_GNU_PROPERTY may be gone.  The contents of other segments
   are those of their sections, which are compared.  */
static bool
is_same_segment (const struct check *check, const GElf_Phdr *before,
                 const GElf_Phdr *after)
{
  bool movable = before->p_type == PT_NOTE || before->p_type == PT_INTERP
                 || before->p_type == PT_GNU_PROPERTY;
  bool same_type
      = after->p_type == before->p_type
        || (before->p_type == PT_NOTE && after->p_type == PT_GNU_PROPERTY);
  if (!same_type || after->p_flags != before->p_flags
      || after->p_align != before->p_align
      || after->p_filesz != before->p_filesz
      || after->p_memsz != before->p_memsz
      || after->p_paddr - after->p_vaddr != before->p_paddr - before->p_vaddr)
    return false;
  if (before->p_filesz == 0)
    return after->p_vaddr == before->p_vaddr
           && (before->p_offset != 0 || after->p_offset == 0);
  bool loaded = check_is_loaded (check, after->p_offset, after->p_vaddr, 0)
                || (after->p_offset == before->p_offset
                    && after->p_vaddr == before->p_vaddr);
  if (movable)
    return loaded
           && (check_same_bytes (check, before->p_offset, after->p_offset,
                                 before->p_filesz)
               || is_buried_segment (check, before, after));
  return loaded && after->p_vaddr == before->p_vaddr;
}

static bool
check_table_segment (const struct check *check, const GElf_Phdr *before)
{
  const GElf_Phdr *table = image_find_segment (check->after, PT_PHDR);
  uint64_t size = check->after->n_segments * sizeof (Elf64_Phdr);
  if (table == NULL || table->p_offset != check->after->header.e_phoff
      || table->p_filesz != size || table->p_memsz != size
      || table->p_flags != before->p_flags || table->p_align != before->p_align
      || table->p_paddr - table->p_vaddr != before->p_paddr - before->p_vaddr
      || !check_is_loaded (check, table->p_offset, table->p_vaddr, size))
    return check_violated (check, "PT_PHDR is not the program header table",
                           "");
  return true;
}

/* Whether the file may lose its PT_PHDR: a static-pie or shared library that
   no interpreter starts.  */
static bool
may_lose_table_segment (const struct check *check)
{
  return image_find_segment (check->after, PT_PHDR) == NULL
         && check->before->header.e_type == ET_DYN
         && image_find_segment (check->before, PT_INTERP) == NULL;
}

static bool
check_old_segment (const struct check *check, const GElf_Phdr *before)
{
  if (before->p_type == PT_NULL || before->p_type == PT_GNU_SFRAME)
    return true;
  if (before->p_type == PT_PHDR && may_lose_table_segment (check))
    return true;
  if (before->p_type == PT_PHDR)
    return check_table_segment (check, before);
  if (before->p_type == PT_NOTE && check_notes_kept (check, before))
    return true;
  for (size_t i = 0; i < check->after->n_segments; i++)
    {
      const GElf_Phdr *after = &check->after->segments[i];
      if (before->p_type == PT_LOAD ? is_same_load (check, before, after)
                                    : is_same_segment (check, before, after))
        return true;
    }
  return check_violated (check, "a segment is lost or damaged", "");
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
        is_old = check->before->segments[k].p_type == PT_LOAD
                 && is_same_load (check, &check->before->segments[k], load);
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
              && check_sframe (&check) && check_sections_kept (&check)
              && check_dynamic_kept (&check);
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
