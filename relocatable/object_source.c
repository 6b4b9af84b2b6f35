/* Where the frame rows of a relocatable object come from.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "relocatable/object_source.h"

#include "cfi/entry.h"
#include "cfi/cfi_section.h"
#include "elf/encoded_pointer.h"

static enum frame_reason
problem_in_object (const void *context, const struct cfi_fde *fde)
{
  const struct object *object = context;
  size_t section;
  uint64_t offset;
  if (!object_locate (object, fde->address, fde->size, &section, &offset))
    return REASON_NOT_EXECUTABLE;
  if (object_touches (object, fde->offset + fde->head_size,
                      fde->instructions_size))
    return REASON_BAD_INSTRUCTION;
  return fde->size == 0 ? REASON_EMPTY_RANGE : REASON_NONE;
}

/* Whether anything of CIE but the pointer to its personality is relocated:
   what it says is not known before it is linked.  */
static bool
is_relocated (const struct object *object, const struct cfi_cie *cie)
{
  const uint64_t head = ENTRY_HEAD + 1; /* with the version */
  return object_touches (object, cie->offset,
                         cie->personality_encoding == PE_OMIT ? cie->entry_size
                                                              : head)
         || (cie->instructions != NULL
             && object_touches (
                 object, (uint64_t)(cie->instructions - object->eh_frame),
                 cie->instructions_size));
}

static bool
check_cies (const struct object *object, const struct cfi_section *cfi,
            struct error *err)
{
  for (size_t i = 0; i < cfi->n_cies; i++)
    if (is_relocated (object, &cfi->cies[i]))
      return error_set (err, CFI2SFRAME_UNSUPPORTED,
                        "the CIE at 0x%llx of .eh_frame has relocations that "
                        "are not expected there",
                        (unsigned long long)cfi->cies[i].offset);
  return true;
}

bool
object_source_open (struct cfi_source *source, const struct object *object,
                    bool no_plain, struct error *err)
{
  *source
      = (struct cfi_source){ .problem = problem_in_object, .context = object };
  const struct cfi_input input = { .kind = CFI_EH_FRAME,
                                   .bytes = object->eh_frame,
                                   .size = object->eh_frame_size,
                                   .address = object->eh_frame_address };
  source->cfi.arch = object->image->arch;
  source->cfi.no_plain = no_plain;
  return cfi_read (&source->cfi, &input, err)
         && check_cies (object, &source->cfi, err);
}
