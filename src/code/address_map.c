/* A hash table with linear probing, never more than half full.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "code/address_map.h"

#include <stdlib.h>
#include <string.h>

void
address_map_free (struct address_map *map)
{
  free (map->slots);
  *map = (struct address_map){ 0 };
}

void
address_map_clear (struct address_map *map)
{
  map->n_used = 0;
  if (++map->round != 0)
    return;
  if (map->slots)
    memset (map->slots, 0, map->n_slots * sizeof *map->slots);
  map->round = 1;
}

static void
put (struct address_map *map, uint64_t address, uint32_t number)
{
  size_t i = address_map_hash (map, address);
  while (map->slots[i].round == map->round && map->slots[i].address != address)
    i = (i + 1) & (map->n_slots - 1);
  map->n_used += map->slots[i].round != map->round;
  map->slots[i] = (struct address_slot){ address, number, map->round };
}

static bool
grow (struct address_map *map)
{
  struct address_map larger
      = { .n_slots = map->slots ? 2 * map->n_slots : 256, .round = 1 };
  larger.slots = calloc (larger.n_slots, sizeof *larger.slots);
  if (!larger.slots)
    return false;
  for (size_t i = 0; map->slots && i < map->n_slots; i++)
    if (map->slots[i].round == map->round)
      put (&larger, map->slots[i].address, map->slots[i].number);
  free (map->slots);
  *map = larger;
  return true;
}

bool
address_map_set (struct address_map *map, uint64_t address, uint32_t number)
{
  if ((!map->slots || 2 * map->n_used >= map->n_slots) && !grow (map))
    return false;
  put (map, address, number);
  return true;
}
