/* Searching code and data for references to a range of addresses.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The search takes any bytes for a reference that may be one.  One time in a
   hundred million bytes, bytes of code look like a reference to a range of
   some hundred bytes by chance.  The only harm is that a section does not move
   that could.  doc/formats/injection lists all forms.  */

#include "place/references.h"

#include <string.h>

#include "arch/patterns.h"
#include "base/bytes.h"
#include "elf/dynamic.h"
#include "elf/symbols.h"
#include "place/facts.h"

/* Size of the range at most (struct address_search).  */
#define RANGE_MAX (UINT32_MAX / 2)

enum
{
  PADDING_MAX = 63,   /* bytes in front of a section of code */
  LOOKS_MAX = 1 << 25 /* sections to look at, in order to judge fields: files
                         may have millions of sections */
};

static void
add_target (struct references *found, uint64_t target)
{
  if (target < found->begin || target >= found->end
      || (found->n_targets > 0
          && found->targets[found->n_targets - 1] == target))
    return;
  if (found->n_targets == REFERENCES_MAX)
    found->unknown = true;
  else
    found->targets[found->n_targets++] = target;
}

/* Context of add_relocation.  */
struct relocation_search
{
  struct references *found;
  struct symbols symbols; /* of the relocations; N is 0 without a table */
};

static void
add_relocation (void *data, const struct dynamic_relocation *relocation)
{
  const struct relocation_search *search = data;
  struct references *found = search->found;
  struct symbol symbol = { 0 };
  add_target (found, relocation->place);
  if (relocation->is_tls)
    return;
  if (relocation->symbol == 0)
    found->unknown |= !relocation->has_addend;
  else if (!symbols_get (&search->symbols, relocation->symbol, &symbol))
    found->unknown = true;
  else if (!symbol_has_address (&symbol))
    return;
  else
    add_target (found, symbol.value);
  add_target (found, symbol.value + relocation->addend);
}

static void
scan_relocations (struct references *found, const struct image *image)
{
  struct relocation_search search = { .found = found };
  for (size_t i = 1; i < image->n_sections; i++)
    {
      const GElf_Shdr *header = &image->sections[i].header;
      if (header->sh_type == SHT_DYNSYM
          && dynamic_holds (image, DT_SYMTAB, header->sh_addr)
          && symbols_at (&search.symbols, image, i))
        break;
    }
  found->unknown |= !dynamic_relocations_walk (image, add_relocation, &search);
}

/* A dynamic linker finds symbols by name, but not symbols of sections, which
   GNU ld wrote up to about 2015, for relocations only.  */
static void
scan_dynamic_symbols (struct references *found, const struct image *image)
{
  struct symbol_walk walk = symbol_walk_over (image, true);
  struct symbol symbol;
  while (symbol_walk_next (&walk, &symbol))
    if (symbol_has_address (&symbol)
        && ELF64_ST_TYPE (symbol.info) != STT_SECTION)
      add_target (found, symbol.value);
}

/* ---- Code and data */

/* Context of the functions that look at fields.  A field is 4 or 8 bytes of
   code or data that may be an address or a distance.  */
struct data_search
{
  struct references *found;
  const struct image *image;
  unsigned left; /* number of fields that may still be judged */
};

static void
add_target_of_bytes (void *context, uint64_t target)
{
  const struct data_search *search = context;
  add_target (search->found, target);
}

/* Return the first section that has the loaded byte at ADDRESS, or NULL.  */
static const struct image_section *
section_at (const struct image *image, uint64_t address)
{
  FOR_EACH_SECTION (section, image)
    if ((section->header.sh_flags & SHF_ALLOC)
        && section->header.sh_type != SHT_NOBITS
        && address - section->header.sh_addr < section->header.sh_size)
      return section;
  return NULL;
}

/* Whether the byte at ADDRESS is in .eh_frame or in a section of a kind that
   may move.  Such sections have no references to sections that may move.  */
static bool
is_reference_free (const struct image *image, uint64_t address)
{
  const struct image_section *section = section_at (image, address);
  return section != NULL
         && (section_kind_may_move (image, &section->header)
             || strcmp (section->name, ".eh_frame") == 0);
}

/* Whether the field of SIZE bytes at PLACE may be a reference to TARGET.
   False if TARGET is outside of the range.  When there are too many fields to
   judge, the result of the search is unknown.  */
static bool
may_refer (struct address_search *fields, uint64_t place, unsigned size,
           uint64_t target)
{
  struct data_search *search = fields->context;
  if (target < fields->begin || target >= fields->end)
    return false;
  fields->unknown |= search->left == 0;
  return search->left > 0 && search->left--
         && !is_reference_free (search->image, place)
         && !is_reference_free (search->image, place + size - 1);
}

/* Add PLACE + DISTANCE, if the field of SIZE bytes at PLACE may be that
   distance.  Only fields in data count, because one file of ten has code with
   bytes that are such a distance by chance.  In a section of notes only
   multiples of 4 count, where parts of notes begin (gABI, "Note Section").  */
static void
add_distance (struct address_search *fields, uint64_t place, unsigned size,
              uint64_t distance)
{
  const struct data_search *search = fields->context;
  uint64_t target = place + distance;
  if (!may_refer (fields, place, size, target))
    return;
  const struct image_section *from = section_at (search->image, place);
  const struct image_section *to = section_at (search->image, target);
  if ((from == NULL || !(from->header.sh_flags & SHF_EXECINSTR))
      && (to == NULL || to->header.sh_type != SHT_NOTE
          || (target - to->header.sh_addr) % 4 == 0))
    add_target (search->found, target);
}

