/* The entries of .eh_frame, by their lengths alone.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The only place that looks at entry headers without libdwarf: it finds what
   libdwarf would trip on.  LSB Core, section 10.6.1.  */

#ifndef CFI_ENTRY_H
#define CFI_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

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
  uint64_t offset; /* in the section */
  uint64_t size;   /* of the whole entry with its length field */
  uint64_t cie;    /* of an FDE: offset of its CIE, or beyond the section */
  const char *why;
};

/* The entry at OFFSET (<= SIZE) of the SIZE BYTES, when it is not a CIE or
   FDE with a length of 32 bits.  */
struct entry entry_at_odd (const uint8_t *bytes, uint64_t size,
                           bool big_endian, uint64_t offset);

/* The entry at OFFSET (<= SIZE) of the SIZE BYTES.  */
static inline struct entry
entry_at (const uint8_t *bytes, uint64_t size, bool big_endian,
          uint64_t offset)
{
  uint64_t left = size - offset;
  uint32_t length = left < 8 ? 0 : load_u32 (bytes + offset, big_endian);
  if (length < 4 || length == 0xffffffff || length > left - 4)
    return entry_at_odd (bytes, size, big_endian, offset);
  uint32_t id = load_u32 (bytes + offset + 4, big_endian);
  return (struct entry){
    .kind = id == 0 ? ENTRY_CIE : ENTRY_FDE,
    .offset = offset,
    .size = 4 + (uint64_t)length,
    .cie = id <= offset + 4 ? offset + 4 - id : UINT64_MAX,
  };
}

#endif /* CFI_ENTRY_H */
