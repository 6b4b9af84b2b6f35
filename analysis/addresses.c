/* Lists, maps and sets of addresses.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/addresses.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/radix.h"

void
address_list_free (struct address_list *list)
{
  free (list->list);
  *list = (struct address_list){ 0 };
}

bool
address_list_add (struct address_list *list, uint64_t address)
{
  if (!ARRAY_ROOM (list->list, list->n + 1, &list->capacity))
    return false;
  list->list[list->n++] = address;
  return true;
}

bool
address_list_sort (struct address_list *list)
{
  size_t n = 0;
  if (!RADIX_SORT (list->list, list->n))
    return false;
  list->capacity = list->n;
  for (size_t i = 0; i < list->n; i++)
    if (n == 0 || list->list[i] != list->list[n - 1])
      list->list[n++] = list->list[i];
  list->n = n;
  return true;
}

/* ---- Maps */

enum
{
  SLOTS_MIN = 256
};

void
address_map_free (struct address_map *map)
{
  free (map->slots);
  *map = (struct address_map){ 0 };
}

static void
mark_unused (struct address_map *map)
{
  memset (map->slots, 0xff, map->n_slots * sizeof *map->slots);
  map->n_used = 0;
}

void
address_map_clear (struct address_map *map)
{
  if (map->n_used == 0)
    return;
  if (map->n_used < map->n_slots / 8 && map->n_slots > SLOTS_MIN)
    map->n_slots /= 2;
  mark_unused (map);
}

/* Return the slot of ADDRESS, or the unused one where it belongs.  */
static struct address_slot *
find_slot (const struct address_map *map, uint64_t address)
{
  size_t i = address_map_hash (map, address), probed = 1;
  while (map->slots[i].number != UINT32_MAX
         && address_slot_address (&map->slots[i]) != address)
    i = address_map_next (map, address, i, probed++);
  return &map->slots[i];
}

static void
put (struct address_map *map, struct address_slot *slot, uint64_t address,
     uint32_t number)
{
  map->n_used += slot->number == UINT32_MAX;
  *slot = (struct address_slot){ (uint32_t)address, (uint32_t)(address >> 32),
                                 number };
}

static bool
grow (struct address_map *map)
{
  struct address_map larger
      = { .n_slots = map->slots ? 2 * map->n_slots : SLOTS_MIN,
          .seed = map->slots ? map->seed : key_seed () };
  larger.slots = reallocarray (NULL, larger.n_slots, sizeof *larger.slots);
  if (!larger.slots)
    return false;
  mark_unused (&larger);
  for (size_t i = 0; map->slots && i < map->n_slots; i++)
    {
      const struct address_slot *slot = &map->slots[i];
      uint64_t address = address_slot_address (slot);
      if (slot->number != UINT32_MAX)
        put (&larger, find_slot (&larger, address), address, slot->number);
    }
  free (map->slots);
  *map = larger;
  return true;
}

static bool
make_room (struct address_map *map)
{
  return (map->slots && map->n_used < map->n_slots / 8 * 5) || grow (map);
}

bool
address_map_set (struct address_map *map, uint64_t address, uint32_t number)
{
  if (!make_room (map))
    return false;
  put (map, find_slot (map, address), address, number);
  return true;
}

uint32_t
address_map_enter (struct address_map *map, uint64_t address, uint32_t number)
{
  if (!make_room (map))
    return UINT32_MAX;
  struct address_slot *slot = find_slot (map, address);
  if (slot->number == UINT32_MAX)
    put (map, slot, address, number);
  return slot->number;
}

/* ---- Sets */

bool
address_set_init (struct address_set *set, const struct image *image)
{
  *set = (struct address_set){ 0 };
  set->segments = calloc (image->n_segments + 1, sizeof *set->segments);
  if (!set->segments)
    return false;
  for (size_t i = 0; i < image->n_segments; i++)
    {
      const GElf_Phdr *load = &image->segments[i];
      if (load->p_type != PT_LOAD || !(load->p_flags & PF_X))
        continue;
      struct segment_bits *segment = &set->segments[set->n_segments];
      segment->start = load->p_vaddr;
      segment->size = load->p_filesz;
      segment->bits = calloc (load->p_filesz / 64 + 1, sizeof *segment->bits);
      if (!segment->bits)
        return false;
      set->n_segments++;
    }
  return true;
}

void
address_set_free (struct address_set *set)
{
  for (size_t i = 0; i < set->n_segments; i++)
    free (set->segments[i].bits);
  free (set->segments);
  *set = (struct address_set){ 0 };
}
