/* Relocatable objects, and archives of them.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_OBJECT_CONVERT_H
#define CONVERT_OBJECT_CONVERT_H

#include <stdbool.h>

#include "base/buffer.h"
#include "convert/input.h"

/* Convert INPUT, an object, and write it to OUTPUT.  If OUTPUT is NULL, only
   make its .sframe, before relocation, and set *SECTION to it.  The caller
   frees SECTION unless this fails.  */
bool object_convert (const struct input *input,
                     const struct output_request *output,
                     struct buffer *section, struct error *err);

/* Write to OUTPUT the archive INPUT with each object converted that can be.
   Other members, and all that ar notes of members, stay as they are; the
   symbol index gets the new offsets.  The report has the sums.  A member that
   is damaged, or of a machine without SFrame, is a failure that names the
   member.  Status CFI2SFRAME_NOTHING without --relocatable, and if no member
   was converted.  */
bool archive_convert (const struct input *input,
                      const struct output_request *output, struct error *err);

/* A function that archive_visit calls with a member's NAME and IMAGE.  */
typedef bool archive_visitor (void *context, const char *name,
                              const struct image *image, struct error *err);

/* Call VISIT for each object in the archive FILE.  Visits that fail with
   CFI2SFRAME_NOTHING or CFI2SFRAME_MISMATCH do not end the walk; other
   failures do, and ERR names the member.  Afterwards fail with the first
   mismatch and the number of others, or with CFI2SFRAME_NOTHING if no visit
   had a result.  */
bool archive_visit (const struct image *file, archive_visitor *visit,
                    void *context, struct error *err);

#endif /* CONVERT_OBJECT_CONVERT_H */
