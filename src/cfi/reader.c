/* Reading the CIEs and FDEs of an .eh_frame or .debug_frame section.
   SPDX-License-Identifier: LGPL-2.1-or-later

   One walk over the lengths of the entries scans the CIEs and reads the FDEs.
   An FDE's CIE is always in front of it: in .eh_frame by its form, in
   .debug_frame as all assemblers write it.  */

#include "cfi/reader.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/radix.h"
#include "cfi/cie.h"
#include "cfi/entry.h"
#include "cfi/fde.h"

enum
{
  /* FDEs hardly have fewer bytes; room for so many is made at once.  Memory
     that is not used is never touched.  */
  FDE_SIZE_USUAL = 24
};

/* The entry at OFFSET of the last input.  */
static struct entry
next_entry (const struct cfi_section *section, uint64_t offset)
{
  return entry_at (&section->inputs[section->n_inputs - 1],
                   section->arch->big_endian, offset);
}

static bool
read_cie (struct cfi_section *section, const struct entry *entry,
          struct error *err)
{
  if (!ARRAY_ROOM (section->cies, section->n_cies + 1,
                   &section->cies_capacity))
    return error_set_no_memory (err);
  struct cfi_cie *cie = &section->cies[section->n_cies++];
  cie_scan (cie, section, entry);
  return cie->unusable == REASON_NONE
         || cfi_section_note_damage (section, entry->offset, cie->unusable,
                                     frame_reason_text (cie->unusable), err);
}

/* Read the FDE that ENTRY is.  *CIE is the index of the CIE that was used
   last; SHOWN is memory for odd_fde_read.  */
static bool
read_fde (struct cfi_section *section, const struct entry *entry, size_t *cie,
          struct buffer *shown, struct error *err)
{
  char text[sizeof ((struct cfi_damage *)0)->text];
  if (section->n_fdes == UINT32_MAX - 1)
    return error_set_word (err, CFI2SFRAME_UNSUPPORTED, WORD_TOO_LARGE,
                           "more than 4 billion FDEs");
  if (!ARRAY_ROOM (section->fdes, section->n_fdes + 1,
                   &section->fdes_capacity))
    return error_set_no_memory (err);
  struct cfi_fde *fde = &section->fdes[section->n_fdes];
  *cie = cfi_section_find_cie (section, entry->cie, *cie);
  if (*cie == section->n_cies)
    return cfi_section_leave_out (section, entry->offset, REASON_BAD_ENTRY,
                                  "CIE pointer leads to no CIE", err);
  enum frame_reason reason = section->cies[*cie].unusable;
  if (reason != REASON_NONE)
    return cfi_section_leave_out (section, entry->offset, reason,
                                  "its CIE cannot be read", err);
  if (!plain_fde_read (section, entry, *cie, fde))
    reason
        = odd_fde_read (section, entry, *cie, shown, fde, text, sizeof text);
  section->n_fdes += reason == REASON_NONE;
  if (shown->failed)
    return error_set_no_memory (err);
  return reason == REASON_NONE
         || cfi_section_leave_out (section, entry->offset, reason, text, err);
}

static bool
read_entries (struct cfi_section *section, struct buffer *shown,
              struct error *err)
{
  struct entry entry;
  size_t cie = 0;
  bool read = true;
  for (uint64_t offset = 0;
       read && (entry = next_entry (section, offset)).kind != ENTRY_END;
       offset += entry.size)
    if (entry.kind == ENTRY_CIE)
      read = read_cie (section, &entry, err);
    else if (entry.kind == ENTRY_FDE)
      read = read_fde (section, &entry, &cie, shown, err);
    else if (entry.kind == ENTRY_DAMAGED)
      read = cfi_section_leave_out (section, entry.offset, REASON_BAD_ENTRY,
                                    entry.why, err);
  return read;
}

/* Put the FDEs in order.  They come in that of their inputs and offsets, in
   which those of equal addresses stay.  */
static bool
sort_fdes (struct cfi_section *section)
{
  _Static_assert(offsetof (struct cfi_fde, address) == 0, "RADIX_SORT");
  if (!RADIX_SORT (section->fdes, section->n_fdes))
    return false;
  section->fdes_capacity = section->n_fdes; /* of other memory, maybe */
  return true;
}

bool
cfi_read (struct cfi_section *section, const struct cfi_input *input,
          struct error *err)
{
  struct buffer shown;
  section->inputs[section->n_inputs++] = *input;
  size_t expected = section->n_fdes + input->size / FDE_SIZE_USUAL + 1;
  buffer_init (&shown, section->arch->big_endian);
  bool read = (ARRAY_ROOM (section->fdes, expected, &section->fdes_capacity)
               || error_set_no_memory (err))
              && read_entries (section, &shown, err)
              && (sort_fdes (section) || error_set_no_memory (err));
  buffer_free (&shown);
  if (!read)
    cfi_section_free (section);
  return read;
}
