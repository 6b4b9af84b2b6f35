/* Converting the objects in an archive (--relocatable).
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_ARCHIVE_CONVERT_H
#define CONVERT_ARCHIVE_CONVERT_H

#include <stdbool.h>

#include "convert/input.h"

/* Convert each member of the archive INPUT that can be, as an object is, to
   OUTPUT; the others, and everything ar knows of them, stay as they are, and
   the index of symbols leads to their new places.  The report has the sums.  A
   member that is damaged or cannot be converted at all (for another machine)
   is a failure that names it; without any that was changed, and without
   --relocatable, the status is CFI2SFRAME_NOTHING.  */
bool archive_convert (const struct input *input,
                      const struct output_request *output, struct error *err);

#endif /* CONVERT_ARCHIVE_CONVERT_H */
