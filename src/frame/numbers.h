/* Numbers for the rules of frame rows.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A program has some hundred different sets of rules ("CFA = SP + 16, RA at
   CFA - 8, FP at CFA - 16") in very many rows.  A row is therefore numbered
   when it is made, and what can be known of its rules is worked out once per
   number, not once per row.  */

#ifndef FRAME_NUMBERS_H
#define FRAME_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "frame/frame.h"

enum
{
  /* Numbers are 1 to NUMBERS_MAX.  A damaged file can have more rules than
     that.  Their rows get none, which costs time only.  */
  NUMBERS_MAX = 1 << 16,
  NUMBERS_RECENT = 256
};

struct frame_numbers
{
  struct frame_row *rows; /* owned; what number I + 1 means, with it */
  size_t n, capacity;
  struct table table;              /* the rows by their rules */
  uint16_t recent[NUMBERS_RECENT]; /* indexes in `rows', to try first */
};

/* False when memory ran out; freeing is allowed then, too.  */
bool frame_numbers_init (struct frame_numbers *numbers);
void frame_numbers_free (struct frame_numbers *numbers);

/* The number of what ROW says, by a search among all numbers, or a new one.  0
   when there are too many, or memory ran out.  */
uint32_t frame_numbers_find (struct frame_numbers *numbers,
                             const struct frame_row *row);

/* Where the index of what rows like ROW say is kept.  */
static inline uint16_t *
frame_numbers_recent (struct frame_numbers *numbers,
                      const struct frame_row *row)
{
  /* A hash of what differs between most rows.  */
  uint32_t mixed = (uint32_t)row->cfa.offset / 8 + row->cfa.reg * 64u
                   + row->fp.kind * 32u + row->ra.kind * 128u;
  return &numbers->recent[mixed % NUMBERS_RECENT];
}

/* What ROW says, as a row with its number, if that was given recently;
   otherwise NULL.  Valid until a number is given.  */
static inline const struct frame_row *
frame_numbers_peek (struct frame_numbers *numbers, const struct frame_row *row)
{
  uint16_t recent = *frame_numbers_recent (numbers, row);
  return recent < numbers->n
                 && frame_row_same_rules (&numbers->rows[recent], row)
             ? &numbers->rows[recent]
             : NULL;
}

/* Give ROW the number of what it says.  */
static inline void
frame_numbers_give (struct frame_numbers *numbers, struct frame_row *row)
{
  const struct frame_row *known = frame_numbers_peek (numbers, row);
  uint32_t number
      = known != NULL ? known->number : frame_numbers_find (numbers, row);
  if (number > 0)
    *frame_numbers_recent (numbers, row) = (uint16_t)(number - 1);
  row->number = number;
}

#endif /* FRAME_NUMBERS_H */
