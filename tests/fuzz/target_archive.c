/* The archive reader and writer on any bytes.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Input: an archive.  Written anew with members of other sizes, it must be
   readable, with the same members and an index that leads to the same ones. */

#include <config.h>

#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/io.h"
#include "base/mapped_file.h"
#include "elf/archive.h"

enum
{
  MAGIC_SIZE = 8,
  HEADER_SIZE = 60,
  NAME_ROOM = 32,
  ADDED_MAX = 5 /* bytes that a member may grow by here */
};

static bool
is_index (const struct archive_member *member)
{
  return member->kind == ARCHIVE_INDEX || member->kind == ARCHIVE_INDEX64;
}

/* Members lie one behind the other, inside, and have names that end.  */
static void
check_members (const struct archive *archive)
{
  uint64_t end = MAGIC_SIZE;
  for (size_t i = 0; i < archive->n; i++)
    {
      const struct archive_member *member = &archive->members[i];
      char name[NAME_ROOM];
      FUZZ_CHECK (member->offset >= end && member->offset <= end + 1);
      FUZZ_CHECK (member->bytes
                  == archive->bytes + member->offset + HEADER_SIZE);
      end = member->offset + HEADER_SIZE + member->size;
      FUZZ_CHECK (end <= archive->size);
      memset (name, 0x7f, sizeof name);
      archive_member_name (archive, member, name, sizeof name);
      FUZZ_CHECK (memchr (name, '\0', sizeof name) != NULL);
    }
}

/* What member INDEX is in the new archive: files grow, the rest stays.  */
static uint64_t
new_size (const struct archive_member *member, size_t index)
{
  return member->size
         + (member->kind == ARCHIVE_FILE ? index % (ADDED_MAX + 1) : 0);
}

static bool
write_members (const struct archive *archive, uint64_t *offsets, int fd,
               struct error *err)
{
  uint64_t at = MAGIC_SIZE;
  if (!io_write_at (fd, archive->bytes, MAGIC_SIZE, 0, err))
    return false;
  for (size_t i = 0; i < archive->n; i++)
    {
      const struct archive_member *member = &archive->members[i];
      uint64_t size = new_size (member, i);
      uint8_t *bytes = calloc (1, size + 1);
      FUZZ_CHECK (bytes != NULL);
      memcpy (bytes, member->bytes, member->size);
      offsets[i] = at;
      bool written
          = archive_write_member (archive, member, bytes, size, fd, &at, err);
      free (bytes);
      if (!written)
        return false;
    }
  for (size_t i = 0; i < archive->n; i++)
    if (is_index (&archive->members[i])
        && !archive_write_index (archive, &archive->members[i], offsets, fd,
                                 offsets[i] + HEADER_SIZE, err))
      return false;
  return true;
}

/* The member with the header at OFFSET.  */
static size_t
member_at (const struct archive *archive, uint64_t offset)
{
  size_t i = 0;
  while (i < archive->n && archive->members[i].offset != offset)
    i++;
  return i;
}

/* Entries of the index lead to the same members as before.  */
static void
compare_index (const struct archive *old, const struct archive_member *x,
               const struct archive *new, const struct archive_member *y)
{
  size_t width = x->kind == ARCHIVE_INDEX64 ? 8 : 4;
  FUZZ_CHECK (x->size == y->size);
  uint64_t n
      = width == 8 ? load_u64 (x->bytes, true) : load_u32 (x->bytes, true);
  for (uint64_t i = 1; i <= n; i++)
    {
      const uint8_t *a = x->bytes + i * width, *b = y->bytes + i * width;
      uint64_t from = width == 8 ? load_u64 (a, true) : load_u32 (a, true);
      uint64_t to = width == 8 ? load_u64 (b, true) : load_u32 (b, true);
      FUZZ_CHECK (member_at (old, from) < old->n
                  && member_at (old, from) == member_at (new, to));
    }
}

static void
compare (const struct archive *old, const struct archive *new)
{
  FUZZ_CHECK (old->n == new->n);
  for (size_t i = 0; i < old->n; i++)
    {
      const struct archive_member *x = &old->members[i];
      const struct archive_member *y = &new->members[i];
      char before[NAME_ROOM], after[NAME_ROOM];
      archive_member_name (old, x, before, sizeof before);
      archive_member_name (new, y, after, sizeof after);
      FUZZ_CHECK (x->kind == y->kind && strcmp (before, after) == 0
                  && y->size == new_size (x, i));
      if (is_index (x))
        compare_index (old, x, new, y);
      else
        FUZZ_CHECK (memcmp (x->bytes, y->bytes, x->size) == 0);
    }
}

static void
write_anew (const struct archive *archive)
{
  struct error err = { 0 };
  struct archive new;
  size_t size;
  uint64_t *offsets = calloc (archive->n + 1, sizeof *offsets);
  int fd = memfd_create ("archive", MFD_CLOEXEC);
  FUZZ_CHECK (offsets != NULL && fd >= 0);
  if (write_members (archive, offsets, fd, &err))
    {
      const uint8_t *bytes = mapped_file_open (fd, &size, &err);
      FUZZ_DONE (bytes != NULL && archive_open (&new, bytes, size, &err),
                 &err);
      check_members (&new);
      compare (archive, &new);
      archive_free (&new);
      mapped_file_close (bytes, size);
    }
  else
    FUZZ_CHECK (err.reason[0] != '\0');
  close (fd);
  free (offsets);
}

void
fuzz_archive (const uint8_t *bytes, size_t size)
{
  struct archive archive;
  struct error err = { 0 };
  if (!archive_has_magic (bytes, size))
    return;
  if (!archive_open (&archive, bytes, size, &err))
    {
      FUZZ_CHECK (err.reason[0] != '\0');
      return;
    }
  check_members (&archive);
  write_anew (&archive);
  archive_free (&archive);
}
