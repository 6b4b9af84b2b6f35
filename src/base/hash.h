/* Hashes of bytes, by libxxhash, and the CRC of .gnu_debuglink.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include <xxhash.h>

/* The digest in undo records (write/undo.h): XXH64 with seed 0.  Converted
   files have it, so the algorithm cannot change.  It protects against
   accidents, not against forgers.  */
static inline uint64_t
hash_digest (const void *bytes, size_t size)
{
  return XXH64 (bytes, size, 0);
}

/* A quick hash for tables in memory (base/table.h).  */
static inline uint32_t
hash_for_table (const uint8_t *bytes, size_t size)
{
  return (uint32_t)XXH3_64bits (bytes, size);
}

/* The same for a table with a SEED of its own (base/key_table.h).  */
static inline uint64_t
hash_with_seed (const void *bytes, size_t size, uint64_t seed)
{
  return XXH3_64bits_withSeed (bytes, size, seed);
}

/* The CRC of .gnu_debuglink: that of IEEE 802.3, bits in reversed order.
   GDB's manual, section "Debugging Information in Separate Files", has the
   algorithm.  */
uint32_t crc32_of (const uint8_t *bytes, size_t size);

/* What to put, as a little-endian word, between the HEAD_SIZE bytes HEAD and
   the TAIL_SIZE bytes TAIL so that all together have the CRC WANTED.  Exactly
   one word does that.  */
uint32_t crc32_word_for (const uint8_t *head, size_t head_size,
                         const uint8_t *tail, size_t tail_size,
                         uint32_t wanted);

#endif /* BASE_HASH_H */
