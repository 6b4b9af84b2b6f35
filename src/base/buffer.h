/* A growing byte array, which stores integers in the byte order of the target.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The functions that append report no failure.  When memory runs out they set
   `failed`, and later calls do nothing.  The owner of the buffer looks at
   `failed` once, at the end.  */

#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer
{
  uint8_t *bytes; /* owned; freed by buffer_free */
  size_t size;
  size_t capacity;
  bool big_endian;
  bool failed;
};

void buffer_init (struct buffer *buffer, bool big_endian);
void buffer_free (struct buffer *buffer);

/* Allocate memory for SIZE more bytes.  Returns false when memory ran out.  */
bool buffer_reserve (struct buffer *buffer, size_t size);

/* Append SIZE uninitialised bytes and return their address, or NULL when
   memory ran out.  The address is valid until the next append.  */
uint8_t *buffer_extend (struct buffer *buffer, size_t size);

void buffer_append (struct buffer *buffer, const void *bytes, size_t size);
void buffer_fill (struct buffer *buffer, uint8_t byte, size_t count);
void buffer_u8 (struct buffer *buffer, uint8_t value);
void buffer_u16 (struct buffer *buffer, uint16_t value);
void buffer_u32 (struct buffer *buffer, uint32_t value);
void buffer_u64 (struct buffer *buffer, uint64_t value);

/* Append VALUE as the shortest unsigned LEB128 (DWARF 5, section 7.6).  */
void buffer_uleb (struct buffer *buffer, uint64_t value);

#endif /* BASE_BUFFER_H */
