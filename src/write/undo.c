/* Finding an undo record and planning the way back.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "write/undo.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "write/undo_format.h"

bool
undo_record_find (struct undo_record *record, const struct image *image)
{
  *record = (struct undo_record){ 0 };
  if (image->size < UNDO_HEADER_SIZE + UNDO_FOOTER_SIZE)
    return false;
  const uint8_t *end = image->bytes + image->size;
  if (memcmp (end - UNDO_MAGIC_SIZE, UNDO_MAGIC, UNDO_MAGIC_SIZE) != 0)
    return false;
  uint64_t size = load_u64 (end - UNDO_FOOTER_SIZE, false);
  if (size < UNDO_HEADER_SIZE + UNDO_FOOTER_SIZE || size > image->size)
    return false;
  const uint8_t *begin = end - size;
  uint64_t digest = load_u64 (end - UNDO_UNDIGESTED, false);
  if (memcmp (begin, UNDO_MAGIC, UNDO_MAGIC_SIZE) != 0
      || digest != hash_digest (begin, (size_t)size - UNDO_UNDIGESTED))
    return false;
  *record
      = (struct undo_record){ .offset = image->size - size,
                              .size = size,
                              .original_size = load_u64 (begin + 16, false),
                              .original_digest
                              = load_u64 (begin + 24, false) };
  return true;
}

/* The next magic at or behind file offset AT, or SIZE_MAX.  */
static size_t
find_magic (const struct image *image, size_t at)
{
  const uint8_t *found = at >= image->size
                             ? NULL
                             : memmem (image->bytes + at, image->size - at,
                                       UNDO_MAGIC, UNDO_MAGIC_SIZE);
  return found == NULL ? SIZE_MAX : (size_t)(found - image->bytes);
}

/* Where a record begins that lies where it says; SIZE_MAX if there is none. No
   record is in front of the section header table.  */
static size_t
find_begin (const struct image *image)
{
  size_t at = find_magic (image, (size_t)image->header.e_shoff);
  while (at != SIZE_MAX
         && (image->size - at < UNDO_HEADER_SIZE
             || load_u64 (image->bytes + at + UNDO_MAGIC_SIZE, false) != at))
    at = find_magic (image, at + UNDO_MAGIC_SIZE);
  return at;
}

/* Of a record with several ends the first one counts: each further one would
   cost a digest.  */
uint64_t
undo_bytes_appended (const struct image *image)
{
  size_t begin = find_begin (image);
  if (begin == SIZE_MAX)
    return 0;
  for (size_t at = find_magic (image, begin + UNDO_HEADER_SIZE);
       at != SIZE_MAX; at = find_magic (image, at + UNDO_MAGIC_SIZE))
    {
      struct undo_record record;
      struct image front = *image;
      front.size = at + UNDO_MAGIC_SIZE;
      if (load_u64 (image->bytes + front.size - UNDO_FOOTER_SIZE, false)
          == front.size - begin)
        return undo_record_find (&record, &front) ? image->size - front.size
                                                  : 0;
    }
  return 0;
}

/* A plan being made out of operations.  */
struct record_reader
{
  const struct undo_record *record;
  struct cursor cursor;
  struct plan *plan;
  uint64_t at; /* bytes of the original that are planned */
};

static bool
read_operation (struct record_reader *reader, struct error *err)
{
  struct plan *plan = reader->plan;
  uint64_t word = cursor_uleb (&reader->cursor);
  uint64_t size = word >> UNDO_KIND_BITS;
  unsigned kind = word & ((1 << UNDO_KIND_BITS) - 1);
  bool ok = size > 0 && size <= reader->record->original_size - reader->at;
  if (ok && kind == UNDO_COPY)
    {
      uint64_t from = cursor_uleb (&reader->cursor);
      ok = from <= reader->record->offset
           && size <= reader->record->offset - from;
      plan->extents[plan->n_extents++]
          = (struct plan_extent){ from, reader->at, size };
    }
  else if (ok && kind == UNDO_STORE)
    {
      const uint8_t *bytes = cursor_take (&reader->cursor, size);
      uint8_t *copy = bytes != NULL ? plan_add_patch (plan, reader->at,
                                                      (size_t)size, err)
                                    : NULL;
      if (bytes != NULL && copy == NULL)
        return false;
      if (copy != NULL)
        memcpy (copy, bytes, (size_t)size);
    }
  else
    ok = ok && kind == UNDO_ZEROS;
  if (!ok || reader->cursor.failed)
    return error_set_word (err, CFI2SFRAME_MALFORMED, WORD_UNDO_RECORD,
                           "the undo record contradicts itself");
  reader->at += size;
  return true;
}

