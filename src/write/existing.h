/* An .sframe that a file has already: find it, replace it, remove it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WRITE_EXISTING_H
#define WRITE_EXISTING_H

#include <stdbool.h>

#include "base/error.h"
#include "elf/sframe_place.h"
#include "place/plan.h"
#include "write/undo.h"

struct existing
{
  struct sframe_place place;
  bool has_record; /* the file has an undo record: this program made the
                      .sframe, and can restore the original file */
  struct undo_record record; /* if has_record */
};

/* Find the .sframe and the undo record of IMAGE.  A file may have a record and
   no .sframe, left by an interrupted conversion of version 0.1, which wrote in
   place.  */
struct existing existing_find (const struct image *image);

/* Whether choose_strategy can replace the old .sframe, given by
   request.replaced = &existing->place.  There may be none, or an empty one.
   False with CFI2SFRAME_REFUSED if there are several, if headers contradict
   each other, or if another section has some of its bytes.  */
bool existing_check_replaceable (const struct existing *existing,
                                 const struct image *image, struct error *err);

/* Let IMAGE end in front of its record, which undo_plan has refused.  */
void existing_forget_record (struct existing *existing, struct image *image);

/* Plan to remove the .sframe of a file without a record.  PT_GNU_SFRAME
   becomes PT_NULL and the section header SHT_NULL, because without that header
   the other sections would get new numbers.  The bytes stay.  False with
   CFI2SFRAME_NOTHING if there is no .sframe.  */
bool existing_plan_removal (struct plan *plan, const struct existing *existing,
                            const struct image *image, struct error *err);

#endif /* WRITE_EXISTING_H */
