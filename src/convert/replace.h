/* What a plan makes of a file: in its place, or in memory; and what can be
   begun while the section of a large file is made: the digest for the undo
   record and the copy of the old bytes.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_REPLACE_H
#define CONVERT_REPLACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "elf/image.h"
#include "place/plan.h"
#include "write/output_file.h"

/* Neither the digest nor the copy needs the other's results.  Both take the
   bytes from the image's mapping; the search for references needs most of it
   as well: reading the file into a buffer would copy all bytes once more.
   copy_ahead_run is for a thread of its own; the other functions are for the
   thread that makes the section.  */
struct copy_ahead
{
  const struct image *image;
  atomic_bool cancelled;
  uint64_t digest;
  bool digested;           /* all of the image is in `digest` */
  struct output_file file; /* the file that will replace the target */
  bool has_file;
  bool copied; /* the file has all bytes of the image */
};

/* Prepare for IMAGE, which must stay open until copy_ahead_end.  TARGET is the
   new file that is wanted.  A failure is not reported, here and later: the
   caller meets it again when it does the work itself.  AHEAD is zeroed at
   first.  */
void copy_ahead_prepare (struct copy_ahead *ahead, const struct image *image,
                         const struct output_request *target);

/* Digest and copy what was prepared.  */
void copy_ahead_run (struct copy_ahead *ahead);

/* Have copy_ahead_run return soon.  */
void copy_ahead_cancel (struct copy_ahead *ahead);

/* Discard the new file, unless replacement_carry_out has taken it over.  */
void copy_ahead_end (struct copy_ahead *ahead);

struct replacement
{
  const struct image *image; /* what the plan starts from */
  const struct plan *plan;
  const struct buffer *section; /* .sframe of the plan; NULL: none */
  bool with_record;             /* append an undo record */
  struct output_request output;
  struct copy_ahead *copy_ahead; /* what has been begun, or NULL */
  const void *context;           /* for CHECK */

  /* Whether these bytes are what the new file should be; asked before the new
     file gets its name.  */
  bool (*check) (const struct replacement *replacement, const void *bytes,
                 size_t size, struct error *err);

  /* Set while it is carried out.  */
  struct buffer record; /* the undo record; freed at the end */
  uint64_t record_size;
  bool copied; /* the new file has the old bytes already */
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
