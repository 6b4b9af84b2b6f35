/* A table of numbers, found by keys that others choose.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The owner of the table compares: KEY_FIND walks over the numbers that were
   put in under a hash until one of them is right.  Unlike base/table, this
   table forgets nothing, and numbers can be taken out: it is for things that
   must be found again.  Its hashes begin with a random number, because no
   bound on the steps of a search protects it: input could be made of keys with
   one hash if the hash were known.  The order in which numbers are found must
   not matter, then, to what is written.

   All zeros is an empty table.  */

#ifndef BASE_KEY_TABLE_H
#define BASE_KEY_TABLE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"

struct key_table
{
  struct table table; /* owned; at most half of its slots are used */
  uint64_t seed;      /* 0: not chosen yet */
};

void key_table_free (struct key_table *table);

/* A random number that is not 0.  */
uint64_t key_seed (void);

/* Choose the seed of TABLE, which has none.  */
void key_table_set_seed (struct key_table *table);

/* All bits of what this returns depend on all bits of WORD.  */
static inline uint64_t
key_mix (uint64_t word)
{
  /* The last step of MurmurHash3.  */
  word = (word ^ word >> 33) * UINT64_C (0xff51afd7ed558ccd);
  word = (word ^ word >> 33) * UINT64_C (0xc4ceb9fe1a85ec53);
  return word ^ word >> 33;
}

/* The hash of two numbers in TABLE, which has a seed.  A is mixed before it
   meets B: pairs could be chosen that are equal with any seed otherwise.  */
static inline uint32_t
key_of_pair (const struct key_table *table, uint64_t a, uint64_t b)
{
  return (uint32_t)key_mix (key_mix (a ^ table->seed) ^ b);
}

/* The hash of NUMBER.  */
static inline uint32_t
key_of_number (struct key_table *table, uint64_t number)
{
  if (table->seed == 0)
    key_table_set_seed (table);
  return (uint32_t)key_mix (number ^ table->seed);
}

/* The hash of NUMBER and SIZE BYTES.  */
uint32_t key_of_bytes (struct key_table *table, uint64_t number,
                       const void *bytes, size_t size);

/* Put in NUMBER under HASH.  False when memory ran out, and for numbers from
   UINT32_MAX on.  After key_table_clear there is room for as many as before.
 */
bool key_table_add (struct key_table *table, uint32_t hash, size_t number);

/* Take out NUMBER, which is there under HASH, and call LAST, which is there
   under LAST_HASH, by that number: the last element of a list takes the place
   of one that goes.  LAST may be NUMBER.  */
void key_table_replace (struct key_table *table, uint32_t hash,
                        uint32_t number, uint32_t last_hash, uint32_t last);

/* Take out all numbers.  */
void key_table_clear (struct key_table *table);

/* Start a walk with { .hash = HASH }.  False, with UINT32_MAX, when no further
   number has that hash.  */
static inline bool
key_table_next (const struct key_table *table, struct table_walk *walk,
                uint32_t *number)
{
  *number = UINT32_MAX;
  return table->table.n_slots != 0
         && table_search (&table->table, walk, UINT_MAX, number);
}

/* The number I in TABLE under HASH for which the expression IS is true, or
   UINT32_MAX if there is none.  I is a uint32_t that the macro declares; a
   search in IS needs another name.  */
#define KEY_FIND(table, hash_of_key, i, is)                             \
  __extension__({                                                       \
    struct table_walk i##_walk = { .hash = (hash_of_key) };             \
    uint32_t i;                                                         \
    while (key_table_next (table, &i##_walk, &(i)) && !(is))            \
      continue;                                                         \
    (uint32_t) (i); /* without the cast cppcheck takes it for unused */ \
  })

#endif /* BASE_KEY_TABLE_H */
