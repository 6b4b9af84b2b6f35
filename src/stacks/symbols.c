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
symbol_find (Dwfl *dwfl, uint64_t pc, bool at_pc, unsigned wanted,
             struct code_name *symbol)
{
  /* Look up the call, because the instruction after it may belong to another
     function.  */
  uint64_t address = pc - !at_pc;
  *symbol = (struct code_name){ 0 };
  Dwfl_Module *module = dwfl != NULL ? dwfl_addrmodule (dwfl, address) : NULL;
  if (module == NULL)
    return;
  GElf_Off offset;
  GElf_Sym found;
  const char *name = dwfl_module_addrinfo (module, address, &offset, &found,
                                           NULL, NULL, NULL);
  if (name != NULL)
    code_name_set (symbol, name, wanted);
  symbol->unsized = name != NULL && found.st_size == 0;
  symbol->offset = offset + !at_pc;
  Dwfl_Line *line
      = wanted & SYMBOL_SOURCE ? dwfl_module_getsrc (module, address) : NULL;
  if (line != NULL)
    symbol->file = dwfl_lineinfo (line, NULL, &symbol->line, NULL, NULL, NULL);
}
