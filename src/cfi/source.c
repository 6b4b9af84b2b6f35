/* Where the frame rows of an ELF file come from: its FDEs and PLT stubs.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/source.h"

#include "cfi/reader.h"

/* Whether the program loader fills in what the file says of FDE's code: the
   pointers to it, its instructions or those of its CIE.  The augmentation data
   between them do not matter.  */
static bool
is_relocated (const struct cfi_source *source, const struct cfi_fde *fde)
{
  const struct dynamic_places *places = &source->relocations;
  const struct cfi_section *cfi = &source->cfi;
  const struct cfi_cie *cie = &cfi->cies[fde->cie];
  const struct cfi_input *input = &cfi->inputs[fde->input];
  uint64_t entry = input->address + fde->offset;
  uint64_t cie_instructions
      = input->address + (uint64_t)(cie->instructions - input->bytes);
  if (places->n == 0 && !places->unknown)
    return false;
  return dynamic_places_touch (places, entry, fde_pointers_end (cfi, fde))
         || dynamic_places_touch (places, entry + fde->head_size,
                                  fde->instructions_size)
         || dynamic_places_touch (places, cie_instructions,
                                  cie->instructions_size);
}

static enum frame_reason
problem_in_image (const void *context, const struct cfi_fde *fde)
{
  const struct cfi_source *source = context;
  if (is_relocated (source, fde))
    return REASON_RELOCATED;
  if (fde->size == 0)
    return REASON_EMPTY_RANGE;
  if (!image_is_executable (source->image, fde->address, fde->size))
    return REASON_NOT_EXECUTABLE;
  return REASON_NONE;
}

bool
cfi_source_open (struct cfi_source *source, const struct image *image,
                 struct error *err)
{
  struct image_eh_frame *found = &source->eh_frame;
  *source = (struct cfi_source){ .problem = problem_in_image,
                                 .context = source,
                                 .image = image };
  if (image->arch == NULL)
    return error_set (err, CFI2SFRAME_UNSUPPORTED,
                      "machine %u: SFrame has no ABI for it",
                      image->header.e_machine);
  if (!image_find_eh_frame (image, found, err))
    return false;
  if (found->size == 0)
    return error_set (err, CFI2SFRAME_NOTHING, "no .eh_frame");
  const struct cfi_input input = { .kind = CFI_EH_FRAME,
                                   .bytes = found->bytes,
                                   .size = found->size,
                                   .address = found->address };
  source->cfi.arch = image->arch;
  return cfi_read (&source->cfi, &input, err)
         && dynamic_places_find (&source->relocations, image, found->address,
                                 found->size, err)
         && plt_list_find (&source->plt, image, &source->cfi, err);
}

void
cfi_source_close (struct cfi_source *source)
{
  plt_list_free (&source->plt);
  dynamic_places_free (&source->relocations);
  cfi_section_free (&source->cfi);
}
