/* A fast 64-bit digest against accidents: XXH64.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "base/hash.h"

#include <string.h>

#include "base/bytes.h"

#define PRIME_1 UINT64_C (0x9e3779b185ebca87)
#define PRIME_2 UINT64_C (0xc2b2ae3d27d4eb4f)
#define PRIME_3 UINT64_C (0x165667b19e3779f9)
#define PRIME_4 UINT64_C (0x85ebca77c2b2ae63)
#define PRIME_5 UINT64_C (0x27d4eb2f165667c5)

enum
{
  STRIPE = 32 /* bytes that go into the four lanes at once */
};

static inline uint64_t
rotate (uint64_t value, unsigned bits)
{
  return value << bits | value >> (64 - bits);
}

static inline uint64_t
round_lane (uint64_t lane, uint64_t word)
{
  return rotate (lane + word * PRIME_2, 31) * PRIME_1;
}

static inline uint64_t
merge_lane (uint64_t value, uint64_t lane)
{
  return (value ^ round_lane (0, lane)) * PRIME_1 + PRIME_4;
}

void
hash_init (struct hash *hash)
{
  *hash = (struct hash){ .lanes = { PRIME_1 + PRIME_2, PRIME_2, 0,
                                    UINT64_C (0) - PRIME_1 } };
}

/* Lanes in local variables: otherwise every byte read through a char pointer
   might alias them.  */
static const uint8_t *
add_stripes (struct hash *hash, const uint8_t *at, size_t n)
{
  uint64_t a = hash->lanes[0], b = hash->lanes[1];
  uint64_t c = hash->lanes[2], d = hash->lanes[3];
  for (; n > 0; n--, at += STRIPE)
    {
      a = round_lane (a, load_u64 (at, false));
      b = round_lane (b, load_u64 (at + 8, false));
      c = round_lane (c, load_u64 (at + 16, false));
      d = round_lane (d, load_u64 (at + 24, false));
    }
  hash->lanes[0] = a;
  hash->lanes[1] = b;
  hash->lanes[2] = c;
  hash->lanes[3] = d;
  return at;
}

void
hash_add (struct hash *hash, const void *bytes, size_t size)
{
  const uint8_t *at = bytes;
  hash->total += size;
  if (hash->n_rest > 0)
    {
      size_t part = STRIPE - hash->n_rest;
      if (part > size)
        part = size;
      memcpy (hash->rest + hash->n_rest, at, part);
      hash->n_rest += part;
      at += part;
      size -= part;
      if (hash->n_rest < STRIPE)
        return;
      add_stripes (hash, hash->rest, 1);
    }
  at = add_stripes (hash, at, size / STRIPE);
  hash->n_rest = size % STRIPE;
  if (hash->n_rest > 0)
    memcpy (hash->rest, at, hash->n_rest);
}

void
hash_add_zeros (struct hash *hash, uint64_t size)
{
  static const uint8_t zeros[4096];
  for (; size > sizeof zeros; size -= sizeof zeros)
    hash_add (hash, zeros, sizeof zeros);
  hash_add (hash, zeros, (size_t)size);
}

static uint64_t
add_rest (uint64_t value, const uint8_t *at, size_t size)
{
  for (; size >= 8; size -= 8, at += 8)
    value = rotate (value ^ round_lane (0, load_u64 (at, false)), 27) * PRIME_1
            + PRIME_4;
  if (size >= 4)
    {
      value = rotate (value ^ load_u32 (at, false) * PRIME_1, 23) * PRIME_2
              + PRIME_3;
      size -= 4;
      at += 4;
    }
  for (; size > 0; size--, at++)
    value = rotate (value ^ *at * PRIME_5, 11) * PRIME_1;
  return value;
}

uint64_t
hash_value (const struct hash *hash)
{
  const uint64_t *lanes = hash->lanes;
  uint64_t value = PRIME_5;
  if (hash->total >= STRIPE)
    {
      value = rotate (lanes[0], 1) + rotate (lanes[1], 7)
              + rotate (lanes[2], 12) + rotate (lanes[3], 18);
      for (int i = 0; i < 4; i++)
        value = merge_lane (value, lanes[i]);
    }
  value = add_rest (value + hash->total, hash->rest, hash->n_rest);
  value = (value ^ value >> 33) * PRIME_2;
  value = (value ^ value >> 29) * PRIME_3;
  return value ^ value >> 32;
}

uint64_t
hash_bytes (const void *bytes, size_t size)
{
  struct hash hash;
  hash_init (&hash);
  hash_add (&hash, bytes, size);
  return hash_value (&hash);
}
