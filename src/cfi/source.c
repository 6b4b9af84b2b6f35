/* Where the frame rows of an ELF file come from: its FDEs and PLT stubs.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/source.h"

#include "cfi/eh_frame.h"

static enum frame_reason
problem_in_image (const void *context, const struct cfi_fde *fde)
{
  const struct image *image = context;
  if (fde->size == 0)
    return REASON_EMPTY_RANGE;
  if (!image_is_executable (image, fde->address, fde->size))
    return REASON_NOT_EXECUTABLE;
  return REASON_NONE;
}

bool
cfi_source_open (struct cfi_source *source, const struct image *image,
                 struct error *err)
{
  struct image_eh_frame *found = &source->eh_frame;
  *source
      = (struct cfi_source){ .problem = problem_in_image, .context = image };
  if (image->arch == NULL)
    return error_set (err, CFI2SFRAME_UNSUPPORTED,
                      "machine %u: SFrame has no ABI for it",
                      image->header.e_machine);
  if (!image_find_eh_frame (image, found, err))
    return false;
  if (found->size == 0)
    return error_set (err, CFI2SFRAME_NOTHING, "no .eh_frame");
  return eh_frame_read (&source->cfi, image->arch, found->bytes, found->size,
                        found->address, err)
         && plt_list_find (&source->plt, image, &source->cfi, err);
}

void
cfi_source_close (struct cfi_source *source)
{
  plt_list_free (&source->plt);
  cfi_section_free (&source->cfi);
}
