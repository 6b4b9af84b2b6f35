/* The cheapest way to cut runs of rows into pieces.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A piece is a segment (segments.h) that was chosen to become an FDE.  It
   costs its index entry and its block of rows.  Pieces with equal rows share a
   block, so each of them pays a share of the block's cost.  The number of
   pieces that share a block is not known before the pieces are chosen.  The
   choice is therefore made several times.  At first every occurrence of a
   segment counts as a piece, and later those that were chosen before.  */

#ifndef SFRAME_PARTITION_H
#define SFRAME_PARTITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sframe/rule_table.h"
#include "sframe/segments.h"

/* Rows that follow each other without a gap, at one place of the program or at
   several.  A run ends where the next one begins.  */
struct run
{
  uint32_t first_row;
  uint32_t first_cut;     /* set by partition_make */
  uint32_t n_occurrences; /* number of places */
  uint32_t first_piece;   /* set by partition_make */
  uint64_t bytes;         /* encoded size of the rows, at least */
};

enum
{
  NOT_ENCODED = UINT32_MAX
};

struct piece
{
  uint32_t begin, end; /* indices of cuts */
  uint32_t hash;       /* segment_hash_for_table */
  uint32_t number;     /* of its first FDE in the encoder, or NOT_ENCODED */
};

struct partition_input
{
  const struct rule_table *rules;
  const struct numbered_row *rows; /* of all runs */
  size_t n_rows;
  struct run *runs; /* with room for one more, which ends the last one */
  size_t n_runs;
  bool inside;       /* pieces may begin inside functions */
  bool distinct;     /* a run is one function, at all places where it occurs */
  uint64_t cuts_max; /* behind so many cuts, none is inside a function */
  unsigned entry_cost, attribute_cost; /* bytes for a piece, and for a block */
  unsigned atoms_max;                  /* as in struct repeats_input */
  uint32_t rows_max;                   /* in a piece of several atoms */
  unsigned passes; /* how often pieces are chosen, at least once */
};

struct partition
{
  struct cut *cuts; /* N_CUTS, and one behind all rows; owned */
  size_t n_cuts;
  struct piece *pieces; /* of all runs, in ascending order; owned */
  size_t n_pieces;
};

/* Choose the pieces.  PARTITION is to be freed even if memory ran out.  */
bool partition_make (struct partition *partition,
                     const struct partition_input *input);
void partition_free (struct partition *partition);

#endif /* SFRAME_PARTITION_H */
