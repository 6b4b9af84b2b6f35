/* Tests that are rows of a table, each with a name of its own.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Include cmocka.h before.  A row is a struct whose first member is the test's
   name; the function finds the row in its state, or the fixture that SET_UP
   puts there instead.  */

#ifndef ROWS_H
#define ROWS_H

#include <stddef.h>

#define N_OF(array) (sizeof (array) / sizeof *(array))

/* Write a test for each of the N ROWS of SIZE bytes to NEXT.  Returns the
   place behind the last one.  */
static inline struct CMUnitTest *
add_rows (struct CMUnitTest *next, const void *rows, size_t n, size_t size,
          CMUnitTestFunction function, CMFixtureFunction set_up,
          CMFixtureFunction tear_down)
{
  const char *row = rows;
  for (size_t i = 0; i < n; i++, row += size)
    *next++ = (struct CMUnitTest){ *(const char *const *)(const void *)row,
                                   function, set_up, tear_down, (void *)row };
  return next;
}

#define ADD_ROWS(next, table, function, set_up, tear_down)                \
  add_rows (next, table, N_OF (table), sizeof *(table), function, set_up, \
            tear_down)

#endif /* ROWS_H */
