/* Strategy grow-down: .sframe and a longer program header table in front of a
   program at a fixed address.
   SPDX-License-Identifier: LGPL-2.1-or-later

   This is for programs in which no section behind the table may move, because
   code or symbols refer to it: 46 of 4,291 files (doc/formats/injection, "How
   often"), all of them ET_EXEC: LLVM's and GCC's programs, valgrind's tools,
   node, busybox.  The new bytes lie in front of the old file, in its first
   segment.  */

#include <stdlib.h>
#include <string.h>

#include "base/align.h"
#include "place/eviction.h"
#include "place/facts.h"
#include "place/layout.h"

enum
{
  ADDRESS_MIN = 0x10000 /* vm.mmap_min_addr as distributions set it */
};

/* The bytes in front of the old file, and the tables of the two ELF headers:

     base - distance                                 base
     new header  new table  notes  TABLE  .sframe    old header  old table  ...
     '-- e_phoff --^                 ^--- e_phoff ---'

   __ehdr_start still names the old header.  A program that reads it finds
   TABLE by e_phoff, and everything else by p_offset, as if the file began with
   the old header.  So offsets in TABLE of bytes in front of the old header are
   distances modulo 2^64, as is e_phoff.

   The notes are copies of those that readers of core files look for, which
   have to be in the first page of the file.  The old notes also stay: code may
   have their address.  */
struct front
{
  struct chunk notes[NOTE_SECTIONS_MAX];
  size_t n_notes;
  size_t n_looked_at;    /* number of chunks looked at, copied or not */
  size_t n_with_segment; /* first notes, whose own PT_NOTEs name the copies */
  struct interval rest;  /* range of the other copies, which get a PT_NOTE */
  uint64_t table;        /* offset of TABLE */
  size_t n_headers;      /* number of entries of TABLE */
  uint64_t sframe;       /* offset of .sframe */
  uint64_t distance;     /* by which the old file shifts */
};

/* ---- The notes */

/* Add the chunk at OFFSET to front->notes, if chunk_find_notes says that it
   may be copied.  WITHOUT_PT_NOTE: its PT_NOTE stays.  Only the first
   NOTE_SECTIONS_MAX chunks are looked at, because each is compared with all
   sections.  */
static void
add_note (const struct layout *layout, struct front *front, uint64_t offset,
          bool without_pt_note)
{
  struct chunk chunk = { .without_pt_note = without_pt_note };
  const GElf_Phdr *load = image_first_load (layout->image);
  for (size_t i = 0; i < front->n_notes; i++)
    if (offset - front->notes[i].offset < front->notes[i].size)
      return;
  if (offset < load->p_filesz && front->n_looked_at++ < NOTE_SECTIONS_MAX
      && chunk_find_notes (layout, offset, load, &chunk)
      && chunk.offset + chunk.size <= FIRST_PAGE)
    front->notes[front->n_notes++] = chunk;
}

/* Find the notes to copy: whole PT_NOTEs, then sections of other PT_NOTEs.  */
static void
find_notes (const struct layout *layout, struct front *front)
{
  const struct image *image = layout->image;
  FOR_EACH_SEGMENT (segment, image)
    if (segment->p_type == PT_NOTE)
      add_note (layout, front, segment->p_offset, false);
  front->n_with_segment = front->n_notes;
  FOR_EACH_SECTION (section, image)
    {
      const GElf_Shdr *header = &section->header;
      bool found = false;
      if (header->sh_type != SHT_NOTE || header->sh_flags != SHF_ALLOC
          || header->sh_size == 0)
        continue;
      FOR_EACH_SEGMENT (note, image)
        found |= note->p_type == PT_NOTE
                 && header->sh_offset - note->p_offset < note->p_filesz;
      if (found)
        add_note (layout, front, header->sh_offset, true);
    }
}

/* Whether some copied notes need a new PT_NOTE.  */
static bool
needs_pt_note (const struct front *front)
{
  return front->n_notes > front->n_with_segment;
}

/* Copy the notes to the front, and let their section and program headers name
   the copies.  All offsets in the layout have the distance added already.  */
static bool
commit_notes (struct layout *layout, const struct front *front)
{
  uint64_t begin = image_first_load (layout->image)->p_vaddr - front->distance;
  for (size_t i = 0; i < front->n_notes; i++)
    {
      struct chunk chunk = front->notes[i];
      uint8_t *copy = plan_add_patch (layout->plan, chunk.new_offset,
                                      (size_t)chunk.size, layout->err);
      if (copy == NULL)
        return false;
      memcpy (copy, layout->image->bytes + chunk.offset, (size_t)chunk.size);
      chunk.new_address = begin + chunk.new_offset;
      chunk.new_offset -= front->distance;
      chunk_update_headers (layout, &chunk);
    }
  if (needs_pt_note (front))
    layout->segments[layout->n_segments++] = layout_new_segment (
        layout, PT_NOTE, front->rest, begin + front->rest.begin, 4);
  return true;
}

/* Place the notes, TABLE and .sframe in front of the old file.  The new table
   has an entry to spare.  False if the first page is too small.  */
