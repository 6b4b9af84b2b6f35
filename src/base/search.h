/* Binary search.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

#include <stddef.h>

/* Find the smallest index I below N for which the expression HOLDS is true;
   the result is N if there is none.  HOLDS must be false for all indexes
   before that one and true for all indexes after it.  For example, if the ends
   of parts ascend, this finds the first part that ends after ADDRESS:

     size_t at = SEARCH_FIRST (n, i, parts[i].end > address);

   The macro declares I, a constant size_t; a search in HOLDS needs another
   name.  N is evaluated once, and HOLDS at most once for each bit of N.  */
#define SEARCH_FIRST(n, i, holds)                                         \
  __extension__({                                                         \
    size_t i##_low = 0, i##_high = (n);                                   \
    while (i##_low < i##_high)                                            \
      {                                                                   \
        const size_t i = i##_low + (i##_high - i##_low) / 2;              \
        if (holds)                                                        \
          i##_high = i;                                                   \
        else                                                              \
          i##_low = (i) + 1;                                              \
      }                                                                   \
    (size_t) i##_low; /* without the cast cppcheck takes it for unused */ \
  })

#endif /* BASE_SEARCH_H */
