/* The entries of .eh_frame, by their lengths alone.
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

struct entry
entry_at_odd (const uint8_t *bytes, uint64_t size, bool big_endian,
              uint64_t offset)
{
  struct entry entry = { .offset = offset };
  uint64_t left = size - offset;
  if (left == 0)
    return entry; /* ENTRY_END */
  if (left < 4)
    return damaged (entry, left, "less than an entry at the section's end");
  uint64_t length = load_u32 (bytes + offset, big_endian);
  if (length == 0)
    {
      entry.kind = ENTRY_TERMINATOR;
      entry.size = 4;
      return entry;
    }
  if (length == 0xffffffff)
    {
      /* 64-bit lengths: no toolchain writes them into .eh_frame.  */
      uint64_t extended
          = left >= 12 ? load_u64 (bytes + offset + 4, big_endian) : left;
      bool inside = left >= 12 && extended <= left - 12;
      return damaged (entry, inside ? 12 + extended : left,
                      "64-bit entry length");
    }
  if (length > left - 4)
    return damaged (entry, left, "entry runs past the section's end");
  return damaged (entry, 4 + length, "entry too short for its CIE pointer");
}
