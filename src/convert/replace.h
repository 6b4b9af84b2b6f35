/* A file replaced by what a plan makes of it.
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
  const struct file_location *input;
  const char *output; /* NULL: INPUT is replaced */
  int input_fd;       /* of INPUT, for its metadata */
  bool preserve_times;
  enum cfi2sframe_sync sync;
  struct copy_ahead *copy_ahead; /* what has been begun, or NULL */
  struct file_identity *made;    /* to be set to what INPUT is afterwards, if
                                    that is changed */

  /* Whether these bytes are what the new file should be; asked before the new
     file gets its name.  */
  bool (*check) (const struct replacement *replacement, const void *bytes,
                 size_t size, struct error *err);
};

/* Carry REPLACEMENT out.  *RECORD_SIZE is set to the bytes of the undo record.
   On failure all files are as they were.  */
bool replacement_carry_out (const struct replacement *replacement,
                            uint64_t *record_size, struct error *err);

/* There is nothing to change, but OUTPUT was named, so it becomes a copy of
   INPUT.  Keeps the reason in ERR unless copying fails.  */
void replacement_copy_unchanged (const struct file_location *input,
                                 const char *output, bool preserve_times,
                                 enum cfi2sframe_sync sync, struct error *err);

#endif /* CONVERT_REPLACE_H */
