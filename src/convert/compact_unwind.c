/* Making, writing and printing an __unwind_info section: compact unwind.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "convert/compact_unwind.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cunwind/encoding.h"
#include "cunwind/info_dump.h"
#include "cunwind/info_read.h"
#include "base/io.h"
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
compact_unwind_write (const char *input, const char *output,
                      struct measurement *result, struct error *err)
{
  struct image image;
  struct buffer section;
  error_clear (err);
  *result = (struct measurement){ 0 };
  if ((output != NULL && !output_file_check_other (output, input, err))
      || !image_open (&image, input, err))
    return false;
  buffer_init (&section, false);
  bool written = make_compact_unwind (&image, result, &section, err)
                 && (output == NULL
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
dump_image (const char *input, FILE *out, struct error *err)
{
  struct image image;
  struct measurement result;
  struct buffer section;
  if (!image_open (&image, input, err))
    return false;
  buffer_init (&section, false);
  bool dumped
      = make_compact_unwind (&image, &result, &section, err)
        && dump_section (section.bytes, section.size, image.arch, out, err);
  buffer_free (&section);
  image_close (&image);
  return dumped;
}

/* Read the open file FD of SIZE bytes.  */
static bool
read_bytes (int fd, uint64_t size, struct buffer *bytes, struct error *err)
{
  if (size > UINT32_MAX)
    return error_set (err, CFI2SFRAME_MALFORMED,
                      "too long for an __unwind_info section");
  if (size == 0)
    return true;
  uint8_t *room = buffer_extend (bytes, size);
  if (room == NULL)
    return error_set_no_memory (err);
  for (uint64_t done = 0; done < size;)
    {
      ssize_t got = read (fd, room + done, size - done);
      if (got < 0 && errno != EINTR)
        return error_set_errno (err, "read");
      if (got == 0)
        return error_set (err, CFI2SFRAME_IO,
                          "the file became shorter while it was read");
      done += got > 0 ? (uint64_t)got : 0;
    }
  return true;
}

/* Read all of the regular file INPUT.  */
static bool
read_file (const char *input, struct buffer *bytes, struct error *err)
{
  struct stat status;
  int fd = open (input, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return error_set_errno (err, "open");
  bool done = fstat (fd, &status) == 0 || error_set_errno (err, "fstat");
  if (done && !S_ISREG (status.st_mode))
    done = error_set (err, CFI2SFRAME_NOT_ELF, "is not a regular file");
  done = done && read_bytes (fd, (uint64_t)status.st_size, bytes, err);
  return io_close (fd, done, err);
}

bool
compact_unwind_dump (const char *input, const char *machine, FILE *out,
                     struct error *err)
{
  const struct arch *arch = machine != NULL ? arch_of_name (machine) : NULL;
  struct buffer bytes;
  error_clear (err);
  if (machine != NULL && (arch == NULL || !cunwind_supports (arch)))
    return error_set (err, CFI2SFRAME_INVALID,
                      "compact unwind does not know %s", machine);
  buffer_init (&bytes, false);
  bool dumped = read_file (input, &bytes, err);
  if (dumped)
    {
      bool is_elf = bytes.size >= SELFMAG
                    && memcmp (bytes.bytes, ELFMAG, SELFMAG) == 0;
      dumped = is_elf ? dump_image (input, out, err)
                      : dump_section (bytes.bytes, bytes.size, arch, out, err);
    }
  buffer_free (&bytes);
  return dumped;
}
