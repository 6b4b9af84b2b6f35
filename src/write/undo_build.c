/* Making an undo record: the inverse of a layout plan.
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
#include "base/search.h"
#include "write/undo_format.h"

/* Between two stored ranges it takes more bytes to describe a copy than to
   store a few bytes.  */
#define MIN_COPY 12

struct written_range
{
  uint64_t begin, end;
};

struct operation
{
  enum undo_kind kind;
  uint64_t old_offset, size;
  uint64_t new_offset; /* of a copy */
};

struct record_builder
{
  const struct image *image;
  const struct layout_plan *plan;
  struct written_range *written; /* of the new file; ascending, merged */
  size_t n_written, written_room;
  struct layout_extent *extents; /* extents by offset in the old file */
  struct operation *operations;
  size_t n_operations, room;
};

static int
compare_extents (const void *a, const void *b)
{
  const struct layout_extent *left = a, *right = b;
  return (left->old_offset > right->old_offset)
         - (left->old_offset < right->old_offset);
}

/* Add a range behind or in those noted so far.  */
static bool
add_written (struct record_builder *builder, uint64_t begin, uint64_t end)
{
  struct written_range *last = builder->n_written > 0
                                   ? &builder->written[builder->n_written - 1]
                                   : NULL;
  if (last != NULL && begin <= last->end + MIN_COPY)
    {
      last->end = end;
      return true;
    }
  if (!ARRAY_ROOM (builder->written, builder->n_written + 1,
                   &builder->written_room))
    return false;
  builder->written[builder->n_written++]
      = (struct written_range){ begin, end };
  return true;
}

/* Note where SIZE bytes at OFFSET change from OLD to NEW.  Headers are patched
   as a whole, so most bytes stay the same.  */
static bool
add_differences (struct record_builder *builder, uint64_t offset,
                 const uint8_t *old, const uint8_t *new, size_t size)
{
  for (size_t begin = 0; begin < size; begin++)
    {
      if (old[begin] == new[begin])
        continue;
      size_t end = begin + 1;
      for (size_t i = end; i < size && i - end < MIN_COPY; i++)
        if (old[i] != new[i])
          end = i + 1;
      if (!add_written (builder, offset + begin, offset + end))
        return false;
      begin = end;
    }
  return true;
}

/* Where the new file has other bytes than those of the extents.  */
static bool
collect_written (struct record_builder *builder)
{
  size_t n;
  struct plan_piece *pieces
      = plan_cut (builder->plan, builder->image->bytes, NULL, &n);
  bool done = pieces != NULL;
  for (size_t i = 0; done && i < n; i++)
    if (pieces[i].old != NULL && pieces[i].old != pieces[i].bytes)
      done = add_differences (builder, pieces[i].offset, pieces[i].old,
                              pieces[i].bytes, (size_t)pieces[i].size);
  free (pieces);
  return done;
}

static bool
collect_extents (struct record_builder *builder)
{
  const struct layout_plan *plan = builder->plan;
  builder->extents = calloc (plan->n_extents + 1, sizeof plan->extents[0]);
  if (builder->extents == NULL)
    return false;
  if (plan->n_extents > 0)
    memcpy (builder->extents, plan->extents,
            plan->n_extents * sizeof plan->extents[0]);
  qsort (builder->extents, plan->n_extents, sizeof plan->extents[0],
         compare_extents);
  return true;
}

static bool
continues (const struct operation *last, const struct operation *next)
{
  return last->kind == next->kind
         && (last->kind != UNDO_COPY
             || last->new_offset + last->size == next->new_offset);
}

static bool
emit (struct record_builder *builder, const struct operation *next)
{
  if (next->size == 0)
    return true;
  struct operation *last
      = builder->n_operations == 0
            ? NULL
            : &builder->operations[builder->n_operations - 1];
  if (last != NULL && continues (last, next))
    {
      last->size += next->size;
      return true;
    }
  if (!ARRAY_ROOM (builder->operations, builder->n_operations + 1,
                   &builder->room))
    return false;
  builder->operations[builder->n_operations++] = *next;
  return true;
}

