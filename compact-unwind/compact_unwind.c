/* Writing and printing an __unwind_info section: compact unwind.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "compact-unwind/compact_unwind.h"

#include "compact-unwind/encoding.h"
#include "compact-unwind/info.h"
#include "write/output_file.h"

static bool
make_compact_unwind (const struct image *image, struct measurement *result,
                     struct buffer *section, struct error *err)
{
  const enum measured_format format = MEASURED_COMPACT_UNWIND;
  if (!measure_image (image, MEASURE_BIT (format), result, section, err))
    return false;
  return result->formats[format].available
         || error_set (err, CFI2SFRAME_UNSUPPORTED,
                       "compact unwind does not know %s", result->machine);
}

bool
cunwind_write_file (const struct file_location *input, const char *output,
                    bool dry_run, struct measurement *result,
                    struct error *err)
{
  struct image image;
  struct buffer section;
  if (!output_file_check_other (output, input->path, err)
      || !image_open_at (&image, input, err))
    return false;
  buffer_init (&section, false);
  bool written = make_compact_unwind (&image, result, &section, err)
                 && (dry_run
                     || output_file_write (output, &section, image.fd,
                                           CFI2SFRAME_SYNC_FILE, err));
  buffer_free (&section);
  image_close (&image);
  return written;
}

static bool
dump_section (const void *bytes, uint64_t size, const struct arch *arch,
              FILE *out, struct error *err)
{
  struct cunwind_reader reader;
  if (!cunwind_reader_open (&reader, bytes, size, err))
    return false;
  cunwind_dump (&reader, arch, out);
  return true;
}

static bool
dump_image (const struct image *image, FILE *out, struct error *err)
{
  struct measurement result;
  struct buffer section;
  buffer_init (&section, false);
  bool dumped
      = make_compact_unwind (image, &result, &section, err)
        && dump_section (section.bytes, section.size, image->arch, out, err);
  buffer_free (&section);
  return dumped;
}

bool
cunwind_dump_file (const struct file_location *input, const char *machine,
                   FILE *out, struct error *err)
{
  const struct arch *arch = machine != NULL ? arch_of_name (machine) : NULL;
  struct image file;
  bool dumped = false;
  if (machine != NULL && (arch == NULL || !cunwind_supports (arch)))
    return error_set (err, CFI2SFRAME_INVALID,
                      "compact unwind does not know %s", machine);
  if (image_open_at (&file, input, err))
    dumped = dump_image (&file, out, err);
  else if (err->status == CFI2SFRAME_NOT_ELF
           && image_open_bytes (&file, input, err))
    {
      error_clear (err);
      dumped = dump_section (file.bytes, file.size, arch, out, err);
    }
  image_close (&file);
  return dumped;
}
