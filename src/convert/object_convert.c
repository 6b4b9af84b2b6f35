/* Converting a relocatable object.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "convert/object_convert.h"

#include <sys/stat.h>

#include "convert/audit.h"
#include "convert/thresholds.h"
#include "relocatable/object_write.h"

/* An empty section is not an .sframe.  */
static bool
handle_existing (const struct image *image,
                 const struct cfi2sframe_options *options,
                 struct cfi2sframe_report *report, struct error *err)
{
  size_t section;
  if (!object_find_sframe (image, &section, err))
    return false;
  return section == 0 || image->sections[section].header.sh_size == 0
         || audit_replacing (image, options, report, err);
}

bool
object_conversion_make (struct object_conversion *conversion,
                        const struct image *image,
                        const struct cfi2sframe_options *options,
                        struct cfi2sframe_report *report, struct error *err)
{
  *conversion = (struct object_conversion){ .report = report };
  if (!handle_existing (image, options, report, err)
      || !object_open (&conversion->object, image, err))
    return false;
  bool made = object_section_build (&conversion->section, &conversion->object,
                                    options, report, err);
  return thresholds_check (options, report, made, err);
}

bool
object_conversion_write (void *context, int fd, struct error *err)
{
  const struct object_conversion *conversion = context;
  struct stat status;
  if (!object_write (conversion->object.image, &conversion->section, fd, err))
    return false;
  if (fstat (fd, &status) != 0)
    return error_set_errno (err, "fstat");
  conversion->report->output_bytes = (uint64_t)status.st_size;
  return true;
}

void
object_conversion_free (struct object_conversion *conversion)
{
  object_section_free (&conversion->section);
  object_close (&conversion->object);
}
