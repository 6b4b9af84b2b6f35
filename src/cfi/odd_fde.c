/* Odd FDEs: those that are not plain, which libdwarf reads.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/odd_fde.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "cfi/cie.h"
#include "cfi/libdwarf_pair.h"

/* Let ENTRY, the copy of an FDE at offset AT, lead to the CIE at offset 0.  */
static void
set_cie (const struct cfi_input *input, uint8_t *entry, uint64_t at,
         bool big_endian)
{
  if (input->kind == CFI_EH_FRAME)
    store_u32 (entry + 4, (uint32_t)(at + 4), big_endian);
  else if (entry_head (entry, big_endian) == ENTRY_HEAD)
    store_u32 (entry + 4, 0, big_endian);
  else
    store_u64 (entry + 12, 0, big_endian);
}

/* Copy CIE and ENTRY, an FDE of INPUT, to SHOWN.  False when memory ran
   out.  */
static bool
show (const struct cfi_section *section, const struct cfi_input *input,
      const struct cfi_cie *cie, const struct entry *entry,
      struct buffer *shown)
{
  shown->size = 0;
  uint8_t *to = buffer_extend (shown, cie->entry_size + entry->size);
  if (to == NULL)
    return false;
  cie_copy (cie, section, to);
  to += cie->entry_size;
  memcpy (to, input->bytes + entry->offset, entry->size);
  set_cie (input, to, cie->entry_size, section->arch->big_endian);
  /* libdwarf 0.11 refuses an FDE without instructions at the very end.  */
  buffer_u32 (shown, 0);
  return !shown->failed;
}

/* Take over into *FDE what libdwarf says in FROM of ENTRY's copy at TO.
   False where that cannot be.  */
static bool
take (struct cfi_fde *fde, const struct entry *entry,
      const struct libdwarf_fde *from, const uint8_t *to)
{
  uint64_t head = (uint64_t)(from->instructions - to);
  if (from->entry_size != entry->size || head > entry->size
      || from->instructions_size > entry->size - head)
    return false;
  fde->address = from->address;
  fde->size = from->size;
  fde->head_size = (uint32_t)head;
  fde->instructions_size = (uint32_t)from->instructions_size;
  return true;
}

enum frame_reason
odd_fde_read (struct cfi_section *section, const struct entry *entry,
              size_t index, struct buffer *shown, struct cfi_fde *fde,
              char *text, size_t text_size)
{
  const struct cfi_input *input = &section->inputs[section->n_inputs - 1];
  struct cfi_cie *cie = &section->cies[index];
  uint64_t at = cie->entry_size; /* of the FDE's copy, which keeps its place */
  struct libdwarf_cie cie_says;
  struct libdwarf_fde fde_says;
  if (!show (section, input, cie, entry, shown))
    return REASON_BAD_ENTRY;
  const struct cfi_input pair
      = { .kind = input->kind,
          .bytes = shown->bytes,
          .size = shown->size,
          .address = input->address + entry->offset - at };
  /* With an address size of 8 libdwarf makes a costly message for every entry
     with a size that is not a multiple of 8.  */
  if (!libdwarf_pair_read (&pair, section->arch->big_endian,
                           cie->absolute_pointers ? 8 : 4, &cie_says,
                           &fde_says, text, text_size))
    {
      shown->failed = errno == ENOMEM;
      return REASON_BAD_ENTRY;
    }
  if (cie->instructions == NULL)
    cie_decode (cie, section, &cie_says, shown->bytes);
  *fde = (struct cfi_fde){ .offset = entry->offset,
                           .cie = (uint32_t)index,
                           .input = (uint8_t)(section->n_inputs - 1) };
  enum frame_reason reason = cie->unusable;
  if (reason == REASON_NONE
      && !take (fde, entry, &fde_says, shown->bytes + at))
    reason = REASON_BAD_ENTRY;
  snprintf (text, text_size, "%s", frame_reason_text (reason));
  return reason;
}