/* Look at the field AT bytes into DATA.  It may be a distance from its own
   address, an address, or the lower half of a distance or address of 64 bits.
   Addresses of 64 bits are not judged: they do not occur by chance.  */
static void
look_at_field (struct address_search *fields, const struct loaded_bytes *data,
               uint64_t at)
{
  const struct data_search *search = fields->context;
  bool big_endian = search->image->big_endian;
  uint64_t place = data->address + at;
  uint32_t field = load_u32 (data->bytes + at, big_endian);
  add_distance (fields, place, 4, (uint64_t)(int32_t)field);
  if (fields->has_base && may_refer (fields, place, 4, field))
    add_target (search->found, field);

  uint64_t word_at = big_endian ? at - 4 : at;
  if (word_at > data->size || data->size - word_at < 8)
    return;
  uint64_t word = load_u64 (data->bytes + word_at, big_endian);
  place = data->address + word_at;
  add_distance (fields, place, 8, word);
  if (fields->has_base)
    address_search_report (fields, word);
}

static void
scan_bytes (struct address_search *fields, const struct image *image,
            const GElf_Phdr *segment, uint64_t begin, uint64_t end)
{
  struct loaded_bytes bytes = { image->bytes + segment->p_offset + begin,
                                end - begin, segment->p_vaddr + begin };
  address_search_fields (fields, &bytes, image->big_endian, look_at_field);
}

/* Search the bytes of SEGMENT, but for the headers at the start of the file
   and the dynamic section.  These have addresses, but do not count, because a
   strategy makes the headers anew, and patches dynamic entries.  */
static void
scan_segment (struct address_search *fields, const struct image *image,
              const GElf_Phdr *segment)
{
  const GElf_Phdr *dynamic = image_find_segment (image, PT_DYNAMIC);
  uint64_t end = segment->p_filesz;
  uint64_t headers_end = segment_table_range (image).end;
  uint64_t at
      = headers_end > segment->p_offset ? headers_end - segment->p_offset : 0;
  if (at > end)
    at = end;
  if (dynamic != NULL && dynamic->p_offset >= segment->p_offset
      && dynamic->p_offset - segment->p_offset >= at
      && dynamic->p_offset - segment->p_offset <= end)
    {
      uint64_t gap = dynamic->p_offset - segment->p_offset;
      scan_bytes (fields, image, segment, at, gap);
      at = gap + dynamic->p_filesz < end ? gap + dynamic->p_filesz : end;
    }
  scan_bytes (fields, image, segment, at, end);
}

/* Whether SEGMENT has no field to be found, because it is all code and
   padding, and the program is not at a fixed address.  */
static bool
is_code_alone (const struct image *image, const GElf_Phdr *segment)
{
  if (image->header.e_type == ET_EXEC || !(segment->p_flags & PF_X))
    return false;
  uint64_t left = segment->p_filesz;
  FOR_EACH_SECTION (section, image)
    {
      const GElf_Shdr *header = &section->header;
      uint64_t at = header->sh_addr - segment->p_vaddr;
      uint64_t size = header->sh_size + PADDING_MAX;
      if (!(header->sh_flags & SHF_ALLOC) || at >= segment->p_filesz)
        continue;
      if (!(header->sh_flags & SHF_EXECINSTR))
        return false;
      left -= size < left ? size : left;
    }
  return left == 0;
}

static void
scan_code (struct address_search *search, const struct image *image)
{
  const struct arch_patterns *patterns
      = arch_patterns_of (image->header.e_machine);
  search->has_base = dynamic_find (image, DT_PLTGOT, &search->base);
  FOR_EACH_SECTION (section, image)
    {
      struct loaded_bytes code
          = { image_section_bytes (image, section), section->header.sh_size,
              section->header.sh_addr };
      if (!(section->header.sh_flags & SHF_EXECINSTR) || code.bytes == NULL)
        continue;
      if (patterns != NULL)
        patterns->find_addresses (search, &code);
      else
        search->unknown = true;
    }
}

static void
scan_code_and_data (struct references *found, const struct image *image)
{
  size_t left = LOOKS_MAX / (image->n_sections + 1);
  struct data_search data
      = { .found = found,
          .image = image,
          .left = (unsigned)(left < REFERENCES_MAX ? left : REFERENCES_MAX) };
  struct address_search search = { .begin = found->begin,
                                   .end = found->end,
                                   .found = add_target_of_bytes,
                                   .context = &data };
  scan_code (&search, image);
  search.has_base = image->header.e_type == ET_EXEC;
  search.base = 0;
  FOR_EACH_LOAD (load, image)
    if (!is_code_alone (image, load))
      scan_segment (&search, image, load);
  found->unknown |= search.unknown;
}

void
references_find (struct references *found, const struct image *image,
                 uint64_t begin, uint64_t end)
{
  found->begin = begin;
  found->end = end;
  found->n_targets = 0;
  found->unknown = end - begin > RANGE_MAX;
  if (found->unknown)
    return;
  scan_code_and_data (found, image);
  scan_relocations (found, image);
  scan_dynamic_symbols (found, image);
}

bool
references_meet (const struct references *found, uint64_t begin, uint64_t end)
{
  for (size_t i = 0; i < found->n_targets; i++)
    if (found->targets[i] >= begin && found->targets[i] < end)
      return true;
  return found->unknown && begin < found->end && end > found->begin;
}
