/* Where functions may start.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "code/seeds.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/search.h"
#include "elf/dynamic.h"

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

static bool
is_function (const struct symbol_table *table, uint64_t index,
             uint64_t *address)
{
  bool big_endian = table->image->big_endian;
  const uint8_t *symbol = table->symbols + index * sizeof (Elf64_Sym);
  unsigned type = symbol[offsetof (Elf64_Sym, st_info)] & 0xf;
  *address = load_u64 (symbol + offsetof (Elf64_Sym, st_value), big_endian);
  return (type == STT_FUNC || type == STT_GNU_IFUNC)
         && load_u16 (symbol + offsetof (Elf64_Sym, st_shndx), big_endian)
                != SHN_UNDEF
         && !is_part (table, load_u32 (symbol, big_endian));
}

bool
seeds_from_symbols (const struct image *image, bool all,
                    bool (*found) (void *argument, uint64_t address),
                    void *argument)
{
  for (size_t i = 1; i < image->n_sections; i++)
    {
      struct symbol_table table;
      uint32_t type = image->sections[i].header.sh_type;
      if ((type != SHT_DYNSYM && (type != SHT_SYMTAB || !all))
          || !open_table (image, &image->sections[i], &table))
        continue;
      uint64_t address;
      for (uint64_t k = 0; k < table.n; k++)
        if (is_function (&table, k, &address) && !found (argument, address))
          return false;
    }
  return true;
}

bool
seeds_from_pointers (const struct places *places,
                     bool (*found) (void *argument, uint64_t address),
                     void *argument)
{
  for (size_t i = 0; i < places->n_relocated; i++)
    if (places->relocated[i].value != 0
        && !found (argument, places->relocated[i].value))
      return false;
  for (size_t i = 0; i < places->n_named_sorted; i++)
    if (!found (argument, places->named[i]))
      return false;
  return true;
}

static bool
words_of_segment (const struct places *places, const GElf_Phdr *segment,
                  bool (*found) (void *argument, uint64_t address),
                  void *argument)
{
  const struct image *image = places->image;
  const uint8_t *bytes = image->bytes + segment->p_offset;
  uint64_t size;
  for (uint64_t i = (0 - segment->p_vaddr) % 8; i + 8 <= segment->p_filesz;
       i += 8)
    {
      uint64_t word = load_u64 (bytes + i, image->big_endian);
      if (places_code (places, word, &size) && !found (argument, word))
        return false;
    }
  return true;
}

bool
seeds_from_words (const struct places *places,
                  bool (*found) (void *argument, uint64_t address),
                  void *argument)
{
  const struct image *image = places->image;
  for (size_t i = 0; i < image->n_segments; i++)
    if (image->segments[i].p_type == PT_LOAD
        && !(image->segments[i].p_flags & PF_X)
        && !words_of_segment (places, &image->segments[i], found, argument))
      return false;
  return true;
}

/* The functions that the SIZE bytes at ADDRESS point to.  */
static bool
words_of_array (const struct places *places, uint64_t address, uint64_t size,
                bool (*found) (void *argument, uint64_t address),
                void *argument)
{
  uint64_t function, n = size / sizeof (Elf64_Addr);
  for (uint64_t i = 0;
       i < n
       && places_word (places, address + i * sizeof (Elf64_Addr),
                       sizeof (Elf64_Addr), false, &function);
       i++)
    if (!found (argument, function))
      return false;
  return true;
}

/* Static programs have no dynamic section, but sections of these types.  */
static bool
words_of_sections (const struct places *places,
                   bool (*found) (void *argument, uint64_t address),
                   void *argument)
{
  for (size_t i = 1; i < places->image->n_sections; i++)
    {
      const GElf_Shdr *header = &places->image->sections[i].header;
      if (header->sh_type >= SHT_INIT_ARRAY
          && header->sh_type <= SHT_PREINIT_ARRAY
          && !words_of_array (places, header->sh_addr, header->sh_size, found,
                              argument))
        return false;
    }
  return true;
}

bool
seeds_from_initialisers (const struct places *places,
                         bool (*found) (void *argument, uint64_t address),
                         void *argument)
{
  static const int64_t functions[] = { DT_INIT, DT_FINI };
  static const int64_t arrays[][2] = {
    { DT_PREINIT_ARRAY, DT_PREINIT_ARRAYSZ },
    { DT_INIT_ARRAY, DT_INIT_ARRAYSZ },
    { DT_FINI_ARRAY, DT_FINI_ARRAYSZ },
  };
  const struct image *image = places->image;
  uint64_t address, size;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (dynamic_find (image, functions[i], &address)
        && !found (argument, address))
      return false;
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (dynamic_find (image, arrays[i][0], &address)
        && dynamic_find (image, arrays[i][1], &size)
        && !words_of_array (places, address, size, found, argument))
      return false;
  return words_of_sections (places, found, argument);
}

/* Static programs that can be loaded anywhere are shared objects by their
   type.  */
uint64_t
seeds_program_entry (const struct image *image)
{
  uint64_t flags = 0;
  bool is_program
      = image->header.e_type == ET_EXEC
        || image_find_segment (image, PT_INTERP) != NULL
        || (dynamic_find (image, DT_FLAGS_1, &flags) && (flags & DF_1_PIE));
  return is_program ? image->header.e_entry : 0;
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
add_names (struct symbol_names *names, const struct symbol_table *table)
{
  uint64_t address;
  for (uint64_t k = 0; k < table->n; k++)
    {
      if (!is_function (table, k, &address))
        continue;
      if (!ARRAY_ROOM (names->list, names->n + 1, &names->capacity))
        return false;
      uint32_t name = load_u32 (table->symbols + k * sizeof (Elf64_Sym),
                                table->image->big_endian);
      names->list[names->n]
          = (struct symbol_name){ address, table->strings + name, names->n };
      names->n++;
    }
  return true;
}

bool
symbol_names_read (struct symbol_names *names, const struct image *image)
{
  *names = (struct symbol_names){ 0 };
  for (size_t i = 1; i < image->n_sections; i++)
    {
      struct symbol_table table;
      uint32_t type = image->sections[i].header.sh_type;
      if ((type == SHT_DYNSYM || type == SHT_SYMTAB)
          && open_table (image, &image->sections[i], &table)
          && !add_names (names, &table))
        return false;
    }
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
