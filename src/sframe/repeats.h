/* Segments that occur more than once.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Segments of one atom are counted first.  A segment with a beginning that
   occurs once occurs once as well, so only segments that repeat are extended
   by an atom and counted again, and so on: the work is proportional to the
   number of repetitions.  Segments are told apart by a hash; a caller that
   stores one in another's place has to compare the rows.  */

#ifndef SFRAME_REPEATS_H
#define SFRAME_REPEATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sframe/segments.h"

enum
{
  REPEATS_ATOMS_MAX = 16 /* in a segment that is looked for */
};

/* An occurrence of a segment, which begins at cut number START.  */
struct repeat
{
  uint32_t start;
  uint32_t kind; /* equal segments are of one kind */
};

struct repeat_kind
{
  uint64_t hash;
  uint32_t n_occurrences;
  uint32_t bytes; /* of its rows in a section */
};

struct repeats
{
  /* Occurrences of segments of n + 1 atoms in ascending order, and one with
     the start UINT32_MAX behind them.  The last list is empty.  Owned.  */
  struct repeat *of_atoms[REPEATS_ATOMS_MAX + 1];
  struct repeat_kind *kinds; /* owned */
  size_t n_kinds, capacity;
};

/* The rows to look at: N_CUTS + 1 cuts, the last one behind all rows.  */
struct repeats_input
{
  const struct numbered_row *rows;
  const struct cut *cuts;
  size_t n_cuts;
  unsigned atoms_max; /* at most REPEATS_ATOMS_MAX */
  uint32_t rows_max;  /* in a segment of several atoms */
};

/* Find all repeated segments.  REPEATS is to be freed in any case.  False when
   memory ran out.  */
bool repeats_find (struct repeats *repeats, const struct repeats_input *input);
void repeats_free (struct repeats *repeats);

#endif /* SFRAME_REPEATS_H */
