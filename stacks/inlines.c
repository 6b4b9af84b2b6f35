/* The functions that a compiler has inlined at an address, from debug
   information.
   SPDX-License-Identifier: LGPL-2.1-or-later

   For each compilation unit with an address that is asked for, the entries are
   read once, and the ranges of inlined functions are listed, callers first.
   Functions of libdw that answer for one address are not used: each of them is
   slow, or wrong for some compilers (list_units, list_inlined).  */

#include "stacks/names.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/radix.h"
#include "base/search.h"

enum
{
  DEPTH_MAX = 1024 /* names at an address */
};

/* A range of addresses as in debug information.  WHICH is the index of the
   range's unit, or the offset of an inlined function's entry.  */
struct inline_range
{
  uint64_t start, end, which;
};

struct inline_unit
{
  Dwarf_Off offset;            /* of its first entry */
  bool listed;                 /* RANGES is complete */
  struct inline_ranges ranges; /* callers first */
};

static const char *
text_of (Dwarf_Die *die, unsigned name)
{
  Dwarf_Attribute attribute;
  return dwarf_formstring (dwarf_attr_integrate (die, name, &attribute));
}

/* Set TEXT, of SIZE bytes, to the name of DIE with the suffix "_[i]".  */
static void
name_entry (Dwarf_Die *die, unsigned wanted, char *text, size_t size)
{
  struct code_name symbol = { 0 };
  const char *name = text_of (die, DW_AT_linkage_name);
  if (name == NULL)
    name = text_of (die, DW_AT_MIPS_linkage_name);
  if (name == NULL)
    name = dwarf_diename (die);
  if (name != NULL)
    code_name_set (&symbol, name, wanted);
  snprintf (text, size, "%s_[i]",
            symbol.name[0] != '\0' ? symbol.name : "[unknown]");
}

static void
ranges_free (struct inlines *inlines, struct inline_ranges *ranges)
{
  if (ranges->n > 0)
    *inlines->sum -= ranges->n;
  free (ranges->list);
  *ranges = (struct inline_ranges){ 0 };
}

/* Add the ranges of DIE for WHICH.  False when memory ran out, or if there are
   too many: entries of a damaged file may share a long list of ranges.  */
static bool
add_ranges (struct inlines *inlines, struct inline_ranges *ranges,
            Dwarf_Die *die, uint64_t which)
{
  Dwarf_Addr base, start, end;
  for (ptrdiff_t at = 0;
       (at = dwarf_ranges (die, at, &base, &start, &end)) > 0;)
    {
      if (*inlines->sum == INLINE_RANGES_MAX
          || !ARRAY_ROOM (ranges->list, ranges->n + 1, &ranges->capacity))
        return false;
      ++*inlines->sum;
      ranges->list[ranges->n++] = (struct inline_range){ start, end, which };
    }
  return true;
}

/* List the units of MODULE; none if they cannot all be listed.
   dwfl_module_addrdie is not used, because it reads .debug_aranges, which
   clang does not write, and attributes an address in no range to the preceding
   range.  */
static void
list_units (struct inlines *inlines, Dwfl_Module *module)
{
  Dwarf_Addr bias;
  Dwarf_Die *first = NULL;
  bool done = true;
  while (done && (first = dwfl_module_nextcu (module, first, &bias)) != NULL)
    {
      done = ARRAY_ROOM (inlines->units, inlines->n + 1, &inlines->capacity);
      if (done)
        {
          inlines->units[inlines->n]
              = (struct inline_unit){ .offset = dwarf_dieoffset (first) };
          done = add_ranges (inlines, &inlines->by_address, first,
                             inlines->n++);
        }
    }
  done = done && RADIX_SORT (inlines->by_address.list, inlines->by_address.n);
  if (!done)
    ranges_free (inlines, &inlines->by_address);
  inlines->listed = true;
}

/* The position of a walk over the entries of a unit: entry N of PATH, whose
   ancestors precede it.  */
struct die_walk
{
  Dwarf_Die *path; /* owned */
  size_t n, capacity;
  bool no_memory;
};

/* Go to the next entry in preorder.  False at the end, if the entries of a
   damaged file go backwards, and when memory ran out.  */
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

/* List the inlined functions of the unit with the entry FIRST, callers first.
   dwarf_getscopes is not used: it takes as long for a single address, and does
   not find a function that the compiler has put inside one with other
   addresses, as gcc does with lambdas.  False when memory ran out.  */
static bool
list_inlined (struct inlines *inlines, struct inline_ranges *ranges,
              const Dwarf_Die *first)
{
  struct die_walk walk = { 0 };
  bool done = ARRAY_ROOM (walk.path, 1, &walk.capacity);
  if (done)
    walk.path[0] = *first;
  while (done && next_die (&walk))
    {
      Dwarf_Die *die = &walk.path[walk.n];
      if (dwarf_tag (die) == DW_TAG_inlined_subroutine)
        done = add_ranges (inlines, ranges, die, dwarf_dieoffset (die));
    }
  free (walk.path);
  return done && !walk.no_memory;
}

/* Return the unit that contains ADDRESS, with its list of inlined functions;
   NULL if there is none.  The list is empty if it cannot be completed.  */
static const struct inline_unit *
unit_at (struct inlines *inlines, Dwarf *dwarf, uint64_t address)
{
  const struct inline_ranges *ranges = &inlines->by_address;
  size_t behind = SEARCH_FIRST (ranges->n, i, ranges->list[i].start > address);
  if (behind == 0 || address >= ranges->list[behind - 1].end)
    return NULL;
  struct inline_unit *unit = &inlines->units[ranges->list[behind - 1].which];
  Dwarf_Die first;
  if (unit->listed || dwarf_offdie (dwarf, unit->offset, &first) == NULL)
    return unit;
  unit->listed = true;
  /* Names from an incomplete list would be shown below wrong callers.  */
  if (!list_inlined (inlines, &unit->ranges, &first))
    ranges_free (inlines, &unit->ranges);
  return unit;
}

bool
inlines_at (struct inlines *inlines, Dwfl_Module *module, uint64_t address,
            unsigned wanted, bool (*take) (void *context, const char *name),
            void *context)
{
  char name[sizeof ((struct code_name *)NULL)->name + 8];
  unsigned depth = 0;
  Dwarf_Addr bias;
  Dwarf_Die die;
  Dwarf *dwarf = dwfl_module_getdwarf (module, &bias);
  if (dwarf == NULL)
    return true;
  if (!inlines->listed)
    list_units (inlines, module);
  address -= bias;
  const struct inline_unit *unit = unit_at (inlines, dwarf, address);
  for (size_t i = 0; unit != NULL && i < unit->ranges.n && depth < DEPTH_MAX;
       i++)
    {
      const struct inline_range *range = &unit->ranges.list[i];
      if (address < range->start || address >= range->end
          || dwarf_offdie (dwarf, range->which, &die) == NULL)
        continue;
      name_entry (&die, wanted, name, sizeof name);
      depth++;
      if (!take (context, name))
        return false;
    }
  return true;
}

void
inlines_free (struct inlines *inlines)
{
  for (size_t i = 0; i < inlines->n; i++)
    ranges_free (inlines, &inlines->units[i].ranges);
  free (inlines->units);
  ranges_free (inlines, &inlines->by_address);
  *inlines = (struct inlines){ .sum = inlines->sum };
}
