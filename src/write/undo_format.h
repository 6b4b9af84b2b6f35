/* The undo record's numbers, for its writer and its reader only.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WRITE_UNDO_FORMAT_H
#define WRITE_UNDO_FORMAT_H

#define UNDO_MAGIC "C2SUNDO\1"

enum
{
  UNDO_MAGIC_SIZE = 8,
  UNDO_HEADER_SIZE = 40,
  UNDO_FOOTER_SIZE = 24,
  UNDO_UNDIGESTED = 16, /* at the end: the digest and the magic */

  /* More than any conversion needs, and little memory.  A moved section takes
     a few, a patched symbol two; 4096 symbols may be patched.  */
  UNDO_OPERATIONS_MAX = 1 << 14
};

enum undo_kind
{
  UNDO_COPY,
  UNDO_STORE,
  UNDO_ZEROS,
  UNDO_KIND_BITS = 2
};

#endif /* WRITE_UNDO_FORMAT_H */
