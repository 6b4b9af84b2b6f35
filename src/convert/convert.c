/* Converting a file: a linked one, an object or an archive.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/archive_convert.h"
#include "convert/linked_convert.h"
#include "convert/location.h"
#include "convert/object_convert.h"
#include "convert/options.h"
#include "convert/replace.h"
#include "write/output_file.h"

/* A file that is converted.  */
struct conversion
{
  const struct cfi2sframe_options *options;
  struct cfi2sframe_report *report;
  struct image input;            /* owned */
  struct file_location location; /* of the input; its path is "" in memory */
  struct output_request output;
};

static bool
is_wanted_object (const struct conversion *conversion)
{
  return conversion->options->relocatable
         && conversion->input.header.e_type == ET_REL;
}

static bool
convert_object (struct conversion *conversion, struct error *err)
{
  struct object_conversion object;
  bool done
      = object_conversion_make (&object, &conversion->input,
                                conversion->options, conversion->report, err)
        && output_file_make (&conversion->output, object_conversion_write,
                             &object, err);
  object_conversion_free (&object);
  return done;
}

static bool
convert_archive (struct conversion *conversion, struct error *err)
{
  conversion->report->archive = true;
  if (!conversion->options->relocatable)
    return error_set_word (err, CFI2SFRAME_NOTHING, WORD_ARCHIVE,
                           "archive of objects");
  return archive_convert (&conversion->input, &conversion->output,
                          conversion->options, conversion->report, err);
}

static struct linked_request
linked_request (struct conversion *conversion,
                const struct output_request *output)
{
  return (struct linked_request){ .input = &conversion->input,
                                  .location = &conversion->location,
                                  .output = output,
                                  .options = conversion->options,
                                  .report = conversion->report };
}

static bool
convert_opened (struct conversion *conversion, struct error *err)
{
  conversion->output.input_fd = conversion->input.fd;
  replacement_note_concerns (&conversion->output, conversion->report);
  if (image_is_archive (&conversion->input))
    return convert_archive (conversion, err);
  if (is_wanted_object (conversion))
    return convert_object (conversion, err);
  const struct linked_request request
      = linked_request (conversion, &conversion->output);
  return linked_convert (&request, NULL, NULL, err);
}

/* Make the section of an object, which has no address.  */
static bool
make_object_section (struct conversion *conversion, struct buffer *section,
                     struct error *err)
{
  struct object_conversion object;
  bool made
      = object_conversion_make (&object, &conversion->input,
                                conversion->options, conversion->report, err);
  if (made)
    {
      *section = object.section.bytes;
      object.section.bytes = (struct buffer){ 0 };
    }
  object_conversion_free (&object);
  return made;
}

/* Make *SECTION alone, for *ADDRESS.  The caller frees *SECTION unless this
   fails.  */
static bool
make_section (struct conversion *conversion, struct buffer *section,
              uint64_t *address, struct error *err)
{
  *address = 0;
  if (is_wanted_object (conversion))
    return make_object_section (conversion, section, err);
  const struct linked_request request = linked_request (conversion, NULL);
  return linked_convert (&request, section, address, err);
}

bool
location_convert (const struct file_location *input, const char *output,
                  const struct cfi2sframe_options *options,
                  struct file_identity *made, struct cfi2sframe_report *report,
                  struct error *err)
{
  struct conversion conversion = { .report = report, .options = options };
  conversion.location = options_locked (options, input);
  conversion.output
      = options_output (options, &conversion.location, output, made);
  bool done
      = output_file_check_other (output, input->path, err)
        && image_open_or_archive (&conversion.input, &conversion.location, err)
        && convert_opened (&conversion, err);
  if (!done && output != NULL && error_kind (err) == ERROR_NOTHING)
    replacement_copy_unchanged (&conversion.output, err);
  image_close (&conversion.input);
  return done;
}

bool
location_copy (const struct file_location *input, const char *output,
               const struct cfi2sframe_options *options, struct error *err)
{
  const struct file_location locked = options_locked (options, input);
  const struct output_request request
      = options_output (options, &locked, output, NULL);
  return output_file_check_other (output, input->path, err)
         && replacement_copy_unchanged (&request, err);
}

bool
location_write_section (const struct file_location *input, const char *output,
                        const struct cfi2sframe_options *options,
                        struct cfi2sframe_report *report, struct error *err)
{
  struct conversion conversion = { .report = report, .options = options };
  struct buffer section = { 0 };
  uint64_t address;
  conversion.location = options_locked (options, input);
  bool done = output_file_check_other (output, input->path, err)
              && image_open_at (&conversion.input, &conversion.location, err)
              && make_section (&conversion, &section, &address, err)
              && (options->dry_run
                  || output_file_write (output, &section, conversion.input.fd,
                                        options->sync, err));
  buffer_free (&section);
  image_close (&conversion.input);
  return done;
}

bool
memory_build_section (const void *elf, size_t size,
                      const struct cfi2sframe_options *options,
                      struct buffer *section, uint64_t *address,
                      struct cfi2sframe_report *report, struct error *err)
{
  struct conversion conversion
      = { .report = report, .options = options, .location = { .path = "" } };
  bool done = image_open_memory (&conversion.input, elf, size, err)
              && make_section (&conversion, section, address, err);
  image_close (&conversion.input);
  return done;
}
