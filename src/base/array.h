/* Arrays that grow.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Make ARRAY, a variable that points to elements on the heap or is NULL, large
   enough for WANTED elements; *CAPACITY is how many it has room for.  False
   when memory ran out: then nothing has changed.  */
#define ARRAY_ROOM(array, wanted, capacity) \
  (((array) && (wanted) <= *(capacity))     \
   || array_grow (&(array), sizeof *(array), wanted, capacity))

/* What ARRAY_ROOM does when there is no room: ARRAY points to the variable,
   elements have ELEMENT bytes.  */
bool array_grow (void *array, size_t element, size_t wanted, size_t *capacity);

#endif /* BASE_ARRAY_H */
