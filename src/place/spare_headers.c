/* Program headers that can be dropped: those that no reader needs, and
   PT_NOTEs when one of them gets all notes.
   SPDX-License-Identifier: LGPL-2.1-or-later

   doc/formats/injection, "Headers that can be dropped", lists readers.  */

#include "place/spare_headers.h"

#include <string.h>

#include "base/align.h"
#include "elf/dynamic.h"
#include "elf/notes.h"
#include "place/eviction.h"
#include "place/facts.h"

enum
{
  NOTES_MAX = 256 /* notes that walk_finds looks at */
};

static void
set_table_end (const struct image *image, struct spare_headers *spare)
{
  /* More headers may be dropped than are added.  */
  spare->table_end = segment_table_range (image).end
                     + spare->n_wanted * sizeof (Elf64_Phdr)
                     - spare->dropped.n * sizeof (Elf64_Phdr);
}

/* Whether IMAGE was linked with the start files of glibc, which have an ABI
   tag.  Each PT_NOTE is walked twice, by its own alignment and by 4, because
   mold 1.10 lets a walk by its own alignment get out of step.  */
static bool
has_abi_tag (const struct image *image)
{
  for (size_t i = 0; i < 2 * image->n_segments; i++)
    {
      const GElf_Phdr *segment = &image->segments[i / 2];
      struct note_walk walk = note_walk_segment (image, segment, i % 2 != 0);
      struct note note;
      while (note_next (&walk, &note))
        if (note_is (&note, "GNU", NT_GNU_ABI_TAG))
          return true;
    }
  return false;
}

/* Whether some reader needs the PT_PHDR of the old file.  Programs find out
   from it where they were loaded.  The dynamic linker knows where it has
   mapped a library, and glibc computes the address of a static PIE from that
   of its dynamic section.  libunwind 1.8 computes from it by how much
   addresses and offsets differ; without it, it takes them for equal.  */
static bool
pt_phdr_is_needed (const struct layout *layout)
{
  const struct image *image = layout->image;
  const GElf_Phdr *table = image_find_segment (image, PT_PHDR);
  uint64_t value;
  if (image->header.e_type != ET_DYN || layout->loader
      || (table != NULL && table->p_vaddr != table->p_offset)
      || image_find_segment (image, PT_INTERP) != NULL)
    return true;
  if (dynamic_find (image, DT_FLAGS_1, &value) && (value & FLAG_1_PIE))
    return !has_abi_tag (image);
  return !image_is_library (image);
}

void
spare_headers_drop (const struct layout *layout, struct spare_headers *spare,
                    bool pt_phdr)
{
  const struct image *image = layout->image;
  struct segment_set *dropped = &spare->dropped;
  segment_set_add_type (image, dropped, spare->n_wanted, PT_GNU_SFRAME);
  segment_set_add_type (image, dropped, spare->n_wanted, PT_NULL);
  /* A PT_NOTE that repeats PT_GNU_PROPERTY.  */
  const GElf_Phdr *property = image_find_segment (image, PT_GNU_PROPERTY);
  GElf_Phdr doubled = property != NULL ? *property : (GElf_Phdr){ 0 };
  doubled.p_type = PT_NOTE;
  for (size_t i = 0; i < image->n_segments && dropped->n < spare->n_wanted;
       i++)
    if (doubled.p_filesz > 0
        && memcmp (&doubled, &image->segments[i], sizeof doubled) == 0)
      dropped->indices[dropped->n++] = i;
  if (pt_phdr && !pt_phdr_is_needed (layout))
    segment_set_add_type (image, dropped, spare->n_wanted, PT_PHDR);
  set_table_end (image, spare);
}

/* ---- One PT_NOTE for all notes

   Notes to which code refers are fixed.  The others are put behind them, or
   stay next to them, so that one PT_NOTE has all notes.  That frees the
   entries of the other PT_NOTEs, and the bytes in front of the fixed notes.
   An arrangement is good only if all readers find in it the notes that they
   found before (arrangement_keeps_notes).  */

/* Collect all PT_NOTEs that are not dropped already.  False unless all are in
   LOAD and alike, so that one header can say what they say.  Their physical
   addresses must be equal, or all equal to the virtual ones, because
   segment_move changes only the latter.  */