static bool
front_arrange (struct front *front, size_t n_old)
{
  front->n_headers = n_old + 2 + needs_pt_note (front);
  uint64_t size = front->n_headers * sizeof (Elf64_Phdr);
  uint64_t at = sizeof (Elf64_Ehdr) + size;
  for (size_t i = 0; i < front->n_notes; i++)
    {
      struct chunk *chunk = &front->notes[i];
      align_to_residue (&at, chunk->offset, chunk->align);
      if (i == front->n_with_segment)
        front->rest.begin = at;
      chunk->new_offset = at;
      at += chunk->size;
    }
  front->rest.end = at;
  front->table = align_up (at, 8);
  front->sframe = front->table + size;
  return front->n_notes == 0 || at <= FIRST_PAGE;
}

/* ---- How far the file shifts */

static uint64_t
largest_align (const struct layout *layout)
{
  uint64_t align = layout->page;
  FOR_EACH_LOAD (load, layout->image)
    if (load->p_align > align)
      align = load->p_align;
  return align;
}

/* Set *DISTANCE to NEEDED bytes, rounded up to ALIGN.  Whether the program is
   at an address high enough for that, and the padding not too large.  */
static bool
grow_fits (const struct layout *layout, uint64_t needed, uint64_t align,
           uint64_t *distance)
{
  uint64_t base = image_first_load (layout->image)->p_vaddr;
  return align_up_checked (needed, align, distance) && *distance <= base
         && *distance - needed <= GROWTH_MAX && base - *distance >= ADDRESS_MIN
         && layout->image->size + *distance > layout->image->size;
}

/* Whether address and offset of each PT_NOTE, PT_INTERP and PT_GNU_PROPERTY
   have the same difference as those of the PT_LOAD with its bytes.  Without
   that, the self-check would not find the notes once offsets have changed.  */
static bool
offsets_agree (const struct image *image)
{
  FOR_EACH_SEGMENT (segment, image)
    {
      const GElf_Phdr *load = load_of (image, segment_range (image, segment));
      if (segment_kind_may_move (segment->p_type)
          && image_segment_has_bytes (segment)
          && (load == NULL
              || segment->p_vaddr - segment->p_offset
                     != load->p_vaddr - load->p_offset))
        return false;
    }
  return true;
}

/* Set front->distance: a multiple of the largest alignment of a segment, so
   that addresses and offsets still agree.  A program linked for huge pages may
   be at too low an address for that.  Then the distance is a multiple of the
   page alone, and the segments lose their alignment, which loaders require of
   libraries alone.  False with layout->reason.  */
static bool
grow_distance (struct layout *layout, struct front *front)
{
  const GElf_Phdr *load = image_first_load (layout->image);
  if (layout->image->header.e_type != ET_EXEC)
    return layout_reject (layout, "only a program at a fixed address can grow "
                                  "downwards");
  if (load->p_offset != 0 || (load->p_flags & PF_W)
      || layout->image->header.e_phoff != sizeof (Elf64_Ehdr)
      || owner_of_table (layout->image) != load)
    return layout_reject (layout,
                          "the headers are not at the start of a read-only "
                          "segment");
  if (!offsets_agree (layout->image))
    return layout_reject (layout, "addresses and offsets of what headers "
                                  "name do not agree");
  find_notes (layout, front);
  if (!front_arrange (front, layout->image->n_segments))
    return layout_reject (layout, "no room for the notes in the first page");
  uint64_t needed = front->sframe + layout->plan->sframe_size;
  if (!grow_fits (layout, needed, largest_align (layout), &front->distance)
      && !grow_fits (layout, needed, layout->page, &front->distance))
    return layout_reject (layout, "no room in front of the program");
  return layout_may_shift (layout, 0);
}

/* Let the first segment begin DISTANCE earlier, and add DISTANCE to all other
   offsets in the headers, but for segments without bytes (PT_GNU_STACK).  */
static void
grow_headers (struct layout *layout, uint64_t distance)
{
  const GElf_Phdr *first = image_first_load (layout->image);
  for (size_t i = 0; i < layout->n_segments; i++)
    {
      GElf_Phdr *segment = &layout->segments[i];
      if (&layout->image->segments[i] == first || segment->p_type == PT_PHDR)
        {
          segment_move (segment, 0, -distance);
          if (segment->p_type == PT_LOAD)
            {
              segment->p_filesz += distance;
              segment->p_memsz += distance;
            }
        }
      else if (segment->p_type != PT_NULL
               && (segment->p_filesz > 0 || segment->p_offset > 0)
               && segment_has_offset (layout->image,
                                      &layout->image->segments[i]))
        segment->p_offset += distance;
      if (segment->p_type == PT_LOAD && segment->p_align > layout->page
          && (distance & (segment->p_align - 1)) != 0)
        segment->p_align = layout->page;
    }
  for (size_t i = 1; i < layout->n_sections; i++)
    if (layout->sections[i].sh_type != SHT_NULL)
      layout->sections[i].sh_offset += distance;
}

