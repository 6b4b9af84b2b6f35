/* Reading pointers as .eh_frame and its tables store them.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "elf/encoded_pointer.h"

bool
encoded_pointer_read (struct cursor *cursor, uint8_t encoding,
                      uint64_t field_address, uint64_t *value)
{
  switch (encoding & PE_FORMAT)
    {
    case PE_ABSPTR:
    case PE_UDATA8:
    case PE_SDATA8:
      *value = cursor_u64 (cursor);
      break;
    case PE_UDATA4:
      *value = cursor_u32 (cursor);
      break;
    case PE_SDATA4:
      *value = (uint64_t)(int64_t)(int32_t)cursor_u32 (cursor);
      break;
    case PE_UDATA2:
      *value = cursor_u16 (cursor);
      break;
    case PE_SDATA2:
      *value = (uint64_t)(int64_t)(int16_t)cursor_u16 (cursor);
      break;
    case PE_ULEB128:
      *value = cursor_uleb (cursor);
      break;
    case PE_SLEB128:
      *value = (uint64_t)cursor_sleb (cursor);
      break;
    default:
      return false;
    }
  if ((encoding & PE_APPLICATION) == PE_PCREL)
    *value += field_address;
  else if ((encoding & PE_APPLICATION) != 0)
    return false;
  return !cursor->failed && !(encoding & PE_INDIRECT);
}

bool
encoded_pointer_read_nullable (struct cursor *cursor, uint8_t encoding,
                               uint64_t field_address, uint64_t *value)
{
  if (!encoded_pointer_read (cursor, encoding & PE_FORMAT, 0, value))
    return false;
  if (*value != 0 && (encoding & PE_APPLICATION) == PE_PCREL)
    *value += field_address;
  return true;
}
