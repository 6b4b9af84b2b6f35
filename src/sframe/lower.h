/* From frame rows to SFrame rows of one version and machine.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A row is lowered exactly or not at all.  Code whose rules have no SFrame
   form is left out and reported with the reason, and its function is split. */

#ifndef SFRAME_LOWER_H
#define SFRAME_LOWER_H

#include <stdbool.h>

#include "base/error.h"
#include "frame/frame.h"
#include "sframe/encode.h"
#include "sframe/rule_table.h"

/* Whether the machine and the version have flexible functions.  */
static inline bool
lower_has_flexible (const struct encode_options *options)
{
  return options->arch->flexible_fdes && options->variant.version >= 3;
}

/* Set *OUT to ROW as a row of a default function, or of a FLEXIBLE one.
   Returns REASON_NONE, or why ROW has no such form; *OUT is garbage then.  */
enum frame_reason row_lower (const struct encode_options *options,
                             const struct frame_row *row, bool flexible,
                             struct sframe_row *out);

/* The callbacks that receive the results of lower_function.  */
struct lower_sink
{
  void *context;
  /* Receives a part of the function.  The numbers of its rows are those of
     lowerer_rules.  PART and its rows are valid during the call only.  If the
     callback returns false with ERR filled in, the lowering stops.  */
  bool (*part) (void *context, const struct numbered_function *part,
                struct error *err);
  /* Receives a range that is left out: SIZE bytes at ADDRESS.  */
  void (*left_out) (void *context, uint64_t address, uint32_t size,
                    enum frame_reason reason);
};

struct lowerer; /* opaque */

/* Make a lowerer that passes rows for an encoder with OPTIONS to SINK.  The
   rows of all functions that are lowered with it must come from one numbering
   (frame/numbers.h).  NULL when memory ran out.  */
struct lowerer *lowerer_new (const struct encode_options *options,
                             const struct lower_sink *sink);
void lowerer_free (struct lowerer *lowerer);

/* The table that numbers the rules of LOWERER's parts.  */
const struct rule_table *lowerer_rules (const struct lowerer *lowerer);

/* Lower FUNCTION.  At each of PLACES (NULL: there are none) the bytes of the
   smallest instruction are left out.  The sink receives parts and left-out
   ranges in ascending order of addresses; neighbouring ranges with the same
   reason are one range.  False when a callback fails, or memory ran out.  */
bool lower_function (struct lowerer *lowerer,
                     const struct frame_function *function,
                     const struct return_places *places, struct error *err);

#endif /* SFRAME_LOWER_H */