/* Fill in TABLE.  In it the first segment is as it was, and another PT_LOAD
   has the bytes in front of it.  Static glibc finds PT_GNU_SFRAME here.  */
static void
front_table (const struct layout *layout, const struct front *front,
             GElf_Phdr *table)
{
  const struct image *image = layout->image;
  const GElf_Phdr *first = image_first_load (image);
  uint64_t base = first->p_vaddr;
  uint64_t address = base - front->distance + front->table;
  size_t n = 0;
  for (size_t i = 0; i < layout->n_segments; i++)
    {
      GElf_Phdr *header = &table[n++];
      const GElf_Phdr *new = &layout->segments[i];
      *header = i < image->n_segments ? image->segments[i] : *new;
      switch (header->p_type)
        {
        case PT_LOAD:
          break;
        case PT_PHDR:
          segment_move (header, address - base - header->p_offset,
                        address - header->p_vaddr);
          header->p_filesz = header->p_memsz
              = front->n_headers * sizeof (Elf64_Phdr);
          break;
        case PT_GNU_SFRAME:
          *header = (GElf_Phdr){ .p_type = PT_NULL };
          break;
        default: /* a PT_NOTE that names a copy; others are as they were */
          if (new->p_vaddr != header->p_vaddr || i >= image->n_segments)
            {
              *header = *new;
              header->p_offset = new->p_vaddr - base;
            }
        }
    }
  GElf_Phdr *load = &table[n++];
  *load = *first;
  segment_move (load, -front->distance, -front->distance);
  load->p_filesz = load->p_memsz = front->distance;
  load->p_align = layout->page;
  table[n] = layout_sframe_segment (layout);
  table[n].p_offset = table[n].p_vaddr - base;
}

static bool
write_table (struct layout *layout, const struct front *front)
{
  GElf_Phdr *table = calloc (front->n_headers + 1, sizeof *table);
  if (table == NULL)
    return error_set_no_memory (layout->err);
  front_table (layout, front, table);
  bool done = layout_write (layout, ELF_T_PHDR, table,
                            front->n_headers * sizeof *table, front->table);
  free (table);
  return done;
}

/* Add sections for TABLE, and for the old headers and notes, because strip
   zeroes bytes that belong to no section.  The section of TABLE is also there
   for patchelf.  patchelf packs the sections that it changes, which may be
   .dynamic, into the bytes in front of the first PROGBITS section if they
   suffice, and it would move .sframe.

   Old notes in a PT_NOTE that stays get a section of type SHT_NOTE: strip (GNU
   binutils 2.47) lets such a segment begin at its first SHT_NOTE, but at the
   old address.  */
static void
add_sections (struct layout *layout, const struct front *front)
{
  uint64_t end = segment_table_range (layout->image).end;
  layout_add_loaded_section (layout, ".headers_end", SHT_PROGBITS,
                             (struct interval){ front->table, front->sframe },
                             8);
  for (size_t i = 0; i < front->n_notes; i++)
    {
      const struct chunk *chunk = &front->notes[i];
      const struct interval bytes
          = interval_at (front->distance + chunk->offset, chunk->size);
      if (i >= front->n_with_segment)
        layout_add_loaded_section (layout, ".old_notes", SHT_NOTE, bytes,
                                   chunk->align);
      else if (chunk->offset >= end && chunk->offset - end < 8)
        end = chunk->offset + chunk->size;
      else
        layout_add_loaded_section (layout, ".old_notes", SHT_PROGBITS, bytes,
                                   bytes.begin % 8 == 0 ? 8 : 1);
    }
  layout_add_loaded_section (layout, ".old_headers", SHT_PROGBITS,
                             interval_at (front->distance, end), 8);
}

enum attempt
grow_down_try (struct layout *layout)
{
  struct front front = { 0 };
  if (!grow_distance (layout, &front))
    return DOES_NOT_APPLY;
  struct plan *plan = layout->plan;
  struct segment_set dropped = { 0 };
  segment_set_add_type (layout->image, &dropped, 1, PT_GNU_SFRAME);
  plan->sframe_offset = front.sframe;
  plan->sframe_address = image_first_load (layout->image)->p_vaddr
                         - front.distance + front.sframe;
  layout->end = layout->image->size + front.distance;
  plan->n_extents = 0;
  grow_headers (layout, front.distance);
  if (!plan_copy (plan, 0, front.distance, layout->image->size, layout->err)
      || !commit_notes (layout, &front) || !layout_patch_symbols (layout)
      || !write_table (layout, &front))
    return FAILED;
  layout_add_segments (layout, &dropped, NULL);
  add_sections (layout, &front);
  layout_add_sframe_section (layout);
  if (!layout_finish (layout, false))
    return FAILED;
  /* The old ELF header is a copy of the new one, with TABLE as its table.  */
  GElf_Ehdr old = layout->header;
  old.e_phoff = front.table - front.distance;
  old.e_phnum = (uint16_t)front.n_headers;
  return layout_write (layout, ELF_T_EHDR, &old, sizeof old, front.distance)
             ? PLANNED
             : FAILED;
}
