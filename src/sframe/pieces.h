/* From the rows of functions to FDEs, so that the section is small.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An SFrame FDE describes a range of code, which need not be a function.  So
   rows can be cut anywhere, and equal blocks of rows can be stored once.
   Functions differ, but their prologues and epilogues repeat.  If rows are cut
   at the right places, most blocks of a program are equal to others.
   Neighbouring rows that are equal to no others take fewer bytes in one FDE.
   Such an FDE must not be too long, because readers scan the rows of an FDE
   one by one.

   For example, one function has the rows P A E and another one P B E: the same
   prologue and epilogue around different bodies.  As two FDEs they share
   nothing.  Cut into six pieces they need the blocks P, A, B and E once each,
   and four index entries more.  This is smaller if enough other functions have
   P and E as well (partition.h counts the bytes).

   The rows are collected in runs.  A run is a sequence of rows that follow
   each other without a gap.

   Without the option `across', a run is a function.  Functions with equal rows
   are one run, which occurs at several places.  The run becomes one FDE at
   each place, or with the option `cut' several.

   With `across', a run is all functions that adjoin and have the same flags.
   It occurs at one place.  An FDE may hold several functions, and with `cut'
   also the end of one and the beginning of the next.

   When all functions were added, the pieces of runs that become FDEs are
   chosen by what they cost (partition.h).  Hashes and estimates decide only
   how small the section is.  Before rows are shared, the rows themselves are
   compared, so that equal hashes of different rows cannot change what the
   section says.  */

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

/* Make a collection of functions for an encoder with ENCODE.  Without
   ENCODE->share no block is shared.  Then no function is cut, and functions
   with equal rows are different runs.  RULES has the rules of all rows, and
   must outlive the collection.  NULL when memory ran out.  */
struct pieces *pieces_new (const struct encode_options *encode,
                           const struct pieces_options *options,
                           const struct rule_table *rules);
void pieces_free (struct pieces *pieces);

/* Add FUNCTION, in ascending order of addresses.  Its rows are copied.  There
   is at least one, and the first one starts at 0.  */
bool pieces_add (struct pieces *pieces,
                 const struct numbered_function *function, struct error *err);

/* Add a function of SIZE bytes at ADDRESS that has the flags of the function
   that was added as number INDEX, counted from 0, and those of its rows that
   apply to the SIZE bytes from its byte BEGIN on.  Function INDEX is not a
   PCMASK function.  Its last row applies to all bytes behind it.  */
bool pieces_repeat (struct pieces *pieces, size_t index, uint32_t begin,
                    uint64_t address, uint32_t size, struct error *err);

/* The number of functions that were added.  */
size_t pieces_n_functions (const struct pieces *pieces);

/* Let no FDE hold both the last function and the next one, because there is
   code with CFI between them that has no rows.  */
void pieces_separate (struct pieces *pieces);

/* Choose the pieces and add them as FDEs to ENCODER, which is empty.  */
bool pieces_finish (struct pieces *pieces, struct sframe_encoder *encoder,
                    struct error *err);

#endif /* SFRAME_PIECES_H */
