/* Hash functions for bytes, from libxxhash.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include <xxhash.h>

/* Return the digest that undo records contain (write/undo.h): XXH64 with seed
   0.  Converted files contain it, so the algorithm cannot change.  It reveals
   accidents, and not forgeries.  */
static inline uint64_t
hash_digest (const void *bytes, size_t size)
{
  return XXH64 (bytes, size, 0);
}

/* Return a hash for struct table (base/table.h).  */
static inline uint32_t
hash_for_table (const uint8_t *bytes, size_t size)
{
  return (uint32_t)XXH3_64bits (bytes, size);
}

/* Return a hash that depends on SEED, for struct key_table (base/table.h).  */
static inline uint64_t
hash_with_seed (const void *bytes, size_t size, uint64_t seed)
{
  return XXH3_64bits_withSeed (bytes, size, seed);
}

#endif /* BASE_HASH_H */
