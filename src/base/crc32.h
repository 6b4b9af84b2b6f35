/* The CRC of .gnu_debuglink.
   SPDX-License-Identifier: LGPL-2.1-or-later

   That of IEEE 802.3, bits in reversed order; GDB's manual, section "Debugging
   Information in Separate Files", has the algorithm.  */

#ifndef BASE_CRC32_H
#define BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32_of (const uint8_t *bytes, size_t size);

#endif /* BASE_CRC32_H */