static bool
read_operations (struct record_reader *reader, uint64_t n, struct error *err)
{
  struct plan *plan = reader->plan;
  plan->extents = calloc ((size_t)n + 1, sizeof plan->extents[0]);
  if (plan->extents == NULL)
    return error_set_no_memory (err);
  for (uint64_t i = 0; i < n; i++)
    if (!read_operation (reader, err))
      return false;
  if (reader->at != reader->record->original_size
      || cursor_left (&reader->cursor) > 0)
    return error_set_word (err, CFI2SFRAME_MALFORMED, WORD_UNDO_RECORD,
                           "the undo record is incomplete");
  return true;
}

/* Add SIZE zero bytes to the digest.  */
static void
digest_zeros (XXH64_state_t *state, uint64_t size)
{
  static const uint8_t zeros[4096];
  for (; size > sizeof zeros; size -= sizeof zeros)
    XXH64_update (state, zeros, sizeof zeros);
  XXH64_update (state, zeros, (size_t)size);
}

/* The digest of the file PLAN makes of IMAGE.  It has no .sframe.  */
static bool
digest_of_plan (const struct plan *plan, const struct image *image,
                uint64_t *digest, struct error *err)
{
  size_t n;
  XXH64_state_t *state = XXH64_createState ();
  struct plan_piece *pieces = plan_cut (plan, image->bytes, NULL, &n);
  bool done = state != NULL && pieces != NULL;
  if (done)
    XXH64_reset (state, 0);
  for (size_t i = 0; done && i < n; i++)
    if (pieces[i].bytes == NULL)
      digest_zeros (state, pieces[i].size);
    else
      XXH64_update (state, pieces[i].bytes, (size_t)pieces[i].size);
  if (done)
    *digest = XXH64_digest (state);
  XXH64_freeState (state);
  free (pieces);
  return done || error_set_no_memory (err);
}

bool
undo_plan (struct plan *plan, const struct image *image, struct error *err)
{
  *plan = (struct plan){ 0 };
  struct undo_record record;
  if (!undo_record_find (&record, image))
    return error_set_word (err, CFI2SFRAME_NOTHING, WORD_NO_UNDO_RECORD,
                           "has no undo record");
  const uint8_t *begin = image->bytes + record.offset;
  uint64_t n = load_u64 (begin + 32, false);
  /* No conversion makes a file smaller.  So an original of more bytes is
     refused; otherwise a hostile record could make the output as large as it
     likes.  */
  if (load_u64 (begin + 8, false) != record.offset
      || record.original_size > record.offset || n > UNDO_OPERATIONS_MAX
      || n > record.size)
    return error_set_word (err, CFI2SFRAME_REFUSED, WORD_UNDO_RECORD,
                           "the undo record does not belong to this file");
  struct record_reader reader = {
    .record = &record,
    .cursor = cursor_over (
        begin + UNDO_HEADER_SIZE,
        (size_t)record.size - UNDO_HEADER_SIZE - UNDO_FOOTER_SIZE, false),
    .plan = plan,
  };
  plan->new_size = record.original_size;
  uint64_t digest = 0;
  if (!read_operations (&reader, n, err)
      || !digest_of_plan (plan, image, &digest, err))
    return false;
  if (digest != record.original_digest)
    return error_set_word (err, CFI2SFRAME_REFUSED, WORD_UNDO_RECORD,
                           "the file was changed after its conversion, so the "
                           "original cannot be restored exactly");
  return true;
}

bool
undo_check (const struct image *image, const void *bytes, size_t size,
            struct error *err)
{
  struct undo_record record;
  return (undo_record_find (&record, image) && size == record.original_size
          && hash_digest (bytes, size) == record.original_digest)
         || error_set_word (err, CFI2SFRAME_MISMATCH, WORD_UNDO_RECORD,
                            "the restored file is not the original");
}
