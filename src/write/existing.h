/* An .sframe that a file has already: finding, replacing, removing it.
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
  bool has_record; /* this program made the section and can undo that */
  struct undo_record record; /* if has_record */
};

/* Look for an .sframe and for an undo record.  A record without .sframe is
   left by an interrupted conversion of version 0.1, which could write into the
   file itself.  */
struct existing existing_find (const struct image *image);

/* Whether a new .sframe can take the place of the old one, or of a section
   without contents, with choose_strategy and request.replaced =
   &existing->place.  False with CFI2SFRAME_REFUSED if there are several, if
   headers contradict each other, or if bytes of the section belong to another
   one, too.  */
bool existing_check_replaceable (const struct existing *existing,
                                 const struct image *image, struct error *err);

/* Cut a record that is of no use any more (undo_plan has refused it) off
   IMAGE, as if the file ended before it.  */
void existing_forget_record (struct existing *existing, struct image *image);

/* Plan to remove the .sframe without a record: PT_GNU_SFRAME becomes PT_NULL,
   section headers SHT_NULL (dropping them would renumber the others), the
   bytes stay.  Fails with CFI2SFRAME_NOTHING if there is none.  */
bool existing_plan_removal (struct plan *plan, const struct existing *existing,
                            const struct image *image, struct error *err);

#endif /* WRITE_EXISTING_H */
