/* Describing neighbouring functions by one FDE, where that is smaller.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An SFrame FDE describes a code range; nothing makes it a function.  Two
   neighbours under one FDE save an index entry and an attribute, and the
   second one's first row where it says what the first one's last row says.
   They lose a narrow row start and the chance to share their blocks with
   others.  A shortest path over the sequence of functions weighs that.  */

#ifndef SFRAME_COMPACT_H
#define SFRAME_COMPACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sframe/encode.h"
#include "sframe/model.h"

struct compactor; /* opaque */

/* What decides about the bytes between two functions.  */
struct compact_gaps
{
  const void *context;
  /* Whether the SIZE bytes at ADDRESS may be covered by any row.  */
  bool (*is_padding) (const void *context, uint64_t address, uint64_t size);
};

/* A compactor for the functions that are to go to an encoder with OPTIONS.
   NULL when memory ran out.  */
struct compactor *compactor_new (const struct encode_options *options,
                                 struct compact_gaps gaps);
void compactor_free (struct compactor *compactor);

/* Take FUNCTION, in ascending order of addresses; its rows are copied.  */
bool compactor_add (struct compactor *compactor,
                    const struct sframe_function *function, struct error *err);

/* Take a function of SIZE bytes at ADDRESS with the rows and flags of the one
   that was taken as number INDEX, counted from 0.  The caller knows that its
   last row starts below SIZE, and that it is not a PCMASK function.  */
bool compactor_repeat (struct compactor *compactor, size_t index,
                       uint64_t address, uint32_t size, struct error *err);

/* How many functions were taken.  */
size_t compactor_n_functions (const struct compactor *compactor);

/* There is code with CFI between the last function and the next one: do not
   join them, whatever the code looks like.  */
void compactor_separate (struct compactor *compactor);

/* Choose groups and add them to ENCODER.  */
bool compactor_finish (struct compactor *compactor,
                       struct sframe_encoder *encoder, struct error *err);

#endif /* SFRAME_COMPACT_H */
