/* The self-check's part about memory: what a loader maps.
   SPDX-License-Identifier: LGPL-2.1-or-later

   For every byte of memory that the old file maps, the new one maps the same
   byte with the same rights.  What may differ is told from the old file alone:
   the tables and what the ELF header says of them, sections with
   an address that only headers know, the dynamic entries that name these, and
   bytes behind the table that nothing owns.  */

#include "write/inject_check_parts.h"

#include <string.h>

#include "base/align.h"
#include "base/bytes.h"
#include "elf/dynamic.h"

/* ---- What may differ.  */

/* Whether AT is in [BEGIN, + SIZE).  Then *END is the end of that.  */
static bool
is_in (uint64_t at, uint64_t begin, uint64_t size, uint64_t *end)
{
  *end = begin + size;
  return at >= begin && at - begin < size;
}

/* The tables of headers, and where the ELF header says what they are.  */
static bool
is_of_tables (const struct image *image, uint64_t at, uint64_t *end)
{
  const struct
  {
    uint64_t begin, size;
  } places[] = {
    { offsetof (Elf64_Ehdr, e_phoff), sizeof (Elf64_Off) },
    { offsetof (Elf64_Ehdr, e_shoff), sizeof (Elf64_Off) },
    { offsetof (Elf64_Ehdr, e_phnum), sizeof (Elf64_Half) },
    { offsetof (Elf64_Ehdr, e_shnum), sizeof (Elf64_Half) },
    { image->header.e_phoff, image->n_segments * sizeof (Elf64_Phdr) },
    { image->header.e_shoff, image->n_sections * sizeof (Elf64_Shdr) },
  };
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (is_in (at, places[i].begin, places[i].size, end))
      return true;
  return false;
}

static bool
is_of_section (const struct check *check, uint64_t at, uint64_t *end)
{
  const struct image *image = check->before;
  for (size_t i = 1; i < image->n_sections; i++)
    {
      const GElf_Shdr *header = &image->sections[i].header;
      if ((section_kind_may_move (image, header)
           || i == check->plan->replaced_section)
          && is_in (at, header->sh_offset, header->sh_size, end))
        return true;
    }
  return false;
}

static bool
is_of_segment (const struct image *image, uint64_t at, uint64_t *end)
{
  FOR_EACH_SEGMENT (header, image)
    if (segment_kind_may_move (header->p_type)
        && is_in (at, header->p_offset, header->p_filesz, end))
      return true;
  return false;
}

/* Entries are compared one by one (check_dynamic_kept).  */
static bool
is_of_dynamic_entry (const struct image *image, uint64_t at, uint64_t *end)
{
  uint64_t behind = 0, value;
  int64_t tag;
  while (dynamic_next (image, &behind, &tag, &value))
    if (is_in (at, behind - sizeof value, sizeof value, end))
      return true;
  return false;
}

/* Whether the byte at AT is filler that nothing owns.  If so, END is set to
   where such filler ends: asking for each byte would read all headers as
   often.  */
static bool
is_free (const struct image *image, uint64_t at, uint64_t *end)
{
  uint64_t owned = owner_next (image, at, 0).begin;
  for (*end = at; *end < owned && *end < image->size; ++*end)
    if (!byte_is_filler (image->bytes[*end]))
      break;
  return *end > at;
}

/* Whether the byte at file offset AT in LOAD may be another one, with all up
   to *END.  */
static bool
may_differ (const struct check *check, const GElf_Phdr *load, uint64_t at,
            uint64_t *end)
{
  const struct image *image = check->before;
  return is_of_tables (image, at, end) || is_of_section (check, at, end)
         || is_of_segment (image, at, end)
         || is_of_dynamic_entry (image, at, end)
         || (load == owner_of_table (image) && is_free (image, at, end));
}

/* ---- What was mapped.  */

/* Where LOAD has, or would have, the byte at ADDRESS in the file.  */
static uint64_t
offset_in (const GElf_Phdr *load, uint64_t address)
{
  return load->p_offset + (address - load->p_vaddr);
}

/* Whether AFTER has the bytes of BEFORE.  Kernels clear the rest of the page
   behind a BSS only if it has no bytes in the file.  */
