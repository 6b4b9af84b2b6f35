/* The self-check's part about segments: whether the old ones are there.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "write/inject_check.h"

#include <string.h>

#include "base/bytes.h"

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

bool
check_is_same_load (const struct check *check, const GElf_Phdr *before,
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

bool
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
      if (before->p_type == PT_LOAD ? check_is_same_load (check, before, after)
                                    : is_same_segment (check, before, after))
        return true;
    }
  return check_violated (check, "a segment is lost or damaged", "");
}
