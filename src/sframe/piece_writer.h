/* Pieces that were chosen, as FDEs of an encoder.
   SPDX-License-Identifier: LGPL-2.1-or-later

   What is equal, row by row, is stored once: the first piece with some rows
   gives the encoder a block, further ones repeat it.  */

#ifndef SFRAME_PIECE_WRITER_H
#define SFRAME_PIECE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sframe/encode.h"
#include "sframe/partition.h"
#include "sframe/rule_table.h"

/* Where a run's rows apply.  */
struct occurrence
{
  uint64_t address;
  uint32_t size; /* bytes of code */
  uint32_t run;
};

/* What is to be written; all of it is borrowed.  */
struct chosen_pieces
{
  const struct rule_table *rules;
  const struct numbered_row *rows; /* of all runs */
  const struct run *runs;
  const struct cut *cuts;
  const struct piece *pieces;
  size_t n_pieces;
  const struct occurrence *occurrences; /* ascending addresses */
  size_t n_occurrences;
  bool share; /* equal rows are stored once */
};

/* Add the FDEs of all occurrences to ENCODER.  */
bool pieces_write (const struct chosen_pieces *chosen,
                   struct sframe_encoder *encoder, struct error *err);

#endif /* SFRAME_PIECE_WRITER_H */
