/* Converting a relocatable object.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_OBJECT_CONVERT_H
#define CONVERT_OBJECT_CONVERT_H

#include "relocatable/object.h"
#include "relocatable/object_section.h"

/* An object and its new .sframe.  */
struct object_conversion
{
  struct object object;
  struct object_section section;
  struct cfi2sframe_report *report;
};

/* Build the .sframe of IMAGE, an object that must outlive CONVERSION, as
   OPTIONS ask for.  CONVERSION is to be freed also after failure.  */
bool object_conversion_make (struct object_conversion *conversion,
                             const struct image *image,
                             const struct cfi2sframe_options *options,
                             struct cfi2sframe_report *report,
                             struct error *err);

/* Write the new object to the empty file FD (output_file_make).  CONVERSION is
   a struct object_conversion.  */
bool object_conversion_write (void *conversion, int fd, struct error *err);

/* Does nothing to a conversion that is zeroed.  */
void object_conversion_free (struct object_conversion *conversion);

#endif /* CONVERT_OBJECT_CONVERT_H */
