/* Eviction: which sections may move, what moves with them, where they go, and
   how they are moved.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A section may move if only headers and dynamic entries have its address,
   because a conversion can change these.  Every section, PT_NOTE, PT_INTERP
   and PT_GNU_PROPERTY that overlaps it moves along: this is a chunk.  */

#include "place/eviction.h"

#include "base/align.h"
#include "elf/dynamic.h"
#include "elf/notes.h"
#include "place/facts.h"

enum
{
  PASSES_MAX = 64,        /* over all headers, to find what overlaps a chunk */
  CHUNK_SECTIONS_MAX = 16 /* far above anything real */
};

/* ---- Sections */

/* Notes that programs do not find by address.  Others may have PC-relative
   pointers (Crashpad).  for_cores: elfutils, gdb and systemd-coredump look for
   this note in core files, in the first page of the program.  It must be in
   that page, because a kernel dumps no other page of a read-only segment
   (vma_dump_size in Linux' fs/coredump.c).  */
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

/* Whether all notes of the section are in plain_notes.  Set *FOR_CORES if one
   of them is for readers of core files.  */
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

/* Whether the section has the dynamic strings, and these may move.  ldconfig
   and others find dynamic strings by rules of their own.  So only those of a
   static PIE may move, in which no program looks up symbols.  */
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

/* Whether section INDEX is the replaced .sframe.  References do not count.  */
static bool
is_replaced (const struct layout *layout, size_t index)
{
  const struct plan_request *request = layout->request; /* or NULL */
  return request != NULL && request->replaced != NULL
         && request->replaced->section == index;
}

/* Whether section INDEX may move, as far as its type and its symbols tell.
   Set *FOR_CORES if it has a note for readers of core files.  */
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

/* Return the end of the addresses in the section of HEADER to which code may
   refer.  In a table of the dynamic linker only the first byte counts: these
   tables are so large that other numbers are addresses in them by chance.  */
static uint64_t
section_reference_end (const GElf_Shdr *header)
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
                             section_reference_end (header));
}

bool
section_may_move (const struct layout *layout, size_t index)
{
  bool for_cores = false;
  return section_is_evictable (layout, index, &for_cores)
         && !section_is_referenced (layout, index);
}

/* ---- Chunks */

static bool
overlaps (struct interval bytes, const struct chunk *chunk)
{
  return intervals_meet (bytes, interval_at (chunk->offset, chunk->size));
}

static bool
has_section (const struct chunk *chunk, const struct image_section *section)
{
  return overlaps (section_range (section), chunk);
}

/* Whether SEGMENT moves with CHUNK.  */
static bool
segment_moves_along (const struct image *image, const struct chunk *chunk,
                     const GElf_Phdr *segment)
{
  return segment_kind_may_move (segment->p_type)
         && !segment_is_overwritten (image, segment)
         && !(segment->p_type == PT_NOTE && chunk->without_pt_note)
         && overlaps (segment_range (image, segment), chunk);
}

/* Extend CHUNK over SIZE bytes at BEGIN.  Returns whether it has grown.  */
static bool
chunk_include (struct chunk *chunk, uint64_t begin, uint64_t size,
               uint64_t align)
{
  uint64_t end = chunk->offset + chunk->size;
  bool grown = begin < chunk->offset || begin + size > end;
  if (begin + size > end)
    end = begin + size;
  if (begin < chunk->offset)
    chunk->offset = begin;
  chunk->size = end - chunk->offset;
  if (align > chunk->align)
    chunk->align = align;
  return grown;
}

/* Whether libunwind reads the section of HEADER at its address (eviction.h).
   .dynstr is the only string table that may move.  */
static bool
is_symbol_table (const GElf_Shdr *header)
{
  return header->sh_type == SHT_HASH || header->sh_type == SHT_GNU_HASH
         || header->sh_type == SHT_DYNSYM || header->sh_type == SHT_STRTAB;
}

/* Extend CHUNK over all sections and segments that overlap it.  Returns
   whether it has grown, so that others may overlap it now.  */
static bool
chunk_grow (const struct image *image, struct chunk *chunk)
{
  bool grown = false;
  FOR_EACH_SECTION (section, image)
    {
      const GElf_Shdr *header = &section->header;
      if (!has_section (chunk, section))
        continue;
      if (is_symbol_table (header))
        {
          chunk->has_dynsym_alone
              = header->sh_type == SHT_DYNSYM
                && (chunk->has_dynsym_alone || !chunk->has_symbol_table);
          chunk->has_symbol_table = true;
        }
      grown |= chunk_include (chunk, header->sh_offset, header->sh_size,
                              header->sh_addralign);
    }
  FOR_EACH_SEGMENT (segment, image)
    {
      if (!segment_moves_along (image, chunk, segment))
        continue;
      chunk->has_segment = true;
      grown |= chunk_include (chunk, segment->p_offset, segment->p_filesz,
                              segment->p_align);
    }
  return grown;
}

