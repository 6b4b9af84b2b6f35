/* Copies of a process's memory.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "stacks/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "stacks/shortage.h"

struct memory_region
{
  uint64_t start, size; /* the range does not wrap around */
  const uint8_t *bytes;
  uint8_t *owned; /* BYTES if they are owned, or NULL */
};

enum
{
  /* Copies begin at multiples of this, where pages of any size may begin.  */
  COPY_ALIGNMENT = 4096,
  CHUNK = 4 * COPY_ALIGNMENT,
  /* Bytes of all copies: a process may have thousands of stacks.  */
  LIMIT = 1 << 30
};

/* Return how many regions start at or before ADDRESS.  */
static size_t
regions_up_to (const struct memory *memory, uint64_t address)
{
  return SEARCH_FIRST (memory->n_regions, i,
                       memory->regions[i].start > address);
}

static const struct memory_region *
region_at (struct memory *memory, uint64_t address)
{
  size_t at = memory->last_read;
  /* Most reads are near the last one, because a walk stays on one stack.  */
  if (at < memory->n_regions
      && address - memory->regions[at].start < memory->regions[at].size)
    return &memory->regions[at];
  at = regions_up_to (memory, address) - 1;
  if (at >= memory->n_regions
      || address - memory->regions[at].start >= memory->regions[at].size)
    return NULL;
  memory->last_read = at;
  return &memory->regions[at];
}

static bool
insert_region (struct memory *memory, const struct memory_region *region)
{
  if (!ARRAY_ROOM (memory->regions, memory->n_regions + 1, &memory->capacity))
    return shortage_note ();
  size_t at = regions_up_to (memory, region->start);
  memmove (memory->regions + at + 1, memory->regions + at,
           (memory->n_regions - at) * sizeof *memory->regions);
  memory->regions[at] = *region;
  memory->n_regions++;
  return true;
}

/* Return how many of the SIZE bytes from ADDRESS on, which is in no region,
   lie before the next region.  */
static uint64_t
gap_at (const struct memory *memory, uint64_t address, uint64_t size)
{
  size_t next = regions_up_to (memory, address);
  if (size > UINT64_MAX - address)
    size = UINT64_MAX - address;
  if (next == memory->n_regions)
    return size;
  uint64_t gap = memory->regions[next].start - address;
  return gap < size ? gap : size;
}

/* Copy SIZE bytes at ADDRESS, which are in no region yet, as far as they exist
   and the limit permits.  Return how many.  */
static size_t
copy_gap (struct memory *memory, uint64_t address, size_t size)
{
  uint64_t left
      = (memory->limit != 0 ? memory->limit : LIMIT) - memory->copied;
  memory->limit_reached |= size > left;
  size = size < left ? size : (size_t)left;
  if (size == 0)
    return 0;
  uint8_t *bytes = malloc (size);
  if (bytes == NULL)
    return shortage_note ();
  size_t got = memory->fetch (memory->source, address, bytes, size);
  struct memory_region region = { address, got, bytes, bytes };
  if (got > 0 && insert_region (memory, &region))
    {
      memory->copied += got;
      return got;
    }
  free (bytes);
  return 0;
}

void
memory_copy (struct memory *memory, uint64_t address, size_t size)
{
  while (size > 0)
    {
      const struct memory_region *region = region_at (memory, address);
      uint64_t there = region != NULL
                           ? region->size - (address - region->start)
                           : copy_gap (memory, address,
                                       (size_t)gap_at (memory, address, size));
      if (there == 0 || there >= size)
        return;
      address += there;
      size -= (size_t)there;
    }
}

bool
memory_add (struct memory *memory, uint64_t address, const void *bytes,
            size_t size)
{
  struct memory_region region = { address, size, bytes, NULL };
  return size > 0 && region_at (memory, address) == NULL
         && gap_at (memory, address, size) == size
         && insert_region (memory, &region);
}

/* Return the region that contains ADDRESS, or NULL.  While MEMORY is open,
   missing bytes are copied first.  */
static const struct memory_region *
region_needed (struct memory *memory, uint64_t address)
{
  const struct memory_region *region = region_at (memory, address);
  uint8_t byte;
  if (region == NULL && !memory->open && !memory->missed)
    memory->missed = memory->fetch != NULL
                     && memory->fetch (memory->source, address, &byte, 1) == 1;
  if (region != NULL || !memory->open)
    return region;
  size_t chunk = memory->chunk != 0 ? memory->chunk : CHUNK;
  uint64_t alignment = chunk < COPY_ALIGNMENT ? chunk : COPY_ALIGNMENT;
  memory_copy (memory, address & ~(alignment - 1), chunk);
  return region_at (memory, address);
}

/* Read up to SIZE bytes of the copies.  Return how many were there.  */
static inline size_t
read_part (struct memory *memory, uint64_t address, uint8_t *to, size_t size)
{
  size_t done = 0;
  /* No region has the last address, where ADDRESS would wrap around.  */
  while (done < size)
    {
      const struct memory_region *region
          = region_needed (memory, address + done);
      if (region == NULL)
        break;
      uint64_t offset = address + done - region->start;
      size_t left = size - done, part = left;
      if (region->size - offset < left)
        part = (size_t)(region->size - offset);
      /* Most reads are of a word: avoid the call of memcpy.  */
      if (part == sizeof (uint64_t))
        memcpy (to + done, region->bytes + offset, sizeof (uint64_t));
      else
        memcpy (to + done, region->bytes + offset, part);
      done += part;
    }
  return done;
}

bool
memory_read (struct memory *memory, uint64_t address, void *to, size_t size)
{
  return read_part (memory, address, to, size) == size;
}

size_t
memory_read_now (struct memory *memory, uint64_t address, void *to,
                 size_t size)
{
  return memory->fetch != NULL
             ? memory->fetch (memory->source, address, to, size)
             : read_part (memory, address, to, size);
}

void
memory_forget (struct memory *memory)
{
  for (size_t i = 0; i < memory->n_regions; i++)
    free (memory->regions[i].owned);
  memory->n_regions = 0;
  memory->copied = 0;
  memory->limit_reached = false;
}

void
memory_free (struct memory *memory)
{
  memory_forget (memory);
  free (memory->regions);
  memory->regions = NULL;
  memory->capacity = 0;
}
