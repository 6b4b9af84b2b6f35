/* A table of numbers, found by the hash of what they stand for.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The owner of the table compares: it walks over the numbers that were put in
   under a hash until one of them is right.  A search is never longer than a
   fixed number of steps, so no input can make the table slow; a number that
   finds no place is forgotten instead.  */

#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table_slot
{
  uint32_t hash;
  uint32_t number; /* UINT32_MAX: empty */
};

struct table
{
  struct table_slot *slots; /* owned */
  size_t n_slots;           /* a power of two */
  size_t n_used;
};

/* A walk over the numbers under one hash.  */
struct table_walk
{
  uint32_t hash;
  unsigned steps;
};

enum
{
  TABLE_STEPS_MAX = 64
};

/* Make an empty table; N_EXPECTED is a hint.  False when memory ran out.  */
bool table_init (struct table *table, size_t n_expected);
void table_free (struct table *table);

/* Put in NUMBER, which is less than UINT32_MAX, under HASH.  */
void table_insert (struct table *table, uint32_t hash, uint32_t number);

/* ---- What key_table is made of, too */

/* Put ENTRY where a search finds it in LIMIT steps, if there is room.  */
void table_put (struct table *table, struct table_slot entry, unsigned limit);

/* Have twice as many slots, or MINIMUM where there are none.  False when
   memory ran out: then the table stays as it is.  */
bool table_grow (struct table *table, size_t minimum, unsigned limit);

/* Start a walk of LIMIT steps with { .hash = HASH }, in a table with slots.
   False when no further number has that hash.  */
static inline bool
table_search (const struct table *table, struct table_walk *walk,
              unsigned limit, uint32_t *number)
{
  while (walk->steps < limit)
    {
      const struct table_slot *slot
          = &table->slots[(walk->hash + walk->steps++) & (table->n_slots - 1)];
      *number = slot->number;
      if (slot->number == UINT32_MAX)
        return false;
      if (slot->hash == walk->hash)
        return true;
    }
  return false;
}

static inline bool
table_next (const struct table *table, struct table_walk *walk,
            uint32_t *number)
{
  return table_search (table, walk, TABLE_STEPS_MAX, number);
}

#endif /* BASE_TABLE_H */
