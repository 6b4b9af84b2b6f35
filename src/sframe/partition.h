/* The cheapest way to cut runs of rows into pieces.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A piece costs its index entry and its block of rows; a block that several
   pieces use is paid by all of them together.  How many pieces use a block is
   not known before the pieces are chosen.  They are therefore chosen several
   times: at first every occurrence of a segment counts as a use, later those
   occurrences that were chosen the time before.  */

#ifndef SFRAME_PARTITION_H
#define SFRAME_PARTITION_H

#include <stddef.h>
#include <stdint.h>

#include "sframe/repeats.h"

/* Rows that follow each other, at one or several places.  */
struct run
{
  uint32_t first_row;
  uint32_t first_cut; /* the run ends where the next one begins */
  uint32_t n_occurrences;
  uint32_t first_piece; /* likewise; filled in last */
  uint64_t bytes;       /* of the rows in a section, at least */
};

struct piece
{
  uint32_t begin, end; /* numbers of cuts */
  uint32_t hash;       /* segment_hash_for_table; 0: not known */
};

struct partition_input
{
  struct run *runs; /* N_RUNS + 1, the last one behind all cuts */
  size_t n_runs;
  const struct cut *cuts;
  size_t n_cuts;
  const struct repeats *repeats;
  unsigned entry_cost, attribute_cost; /* of an FDE and of a block, in bytes */
  uint32_t rows_max;                   /* in a piece of several atoms */
  unsigned passes;                     /* at least 1 */
};

/* The pieces of all runs in ascending order; *N_PIECES says how many.  NULL
   when memory ran out.  To be freed.  */
struct piece *partition_make (const struct partition_input *input,
                              size_t *n_pieces);

#endif /* SFRAME_PARTITION_H */
