/* What an address is called, with libdwfl.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "stacks/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "stacks/demangle.h"
#include "stacks/symbol_index.h"

void
code_name_set (struct code_name *symbol, const char *name, unsigned wanted)
{
  /* Without its version: memcpy@@GLIBC_2.14.  */
  char *plain = strndup (name, strcspn (name, "@"));
  if (plain != NULL
      && ((wanted & SYMBOL_MANGLED) != 0
          || !demangle (plain, symbol->name, sizeof symbol->name)))
    snprintf (symbol->name, sizeof symbol->name, "%s", plain);
  free (plain);
}

struct module_symbols
{
  Dwfl_Module *module;
  struct symbol_index index;
};

/* The symbols of MODULE, read when they are asked for first; NULL when memory
   ran out.  */
static const struct symbol_index *
index_of (struct symbols *symbols, Dwfl_Module *module)
{
  for (size_t i = 0; i < symbols->n; i++)
    if (symbols->modules[i].module == module)
      return &symbols->modules[i].index;
  if (!ARRAY_ROOM (symbols->modules, symbols->n + 1, &symbols->capacity))
    return NULL;
  struct module_symbols *added = &symbols->modules[symbols->n++];
  added->module = module;
  if (!symbol_index_read (&added->index, module))
    symbol_index_free (&added->index);
  return &added->index;
}

void
symbols_find (struct symbols *symbols, uint64_t address, unsigned wanted,
              struct code_name *symbol)
{
  *symbol = (struct code_name){ 0 };
  Dwfl_Module *module = symbols->dwfl != NULL
                            ? dwfl_addrmodule (symbols->dwfl, address)
                            : NULL;
  const struct symbol_index *index
      = module != NULL ? index_of (symbols, module) : NULL;
  if (index == NULL)
    return;
  const struct symbol_span *span
      = symbol_index_find (index, address, &symbol->unsized);
  if (span != NULL)
    {
      symbol->offset = address - span->value;
      code_name_set (symbol, span->name, wanted);
    }
  Dwfl_Line *line
      = wanted & SYMBOL_SOURCE ? dwfl_module_getsrc (module, address) : NULL;
  if (line != NULL)
    symbol->file = dwfl_lineinfo (line, NULL, &symbol->line, NULL, NULL, NULL);
}

void
symbols_free (struct symbols *symbols)
{
  for (size_t i = 0; i < symbols->n; i++)
    symbol_index_free (&symbols->modules[i].index);
  free (symbols->modules);
  *symbols = (struct symbols){ 0 };
}
