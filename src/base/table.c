/* A table of numbers, found by the hash of what they stand for.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "base/table.h"

#include <stdlib.h>
#include <string.h>

enum
{
  SLOTS_MIN = 1024
};

/* N empty slots.  Not zeros from calloc: reading memory that was never written
   to, and writing to it afterwards, costs two page faults and, in two threads,
   a message to the other processor.  */
static struct table_slot *
slots_new (size_t n)
{
  struct table_slot *slots = reallocarray (NULL, n, sizeof *slots);
  if (slots != NULL)
    memset (slots, 0xff, n * sizeof *slots);
  return slots;
}

bool
table_init (struct table *table, size_t n_expected)
{
  *table = (struct table){ .n_slots = SLOTS_MIN };
  while (table->n_slots < n_expected)
    table->n_slots *= 2;
  table->slots = slots_new (table->n_slots);
  return table->slots != NULL;
}

void
table_free (struct table *table)
{
  free (table->slots);
}

static void
slots_insert (struct table_slot *slots, size_t n_slots,
              struct table_slot entry)
{
  for (unsigned i = 0; i < TABLE_STEPS_MAX; i++)
    {
      struct table_slot *slot = &slots[(entry.hash + i) & (n_slots - 1)];
      if (slot->number == UINT32_MAX)
        {
          *slot = entry;
          return;
        }
    }
}

/* Double the table.  If memory runs out the table stays as it is.  */
static void
table_grow (struct table *table)
{
  size_t n_slots = table->n_slots * 2;
  struct table_slot *slots = slots_new (n_slots);
  if (slots == NULL)
    return;
  for (size_t i = 0; i < table->n_slots; i++)
    if (table->slots[i].number != UINT32_MAX)
      slots_insert (slots, n_slots, table->slots[i]);
  free (table->slots);
  table->slots = slots;
  table->n_slots = n_slots;
}

void
table_insert (struct table *table, uint32_t hash, uint32_t number)
{
  slots_insert (table->slots, table->n_slots,
                (struct table_slot){ hash, number });
  if (++table->n_used > table->n_slots / 2)
    table_grow (table);
}
