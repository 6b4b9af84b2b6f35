/* Changing a file without replacing it: same inode, all its names.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A program that is being executed cannot be written to, and a library that
   others have mapped should not: its users see the change and may crash.
   Hence only on request.

   Order of writing, with a flush after each step: a guard far behind the old
   end, a small undo record that says no more than "keep the first bytes"; the
   undo record proper and everything else behind the old end; the guard is cut
   off; last the places inside the old file, with the page of the headers.
   Between two flushes a disk writes in any order, and a power cut leaves any
   part of it.  At each time the file is the old one, the new one, or ends in
   a record that gives the old one back, also if its headers contradict each
   other.  When no record is to stay it is cut off in the end.  */

#ifndef WRITE_IN_PLACE_H
#define WRITE_IN_PLACE_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"
#include "elf/file_location.h"
#include "elf/image.h"
#include "place/plan.h"

/* Open the file at LOCATION for reading and writing. -1 with ERR.  */
int in_place_open (const struct file_location *location, struct error *err);

/* The bytes that the file of IMAGE will have after in_place_write, but for the
   record: plan->new_size bytes in memory, given back with munmap.  Pages that
   do not change stay the file's.  NULL after failure.  */
uint8_t *in_place_preview (const struct image *image,
                           const struct layout_plan *plan, const void *sframe,
                           struct error *err);

struct in_place_request
{
  /* A self-contained undo record, or NULL when the file has one (undoing).  */
  const struct buffer *record;
  bool keep_record;    /* the record stays in the end; otherwise it is cut off
                          when all is written */
  bool preserve_times; /* set-id bits and capabilities stay in any case */
};

/* Make the open file FD, whose contents are those of IMAGE, what PLAN makes
   of it, with SFRAME (plan->sframe_size bytes) in its place.  IMAGE may change
   under this when it maps the file; do not use it afterwards.

   Refused are plans that shift parts of the file, which no order of writing
   makes safe.  After a failure the old contents are restored; should that
   fail too, the reason says so, and --undo restores them.  When only the very
   last flush fails, the reason says that the new contents are there.  */
bool in_place_write (const struct image *image, const struct layout_plan *plan,
                     const void *sframe,
                     const struct in_place_request *request, int fd,
                     struct error *err);

#endif /* WRITE_IN_PLACE_H */
