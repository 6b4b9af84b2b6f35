/* Which ranges of rows become FDEs, so that the section is small.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An SFrame FDE describes a range of code; nothing makes it a function.  Rows
   can be cut anywhere, and equal blocks of rows are stored once.  Functions
   differ, but their prologues and epilogues repeat: cut at the right places,
   most of a program's rows are blocks that are there already.  Neighbours
   without an equal are cheaper under one FDE, as far as readers, which scan
   the rows of an FDE one by one, are not slowed down.

     functions -> runs of rows     distinct functions, or with `across` all
                                   that follow each other without a gap
               -> pieces           cut, matched, chosen by cost (partition.h)
               -> encoder          what is equal, row by row, is stored once

   All but the last step deal with hashes and estimates: they decide how small
   the section is, never what it says.  */

#ifndef SFRAME_PIECES_H
#define SFRAME_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sframe/encode.h"
#include "sframe/rule_table.h"

struct pieces; /* opaque */

struct pieces_options
{
  bool cut;    /* FDEs may begin inside functions */
  bool across; /* FDEs may hold several functions that adjoin */
};

/* For functions that are to go to an encoder with ENCODE.  Without
   ENCODE->share equal blocks are not stored once, so nothing is cut.  Rows
   have the numbers of RULES, which must outlive the pieces.  NULL when memory
   ran out.  */
struct pieces *pieces_new (const struct encode_options *encode,
                           const struct pieces_options *options,
                           const struct rule_table *rules);
void pieces_free (struct pieces *pieces);

/* Take FUNCTION, in ascending order of addresses.  Its rows are copied.  It
   has at least one row, and the first one starts at 0.  */
bool pieces_add (struct pieces *pieces,
                 const struct numbered_function *function, struct error *err);

/* Take a function of SIZE bytes at ADDRESS with the flags of the one that was
   taken as number INDEX, counted from 0, and with those of its rows that hold
   from its byte BEGIN on.  It is not a PCMASK function, and the caller knows
   where its code ends.  */
bool pieces_repeat (struct pieces *pieces, size_t index, uint32_t begin,
                    uint64_t address, uint32_t size, struct error *err);

/* How many functions were taken.  */
size_t pieces_n_functions (const struct pieces *pieces);

/* There is code with CFI between the last function and the next one: no FDE
   may hold both, whatever the code looks like.  */
void pieces_separate (struct pieces *pieces);

/* Choose the pieces and add them to ENCODER, which is empty.  */
bool pieces_finish (struct pieces *pieces, struct sframe_encoder *encoder,
                    struct error *err);

#endif /* SFRAME_PIECES_H */
