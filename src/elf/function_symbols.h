/* The functions that the symbol tables of a linked file name.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ELF_FUNCTION_SYMBOLS_H
#define ELF_FUNCTION_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/image.h"

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

#endif /* ELF_FUNCTION_SYMBOLS_H */