static bool
collect_segments (const struct layout *layout,
                  const struct spare_headers *spare, const GElf_Phdr *load,
                  struct gathered_notes *notes)
{
  const GElf_Phdr *segments = layout->image->segments;
  for (size_t i = 0; i < layout->image->n_segments; i++)
    {
      const GElf_Phdr *note = &segments[i];
      if (note->p_type != PT_NOTE || note->p_filesz == 0
          || segment_set_has (&spare->dropped, i))
        continue;
      if (notes->n_segments == NOTE_SECTIONS_MAX
          || note->p_filesz != note->p_memsz
          || (note->p_align != 4 && note->p_align != 8)
          || note->p_vaddr - note->p_offset != load->p_vaddr - load->p_offset
          || note->p_offset < load->p_offset
          || note->p_offset + note->p_filesz > load->p_offset + load->p_filesz)
        return false;
      notes->segments[notes->n_segments++] = i;
      const GElf_Phdr *first = &segments[notes->segments[0]];
      if (note->p_flags != first->p_flags
          || (note->p_paddr != first->p_paddr
              && (note->p_paddr != note->p_vaddr
                  || first->p_paddr != first->p_vaddr)))
        return false;
      if (note->p_align > notes->align)
        notes->align = note->p_align;
    }
  return notes->n_segments > 0;
}

/* Whether a collected PT_NOTE has all of the section of HEADER.  */
static bool
is_in_segment (const struct image *image, const struct gathered_notes *notes,
               const GElf_Shdr *header)
{
  for (size_t i = 0; i < notes->n_segments; i++)
    {
      const GElf_Phdr *note = &image->segments[notes->segments[i]];
      if (header->sh_offset >= note->p_offset
          && header->sh_size <= note->p_filesz
          && header->sh_offset - note->p_offset
                 <= note->p_filesz - header->sh_size)
        return true;
    }
  return false;
}

/* Collect the sections of notes in the collected PT_NOTEs, sorted, and find
   out which are fixed.  False if there is no fixed one.  */
static bool
collect_sections (const struct layout *layout, struct gathered_notes *notes)
{
  const struct image *image = layout->image;
  struct note_section *sections = notes->sections;
  for (size_t i = 1; i < image->n_sections; i++)
    {
      const GElf_Shdr *header = &image->sections[i].header;
      if (header->sh_type != SHT_NOTE || header->sh_size == 0
          || !is_in_segment (image, notes, header))
        continue;
      if (notes->n_sections == NOTE_SECTIONS_MAX)
        return false;
      size_t at = notes->n_sections++;
      for (; at > 0 && sections[at - 1].begin > header->sh_offset; at--)
        sections[at] = sections[at - 1];
      sections[at] = (struct note_section){
        .begin = header->sh_offset,
        .end = header->sh_offset + header->sh_size,
        .align = note_align (header->sh_addralign),
        .fixed = !section_may_move (layout, i),
      };
    }
  size_t n = notes->n_sections, first = 0, last = n;
  while (first < n && !sections[first].fixed)
    first++;
  while (last > first && !sections[last - 1].fixed)
    last--;
  notes->first_fixed = first;
  notes->last_fixed = last - 1;
  return first < n
         && sections[n - 1].end - sections[0].begin <= NOTES_SPAN_MAX;
}

/* Whether section INDEX moves behind the fixed ones.  A section in front of
   them does if it begins in front of EARLIEST, one behind them if
   BEHIND_TOO.  */
static bool
goes_behind (const struct gathered_notes *notes, bool behind_too, size_t index,
             uint64_t earliest)
{
  if (index > notes->last_fixed)
    return behind_too;
  return index < notes->first_fixed && notes->sections[index].begin < earliest;
}

/* Give NOTE its place at *AT or, to keep an alignment of 8, behind a new,
   empty note.  Move *AT behind it.  False after too many empty notes.  */
static bool
put_behind (struct gathered_notes *notes, struct note_section *note,
            uint64_t *at)
{
  if (notes->align == 8 && *at % 8 != 0)
    {
      if (notes->n_fillers == NOTE_FILLERS_MAX)
        return false;
      uint64_t place = align_up (*at, 8);
      notes->fillers[notes->n_fillers++] = place;
      *at = place + NOTE_FILLER_SIZE;
    }
  note->new_offset = align_up (*at, note->align);
  notes->end = note->new_offset + (note->end - note->begin);
  *at = align_up (notes->end, 4);
  return true;
}

/* Return the end of SECTION's notes if they are aligned to 4 bytes.  */
static uint64_t
end_by_4 (const struct image *image, const struct note_section *section)
{
  struct note_walk walk = note_walk_over (
      image, section->begin, section->end - section->begin, section->align);
  struct note note = { 0 };
  while (note_next (&walk, &note))
    continue;
  return section->begin + align_up (note.end, 4);
}

/* Place all sections of notes, none of them in front of EARLIEST, and set the
   range of the new PT_NOTE.  False if they cannot be placed.  */
