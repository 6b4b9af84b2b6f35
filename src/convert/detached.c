/* SFrame data for a file that is loaded already.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "convert/detached.h"

#include "convert/linked.h"

/* Behind everything that is loaded.  */
static uint64_t
end_of (const struct image *image)
{
  uint64_t end = 0;
  for (size_t i = 0; i < image->n_segments; i++)
    {
      const GElf_Phdr *segment = &image->segments[i];
      if (segment->p_type == PT_LOAD
          && segment->p_vaddr + segment->p_memsz > end)
        end = segment->p_vaddr + segment->p_memsz;
    }
  return (end + 7) & ~UINT64_C (7);
}

static bool
build (const struct image *image, bool analyze, struct buffer *section,
       uint64_t address, struct error *err)
{
  struct cfi2sframe_options options;
  struct cfi2sframe_report report = { 0 };
  if (image->arch == NULL
      || (image->header.e_type != ET_EXEC && image->header.e_type != ET_DYN))
    return error_set (err, CFI2SFRAME_UNSUPPORTED,
                      "no program or library of a machine that has SFrame");
  cfi2sframe_options_init (&options);
  options.analyze = analyze;
  /* The reader of this section looks up the address before a return
     address.  */
  options.keep_return_addresses = true;
  struct sframe_encoder *encoder
      = linked_build (image, &options, &report, err);
  bool built = encoder != NULL;
  if (built)
    {
      built = sframe_encoder_write (encoder, address, section, err);
      sframe_encoder_free (encoder);
    }
  return built;
}

bool
detached_build (const void *elf, size_t size, bool analyze, void **section,
                size_t *section_size, uint64_t *address, struct error *err)
{
  struct image image;
  struct buffer bytes;
  error_clear (err);
  if (!image_open_memory (&image, elf, size, err))
    return false;
  *address = end_of (&image);
  buffer_init (&bytes, image.big_endian);
  bool built = build (&image, analyze, &bytes, *address, err);
  image_close (&image);
  if (!built)
    {
      buffer_free (&bytes);
      return false;
    }
  *section = bytes.bytes;
  *section_size = bytes.size;
  return true;
}
