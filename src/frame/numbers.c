/* Numbers for the rules of frame rows.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "frame/numbers.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"

_Static_assert(NUMBERS_MAX - 1 <= UINT16_MAX, "indexes do not fit");

bool
frame_numbers_init (struct frame_numbers *numbers)
{
  *numbers = (struct frame_numbers){ 0 };
  return table_init (&numbers->table, 0);
}

void
frame_numbers_free (struct frame_numbers *numbers)
{
  free (numbers->rows);
  table_free (&numbers->table);
}

uint32_t
frame_numbers_find (struct frame_numbers *numbers, const struct frame_row *row)
{
  const struct frame_rule rules[] = { row->cfa, row->ra, row->fp };
  uint32_t index, hash = hash_for_table ((const uint8_t *)rules, sizeof rules)
                         + row->ra_signed;
  struct table_walk walk = { .hash = hash };
  while (table_next (&numbers->table, &walk, &index))
    if (frame_row_same_rules (&numbers->rows[index], row))
      return index + 1;
  if (numbers->n == NUMBERS_MAX
      || !ARRAY_ROOM (numbers->rows, numbers->n + 1, &numbers->capacity))
    return 0;
  table_insert (&numbers->table, hash, (uint32_t)numbers->n);
  struct frame_row *new = &numbers->rows[numbers->n++];
  *new = *row;
  new->number = (uint32_t)numbers->n;
  return new->number;
}