static bool
arrange (const struct layout *layout, struct gathered_notes *notes,
         bool behind_too, uint64_t earliest)
{
  struct note_section *sections = notes->sections;
  notes->last_unmoved = notes->last_fixed;
  for (size_t i = 0; i < notes->n_sections; i++)
    {
      sections[i].new_offset = sections[i].begin;
      if (i > notes->last_fixed && !behind_too)
        notes->last_unmoved = i;
    }
  const struct note_section *last = &sections[notes->last_unmoved];
  uint64_t at = end_by_4 (layout->image, last);
  notes->end = last->end;
  /* Sections of a size that keeps an alignment of 8 come first.  */
  for (int odd = 0; odd <= 1; odd++)
    for (size_t i = 0; i < notes->n_sections; i++)
      if (goes_behind (notes, behind_too, i, earliest)
          && (align_up (sections[i].end - sections[i].begin, 4) % 8 != 0)
                 == odd
          && !put_behind (notes, &sections[i], &at))
        return false;
  notes->begin = UINT64_MAX;
  for (size_t i = 0; i < notes->n_sections; i++)
    if (sections[i].new_offset < notes->begin)
      notes->begin = sections[i].new_offset;
  return notes->begin >= earliest && notes->begin % notes->align == 0
         && notes->end - notes->begin <= NOTES_SPAN_MAX;
}

/* Whether WALK, over bytes at OFFSET, comes to a note at offset WANTED.  */
static bool
walk_finds (struct note_walk walk, uint64_t offset, uint64_t wanted)
{
  struct note note;
  for (size_t n = 0; n < NOTES_MAX && note_next (&walk, &note); n++)
    if (offset + note.begin == wanted)
      return true;
  return false;
}

/* Whether a walk over BYTES, those of the new PT_NOTE, comes to each note that
   some reader looks for and that a walk over an old PT_NOTE comes to.  BY_4:
   the walks align notes to 4 bytes, whatever the header says.  Only notes of
   sections count: a walk out of step takes other bytes for notes.  */
static bool
walk_keeps_notes (const struct image *image,
                  const struct gathered_notes *notes, const uint8_t *bytes,
                  bool by_4)
{
  const struct note_walk after
      = { bytes, notes->end - notes->begin, by_4 ? 4 : notes->align,
          image->big_endian, 0 };
  bool program = image_find_segment (image, PT_INTERP) != NULL;
  struct note note;
  for (size_t i = 0; i < notes->n_segments; i++)
    for (size_t k = 0; k < notes->n_sections; k++)
      {
        const GElf_Phdr *segment = &image->segments[notes->segments[i]];
        const struct note_walk before
            = note_walk_segment (image, segment, by_4);
        const struct note_section *section = &notes->sections[k];
        struct note_walk walk
            = note_walk_over (image, section->begin,
                              section->end - section->begin, section->align);
        while (note_next (&walk, &note))
          if (note_is_wanted (&note, by_4, program)
              && walk_finds (before, segment->p_offset,
                             section->begin + note.begin)
              && !walk_finds (after, notes->begin,
                              section->new_offset + note.begin))
            return false;
      }
  return true;
}

/* Whether sections of notes overlap in the new file.  */
static bool
has_collision (const struct gathered_notes *notes)
{
  for (size_t i = 0; i < notes->n_sections; i++)
    for (size_t k = 0; k < i; k++)
      {
        const struct note_section *a = &notes->sections[i];
        const struct note_section *b = &notes->sections[k];
        if (a->new_offset < b->new_offset + (b->end - b->begin)
            && b->new_offset < a->new_offset + (a->end - a->begin))
          return true;
      }
  return false;
}

/* Whether readers find in the new PT_NOTE the notes that they found in the old
   ones: those that align notes as the header says, and those that align to
   4.  */
static bool
arrangement_keeps_notes (const struct image *image,
                         const struct gathered_notes *notes)
{
  uint8_t bytes[NOTES_SPAN_MAX]; /* of the new PT_NOTE */
  if (has_collision (notes))
    return false;
  memset (bytes, 0, notes->end - notes->begin);
  for (size_t i = 0; i < notes->n_sections; i++)
    {
      const struct note_section *note = &notes->sections[i];
      memcpy (bytes + (note->new_offset - notes->begin),
              image->bytes + note->begin, note->end - note->begin);
    }
  for (size_t i = 0; i < notes->n_fillers; i++)
    note_filler_write (bytes + (notes->fillers[i] - notes->begin),
                       image->big_endian);
  return walk_keeps_notes (image, notes, bytes, true)
         && walk_keeps_notes (image, notes, bytes, false);
}

bool
spare_headers_gather_notes (const struct layout *layout,
                            struct spare_headers *spare, const GElf_Phdr *load,
                            bool behind_too)
{
  struct gathered_notes *notes = &spare->notes;
  *notes = (struct gathered_notes){ .align = 4 };
  if (!collect_segments (layout, spare, load, notes)
      || !collect_sections (layout, notes)
      || spare->dropped.n + notes->n_segments - 1 > SEGMENTS_DROPPED_MAX)
    return false;
  for (size_t i = 1; i < notes->n_segments; i++)
    spare->dropped.indices[spare->dropped.n++] = notes->segments[i];
  set_table_end (layout->image, spare);
  return arrange (layout, notes, behind_too, spare->table_end)
         && arrangement_keeps_notes (layout->image, notes);
}
