/* Reading jump tables.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/jump_table.h"

#include <stdlib.h>

#include "base/array.h"

enum
{
  TABLES_MAX = 1 << 20,
  ENTRIES_MAX = 1 << 16 /* of one table */
};

bool
jump_tables_add (struct jump_tables *tables, const struct jump_table *table,
                 uint32_t *number)
{
  /* Tables at one address can be read with several widths.  */
  uint64_t key = table->address * 16 + table->width;
  *number = address_map_get (&tables->by_key, key);
  if (*number != UINT32_MAX
      && tables->tables[*number].is_signed == table->is_signed)
    {
      struct jump_table *old = &tables->tables[*number];
      old->is_weak |= table->is_weak || table->max != old->max;
      if (table->max > old->max)
        old->max = table->max;
      return true;
    }
  *number = (uint32_t)tables->n;
  if (tables->n >= TABLES_MAX
      || !ARRAY_ROOM (tables->tables, tables->n + 1, &tables->capacity)
      || !address_map_set (&tables->by_key, key, *number))
    {
      tables->failed = true;
      return false;
    }
  tables->tables[tables->n++] = *table;
  return true;
}

bool
jump_table_set_base (struct jump_table *table, uint64_t base, unsigned scale,
                     bool is_signed)
{
  if (table->base == 0)
    {
      table->base = base;
      table->scale = (uint8_t)scale;
      table->is_signed_later = is_signed;
    }
  return table->base == base && table->scale == scale
         && table->is_signed_later == is_signed;
}

void
jump_tables_reset (struct jump_tables *tables)
{
  tables->n = 0;
  tables->failed = false;
  address_map_clear (&tables->by_key);
}

void
jump_tables_free (struct jump_tables *tables)
{
  free (tables->tables);
  address_map_free (&tables->by_key);
}

bool
jump_table_target (const struct jump_table *table,
                   const struct image_facts *facts, uint64_t index,
                   uint64_t *target)
{
  uint64_t place = table->address + index * table->width, word;
  bool bounded = table->max != UINT64_MAX;
  bool is_signed = table->is_signed || table->is_signed_later;
  if (table->width == 0)
    {
      *target = table->address;
      return index == 0;
    }
  if (index >= ENTRIES_MAX || (bounded && index > table->max)
      || ((!bounded || table->is_weak) && place >= table->end))
    return false;
  bool known
      = table->is_in_data
            ? facts_initial_word (facts, place, table->width, is_signed, &word)
            : facts_word (facts, place, table->width, is_signed, &word);
  if (!known)
    return false;
  *target = table->width == 8 ? word : table->base + word * table->scale;
  return true;
}
