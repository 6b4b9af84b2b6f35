/* What a plan makes of a file: in its place, or in memory.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_REPLACE_H
#define CONVERT_REPLACE_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"
#include "convert/copy_ahead.h"
#include "elf/image.h"
#include "place/plan.h"

struct replacement
{
  const struct image *image; /* what the plan starts from */
  const struct plan *plan;
  const struct buffer *section; /* .sframe of the plan; NULL: none */
  bool with_record;             /* append an undo record */
  struct output_request output;
  struct copy_ahead *copy_ahead; /* what has been begun, or NULL */
  uint64_t record_size;          /* of the undo record, when it was made */
  const void *context;           /* for CHECK */

  /* Whether these bytes are what the new file should be; asked before the new
     file gets its name.  */
  bool (*check) (const struct replacement *replacement, const void *bytes,
                 size_t size, struct error *err);
};

/* Carry REPLACEMENT out, for a dry run in memory.  On failure all files are as
   they were.  */
bool replacement_carry_out (struct replacement *replacement,
                            struct error *err);

/* There is nothing to change, but an output was named, so it becomes a copy of
   the input, unless this is a dry run.  The input is opened if it is not open.
   False, with another reason in ERR than before, if copying fails.  */
bool replacement_copy_unchanged (const struct output_request *request,
                                 struct error *err);

/* Make the original of IMAGE, which has an undo record, in memory, and open
   it.  ORIGINAL must not outlive IMAGE.  Status CFI2SFRAME_REFUSED when the
   file was changed since.  On failure ORIGINAL needs no closing.  */
bool original_restore (struct image *original, const struct image *image,
                       struct error *err);

#endif /* CONVERT_REPLACE_H */
