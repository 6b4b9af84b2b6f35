/* Eviction: whether a section may move, what moves with it, where to, and
   moving it.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A section may move if only headers and dynamic entries have its address.  A
   unit is a section with every section, PT_NOTE, PT_INTERP and PT_GNU_PROPERTY
   that overlaps it.  */

#include "place/unit.h"

#include "base/align.h"
#include "elf/dynamic.h"
#include "elf/notes.h"
#include "place/facts.h"

enum
{
  PASSES_MAX = 64,       /* of adding to a unit what overlaps it */
  UNIT_SECTIONS_MAX = 16 /* far above anything real */
};

/* ---- Sections */

/* Notes that programs do not reach by address.  Others may hold PC-relative
   pointers (Crashpad).  Of some, readers of a core file look for in a
   program's first page, which is all that a kernel puts into one of a
   read-only segment (vma_dump_size in Linux' fs/coredump.c): elfutils, gdb,
   systemd-coredump.  */
static const struct
{
  const char *owner;
  uint32_t type;
  bool for_cores;
} plain_notes[] = {
  { "GNU", NT_GNU_ABI_TAG, false },
  { "GNU", NT_GNU_BUILD_ID, true },
  { "GNU", NT_GNU_PROPERTY_TYPE_0, false },
  /* systemd.io, "ELF Package Metadata" and "ELF dlopen Metadata".  */
  { "FDO", 0xcafe1a7e, true },
  { "FDO", 0x407c0c0a, true },
  /* ELF_NOTE_GOBUILDID_TAG (cmd/link/internal/ld/elf.go).  The go command
     follows PT_NOTE to it (cmd/internal/buildid/note.go).  */
  { "Go\0", 4, false },
};

/* Whether the section has notes alone that programs do not reach by address.
   If readers of cores look for one of them, *FOR_CORES is set.  */
static bool
section_has_plain_notes (const struct image *image, const GElf_Shdr *header,
                         bool *for_cores)
{
  struct note_walk walk = note_walk_over (
      image, header->sh_offset, header->sh_size, header->sh_addralign);
  struct note note;
  while (note_next (&walk, &note))
    {
      size_t i = 0, n = sizeof plain_notes / sizeof *plain_notes;
      while (i < n
             && !note_is (&note, plain_notes[i].owner, plain_notes[i].type))
        i++;
      if (i == n)
        return false;
      *for_cores |= plain_notes[i].for_cores;
    }
  /* The last note's padding may be missing.  */
  return walk.size > 0 && walk.at >= walk.size;
}

/* Whether the section has dynamic strings that may move.  ldconfig and others
   find dynamic strings by rules of their own, so that these stay, except in a
   static PIE, in which no program looks up symbols.  */
static bool
is_idle_string_table (const struct image *image, const GElf_Shdr *header)
{
  uint64_t value;
  return header->sh_type == SHT_STRTAB
         && dynamic_holds (image, DT_STRTAB, header->sh_addr)
         && image_find_segment (image, PT_INTERP) == NULL
         && !dynamic_find (image, DT_NEEDED, &value)
         && !dynamic_find (image, DT_SONAME, &value)
         && !dynamic_find (image, DT_VERNEED, &value)
         && !dynamic_find (image, DT_VERDEF, &value);
}

/* Whether section INDEX is the .sframe that is replaced: nothing refers to
   what is left of it.  */
static bool
is_replaced (const struct layout *layout, size_t index)
{
  const struct plan_request *request = layout->request; /* or NULL */
  return request != NULL && request->replaced != NULL
         && request->replaced->section == index;
}

/* Whether only headers, PT_NOTE and .dynamic say where section INDEX is, as
   far as its kind and its symbols tell.  If readers of cores look for what is
   in that section, *FOR_CORES is set.  */
static bool
section_is_evictable (const struct layout *layout, size_t index,
                      bool *for_cores)
{
  const struct image *image = layout->image;
  const struct image_section *section = &image->sections[index];
  const GElf_Shdr *header = &section->header;
  if (is_replaced (layout, index))
    return header->sh_size > 0;
  if (header->sh_flags != SHF_ALLOC || header->sh_size == 0
      || !section_kind_may_move (image, header))
    return false;
  switch (header->sh_type)
    {
    case SHT_PROGBITS: /* the interpreter's name */
      return true;
    case SHT_NOTE:
      return section_has_plain_notes (image, header, for_cores)
             && !section_has_symbol (image, index);
    case SHT_STRTAB:
      return is_idle_string_table (image, header);
    default:
      return dynamic_holds (image, dynamic_tag_of (header->sh_type),
                            header->sh_addr);
    }
}

