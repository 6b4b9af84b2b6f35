/* Hash tables of numbers.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "base/table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/hash.h"

enum
{
  SLOTS_MIN = 1024,
  KEY_SLOTS_MIN = 64
};

/* Allocate N free slots for TABLE.  UINT32_MAX marks a free slot, and not 0 as
   calloc would write: reading memory that was never written to, and writing to
   it afterwards, costs two page faults and, with two threads, an interrupt of
   the other processor.  */
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

/* Store ENTRY in the first free one of the LIMIT slots that a search looks at.
   If none is free, ENTRY is lost.  */
static void
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

/* Give TABLE twice as many slots, or MINIMUM where it has none.  Returns false
   when memory ran out: then the table stays as it is.  */
static bool
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

/* ---- Tables that store every number */

void
key_table_free (struct key_table *table)
{
  table_free (&table->table);
  *table = (struct key_table){ 0 };
}

uint64_t
key_seed (void)
{
  uint64_t seed;
  /* Early at boot the kernel has no random numbers yet.  */
  if (getrandom (&seed, sizeof seed, GRND_NONBLOCK) != (ssize_t)sizeof seed)
    seed = (uint64_t)(uintptr_t)&seed;
  return seed | 1;
}

void
key_table_set_seed (struct key_table *table)
{
  table->seed = key_seed ();
}

uint32_t
key_of_bytes (struct key_table *table, uint64_t number, const void *bytes,
              size_t size)
{
  if (table->seed == 0)
    key_table_set_seed (table);
  return (uint32_t)key_mix (hash_with_seed (bytes, size, table->seed)
                            ^ key_mix (number ^ table->seed));
}

bool
key_table_add (struct key_table *table, uint32_t hash, size_t number)
{
  struct table *own = &table->table;
  if (number >= UINT32_MAX
      || (own->n_used >= own->n_slots / 2
          && !table_grow (own, KEY_SLOTS_MIN, UINT_MAX)))
    return false;
  table_put (own, (struct table_slot){ hash, (uint32_t)number }, UINT_MAX);
  own->n_used++;
  return true;
}

/* Return the index of the slot with NUMBER, which is stored under HASH.  */
static size_t
slot_of (const struct table *table, uint32_t hash, uint32_t number)
{
  size_t mask = table->n_slots - 1, at = hash & mask;
  while (table->slots[at].number != number || table->slots[at].hash != hash)
    at = (at + 1) & mask;
  return at;
}

void
key_table_replace (struct key_table *keys, uint32_t hash, uint32_t number,
                   uint32_t last_hash, uint32_t last)
{
  struct table *table = &keys->table;
  size_t mask = table->n_slots - 1, at = slot_of (table, hash, number);
  /* A search ends at a free slot.  So a number after the freed slot moves into
     it if its own search begins at that slot or before it.  */
  for (size_t next = (at + 1) & mask; table->slots[next].number != UINT32_MAX;
       next = (next + 1) & mask)
    if (((next - table->slots[next].hash) & mask) >= ((next - at) & mask))
      {
        table->slots[at] = table->slots[next];
        at = next;
      }
  table->slots[at].number = UINT32_MAX;
  table->n_used--;
  if (last != number)
    table->slots[slot_of (table, last_hash, last)].number = number;
}

void
key_table_clear (struct key_table *keys)
{
  struct table *table = &keys->table;
  if (table->n_slots != 0)
    memset (table->slots, 0xff, table->n_slots * sizeof *table->slots);
  table->n_used = 0;
}
