/* The functions that a compiler has inlined at an address, by debug
   information. SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "stacks/inlines.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>

#include "stacks/symbols.h"

/* The unit with ADDRESS, and what is to be taken from addresses for its
   information.  */
static Dwarf_Die *
unit_at (Dwfl_Module *module, uint64_t address, Dwarf_Addr *bias)
{
  Dwarf_Die *unit = dwfl_module_addrdie (module, address, bias);
  if (unit != NULL)
    return unit;
  /* clang writes no .debug_aranges.  */
  while ((unit = dwfl_module_nextcu (module, unit, bias)) != NULL)
    if (dwarf_haspc (unit, address - *bias) == 1)
      return unit;
  return NULL;
}

static const char *
text_of (Dwarf_Die *die, unsigned name)
{
  Dwarf_Attribute attribute;
  return dwarf_formstring (dwarf_attr_integrate (die, name, &attribute));
}

static void
print_name (Dwarf_Die *die, unsigned wanted, FILE *out)
{
  struct code_name symbol = { 0 };
  const char *name = text_of (die, DW_AT_linkage_name);
  if (name == NULL)
    name = text_of (die, DW_AT_MIPS_linkage_name);
  if (name == NULL)
    name = dwarf_diename (die);
  if (name != NULL)
    code_name_set (&symbol, name, wanted);
  fprintf (out, "\n%s_[i]",
           symbol.name[0] != '\0' ? symbol.name : "[unknown]");
}

/* The scopes of ADDRESS in UNIT, the innermost one first, in *SCOPES, to be
   freed.  Where code was inlined, dwarf_getscopes goes on with the scopes of
   its source; wanted are those that it was inlined into.  */
static int
scopes_at (Dwarf_Die *unit, uint64_t address, Dwarf_Die **scopes)
{
  Dwarf_Die *found = NULL;
  *scopes = NULL;
  int n = dwarf_getscopes (unit, address, &found);
  if (n > 0)
    n = dwarf_getscopes_die (&found[0], scopes);
  free (found);
  return n;
}

char *
inlines_at (Dwfl_Module *module, uint64_t address, unsigned wanted)
{
  Dwarf_Addr bias;
  Dwarf_Die *unit = unit_at (module, address, &bias);
  Dwarf_Die *scopes = NULL;
  char *names = NULL;
  size_t size = 0;
  int n = unit != NULL ? scopes_at (unit, address - bias, &scopes) : 0;
  FILE *out = n > 0 ? open_memstream (&names, &size) : NULL;
  for (int i = n; out != NULL && i-- > 0;)
    if (dwarf_tag (&scopes[i]) == DW_TAG_inlined_subroutine)
      print_name (&scopes[i], wanted, out);
  free (scopes);
  if (out != NULL && fclose (out) == 0 && size > 0)
    return names;
  free (names);
  return NULL;
}
