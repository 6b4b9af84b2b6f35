/* The entries of .eh_frame and .debug_frame, as far as they are read without
   libdwarf.
   SPDX-License-Identifier: LGPL-2.1-or-later

   libdwarf fails for a whole section where one entry is damaged, and for
   augmentation letters that it does not know; and it has to be told how wide
   addresses are, which the augmentation says.  So the heads of entries and the
   augmentations of CIEs are read here, before libdwarf sees any.  LSB Core,
   section 10.6.1; DWARF 5, sections 6.4.1 and 7.4.  */

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
  ENTRY_DAMAGED     /* `why` says how; the walk goes on behind it */
};

struct entry
{
  enum entry_kind kind;
  uint64_t offset; /* in the input */
  uint64_t size;   /* of the whole entry with its length field */
  uint64_t cie;    /* of an FDE: offset of its CIE, or beyond the input */
  const char *why;
};

/* The bytes in front of what a CIE or FDE says: its length, and the field that
   tells a CIE from an FDE.  With a length of 64 bits both fields are wider. */
enum
{
  ENTRY_HEAD = 8,
  ENTRY_HEAD_64 = 20,
  ENTRY_ESCAPE = 0xffffffff /* instead of a length: one of 64 bits follows */
};

static inline uint32_t
entry_head (const uint8_t *entry, bool big_endian)
{
  return load_u32 (entry, big_endian) == (uint32_t)ENTRY_ESCAPE ? ENTRY_HEAD_64
                                                                : ENTRY_HEAD;
}

/* The entry at OFFSET (<= its size) of INPUT, when it is not a CIE or FDE with
   a length of 32 bits.  */
struct entry entry_at_odd (const struct cfi_input *input, bool big_endian,
                           uint64_t offset);

/* The entry at OFFSET (<= its size) of INPUT.  */
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

/* Fill in CIE from ENTRY of SECTION's last input as far as the augmentation
   goes.  Its `unusable' says whether libdwarf must not see it.  */
void cie_scan (struct cfi_cie *cie, const struct cfi_section *section,
               const struct entry *entry);

#endif /* CFI_ENTRY_H */
