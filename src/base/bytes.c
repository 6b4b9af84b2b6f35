/* Reading LEB128 numbers of more than one byte.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "base/bytes.h"

uint64_t
cursor_uleb_slow (struct cursor *cursor)
{
  uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7)
    {
      uint8_t byte = cursor_u8 (cursor);
      uint64_t bits = byte & 0x7f;
      if (cursor->failed)
        return 0;
      /* A number may be longer than necessary: assemblers pad numbers with
         zero bits.  Only bits of value 1 beyond the 64th are an error.  */
      if (bits != 0 && (shift > 63 || bits << shift >> shift != bits))
        {
          cursor->failed = true;
          return 0;
        }
      if (shift <= 63)
        value |= bits << shift;
      if (!(byte & 0x80))
        return value;
    }
}

int64_t
cursor_sleb_slow (struct cursor *cursor)
{
  uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7)
    {
      uint8_t byte = cursor_u8 (cursor);
      if (cursor->failed)
        return 0;
      /* Ten bytes contain 64 bits and six copies of the sign.  So the tenth
         must consist of copies of the sign, and an eleventh is an error.  */
      if (shift > 63 || (shift == 63 && (byte & 0x7f) != 0 && byte != 0x7f))
        {
          cursor->failed = true;
          return 0;
        }
      value |= (uint64_t)(byte & 0x7f) << shift;
      if (!(byte & 0x80))
        {
          if ((byte & 0x40) && shift + 7 < 64)
            value |= ~UINT64_C (0) << (shift + 7);
          return (int64_t)value;
        }
    }
}
