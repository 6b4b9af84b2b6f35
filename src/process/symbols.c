/* What an address is called, with libdwfl.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "process/symbols.h"

#include <stdio.h>
#include <string.h>

void
symbol_find (const struct process *process, uint64_t pc, bool interrupted,
             bool with_source, struct symbol *symbol)
{
  /* The call, not what follows it, which may be another function.  */
  uint64_t address = pc - !interrupted;
  *symbol = (struct symbol){ 0 };
  Dwfl_Module *module = process->dwfl != NULL
                            ? dwfl_addrmodule (process->dwfl, address)
                            : NULL;
  if (module == NULL)
    return;
  GElf_Off offset;
  GElf_Sym found;
  const char *name = dwfl_module_addrinfo (module, address, &offset, &found,
                                           NULL, NULL, NULL);
  /* Without its version: memcpy@@GLIBC_2.14.  */
  if (name != NULL)
    snprintf (symbol->name, sizeof symbol->name, "%.*s",
              (int)strcspn (name, "@"), name);
  symbol->offset = offset + !interrupted;
  Dwfl_Line *line = with_source ? dwfl_module_getsrc (module, address) : NULL;
  if (line != NULL)
    symbol->file = dwfl_lineinfo (line, NULL, &symbol->line, NULL, NULL, NULL);
}
