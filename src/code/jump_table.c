/* Reading jump tables.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "code/jump_table.h"

#include <stdlib.h>

#include "base/array.h"

enum
{
  TABLES_MAX = 1 << 20,
  ENTRIES_MAX = 1 << 16 /* of one table */
};

bool
jump_tables_note (struct jump_tables *tables, const struct jump_table *table,
                  uint32_t *number)
{
  *number = address_map_get (&tables->readers, table->reader);
  if (*number != UINT32_MAX
      && tables->tables[*number].address == table->address)
    {
      struct jump_table *old = &tables->tables[*number];
      if (table->max > old->max)
        old->max = table->max;
      return true;
    }
  *number = (uint32_t)tables->n;
  if (tables->n >= TABLES_MAX
      || !ARRAY_ROOM (tables->tables, tables->n + 1, &tables->capacity)
      || !address_map_set (&tables->readers, table->reader, *number))
    {
      tables->failed = true;
      return false;
    }
  tables->tables[tables->n++] = *table;
  return true;
}

void
jump_tables_reset (struct jump_tables *tables)
{
  tables->n = 0;
  tables->failed = false;
  address_map_clear (&tables->readers);
}

void
jump_tables_free (struct jump_tables *tables)
{
  free (tables->tables);
  address_map_free (&tables->readers);
}

bool
jump_table_target (const struct jump_table *table, const struct places *places,
                   uint64_t index, uint64_t *target)
{
  uint64_t place = table->address + index * table->width, word;
  bool bounded = table->max != UINT64_MAX;
  if (index >= ENTRIES_MAX
      || (bounded ? index > table->max : place >= table->end)
      || !places_word (places, place, table->width, table->is_signed, &word))
    return false;
  *target = table->width == 8 ? word : table->base + word;
  return true;
}
