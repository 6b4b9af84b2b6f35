/* The self-check: memory as a loader maps it, and the old segments, as readers
   of the file and a program that reads its own headers find them.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "write/inject_check_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/align.h"
#include "base/bytes.h"
#include "elf/dynamic.h"
#include "elf/notes.h"

/* ---- Memory.

   For every byte of memory that the old file maps, the new file maps the same
   byte with the same rights.  Some bytes may differ: the header tables and the
   fields of the ELF header about them, sections that may move, dynamic
   entries, and filler without an owner.  */

/* Whether AT is in [BEGIN, + SIZE).  Set *END to the end of that range.  */
static bool
is_in (uint64_t at, uint64_t begin, uint64_t size, uint64_t *end)
{
  *end = begin + size;
  return at >= begin && at - begin < size;
}

/* Whether AT is in a header table, or in a field of the ELF header about one.
   Set *END to the end of that table or field.  */
static bool
is_in_tables (const struct image *image, uint64_t at, uint64_t *end)
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

/* Whether the bytes from file offset AT in LOAD up to *END may differ.  */
static bool
may_differ (const struct check *check, const GElf_Phdr *load, uint64_t at,
            uint64_t *end)
{
  const struct image *image = check->before;
  if (is_in_tables (image, at, end))
    return true;
  for (size_t i = 1; i < image->n_sections; i++)
    {
      const GElf_Shdr *header = &image->sections[i].header;
      if ((section_kind_may_move (image, header)
           || i == check->plan->replaced_section)
          && is_in (at, header->sh_offset, header->sh_size, end))
        return true;
    }
  FOR_EACH_SEGMENT (header, image)
    if (segment_kind_may_move (header->p_type)
        && is_in (at, header->p_offset, header->p_filesz, end))
      return true;
  /* check_dynamic_kept compares dynamic entries.  */
  uint64_t behind = 0, value;
  int64_t tag;
  while (dynamic_next (image, &behind, &tag, &value))
    if (is_in (at, behind - sizeof value, sizeof value, end))
      return true;
  if (load != owner_of_table (image))
    return false;
  /* Filler without an owner may differ.  *END is its end, because a call for
     each byte would look at all headers each time.  */
  uint64_t owned = owner_next (image, at, 0).begin;
  for (*end = at; *end < owned && *end < image->size; ++*end)
    if (!byte_is_filler (image->bytes[*end]))
      break;
  return *end > at;
}

/* Return the file offset of ADDRESS if LOAD had bytes there.  */
static uint64_t
offset_in (const GElf_Phdr *load, uint64_t address)
{
  return load->p_offset + (address - load->p_vaddr);
}

/* Whether AFTER has the bytes of BEFORE, and zeros up to the end of the page
   where BEFORE has a BSS: kernels zero the rest of that page only if the BSS
   has no bytes in the file.  */
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

/* Whether both are PT_LOADs, and AFTER has all memory of BEFORE.  */
static bool
has_memory (const GElf_Phdr *before, const GElf_Phdr *after)
{
  uint64_t front = before->p_vaddr - after->p_vaddr;
  return before->p_type == PT_LOAD && after->p_type == PT_LOAD
         && front <= after->p_memsz
         && before->p_memsz <= after->p_memsz - front;
}

/* Whether AFTER maps the bytes that BEFORE did, with the same rights.  The
   alignment of a segment may become that of a page in ET_EXEC files, because
   loaders use that of libraries alone.  */
