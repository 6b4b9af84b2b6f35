/* The symbol table of a relocatable object, read from the file's bytes.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

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
  size_t section;       /* of the table; 0: there is none */
  size_t index_section; /* SHT_SYMTAB_SHNDX; 0: there is none */
  const uint8_t *bytes; /* entries */
  size_t n;
  size_t n_local;         /* sh_info: index of the first global one */
  const uint8_t *indexes; /* u32 per symbol, or NULL */
};

struct symbol
{
  uint8_t info;
  size_t section; /* 0 for undefined, absolute and common symbols */
  uint64_t value;
};

/* Find the table of IMAGE.  False when it is damaged.  */
bool symbols_open (struct symbols *symbols, const struct image *image,
                   struct error *err);

/* Symbol INDEX, which may be any number; false when there is none.  */
bool symbols_get (const struct symbols *symbols, size_t index,
                  struct symbol *symbol);

#endif /* ELF_SYMBOLS_H */
