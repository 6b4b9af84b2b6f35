/* Reading symbol tables from the file's bytes; no other code reads them.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A table is found through its section header or, as the dynamic linker finds
   its own table, through the dynamic section.  See System V gABI, "Symbol
   Table".  Nothing is owned: all pointers point into the image.  */

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
  size_t section;       /* section index of the table; 0: there is none */
  size_t index_section; /* that of its SHT_SYMTAB_SHNDX; 0: there is none */
  const uint8_t *bytes; /* entries */
  size_t n;
  size_t n_local;         /* sh_info: index of the first global symbol */
  const uint8_t *indexes; /* u32 per symbol, or NULL */
  size_t n_indexes;
  const char *strings; /* the section that sh_link names, or NULL */
  uint64_t strings_size;
};

struct symbol
{
  uint32_t name; /* offset in the string table */
  uint8_t info;
  uint16_t st_shndx; /* as in the table */
  size_t section;    /* 0 for undefined, absolute and common symbols */
  uint64_t value, size;
};

/* Return whether the value of SYMBOL is an address.  The values of absolute
   symbols are constants, and those of thread-local variables are offsets.  */
static inline bool
symbol_has_address (const struct symbol *symbol)
{
  return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS
         && ELF64_ST_TYPE (symbol->info) != STT_TLS;
}

/* Read the table in section SECTION, whatever its type.  The number of entries
   follows from the section's size; sh_entsize is ignored.  Returns false when
   the section has no bytes in the file.  */
bool symbols_at (struct symbols *symbols, const struct image *image,
                 size_t section);

/* Find the symbol table of the relocatable object IMAGE, which has one at
   most.  Returns false when the table is damaged.  */
bool symbols_open (struct symbols *symbols, const struct image *image,
                   struct error *err);

/* Return the name of SYMBOL, or NULL when it is not in the string table.  */
const char *symbols_name (const struct symbols *symbols,
                          const struct symbol *symbol);

/* Read the table entry at BYTES, without its section.  */
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

/* Read symbol INDEX; returns false if the table has no such symbol.  Inline,
   because loops over all symbols use one or two fields of each.  */
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

/* Move SYMBOLS to the next symbol table of a linked file; with DYNAMIC to the
   next SHT_DYNSYM.  SYMBOLS begins zeroed, but for its image.  Returns false
   when there is no further table.  */
bool symbols_next_table (struct symbols *symbols, bool dynamic);

/* A walk over all symbols of all tables that symbols_next_table finds.  */
struct symbol_walk
{
  struct symbols table; /* the table of the symbol that was returned last */
  size_t next;          /* index of the next symbol in that table */
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

/* The table that the dynamic section names, also in files without section
   headers.  The dynamic section does not give the number of symbols.  */
struct dynamic_symbols
{
  const struct image *image;
  uint64_t symbols, strings; /* addresses */
  uint64_t strings_size;
};

void dynamic_symbols_find (struct dynamic_symbols *symbols,
                           const struct image *image);

/* Read symbol INDEX, without its section; returns false when the image has no
   bytes at its address.  */
bool dynamic_symbols_get (const struct dynamic_symbols *symbols,
                          uint32_t index, struct symbol *symbol);

/* Return the name of SYMBOL, or NULL when it is not in the string table.  */
const char *dynamic_symbols_name (const struct dynamic_symbols *symbols,
                                  const struct symbol *symbol);

/* ---- Functions, by the symbol tables of a linked file */

/* Receives a function; NAME is in the image.  Returns false to end the
   walk.  */
typedef bool function_symbol_visitor (void *argument, uint64_t address,
                                      const char *name);

/* Call VISITOR for all functions in .dynsym and, with ALL, also in .symtab.
   Parts of functions (NAME.cold) are left out.  Ends and returns false when
   VISITOR returns false.  */
bool function_symbols_walk (const struct image *image, bool all,
                            function_symbol_visitor *visitor, void *argument);

/* The address and name of a function; the name is in the image's bytes.  */
struct symbol_name
{
  uint64_t address;
  const char *name;
};

struct symbol_names
{
  /* Owned; ascending by address.  Names of one address stand in the order of
     the file, and the first is used.  */
  struct symbol_name *list;
  size_t n, capacity;
};

/* Collect the names of all functions of IMAGE.  Returns false when memory ran
   out; NAMES is to be freed in any case.  */
bool symbol_names_read (struct symbol_names *names, const struct image *image);
void symbol_names_free (struct symbol_names *names);

/* Return the name of the function that begins at ADDRESS, or NULL.  */
const char *symbol_names_at (const struct symbol_names *names,
                             uint64_t address);

#endif /* ELF_SYMBOLS_H */
