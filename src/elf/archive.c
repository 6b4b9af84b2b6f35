/* Archives of objects: their members and the symbol index.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "elf/archive.h"

#include <ar.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/io.h"
#include "base/search.h"

#define THIN_MAGIC "!<thin>\n"

enum
{
  LONG_NAME_MAX = 4096 /* bytes of a long name that are read */
};

bool
archive_has_magic (const uint8_t *bytes, uint64_t size)
{
  return size >= SARMAG
         && (memcmp (bytes, ARMAG, SARMAG) == 0
             || memcmp (bytes, THIN_MAGIC, SARMAG) == 0);
}

/* Parse a decimal number of at most LENGTH digits, padded with blanks.  */
static bool
parse_decimal (const char *digits, size_t length, uint64_t *value)
{
  size_t i = 0;
  *value = 0;
  for (; i < length && digits[i] >= '0' && digits[i] <= '9'; i++)
    *value = *value * 10 + (uint64_t)(digits[i] - '0');
  bool found = i > 0;
  for (; i < length && digits[i] == ' '; i++)
    continue;
  return found && i == length;
}

static bool
read_member (const struct archive *archive, uint64_t at,
             struct archive_member *member, struct error *err)
{
  uint64_t left = archive->size - at;
  const struct ar_hdr *header = (const struct ar_hdr *)(archive->bytes + at);
  if (left < sizeof *header || memcmp (header->ar_fmag, ARFMAG, 2) != 0
      || !parse_decimal (header->ar_size, sizeof header->ar_size,
                         &member->size)
      || member->size > left - sizeof *header)
    return error_set_at (err, CFI2SFRAME_MALFORMED, at,
                         "archive member is damaged or truncated");
  /* 4.4BSD's ar writes "#1/" and the length of the name here, and the name in
     front of the contents.  */
  const char *name = header->ar_name;
  if (memcmp (name, "#1/", 3) == 0 || memcmp (name, "__.SYMDEF", 9) == 0)
    return error_set (err, CFI2SFRAME_UNSUPPORTED, "archive of BSD's kind");
  member->kind = memcmp (name, "/               ", 16) == 0   ? ARCHIVE_INDEX
                 : memcmp (name, "/SYM64/         ", 16) == 0 ? ARCHIVE_INDEX64
                 : memcmp (name, "//              ", 16) == 0 ? ARCHIVE_NAMES
                                                              : ARCHIVE_FILE;
  member->offset = at;
  member->bytes = archive->bytes + at + sizeof *header;
  return true;
}

bool
archive_open (struct archive *archive, const uint8_t *bytes, uint64_t size,
              struct error *err)
{
  size_t capacity = 0;
  *archive = (struct archive){ .bytes = bytes, .size = size };
  if (size >= SARMAG && memcmp (bytes, THIN_MAGIC, SARMAG) == 0)
    return error_set (err, CFI2SFRAME_UNSUPPORTED,
                      "thin archive: its objects are files of their own");
  for (uint64_t at = SARMAG; at < size;)
    {
      struct archive_member member = { 0 };
      if (!read_member (archive, at, &member, err)
          || !(ARRAY_ROOM (archive->members, archive->n + 1, &capacity)
               || error_set_no_memory (err)))
        {
          archive_free (archive);
          return false;
        }
      archive->members[archive->n++] = member;
      if (member.kind == ARCHIVE_NAMES && archive->names == NULL)
        {
          archive->names = member.bytes;
          archive->names_size = member.size;
        }
      at += sizeof (struct ar_hdr) + member.size;
      at += at & 1;
    }
  return true;
}

void
archive_free (struct archive *archive)
{
  free (archive->members);
  *archive = (struct archive){ 0 };
}

/* Return the long name at OFFSET of the table, and set *LENGTH.  The name ends
   in "/" and a newline.  */
static const char *
long_name (const struct archive *archive, uint64_t offset, size_t *length)
{
  if (offset >= archive->names_size)
    return NULL;
  const uint8_t *name = archive->names + offset;
  uint64_t left = archive->names_size - offset;
  if (left > LONG_NAME_MAX)
    left = LONG_NAME_MAX;
  const uint8_t *end = memchr (name, '\n', left);
  *length = end != NULL ? (size_t)(end - name) : (size_t)left;
  return (const char *)name;
}

