/* Reading symbol tables from the file's bytes.
   SPDX-License-Identifier: LGPL-2.1-or-later

   All images are ELF64.  libelf is not used here, because it would copy each
   table, and convert it if its byte order is foreign.  */

#include "elf/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/radix.h"
#include "base/search.h"
#include "elf/dynamic.h"

static void
find_indexes (struct symbols *symbols)
{
  const struct image *image = symbols->image;
  for (size_t i = 1; i < image->n_sections; i++)
    {
      const GElf_Shdr *header = &image->sections[i].header;
      if (header->sh_type != SHT_SYMTAB_SHNDX
          || header->sh_link != symbols->section)
        continue;
      symbols->index_section = i;
      symbols->indexes = image_section_bytes (image, &image->sections[i]);
      symbols->n_indexes = symbols->indexes ? header->sh_size / 4 : 0;
      return;
    }
}

/* A string table ends with a zero byte (gABI, "String Table").  Section LINK
   is ignored if it does not.  */
static void
find_strings (struct symbols *symbols, uint32_t link)
{
  if (link == 0 || link >= symbols->image->n_sections)
    return;
  const struct image_section *strings = &symbols->image->sections[link];
  uint64_t size = strings->header.sh_size;
  const uint8_t *bytes = image_section_bytes (symbols->image, strings);
  if (bytes == NULL || size == 0 || bytes[size - 1] != '\0')
    return;
  symbols->strings = (const char *)bytes;
  symbols->strings_size = size;
}

bool
symbols_at (struct symbols *symbols, const struct image *image, size_t section)
{
  const GElf_Shdr *header = &image->sections[section].header;
  *symbols = (struct symbols){
    .image = image,
    .section = section,
    .bytes = image_section_bytes (image, &image->sections[section]),
    .n = header->sh_size / sizeof (Elf64_Sym),
    .n_local = header->sh_info,
  };
  if (symbols->bytes == NULL)
    return false;
  find_indexes (symbols);
  find_strings (symbols, header->sh_link);
  return true;
}

bool
symbols_next_table (struct symbols *symbols, bool dynamic)
{
  const struct image *image = symbols->image;
  for (size_t i = symbols->section + 1; i < image->n_sections; i++)
    {
      uint32_t type = image->sections[i].header.sh_type;
      if ((type == SHT_DYNSYM || (type == SHT_SYMTAB && !dynamic))
          && symbols_at (symbols, image, i))
        return true;
    }
  return false;
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
      if (!symbols_at (symbols, image, i)
          || header->sh_entsize != sizeof (Elf64_Sym)
          || header->sh_size % sizeof (Elf64_Sym) != 0
          || symbols->n_local > symbols->n
          || (symbols->n > 0 && symbols->n_local == 0))
        return error_set_at (err, CFI2SFRAME_MALFORMED, header->sh_offset,
                             "symbol table is damaged");
      if (symbols->index_section != 0 && symbols->n_indexes < symbols->n)
        return error_set_at (
            err, CFI2SFRAME_MALFORMED,
            image->sections[symbols->index_section].header.sh_offset,
            "extended section indexes are truncated");
      return true;
    }
  return true;
}

const char *
symbols_name (const struct symbols *symbols, const struct symbol *symbol)
{
  return symbol->name < symbols->strings_size ? symbols->strings + symbol->name
                                              : NULL;
}

void
dynamic_symbols_find (struct dynamic_symbols *symbols,
                      const struct image *image)
{
  *symbols = (struct dynamic_symbols){ .image = image };
  dynamic_find (image, DT_SYMTAB, &symbols->symbols);
  dynamic_find (image, DT_STRTAB, &symbols->strings);
  dynamic_find (image, DT_STRSZ, &symbols->strings_size);
}

bool
dynamic_symbols_get (const struct dynamic_symbols *symbols, uint32_t index,
                     struct symbol *symbol)
{
  const struct image *image = symbols->image;
  uint64_t offset = (uint64_t)index * sizeof (Elf64_Sym);
  const uint8_t *bytes
      = image_bytes_at (image, symbols->symbols + offset, sizeof (Elf64_Sym));
  if (bytes == NULL)
    return false;
  symbol_read (symbol, bytes, image->big_endian);
  return true;
}

const char *
dynamic_symbols_name (const struct dynamic_symbols *symbols,
                      const struct symbol *symbol)
{
  if (symbol->name >= symbols->strings_size)
    return NULL;
  uint64_t left = symbols->strings_size - symbol->name;
  const uint8_t *bytes
      = image_bytes_at (symbols->image, symbols->strings + symbol->name, left);
  return bytes && memchr (bytes, 0, left) ? (const char *)bytes : NULL;
}

/* ---- Functions */

bool
function_symbols_walk (const struct image *image, bool all,
                       function_symbol_visitor *visitor, void *argument)
{
  struct symbol_walk walk = symbol_walk_over (image, !all);
  struct symbol symbol;
  while (symbol_walk_next (&walk, &symbol))
    {
      unsigned type = ELF64_ST_TYPE (symbol.info);
      if ((type != STT_FUNC && type != STT_GNU_IFUNC)
          || symbol.st_shndx == SHN_UNDEF)
        continue;
      /* GCC and LLVM name a function's part NAME.cold or NAME.cold.N.  */
      const char *name = symbols_name (&walk.table, &symbol);
      if (name != NULL && strstr (name, ".cold") == NULL
          && !visitor (argument, symbol.value, name))
        return false;
    }
  return true;
}

static bool
add_name (void *argument, uint64_t address, const char *name)
{
  struct symbol_names *names = argument;
  if (!ARRAY_ROOM (names->list, names->n + 1, &names->capacity))
    return false;
  names->list[names->n++] = (struct symbol_name){ address, name };
  return true;
}

bool
symbol_names_read (struct symbol_names *names, const struct image *image)
{
  *names = (struct symbol_names){ 0 };
  return function_symbols_walk (image, true, add_name, names)
         && RADIX_SORT (names->list, names->n);
}

const char *
symbol_names_at (const struct symbol_names *names, uint64_t address)
{
  size_t at = SEARCH_FIRST (names->n, i, names->list[i].address >= address);
  return at < names->n && names->list[at].address == address
             ? names->list[at].name
             : NULL;
}

void
symbol_names_free (struct symbol_names *names)
{
  free (names->list);
}
