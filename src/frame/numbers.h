/* Numbers for the rules of frame rows.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A program has some hundred different sets of rules ("CFA = SP + 16, RA at
   CFA - 8, FP at CFA - 16") in very many rows.  So a row gets the number of
   its rules when it is made, and later stages do their work once for each
   number, and not once for each row.  */

#ifndef FRAME_NUMBERS_H
#define FRAME_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "frame/frame.h"

enum
{
  /* Numbers are 1 to NUMBERS_MAX.  A damaged file can have more different
     rules.  Rows with these get no number, which costs only time.  */
  NUMBERS_MAX = 1 << 16,
  NUMBERS_RECENT = 256
};

struct frame_numbers
{
  struct frame_row *rows; /* owned; rows[I] has number I + 1 */
  size_t n, capacity;
  struct table table;              /* indexes of `rows', by hashes */
  uint16_t recent[NUMBERS_RECENT]; /* indexes of `rows', to be tried first */
};

/* Initialize NUMBERS.  False: no memory; freeing is allowed then, too.  */
bool frame_numbers_init (struct frame_numbers *numbers);
void frame_numbers_free (struct frame_numbers *numbers);

/* Return the number of ROW's rules: an old one, found by the table, or a new
   one.  Returns 0 when there are too many, or when memory ran out.  */
uint32_t frame_numbers_find (struct frame_numbers *numbers,
                             const struct frame_row *row);

/* Return the element of `recent' for rows with rules like those of ROW.  */
static inline uint16_t *
frame_numbers_recent (struct frame_numbers *numbers,
                      const struct frame_row *row)
{
  /* A hash of the members in which most rules differ.  */
  uint32_t mixed = (uint32_t)row->cfa.offset / 8 + row->cfa.reg * 64u
                   + row->fp.kind * 32u + row->ra.kind * 128u;
  return &numbers->recent[mixed % NUMBERS_RECENT];
}

/* If a row with the rules of ROW was numbered recently, return such a row with
   its number; otherwise NULL.  Valid until a row gets a number.  */
static inline const struct frame_row *
frame_numbers_peek (struct frame_numbers *numbers, const struct frame_row *row)
{
  uint16_t recent = *frame_numbers_recent (numbers, row);
  return recent < numbers->n
                 && frame_row_same_rules (&numbers->rows[recent], row)
             ? &numbers->rows[recent]
             : NULL;
}

/* Give ROW the number of its rules.  */
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
