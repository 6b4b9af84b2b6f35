/* Reading the heads of entries in .eh_frame and .debug_frame, and the
   augmentations of CIEs, without libdwarf.
   SPDX-License-Identifier: LGPL-2.1-or-later

   libdwarf refuses a whole section if one entry is damaged, or has an
   augmentation letter that libdwarf does not know.  It must also be given the
   width of addresses, which the augmentation determines.  So these parts are
   read before libdwarf sees an entry.  LSB Core, section 10.6.1; DWARF 5,
   sections 6.4.1 and 7.4.  */

#ifndef CFI_ENTRY_H
#define CFI_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "cfi/cfi_section.h"

enum entry_kind
{
  ENTRY_END, /* of the section */
  ENTRY_CIE,
  ENTRY_FDE,
  ENTRY_TERMINATOR, /* a zero length; more entries may follow */
  ENTRY_DAMAGED     /* for the reason `why'; its size is valid all the same */
};

struct entry
{
  enum entry_kind kind;
  uint64_t offset; /* in the input */
  uint64_t size;   /* of the whole entry, with its length field */
  uint64_t cie;    /* of an FDE: its CIE's offset, which may be no entry's */
  const char *why;
};

/* The head of a CIE or FDE: its length, and its CIE id or CIE pointer, which
   tells a CIE from an FDE.  Both fields are wider if the length has 64
   bits.  */
enum
{
  ENTRY_HEAD = 8,
  ENTRY_HEAD_64 = 20,
  ENTRY_ESCAPE = 0xffffffff /* in place of a length; 64 bits of it follow */
};

/* The size of the head of ENTRY.  */
static inline uint32_t
entry_head (const uint8_t *entry, bool big_endian)
{
  return load_u32 (entry, big_endian) == (uint32_t)ENTRY_ESCAPE ? ENTRY_HEAD_64
                                                                : ENTRY_HEAD;
}

/* The entry at OFFSET of INPUT, which is not a CIE or FDE with a length of 32
   bits.  OFFSET is at most the input's size.  */
struct entry entry_at_odd (const struct cfi_input *input, bool big_endian,
                           uint64_t offset);

/* The entry at OFFSET of INPUT, which is at most the input's size.  */
static inline struct entry
entry_at (const struct cfi_input *input, bool big_endian, uint64_t offset)
{
  uint64_t left = input->size - offset;
  /* An empty input may have no bytes to count from.  */
  if (left < ENTRY_HEAD)
    return entry_at_odd (input, big_endian, offset);
  const uint8_t *at = input->bytes + offset;
  uint32_t length = load_u32 (at, big_endian);
  if (length < 4 || length == (uint32_t)ENTRY_ESCAPE || length > left - 4)
    return entry_at_odd (input, big_endian, offset);
  uint32_t id = load_u32 (at + 4, big_endian);
  struct entry entry
      = { .offset = offset, .size = 4 + (uint64_t)length, .cie = id };
  if (input->kind == CFI_DEBUG_FRAME)
    entry.kind = id == UINT32_MAX ? ENTRY_CIE : ENTRY_FDE;
  else
    {
      entry.kind = id == 0 ? ENTRY_CIE : ENTRY_FDE;
      entry.cie = id <= offset + 4 ? offset + 4 - id : UINT64_MAX;
    }
  return entry;
}

/* Fill in CIE from ENTRY of SECTION's last input, up to the end of the
   augmentation.  cie->unusable becomes why libdwarf must not see the
   CIE, or REASON_NONE.  */
void cie_scan (struct cfi_cie *cie, const struct cfi_section *section,
               const struct entry *entry);

#endif /* CFI_ENTRY_H */