static bool
has_bytes (const struct check *check, const GElf_Phdr *before,
           const GElf_Phdr *after)
{
  uint64_t from = before->p_offset, size = before->p_filesz;
  uint64_t to = offset_in (after, before->p_vaddr), end;
  uint64_t after_end = after->p_offset + after->p_filesz;
  for (uint64_t at = 0; check_next_difference (check, from, to, size, &at);
       at = end - from)
    if (!may_differ (check, before, from + at, &end))
      return false;
  if (before->p_memsz == size)
    return true;
  end = offset_in (after, align_up (before->p_vaddr + before->p_memsz,
                                    image_page (check->before)));
  end = end < after_end ? end : after_end;
  return to + size >= end
         || bytes_are_zero (check->after->bytes + to + size,
                            (size_t)(end - (to + size)));
}

bool
check_has_memory (const GElf_Phdr *before, const GElf_Phdr *after)
{
  uint64_t front = before->p_vaddr - after->p_vaddr;
  return before->p_type == PT_LOAD && after->p_type == PT_LOAD
         && front <= after->p_memsz
         && before->p_memsz <= after->p_memsz - front;
}

/* Whether AFTER maps all that BEFORE did.  Only a library's alignment means
   something to loaders.  */
static bool
is_kept (const struct check *check, const GElf_Phdr *before,
         const GElf_Phdr *after)
{
  GElf_Phdr expected = *before;
  /* A segment that has grown in front alone has the same memory behind its
     bytes as before.  */
  uint64_t front = before->p_vaddr - after->p_vaddr;
  bool same_behind = after->p_filesz == before->p_filesz + front
                     && after->p_memsz == before->p_memsz + front;
  expected.p_filesz = after->p_filesz;
  expected.p_memsz = after->p_memsz;
  if (check->before->header.e_type == ET_EXEC
      && after->p_align == image_page (check->before))
    expected.p_align = after->p_align;
  return check_same_header (expected, after)
         && (same_behind || after->p_filesz == after->p_memsz)
         && (after->p_vaddr - before->p_vaddr - after->p_offset
             + before->p_offset)
                    % PAGE_MIN
                == 0
         && has_bytes (check, before, after);
}

/* ---- What is new.  */

bool
check_own_pages (const struct image *image, const GElf_Phdr *own,
                 uint64_t begin, uint64_t end)
{
  uint64_t rest = image_page (image) - 1;
  FOR_EACH_LOAD (other, image)
    if (begin < end && other != own && (other->p_vaddr & ~rest) < end
        && other->p_vaddr + other->p_memsz > (begin & ~rest))
      return false;
  return true;
}

static bool
is_new_load (const struct check *check, const GElf_Phdr *load)
{
  uint64_t page = image_page (check->before);
  const GElf_Phdr expected
      = check_new_segment (check->before, PT_LOAD, load->p_offset,
                           load->p_vaddr, load->p_filesz, page);
  return memcmp (&expected, load, sizeof expected) == 0
         && ((load->p_vaddr - load->p_offset) & (page - 1)) == 0;
}

/* Whether LOAD is one of the old file's, or new.  What it maps and the old
   file did not is in pages of its own.  */
static bool
check_load (const struct check *check, const GElf_Phdr *load, size_t *n_new)
{
  uint64_t end = load->p_vaddr + load->p_memsz;
  const GElf_Phdr none = { .p_vaddr = end }, *old = &none;
  FOR_EACH_LOAD (before, check->before)
    if (before->p_memsz > 0 && check_has_memory (before, load))
      {
        old = before;
        if (!is_kept (check, old, load))
          return check_violated (check, "a segment is lost or damaged", "");
      }
  if (old == &none && ((*n_new)++ > 0 || !is_new_load (check, load)))
    return check_violated (check, "the new segment is wrong", "");
  return (check_own_pages (check->after, load, load->p_vaddr, old->p_vaddr)
          && check_own_pages (check->after, load, old->p_vaddr + old->p_memsz,
                              end))
         || check_violated (check, "the new segment is wrong", "");
}

bool
check_memory_kept (const struct check *check)
{
  size_t n_new = 0;
  FOR_EACH_LOAD (load, check->after)
    if (load->p_memsz > 0 && !check_load (check, load, &n_new))
      return false;
  return true;
}
