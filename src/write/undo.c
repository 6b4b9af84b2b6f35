/* The undo record: finding it, planning by it, making it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "write/undo.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/hash.h"

/* ---- Finding a record */

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

/* Return the offset of the next magic at or behind AT, or SIZE_MAX.  */
static size_t
find_magic (const struct image *image, size_t at)
{
  const uint8_t *found = at >= image->size
                             ? NULL
                             : memmem (image->bytes + at, image->size - at,
                                       UNDO_MAGIC, UNDO_MAGIC_SIZE);
  return found == NULL ? SIZE_MAX : (size_t)(found - image->bytes);
}

/* Return the offset of the first record that has its own offset in its header,
   or SIZE_MAX.  No record is in front of the section header table.  */
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

/* Only the first possible end of a record is tried: each costs a digest.  */
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

/* ---- Planning by a record */

/* Makes a plan of the operations.  */
struct record_reader
{
  const struct undo_record *record;
  struct cursor cursor;
  struct plan *plan;
  uint64_t at; /* number of bytes of the original planned so far */
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

static void
digest_zeros (XXH64_state_t *state, uint64_t size)
{
  static const uint8_t zeros[4096];
  for (uint64_t n; size > 0; size -= n)
    {
      n = size < sizeof zeros ? size : sizeof zeros;
      XXH64_update (state, zeros, (size_t)n);
    }
}

/* Compute the digest of the file that PLAN makes of IMAGE.  */
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
    if (pieces[i].bytes != NULL)
      XXH64_update (state, pieces[i].bytes, (size_t)pieces[i].size);
    else
      digest_zeros (state, pieces[i].size);
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
  /* No conversion makes a file smaller, so an original cannot be larger than
     the file.  A hostile record could ask for an output of any size.  */
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

/* ---- Making a record

   A record is the inverse of a plan.  Bytes that the new file still has are
   copied; others that were zero are zeros; the rest is stored.  */

/* Up to this many bytes between two stored ranges are stored, too.  That saves
   two operations, which take five bytes or more.  */
#define MIN_COPY 12

static const uint64_t NOWHERE = UINT64_MAX;

struct operation
{
  enum undo_kind kind;
  uint64_t old_offset, size;
  uint64_t new_offset; /* offset in the new file of these bytes, or of others
                          that were written over them; NOWHERE: none */
};

struct record_builder
{
  const struct image *image;
  const struct plan *plan;
  struct operation *operations; /* owned; in the order of the original */
  size_t n_operations, capacity;
};

/* Whether NEXT begins in the new file where LAST ends.  */
static bool
follows (const struct operation *next, const struct operation *last)
{
  return last->new_offset != NOWHERE
         && last->new_offset + last->size == next->new_offset;
}

/* Add an operation that copies or stores.  Join it to the last one, or to the
   last two, if their bytes are in front of its own in both files.  */
static bool
add_operation (struct record_builder *builder, enum undo_kind kind,
               uint64_t old_offset, uint64_t size, uint64_t new_offset)
{
  struct operation next = { kind, old_offset, size, new_offset };
  struct operation *last
      = builder->n_operations > 0
            ? &builder->operations[builder->n_operations - 1]
            : NULL;
  bool joins = last != NULL && follows (&next, last);
  if (size == 0)
    return true;
  if (joins && last->kind == kind)
    {
      last->size += size;
      return true;
    }
  if (joins && kind == UNDO_STORE && last->size <= MIN_COPY
      && builder->n_operations > 1 && follows (last, last - 1))
    {
      last[-1].size += last->size + size;
      builder->n_operations--;
      return true;
    }
  if (!ARRAY_ROOM (builder->operations, builder->n_operations + 1,
                   &builder->capacity))
    return false;
  builder->operations[builder->n_operations++] = next;
  return true;
}

/* Add operations for the old bytes of PIECE, which begin at OLD_OFFSET of the
   original.  Bytes are compared one by one, because most bytes of a patched
   header stay the same.  */
static bool
add_piece (struct record_builder *builder, const struct plan_piece *piece,
           uint64_t old_offset)
{
  const uint8_t *old = piece->old, *new = piece->bytes;
  uint64_t end = 0;
  for (uint64_t begin = 0; begin < piece->size; begin = end)
    {
      bool kept = old == new || old[begin] == new[begin];
      end = old == new ? piece->size : begin + 1;
      while (end < piece->size && (old[end] == new[end]) == kept)
        end++;
      if (!add_operation (builder, kept ? UNDO_COPY : UNDO_STORE,
                          old_offset + begin, end - begin,
                          piece->offset + begin))
        return false;
    }
  return true;
}

static int
compare_pieces (const void *a, const void *b)
{
  const struct plan_piece *left = a, *right = b;
  return (left->old > right->old) - (left->old < right->old);
}

/* Add operations for all of the original: for pieces with old bytes, in their
   old order, and for the bytes between them, which the new file has lost.  */
static bool
add_pieces (struct record_builder *builder, struct plan_piece *pieces,
            size_t n)
{
  const uint8_t *original = builder->image->bytes;
  uint64_t at = 0;
  qsort (pieces, n, sizeof *pieces, compare_pieces);
  for (size_t i = 0; i < n; i++)
    {
      if (pieces[i].old == NULL)
        continue;
      uint64_t begin = (uint64_t)(pieces[i].old - original);
      if (!add_operation (builder, UNDO_STORE, at, begin - at, NOWHERE)
          || !add_piece (builder, &pieces[i], begin))
        return false;
      at = begin + pieces[i].size;
    }
  return add_operation (builder, UNDO_STORE, at, builder->image->size - at,
                        NOWHERE);
}

/* Return the kind of OPERATION that takes the fewest bytes.  A short copy from
   another offset within the old file's size is stored (UNDO_STORED_MOVE).  */
static enum undo_kind
best_kind (const struct image *image, const struct operation *operation)
{
  if (operation->kind == UNDO_COPY
      && (operation->old_offset == operation->new_offset
          || operation->new_offset >= image->size
          || operation->size >= UNDO_STORED_MOVE))
    return UNDO_COPY;
  return bytes_are_zero (image->bytes + operation->old_offset,
                         (size_t)operation->size)
             ? UNDO_ZEROS
             : UNDO_STORE;
}

/* Give each operation its best kind, and join neighbours of the same kind.  */
static void
choose_kinds (struct record_builder *builder)
{
  size_t n = 0;
  for (size_t i = 0; i < builder->n_operations; i++)
    {
      struct operation next = builder->operations[i];
      next.kind = best_kind (builder->image, &next);
      struct operation *last = n > 0 ? &builder->operations[n - 1] : NULL;
      if (last != NULL && last->kind == next.kind
          && (last->kind != UNDO_COPY || follows (&next, last)))
        last->size += next.size;
      else
        builder->operations[n++] = next;
    }
  builder->n_operations = n;
}

static bool
append_record (struct buffer *out, const struct record_builder *builder,
               uint64_t digest)
{
  struct buffer record;
  buffer_init (&record, false);
  buffer_append (&record, UNDO_MAGIC, UNDO_MAGIC_SIZE);
  buffer_u64 (&record, builder->plan->new_size);
  buffer_u64 (&record, builder->image->size);
  buffer_u64 (&record, digest);
  buffer_u64 (&record, builder->n_operations);
  for (size_t i = 0; i < builder->n_operations; i++)
    {
      const struct operation *next = &builder->operations[i];
      buffer_uleb (&record, next->size << UNDO_KIND_BITS | next->kind);
      if (next->kind == UNDO_COPY)
        buffer_uleb (&record, next->new_offset);
      else if (next->kind == UNDO_STORE)
        buffer_append (&record, builder->image->bytes + next->old_offset,
                       (size_t)next->size);
    }
  buffer_u64 (&record, record.size + UNDO_FOOTER_SIZE);
  if (!record.failed)
    buffer_u64 (&record, hash_digest (record.bytes, record.size));
  buffer_append (&record, UNDO_MAGIC, UNDO_MAGIC_SIZE);
  if (!record.failed)
    buffer_append (out, record.bytes, record.size);
  bool ok = !record.failed && !out->failed;
  buffer_free (&record);
  return ok;
}

bool
undo_record_build_digested (struct buffer *record, const struct image *image,
                            const struct plan *plan, uint64_t digest,
                            struct error *err)
{
  struct record_builder builder = { .image = image, .plan = plan };
  size_t n;
  struct plan_piece *pieces = plan_cut (plan, image->bytes, NULL, &n);
  bool ok = pieces != NULL && add_pieces (&builder, pieces, n);
  free (pieces);
  choose_kinds (&builder);
  if (!ok)
    error_set_no_memory (err);
  else if (builder.n_operations > UNDO_OPERATIONS_MAX)
    ok = error_set (err, CFI2SFRAME_REFUSED,
                    "the conversion changes too many places to be undone");
  else if (!append_record (record, &builder, digest))
    ok = error_set_no_memory (err);
  free (builder.operations);
  return ok;
}

bool
undo_record_build (struct buffer *record, const struct image *image,
                   const struct plan *plan, struct error *err)
{
  return undo_record_build_digested (
      record, image, plan, hash_digest (image->bytes, image->size), err);
}
