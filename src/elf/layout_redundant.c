/* Program headers that say nothing new, and whose slots can be had for that.
   SPDX-License-Identifier: LGPL-2.1-or-later

   doc/injection has who reads these headers and how they find what they look
   for without them.  */

#include "elf/layout_job.h"

#include "base/bytes.h"

enum
{
  NOTE_HEADER = 12,
  NOTES_MAX = 256,       /* in one segment; a handful is usual */
  NOTE_SEGMENTS_MAX = 16 /* more than real files have */
};

/* In elf.h since glibc 2.26.  */
#define FLAG_1_PIE 0x08000000

/* A library is mapped by a dynamic linker, which knows where the table is;
   only programs are told by PT_PHDR where they were loaded.  */
static bool
is_library (const struct layout_job *job)
{
  const struct image *image = job->image;
  uint64_t value;
  return image->header.e_type == ET_DYN && !job->loader
         && image_find_segment (image, PT_INTERP) == NULL
         && !(dynamic_find (image, DT_FLAGS_1, &value) && (value & FLAG_1_PIE))
         && (image->header.e_entry == 0
             || dynamic_find (image, DT_SONAME, &value));
}

static uint64_t
align_up (uint64_t value, uint64_t align)
{
  return (value + align - 1) & ~(align - 1);
}

/* Walk over the notes in [*AT, END), aligned to ALIGN.  Gives the offset of
   the next one and moves *AT behind it; 0 at the end, and UINT64_MAX where
   something else is.  */
static uint64_t
next_note (const struct image *image, uint64_t *at, uint64_t end,
           uint64_t align)
{
  uint64_t note = *at;
  if (note >= end)
    return 0;
  if (end - note < NOTE_HEADER)
    return UINT64_MAX;
  const uint8_t *bytes = image->bytes + note;
  uint64_t name = load_u32 (bytes, image->big_endian);
  uint64_t contents = load_u32 (bytes + 4, image->big_endian);
  uint64_t content = align_up (note + NOTE_HEADER + name, align);
  if (name == 0 || content > end || contents > end - content)
    return UINT64_MAX;
  *at = align_up (content + contents, align);
  return note;
}

/* Whether [BEGIN, END) holds notes for readers that align them to ALIGN, and
   one of them begins at MIDDLE.  */
static bool
notes_are_clear (const struct image *image, uint64_t begin, uint64_t middle,
                 uint64_t end, uint64_t align)
{
  bool seen = false;
  for (int i = 0; i < NOTES_MAX; i++)
    {
      uint64_t note = next_note (image, &begin, end, align);
      if (note == 0 || note == UINT64_MAX)
        return note == 0 && seen;
      seen |= note == middle;
    }
  return false;
}

static bool
is_plain_note (const GElf_Phdr *segment)
{
  return segment->p_type == PT_NOTE && segment->p_filesz > 0
         && segment->p_filesz == segment->p_memsz
         && (segment->p_align == 4 || segment->p_align == 8)
         && (segment->p_offset & (segment->p_align - 1)) == 0;
}

/* Whether SECOND begins where FIRST ends, so that one header can say both.
   The larger alignment is kept: Qt looks at PT_NOTEs of alignment 8 only.  The
   last note's padding is left out: patchelf wants a section to end there.  */
static bool
notes_join (const struct image *image, size_t first, size_t second,
            bool by_4_too, struct note_union *notes)
{
  const GElf_Phdr *a = &image->segments[first], *b = &image->segments[second];
  uint64_t align = a->p_align > b->p_align ? a->p_align : b->p_align;
  uint64_t end = b->p_offset + b->p_filesz;
  if (a->p_flags != b->p_flags
      || a->p_vaddr - a->p_offset != b->p_vaddr - b->p_offset
      || a->p_paddr - a->p_vaddr != b->p_paddr - b->p_vaddr
      || align_up (a->p_offset + a->p_filesz, b->p_align) != b->p_offset
      || (a->p_offset & (align - 1)) != 0
      || !notes_are_clear (image, a->p_offset, b->p_offset, end, align)
      || (by_4_too
          && !notes_are_clear (image, a->p_offset, b->p_offset, end, 4)))
    return false;
  *notes = (struct note_union){ .kept = first < second ? first : second,
                                .taken = first < second ? second : first,
                                .offset = a->p_offset,
                                .address = a->p_vaddr,
                                .physical = a->p_paddr,
                                .size = end - a->p_offset,
                                .align = align };
  return true;
}

/* Readers that follow p_align find everything in the union; Linux aligns all
   notes to 4 bytes (lib/buildid.c), so it should better not matter.  */
static bool
find_note_union (const struct image *image, struct header_slots *slots)
{
  struct note_union *notes = &slots->notes;
  size_t plain[NOTE_SEGMENTS_MAX], n = 0;
  for (size_t i = 0; i < image->n_segments && n < NOTE_SEGMENTS_MAX; i++)
    if (is_plain_note (&image->segments[i]) && !slots_have_taken (slots, i))
      plain[n++] = i;
  for (int by_4_too = 1; by_4_too >= 0; by_4_too--)
    for (size_t i = 0; i < n; i++)
      for (size_t k = 0; k < n; k++)
        if (i != k && notes_join (image, plain[i], plain[k], by_4_too, notes))
          return true;
  return false;
}

void
slots_take_redundant (const struct layout_job *job, struct header_slots *slots,
                      size_t n)
{
  const struct image *image = job->image;
  bool library = is_library (job);
  for (size_t i = 0; i < image->n_segments && slots->n_taken < n; i++)
    if (library && image->segments[i].p_type == PT_PHDR)
      slots->taken[slots->n_taken++] = i;
  if (slots->n_taken < n && find_note_union (image, slots))
    slots->taken[slots->n_taken++] = slots->notes.taken;
}
