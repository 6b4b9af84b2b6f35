/* Symbol tables, read from the file's bytes: the only reader of them.
   SPDX-License-Identifier: LGPL-2.1-or-later

   System V gABI, "Symbol Table".  Nothing is owned: all pointers lead into the
   image.  */

#ifndef ELF_SYMBOLS_H
#define ELF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
  uint8_t info, other;
  uint16_t st_shndx; /* as it stands there */
  size_t section;    /* 0 for undefined, absolute and common symbols */
  uint64_t value;
};

/* Read the table in section SECTION, of any type, as far as it goes: entries
   are counted by the section's size, whatever sh_entsize says.  False when it
   has no bytes in the file.  */
bool symbols_at (struct symbols *symbols, const struct image *image,
                 size_t section);

/* Find the (one) table of the relocatable object IMAGE.  False when it is
   damaged.  */
bool symbols_open (struct symbols *symbols, const struct image *image,
                   struct error *err);

/* Symbol INDEX, which may be any number; false when there is none.  */
bool symbols_get (const struct symbols *symbols, size_t index,
                  struct symbol *symbol);

/* The name of SYMBOL, or NULL when no string of the table is.  */
const char *symbols_name (const struct symbols *symbols,
                          const struct symbol *symbol);

/* The fields of the entry at BYTES; no section.  */
void symbol_read (struct symbol *symbol, const uint8_t *bytes,
                  bool big_endian);

#endif /* ELF_SYMBOLS_H */
