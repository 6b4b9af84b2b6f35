/* The self-check's part about segments: whether the old ones are there.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "write/inject_check_parts.h"

/* Whether BEFORE, which has bytes, is loaded as AFTER.  Notes and the
   interpreter's name may move.  patchelf 0.14.3 moves the section of
   PT_GNU_PROPERTY, lets a longer table run over the old bytes, and leaves the
   program header as it is.  */
static bool
has_same_bytes (const struct check *check, const GElf_Phdr *before,
                const GElf_Phdr *after)
{
  bool same_place = after->p_offset == before->p_offset
                    && after->p_vaddr == before->p_vaddr;
  if (!check_is_loaded (check->after, after->p_offset, after->p_vaddr, 0)
      && !(same_place
           && !check_is_loaded (check->before, before->p_offset,
                                before->p_vaddr, 0)))
    return false;
  if (!segment_kind_may_move (before->p_type))
    return after->p_vaddr == before->p_vaddr;
  return check_same_bytes (check, before->p_offset, after->p_offset,
                           before->p_filesz)
         || (same_place && segment_is_buried (check->before, before));
}

/* Whether AFTER takes the place of BEFORE.  A PT_NOTE that only repeats
   PT_GNU_PROPERTY may be gone.  */
static bool
is_same_segment (const struct check *check, const GElf_Phdr *before,
                 const GElf_Phdr *after)
{
  GElf_Phdr expected = *before;
  if (before->p_type == PT_LOAD)
    return check_has_memory (before, after);
  if (before->p_type == PT_NOTE && after->p_type == PT_GNU_PROPERTY)
    expected.p_type = PT_GNU_PROPERTY;
  if (!check_same_header (expected, after))
    return false;
  if (before->p_filesz > 0)
    return has_same_bytes (check, before, after);
  return after->p_vaddr == before->p_vaddr
         && (before->p_offset != 0 || after->p_offset == 0);
}

/* A static PIE or a shared library, which no interpreter starts, may lose its
   PT_PHDR.  */
static bool
check_table_segment (const struct check *check, const GElf_Phdr *before)
{
  const GElf_Phdr *table = image_find_segment (check->after, PT_PHDR);
  GElf_Phdr expected = *before;
  expected.p_filesz = expected.p_memsz
      = check->after->n_segments * sizeof (Elf64_Phdr);
  bool good = table == NULL
                  ? check->before->header.e_type == ET_DYN
                        && !image_find_segment (check->before, PT_INTERP)
                  : check_same_header (expected, table)
                        && table->p_offset == check->after->header.e_phoff
                        && check_is_loaded (check->after, table->p_offset,
                                            table->p_vaddr, table->p_filesz);
  return good
         || check_violated (check, "PT_PHDR is not the program header table",
                            "");
}

bool
check_old_segment (const struct check *check, const GElf_Phdr *before)
{
  if (before->p_type == PT_NULL || before->p_type == PT_GNU_SFRAME)
    return true;
  if (before->p_type == PT_PHDR)
    return check_table_segment (check, before);
  FOR_EACH_SEGMENT (segment, check->after)
    if (is_same_segment (check, before, segment))
      return true;
  /* Only notes in another order need a walk.  */
  return (before->p_type == PT_NOTE && check_notes_kept (check, before))
         || check_violated (check, "a segment is lost or damaged", "");
}
