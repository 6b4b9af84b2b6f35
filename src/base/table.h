/* Hash tables of numbers.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A table stores numbers, mostly indexes of an array, under the hashes of what
   they stand for.  The user of a table walks over all numbers that are stored
   under a hash, and compares what they stand for with what it looks for.

   A struct table looks at TABLE_STEPS_MAX slots at most, so no input can make
   it slow, whatever the hash function is.  It does not store a number for
   which none of these slots is free.  So it is for users that save work by
   finding a number, and can do without.

   A struct key_table stores every number, and numbers can be removed from it.
   Nothing bounds the length of a search, and input could be made of keys with
   equal hashes if the hash function were known.  So its hashes depend on a
   random seed.  The order in which a walk finds numbers differs from run to
   run, therefore, and output must not depend on that order.  */

#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table_slot
{
  uint32_t hash;
  uint32_t number; /* UINT32_MAX: the slot is free */
};

struct table
{
  struct table_slot *slots; /* owned */
  size_t n_slots;           /* a power of two */
  size_t n_used;
};

/* A walk over the numbers under HASH; it begins with STEPS 0.  */
struct table_walk
{
  uint32_t hash;
  unsigned steps;
};

enum
{
  TABLE_STEPS_MAX = 64
};

/* Make an empty table for about N_EXPECTED numbers.  False: no memory.  */
bool table_init (struct table *table, size_t n_expected);
void table_free (struct table *table);

/* Store NUMBER, which is less than UINT32_MAX, under HASH.  */
void table_insert (struct table *table, uint32_t hash, uint32_t number);

/* Set *NUMBER to the next number of WALK, among LIMIT slots of TABLE, which
   has some.  Returns false when there is no further number.  */
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

/* ---- Tables that store every number */

/* All zeros is an empty table.  */
struct key_table
{
  struct table table; /* owned; at most half of its slots are used */
  uint64_t seed;      /* 0: not chosen yet */
};

void key_table_free (struct key_table *table);

/* Return a random number that is not 0.  */
uint64_t key_seed (void);

/* Choose the seed of TABLE, which has none.  */
void key_table_set_seed (struct key_table *table);

/* Return a number each bit of which depends on all bits of WORD.  */
static inline uint64_t
key_mix (uint64_t word)
{
  /* The last step of MurmurHash3.  */
  word = (word ^ word >> 33) * UINT64_C (0xff51afd7ed558ccd);
  word = (word ^ word >> 33) * UINT64_C (0xc4ceb9fe1a85ec53);
  return word ^ word >> 33;
}

/* Return the hash of two numbers in TABLE, which has a seed.  A is mixed first
   and then combined with B: otherwise pairs could be chosen whose hashes are
   equal with any seed.  */
static inline uint32_t
key_of_pair (const struct key_table *table, uint64_t a, uint64_t b)
{
  return (uint32_t)key_mix (key_mix (a ^ table->seed) ^ b);
}

/* Return the hash of NUMBER in TABLE.  */
static inline uint32_t
key_of_number (struct key_table *table, uint64_t number)
{
  if (table->seed == 0)
    key_table_set_seed (table);
  return (uint32_t)key_mix (number ^ table->seed);
}

/* Return the hash of NUMBER together with SIZE BYTES in TABLE.  */
uint32_t key_of_bytes (struct key_table *table, uint64_t number,
                       const void *bytes, size_t size);

/* Store NUMBER under HASH.  Returns false when memory ran out, and for numbers
   from UINT32_MAX on.  After key_table_clear there is memory for as many
   numbers as before.  */
bool key_table_add (struct key_table *table, uint32_t hash, size_t number);

/* Remove NUMBER, which is stored under HASH, and store it under LAST_HASH in
   the place of LAST.  So the last element of an array can move to the index of
   an element that was removed.  LAST may be NUMBER.  */
void key_table_replace (struct key_table *table, uint32_t hash,
                        uint32_t number, uint32_t last_hash, uint32_t last);

/* Remove all numbers.  */
void key_table_clear (struct key_table *table);

/* Set *NUMBER to the next number of WALK.  Returns false, with UINT32_MAX in
 *NUMBER, when there is no further number.  */
static inline bool
key_table_next (const struct key_table *table, struct table_walk *walk,
                uint32_t *number)
{
  *number = UINT32_MAX;
  return table->table.n_slots != 0
         && table_search (&table->table, walk, UINT_MAX, number);
}

/* The first number I of TABLE under HASH_OF_KEY for which the expression IS is
   true, or UINT32_MAX if there is none.  The macro declares I, a uint32_t; a
   search in IS needs another name.  */
#define KEY_FIND(table, hash_of_key, i, is)                             \
  __extension__({                                                       \
    struct table_walk i##_walk = { .hash = (hash_of_key) };             \
    uint32_t i;                                                         \
    while (key_table_next (table, &i##_walk, &(i)) && !(is))            \
      continue;                                                         \
    (uint32_t) (i); /* without the cast cppcheck takes it for unused */ \
  })

#endif /* BASE_TABLE_H */
