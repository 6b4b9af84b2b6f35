/* Where the frame rows of an ELF file come from: its FDEs and PLT stubs.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/source.h"

#include "cfi/dropped.h"
#include "cfi/fde.h"
#include "cfi/plt.h"
#include "cfi/precedence.h"
#include "cfi/cfi_section.h"

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
  const struct cfi_input *input = &source->cfi.inputs[fde->input];
  if (input->kind == CFI_DEBUG_FRAME)
    return input->fp_unknown && !source->without_fp ? REASON_FP_UNKNOWN
                                                    : REASON_NONE;
  if ((source->relocations.n > 0 || source->relocations.unknown)
      && is_relocated (source, fde))
    return REASON_RELOCATED;
  if (fde->size == 0)
    return REASON_EMPTY_RANGE;
  if (!image_is_executable (source->image, fde->address, fde->size))
    return REASON_NOT_EXECUTABLE;
  return REASON_NONE;
}

/* Whether FDE's range is code of the file, even if its rows are of no use.
   (What walk.c asks is whether the FDE claims its code.)  */
static bool
is_of_code (const void *context, const struct cfi_fde *fde)
{
  enum frame_reason reason = problem_in_image (context, fde);
  return reason == REASON_NONE || reason == REASON_FP_UNKNOWN;
}

static bool
read_eh_frame (struct cfi_source *source, struct error *err)
{
  struct image_eh_frame *found = &source->eh_frame;
  if (!image_find_eh_frame (source->image, found, err))
    return false;
  const struct cfi_input input = { .kind = CFI_EH_FRAME,
                                   .bytes = found->bytes,
                                   .size = found->size,
                                   .address = found->address };
  return found->size == 0
         || (cfi_read (&source->cfi, &input, err)
             && dynamic_places_find (&source->relocations, source->image,
                                     found->address, found->size, err));
}

/* Read the CFI that there is besides .eh_frame.  */
static bool
read_debug (struct cfi_source *source, const struct cfi_options *cfi_options,
            struct error *err)
{
  struct cfi_section *cfi = &source->cfi;
  if (!debug_source_read (&source->debug, cfi, source->image, cfi_options,
                          err))
    return false;
  if (cfi->n_inputs == 0
      || cfi->inputs[cfi->n_inputs - 1].kind == CFI_EH_FRAME)
    return true;
  const struct image *debug_file = &source->debug.file.image;
  return dropped_functions_forget (cfi, source->image,
                                   debug_file->elf != NULL ? debug_file : NULL,
                                   err)
         && precedence_settle (cfi, is_of_code, source, err);
}

bool
cfi_source_open (struct cfi_source *source, const struct image *image,
                 const struct cfi_options *cfi_options, struct error *err)
{
  *source = (struct cfi_source){ .cfi = { .arch = image->arch,
                                          .no_plain = cfi_options->no_plain },
                                 .problem = problem_in_image,
                                 .context = source,
                                 .without_fp = cfi_options->without_fp,
                                 .image = image };
  if (!image_expect_machine (image, err) || !read_eh_frame (source, err)
      || !read_debug (source, cfi_options, err))
    return false;
  if (source->cfi.n_inputs == 0)
    return error_set_word (
        err, CFI2SFRAME_NOTHING, WORD_NO_CFI, "no .eh_frame%s%s",
        source->debug.note[0] != '\0' ? "; " : "", source->debug.note);
  return plt_stubs_find (&source->stubs, image, &source->cfi, err);
}

void
cfi_source_close (struct cfi_source *source)
{
  frame_functions_free (&source->stubs);
  frame_functions_free (&source->found);
  dynamic_places_free (&source->relocations);
  cfi_section_free (&source->cfi);
  debug_source_close (&source->debug);
}
