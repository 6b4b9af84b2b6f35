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

/* ROWS are N blocks.  They begin at OFFSETS, which ascend from 0; each ends
   where the next one begins.  Move them together, so that a block that is the
   beginning of another one lies there.  OFFSETS become the new places.  False
   when memory ran out: then nothing has changed.  */
bool prefixes_fold (uint32_t *offsets, size_t n, struct buffer *rows);

#endif /* SFRAME_PREFIXES_H */
