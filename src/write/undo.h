/* The undo record: what it takes to get the original file back, byte by byte.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A converted file may end in a record, behind everything that any header
   accounts for.  Tools that rewrite a file (strip, objcopy) drop it, rightly:
   it would be stale.

   Layout; all numbers are little-endian, whatever the machine of the file:

     0   8 bytes   magic "C2SUNDO" and the version, 1
     8   u64       size of the file without the record = where the record is
     16  u64       size of the original file
     24  u64       XXH64 digest of the original file
     32  u64       number of operations
     40  ...       the operations, which make the original from left to right:
                   ULEB128 (size << 2 | kind), then
                   0 copy: ULEB128 offset in the converted file
                   1 store: `size` bytes
                   2 zeros: nothing
     end of file - 24:
         u64       size of the record, from its magic to the end of the file
         u64       XXH64 digest of the record up to here
         8 bytes   the magic again

   The record is taken for hostile input.  The digest of the original is what
   makes undoing safe: a file that was changed in any way after its conversion
   does not give that digest, nor does one with a wrong record; both are
   refused.  */

#ifndef WRITE_UNDO_H
#define WRITE_UNDO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "elf/image.h"
#include "place/plan.h"

/* The numbers of the layout, for undo.c and its test.  */
#define UNDO_MAGIC "C2SUNDO\1"

enum
{
  UNDO_MAGIC_SIZE = 8,
  UNDO_HEADER_SIZE = 40,
  UNDO_FOOTER_SIZE = 24,
  UNDO_UNDIGESTED = 16, /* at the end: the digest and the magic */

  /* More than any conversion needs, and little memory.  A moved section takes
     a few, a patched symbol two; 4096 symbols may be patched.  */
  UNDO_OPERATIONS_MAX = 1 << 14,

  /* A part with less bytes than this that moves inside the old file's length
     is stored, so that a record has few operations.  */
  UNDO_STORED_MOVE = 4096
};

enum undo_kind
{
  UNDO_COPY,
  UNDO_STORE,
  UNDO_ZEROS,
  UNDO_KIND_BITS = 2
};

/* Where a file's record is and what it says, apart from the operations.  */
struct undo_record
{
  uint64_t offset; /* of the record = size of the file without it */
  uint64_t size;
  uint64_t original_size;
  uint64_t original_digest;
};

/* Append to RECORD the record of the conversion of IMAGE by PLAN.  Its place
   is plan->new_size.  */
bool undo_record_build (struct buffer *record, const struct image *image,
                        const struct plan *plan, struct error *err);

/* Do as undo_record_build does when the digest of the image's bytes
   (hash_digest) is at hand.  */
bool undo_record_build_digested (struct buffer *record,
                                 const struct image *image,
                                 const struct plan *plan, uint64_t digest,
                                 struct error *err);

/* Whether the file IMAGE ends in an intact record.  This and undo_plan need
   its bytes only: the headers may be half-written.  */
bool undo_record_find (struct undo_record *record, const struct image *image);

/* How many bytes stand behind a record in IMAGE that is intact but no longer
   at the end of the file; 0 without one.  */
uint64_t undo_bytes_appended (const struct image *image);

/* Plan how the original is made of IMAGE.  The plan has no .sframe, and is
   freed with plan_free also after failure.  Fails with status
   CFI2SFRAME_NOTHING without a record, CFI2SFRAME_REFUSED when the
   file changed since, CFI2SFRAME_MALFORMED when the record contradicts
   itself.  */
bool undo_plan (struct plan *plan, const struct image *image,
                struct error *err);

/* Whether these SIZE bytes are the original, by the digest in the record of
   IMAGE. False with CFI2SFRAME_MISMATCH if not.  */
bool undo_check (const struct image *image, const void *bytes, size_t size,
                 struct error *err);

#endif /* WRITE_UNDO_H */
