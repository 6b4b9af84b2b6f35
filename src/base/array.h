/* Growing arrays on the heap.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An array has two variables: a pointer to its first element, NULL at first,
   and its capacity, the number of elements that fit its memory, 0 at first. */

#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Make ARRAY, a variable that points to elements on the heap, large enough for
   WANTED elements, and keep *CAPACITY, the number of elements that fit.
   Returns false when memory ran out: then nothing has changed.

   An empty array gets memory for WANTED elements, but for 64 at least.  A full
   array gets twice its capacity, or WANTED if that is more.  A caller that can
   guess the final number saves copies by a first call with that number.  */
#define ARRAY_ROOM(array, wanted, capacity)            \
  (((wanted) <= *(capacity) && ARRAY_IS_THERE (array)) \
   || array_grow (&(array), sizeof *(array), wanted, capacity))

/* clang's static analyzer does not know that NULL has capacity 0.  */
#ifdef __clang_analyzer__
#  define ARRAY_IS_THERE(array) ((array) != NULL)
#else
#  define ARRAY_IS_THERE(array) true
#endif

/* Do the work of ARRAY_ROOM for an array that is full.  ARRAY points to the
   variable, and an element has ELEMENT bytes.  */
bool array_grow (void *array, size_t element, size_t wanted, size_t *capacity);

#endif /* BASE_ARRAY_H */
