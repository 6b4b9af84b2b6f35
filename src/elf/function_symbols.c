/* The functions that the symbol tables of a linked file name.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "elf/function_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/search.h"

struct symbol_table
{
  const struct image *image;
  const uint8_t *symbols;
  uint64_t n;
  const char *strings;
  uint64_t strings_size;
};

static bool
open_table (const struct image *image, const struct image_section *section,
            struct symbol_table *table)
{
  const GElf_Shdr *header = &section->header;
  if (header->sh_link >= image->n_sections
      || image->sections[header->sh_link].header.sh_type != SHT_STRTAB)
    return false;
  const struct image_section *strings = &image->sections[header->sh_link];
  *table = (struct symbol_table){
    .image = image,
    .symbols = image_section_bytes (image, section),
    .n = header->sh_size / sizeof (Elf64_Sym),
    .strings = (const char *)image_section_bytes (image, strings),
    .strings_size = strings->header.sh_size,
  };
  return table->symbols && table->strings;
}

/* A part of a function: GCC and LLVM name them NAME.cold, NAME.cold.N.  */
static bool
is_part (const struct symbol_table *table, uint32_t name)
{
  if (name >= table->strings_size)
    return true;
  const char *start = table->strings + name;
  const char *end = memchr (start, 0, table->strings_size - name);
  return !end || strstr (start, ".cold");
}

/* Address and name of symbol INDEX, if it is a function's.  */
static bool
is_function (const struct symbol_table *table, uint64_t index,
             uint64_t *address, const char **name)
{
  bool big_endian = table->image->big_endian;
  const uint8_t *symbol = table->symbols + index * sizeof (Elf64_Sym);
  unsigned type = symbol[offsetof (Elf64_Sym, st_info)] & 0xf;
  *address = load_u64 (symbol + offsetof (Elf64_Sym, st_value), big_endian);
  uint32_t at = load_u32 (symbol, big_endian);
  *name = table->strings + at;
  return (type == STT_FUNC || type == STT_GNU_IFUNC)
         && load_u16 (symbol + offsetof (Elf64_Sym, st_shndx), big_endian)
                != SHN_UNDEF
         && !is_part (table, at);
}

static bool
walk_table (const struct symbol_table *table, function_symbol_visitor *visitor,
            void *argument)
{
  uint64_t address;
  const char *name;
  for (uint64_t i = 0; i < table->n; i++)
    if (is_function (table, i, &address, &name)
        && !visitor (argument, address, name))
      return false;
  return true;
}

bool
function_symbols_walk (const struct image *image, bool all,
                       function_symbol_visitor *visitor, void *argument)
{
  for (size_t i = 1; i < image->n_sections; i++)
    {
      struct symbol_table table;
      uint32_t type = image->sections[i].header.sh_type;
      if ((type == SHT_DYNSYM || (type == SHT_SYMTAB && all))
          && open_table (image, &image->sections[i], &table)
          && !walk_table (&table, visitor, argument))
        return false;
    }
  return true;
}

static int
compare_names (const void *a, const void *b)
{
  const struct symbol_name *left = a, *right = b;
  if (left->address != right->address)
    return left->address < right->address ? -1 : 1;
  return (left->order > right->order) - (left->order < right->order);
}

static bool
add_name (void *argument, uint64_t address, const char *name)
{
  struct symbol_names *names = argument;
  if (!ARRAY_ROOM (names->list, names->n + 1, &names->capacity))
    return false;
  names->list[names->n] = (struct symbol_name){ address, name, names->n };
  names->n++;
  return true;
}

bool
symbol_names_read (struct symbol_names *names, const struct image *image)
{
  *names = (struct symbol_names){ 0 };
  if (!function_symbols_walk (image, true, add_name, names))
    return false;
  if (names->n > 0)
    qsort (names->list, names->n, sizeof *names->list, compare_names);
  return true;
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
