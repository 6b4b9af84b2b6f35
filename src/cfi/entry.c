/* The entries of .eh_frame and .debug_frame, by their lengths alone.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/entry.h"

static struct entry
damaged (struct entry entry, uint64_t size, const char *why)
{
  entry.kind = ENTRY_DAMAGED;
  entry.size = size;
  entry.why = why;
  return entry;
}

/* ENTRY with a length of 64 bits, LEFT bytes before the end of INPUT.  No
   toolchain writes these into .eh_frame.  */
static struct entry
entry_64 (const struct cfi_input *input, bool big_endian, uint64_t left,
          struct entry entry)
{
  const uint8_t *at = input->bytes + entry.offset;
  uint64_t length = left >= 12 ? load_u64 (at + 4, big_endian) : left;
  if (left < 12 || length > left - 12)
    return damaged (entry, left, "entry runs past the section's end");
  if (input->kind == CFI_EH_FRAME)
    return damaged (entry, 12 + length, "64-bit entry length");
  if (length < 8)
    return damaged (entry, 12 + length, "entry too short for its CIE pointer");
  entry.cie = load_u64 (at + 12, big_endian);
  entry.kind = entry.cie == UINT64_MAX ? ENTRY_CIE : ENTRY_FDE;
  entry.size = 12 + length;
  return entry;
}

struct entry
entry_at_odd (const struct cfi_input *input, bool big_endian, uint64_t offset)
{
  struct entry entry = { .offset = offset };
  uint64_t left = input->size - offset;
  if (left == 0)
    return entry; /* ENTRY_END */
  if (left < 4)
    return damaged (entry, left, "less than an entry at the section's end");
  uint32_t length = load_u32 (input->bytes + offset, big_endian);
  if (length == 0)
    {
      entry.kind = ENTRY_TERMINATOR;
      entry.size = 4;
      return entry;
    }
  if (length == (uint32_t)ENTRY_ESCAPE)
    return entry_64 (input, big_endian, left, entry);
  if (length > left - 4)
    return damaged (entry, left, "entry runs past the section's end");
  return damaged (entry, 4 + (uint64_t)length,
                  "entry too short for its CIE pointer");
}