/* Whether all sections and segments with bytes of CHUNK may move; false with
   layout->reason if not.  Sets chunk->for_cores.  */
static bool
chunk_is_evictable (const struct layout *layout, struct chunk *chunk)
{
  const struct image *image = layout->image;
  uint64_t covered = 0;
  size_t n_sections = 0;
  for (size_t i = 1; i < image->n_sections; i++)
    {
      const struct image_section *section = &image->sections[i];
      if (!has_section (chunk, section))
        continue;
      if (++n_sections > CHUNK_SECTIONS_MAX
          || !section_is_evictable (layout, i, &chunk->for_cores))
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
          && overlaps (segment_range (image, segment), chunk))
        return layout_reject (
            layout, "segment %zu stands behind the table and cannot move", i);
    }
  return true;
}

/* Whether a header with file range BYTES and with ADDRESS agrees with CHUNK:
   either the range is in CHUNK, and has that address there, or neither is.
   Some readers go by the address, others by the offset.  */
static bool
header_agrees (const struct chunk *chunk, struct interval bytes,
               uint64_t address)
{
  uint64_t size = bytes.end - bytes.begin;
  if (overlaps (bytes, chunk))
    return address - bytes.begin == chunk->address - chunk->offset;
  return size == 0
         || (address - chunk->address >= chunk->size
             && chunk->address - address >= size);
}

/* Whether all headers of sections and segments agree with CHUNK.  PT_PHDR does
   not count: it is the table, although its size may be wrong.  */
static bool
chunk_addresses_agree (const struct image *image, const struct chunk *chunk)
{
  FOR_EACH_SECTION (section, image)
    if ((section->header.sh_flags & SHF_ALLOC)
        && !header_agrees (chunk, section_range (section),
                           section->header.sh_addr))
      return false;
  FOR_EACH_SEGMENT (segment, image)
    if (segment->p_type != PT_LOAD && segment->p_type != PT_PHDR
        && segment_has_offset (image, segment)
        && !header_agrees (chunk, segment_range (image, segment),
                           segment->p_vaddr))
      return false;
  return true;
}

void
chunk_place (struct chunk *chunk, uint64_t new_offset)
{
  chunk->placed = true;
  chunk->new_offset = new_offset;
  chunk->new_address = chunk->address + (new_offset - chunk->offset);
}

bool
chunk_is_referenced (const struct layout *layout, const struct chunk *chunk)
{
  FOR_EACH_SECTION (section, layout->image)
    if (has_section (chunk, section)
        && section_is_referenced (layout,
                                  (size_t)(section - layout->image->sections)))
      return true;
  return false;
}

uint64_t
chunk_reference_end (const struct layout *layout, const struct chunk *chunk)
{
  uint64_t end = chunk->address;
  FOR_EACH_SECTION (section, layout->image)
    if (has_section (chunk, section)
        && section_reference_end (&section->header) > end)
      end = section_reference_end (&section->header);
  return end;
}

/* Find the chunk that has the byte at OFFSET, in LOAD, whether or not it may
   move.  False if it begins in front of OFFSET, or takes too many passes.  */
static bool
chunk_at (const struct image *image, uint64_t offset, const GElf_Phdr *load,
          struct chunk *chunk)
{
  *chunk = (struct chunk){ .offset = offset,
                           .size = 1,
                           .align = 1,
                           .without_pt_note = chunk->without_pt_note };
  int passes = 0;
  while (chunk_grow (image, chunk))
    if (++passes > PASSES_MAX)
      break;
  chunk->address = load->p_vaddr + (chunk->offset - load->p_offset);
  return passes <= PASSES_MAX && chunk->offset == offset;
}

bool
chunk_find_notes (const struct layout *layout, uint64_t offset,
                  const GElf_Phdr *load, struct chunk *chunk)
{
  const struct image *image = layout->image;
  bool plain = chunk_at (image, offset, load, chunk)
               && chunk_addresses_agree (image, chunk);
  FOR_EACH_SECTION (section, image)
    {
      const GElf_Shdr *header = &section->header;
      if (has_section (chunk, section))
        plain &= header->sh_type == SHT_NOTE
                 && section_kind_may_move (image, header)
                 && section_has_plain_notes (image, header, &chunk->for_cores);
    }
  return plain && chunk->for_cores;
}

