/* Converting a relocatable object.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "convert/object_convert.h"

#include <sys/stat.h>

#include "convert/audit.h"
#include "convert/thresholds.h"
#include "relocatable/object_section.h"
#include "relocatable/object_write.h"
#include "write/output_file.h"

struct object_conversion
{
  struct object object;
  struct object_section section;
};

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

static bool
build (struct object_conversion *conversion, const struct image *image,
       const struct cfi2sframe_options *options,
       struct cfi2sframe_report *report, struct error *err)
{
  if (!handle_existing (image, options, report, err)
      || !object_open (&conversion->object, image, err))
    return false;
  bool made = object_section_build (&conversion->section, &conversion->object,
                                    options, report, err);
  return thresholds_check (options, report, made, err);
}

static void
conversion_free (struct object_conversion *conversion)
{
  object_section_free (&conversion->section);
  object_close (&conversion->object);
}

/* Write the new object to the empty file FD.  */
static bool
write_to (const struct object_conversion *conversion, int fd,
          struct cfi2sframe_report *report, struct error *err)
{
  struct stat status;
  if (!object_write (conversion->object.image, &conversion->section, fd, err))
    return false;
  if (fstat (fd, &status) != 0)
    return error_set_errno (err, "fstat");
  report->output_bytes = (uint64_t)status.st_size;
  return true;
}

struct object_output
{
  const struct object_conversion *conversion;
  struct cfi2sframe_report *report;
};

static bool
write_object (void *context, int fd, struct error *err)
{
  const struct object_output *object = context;
  return write_to (object->conversion, fd, object->report, err);
}

bool
object_convert (const struct image *image, const struct output_request *output,
                const struct cfi2sframe_options *options,
                struct cfi2sframe_report *report, struct error *err)
{
  struct object_conversion conversion = { 0 };
  struct object_output object = { &conversion, report };
  bool done = build (&conversion, image, options, report, err)
              && output_file_make (output, write_object, &object, err);
  conversion_free (&conversion);
  return done;
}

bool
object_convert_to (const struct image *image,
                   const struct cfi2sframe_options *options,
                   struct cfi2sframe_report *report, int fd, struct error *err)
{
  struct object_conversion conversion = { 0 };
  bool done = build (&conversion, image, options, report, err)
              && write_to (&conversion, fd, report, err);
  conversion_free (&conversion);
  return done;
}

bool
object_convert_section (const struct image *image,
                        const struct cfi2sframe_options *options,
                        struct buffer *section,
                        struct cfi2sframe_report *report, struct error *err)
{
  struct object_conversion conversion = { 0 };
  bool done = build (&conversion, image, options, report, err);
  if (done)
    {
      *section = conversion.section.bytes;
      conversion.section.bytes = (struct buffer){ .size = 0 };
    }
  conversion_free (&conversion);
  return done;
}
