/* What the conversion of a large file can do while its section is made: the
   digest for the undo record and the copy of the old bytes.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Neither needs the other's results.  Both take the bytes from the image's
   mapping; the search for references needs most of it as well: reading the
   file into a buffer would copy all bytes once more.

   copy_ahead_run is for a thread of its own; the other functions are for the
   thread that makes the section.  */

#ifndef CONVERT_COPY_AHEAD_H
#define CONVERT_COPY_AHEAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "elf/image.h"
#include "write/output_file.h"

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

/* Whether there is a digest of the image (hash_digest), as from here on after
   copy_ahead_run.  */
bool copy_ahead_digest (const struct copy_ahead *ahead, uint64_t *digest);

/* Take over the new file, if there is one, and tell whether it is a COPY of
   the image (otherwise it is empty).  */
bool copy_ahead_take_file (struct copy_ahead *ahead, struct output_file *file,
                           bool *copy);

/* Discard what was not taken.  */
void copy_ahead_end (struct copy_ahead *ahead);

#endif /* CONVERT_COPY_AHEAD_H */
