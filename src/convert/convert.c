/* Converting a file: a linked one, an object or an archive.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/input.h"
#include "convert/linked_convert.h"
#include "convert/object_convert.h"
#include "convert/replace.h"

static bool
is_wanted_object (const struct input *input)
{
  return input->options->relocatable && input->image->header.e_type == ET_REL;
}

static bool
convert_opened (const struct opened_work *opened, struct error *err)
{
  const struct input *input = &opened->input;
  if (image_is_archive (input->image))
    return archive_convert (input, &opened->output, err);
  if (is_wanted_object (input))
    return object_convert (input, &opened->output, err);
  return linked_convert (input, &opened->output, err);
}

bool
location_convert (struct file_work *work, struct error *err)
{
  struct opened_work opened;
  bool done
      = work_open (&opened, work, true, err) && convert_opened (&opened, err);
  if (!done && work->output != NULL && error_kind (err) == ERROR_NOTHING)
    replacement_copy_unchanged (&opened.output, err);
  image_close (&opened.image);
  return done;
}

bool
location_copy (struct file_work *work, struct error *err)
{
  const struct file_location locked
      = options_locked (work->options, &work->input);
  const struct output_request request
      = options_output (work->options, &locked, work->output, NULL);
  return output_file_check_other (work->output, work->input.path, err)
         && replacement_copy_unchanged (&request, err);
}

/* Make *SECTION alone, for *ADDRESS.  The caller frees *SECTION unless this
   fails.  */
static bool
make_section (const struct input *input, struct buffer *section,
              uint64_t *address, struct error *err)
{
  *address = 0;
  return is_wanted_object (input)
             ? object_make_section (input, section, err)
             : linked_make_section (input, section, address, err);
}

bool
location_write_section (struct file_work *work, struct error *err)
{
  struct opened_work opened;
  struct buffer section = { 0 };
  uint64_t address;
  bool done
      = work_open (&opened, work, false, err)
        && make_section (&opened.input, &section, &address, err)
        && (work->options->dry_run
            || output_file_write (work->output, &section, opened.image.fd,
                                  work->options->sync, err));
  buffer_free (&section);
  image_close (&opened.image);
  return done;
}

bool
memory_build_section (const void *elf, size_t size,
                      const struct cfi2sframe_options *options,
                      struct buffer *section, uint64_t *address,
                      struct cfi2sframe_report *report, struct error *err)
{
  struct image image;
  const struct file_location nowhere = { .path = "" };
  const struct input input = { &image, &nowhere, options, report };
  bool done = image_open_memory (&image, elf, size, err)
              && make_section (&input, section, address, err);
  image_close (&image);
  return done;
}
