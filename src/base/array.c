/* Growing arrays on the heap.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

enum
{
  CAPACITY_MIN = 64
};

/* The capacity doubles each time, so that the cost of appending an element
   does not grow with the array.  ARRAY points to a pointer of a type that is
   unknown here, so memcpy reads and sets that pointer.  */
bool
array_grow (void *array, size_t element, size_t wanted, size_t *capacity)
{
  void *old, *grown;
  size_t more = CAPACITY_MIN;
  memcpy (&old, array, sizeof old);
  if (*capacity > 0 && __builtin_mul_overflow (*capacity, 2, &more))
    return false;
  if (more < wanted)
    more = wanted;
  grown = reallocarray (old, more, element);
  if (!grown)
    return false;
  memcpy (array, &grown, sizeof grown);
  *capacity = more;
  /* The caller's variable owns the memory now.  */
  /* cppcheck-suppress memleak */
  return true;
}