bool
chunk_find (const struct layout *layout, uint64_t offset,
            const GElf_Phdr *load, struct chunk *chunk)
{
  if (!chunk_at (layout->image, offset, load, chunk))
    return layout_reject (layout,
                          "sections or segments overlap at file offset %#llx",
                          (unsigned long long)chunk->offset);
  if ((chunk->align & (chunk->align - 1)) != 0 || chunk->align > PAGE_MIN)
    return layout_reject (
        layout, "what stands behind the table cannot keep its alignment");
  if (chunk->offset + chunk->size > load->p_offset + load->p_filesz)
    return layout_reject (
        layout,
        "what stands behind the table reaches over the end of its segment");
  if (!chunk_is_evictable (layout, chunk))
    return false;
  if (!chunk_addresses_agree (layout->image, chunk))
    return layout_reject (
        layout,
        "addresses and offsets of what stands behind the table do not agree");
  return !chunk_is_referenced (layout, chunk)
         || layout_reject (layout,
                           "code or data may refer to what stands behind "
                           "the table, at %#llx",
                           (unsigned long long)chunk->address);
}

void
chunk_update_headers (struct layout *layout, const struct chunk *chunk)
{
  const struct image *image = layout->image;
  uint64_t offset_delta = chunk->new_offset - chunk->offset;
  uint64_t delta = chunk->new_address - chunk->address;
  for (size_t i = 1; i < image->n_sections; i++)
    {
      if (!has_section (chunk, &image->sections[i]))
        continue;
      layout->moved[i] = delta;
      layout->sections[i].sh_addr += delta;
      layout->sections[i].sh_offset += offset_delta;
    }
  for (size_t i = 0; i < image->n_segments; i++)
    if (segment_moves_along (image, chunk, &image->segments[i]))
      segment_move (&layout->segments[i], offset_delta, delta);
}

/* ---- New places for chunks */

bool
eviction_place_behind_table (struct eviction *eviction, uint64_t begin,
                             bool all, uint64_t *end)
{
  *end = begin;
  for (size_t i = 0; i < eviction->n_chunks; i++)
    {
      struct chunk *chunk = &eviction->chunks[i];
      bool first_page
          = chunk->for_cores && chunk->offset + chunk->size <= FIRST_PAGE;
      if (!first_page && !(all && chunk->has_segment))
        continue;
      align_to_residue (end, chunk->offset, chunk->align);
      chunk_place (chunk, *end);
      *end += chunk->size;
      if (first_page && *end > FIRST_PAGE)
        return false;
    }
  return true;
}

/* Whether CHUNK still needs a fallback.  SYMBOLS: chunks with a symbol table
   need one, too.  */
static bool
lacks_place (const struct chunk *chunk, bool symbols)
{
  return (chunk->has_segment || (symbols && chunk->has_symbol_table))
         && !chunk->placed && chunk->fallback == 0;
}

/* Return the offset behind the fallbacks that are in BYTES.  */
static uint64_t
fallbacks_end (const struct eviction *eviction, struct interval bytes)
{
  uint64_t end = bytes.begin;
  for (size_t i = 0; i < eviction->n_chunks; i++)
    {
      const struct chunk *chunk = &eviction->chunks[i];
      if (chunk->fallback >= end && chunk->fallback < bytes.end)
        end = chunk->fallback + chunk->size;
    }
  return end;
}

/* Find fallbacks behind segment INDEX for all chunks that need one.  Only one
   segment grows.  */
static bool
find_fallbacks_behind (const struct layout *layout, struct eviction *eviction,
                       bool symbols, size_t index)
{
  const GElf_Phdr *grown = &layout->image->segments[index];
  struct interval slack = { grown->p_offset + grown->p_filesz, UINT64_MAX };
  uint64_t at = fallbacks_end (eviction, slack);
  struct eviction found = *eviction;
  if (eviction->grown_segment != 0 && eviction->grown_segment != index)
    return false;
  for (size_t i = 0; i < found.n_chunks; i++)
    {
      struct chunk *chunk = &found.chunks[i];
      if (!lacks_place (chunk, symbols))
        continue;
      if (chunk->address - chunk->offset != grown->p_vaddr - grown->p_offset
          || !align_to_residue (&at, chunk->offset, chunk->align))
        return false;
      chunk->fallback = at;
      at += chunk->size;
    }
  if (!slack_reaches (layout->image, index, at))
    return false;
  found.grown_segment = index;
  *eviction = found;
  return true;
}

uint64_t
eviction_free_begin (const struct eviction *eviction, uint64_t begin)
{
  for (size_t i = 0; i < eviction->n_chunks; i++)
    {
      const struct chunk *chunk = &eviction->chunks[i];
      if (chunk->placed && chunk->new_offset < eviction->freed[0].end
          && chunk->new_offset + chunk->size > begin)
        begin = chunk->new_offset + chunk->size;
    }
  return begin;
}