void
archive_member_name (const struct archive *archive,
                     const struct archive_member *member, char *name,
                     size_t size)
{
  const struct ar_hdr *header
      = (const struct ar_hdr *)(archive->bytes + member->offset);
  const char *text = header->ar_name, *found = NULL;
  size_t length = sizeof header->ar_name;
  uint64_t offset;
  if (text[0] == '/' && parse_decimal (text + 1, length - 1, &offset))
    found = long_name (archive, offset, &length);
  if (found != NULL)
    text = found;
  while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '/'))
    length--;
  snprintf (name, size, "%.*s", (int)(length < size ? length : size), text);
}

bool
archive_write_member (const struct archive *archive,
                      const struct archive_member *member, const void *bytes,
                      uint64_t size, int fd, uint64_t *at, struct error *err)
{
  struct ar_hdr header;
  char digits[24];
  memcpy (&header, archive->bytes + member->offset, sizeof header);
  int length
      = snprintf (digits, sizeof digits, "%llu", (unsigned long long)size);
  if (length > (int)sizeof header.ar_size)
    return error_set (err, CFI2SFRAME_UNSUPPORTED,
                      "archive member is too long");
  memset (header.ar_size, ' ', sizeof header.ar_size);
  memcpy (header.ar_size, digits, (size_t)length);
  uint64_t end = *at + sizeof header + size;
  if (!io_write_at (fd, &header, sizeof header, *at, err)
      || !io_write_at (fd, bytes, size, *at + sizeof header, err)
      || ((end & 1) && !io_write_at (fd, "\n", 1, end, err)))
    return false;
  *at = end + (end & 1);
  return true;
}

/* Return the number of the member with its header at OFFSET, or
   archive->n.  */
static size_t
member_at (const struct archive *archive, uint64_t offset)
{
  size_t i
      = SEARCH_FIRST (archive->n, i, archive->members[i].offset >= offset);
  return i < archive->n && archive->members[i].offset == offset ? i
                                                                : archive->n;
}

/* Return the size of an offset in the index MEMBER.  */
static size_t
index_width (const struct archive_member *member)
{
  return member->kind == ARCHIVE_INDEX64 ? 8 : 4;
}

/* Read a number of WIDTH bytes of the index.  */
static uint64_t
load_number (const uint8_t *at, size_t width)
{
  return width == 8 ? load_u64 (at, true) : load_u32 (at, true);
}

static void
store_number (uint8_t *at, uint64_t value, size_t width)
{
  if (width == 8)
    store_u64 (at, value, true);
  else
    store_u32 (at, (uint32_t)value, true);
}

bool
archive_write_index (const struct archive *archive,
                     const struct archive_member *member,
                     const uint64_t *offsets, int fd, uint64_t offset,
                     struct error *err)
{
  size_t width = index_width (member);
  uint64_t n = member->size < width ? 0 : load_number (member->bytes, width);
  if (member->size < width || n > (member->size - width) / width)
    return error_set (err, CFI2SFRAME_MALFORMED,
                      "the archive's index is damaged");
  uint8_t *index = malloc ((size_t)member->size);
  if (index == NULL)
    return error_set_no_memory (err);
  memcpy (index, member->bytes, (size_t)member->size);
  bool good = true;
  for (uint64_t i = 0; good && i < n; i++)
    {
      uint8_t *entry = index + (i + 1) * width;
      size_t old = member_at (archive, load_number (entry, width));
      if (old == archive->n)
        good = error_set (err, CFI2SFRAME_MALFORMED,
                          "the archive's index is damaged");
      else if (width == 4 && offsets[old] > UINT32_MAX)
        good = error_set (err, CFI2SFRAME_UNSUPPORTED,
                          "the archive would be too large for its index");
      else
        store_number (entry, offsets[old], width);
    }
  good = good && io_write_at (fd, index, (size_t)member->size, offset, err);
  free (index);
  return good;
}

bool
archive_index_agrees (const struct archive *x,
                      const struct archive_member *index_x,
                      const struct archive *y,
                      const struct archive_member *index_y)
{
  size_t width = index_width (index_x), head = width;
  if (index_x->size != index_y->size)
    return false;
  uint64_t n = load_number (index_x->bytes, width);
  for (uint64_t i = 0; i < n; i++)
    {
      size_t to_x = member_at (x, load_number (index_x->bytes + head, width));
      size_t to_y = member_at (y, load_number (index_y->bytes + head, width));
      if (to_x != to_y || to_x == x->n)
        return false;
      head += width;
    }
  return memcmp (index_x->bytes, index_y->bytes, width) == 0
         && memcmp (index_x->bytes + head, index_y->bytes + head,
                    index_x->size - head)
                == 0;
}
