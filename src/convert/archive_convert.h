/* Converting the objects in an archive (--relocatable).
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_ARCHIVE_CONVERT_H
#define CONVERT_ARCHIVE_CONVERT_H

#include <stdbool.h>

#include "base/error.h"
#include "elf/image.h"
#include "write/output_file.h"

/* Convert each member of the archive FILE that can be, as an object is; the
   others, and everything ar knows of them, stay as they
   are, and the index of symbols leads to their new places.  REPORT has the
   sums.  A member that is damaged or cannot be converted at all (for another
   machine) is a failure that names it; without any that was changed, the
   status is CFI2SFRAME_NOTHING.  Otherwise as location_convert.  */
bool archive_convert (const struct image *file,
                      const struct output_request *output,
                      const struct cfi2sframe_options *options,
                      struct cfi2sframe_report *report, struct error *err);

#endif /* CONVERT_ARCHIVE_CONVERT_H */
