/* Reading and writing integers in the byte order of the target.
   SPDX-License-Identifier: LGPL-2.1-or-later

   No other code deals with byte order.  load_* and store_* work at any
   alignment.  A cursor reads a range of bytes from its beginning to its end,
   and never outside of it.  The first read past the end sets `failed`, and all
   later reads return 0, so a caller may check `failed` once after a group of
   reads.  */

#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t
load_u16 (const void *at, bool big_endian)
{
  uint16_t value;
  memcpy (&value, at, sizeof value);
  return big_endian ? be16toh (value) : le16toh (value);
}

static inline uint32_t
load_u32 (const void *at, bool big_endian)
{
  uint32_t value;
  memcpy (&value, at, sizeof value);
  return big_endian ? be32toh (value) : le32toh (value);
}

static inline uint64_t
load_u64 (const void *at, bool big_endian)
{
  uint64_t value;
  memcpy (&value, at, sizeof value);
  return big_endian ? be64toh (value) : le64toh (value);
}

static inline void
store_u16 (void *at, uint16_t value, bool big_endian)
{
  value = big_endian ? htobe16 (value) : htole16 (value);
  memcpy (at, &value, sizeof value);
}

static inline void
store_u32 (void *at, uint32_t value, bool big_endian)
{
  value = big_endian ? htobe32 (value) : htole32 (value);
  memcpy (at, &value, sizeof value);
}

static inline void
store_u64 (void *at, uint64_t value, bool big_endian)
{
  value = big_endian ? htobe64 (value) : htole64 (value);
  memcpy (at, &value, sizeof value);
}

/* Return whether all SIZE BYTES are 0.  */
static inline bool
bytes_are_zero (const void *bytes, size_t size)
{
  const uint8_t *at = bytes;
  return size == 0 || (*at == 0 && memcmp (at, at + 1, size - 1) == 0);
}

struct cursor
{
  const uint8_t *at;  /* next byte to read */
  const uint8_t *end; /* one past the last readable byte */
  bool big_endian;
  bool failed; /* a read reached past the end */
};

static inline struct cursor
cursor_over (const void *bytes, size_t size, bool big_endian)
{
  const uint8_t *begin = bytes;
  const uint8_t *end = size > 0 ? begin + size : begin; /* may be NULL */
  return (struct cursor){ begin, end, big_endian, false };
}

static inline size_t
cursor_left (const struct cursor *cursor)
{
  return (size_t)(cursor->end - cursor->at);
}

/* Skip the next SIZE bytes and return their address, or NULL if too few.  */
static inline const uint8_t *
cursor_take (struct cursor *cursor, uint64_t size)
{
  if (size > cursor_left (cursor))
    {
      cursor->failed = true;
      cursor->at = cursor->end;
      return NULL;
    }
  const uint8_t *taken = cursor->at;
  cursor->at += size;
  return taken;
}

static inline uint8_t
cursor_u8 (struct cursor *cursor)
{
  const uint8_t *at = cursor_take (cursor, 1);
  return at ? *at : 0;
}

static inline uint16_t
cursor_u16 (struct cursor *cursor)
{
  const uint8_t *at = cursor_take (cursor, 2);
  return at ? load_u16 (at, cursor->big_endian) : 0;
}

static inline uint32_t
cursor_u32 (struct cursor *cursor)
{
  const uint8_t *at = cursor_take (cursor, 4);
  return at ? load_u32 (at, cursor->big_endian) : 0;
}

static inline uint64_t
cursor_u64 (struct cursor *cursor)
{
  const uint8_t *at = cursor_take (cursor, 8);
  return at ? load_u64 (at, cursor->big_endian) : 0;
}

/* Read an unsigned LEB128 number (DWARF 5, section 7.6).  The read fails when
   the number has 1 bits beyond the 64th.  */
uint64_t cursor_uleb_slow (struct cursor *cursor);

/* Read a signed LEB128 number.  The read fails if it does not fit int64_t.  */
int64_t cursor_sleb_slow (struct cursor *cursor);

/* Nearly all LEB128 numbers have one byte, so these are read inline.  */
static inline uint64_t
cursor_uleb (struct cursor *cursor)
{
  if (cursor->at < cursor->end && *cursor->at < 0x80)
    return *cursor->at++;
  return cursor_uleb_slow (cursor);
}

static inline int64_t
cursor_sleb (struct cursor *cursor)
{
  if (cursor->at < cursor->end && *cursor->at < 0x80)
    {
      uint8_t byte = *cursor->at++;
      return byte & 0x40 ? (int64_t)byte - 0x80 : byte;
    }
  return cursor_sleb_slow (cursor);
}

#endif /* BASE_BYTES_H */
