/* Storing equal row blocks once.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SFRAME_SHARE_H
#define SFRAME_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

struct share; /* opaque: the blocks seen so far */

/* NULL when memory ran out.  */
struct share *share_new (void);
void share_free (struct share *share);

/* The offset of a block in ROWS equal to its last bytes, from START on.  START
   itself when there is none; the block is remembered then.  */
uint32_t share_find (struct share *share, const struct buffer *rows,
                     uint32_t start);

/* Second step, where a block does not say how long it is (V1, V2): a block
   that is the beginning of another one needs no bytes of its own.  */
struct share_prefixes
{
  /* Blocks in the order of their offsets.  All owned.  */
  uint32_t *starts;
  uint32_t *places; /* after folding */
  size_t n_blocks, capacity;
  bool failed; /* memory ran out */
};

/* False when memory ran out; nothing needs ending then.  */
bool share_prefixes_begin (struct share_prefixes *prefixes);
void share_prefixes_end (struct share_prefixes *prefixes);

/* Add the block at OFFSET: one that lies behind all those before, or one of
   them.  Blocks touch each other and the last one ends with the rows.  */
void share_prefixes_add (struct share_prefixes *prefixes, uint32_t offset);

/* Move the blocks of ROWS together.  False when nothing was changed.  */
bool share_prefixes_fold (struct share_prefixes *prefixes,
                          struct buffer *rows);

/* Where the block that was at OFFSET is now.  */
uint32_t share_prefixes_place (const struct share_prefixes *prefixes,
                               uint32_t offset);

#endif /* SFRAME_SHARE_H */
