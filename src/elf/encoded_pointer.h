/* Reading pointers as .eh_frame and its tables store them.
   SPDX-License-Identifier: LGPL-2.1-or-later

   See LSB Core, section 10.5.1.  */

#ifndef ELF_ENCODED_POINTER_H
#define ELF_ENCODED_POINTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

/* The encoding of a pointer: its format, what it counts from, and whether it
   is the address of the pointer.  */
enum
{
  PE_ABSPTR = 0x00,
  PE_ULEB128 = 0x01,
  PE_UDATA2 = 0x02,
  PE_UDATA4 = 0x03,
  PE_UDATA8 = 0x04,
  PE_SLEB128 = 0x09,
  PE_SDATA2 = 0x0a,
  PE_SDATA4 = 0x0b,
  PE_SDATA8 = 0x0c,
  PE_FORMAT = 0x0f, /* mask */
  PE_PCREL = 0x10,
  PE_DATAREL = 0x30,
  PE_ALIGNED = 0x50,
  PE_APPLICATION = 0x70, /* mask */
  PE_INDIRECT = 0x80,
  PE_OMIT = 0xff
};

/* Read a pointer encoded as ENCODING.  PC-relative values count from
   FIELD_ADDRESS, the address of the pointer itself.  Returns false if ENCODING
   is not absolute or PC-relative, or if the bytes end.  */
bool encoded_pointer_read (struct cursor *cursor, uint8_t encoding,
                           uint64_t field_address, uint64_t *value);

/* Do the same, but a stored 0 is a null pointer, even if PC-relative.  */
bool encoded_pointer_read_nullable (struct cursor *cursor, uint8_t encoding,
                                    uint64_t field_address, uint64_t *value);

#endif /* ELF_ENCODED_POINTER_H */
