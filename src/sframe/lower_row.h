/* One row from the model to SFrame, and back.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SFRAME_LOWER_ROW_H
#define SFRAME_LOWER_ROW_H

#include <stdbool.h>

#include "arch/arch.h"
#include "base/error.h"
#include "frame/frame.h"
#include "sframe/decode.h"
#include "sframe/encode.h"
#include "sframe/model.h"

/* ROW as a row of a default function (V3 specification, section 3.1), at the
   same start.  REASON_NONE, or why it cannot be said; *OUT is garbage
   then.  */
enum frame_reason row_lower_default (const struct encode_options *options,
                                     const struct frame_row *row,
                                     struct sframe_row *out);

/* ROW as a row of a flexible function (V3 specification, section 3.2).  */
enum frame_reason row_lower_flexible (const struct encode_options *options,
                                      const struct frame_row *row,
                                      struct sframe_row *out);

/* The inverse, for checks: the rules that ROW of FUNCTION states, as a reader
   computes them.  Rules that no reader would accept come out as
   RULE_UNSUPPORTED.  Where the RA is undefined nothing is stated of CFA and FP
   either; both are RULE_UNDEFINED then, whatever the CFI says.  */
void lower_undo (const struct arch *arch, struct sframe_variant variant,
                 const struct sframe_fde *function,
                 const struct sframe_row *row, struct frame_row *out);

/* The same of function INDEX, below n_functions, of the section behind
   DECODER, with all its rows: also those that say nothing new or have no
   bytes.  An outermost frame without rows has one that says so (V3
   specification, section 1.2).  A PCMASK function repeats.  *ROWS_LEFT,
   sframe_decoder_rows_max at first, is how many rows may still be read.  False
   when the function is damaged, these are too few, or memory ran out.  */
bool lower_undo_function (const struct sframe_decoder *decoder, uint32_t index,
                          uint64_t *rows_left, struct frame_function *function,
                          struct error *err);

#endif /* SFRAME_LOWER_ROW_H */
