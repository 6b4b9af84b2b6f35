/* From frame rows to SFrame rows of one version and machine.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Exact or not at all: PC ranges without an SFrame form are left out and
   reported, and the function is split around them.  */

#ifndef SFRAME_LOWER_H
#define SFRAME_LOWER_H

#include <stdbool.h>

#include "base/error.h"
#include "frame/frame.h"
#include "sframe/encode.h"
#include "sframe/rule_table.h"

/* ROW as a row of a default function or of a FLEXIBLE one, at the same start.
   REASON_NONE, or why it cannot be said; *OUT is garbage then.  */
enum frame_reason row_lower (const struct encode_options *options,
                             const struct frame_row *row, bool flexible,
                             struct sframe_row *out);

/* Receives what lower_function makes.  */
struct lower_sink
{
  void *context;
  /* One piece of the function.  Its rows have the numbers of lowerer_rules.
     PIECE and its rows are valid during the call only.  False stops the
     lowering; the callee has filled in ERR.  */
  bool (*piece) (void *context, const struct numbered_function *piece,
                 struct error *err);
  /* SIZE bytes at ADDRESS have no SFrame form.  */
  void (*left_out) (void *context, uint64_t address, uint32_t size,
                    enum frame_reason reason);
};

struct lowerer; /* opaque: what is known of rules, and the function at hand */

/* A lowerer that gives what it makes, for an encoder with OPTIONS, to SINK.
   All rows with a number, of all functions that it will be given, were
   numbered together.  NULL when memory ran out.  */
struct lowerer *lowerer_new (const struct encode_options *options,
                             const struct lower_sink *sink);
void lowerer_free (struct lowerer *lowerer);

/* What the rows that LOWERER makes say, by their numbers.  */
const struct rule_table *lowerer_rules (const struct lowerer *lowerer);

/* Lower FUNCTION.  At PLACES (NULL: there are none) the length of an
   instruction is left out.  Pieces and left-out
   ranges come in ascending address order, neighbouring ranges with one reason
   as one.  False when the sink said so or memory ran out.  */
bool lower_function (struct lowerer *lowerer,
                     const struct frame_function *function,
                     const struct return_places *places, struct error *err);

#endif /* SFRAME_LOWER_H */
