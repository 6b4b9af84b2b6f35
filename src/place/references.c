/* Which addresses of bytes that may move occur in code and data.
   SPDX-License-Identifier: LGPL-2.1-or-later

   By chance, bytes of code look like a reference to a range of some hundred
   bytes once in a hundred million bytes; then a section stays where it is that
   could have moved.  */

#include "place/references.h"

#include <endian.h>
#include <string.h>

#include "arch/patterns.h"
#include "base/bytes.h"
#include "elf/dynamic.h"
#include "elf/dynamic_relocations.h"
#include "elf/symbols.h"

/* Size of the range at most (struct address_search).  */
#define RANGE_MAX (UINT32_MAX / 2)

static void
add_target (struct references *found, uint64_t target)
{
  if (target < found->begin || target >= found->end)
    return;
  if (found->n_targets == REFERENCES_MAX)
    found->unknown = true;
  else
    found->targets[found->n_targets++] = target;
}

/* ---- Data */

enum
{
  BLOCK_FIELDS = 64
};

/* 32-bit fields at any address.  */
struct __attribute__ ((packed, may_alias)) block
{
  uint32_t fields[BLOCK_FIELDS];
};

/* Whether a word of the host's byte order that begins in BLOCK may be a
   target: its lower half may be that of one.  Hardly any block has one.
   Compilers make vector instructions of this function; the minimum is
   one of signed numbers of 32 bits, because SSE2 can compare no others.  */
static bool
may_have_target (const struct references *found, const struct block *block)
{
  uint32_t lowest = (uint32_t)found->begin + 0x80000000;
  int32_t nearest = INT32_MAX; /* how far behind the first, less 2 GiB */
  for (unsigned i = 0; i < BLOCK_FIELDS; i++)
    {
      int32_t distance = (int32_t)(block->fields[i] - lowest);
      nearest = distance < nearest ? distance : nearest;
    }
  return (uint64_t)((int64_t)nearest - INT32_MIN) < found->end - found->begin;
}

/* The words that begin in DATA from AT to END.  */
static void
scan_each_word (struct references *found, const struct loaded_bytes *data,
                bool big_endian, uint64_t at, uint64_t end)
{
  for (; at < end && at + 8 <= data->size; at += 4)
    add_target (found, load_u64 (data->bytes + at, big_endian));
}

static void
scan_words (struct references *found, const struct loaded_bytes *data,
            bool big_endian)
{
  const uint64_t step = sizeof (struct block);
  bool host_order = big_endian == (htobe16 (1) == 1);
  uint64_t at = -data->address & 3;
  for (; host_order && at + step + 4 <= data->size; at += step)
    if (may_have_target (found, (const struct block *)(data->bytes + at)))
      scan_each_word (found, data, big_endian, at, at + step);
  scan_each_word (found, data, big_endian, at, data->size);
}

/* Relocations, and the symbols that they name.  */
struct relocation_search
{
  struct references *found;
  struct symbols symbols; /* N is 0 without a table */
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

/* A dynamic linker finds symbols by name, but no symbol of a section: GNU ld
   wrote those up to about 2015, for relocations only.  */
static void
scan_dynamic_symbols (struct references *found, const struct image *image)
{
  for (size_t i = 1; i < image->n_sections; i++)
    {
      struct symbols symbols;
      struct symbol symbol;
      if (image->sections[i].header.sh_type != SHT_DYNSYM
          || !symbols_at (&symbols, image, i))
        continue;
      for (size_t k = 0; symbols_get (&symbols, k, &symbol); k++)
        if (symbol_has_address (&symbol)
            && ELF64_ST_TYPE (symbol.info) != STT_SECTION)
          add_target (found, symbol.value);
    }
}

/* ---- All of it */

static void
add_target_of_code (void *found, uint64_t target)
{
  add_target (found, target);
}

static void
scan_code (struct references *found, const struct image *image, bool absolute)
{
  const struct arch_patterns *patterns
      = arch_patterns_of (image->header.e_machine);
  struct address_search search = { .begin = found->begin,
                                   .end = found->end,
                                   .absolute = absolute,
                                   .found = add_target_of_code,
                                   .context = found };
  dynamic_find (image, DT_PLTGOT, &search.got);
  FOR_EACH_SECTION (section, image)
    {
      struct loaded_bytes code
          = { image_section_bytes (image, section), section->header.sh_size,
              section->header.sh_addr };
      if (!(section->header.sh_flags & SHF_EXECINSTR) || code.bytes == NULL)
        continue;
      if (patterns != NULL)
        patterns->find_addresses (&search, &code);
      else
        search.unknown = true;
    }
  found->unknown |= search.unknown;
}

/* Where the headers at the start of the file end in SEGMENT.  They hold
   addresses, but do not count, because they are made anew.  */
static uint64_t
headers_end (const struct image *image, const GElf_Phdr *segment)
{
  uint64_t end = image->header.e_phoff
                 + image->n_segments * (uint64_t)sizeof (Elf64_Phdr);
  if (end <= segment->p_offset)
    return 0;
  end -= segment->p_offset;
  return end < segment->p_filesz ? end : segment->p_filesz;
}

/* Search the words of SEGMENT in front of the dynamic section and behind it.
   The dynamic section does not count, because its entries are patched.  */
static void
scan_data (struct references *found, const struct image *image,
           const GElf_Phdr *segment)
{
  const GElf_Phdr *dynamic = image_find_segment (image, PT_DYNAMIC);
  uint64_t at = headers_end (image, segment), end = segment->p_filesz;
  if (dynamic != NULL && dynamic->p_offset >= segment->p_offset
      && dynamic->p_offset - segment->p_offset >= at
      && dynamic->p_offset - segment->p_offset <= end)
    {
      uint64_t gap = dynamic->p_offset - segment->p_offset;
      struct loaded_bytes front = { image->bytes + segment->p_offset + at,
                                    gap - at, segment->p_vaddr + at };
      scan_words (found, &front, image->big_endian);
      at = gap + dynamic->p_filesz < end ? gap + dynamic->p_filesz : end;
    }
  struct loaded_bytes rest = { image->bytes + segment->p_offset + at, end - at,
                               segment->p_vaddr + at };
  scan_words (found, &rest, image->big_endian);
}

void
references_find (struct references *found, const struct image *image,
                 uint64_t begin, uint64_t end)
{
  bool absolute = image->header.e_type == ET_EXEC;
  found->begin = begin;
  found->end = end;
  found->n_targets = 0;
  found->unknown = end - begin > RANGE_MAX;
  if (found->unknown)
    return;
  scan_code (found, image, absolute);
  for (size_t i = 0; i < image->n_segments && absolute; i++)
    if (image->segments[i].p_type == PT_LOAD)
      scan_data (found, image, &image->segments[i]);
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