static bool
is_kept (const struct check *check, const GElf_Phdr *before,
         const GElf_Phdr *after)
{
  GElf_Phdr expected = *before;
  /* A segment that has grown only in front has the same memory behind.  */
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

bool
check_own_pages (const struct image *image, const GElf_Phdr *own,
                 const GElf_Phdr *sharing, uint64_t begin, uint64_t end)
{
  uint64_t rest = image_page (image) - 1;
  FOR_EACH_LOAD (other, image)
    if (begin < end && other != own && other != sharing
        && (other->p_vaddr & ~rest) < end
        && other->p_vaddr + other->p_memsz > (begin & ~rest))
      return false;
  return true;
}

/* Return the first PT_LOAD of the new file if LOAD may share its last page:
   LOAD is behind it, and maps the bytes of that page as it does.  A library is
   mapped by a dynamic linker, which lets one mapping replace another; some
   kernels refuse that.  Otherwise return NULL.  */
static const GElf_Phdr *
find_sharing (const struct check *check, const GElf_Phdr *load)
{
  const GElf_Phdr *first = image_first_load (check->after);
  return image_is_library (check->before) && load > first
                 && load->p_vaddr >= first->p_vaddr + first->p_memsz
                 && load->p_offset >= first->p_offset + first->p_filesz
                 && load->p_vaddr - load->p_offset
                        == first->p_vaddr - first->p_offset
                 && first->p_filesz == first->p_memsz
                 && load->p_flags == first->p_flags
             ? first
             : NULL;
}

/* Whether LOAD is as a new segment has to be, in pages of its own or shared
   with the first segment.  It has code only if it shares pages with code.  */
static bool
is_new_load (const struct check *check, const GElf_Phdr *load)
{
  uint64_t page = image_page (check->before);
  const GElf_Phdr *sharing = find_sharing (check, load);
  GElf_Phdr expected
      = check_new_segment (check->before, PT_LOAD, load->p_offset,
                           load->p_vaddr, load->p_filesz, page);
  if (sharing != NULL)
    expected.p_flags |= sharing->p_flags & PF_X;
  return memcmp (&expected, load, sizeof expected) == 0
         && ((load->p_vaddr - load->p_offset) & (page - 1)) == 0
         && check_own_pages (check->after, load, sharing, load->p_vaddr,
                             load->p_vaddr + load->p_memsz);
}

/* Whether LOAD has all memory of an old PT_LOAD, and what it has more is in
   pages of its own, or LOAD is the only new one.  */
static bool
check_load (const struct check *check, const GElf_Phdr *load, size_t *n_new)
{
  uint64_t end = load->p_vaddr + load->p_memsz;
  const GElf_Phdr *old = NULL;
  FOR_EACH_LOAD (before, check->before)
    if (before->p_memsz > 0 && has_memory (before, load))
      {
        old = before;
        if (!is_kept (check, old, load))
          return check_violated (check, "a segment is lost or damaged", "");
      }
  bool right = old == NULL
                   ? (*n_new)++ == 0 && is_new_load (check, load)
                   : check_own_pages (check->after, load, NULL, load->p_vaddr,
                                      old->p_vaddr)
                         && check_own_pages (check->after, load, NULL,
                                             old->p_vaddr + old->p_memsz, end);
  return right || check_violated (check, "the new segment is wrong", "");
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

/* ---- Notes.

   A note may be anywhere, if a walk over a PT_NOTE comes to it.  There are two
   kinds of walks: most readers align notes as the header says, and Linux,
   which looks for the build-id (lib/buildid.c), to 4 bytes (BY_4).  */

static bool
is_same_note (const struct note *a, const struct note *b)
{
  return a->type == b->type && a->name_size == b->name_size
         && a->size == b->size && memcmp (a->name, b->name, a->name_size) == 0
         && memcmp (a->contents, b->contents, a->size) == 0;
}

/* Whether SEGMENT, a PT_NOTE, may have the notes that BEFORE had.  */
static bool
may_have_notes_of (const struct check *check, const GElf_Phdr *segment,
                   const GElf_Phdr *before)
{
  GElf_Phdr expected = *before;
  expected.p_filesz = expected.p_memsz = segment->p_filesz;
  expected.p_align = segment->p_align;
  return check_same_header (expected, segment)
         && segment->p_filesz <= NOTES_SPAN_MAX
         && segment->p_align >= before->p_align
         && (segment->p_align == 4 || segment->p_align == 8)
         && check_is_loaded (check->after, segment->p_offset, segment->p_vaddr,
                             segment->p_filesz);
}

/* Whether a walk over a new PT_NOTE comes to the note WANTED of BEFORE.  */
static bool
is_found (const struct check *check, const GElf_Phdr *before,
          const struct note *wanted, bool by_4)
{
  const struct image *image = check->after;
  FOR_EACH_SEGMENT (segment, image)
    {
      if (!may_have_notes_of (check, segment, before))
        continue;
      struct note_walk walk = note_walk_segment (image, segment, by_4);
      struct note note;
      while (note_next (&walk, &note))
        if (is_same_note (&note, wanted))
          return true;
    }
  return false;
}

/* Whether the sections of notes in SEGMENT are no larger than those that a
   conversion rearranges.  The limit matters, because these sections are walked
   over for each note of SEGMENT.  */
static bool
sections_are_short (const struct image *image, const GElf_Phdr *segment)
{
  uint64_t rest = NOTES_SPAN_MAX;
  for (size_t i = 1; i < image->n_sections; i++)
    {
      const GElf_Shdr *section = &image->sections[i].header;
      bool meets
          = section->sh_offset - segment->p_offset < segment->p_filesz
            || segment->p_offset - section->sh_offset < section->sh_size;
      if (section->sh_type != SHT_NOTE || !meets)
        continue;
      if (section->sh_size > rest)
        return false;
      rest -= section->sh_size;
    }
  return true;
}

/* Whether a section has a note at file offset OFFSET.  If not, a walk over a
   segment got out of step and took other bytes for a note.  */
static bool
is_note_of_section (const struct image *image, uint64_t offset)
{
  for (size_t i = 1; i < image->n_sections; i++)
    {
      const GElf_Shdr *section = &image->sections[i].header;
      struct note note;
      if (section->sh_type != SHT_NOTE
          || offset - section->sh_offset >= section->sh_size)
        continue;
      struct note_walk walk = note_walk_over (
          image, section->sh_offset, section->sh_size, section->sh_addralign);
      while (note_next (&walk, &note))
        if (section->sh_offset + note.begin == offset)
          return true;
    }
  return false;
}

/* Whether both kinds of walks find all notes of the old PT_NOTE BEFORE.  */
static bool
check_notes_kept (const struct check *check, const GElf_Phdr *before)
{
  const struct image *image = check->before;
  bool program = image_find_segment (image, PT_INTERP) != NULL;
  bool seen = false;
  if (before->p_filesz > NOTES_SPAN_MAX || !sections_are_short (image, before))
    return false;
  for (int by_4 = 0; by_4 <= 1; by_4++)
    {
      struct note_walk walk = note_walk_segment (image, before, by_4);
      struct note note;
      while (note_next (&walk, &note))
        if (is_note_of_section (image, before->p_offset + note.begin))
          {
            seen = true;
            if (note_is_wanted (&note, by_4, program)
                && !is_found (check, before, &note, by_4))
              return false;
          }
    }
  return seen;
}

/* ---- Each old segment */

/* Whether AFTER has the bytes of BEFORE, which are at the same address, unless
   they are notes or the interpreter's name.  A segment may have other bytes if
   segment_is_overwritten: patchelf 0.14.3 moves the section of
   PT_GNU_PROPERTY, lets a longer table overwrite the old bytes, and does not
   change the program header.  */
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
         || (same_place && segment_is_overwritten (check->before, before));
}

/* Whether AFTER stands for BEFORE in the new file.  A PT_GNU_PROPERTY may
   stand for a PT_NOTE that repeats it.  */
static bool
is_same_segment (const struct check *check, const GElf_Phdr *before,
                 const GElf_Phdr *after)
{
  GElf_Phdr expected = *before;
  if (before->p_type == PT_LOAD)
    return has_memory (before, after);
  if (before->p_type == PT_NOTE && after->p_type == PT_GNU_PROPERTY)
    expected.p_type = PT_GNU_PROPERTY;
  if (!check_same_header (expected, after))
    return false;
  if (before->p_filesz > 0)
    return has_same_bytes (check, before, after);
  return after->p_vaddr == before->p_vaddr
         && (before->p_offset != 0 || after->p_offset == 0);
}

/* Whether PT_PHDR is right.  A static PIE or a shared library may lose it.  */
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

/* Whether the old segment BEFORE is in the new file, or need not be there.  */
static bool
check_old_segment (const struct check *check, const GElf_Phdr *before)
{
  if (before->p_type == PT_NULL || before->p_type == PT_GNU_SFRAME)
    return true;
  if (before->p_type == PT_PHDR)
    return check_table_segment (check, before);
  FOR_EACH_SEGMENT (segment, check->after)
    if (is_same_segment (check, before, segment))
      return true;
  /* Only rearranged notes need walks.  */
  return (before->p_type == PT_NOTE && check_notes_kept (check, before))
         || check_violated (check, "a segment is lost or damaged", "");
}

/* Whether the old file has a segment of the same type, flags and alignment as
   SEGMENT.  The alignment of a PT_NOTE may differ: grow-down copies notes out
   of a PT_NOTE that stays, and makes a new PT_NOTE of them.  */
static bool
is_of_old_kind (const struct check *check, const GElf_Phdr *segment)
{
  bool notes = segment->p_type == PT_NOTE
               && (segment->p_align == 4 || segment->p_align == 8);
  FOR_EACH_SEGMENT (old, check->before)
    if (old->p_type == segment->p_type
        && (old->p_type == PT_LOAD || old->p_type == PT_NULL
            || (old->p_flags == segment->p_flags
                && (old->p_align == segment->p_align || notes))))
      return true;
  return false;
}

bool
check_segments_kept (const struct check *check)
{
  const struct image *before = check->before, *after = check->after;
  if (owner_of_table (before) && !owner_of_table (after))
    return check_violated (check, "the program header table is not loaded",
                           "");
  FOR_EACH_SEGMENT (segment, before)
    if (!check_old_segment (check, segment))
      return false;
  FOR_EACH_SEGMENT (segment, after)
    if (segment->p_type != PT_GNU_SFRAME && !is_of_old_kind (check, segment))
      return check_violated (check, "a segment of another kind", "");
  return true;
}

/* ---- What a program sees.

   A program finds its ELF header by __ehdr_start, whose address a conversion
   does not change, and the program headers by that header.  Some programs then
   take p_offset for a distance from the ELF header.  If they found the bytes
   of a segment by it in the old file, they must do so in the new one.  */

/* Return the file offset of the byte loaded at ADDRESS; SIZE_MAX for none.  */
static uint64_t
offset_of (const struct image *image, uint64_t address)
{
  const uint8_t *at = image_bytes_at (image, address, 1);
  return at == NULL ? SIZE_MAX : (uint64_t)(at - image->bytes);
}

/* Decode SIZE bytes of TYPE, which IMAGE loads at ADDRESS.  */
static bool
read_loaded (const struct image *image, uint64_t address, Elf_Type type,
             void *to, size_t size)
{
  Elf_Data from = { .d_buf = (void *)image_bytes_at (image, address, size),
                    .d_type = type,
                    .d_version = EV_CURRENT,
                    .d_size = size };
  Elf_Data into = from;
  into.d_buf = to;
  return from.d_buf != NULL
         && elf64_xlatetom (&into, &from, image->header.e_ident[EI_DATA])
                != NULL;
}

/* Read the program headers to which the ELF header of SEEN, a copy of IMAGE,
   leads from address BASE.  Change their offsets from BASE to file
   offsets.  */
static bool
read_segments (struct image *seen, const struct image *image, uint64_t base)
{
  uint64_t table = base + seen->header.e_phoff;
  seen->n_segments = seen->header.e_phnum;
  seen->header.e_phoff = offset_of (image, table);
  if (!read_loaded (image, table, ELF_T_PHDR, seen->segments,
                    seen->n_segments * sizeof (Elf64_Phdr)))
    return false;
  for (size_t i = 0; i < seen->n_segments; i++)
    if (image_segment_has_bytes (&seen->segments[i]))
      seen->segments[i].p_offset
          = offset_of (image, base + seen->segments[i].p_offset);
  return true;
}

/* Whether SEEN has all old segments.  A segment with bytes counts only if its
   offset was its distance from BASE, the address of the ELF header: in other
   cases no program could find it so.  */
static bool
check_segments_seen (const struct check *check, const struct image *seen,
                     uint64_t base)
{
  struct check view = *check;
  view.after = seen;
  FOR_EACH_SEGMENT (old, check->before)
    if ((old->p_filesz == 0
         || (image_segment_has_bytes (old)
             && old->p_vaddr - old->p_offset == base))
        && !check_old_segment (&view, old))
      return false;
  return true;
}

/* Whether the ELF header at address BASE is that of the file, but for the
   program header table, and leads to a table with all old segments.  */
static bool
check_seen_from (const struct check *check, uint64_t base)
{
  const struct image *after = check->after;
  struct image seen = *after;
  bool found = read_loaded (after, base, ELF_T_EHDR, &seen.header,
                            sizeof seen.header);
  GElf_Ehdr expected = after->header;
  expected.e_phoff = seen.header.e_phoff;
  expected.e_phnum = seen.header.e_phnum;
  if (!found || memcmp (&expected, &seen.header, sizeof expected) != 0)
    return check_violated (check, "other ELF header in memory", "");
  seen.segments = calloc (seen.header.e_phnum + 1u, sizeof seen.segments[0]);
  if (seen.segments == NULL)
    return error_set_no_memory (check->err);
  bool good = read_segments (&seen, after, base)
                  ? check_segments_seen (check, &seen, base)
                  : check_violated (check, "no table where it was", "");
  free (seen.segments);
  return good;
}

bool
check_seen_from_memory (const struct check *check)
{
  FOR_EACH_LOAD (load, check->before)
    if (load->p_offset == 0 && load->p_filesz >= sizeof (Elf64_Ehdr))
      return check_seen_from (check, load->p_vaddr);
  return true;
}
