/* Sorting arrays by a number, in linear time.
   SPDX-License-Identifier: LGPL-2.1-or-later

   This is a radix sort from the lowest digit of the keys to the highest.  An
   item begins with its key, a uint64_t.  */

#ifndef BASE_RADIX_H
#define BASE_RADIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum
{
  /* Two digits of this size distinguish all addresses within 64 MiB.  */
  RADIX_BITS_MAX = 13
};

/* Return the key of item INDEX.  An item has SIZE bytes.  */
static inline uint64_t
radix_key (const char *items, size_t index, size_t size)
{
  uint64_t key;
  memcpy (&key, items + index * size, sizeof key);
  return key;
}

/* Copy the N items at FROM to TO, sorted by one digit of the difference
   between their key and LOWEST: by BITS bits, above the SHIFT lowest bits.
   Items with equal digits keep their order.  */
static inline __attribute__ ((always_inline)) void
radix_distribute (const char *from, char *to, size_t n, size_t size,
                  uint64_t lowest, unsigned shift, unsigned bits)
{
  size_t places[(1 << RADIX_BITS_MAX) + 1];
  const size_t n_digits = (size_t)1 << bits, mask = n_digits - 1;
  memset (places, 0, (n_digits + 1) * sizeof *places);
  for (size_t i = 0; i < n; i++)
    places[((radix_key (from, i, size) - lowest) >> shift & mask) + 1]++;
  for (size_t i = 1; i < n_digits; i++)
    places[i] += places[i - 1];
  for (size_t i = 0; i < n; i++)
    {
      size_t digit = (radix_key (from, i, size) - lowest) >> shift & mask;
      memcpy (to + places[digit]++ * size, from + i * size, size);
    }
}

/* Sort the N items at *ITEMS, which is memory of malloc, by their keys; items
   with equal keys keep their order.  *ITEMS may become other memory.  SIZE,
   the size of an item, should be a constant: then the compiler copies an item
   with one or two instructions.  Items in ascending order are left as they
   are.  Returns false, with *ITEMS unchanged, when memory ran out.  */
static inline __attribute__ ((always_inline)) bool
radix_sort (void **items, size_t n, size_t size)
{
  char *from = *items;
  uint64_t lowest = UINT64_MAX, highest = 0;
  bool ascends = true;
  for (size_t i = 0; i < n; i++)
    {
      uint64_t key = radix_key (from, i, size);
      ascends &= key >= highest;
      lowest = key < lowest ? key : lowest;
      highest = key > highest ? key : highest;
    }
  if (ascends)
    return true;
  char *to = reallocarray (NULL, n, size);
  if (to == NULL)
    return false;
  unsigned all = 64 - (unsigned)__builtin_clzll (highest - lowest);
  unsigned n_digits = (all + RADIX_BITS_MAX - 1) / RADIX_BITS_MAX;
  unsigned bits = (all + n_digits - 1) / n_digits;
  for (unsigned shift = 0; shift < all; shift += bits)
    {
      radix_distribute (from, to, n, size, lowest, shift, bits);
      char *sorted = to;
      to = from;
      from = sorted;
    }
  free (to);
  *items = from;
  return true;
}

/* Do as radix_sort for ITEMS, a variable that points to the N items.  */
#define RADIX_SORT(items, n)                                             \
  __extension__({                                                        \
    void *radix_items = (items);                                         \
    bool radix_sorted = radix_sort (&radix_items, (n), sizeof *(items)); \
    (items) = radix_items;                                               \
    radix_sorted;                                                        \
  })

#endif /* BASE_RADIX_H */
