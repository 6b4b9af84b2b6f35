/* The functions that the symbol tables of a linked file name.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "elf/function_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/radix.h"
#include "base/search.h"
#include "elf/symbols.h"

/* The name of SYMBOL if it begins a function, or NULL.  GCC and LLVM call a
   part of a function NAME.cold or NAME.cold.N.  */
static const char *
function_name (const struct symbols *symbols, const struct symbol *symbol)
{
  unsigned type = ELF64_ST_TYPE (symbol->info);
  if ((type != STT_FUNC && type != STT_GNU_IFUNC)
      || symbol->st_shndx == SHN_UNDEF)
    return NULL;
  const char *name = symbols_name (symbols, symbol);
  return name == NULL || strstr (name, ".cold") ? NULL : name;
}

bool
function_symbols_walk (const struct image *image, bool all,
                       function_symbol_visitor *visitor, void *argument)
{
  struct symbol_walk walk = symbol_walk_over (image, !all);
  struct symbol symbol;
  while (symbol_walk_next (&walk, &symbol))
    {
      const char *name = function_name (&walk.table, &symbol);
      if (name != NULL && !visitor (argument, symbol.value, name))
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
