/* The head of an FDE: what stands in front of its instructions.
   SPDX-License-Identifier: LGPL-2.1-or-later

   LSB Core, section 10.6.1.2: length, CIE pointer, start and size of the code,
   and, if the CIE's augmentation has a z, the augmentation data behind their
   size.  */

#include "cfi/fde_head.h"

#include "base/bytes.h"
#include "cfi/cfa_opcode.h"

enum
{
  /* Length and CIE pointer; 64-bit lengths are never accepted.  */
  RANGE_SKIP = 8
};

bool
fde_head_read (const struct cfi_section *section, const struct cfi_cie *cie,
               uint64_t offset, uint64_t entry_size, struct fde_head *head)
{
  uint8_t encoding = cie->pointer_encoding;
  const uint8_t *entry = section->bytes + offset;
  uint64_t field = section->address + offset + RANGE_SKIP;
  struct cursor cursor
      = cursor_over (entry, entry_size, section->arch->big_endian);
  cursor_take (&cursor, RANGE_SKIP);
  /* The size has the format of the start and is never relative.  */
  if (!cfa_read_pointer (&cursor, encoding, field, &head->address)
      || !cfa_read_pointer (&cursor, encoding & PE_FORMAT, 0, &head->size))
    return false;
  head->augmentation_size
      = cie->has_augmentation_data ? cursor_uleb (&cursor) : 0;
  head->augmentation = (uint64_t)(cursor.at - entry);
  cursor_take (&cursor, head->augmentation_size);
  head->instructions = (uint64_t)(cursor.at - entry);
  return !cursor.failed;
}
