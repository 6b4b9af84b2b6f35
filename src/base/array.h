/* Arrays that grow.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Make ARRAY, a variable that points to elements on the heap, large enough
   for WANTED elements; *CAPACITY is how many it has room for: 0 while it is
   NULL.  At first there are as many as are wanted, or a few more, and
   afterwards twice as many as before: where their number can be guessed, a
   first call with that number saves the copies.  False when memory ran out:
   then nothing has changed.  */
#define ARRAY_ROOM(array, wanted, capacity)            \
  (((wanted) <= *(capacity) && ARRAY_IS_THERE (array)) \
   || array_grow (&(array), sizeof *(array), wanted, capacity))

/* clang's static analyzer does not know that NULL has no capacity.  */
#ifdef __clang_analyzer__
#  define ARRAY_IS_THERE(array) ((array) != NULL)
#else
#  define ARRAY_IS_THERE(array) true
#endif

/* The part of ARRAY_ROOM for a full array: ARRAY points to the variable,
   elements have ELEMENT bytes.  */
bool array_grow (void *array, size_t element, size_t wanted, size_t *capacity);

#endif /* BASE_ARRAY_H */
