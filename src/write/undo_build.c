/* Making an undo record: the inverse of a plan.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The original is divided into the bytes that are somewhere in the new file
   unharmed (copy), those that were zero (zeros), and the rest (store).  */

#include <config.h>

#include "write/undo.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "write/undo_format.h"

/* Between two ranges that are stored it takes more bytes to describe a copy
   than to store these as well.  */
#define MIN_COPY 12

static const uint64_t NOWHERE = UINT64_MAX;

struct operation
{
  enum undo_kind kind;
  uint64_t old_offset, size;
  uint64_t new_offset; /* where the bytes are in the new file, or others in
                          their place; NOWHERE: they have none */
};

struct record_builder
{
  const struct image *image;
  const struct plan *plan;
  struct operation *operations; /* the original, ascending */
  size_t n_operations, room;
};

/* ---- What is kept, and what is lost */

static bool
follows (const struct operation *next, const struct operation *last)
{
  return last->new_offset != NOWHERE
         && last->new_offset + last->size == next->new_offset;
}

/* Add an operation that copies or stores; join it to the last ones if they
   are of bytes in front of it in both files.  */
static bool
add (struct record_builder *builder, enum undo_kind kind, uint64_t old_offset,
     uint64_t size, uint64_t new_offset)
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
                   &builder->room))
    return false;
  builder->operations[builder->n_operations++] = next;
  return true;
}

/* Add the old bytes of PIECE, which begin at OLD_OFFSET of the original.
   Headers are patched as a whole, so most bytes stay the same.  */
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
      if (!add (builder, kept ? UNDO_COPY : UNDO_STORE, old_offset + begin,
                end - begin, piece->offset + begin))
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

/* All of the original: the pieces that have old bytes, in their old order, and
   what is between them.  */
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
      if (!add (builder, UNDO_STORE, at, begin - at, NOWHERE)
          || !add_piece (builder, &pieces[i], begin))
        return false;
      at = begin + pieces[i].size;
    }
  return add (builder, UNDO_STORE, at, builder->image->size - at, NOWHERE);
}

static bool
make_operations (struct record_builder *builder)
{
  size_t n;
  struct plan_piece *pieces
      = plan_cut (builder->plan, builder->image->bytes, NULL, &n);
  bool done = pieces != NULL && add_pieces (builder, pieces, n);
  free (pieces);
  return done;
}

/* ---- What takes the fewest bytes */

/* A short part that is somewhere else, but within the length of the old file,
   is stored (UNDO_STORED_MOVE).  */
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

static bool
continues (const struct operation *last, const struct operation *next)
{
  return last->kind == next->kind
         && (last->kind != UNDO_COPY || follows (next, last));
}

static void
choose_kinds (struct record_builder *builder)
{
  size_t n = 0;
  for (size_t i = 0; i < builder->n_operations; i++)
    {
      struct operation next = builder->operations[i];
      next.kind = best_kind (builder->image, &next);
      if (n > 0 && continues (&builder->operations[n - 1], &next))
        builder->operations[n - 1].size += next.size;
      else
        builder->operations[n++] = next;
    }
  builder->n_operations = n;
}

/* ---- The record */

static void
append_operation (struct buffer *record, const struct image *image,
                  const struct operation *operation)
{
  buffer_uleb (record, operation->size << UNDO_KIND_BITS | operation->kind);
  if (operation->kind == UNDO_COPY)
    buffer_uleb (record, operation->new_offset);
  else if (operation->kind == UNDO_STORE)
    buffer_append (record, image->bytes + operation->old_offset,
                   (size_t)operation->size);
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
    append_operation (&record, builder->image, &builder->operations[i]);
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
  bool ok = make_operations (&builder);
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
