/* Reading the symbol table of a relocatable object.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Only ELF64 gets here.  Fields are read from the bytes because libelf would
   copy (and for foreign byte orders convert) the whole table.  */

#include "elf/symbols.h"

#include "base/bytes.h"

static bool
open_indexes (struct symbols *symbols, struct error *err)
{
  const struct image *image = symbols->image;
  for (size_t i = 1; i < image->n_sections; i++)
    {
      const GElf_Shdr *header = &image->sections[i].header;
      if (header->sh_type != SHT_SYMTAB_SHNDX
          || header->sh_link != symbols->section)
        continue;
      if (header->sh_size / 4 < symbols->n)
        return error_set_at (err, CFI2SFRAME_MALFORMED, header->sh_offset,
                             "extended section indexes are truncated");
      symbols->index_section = i;
      symbols->indexes = image_section_bytes (image, &image->sections[i]);
      return true;
    }
  return true;
}

bool
symbols_open (struct symbols *symbols, const struct image *image,
              struct error *err)
{
  *symbols = (struct symbols){ .image = image };
  for (size_t i = 1; i < image->n_sections; i++)
    {
      const GElf_Shdr *header = &image->sections[i].header;
      if (header->sh_type != SHT_SYMTAB)
        continue;
      symbols->n = header->sh_size / sizeof (Elf64_Sym);
      if (header->sh_entsize != sizeof (Elf64_Sym)
          || header->sh_size % sizeof (Elf64_Sym) != 0
          || header->sh_info > symbols->n)
        return error_set_at (err, CFI2SFRAME_MALFORMED, header->sh_offset,
                             "symbol table is damaged");
      symbols->section = i;
      symbols->n_local = header->sh_info;
      symbols->bytes = image_section_bytes (image, &image->sections[i]);
      return open_indexes (symbols, err);
    }
  return true;
}

bool
symbols_get (const struct symbols *symbols, size_t index,
             struct symbol *symbol)
{
  if (index >= symbols->n)
    return false;
  bool big_endian = symbols->image->big_endian;
  const uint8_t *at = symbols->bytes + index * sizeof (Elf64_Sym);
  symbol->info = at[offsetof (Elf64_Sym, st_info)];
  symbol->value = load_u64 (at + offsetof (Elf64_Sym, st_value), big_endian);
  symbol->section = load_u16 (at + offsetof (Elf64_Sym, st_shndx), big_endian);
  if (symbol->section == SHN_XINDEX && symbols->indexes)
    symbol->section = load_u32 (symbols->indexes + 4 * index, big_endian);
  else if (symbol->section >= SHN_LORESERVE)
    symbol->section = SHN_UNDEF;
  if (symbol->section >= symbols->image->n_sections)
    symbol->section = SHN_UNDEF;
  return true;
}