/* Code may have the addresses of section HEADER up to this one.  Of a table of
   the dynamic linker that is the first byte alone: these tables are so large
   that other values point into them by chance.  */
static uint64_t
section_known_end (const GElf_Shdr *header)
{
  bool table = dynamic_tag_of (header->sh_type) != DT_NULL;
  return header->sh_addr + (table ? 1 : header->sh_size);
}

/* Whether layout->references has an address in section INDEX.  */
static bool
section_is_referenced (const struct layout *layout, size_t index)
{
  const GElf_Shdr *header = &layout->image->sections[index].header;
  return !is_replaced (layout, index)
         && references_meet (&layout->references, header->sh_addr,
                             section_known_end (header));
}

bool
section_may_move (const struct layout *layout, size_t index)
{
  bool for_cores = false;
  return section_is_evictable (layout, index, &for_cores)
         && !section_is_referenced (layout, index);
}

/* ---- What moves together */

static bool
overlaps (struct interval bytes, const struct unit *unit)
{
  return intervals_meet (
      bytes, (struct interval){ unit->offset, unit->offset + unit->size });
}

static bool
has_section (const struct unit *unit, const struct image_section *section)
{
  return overlaps (section_range (section), unit);
}

/* Whether SEGMENT moves with UNIT.  */
static bool
is_bound_segment (const struct image *image, const struct unit *unit,
                  const GElf_Phdr *segment)
{
  return segment_kind_may_move (segment->p_type)
         && !segment_is_buried (image, segment)
         && !(segment->p_type == PT_NOTE && unit->leaves_pt_note)
         && overlaps (segment_range (image, segment), unit);
}

static bool
unit_include (struct unit *unit, uint64_t begin, uint64_t size, uint64_t align)
{
  uint64_t end = unit->offset + unit->size;
  bool grown = begin < unit->offset || begin + size > end;
  if (begin + size > end)
    end = begin + size;
  if (begin < unit->offset)
    unit->offset = begin;
  unit->size = end - unit->offset;
  if (align > unit->align)
    unit->align = align;
  return grown;
}

/* One pass of growing UNIT to the union of everything that overlaps it.  */
static bool
unit_grow (const struct image *image, struct unit *unit)
{
  bool grown = false;
  FOR_EACH_SECTION (section, image)
    {
      const GElf_Shdr *header = &section->header;
      if (has_section (unit, section))
        grown |= unit_include (unit, header->sh_offset, header->sh_size,
                               header->sh_addralign);
    }
  FOR_EACH_SEGMENT (segment, image)
    {
      if (!is_bound_segment (image, unit, segment))
        continue;
      unit->named = true;
      grown |= unit_include (unit, segment->p_offset, segment->p_filesz,
                             segment->p_align);
    }
  return grown;
}

/* Whether all sections and segments with bytes of UNIT may move.  */
static bool
unit_parts_evictable (const struct layout *layout, struct unit *unit)
{
  const struct image *image = layout->image;
  uint64_t covered = 0;
  size_t n_sections = 0;
  for (size_t i = 1; i < image->n_sections; i++)
    {
      const struct image_section *section = &image->sections[i];
      if (!has_section (unit, section))
        continue;
      if (++n_sections > UNIT_SECTIONS_MAX
          || !section_is_evictable (layout, i, &unit->for_cores))
        return layout_reject (layout,
                              "%.40s stands behind the table and cannot move",
                              section->name);
      covered += section->header.sh_size;
    }
  if (covered == 0)
    return layout_reject (layout,
                          "the bytes behind the table belong to no section");
  for (size_t i = 0; i < image->n_segments; i++)
    {
      const GElf_Phdr *segment = &image->segments[i];
      if (segment->p_type != PT_LOAD
          && !segment_kind_may_move (segment->p_type)
          && overlaps (segment_range (image, segment), unit))
        return layout_reject (
            layout, "segment %zu stands behind the table and cannot move", i);
    }
  return true;
}

/* Whether a header that gives BYTES of the file the ADDRESS of the first of
   them means bytes of UNIT by both, or by neither.  Who looks in memory goes
   by the one, who reads the file by the other.  */
static bool
header_agrees (const struct unit *unit, struct interval bytes,
               uint64_t address)
{
  uint64_t size = bytes.end - bytes.begin;
  if (overlaps (bytes, unit))
    return address - bytes.begin == unit->address - unit->offset;
  return size == 0
         || (address - unit->address >= unit->size
             && unit->address - address >= size);
}

/* Whether no header of a section or a segment means UNIT by its address or by
   its offset alone.  PT_PHDR is the table, whatever its size.  */
