/* A growing byte array, which stores integers in the byte order of the target.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "base/buffer.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"

void
buffer_init (struct buffer *buffer, bool big_endian)
{
  *buffer = (struct buffer){ .big_endian = big_endian };
}

void
buffer_free (struct buffer *buffer)
{
  free (buffer->bytes);
  buffer_init (buffer, buffer->big_endian);
}

bool
buffer_reserve (struct buffer *buffer, size_t size)
{
  size_t needed;
  buffer->failed = buffer->failed
                   || __builtin_add_overflow (buffer->size, size, &needed)
                   || !ARRAY_ROOM (buffer->bytes, needed, &buffer->capacity);
  return !buffer->failed;
}

uint8_t *
buffer_extend (struct buffer *buffer, size_t size)
{
  if (!buffer_reserve (buffer, size))
    return NULL;
  uint8_t *added = buffer->bytes + buffer->size;
  buffer->size += size;
  return added;
}

void
buffer_append (struct buffer *buffer, const void *bytes, size_t size)
{
  if (size == 0)
    return;
  uint8_t *at = buffer_extend (buffer, size);
  if (at != NULL)
    memcpy (at, bytes, size);
}

void
buffer_fill (struct buffer *buffer, uint8_t byte, size_t count)
{
  if (count == 0)
    return;
  uint8_t *at = buffer_extend (buffer, count);
  if (at != NULL)
    memset (at, byte, count);
}

void
buffer_u8 (struct buffer *buffer, uint8_t value)
{
  buffer_append (buffer, &value, sizeof value);
}

void
buffer_u16 (struct buffer *buffer, uint16_t value)
{
  uint8_t *at = buffer_extend (buffer, sizeof value);
  if (at != NULL)
    store_u16 (at, value, buffer->big_endian);
}

void
buffer_u32 (struct buffer *buffer, uint32_t value)
{
  uint8_t *at = buffer_extend (buffer, sizeof value);
  if (at != NULL)
    store_u32 (at, value, buffer->big_endian);
}

void
buffer_u64 (struct buffer *buffer, uint64_t value)
{
  uint8_t *at = buffer_extend (buffer, sizeof value);
  if (at != NULL)
    store_u64 (at, value, buffer->big_endian);
}

void
buffer_uleb (struct buffer *buffer, uint64_t value)
{
  for (; value >= 0x80; value >>= 7)
    buffer_u8 (buffer, (uint8_t)(value | 0x80));
  buffer_u8 (buffer, (uint8_t)value);
}
