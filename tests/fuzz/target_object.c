/* Relocatable objects.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Input: an ELF file (ET_REL) and a byte of options.  */

#include <config.h>

#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include "relocatable/object_section.h"
#include "relocatable/object_write.h"

enum
{
  OPTION_FORMAT = 0x03,
  OPTION_GNU = 0x04,
  OPTION_BUGS = 0x08
};

static void
check_written (const struct object_section *section,
               const struct object *object)
{
  struct error err = { 0 };
  struct image image;
  int fd = memfd_create ("fuzz", MFD_CLOEXEC);
  FUZZ_CHECK (fd >= 0);
  if (object_write (object->image, section, fd, &err)
      && image_open_fd (&image, fd, &err))
    image_close (&image);
  else
    close (fd);
}

void
fuzz_object (const uint8_t *bytes, size_t size)
{
  struct image image;
  struct object object;
  struct object_section section;
  struct error err = { 0 };
  if (size == 0)
    return;
  uint8_t choice = bytes[--size];
  if (!image_open_memory (&image, bytes, size, &err))
    return;
  struct cfi2sframe_report report = { 0 };
  struct cfi2sframe_options options;
  cfi2sframe_options_init (&options);
  options.format = (enum cfi2sframe_format) (choice & OPTION_FORMAT);
  options.gnu = choice & OPTION_GNU;
  options.gnu_bugs = choice & OPTION_BUGS;
  if (image.header.e_type == ET_REL && object_open (&object, &image, &err))
    {
      if (object_section_build (&section, &object, &options, &report, &err))
        check_written (&section, &object);
      object_section_free (&section);
      object_close (&object);
    }
  image_close (&image);
}
