/* The undo record, from which the original file can be restored exactly.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A converted file may end in a record, behind all bytes that a header names.
   Tools that rewrite the file (strip, objcopy) drop such bytes, which is
   right: the record does not fit the rewritten file.

   Format; all numbers are little-endian, whatever the machine of the file:

     0   8 bytes   magic "C2SUNDO" and the version, 1
     8   u64       size of the file without the record = the record's offset
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

   Reading treats the record as hostile input.  Undoing is safe by the digest
   of the original: the result has another digest if the file was changed after
   its conversion, or if the record is wrong, and then it is refused.  */

#ifndef WRITE_UNDO_H
#define WRITE_UNDO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "elf/image.h"
#include "place/plan.h"

/* Numbers of this format, for undo.c and its test.  */
#define UNDO_MAGIC "C2SUNDO\1"

enum
{
  UNDO_MAGIC_SIZE = 8,
  UNDO_HEADER_SIZE = 40,
  UNDO_FOOTER_SIZE = 24,
  UNDO_UNDIGESTED = 16, /* bytes at the end: the digest and the magic */

  /* More than any conversion needs, and little memory.  A moved section takes
     a few operations, a patched symbol two; 4096 symbols may be patched.  */
  UNDO_OPERATIONS_MAX = 1 << 14,

  /* Fewer bytes than this that have moved to an offset below the old file's
     size are stored, so that a record has few operations.  */
  UNDO_STORED_MOVE = 4096
};

enum undo_kind
{
  UNDO_COPY,
  UNDO_STORE,
  UNDO_ZEROS,
  UNDO_KIND_BITS = 2
};

/* The place of a file's record, and its numbers.  */
struct undo_record
{
  uint64_t offset; /* of the record; size of the file without the record */
  uint64_t size;
  uint64_t original_size;
  uint64_t original_digest;
};

/* Append to RECORD the record of PLAN for IMAGE, for offset new_size.  */
bool undo_record_build (struct buffer *record, const struct image *image,
                        const struct plan *plan, struct error *err);

/* Do what undo_record_build does, given the DIGEST (hash_digest) of IMAGE.  */
bool undo_record_build_digested (struct buffer *record,
                                 const struct image *image,
                                 const struct plan *plan, uint64_t digest,
                                 struct error *err);

/* Find the record at the end of IMAGE.  False if there is none, or it is
   damaged.  This and undo_plan read no headers, which may be half-written.  */
bool undo_record_find (struct undo_record *record, const struct image *image);

/* Return the number of bytes behind an intact record; 0 if there is none.  */
uint64_t undo_bytes_appended (const struct image *image);

/* Plan how to make the original of IMAGE.  The plan has no .sframe.  The
   caller frees it with plan_free, also after failure.  False with status
   CFI2SFRAME_NOTHING without a record, CFI2SFRAME_REFUSED when the file was
   changed after its conversion, CFI2SFRAME_MALFORMED when the record
   contradicts itself.  */
bool undo_plan (struct plan *plan, const struct image *image,
                struct error *err);

/* Whether the SIZE BYTES are the original, by the digest in the record of
   IMAGE.  False with CFI2SFRAME_MISMATCH.  */
bool undo_check (const struct image *image, const void *bytes, size_t size,
                 struct error *err);

#endif /* WRITE_UNDO_H */
