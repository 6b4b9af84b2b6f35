/* Blocks that are the beginning of other blocks.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "sframe/prefixes.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/search.h"

enum
{
  PREFIXES_MIN = 1024 /* room for so many blocks at first */
};

/* A block on its way through sorting.  */
struct sorted_block
{
  uint64_t key;         /* the first bytes as a number, padded with 0 */
  const uint8_t *bytes; /* all of them */
  uint32_t size;
  uint32_t index;
};

bool
prefixes_begin (struct prefixes *prefixes)
{
  *prefixes = (struct prefixes){ 0 };
  return ARRAY_ROOM (prefixes->starts, PREFIXES_MIN, &prefixes->capacity);
}

void
prefixes_end (struct prefixes *prefixes)
{
  free (prefixes->starts);
  free (prefixes->places);
}

void
prefixes_add (struct prefixes *prefixes, uint32_t offset)
{
  size_t n = prefixes->n_blocks;
  if (prefixes->failed || (n > 0 && offset <= prefixes->starts[n - 1]))
    return;
  prefixes->failed
      = !ARRAY_ROOM (prefixes->starts, n + 1, &prefixes->capacity);
  if (!prefixes->failed)
    prefixes->starts[prefixes->n_blocks++] = offset;
}

/* A prefix comes before the block that begins with it, and all blocks between
   the two begin with it as well.  */
static int
compare_blocks (const void *a, const void *b)
{
  const struct sorted_block *left = a, *right = b;
  if (left->key != right->key)
    return left->key < right->key ? -1 : 1;
  uint32_t size = left->size < right->size ? left->size : right->size;
  int order = memcmp (left->bytes, right->bytes, size);
  if (order != 0)
    return order;
  if (left->size != right->size)
    return left->size < right->size ? -1 : 1;
  return left->index < right->index ? -1 : left->index > right->index;
}

static uint64_t
block_key (const uint8_t *bytes, uint32_t size)
{
  uint8_t first[8] = { 0 };
  memcpy (first, bytes, size < sizeof first ? size : sizeof first);
  return load_u64 (first, true);
}

static struct sorted_block *
sort_blocks (const struct prefixes *prefixes, const struct buffer *rows)
{
  size_t n = prefixes->n_blocks;
  struct sorted_block *blocks = reallocarray (NULL, n, sizeof *blocks);
  if (blocks == NULL)
    return NULL;
  for (size_t i = 0; i < n; i++)
    {
      uint32_t start = prefixes->starts[i];
      size_t end = i + 1 < n ? prefixes->starts[i + 1] : rows->size;
      uint32_t size = (uint32_t)(end - start);
      blocks[i] = (struct sorted_block){
        .key = block_key (rows->bytes + start, size),
        .bytes = rows->bytes + start,
        .size = size,
        .index = (uint32_t)i,
      };
    }
  qsort (blocks, n, sizeof *blocks, compare_blocks);
  return blocks;
}

static bool
is_prefix (const struct sorted_block *block, const struct sorted_block *of)
{
  return block->size <= of->size
         && memcmp (block->bytes, of->bytes, block->size) == 0;
}

bool
prefixes_fold (struct prefixes *prefixes, struct buffer *rows)
{
  size_t n = prefixes->n_blocks;
  if (prefixes->failed || n == 0)
    return false;
  struct sorted_block *blocks = sort_blocks (prefixes, rows);
  /* The block whose bytes stand for each block's; later its place.  */
  uint32_t *owner = reallocarray (NULL, n, sizeof *owner);
  prefixes->places = owner;
  if (blocks == NULL || owner == NULL)
    {
      free (blocks);
      return false;
    }
  for (size_t i = n; i-- > 0;)
    owner[blocks[i].index]
        = i + 1 < n && is_prefix (&blocks[i], &blocks[i + 1])
              ? owner[blocks[i + 1].index]
              : blocks[i].index;
  free (blocks);

  uint32_t *starts = prefixes->starts;
  uint32_t *moved = reallocarray (NULL, n, sizeof *moved);
  if (moved == NULL)
    return false;
  size_t end = starts[0];
  for (size_t i = 0; i < n; i++)
    {
      size_t next = i + 1 < n ? starts[i + 1] : rows->size;
      moved[i] = (uint32_t)end;
      if (owner[i] != i)
        continue;
      memmove (rows->bytes + end, rows->bytes + starts[i], next - starts[i]);
      end += next - starts[i];
    }
  rows->size = end;
  for (size_t i = 0; i < n; i++)
    owner[i] = moved[owner[i]];
  free (moved);
  return true;
}

uint32_t
prefixes_place (const struct prefixes *prefixes, uint32_t offset)
{
  return prefixes->places[SEARCH_FIRST (prefixes->n_blocks - 1, i,
                                        prefixes->starts[i + 1] > offset)];
}
