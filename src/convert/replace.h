/* Carrying out a plan: writing the new file in place of the old one, or in
   memory.  For large files, some of the work can begin while their section is
   made: digesting the file for the undo record, and copying its old bytes.
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

/* The digest and the copy of a file, made ahead.  Neither needs the other's
   results.  Both read the mapped image, most of which the search for
   references reads as well; reading the file into a buffer would copy all
   bytes once more.  A second thread calls copy_ahead_run; the thread that
   makes the section calls the other functions.  */
struct copy_ahead
{
  const struct image *image;
  atomic_bool cancelled;
  uint64_t digest;
  bool digested;           /* `digest' is of the whole image */
  struct output_file file; /* the file that will replace the target */
  bool has_file;
  bool copied; /* the file has all bytes of the image */
};

/* Prepare AHEAD, which is zero, for IMAGE, which must stay open until
   copy_ahead_end.  TARGET is the new file that is wanted.  This function and
   the following ones report no failures, because the caller meets the same
   failure when it does the work itself.  */
void copy_ahead_prepare (struct copy_ahead *ahead, const struct image *image,
                         const struct output_request *target);

/* Digest and copy the image.  */
void copy_ahead_run (struct copy_ahead *ahead);

/* Make copy_ahead_run return soon.  */
void copy_ahead_cancel (struct copy_ahead *ahead);

/* Discard the new file, unless replacement_carry_out has taken it over.  */
void copy_ahead_end (struct copy_ahead *ahead);

/* A new file that a plan makes of an image.  */
struct replacement
{
  const struct image *image; /* that the plan starts from */
  const struct plan *plan;
  const struct buffer *section; /* .sframe as PLAN places it; NULL: none */
  bool with_record;             /* append an undo record */
  struct output_request output;
  struct copy_ahead *copy_ahead; /* work done ahead, or NULL */
  const void *context;           /* for CHECK */

  /* Check the BYTES of the new file.  Called before the new file is renamed to
     the name it is for.  */
  bool (*check) (const struct replacement *replacement, const void *bytes,
                 size_t size, struct error *err);

  /* Set by replacement_carry_out.  */
  struct buffer record; /* the undo record; freed at the end */
  uint64_t record_size;
  bool copied; /* the new file has the old bytes already */
};

/* Carry REPLACEMENT out; for a dry run, write the new file to memory only.  On
   failure no file is changed.  */
bool replacement_carry_out (struct replacement *replacement,
                            struct error *err);

/* Make the output, of which REQUEST has the name, a copy of the input, for
   files where there is nothing to change.  In a dry run, do nothing.  Opens
   the input if it is not open.  If copying fails, return false and set ERR;
   otherwise ERR stays as it is.  */
bool replacement_copy_unchanged (const struct output_request *request,
                                 struct error *err);

/* Make in memory the original of IMAGE, from IMAGE's undo record, and open it.
   ORIGINAL must not outlive IMAGE.  Status CFI2SFRAME_REFUSED if the file was
   changed since its conversion.  On failure ORIGINAL needs no closing.  */
bool original_restore (struct image *original, const struct image *image,
                       struct error *err);

#endif /* CONVERT_REPLACE_H */
