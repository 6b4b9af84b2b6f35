/* Lists, maps and sets of addresses.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ANALYSIS_ADDRESSES_H
#define ANALYSIS_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "base/search.h"
#include "elf/image.h"

/* A list of addresses, which ascends after it was sorted.  */

struct address_list
{
  uint64_t *list; /* owned */
  size_t n, capacity;
};

void address_list_free (struct address_list *list);

/* Append ADDRESS; sort LIST without duplicates.  False if memory ran out.  */
bool address_list_add (struct address_list *list, uint64_t address);
bool address_list_sort (struct address_list *list);

/* Return the lowest address of LIST, sorted, above ADDRESS, or UINT64_MAX.  */
static inline uint64_t
address_list_next (const struct address_list *list, uint64_t address)
{
  size_t at = SEARCH_FIRST (list->n, i, list->list[i] > address);
  return at < list->n ? list->list[at] : UINT64_MAX;
}

static inline bool
address_list_has (const struct address_list *list, uint64_t address)
{
  size_t at = SEARCH_FIRST (list->n, i, list->list[i] >= address);
  return at < list->n && list->list[at] == address;
}

/* A map from addresses to small numbers.

   The map is a hash table with linear probing, at most five eighths full.  The
   input chooses the addresses, so the hash starts from a random number, as in
   base/table.h.  Unlike that table, this one keeps neighbouring addresses
   together: code is looked up in its order, and --analyze is 2 to 6 % faster
   for it.  Kilobytes with an entry for nearly each address may come to overlap
   in the table, where linear probing would take a thousand steps.  So after
   ADDRESS_MAP_RUN slots in use, probing goes on elsewhere.  */

enum
{
  ADDRESS_MAP_RUN = 16 /* neighbouring slots that are probed; a power of two */
};

struct address_slot
{
  uint32_t low, high; /* of the address: 12 bytes an entry, not 16 */
  uint32_t number;    /* UINT32_MAX: unused */
};

struct address_map
{
  struct address_slot *slots; /* owned; NULL: empty */
  size_t n_slots;             /* a power of two */
  size_t n_used;
  uint64_t seed; /* random, chosen with the first slots */
};

void address_map_free (struct address_map *map);

/* Remove all entries of MAP.  A map that is cleared for every function shrinks
   to the size that functions need.  */
void address_map_clear (struct address_map *map);

/* Set the number of ADDRESS.  False when memory ran out.  */
bool address_map_set (struct address_map *map, uint64_t address,
                      uint32_t number);

/* Return the number of ADDRESS, which becomes NUMBER if ADDRESS is new.
   UINT32_MAX: memory ran out.  */
uint32_t address_map_enter (struct address_map *map, uint64_t address,
                            uint32_t number);

/* Addresses of one kilobyte stay together; kilobytes are scattered.  */
static inline size_t
address_map_hash (const struct address_map *map, uint64_t address)
{
  uint64_t block = key_mix (address >> 10 ^ map->seed);
  return (size_t)(address + block) & (map->n_slots - 1);
}

/* Return the index of the slot to probe after slot INDEX, which is the
   PROBED-th one for ADDRESS.  */
static inline size_t
address_map_next (const struct address_map *map, uint64_t address,
                  size_t index, size_t probed)
{
  uint64_t next = index + 1;
  if (probed % ADDRESS_MAP_RUN == 0)
    next = key_mix (key_mix (address ^ map->seed) + probed);
  return (size_t)next & (map->n_slots - 1);
}

static inline uint64_t
address_slot_address (const struct address_slot *slot)
{
  return (uint64_t)slot->high << 32 | slot->low;
}

/* Return the number of ADDRESS, or UINT32_MAX.  */
static inline uint32_t
address_map_get (const struct address_map *map, uint64_t address)
{
  if (map->n_used == 0)
    return UINT32_MAX;
  for (size_t i = address_map_hash (map, address), probed = 1;;
       i = address_map_next (map, address, i, probed++))
    {
      const struct address_slot *slot = &map->slots[i];
      if (slot->number == UINT32_MAX
          || (slot->low == (uint32_t)address
              && slot->high == (uint32_t)(address >> 32)))
        return slot->number;
    }
}

/* A set of addresses of code.

   The set has one bit for each byte of code.  Nearly all addresses that are
   looked up in a map are not in it, and they come in ascending order, so the
   set answers these look-ups from few lines of the processor's cache.  */

struct segment_bits
{
  uint64_t start, size;
  uint64_t *bits; /* owned */
};

struct address_set
{
  struct segment_bits *segments; /* owned; one per executable segment */
  size_t n_segments;
};

/* Make an empty set for the code of IMAGE.  False if memory ran out.  */
bool address_set_init (struct address_set *set, const struct image *image);
void address_set_free (struct address_set *set);

static inline struct segment_bits *
address_set_find (const struct address_set *set, uint64_t address)
{
  struct segment_bits *all = set->segments;
  size_t at = SEARCH_FIRST (set->n_segments, i,
                            all[i].start + all[i].size > address);
  return at < set->n_segments && address >= all[at].start ? &all[at] : NULL;
}

/* Add ADDRESS, if it is an address of code.  */
static inline void
address_set_add (struct address_set *set, uint64_t address)
{
  struct segment_bits *segment = address_set_find (set, address);
  if (segment)
    segment->bits[(address - segment->start) / 64]
        |= (uint64_t)1 << (address - segment->start) % 64;
}

/* Whether ADDRESS may have been added.  The answer is exact for addresses of
   code; for others it is true.  */
static inline bool
address_set_may_have (const struct address_set *set, uint64_t address)
{
  const struct segment_bits *segment = address_set_find (set, address);
  return !segment
         || segment->bits[(address - segment->start) / 64]
                    >> (address - segment->start) % 64
                & 1;
}

#endif /* ANALYSIS_ADDRESSES_H */
