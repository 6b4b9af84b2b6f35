/* Encoded pointers and LEB128, for the oracle alone.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <dwarf.h>
#include <stddef.h>

#include "pointer.h"

bool
uint_read (const uint8_t **at, const uint8_t *end, unsigned size,
           bool big_endian, uint64_t *value)
{
  if ((size_t)(end - *at) < size)
    return false;
  *value = 0;
  for (unsigned i = 0; i < size; i++)
    {
      unsigned shift = 8 * (big_endian ? size - 1 - i : i);
      *value |= (uint64_t)(*at)[i] << shift;
    }
  *at += size;
  return true;
}

bool
uleb_read (const uint8_t **at, const uint8_t *end, uint64_t *value)
{
  *value = 0;
  for (unsigned shift = 0; *at < end; shift += 7)
    {
      uint8_t byte = *(*at)++;
      if (shift < 64)
        *value |= (uint64_t)(byte & 0x7f) << shift;
      if (!(byte & 0x80))
        return true;
    }
  return false;
}

static unsigned
fixed_size (uint8_t encoding)
{
  switch (encoding & 0x07)
    {
    case DW_EH_PE_absptr:
      return 8;
    case DW_EH_PE_udata2:
      return 2;
    case DW_EH_PE_udata4:
      return 4;
    case DW_EH_PE_udata8:
      return 8;
    default:
      return 0;
    }
}

bool
pointer_read (const uint8_t **at, const uint8_t *end, uint8_t encoding,
              uint64_t here, uint64_t base, bool big_endian, uint64_t *value)
{
  unsigned size = fixed_size (encoding);
  if (encoding & DW_EH_PE_indirect)
    return false;
  if ((encoding & 0x0f) == DW_EH_PE_uleb128)
    {
      if (!uleb_read (at, end, value))
        return false;
    }
  else if (size == 0 || !uint_read (at, end, size, big_endian, value))
    return false;
  else if ((encoding & DW_EH_PE_signed) && size < 8)
    *value
        = (uint64_t)((int64_t)(*value << (64 - 8 * size)) >> (64 - 8 * size));
  switch (encoding & 0x70)
    {
    case DW_EH_PE_absptr:
      return true;
    case DW_EH_PE_pcrel:
      *value += here;
      return true;
    case DW_EH_PE_datarel:
      *value += base;
      return true;
    default:
      return false;
    }
}
