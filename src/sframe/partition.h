/* The cheapest way to cut runs of rows into pieces.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A piece is a segment of a run (segments.h) that was chosen to become an FDE.
   Functions with equal rows are one run, which stands at several places of the
   program.  Each piece of the run is an FDE at each of these places.

   A piece costs the bytes that it adds to the section:

     entry * places + (attribute + rows) / sharers

   `entry' is the size of an index entry, and `places' the number of the run's
   places.  `attribute' and `rows' are the sizes of the block that the entries
   refer to: the attribute, which only V3 has, and the encoded rows.  Pieces
   with equal rows share the block, and each sharer pays an equal part of it.

   For example, the functions P A E and P B E stand at one place each.  P and E
   are ten rows of 3 bytes, and A and B are one row of 3 bytes.  In V3 an entry
   has 16 bytes and an attribute 5.  A whole function costs 16 + 5 + 63 = 84
   bytes.  In three pieces, it costs 16 + (5 + 30) / 2 for P, as much for E,
   and 16 + 5 + 3 for the row between them.  These are 91 bytes, so both
   functions stay whole.  With two more such functions P and E have four
   sharers.  Each function then costs 2 * (16 + (5 + 30) / 4) + 24 = 73.5 bytes
   in pieces, and is cut.

   The sharers of a block are not known before the pieces are chosen.  In the
   first pass of the choice, each segment with these rows counts as a sharer.
   In a later pass, the pieces that the pass before has chosen do.  */

#ifndef SFRAME_PARTITION_H
#define SFRAME_PARTITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sframe/rule_table.h"
#include "sframe/segments.h"

/* A run's rows end where those of the next run begin.  */
struct run
{
  uint32_t first_row;
  uint32_t first_cut;     /* set and used by partition_make */
  uint32_t n_occurrences; /* number of places in the program */
  uint32_t first_piece;   /* set by partition_make */
  uint64_t bytes;         /* encoded size of the rows, at least */
};

enum
{
  NOT_ENCODED = UINT32_MAX
};

/* A piece's rows end where those of the next piece begin.  */
struct piece
{
  uint32_t first_row;
  uint32_t hash;   /* segment_hash_for_table */
  uint32_t number; /* NOT_ENCODED; later pieces.c's, of its first FDE */
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
  unsigned entry_cost, attribute_cost; /* bytes */
  unsigned atoms_max;                  /* as in struct repeats_input */
  uint32_t rows_max;                   /* in a piece of several atoms */
  unsigned passes; /* how often pieces are chosen, at least once */
};

struct partition
{
  /* N_PIECES of all runs, in ascending order, and one behind; owned.  */
  struct piece *pieces;
  size_t n_pieces;
};

/* Choose the pieces.  PARTITION is to be freed even if memory ran out.  */
bool partition_make (struct partition *partition,
                     const struct partition_input *input);
void partition_free (struct partition *partition);

#endif /* SFRAME_PARTITION_H */
