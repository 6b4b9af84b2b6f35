/* A table of numbers, found by the hash of what they stand for.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "base/table.h"

#include <stdlib.h>
#include <string.h>

enum
{
  SLOTS_MIN = 1024
};

/* Give TABLE N slots, which are empty.  Not zeros from calloc: reading memory
   that was never written to, and writing to it afterwards, costs two page
   faults and, in two threads, a message to the other processor.  */
static bool
slots_make (struct table *table, size_t n)
{
  *table = (struct table){ reallocarray (NULL, n, sizeof *table->slots), n,
                           table->n_used };
  if (table->slots != NULL)
    memset (table->slots, 0xff, n * sizeof *table->slots);
  return table->slots != NULL;
}

bool
table_init (struct table *table, size_t n_expected)
{
  size_t n = SLOTS_MIN;
  while (n < n_expected)
    n *= 2;
  table->n_used = 0;
  return slots_make (table, n);
}

void
table_free (struct table *table)
{
  free (table->slots);
}

void
table_put (struct table *table, struct table_slot entry, unsigned limit)
{
  for (unsigned i = 0; i < limit; i++)
    {
      struct table_slot *slot
          = &table->slots[(entry.hash + i) & (table->n_slots - 1)];
      if (slot->number == UINT32_MAX)
        {
          *slot = entry;
          return;
        }
    }
}

bool
table_grow (struct table *table, size_t minimum, unsigned limit)
{
  struct table larger = *table;
  if (!slots_make (&larger,
                   table->n_slots != 0 ? 2 * table->n_slots : minimum))
    return false;
  for (size_t i = 0; i < table->n_slots; i++)
    if (table->slots[i].number != UINT32_MAX)
      table_put (&larger, table->slots[i], limit);
  free (table->slots);
  *table = larger;
  return true;
}

void
table_insert (struct table *table, uint32_t hash, uint32_t number)
{
  table_put (table, (struct table_slot){ hash, number }, TABLE_STEPS_MAX);
  if (++table->n_used > table->n_slots / 2)
    (void)table_grow (table, 0, TABLE_STEPS_MAX);
}
