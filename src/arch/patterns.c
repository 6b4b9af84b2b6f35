/* The patterns of each machine; a fast search for fields with addresses.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The search tests blocks of bytes with vector instructions first, and looks
   at single fields only in blocks that pass the test.  */

#include "arch/patterns.h"

#include <endian.h>

#include "base/bytes.h"

#define ADDRESS(name) &name##_patterns,
static const struct arch_patterns *const machines[]
    = { FOR_EACH_PATTERNS (ADDRESS) };

const struct arch_patterns *
arch_patterns_of (unsigned e_machine)
{
  for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
    if (machines[i]->e_machine == e_machine)
      return machines[i];
  return NULL;
}

/* ---- Fields */

enum
{
  BLOCK_HALVES = 128,
  BLOCK = 2 * BLOCK_HALVES,
  NEAR = 4 + 8 /* bytes around a field that distances may count from */
};

typedef bool block_test (const uint8_t *fields, uint32_t first, uint32_t other,
                         uint64_t span, bool swapped);

/* Halfwords at an address of any alignment.  */
struct __attribute__ ((packed, may_alias)) halfwords
{
  uint16_t at[BLOCK_HALVES];
};

/* Return whether a 32-bit field that begins in the BLOCK bytes at FIELDS may
   have a value from FIRST to FIRST + SPAN or, with BOTH, from OTHER to OTHER +
   SPAN - 255.

   Only the two middle bytes of each field are compared, as a halfword.  Few
   fields have the wanted middle bytes by chance, so hardly any block passes;
   the uppermost bytes would distinguish nothing, because all addresses of a
   program share them.  Compilers make vector instructions of the loop, which
   takes a fifth of the time of comparing whole fields.  The loop finds the
   halfword that is nearest after the lowest wanted one.  Distances are signed
   numbers (0 is stored as -32768), because SSE2 has no minimum of unsigned
   halfwords.  */
static inline __attribute__ ((always_inline)) bool
block_may_match (const uint8_t *fields, uint32_t first, uint32_t other,
                 uint64_t span, bool swapped, bool both)
{
  const struct halfwords *even = (const struct halfwords *)(fields + 1);
  const struct halfwords *odd = (const struct halfwords *)(fields + 2);
  const uint64_t farthest = ((first & 0xff) + span) >> 8;
  const uint16_t lowest = (uint16_t)((first >> 8) + 0x8000);
  const uint16_t other_lowest = (uint16_t)((other >> 8) + 0x8000);
  int16_t nearest = INT16_MAX; /* the smallest distance */
  for (unsigned i = 0; i < BLOCK_HALVES; i++)
    {
      uint16_t x = even->at[i], y = odd->at[i];
      if (swapped)
        {
          x = __builtin_bswap16 (x);
          y = __builtin_bswap16 (y);
        }
      int16_t a = (int16_t)(x - lowest);
      int16_t b = (int16_t)(y - lowest);
      int16_t c = (int16_t)(both ? x - other_lowest : a);
      int16_t d = (int16_t)(both ? y - other_lowest : b);
      a = a < b ? a : b;
      c = c < d ? c : d;
      a = a < c ? a : c;
      nearest = a < nearest ? a : nearest;
    }
  return (uint64_t)(nearest - INT16_MIN) <= farthest;
}

static inline __attribute__ ((always_inline)) bool
block_may_match_specialised (const uint8_t *fields, uint32_t first,
                             uint32_t other, uint64_t span, bool swapped)
{
  if (swapped)
    return block_may_match (fields, first, other, span, true, true);
  if (first == other)
    return block_may_match (fields, first, other, span, false, false);
  return block_may_match (fields, first, other, span, false, true);
}

#ifdef __x86_64__
/* The same with vectors of 32 bytes, which takes half as many instructions.
   All but the oldest processors have them.  */
static __attribute__ ((target ("avx2"))) bool
block_may_match_avx2 (const uint8_t *fields, uint32_t first, uint32_t other,
                      uint64_t span, bool swapped)
{
  return block_may_match_specialised (fields, first, other, span, swapped);
}
#endif

static block_test *
choose_block_test (void)
{
#ifdef __x86_64__
  if (__builtin_cpu_supports ("avx2"))
    return block_may_match_avx2;
#endif
  return block_may_match_specialised;
}

/* The values that fields are compared with, modulo 4 GiB.  A FIELD may be a
   distance if FIELD + RELATIVE + the field's offset is less than SIZE + NEAR,
   and an offset from the base if FIELD - OFFSET is less than SIZE.  */
struct field_test
{
  uint32_t size, relative, offset;
  bool big_endian;
};

/* Call VISITOR for the fields from AT to END in BYTES that pass TEST.  */
static void
visit_fields (struct address_search *search, const struct loaded_bytes *bytes,
              const struct field_test *test, field_visitor *visitor,
              uint64_t at, uint64_t end)
{
  for (; at < end && at + 4 <= bytes->size; at++)
    {
      uint32_t field = load_u32 (bytes->bytes + at, test->big_endian);
      if (field + test->relative + (uint32_t)at < test->size + NEAR
          || (search->has_base && field - test->offset < test->size))
        visitor (search, bytes, at);
    }
}

void
address_search_fields (struct address_search *search,
                       const struct loaded_bytes *bytes, bool big_endian,
                       field_visitor *visitor)
{
  const struct field_test test
      = { .size = (uint32_t)(search->end - search->begin),
          .relative = (uint32_t)bytes->address + 8 - (uint32_t)search->begin,
          .offset = (uint32_t)(search->begin - search->base),
          .big_endian = big_endian };
  const bool swapped = big_endian != (htobe16 (1) == 1);
  block_test *may_match = choose_block_test ();
  uint64_t at = 0;
  for (; at + BLOCK + 4 <= bytes->size; at += BLOCK)
    {
      uint32_t first = -(test.relative + (uint32_t)at + BLOCK - 1);
      if (may_match (bytes->bytes + at, first,
                     search->has_base ? test.offset : first,
                     BLOCK + (uint64_t)test.size + NEAR - 2, swapped))
        visit_fields (search, bytes, &test, visitor, at, at + BLOCK);
    }
  visit_fields (search, bytes, &test, visitor, at, bytes->size);
}
