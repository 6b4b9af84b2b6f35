/* Converting a relocatable object.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "convert/object_convert.h"

#include <sys/stat.h>

#include "convert/section_check.h"
#include "relocatable/object.h"
#include "relocatable/object_section.h"
#include "relocatable/object_write.h"

/* An object and its new .sframe.  */
struct conversion
{
  const struct input *input;
  struct object object;
  struct object_section section;
};

/* An empty section is not an .sframe.  */
static bool
handle_existing (const struct input *input, struct error *err)
{
  const struct image *image = input->image;
  size_t section;
  if (!object_find_sframe (image, &section, err))
    return false;
  return section == 0 || image->sections[section].header.sh_size == 0
         || audit_replacing (input, err);
}

/* Make the .sframe of CONVERSION, which is to be closed also after
   failure.  */
static bool
conversion_make (struct conversion *conversion, struct error *err)
{
  const struct input *input = conversion->input;
  if (!handle_existing (input, err)
      || !object_open (&conversion->object, input->image, err))
    return false;
  bool made = object_section_build (&conversion->section, &conversion->object,
                                    input->options, input->report, err);
  return input_check_demands (input, made, err);
}

static bool
conversion_write (void *context, int fd, struct error *err)
{
  const struct conversion *conversion = context;
  struct stat status;
  if (!object_write (conversion->object.image, &conversion->section, fd, err))
    return false;
  if (fstat (fd, &status) != 0)
    return error_set_errno (err, "fstat");
  conversion->input->report->output_bytes = (uint64_t)status.st_size;
  return true;
}

static void
conversion_close (struct conversion *conversion)
{
  object_section_free (&conversion->section);
  object_close (&conversion->object);
}

bool
object_convert (const struct input *input, const struct output_request *output,
                struct error *err)
{
  struct conversion conversion = { .input = input };
  bool done = conversion_make (&conversion, err)
              && output_file_make (output, conversion_write, &conversion, err);
  conversion_close (&conversion);
  return done;
}

bool
object_convert_to (const struct input *input, int fd, struct error *err)
{
  struct conversion conversion = { .input = input };
  bool done = conversion_make (&conversion, err)
              && conversion_write (&conversion, fd, err);
  conversion_close (&conversion);
  return done;
}

bool
object_make_section (const struct input *input, struct buffer *section,
                     struct error *err)
{
  struct conversion conversion = { .input = input };
  bool made = conversion_make (&conversion, err);
  if (made)
    {
      *section = conversion.section.bytes;
      conversion.section.bytes = (struct buffer){ 0 };
    }
  conversion_close (&conversion);
  return made;
}
