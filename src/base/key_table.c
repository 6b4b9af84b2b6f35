/* A table of numbers, found by keys that others choose.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "base/key_table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/hash.h"

enum
{
  SLOTS_MIN = 64
};

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
  /* At boot there may be no random number yet.  */
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
          && !table_grow (own, SLOTS_MIN, UINT_MAX)))
    return false;
  table_put (own, (struct table_slot){ hash, (uint32_t)number }, UINT_MAX);
  own->n_used++;
  return true;
}

/* Where NUMBER is, which is there under HASH.  */
static size_t
place_of (const struct table *table, uint32_t hash, uint32_t number)
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
  size_t mask = table->n_slots - 1, at = place_of (table, hash, number);
  /* A search ends at an empty place: what is behind this one moves up if its
     own search would begin in front of it.  */
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
    table->slots[place_of (table, last_hash, last)].number = number;
}

void
key_table_clear (struct key_table *keys)
{
  struct table *table = &keys->table;
  if (table->n_slots != 0)
    memset (table->slots, 0xff, table->n_slots * sizeof *table->slots);
  table->n_used = 0;
}
