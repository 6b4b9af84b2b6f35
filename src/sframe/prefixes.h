/* Blocks that are the beginning of other blocks.
   SPDX-License-Identifier: LGPL-2.1-or-later

   In V1 and V2 a block does not say how long it is, so that a block which is
   the beginning of another one needs no bytes of its own.  */

#ifndef SFRAME_PREFIXES_H
#define SFRAME_PREFIXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

struct prefixes
{
  /* Blocks in the order of their offsets.  All owned.  */
  uint32_t *starts;
  uint32_t *places; /* after folding */
  size_t n_blocks, capacity;
  bool failed; /* memory ran out */
};

/* False when memory ran out; nothing needs ending then.  */
bool prefixes_begin (struct prefixes *prefixes);
void prefixes_end (struct prefixes *prefixes);

/* Add the block at OFFSET: one that lies behind all those before, or one of
   them.  Blocks touch each other and the last one ends with the rows.  */
void prefixes_add (struct prefixes *prefixes, uint32_t offset);

/* Move the blocks of ROWS together.  False when nothing was changed.  */
bool prefixes_fold (struct prefixes *prefixes, struct buffer *rows);

/* Where the block that was at OFFSET is now.  */
uint32_t prefixes_place (const struct prefixes *prefixes, uint32_t offset);

#endif /* SFRAME_PREFIXES_H */