/* Find fallbacks for all chunks that need one.  False if one is missing; then
   EVICTION is half-made.  */
static bool
find_fallbacks (const struct layout *layout, struct eviction *eviction,
                bool symbols, uint64_t begin, uint64_t notes_end)
{
  struct interval rest[]
      = { { eviction_free_begin (eviction, begin), eviction->freed[0].end },
          { notes_end, eviction->freed[1].end } };
  bool missing = false;
  for (size_t k = 0; k < 2; k++)
    rest[k].begin = fallbacks_end (eviction, rest[k]);
  for (size_t i = 0; i < eviction->n_chunks; i++)
    {
      struct chunk *chunk = &eviction->chunks[i];
      for (size_t k = 0; k < 2 && lacks_place (chunk, symbols); k++)
        {
          uint64_t at = rest[k].begin;
          align_to_residue (&at, chunk->offset, chunk->align);
          if (at + chunk->size <= rest[k].end)
            rest[k].begin = (chunk->fallback = at) + chunk->size;
        }
      missing |= lacks_place (chunk, symbols);
    }
  for (size_t at = 0, index;
       missing && slack_next (layout->image, &at, &index);)
    missing = !find_fallbacks_behind (layout, eviction, symbols, index);
  return !missing;
}

bool
eviction_find_fallbacks (const struct layout *layout,
                         struct eviction *eviction, uint64_t begin,
                         uint64_t notes_end, bool slack_is_free)
{
  struct eviction together = *eviction;
  if (!find_fallbacks (layout, eviction, false, begin, notes_end))
    return layout_reject (layout, "what they name has no other place");
  struct eviction with_symbols = *eviction;
  /* The first segment with room for the others may be too small for symbol
     tables, and only one segment grows.  */
  if (find_fallbacks (layout, &with_symbols, true, begin, notes_end))
    *eviction = with_symbols;
  else if (slack_is_free
           && find_fallbacks (layout, &together, true, begin, notes_end))
    *eviction = together;
  return true;
}

bool
eviction_has_symbol_fallbacks (const struct eviction *eviction)
{
  for (size_t i = 0; i < eviction->n_chunks; i++)
    if (lacks_place (&eviction->chunks[i], true))
      return false;
  return true;
}

bool
eviction_place_rest (struct eviction *eviction, uint64_t *end,
                     uint64_t address)
{
  uint64_t begin = *end;
  for (size_t i = 0; i < eviction->n_chunks; i++)
    {
      struct chunk *chunk = &eviction->chunks[i];
      bool agrees = chunk->address - chunk->offset == address - begin;
      if (!chunk->placed && chunk->fallback != 0 && !agrees)
        chunk_place (chunk, chunk->fallback);
      if (chunk->placed)
        continue;
      uint64_t place = address + (*end - begin);
      uint64_t before = place;
      if (!align_to_residue (&place, chunk->address, chunk->align))
        return false;
      chunk->new_offset = *end + (place - before);
      chunk->new_address = place;
      if (__builtin_add_overflow (chunk->new_offset, chunk->size, end))
        return false;
    }
  return true;
}

bool
eviction_use_fallbacks (struct eviction *eviction)
{
  bool any = false;
  for (size_t i = 0; i < eviction->n_chunks; i++)
    if (!eviction->chunks[i].placed && eviction->chunks[i].fallback != 0)
      {
        chunk_place (&eviction->chunks[i], eviction->chunks[i].fallback);
        any = true;
      }
  return any;
}

bool
eviction_commit (struct layout *layout, const struct eviction *eviction)
{
  layout->n_evicted = eviction->n_chunks;
  if (eviction->n_chunks == 0)
    return true;
  for (size_t i = 0; i < 2; i++)
    if (!plan_clear (layout->plan, eviction->freed[i].begin,
                     eviction->freed[i].end - eviction->freed[i].begin,
                     layout->err))
      return false;
  for (size_t i = 0; i < eviction->n_chunks; i++)
    {
      const struct chunk *chunk = &eviction->chunks[i];
      if (!plan_copy (layout->plan, chunk->offset, chunk->new_offset,
                      chunk->size, layout->err))
        return false;
      chunk_update_headers (layout, chunk);
      GElf_Phdr *grown = &layout->segments[eviction->grown_segment];
      if (chunk->new_offset == chunk->fallback && eviction->grown_segment != 0
          && chunk->new_offset >= grown->p_offset + grown->p_filesz)
        grown->p_filesz = grown->p_memsz
            = chunk->new_offset + chunk->size - grown->p_offset;
    }
  return layout_patch_dynamic (layout) && layout_patch_symbols (layout);
}
