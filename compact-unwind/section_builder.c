/* Making the compact unwind section of an ELF file, FDE by FDE.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "compact-unwind/section_builder.h"

#include <stdlib.h>

#include "cfi/fde.h"
#include "elf/encoded_pointer.h"

bool
cunwind_section_init (struct cunwind_section *section,
                      const struct image *image, const struct cfi_section *cfi,
                      const struct padding_finder *padding, struct error *err)
{
  /* The format's base: the first address of the image, on Apple's systems that
     of the Mach header.  */
  const GElf_Phdr *first = image_find_segment (image, PT_LOAD);
  uint64_t base = first != NULL ? first->p_vaddr : 0;
  *section = (struct cunwind_section){ .image = image,
                                       .cfi = cfi,
                                       .padding = padding };
  cunwind_info_init (&section->info, image->arch, base);
  section->cie_kept = calloc (cfi->n_cies + 1, sizeof *section->cie_kept);
  return section->cie_kept != NULL || error_set_no_memory (err);
}

void
cunwind_section_free (struct cunwind_section *section)
{
  cunwind_info_free (&section->info);
  free (section->cie_kept);
  section->cie_kept = NULL;
}

/* Set *BITS to the personality of FDE's CIE, as bits of an encoding.  The
   format stores the address of a pointer to the personality, so the CIE must
   refer to a pointer, too.  */
static enum cunwind_reason
find_personality (struct cunwind_section *section, const struct cfi_fde *fde,
                  uint32_t *bits)
{
  const struct cfi_cie *cie = &section->cfi->cies[fde->cie];
  uint8_t encoding = cie->personality_encoding;
  uint8_t application = encoding & PE_APPLICATION;
  *bits = 0;
  if (encoding == PE_OMIT || cie->personality == 0)
    return CUNWIND_EXPRESSED;
  if (!(encoding & PE_INDIRECT)
      || (application != 0 && application != PE_PCREL)
      || !cunwind_info_reaches (&section->info, cie->personality))
    return CUNWIND_LSDA;
  unsigned number
      = cunwind_info_personality (&section->info, cie->personality);
  *bits = (uint32_t)number << CUNWIND_PERSONALITY_SHIFT;
  return number != 0 ? CUNWIND_EXPRESSED : CUNWIND_PERSONALITY;
}

/* Encode FUNCTION, with the personality of FDE.  Set *LSDA to that of FDE.  */
static struct cunwind_encoded
encode_fde (struct cunwind_section *section, const struct cfi_fde *fde,
            const struct frame_function *function, uint64_t *lsda)
{
  struct cunwind_encoded encoded = { .reason = CUNWIND_UNREADABLE };
  uint32_t personality;
  *lsda = 0;
  if (function != NULL)
    encoded = cunwind_encode_function (section->image, function);
  if (encoded.reason != CUNWIND_EXPRESSED)
    return encoded;
  if (!fde_lsda (section->cfi, fde, lsda)
      || (*lsda != 0 && !cunwind_info_reaches (&section->info, *lsda)))
    encoded.reason = CUNWIND_LSDA;
  else
    encoded.reason = find_personality (section, fde, &personality);
  if (encoded.reason == CUNWIND_EXPRESSED)
    encoded.encoding |= personality | (*lsda != 0 ? CUNWIND_HAS_LSDA : 0);
  return encoded;
}

/* Return the encoding that refers to FDE, and count FDE as kept.  Readers take
   personality and LSDA from the FDE as well.  If its offset does not fit, the
   encoding has offset 0, and readers search .eh_frame.  */
static uint32_t
encode_reference (struct cunwind_section *section, const struct cfi_fde *fde)
{
  uint32_t encoding;
  struct cunwind_frame frame = { .mode = CUNWIND_DWARF };
  if (fde->offset <= CUNWIND_DWARF_OFFSET_MAX)
    frame.dwarf_offset = (uint32_t)fde->offset;
  cunwind_encode (section->info.arch, &frame, &encoding);
  section->bytes_kept += (uint64_t)fde->head_size + fde->instructions_size;
  if (!section->cie_kept[fde->cie])
    section->bytes_kept += section->cfi->cies[fde->cie].entry_size;
  section->cie_kept[fde->cie] = true;
  return encoding;
}

bool
cunwind_section_add (struct cunwind_section *section,
                     const struct cfi_fde *fde,
                     const struct frame_function *function, struct error *err)
{
  uint64_t lsda;
  struct cunwind_encoded encoded = encode_fde (section, fde, function, &lsda);
  section->by_reason[encoded.reason]++;
  if (encoded.reason == CUNWIND_EXPRESSED)
    section->n_asynchronous += encoded.asynchronous;
  else
    encoded.encoding = encode_reference (section, fde);
  uint64_t end = section->info.base + section->info.end;
  bool code_before = fde->address > end
                     && !padding_finder_is_padding (section->padding, end,
                                                    fde->address - end);
  return cunwind_info_add (&section->info, code_before, fde->address,
                           fde->size, encoded.encoding, lsda, err);
}
