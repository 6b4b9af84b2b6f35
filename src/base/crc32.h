/* The CRC of .gnu_debuglink and gzip.
   SPDX-License-Identifier: LGPL-2.1-or-later

   That of IEEE 802.3, bits in reversed order.  GDB's manual, section
   "Debugging Information in Separate Files", has the algorithm; gzip's trailer
   has the same CRC (RFC 1952, section 2.3.1).  */

#ifndef BASE_CRC32_H
#define BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32_of (const uint8_t *bytes, size_t size);

/* What to put, as a little-endian word, between the HEAD_SIZE bytes HEAD and
   the TAIL_SIZE bytes TAIL so that all together have the CRC WANTED.  Exactly
   one word does that.  */
uint32_t crc32_word_for (const uint8_t *head, size_t head_size,
                         const uint8_t *tail, size_t tail_size,
                         uint32_t wanted);

#endif /* BASE_CRC32_H */
