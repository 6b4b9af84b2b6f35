/* What an address is called, with libdwfl.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "stacks/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stacks/demangle.h"

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

void
symbols_find (struct symbols *symbols, Dwfl_Module *module, uint64_t address,
              unsigned wanted, struct code_name *symbol)
{
  *symbol = (struct code_name){ 0 };
  if (module == NULL)
    return;
  if (!symbols->read && !symbol_index_read (&symbols->index, module))
    symbol_index_free (&symbols->index);
  symbols->read = true;
  uint64_t value;
  const char *name
      = symbol_index_find (&symbols->index, address, &value, &symbol->unsized);
  if (name != NULL)
    {
      symbol->offset = address - value;
      code_name_set (symbol, name, wanted);
    }
  Dwfl_Line *line
      = wanted & SYMBOL_SOURCE ? dwfl_module_getsrc (module, address) : NULL;
  if (line != NULL)
    symbol->file = dwfl_lineinfo (line, NULL, &symbol->line, NULL, NULL, NULL);
}

void
symbols_free (struct symbols *symbols)
{
  symbol_index_free (&symbols->index);
  *symbols = (struct symbols){ 0 };
}
