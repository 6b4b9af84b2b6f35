/* Walking the entries of .eh_frame by their lengths alone.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The only place that looks at entry headers without libdwarf: it finds what
   libdwarf would trip on.  LSB Core, section 10.6.1.  */

#ifndef CFI_ENTRY_WALK_H
#define CFI_ENTRY_WALK_H

#include <stdbool.h>
#include <stdint.h>

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

/* The entry at OFFSET (<= SIZE) of the SIZE BYTES.  */
struct entry entry_at (const uint8_t *bytes, uint64_t size, bool big_endian,
                       uint64_t offset);

#endif /* CFI_ENTRY_WALK_H */
