/* The CRC-32 of .gnu_debuglink and gzip.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The CRC register is the 32-bit state of the algorithm between two bytes.  It
   begins as all ones, and the CRC is its complement at the end.  Each step can
   be undone, so the register before some bytes can be computed from the
   register after them.  */

#include "base/crc32.h"

/* The change of the register for each value of its low four bits.  */
static const uint32_t table[16]
    = { 0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
        0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
        0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c };

/* Return the register after BYTES if it is CRC before them.  */
static uint32_t
run (uint32_t crc, const uint8_t *bytes, size_t size)
{
  for (size_t i = 0; i < size; i++)
    {
      crc ^= bytes[i];
      crc = crc >> 4 ^ table[crc & 15];
      crc = crc >> 4 ^ table[crc & 15];
    }
  return crc;
}

/* Return the register before four zero bits if it is CRC after them.  The top
   four bits tell which entry of the table was used: all differ.  */
static uint32_t
step_back (uint32_t crc)
{
  uint32_t low = 0;
  while (table[low] >> 28 != crc >> 28)
    low++;
  return (crc ^ table[low]) << 4 | low;
}

/* Return the register before BYTES if it is CRC after them.  */
static uint32_t
run_back (uint32_t crc, const uint8_t *bytes, size_t size)
{
  for (size_t i = size; i-- > 0;)
    crc = step_back (step_back (crc)) ^ bytes[i];
  return crc;
}

uint32_t
crc32_of (const uint8_t *bytes, size_t size)
{
  return ~run (0xffffffff, bytes, size);
}

uint32_t
crc32_word_for (const uint8_t *head, size_t head_size, const uint8_t *tail,
                size_t tail_size, uint32_t wanted)
{
  static const uint8_t zeros[4];
  uint32_t behind = run_back (~wanted, tail, tail_size);
  return run_back (behind, zeros, sizeof zeros)
         ^ run (0xffffffff, head, head_size);
}
