/* Arrays that grow.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

enum
{
  CAPACITY_MIN = 64
};

/* Twice the room each time, so that appending costs the same in the long run,
   whatever the size.  The variable is a pointer of any type, so its bytes are
   what can be read and set.  */
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
  /* The variable owns the memory now.  */
  /* cppcheck-suppress memleak */
  return true;
}