static bool
unit_agrees (const struct image *image, const struct unit *unit)
{
  FOR_EACH_SECTION (section, image)
    if ((section->header.sh_flags & SHF_ALLOC)
        && !header_agrees (unit, section_range (section),
                           section->header.sh_addr))
      return false;
  FOR_EACH_SEGMENT (segment, image)
    if (segment->p_type != PT_LOAD && segment->p_type != PT_PHDR
        && segment_has_offset (image, segment)
        && !header_agrees (unit, segment_range (image, segment),
                           segment->p_vaddr))
      return false;
  return true;
}

void
unit_settle (struct unit *unit, uint64_t new_offset)
{
  unit->settled = true;
  unit->new_offset = new_offset;
  unit->new_address = unit->address + (new_offset - unit->offset);
}

bool
unit_is_referenced (const struct layout *layout, const struct unit *unit)
{
  FOR_EACH_SECTION (section, layout->image)
    if (has_section (unit, section)
        && section_is_referenced (layout,
                                  (size_t)(section - layout->image->sections)))
      return true;
  return false;
}

uint64_t
unit_known_end (const struct layout *layout, const struct unit *unit)
{
  uint64_t end = unit->address;
  FOR_EACH_SECTION (section, layout->image)
    if (has_section (unit, section)
        && section_known_end (&section->header) > end)
      end = section_known_end (&section->header);
  return end;
}

/* Let UNIT be what the byte at OFFSET, in LOAD, moves with.  */
static bool
unit_at (const struct image *image, uint64_t offset, const GElf_Phdr *load,
         struct unit *unit)
{
  *unit = (struct unit){ .offset = offset,
                         .size = 1,
                         .align = 1,
                         .leaves_pt_note = unit->leaves_pt_note };
  int passes = 0;
  while (unit_grow (image, unit))
    if (++passes > PASSES_MAX)
      break;
  unit->address = load->p_vaddr + (unit->offset - load->p_offset);
  return passes <= PASSES_MAX && unit->offset == offset;
}

bool
unit_find_notes (const struct layout *layout, uint64_t offset,
                 const GElf_Phdr *load, struct unit *unit)
{
  const struct image *image = layout->image;
  bool plain
      = unit_at (image, offset, load, unit) && unit_agrees (image, unit);
  FOR_EACH_SECTION (section, image)
    {
      const GElf_Shdr *header = &section->header;
      if (has_section (unit, section))
        plain &= header->sh_type == SHT_NOTE
                 && section_kind_may_move (image, header)
                 && section_has_plain_notes (image, header, &unit->for_cores);
    }
  return plain && unit->for_cores;
}

bool
unit_find (const struct layout *layout, uint64_t offset, const GElf_Phdr *load,
           struct unit *unit)
{
  if (!unit_at (layout->image, offset, load, unit))
    return layout_reject (layout,
                          "sections or segments overlap at file offset %#llx",
                          (unsigned long long)unit->offset);
  if ((unit->align & (unit->align - 1)) != 0 || unit->align > PAGE_MIN)
    return layout_reject (
        layout, "what stands behind the table cannot keep its alignment");
  if (unit->offset + unit->size > load->p_offset + load->p_filesz)
    return layout_reject (
        layout,
        "what stands behind the table reaches over the end of its segment");
  if (!unit_parts_evictable (layout, unit))
    return false;
  if (!unit_agrees (layout->image, unit))
    return layout_reject (
        layout,
        "addresses and offsets of what stands behind the table do not agree");
  return !unit_is_referenced (layout, unit)
         || layout_reject (layout,
                           "code or data may refer to what stands behind "
                           "the table, at %#llx",
                           (unsigned long long)unit->address);
}

void
unit_commit (struct layout *layout, const struct unit *unit)
{
  const struct image *image = layout->image;
  uint64_t offset_delta = unit->new_offset - unit->offset;
  uint64_t delta = unit->new_address - unit->address;
  for (size_t i = 1; i < image->n_sections; i++)
    {
      if (!has_section (unit, &image->sections[i]))
        continue;
      layout->moved[i] = delta;
      layout->sections[i].sh_addr += delta;
      layout->sections[i].sh_offset += offset_delta;
    }
  for (size_t i = 0; i < image->n_segments; i++)
    if (is_bound_segment (image, unit, &image->segments[i]))
      segment_move (&layout->segments[i], offset_delta, delta);
}

/* ---- Where units go */

bool
eviction_put_back (struct eviction *evicted, uint64_t begin, bool all,
                   uint64_t *end)
{
  *end = begin;
  for (size_t i = 0; i < evicted->n_units; i++)
    {
      struct unit *unit = &evicted->units[i];
      bool first_page
          = unit->for_cores && unit->offset + unit->size <= FIRST_PAGE;
      if (!first_page && !(all && unit->named))
        continue;
      align_to_residue (end, unit->offset, unit->align);
      unit_settle (unit, *end);
      *end += unit->size;
      if (first_page && *end > FIRST_PAGE)
        return false;
    }
  return true;
}

