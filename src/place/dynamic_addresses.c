/* What names sections by address: dynamic entries and symbols.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "place/placing.h"

#include <string.h>

#include "base/bytes.h"

enum
{
  MOVED_SYMBOLS_MAX = 4096 /* a handful is usual */
};

int64_t
dynamic_tag_of (uint32_t section_type)
{
  switch (section_type)
    {
    case SHT_DYNSYM:
      return DT_SYMTAB;
    case SHT_STRTAB:
      return DT_STRTAB;
    case SHT_HASH:
      return DT_HASH;
    case SHT_GNU_HASH:
      return DT_GNU_HASH;
    case SHT_GNU_versym:
      return DT_VERSYM;
    case SHT_GNU_verneed:
      return DT_VERNEED;
    case SHT_GNU_verdef:
      return DT_VERDEF;
    default:
      return DT_NULL;
    }
}

bool
dynamic_is_table (int64_t tag)
{
  return tag == DT_HASH || tag == DT_GNU_HASH || tag == DT_SYMTAB
         || tag == DT_STRTAB || tag == DT_VERSYM || tag == DT_VERNEED
         || tag == DT_VERDEF;
}

static bool
patch_u64 (struct placing *placing, uint64_t old_offset, uint64_t value)
{
  uint64_t offset;
  if (!plan_find (placing->plan, old_offset, sizeof value, &offset))
    return error_set_at (placing->err, CFI2SFRAME_REFUSED, old_offset,
                         "an address that must change lies in bytes that "
                         "have moved");
  uint8_t *bytes
      = plan_patch (placing->plan, offset, sizeof value, placing->err);
  if (bytes == NULL)
    return false;
  store_u64 (bytes, value, placing->image->big_endian);
  return true;
}

/* What is added to the address of the table of section TYPE at ADDRESS.  */
static uint64_t
table_delta (const struct placing *placing, int64_t tag, uint64_t address)
{
  for (size_t i = 1; i < placing->image->n_sections; i++)
    {
      const GElf_Shdr *header = &placing->image->sections[i].header;
      if (placing->moved[i] != 0 && header->sh_addr == address
          && dynamic_tag_of (header->sh_type) == tag)
        return placing->moved[i];
    }
  return 0;
}

bool
dynamic_patch (struct placing *placing)
{
  uint64_t at = 0, value;
  int64_t tag;
  while (dynamic_next (placing->image, &at, &tag, &value))
    {
      uint64_t delta
          = dynamic_is_table (tag) ? table_delta (placing, tag, value) : 0;
      /* dynamic_next stands behind the entry; its second word is d_un.  */
      if (delta != 0 && !patch_u64 (placing, at - 8, value + delta))
        return false;
    }
  return true;
}

/* A symbol table and where its extended section indices are.  */
struct symbol_table
{
  const uint8_t *bytes;
  size_t count;
  const uint8_t *extended; /* NULL: no SHT_SYMTAB_SHNDX */
  size_t n_extended;
  bool big_endian;
};

static bool
symbol_table_open (struct symbol_table *symbols, const struct image *image,
                   size_t index)
{
  const struct image_section *section = &image->sections[index];
  *symbols = (struct symbol_table){ .big_endian = image->big_endian };
  symbols->bytes = image_section_bytes (image, section);
  symbols->count = section->header.sh_size / sizeof (Elf64_Sym);
  if (symbols->bytes == NULL
      || section->header.sh_entsize != sizeof (Elf64_Sym))
    return false;
  for (size_t i = 1; i < image->n_sections; i++)
    {
      const GElf_Shdr *header = &image->sections[i].header;
      if (header->sh_type == SHT_SYMTAB_SHNDX && header->sh_link == index)
        {
          symbols->extended = image_section_bytes (image, &image->sections[i]);
          symbols->n_extended = header->sh_size / sizeof (uint32_t);
        }
    }
  return true;
}

static size_t
symbol_table_section (const struct symbol_table *symbols, size_t index)
{
  const uint8_t *symbol = symbols->bytes + index * sizeof (Elf64_Sym);
  uint16_t section = load_u16 (symbol + offsetof (Elf64_Sym, st_shndx),
                               symbols->big_endian);
  if (section == SHN_XINDEX && symbols->extended != NULL
      && index < symbols->n_extended)
    return load_u32 (symbols->extended + index * sizeof (uint32_t),
                     symbols->big_endian);
  return section < SHN_LORESERVE ? section : 0;
}