/* Add SIZE old bytes at OFFSET, which are nowhere in the new file.  */
static bool
emit_lost (struct record_builder *builder, uint64_t offset, uint64_t size)
{
  bool zeros = bytes_are_zero (builder->image->bytes + offset, (size_t)size);
  return emit (builder, &(struct operation){ zeros ? UNDO_ZEROS : UNDO_STORE,
                                             offset, size, 0 });
}

static bool
emit_copy (struct record_builder *builder, uint64_t old_offset,
           uint64_t new_offset, uint64_t size)
{
  if (old_offset != new_offset && new_offset < builder->image->size
      && size < UNDO_STORED_MOVE)
    return emit_lost (builder, old_offset, size);
  return emit (builder,
               &(struct operation){ UNDO_COPY, old_offset, size, new_offset });
}

/* The first written range that ends behind OFFSET.  */
static size_t
find_written (const struct record_builder *builder, uint64_t offset)
{
  return SEARCH_FIRST (builder->n_written, i,
                       builder->written[i].end > offset);
}

static bool
emit_extent (struct record_builder *builder,
             const struct layout_extent *extent)
{
  uint64_t at = extent->new_offset, end = at + extent->size;
  uint64_t back = extent->old_offset - extent->new_offset; /* modulo 2^64 */
  for (size_t i = find_written (builder, at); at < end; i++)
    {
      bool more = i < builder->n_written && builder->written[i].begin < end;
      uint64_t clean = more ? builder->written[i].begin : end;
      if (clean > at)
        {
          if (!emit_copy (builder, at + back, at, clean - at))
            return false;
          at = clean;
        }
      if (!more)
        break;
      uint64_t dirty
          = builder->written[i].end < end ? builder->written[i].end : end;
      if (!emit_lost (builder, at + back, dirty - at))
        return false;
      at = dirty;
    }
  return true;
}

static bool
make_operations (struct record_builder *builder)
{
  uint64_t at = 0;
  for (size_t i = 0; i < builder->plan->n_extents; i++)
    {
      const struct layout_extent *extent = &builder->extents[i];
      if (extent->old_offset > at
          && !emit_lost (builder, at, extent->old_offset - at))
        return false;
      if (!emit_extent (builder, extent))
        return false;
      at = extent->old_offset + extent->size;
    }
  return at >= builder->image->size
         || emit_lost (builder, at, builder->image->size - at);
}

static void
append_uleb (struct buffer *buffer, uint64_t value)
{
  for (; value >= 0x80; value >>= 7)
    buffer_u8 (buffer, (uint8_t)(value | 0x80));
  buffer_u8 (buffer, (uint8_t)value);
}

static void
append_operation (struct buffer *record, const struct image *image,
                  const struct operation *operation)
{
  append_uleb (record, operation->size << UNDO_KIND_BITS | operation->kind);
  if (operation->kind == UNDO_COPY)
    append_uleb (record, operation->new_offset);
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
                            const struct layout_plan *plan, uint64_t digest,
                            struct error *err)
{
  struct record_builder builder = { .image = image, .plan = plan };
  bool ok = collect_written (&builder) && collect_extents (&builder)
            && make_operations (&builder);
  if (!ok)
    error_set_no_memory (err);
  else if (builder.n_operations > UNDO_OPERATIONS_MAX)
    ok = error_set (err, CFI2SFRAME_REFUSED,
                    "the conversion changes too many places to be undone");
  else if (!append_record (record, &builder, digest))
    ok = error_set_no_memory (err);
  free (builder.operations);
  free (builder.extents);
  free (builder.written);
  return ok;
}

bool
undo_record_build (struct buffer *record, const struct image *image,
                   const struct layout_plan *plan, struct error *err)
{
  return undo_record_build_digested (
      record, image, plan, hash_digest (image->bytes, image->size), err);
}
