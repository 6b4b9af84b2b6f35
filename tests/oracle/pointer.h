/* Encoded pointers and LEB128, for the oracle alone.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The converter has its own; an oracle that shared them would share their
   mistakes.  */

#ifndef ORACLE_POINTER_H
#define ORACLE_POINTER_H

#include <stdbool.h>
#include <stdint.h>

/* Read the pointer at *AT, encoded as DW_EH_PE_* ENCODING, and advance *AT.
   HERE is its own address (pcrel), BASE that of datarel.  False when it
   leaves [*AT, END) or is encoded in a way that does not occur.  */
bool pointer_read (const uint8_t **at, const uint8_t *end, uint8_t encoding,
                   uint64_t here, uint64_t base, bool big_endian,
                   uint64_t *value);

/* Read SIZE (1, 2, 4 or 8) bytes.  */
bool uint_read (const uint8_t **at, const uint8_t *end, unsigned size,
                bool big_endian, uint64_t *value);

bool uleb_read (const uint8_t **at, const uint8_t *end, uint64_t *value);

#endif /* ORACLE_POINTER_H */
