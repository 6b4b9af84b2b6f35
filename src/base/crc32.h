/* The CRC-32 of .gnu_debuglink and gzip.
   SPDX-License-Identifier: LGPL-2.1-or-later

   This is the CRC of IEEE 802.3, with the bits in reversed order.  GDB's
   manual describes it in section "Debugging Information in Separate Files".
   The trailer of a gzip file has the same CRC (RFC 1952, section 2.3.1).  */

#ifndef BASE_CRC32_H
#define BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32_of (const uint8_t *bytes, size_t size);

/* Return the word that, stored in little-endian order between the HEAD_SIZE
   bytes HEAD and the TAIL_SIZE bytes TAIL, gives all of them together the CRC
   WANTED.  There is exactly one such word.  */
uint32_t crc32_word_for (const uint8_t *head, size_t head_size,
                         const uint8_t *tail, size_t tail_size,
                         uint32_t wanted);

#endif /* BASE_CRC32_H */
