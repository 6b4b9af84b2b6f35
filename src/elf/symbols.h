/* Symbol tables, read from the file's bytes: the only reader of them.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A table is found by its section or, as the dynamic linker finds its own, by
   the dynamic section.

   System V gABI, "Symbol Table".  Nothing is owned: all pointers lead into the
   image.  */

#ifndef ELF_SYMBOLS_H
#define ELF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"
#include "elf/image.h"

struct symbols
{
  const struct image *image;
  size_t section;       /* index of the table; 0: there is none */
  size_t index_section; /* SHT_SYMTAB_SHNDX; 0: there is none */
  const uint8_t *bytes; /* entries */
  size_t n;
  size_t n_local;         /* sh_info: index of the first global one */
  const uint8_t *indexes; /* u32 per symbol, or NULL */
  size_t n_indexes;
  const char *strings; /* the section that sh_link names, or NULL */
  uint64_t strings_size;
};

struct symbol
{
  uint32_t name; /* offset among the strings */
  uint8_t info;
  uint16_t st_shndx; /* as it stands there */
  size_t section;    /* 0 for undefined, absolute and common symbols */
  uint64_t value, size;
};

/* Whether SYMBOL has an address.  Constants, and offsets of thread-local
   variables, are none.  */
static inline bool
symbol_has_address (const struct symbol *symbol)
{
  return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS
         && ELF64_ST_TYPE (symbol->info) != STT_TLS;
}

/* Read the table in section SECTION, of any type, as far as it goes: entries
   are counted by the section's size, whatever sh_entsize says.  False when it
   has no bytes in the file.  */
bool symbols_at (struct symbols *symbols, const struct image *image,
                 size_t section);

/* Find the (one) table of the relocatable object IMAGE.  False when it is
   damaged.  */
bool symbols_open (struct symbols *symbols, const struct image *image,
                   struct error *err);

/* The name of SYMBOL, or NULL when no string of the table is.  */
const char *symbols_name (const struct symbols *symbols,
                          const struct symbol *symbol);

/* The fields of the entry at BYTES; no section.  */
static inline void
symbol_read (struct symbol *symbol, const uint8_t *bytes, bool big_endian)
{
  *symbol = (struct symbol){
    .name = load_u32 (bytes + offsetof (Elf64_Sym, st_name), big_endian),
    .info = bytes[offsetof (Elf64_Sym, st_info)],
    .st_shndx = load_u16 (bytes + offsetof (Elf64_Sym, st_shndx), big_endian),
    .value = load_u64 (bytes + offsetof (Elf64_Sym, st_value), big_endian),
    .size = load_u64 (bytes + offsetof (Elf64_Sym, st_size), big_endian),
  };
}

/* Symbol INDEX, which may be any number; false when there is none.  Inline:
   whoever looks at all symbols of a program looks at a field or two.  */
static inline bool
symbols_get (const struct symbols *symbols, size_t index,
             struct symbol *symbol)
{
  if (index >= symbols->n)
    return false;
  bool big_endian = symbols->image->big_endian;
  symbol_read (symbol, symbols->bytes + index * sizeof (Elf64_Sym),
               big_endian);
  if (symbol->st_shndx < SHN_LORESERVE)
    symbol->section = symbol->st_shndx;
  else if (symbol->st_shndx == SHN_XINDEX && index < symbols->n_indexes)
    symbol->section = load_u32 (symbols->indexes + 4 * index, big_endian);
  if (symbol->section >= symbols->image->n_sections)
    symbol->section = SHN_UNDEF;
  return true;
}

/* Go from SYMBOLS to the next table of a linked file: with DYNAMIC, of the
   dynamic linker's alone.  SYMBOLS begins with an image, and is zeroed
   otherwise.  False when there is none.  */
bool symbols_next_table (struct symbols *symbols, bool dynamic);

/* A walk over all symbols of these tables.  */
struct symbol_walk
{
  struct symbols table; /* that of the latest symbol */
  size_t next;          /* in it */
  bool dynamic;
};

static inline struct symbol_walk
symbol_walk_over (const struct image *image, bool dynamic)
{
  return (struct symbol_walk){ .table.image = image, .dynamic = dynamic };
}

static inline bool
symbol_walk_next (struct symbol_walk *walk, struct symbol *symbol)
{
  while (!symbols_get (&walk->table, walk->next++, symbol))
    {
      walk->next = 0;
      if (!symbols_next_table (&walk->table, walk->dynamic))
        return false;
    }
  return true;
}

/* The table that the dynamic section gives, which files without section
   headers have, too.  How many symbols it has is not said there.  */
struct dynamic_symbols
{
  const struct image *image;
  uint64_t symbols, strings; /* addresses */
  uint64_t strings_size;
};

void dynamic_symbols_find (struct dynamic_symbols *symbols,
                           const struct image *image);

/* Symbol INDEX, without its section; false when no bytes of the image are that
   of one.  */
bool dynamic_symbols_get (const struct dynamic_symbols *symbols,
                          uint32_t index, struct symbol *symbol);

/* The name of SYMBOL, or NULL when no string of the table is.  */
const char *dynamic_symbols_name (const struct dynamic_symbols *symbols,
                                  const struct symbol *symbol);

/* ---- The functions that the tables of a linked file name */

/* NAME is in the image's bytes.  False: no more.  */
typedef bool function_symbol_visitor (void *argument, uint64_t address,
                                      const char *name);

/* Show VISITOR the functions by the symbols of .dynsym and, if ALL, .symtab.
   Parts of functions (NAME.cold) are none.  Stops and returns false when
   VISITOR does.  */
bool function_symbols_walk (const struct image *image, bool all,
                            function_symbol_visitor *visitor, void *argument);

/* The names of function symbols, in the image's bytes.  */
struct symbol_name
{
  uint64_t address;
  const char *name;
};

struct symbol_names
{
  /* Owned; ascending, those of one address as in the file: the first
     counts.  */
  struct symbol_name *list;
  size_t n, capacity;
};

/* False when memory ran out.  NAMES is to be freed in any case.  */
bool symbol_names_read (struct symbol_names *names, const struct image *image);
void symbol_names_free (struct symbol_names *names);

/* The name of a function at ADDRESS, or NULL.  */
const char *symbol_names_at (const struct symbol_names *names,
                             uint64_t address);

#endif /* ELF_SYMBOLS_H */
