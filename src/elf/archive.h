/* Archives of objects (ar, .a): their members and the index of symbols.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The format is that of ar(5) as GNU and LLVM write it: an index "/" (or
   "/SYM64/"), a table of long names "//", then the members.  libelf reads
   these archives but does not write them.  */

#ifndef ELF_ARCHIVE_H
#define ELF_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum archive_member_kind
{
  ARCHIVE_FILE,
  ARCHIVE_INDEX,   /* big-endian offsets of 4 bytes */
  ARCHIVE_INDEX64, /* of 8 bytes */
  ARCHIVE_NAMES    /* long names */
};

struct archive_member
{
  enum archive_member_kind kind;
  uint64_t offset;      /* offset of the header, from the archive's start */
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

/* Whether these SIZE bytes begin like an archive.  */
bool archive_has_magic (const uint8_t *bytes, uint64_t size);

/* Find the members in SIZE bytes that outlive ARCHIVE.  Thin archives, where
   members are other files, are refused.  On failure ARCHIVE needs no
   freeing.  */
bool archive_open (struct archive *archive, const uint8_t *bytes,
                   uint64_t size, struct error *err);

void archive_free (struct archive *archive);

/* The name of MEMBER, as far as it fits into NAME of SIZE bytes.  */
void archive_member_name (const struct archive *archive,
                          const struct archive_member *member, char *name,
                          size_t size);

/* Write a member like MEMBER with SIZE BYTES, padded to an even size, to FD at
   offset *AT, which is set behind the member.  */
bool archive_write_member (const struct archive *archive,
                           const struct archive_member *member,
                           const void *bytes, uint64_t size, int fd,
                           uint64_t *at, struct error *err);

/* Write the contents of the symbol index, which is MEMBER, to OFFSET of FD;
   OFFSETS[I] is where the header of member I is now.  */
bool archive_write_index (const struct archive *archive,
                          const struct archive_member *member,
                          const uint64_t *offsets, int fd, uint64_t offset,
                          struct error *err);

/* Whether INDEX_X, of X, and INDEX_Y, of Y, are of the same symbols, each of
   the same member by number.  The index says where linkers find a symbol, and
   they read no other member for it.  INDEX_X is one that archive_write_index
   accepted: it has room for what it counts.  */
bool archive_index_agrees (const struct archive *x,
                           const struct archive_member *index_x,
                           const struct archive *y,
                           const struct archive_member *index_y);

#endif /* ELF_ARCHIVE_H */
