/* Relocatable objects, and archives of them.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_OBJECT_CONVERT_H
#define CONVERT_OBJECT_CONVERT_H

#include <stdbool.h>

#include "base/buffer.h"
#include "convert/input.h"

/* Convert INPUT, an object, to OUTPUT or, if that is NULL, make *SECTION, its
   .sframe alone, before relocation.  SECTION is to be freed unless this
   fails.  */
bool object_convert (const struct input *input,
                     const struct output_request *output,
                     struct buffer *section, struct error *err);

/* Convert each member of the archive INPUT that can be, as an object is, to
   OUTPUT; the others, and everything ar knows of them, stay as they are, and
   the index of symbols leads to their new places.  The report has the sums.  A
   member that is damaged or cannot be converted at all (for another machine)
   is a failure that names it; without any that was changed, and without
   --relocatable, the status is CFI2SFRAME_NOTHING.  */
bool archive_convert (const struct input *input,
                      const struct output_request *output, struct error *err);

/* A function that is called for a member; IMAGE is of type ET_REL.  On
   CFI2SFRAME_NOTHING and CFI2SFRAME_MISMATCH the next one is looked at, other
   failures end it.  */
typedef bool archive_visitor (void *context, const char *name,
                              const struct image *image, struct error *err);

/* Call VISIT for each object in the archive FILE.  A failure names the
   member, a mismatch the first one and how many more there are.  Status
   CFI2SFRAME_NOTHING when there was nothing in any.  */
bool archive_visit (const struct image *file, archive_visitor *visit,
                    void *context, struct error *err);

#endif /* CONVERT_OBJECT_CONVERT_H */
