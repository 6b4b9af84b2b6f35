/* A fast 64-bit digest against accidents, not against forgers.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The algorithm is XXH64 with seed 0 (XXH64 in the xxHash specification,
   version 0.1.1): about the speed of reading memory, and its results do not
   depend on the machine.  */

#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

struct hash
{
  uint64_t lanes[4];
  uint64_t total; /* bytes so far */
  uint8_t rest[32];
  size_t n_rest; /* bytes in `rest`, waiting for a full stripe */
};

void hash_init (struct hash *hash);
void hash_add (struct hash *hash, const void *bytes, size_t size);

/* The same as adding SIZE zero bytes.  */
void hash_add_zeros (struct hash *hash, uint64_t size);

/* The digest of everything added; more may be added afterwards.  */
uint64_t hash_value (const struct hash *hash);

/* The digest of SIZE bytes.  */
uint64_t hash_bytes (const void *bytes, size_t size);

/* A quick hash of SIZE bytes for tables in memory (base/table.h).  */
static inline uint32_t
hash_for_table (const uint8_t *bytes, size_t size)
{
  const uint64_t multiplier = 0x9e3779b97f4a7c15u;
  uint64_t hash = size * multiplier;
  for (; size >= 8; bytes += 8, size -= 8)
    {
      hash = (hash ^ load_u64 (bytes, false)) * multiplier;
      hash ^= hash >> 32;
    }
  uint64_t tail = 0;
  for (size_t i = 0; i < size; i++)
    tail |= (uint64_t)bytes[i] << 8 * i;
  hash = (hash ^ tail) * multiplier;
  hash ^= hash >> 32;
  return (uint32_t)hash;
}

#endif /* BASE_HASH_H */
