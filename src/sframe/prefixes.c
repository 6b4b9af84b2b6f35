/* Blocks that are the beginning of other blocks.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "sframe/prefixes.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

/* A block on its way through sorting.  */
struct sorted_block
{
  uint64_t key;         /* the first bytes as a number, padded with 0 */
  const uint8_t *bytes; /* all of them */
  uint32_t size;
  uint32_t index;
};

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

/* The blocks in ascending order.  */
static struct sorted_block *
sort_blocks (const uint32_t *offsets, size_t n, const struct buffer *rows)
{
  size_t end = rows->size;
  struct sorted_block *blocks = reallocarray (NULL, n, sizeof *blocks);
  if (blocks == NULL)
    return NULL;
  for (size_t i = n; i-- > 0;)
    {
      uint32_t size = (uint32_t)(end - offsets[i]);
      blocks[i] = (struct sorted_block){
        .key = block_key (rows->bytes + offsets[i], size),
        .bytes = rows->bytes + offsets[i],
        .size = size,
        .index = (uint32_t)i,
      };
      end = offsets[i];
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

/* For each of N BLOCKS, by its index, the index of the one whose bytes stand
   for its own.  */
static uint32_t *
find_owners (const struct sorted_block *blocks, size_t n)
{
  uint32_t *owners = reallocarray (NULL, n, sizeof *owners);
  if (owners == NULL)
    return NULL;
  for (size_t i = n; i-- > 0;)
    owners[blocks[i].index]
        = i + 1 < n && is_prefix (&blocks[i], &blocks[i + 1])
              ? owners[blocks[i + 1].index]
              : blocks[i].index;
  return owners;
}

/* Leave only those blocks that are their own owners; all get their owner's
   place.  */
static void
move_blocks (uint32_t *offsets, const uint32_t *owners, size_t n,
             struct buffer *rows)
{
  size_t end = 0;
  for (size_t i = 0; i < n; i++)
    {
      size_t next = i + 1 < n ? offsets[i + 1] : rows->size;
      size_t size = next - offsets[i];
      if (owners[i] != i)
        continue;
      memmove (rows->bytes + end, rows->bytes + offsets[i], size);
      offsets[i] = (uint32_t)end;
      end += size;
    }
  rows->size = end;
  for (size_t i = 0; i < n; i++)
    offsets[i] = offsets[owners[i]];
}

bool
prefixes_fold (uint32_t *offsets, size_t n, struct buffer *rows)
{
  struct sorted_block *blocks = sort_blocks (offsets, n, rows);
  uint32_t *owners = blocks != NULL ? find_owners (blocks, n) : NULL;
  if (owners != NULL)
    move_blocks (offsets, owners, n, rows);
  free (owners);
  free (blocks);
  return owners != NULL;
}
