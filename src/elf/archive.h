/* Archives of objects (ar, .a): their members and the symbol index.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The format is that of ar(5) as GNU and LLVM write it: an index "/" (or
   "/SYM64/"), a table of long names "//", then the members.  libelf reads such
   archives, but does not write them.  */

#ifndef ELF_ARCHIVE_H
#define ELF_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum archive_member_kind
{
  ARCHIVE_FILE,
  ARCHIVE_INDEX,   /* the symbol index, with big-endian offsets of 4 bytes */
  ARCHIVE_INDEX64, /* the same, with offsets of 8 bytes */
  ARCHIVE_NAMES    /* the table of long names */
};

struct archive_member
{
  enum archive_member_kind kind;
  uint64_t offset;      /* of the member's header, from the archive's start */
  const uint8_t *bytes; /* contents */
  uint64_t size;
};

struct archive
{
  const uint8_t *bytes;
  uint64_t size;
  struct archive_member *members; /* owned; in the order of the file */
  size_t n;
  const uint8_t *names; /* the table of long names; NULL: there is none */
  uint64_t names_size;
};

/* Return whether the SIZE bytes begin like an archive.  */
bool archive_has_magic (const uint8_t *bytes, uint64_t size);

/* Find the members of the archive in SIZE bytes, which must outlive ARCHIVE.
   Thin archives, whose members are other files, are refused.  If this fails,
   ARCHIVE needs no freeing.  */
bool archive_open (struct archive *archive, const uint8_t *bytes,
                   uint64_t size, struct error *err);

void archive_free (struct archive *archive);

/* Write the name of MEMBER to NAME, of SIZE bytes; cut it off if
   necessary.  */
void archive_member_name (const struct archive *archive,
                          const struct archive_member *member, char *name,
                          size_t size);

/* Write a member with the header of MEMBER and with SIZE BYTES, padded to an
   even size, to FD at offset *AT, and move *AT after it.  */
bool archive_write_member (const struct archive *archive,
                           const struct archive_member *member,
                           const void *bytes, uint64_t size, int fd,
                           uint64_t *at, struct error *err);

/* Write the contents of the symbol index MEMBER to FD at OFFSET.  OFFSETS[I]
   is the new offset of the header of member I.  */
bool archive_write_index (const struct archive *archive,
                          const struct archive_member *member,
                          const uint64_t *offsets, int fd, uint64_t offset,
                          struct error *err);

/* Return whether INDEX_X, of archive X, and INDEX_Y, of Y, contain the same
   symbols in the same members, by number.  Linkers read only the member that
   the index names for a symbol.  archive_write_index has accepted INDEX_X, so
   it is as long as its number of symbols requires.  */
bool archive_index_agrees (const struct archive *x,
                           const struct archive_member *index_x,
                           const struct archive *y,
                           const struct archive_member *index_y);

#endif /* ELF_ARCHIVE_H */