static bool
is_homeless (const struct unit *unit)
{
  return unit->named && !unit->settled && unit->fallback == 0;
}

/* Find places behind segment INDEX for all units that have none.  */
static bool
find_home (const struct layout *layout, struct eviction *evicted, size_t index)
{
  const GElf_Phdr *home = &layout->image->segments[index];
  uint64_t at = home->p_offset + home->p_filesz;
  struct eviction found = *evicted;
  for (size_t i = 0; i < found.n_units; i++)
    {
      struct unit *unit = &found.units[i];
      if (!is_homeless (unit))
        continue;
      if (unit->address - unit->offset != home->p_vaddr - home->p_offset
          || !align_to_residue (&at, unit->offset, unit->align))
        return false;
      unit->fallback = at;
      at += unit->size;
    }
  if (!slack_reaches (layout->image, index, at))
    return false;
  found.home = index;
  *evicted = found;
  return true;
}

uint64_t
eviction_front_end (const struct eviction *evicted, uint64_t begin)
{
  for (size_t i = 0; i < evicted->n_units; i++)
    {
      const struct unit *unit = &evicted->units[i];
      if (unit->settled && unit->new_offset < evicted->freed[0].end
          && unit->new_offset + unit->size > begin)
        begin = unit->new_offset + unit->size;
    }
  return begin;
}

bool
eviction_find_fallbacks (const struct layout *layout, struct eviction *evicted,
                         uint64_t begin, uint64_t notes_end)
{
  struct interval rest[]
      = { { eviction_front_end (evicted, begin), evicted->freed[0].end },
          { notes_end, evicted->freed[1].end } };
  bool homeless = false;
  for (size_t i = 0; i < evicted->n_units; i++)
    {
      struct unit *unit = &evicted->units[i];
      for (size_t k = 0; k < 2 && is_homeless (unit); k++)
        {
          uint64_t at = rest[k].begin;
          align_to_residue (&at, unit->offset, unit->align);
          if (at + unit->size <= rest[k].end)
            rest[k].begin = (unit->fallback = at) + unit->size;
        }
      homeless |= is_homeless (unit);
    }
  for (size_t at = 0, index;
       homeless && slack_next (layout->image, &at, &index);)
    homeless = !find_home (layout, evicted, index);
  return !homeless
         || layout_reject (layout, "what they name has no other place");
}

bool
eviction_settle (struct eviction *evicted, uint64_t *end, uint64_t address)
{
  uint64_t begin = *end;
  for (size_t i = 0; i < evicted->n_units; i++)
    {
      struct unit *unit = &evicted->units[i];
      bool agrees = unit->address - unit->offset == address - begin;
      if (!unit->settled && unit->named && !agrees)
        unit_settle (unit, unit->fallback);
      if (unit->settled)
        continue;
      uint64_t place = address + (*end - begin);
      uint64_t before = place;
      if (!align_to_residue (&place, unit->address, unit->align))
        return false;
      unit->new_offset = *end + (place - before);
      unit->new_address = place;
      if (__builtin_add_overflow (unit->new_offset, unit->size, end))
        return false;
    }
  return true;
}

bool
eviction_fall_back (struct eviction *evicted)
{
  bool any = false;
  for (size_t i = 0; i < evicted->n_units; i++)
    if (!evicted->units[i].settled && evicted->units[i].fallback != 0)
      {
        unit_settle (&evicted->units[i], evicted->units[i].fallback);
        any = true;
      }
  return any;
}

bool
eviction_commit (struct layout *layout, const struct eviction *evicted)
{
  layout->n_evicted = evicted->n_units;
  if (evicted->n_units == 0)
    return true;
  for (size_t i = 0; i < 2; i++)
    if (!plan_clear (layout->plan, evicted->freed[i].begin,
                     evicted->freed[i].end - evicted->freed[i].begin,
                     layout->err))
      return false;
  for (size_t i = 0; i < evicted->n_units; i++)
    {
      const struct unit *unit = &evicted->units[i];
      if (!plan_copy (layout->plan, unit->offset, unit->new_offset, unit->size,
                      layout->err))
        return false;
      unit_commit (layout, unit);
      GElf_Phdr *home = &layout->segments[evicted->home];
      if (unit->settled && evicted->home != 0
          && unit->new_offset >= home->p_offset + home->p_filesz)
        home->p_filesz = home->p_memsz
            = unit->new_offset + unit->size - home->p_offset;
    }
  return layout_patch_dynamic (layout) && layout_patch_symbols (layout);
}