static uint64_t
symbol_table_value (const struct symbol_table *symbols, size_t index)
{
  return load_u64 (symbols->bytes + index * sizeof (Elf64_Sym)
                       + offsetof (Elf64_Sym, st_value),
                   symbols->big_endian);
}

/* Linkers attach symbols such as __ehdr_start to the first section although
   they lie outside; those stay.  */
static bool
is_in_section (const GElf_Shdr *header, uint64_t value)
{
  return value >= header->sh_addr
         && value - header->sh_addr <= header->sh_size;
}

static bool
symbol_table_patch (struct placing *placing, size_t index)
{
  size_t n_patches = 0;
  const struct image *image = placing->image;
  struct symbol_table symbols;
  if (!symbol_table_open (&symbols, image, index))
    return true;
  uint64_t table = image->sections[index].header.sh_offset;
  for (size_t i = 1; i < symbols.count; i++)
    {
      size_t section = symbol_table_section (&symbols, i);
      if (section == 0 || section >= image->n_sections
          || placing->moved[section] == 0)
        continue;
      uint64_t value = symbol_table_value (&symbols, i);
      if (!is_in_section (&image->sections[section].header, value))
        continue;
      if (++n_patches > MOVED_SYMBOLS_MAX)
        return error_set (placing->err, CFI2SFRAME_REFUSED,
                          "too many symbols in sections that must move");
      uint64_t at
          = table + i * sizeof (Elf64_Sym) + offsetof (Elf64_Sym, st_value);
      if (!patch_u64 (placing, at, value + placing->moved[section]))
        return false;
    }
  return true;
}

bool
symbols_patch (struct placing *placing)
{
  for (size_t i = 1; i < placing->image->n_sections; i++)
    if (placing->image->sections[i].header.sh_type == SHT_SYMTAB
        && !symbol_table_patch (placing, i))
      return false;
  return true;
}

static const char *
symbol_table_name (const struct symbol_table *symbols,
                   const struct image *image, size_t table, size_t index)
{
  uint32_t link = image->sections[table].header.sh_link;
  if (link == 0 || link >= image->n_sections)
    return "";
  const struct image_section *strings = &image->sections[link];
  const uint8_t *bytes = image_section_bytes (image, strings);
  uint32_t name = load_u32 (symbols->bytes + index * sizeof (Elf64_Sym),
                            symbols->big_endian);
  if (bytes == NULL || name >= strings->header.sh_size
      || bytes[strings->header.sh_size - 1] != '\0')
    return "";
  return (const char *)bytes + name;
}

/* Symbols that nobody uses: the one that glibc's start files put on the ABI
   note, and the mapping symbols of the ARM ABIs ($d).  */
static bool
is_unused_name (const char *name)
{
  return strcmp (name, "__abi_tag") == 0 || name[0] == '$';
}

static bool
table_names_section (const struct image *image, size_t table, size_t section)
{
  struct symbol_table symbols;
  if (!symbol_table_open (&symbols, image, table))
    return false;
  const GElf_Shdr *header = &image->sections[section].header;
  for (size_t i = 1; i < symbols.count; i++)
    {
      uint8_t info
          = symbols
                .bytes[i * sizeof (Elf64_Sym) + offsetof (Elf64_Sym, st_info)];
      if (ELF64_ST_TYPE (info) != STT_SECTION
          && symbol_table_section (&symbols, i) == section
          && is_in_section (header, symbol_table_value (&symbols, i))
          && !is_unused_name (symbol_table_name (&symbols, image, table, i)))
        return true;
    }
  return false;
}

bool
section_has_symbol (const struct image *image, size_t index)
{
  for (size_t i = 1; i < image->n_sections; i++)
    {
      uint32_t type = image->sections[i].header.sh_type;
      if ((type == SHT_SYMTAB || type == SHT_DYNSYM)
          && table_names_section (image, i, index))
        return true;
    }
  return false;
}

static bool
table_defines (const struct image *image, size_t table, const char *name)
{
  struct symbol_table symbols;
  if (!symbol_table_open (&symbols, image, table))
    return false;
  for (size_t i = 1; i < symbols.count; i++)
    if (load_u16 (symbols.bytes + i * sizeof (Elf64_Sym)
                      + offsetof (Elf64_Sym, st_shndx),
                  image->big_endian)
            != SHN_UNDEF
        && strcmp (symbol_table_name (&symbols, image, table, i), name) == 0)
      return true;
  return false;
}

bool
dynamic_may_define (const struct image *image, const char *name)
{
  for (size_t i = 1; i < image->n_sections; i++)
    if (image->sections[i].header.sh_type == SHT_DYNSYM)
      return table_defines (image, i, name);
  return true;
}
