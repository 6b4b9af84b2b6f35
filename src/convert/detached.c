/* A detached section: SFrame data that are not put into the file they
   describe, because it is loaded already or must stay as it is.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "convert/detached.h"

#include "base/align.h"
#include "base/buffer.h"
#include "convert/linked_section.h"

uint64_t
detached_address (const struct image *image)
{
  uint64_t end = 0;
  FOR_EACH_LOAD (segment, image)
    if (segment->p_vaddr + segment->p_memsz > end)
      end = segment->p_vaddr + segment->p_memsz;
  return align_up (end, 8);
}

bool
detached_check (const struct image *image, struct error *err)
{
  return image_expect_machine (image, err)
         && (image->header.e_type == ET_EXEC || image->header.e_type == ET_DYN
             || error_set_word (err, CFI2SFRAME_UNSUPPORTED, WORD_OBJECT,
                                "no program or library"));
}

bool
detached_section (const struct input *input, struct buffer *section,
                  uint64_t *address, struct error *err)
{
  if (!detached_check (input->image, err))
    return false;
  *address = detached_address (input->image);
  buffer_init (section, input->image->big_endian);
  struct sframe_encoder *encoder = linked_section_build (input, err);
  bool built = encoder != NULL
               && sframe_encoder_write (encoder, *address, section, err);
  sframe_encoder_free (encoder);
  return built;
}

void
detached_options_init (struct cfi2sframe_options *options)
{
  cfi2sframe_options_init (options);
  /* The reader looks up the address before a return address.  */
  options->keep_return_addresses = true;
  /* Code without a symbol is named after the start of its rows: so these are
     a whole function's.  */
  options->no_split = true;
}

bool
detached_build (const void *elf, size_t size, bool analyze, void **section,
                size_t *section_size, uint64_t *address, struct error *err)
{
  struct image image;
  struct buffer bytes = { 0 };
  struct cfi2sframe_options options;
  struct cfi2sframe_report report = { 0 };
  const struct file_location nowhere = { .path = "" };
  const struct input input = { &image, &nowhere, &options, &report };
  error_clear (err);
  if (!image_open_memory (&image, elf, size, err))
    return false;
  detached_options_init (&options);
  options.analyze = analyze;
  bool built = detached_section (&input, &bytes, address, err);
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
