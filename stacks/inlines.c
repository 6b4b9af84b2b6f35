/* The functions that a compiler has inlined at an address, by debug
   information.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "stacks/inlines.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "stacks/code_name.h"

enum
{
  RANGES_MAX = 1 << 22 /* of a unit */
};

/* Addresses that something is inlined at, as debug information has them.  */
struct inline_range
{
  uint64_t start, end;
  Dwarf_Off die;
};

struct inline_unit
{
  Dwarf_Off offset;
  struct inline_range *ranges; /* owned; callers first */
  size_t n, capacity;
};

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

/* Note the addresses of DIE.  False when memory ran out, or when there are too
   many: entries of a damaged file may share a long list of ranges.  */
static bool
add_ranges (struct inline_unit *unit, Dwarf_Die *die)
{
  Dwarf_Addr base, start, end;
  for (ptrdiff_t at = 0;
       (at = dwarf_ranges (die, at, &base, &start, &end)) > 0;)
    {
      if (unit->n == RANGES_MAX
          || !ARRAY_ROOM (unit->ranges, unit->n + 1, &unit->capacity))
        return false;
      unit->ranges[unit->n++]
          = (struct inline_range){ start, end, dwarf_dieoffset (die) };
    }
  return true;
}

/* Where a walk over the entries of a unit is: entry N of PATH, below those in
   front of it.  */
struct die_walk
{
  Dwarf_Die *path; /* owned */
  size_t n, capacity;
  bool no_memory;
};

/* Go to the entry behind the present one.  False at the end, where entries of
   a damaged file go back, and when memory ran out.  */
static bool
next_die (struct die_walk *walk)
{
  Dwarf_Die next, *die = &walk->path[walk->n];
  Dwarf_Off last = dwarf_dieoffset (die);
  if (dwarf_child (die, &next) == 0)
    walk->n++;
  else
    while (walk->n > 0 && dwarf_siblingof (&walk->path[walk->n], &next) != 0)
      walk->n--;
  if (walk->n == 0 || dwarf_dieoffset (&next) <= last)
    return false;
  walk->no_memory = !ARRAY_ROOM (walk->path, walk->n + 1, &walk->capacity);
  if (walk->no_memory)
    return false;
  walk->path[walk->n] = next;
  return true;
}

/* List what is inlined in the unit with the first entry FIRST, callers in
   front of what is inlined into them.  dwarf_getscopes is not asked for it: it
   takes as long for one address, and does not find a function that the
   compiler has put into one with other addresses, as gcc does with lambdas.
   False when memory ran out.  */
static bool
list_unit (struct inline_unit *unit, const Dwarf_Die *first)
{
  struct die_walk walk = { 0 };
  bool done = ARRAY_ROOM (walk.path, 1, &walk.capacity);
  if (done)
    walk.path[0] = *first;
  while (done && next_die (&walk))
    {
      Dwarf_Die *die = &walk.path[walk.n];
      if (dwarf_tag (die) == DW_TAG_inlined_subroutine)
        done = add_ranges (unit, die);
    }
  free (walk.path);
  return done && !walk.no_memory;
}

/* The unit with the first entry FIRST; it is empty if its entries cannot all
   be listed.  NULL when memory ran out.  */
static const struct inline_unit *
unit_of (struct inlines *inlines, Dwarf_Die *first)
{
  Dwarf_Off offset = dwarf_dieoffset (first);
  uint32_t i, hash = key_of_number (&inlines->numbers, offset);
  struct key_walk walk = { .hash = hash };
  while (key_table_next (&inlines->numbers, &walk, &i))
    if (inlines->units[i].offset == offset)
      return &inlines->units[i];
  if (!ARRAY_ROOM (inlines->units, inlines->n + 1, &inlines->capacity)
      || !key_table_add (&inlines->numbers, hash, inlines->n))
    return NULL;
  struct inline_unit *unit = &inlines->units[inlines->n++];
  *unit = (struct inline_unit){ .offset = offset };
  if (list_unit (unit, first))
    return unit;
  /* A part of the names would be names of other callers.  */
  free (unit->ranges);
  *unit = (struct inline_unit){ .offset = offset };
  return unit;
}

static void
print_at (const struct inline_unit *unit, Dwarf *dwarf, uint64_t address,
          unsigned wanted, FILE *out)
{
  for (size_t i = 0; i < unit->n; i++)
    {
      const struct inline_range *range = &unit->ranges[i];
      Dwarf_Die die;
      if (address >= range->start && address < range->end
          && dwarf_offdie (dwarf, range->die, &die) != NULL)
        print_name (&die, wanted, out);
    }
}

char *
inlines_at (struct inlines *inlines, Dwfl_Module *module, uint64_t address,
            unsigned wanted)
{
  Dwarf_Addr bias;
  char *names = NULL;
  size_t size = 0;
  Dwarf *dwarf = dwfl_module_getdwarf (module, &bias);
  Dwarf_Die *first = dwarf != NULL ? unit_at (module, address, &bias) : NULL;
  const struct inline_unit *unit
      = first != NULL ? unit_of (inlines, first) : NULL;
  FILE *out = unit != NULL ? open_memstream (&names, &size) : NULL;
  if (out != NULL)
    print_at (unit, dwarf, address - bias, wanted, out);
  if (out != NULL && fclose (out) == 0 && size > 0)
    return names;
  free (names);
  return NULL;
}

void
inlines_free (struct inlines *inlines)
{
  for (size_t i = 0; i < inlines->n; i++)
    free (inlines->units[i].ranges);
  free (inlines->units);
  key_table_free (&inlines->numbers);
  *inlines = (struct inlines){ 0 };
}
