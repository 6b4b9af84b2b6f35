/* Unit tests of src/write/undo: the original comes out exactly, or the record
   is refused.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "tests/guarded.h"
#include "write/undo.h"
#include "tests/unit_test.h"

enum
{
  PIECES_MAX = 24,
  PATCHES_MAX = 16
};

static uint32_t seed;

static uint32_t
draw (uint32_t below)
{
  seed = seed * 1664525 + 1013904223;
  uint32_t mixed = (seed ^ seed >> 15) * 0x2c1b3c6d;
  mixed = (mixed ^ mixed >> 12) * 0x297a2d39;
  return (uint32_t)((uint64_t)(mixed ^ mixed >> 15) * below >> 32);
}

static bool no_hash_state;

void *__real_XXH64_createState (void);
void *__wrap_XXH64_createState (void);

void *
__wrap_XXH64_createState (void)
{
  return no_hash_state ? NULL : __real_XXH64_createState ();
}

TEST (digest_is_xxh64)
{
  /* Results of libxxhash 0.8.1 for the bytes (7 i + 3) & 0xff.  */
  static const struct
  {
    size_t size;
    uint64_t digest;
  } known[] = {
    { 0, 0xef46db3751d8e999 },
    { 31, 0xa2aa5f33cc4a6119 },
    { 200, 0xa6cb3c09bc829b24 },
  };
  uint8_t bytes[200];
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (uint8_t)(7 * i + 3);
  FOR_EACH_ROW (given, known)
    assert_int_equal (hash_digest (bytes, given->size), given->digest);
}

/* What inject_write does, in memory.  */
static uint8_t *
carry_out (const struct plan *plan, const uint8_t *old)
{
  uint8_t *new = calloc (1, plan->new_size + 1);
  for (size_t i = 0; i < plan->n_extents; i++)
    memcpy (new + plan->extents[i].new_offset,
            old + plan->extents[i].old_offset, plan->extents[i].size);
  for (size_t i = 0; i < plan->n_patches; i++)
    memcpy (new + plan->patches[i].offset, plan->patches[i].bytes,
            plan->patches[i].size);
  memset (new + plan->sframe_offset, 0x5f, plan->sframe_size);
  return new;
}

static uint8_t *
random_bytes (size_t size)
{
  uint8_t *bytes = malloc (size > 0 ? size : 1);
  bool zeros = false;
  for (size_t i = 0; i < size; i++)
    {
      if (draw (40) == 0)
        zeros = !zeros;
      bytes[i] = zeros ? 0 : (uint8_t)draw (256);
    }
  return bytes;
}

/* A plan nobody would make on purpose: pieces of the old file in any order,
   with gaps, some lost, patches over everything and over each other.  */
static void
random_plan (struct plan *plan, size_t old_size)
{
  struct plan_extent pieces[PIECES_MAX];
  size_t n = 0;
  *plan = (struct plan){ 0 };
  for (uint64_t at = 0; at < old_size && n < PIECES_MAX; n++)
    {
      uint64_t size = 1 + draw ((uint32_t)old_size / 6);
      if (size > old_size - at || n == PIECES_MAX - 1)
        size = old_size - at;
      pieces[n] = (struct plan_extent){ at, 0, size };
      at += size;
    }
  enum
  {
    IN_PLACE,
    SHIFTED,
    SHUFFLED
  } mode
      = draw (3);
  for (size_t i = n; mode == SHUFFLED && i > 1; i--)
    {
      size_t j = draw ((uint32_t)i);
      struct plan_extent swap = pieces[i - 1];
      pieces[i - 1] = pieces[j];
      pieces[j] = swap;
    }
  plan->extents = calloc (PIECES_MAX, sizeof pieces[0]);
  plan->patches = calloc (PATCHES_MAX, sizeof plan->patches[0]);
  uint64_t end = 0;
  for (size_t i = 0; i < n; i++)
    {
      end += mode != IN_PLACE && draw (2) ? draw (60) : 0;
      pieces[i].new_offset = end;
      end += pieces[i].size;
      if (draw (8) != 0)
        plan->extents[plan->n_extents++] = pieces[i];
    }
  plan->sframe_offset = end;
  plan->sframe_size = draw (100);
  end += plan->sframe_size;
  for (size_t i = draw (PATCHES_MAX); i > 0; i--)
    {
      size_t size = 1 + draw (40);
      uint64_t offset = draw ((uint32_t)plan->sframe_offset + 1);
      if (size > plan->sframe_offset - offset)
        continue;
      plan->patches[plan->n_patches++]
          = (struct plan_patch){ offset, size, random_bytes (size) };
    }
  plan->new_size = end;
}

/* A converted file with its record.  */
struct converted
{
  struct image original, image;
  struct undo_record record;
};

static void
convert (struct converted *file)
{
  struct error err = { 0 };
  struct plan plan;
  struct buffer record;
  buffer_init (&record, false);
  /* Pieces from one byte to some pages.  */
  uint64_t size = 1 + draw (draw (4) == 0 ? 60000 : 3000);
  file->original
      = (struct image){ .fd = -1, .bytes = random_bytes (size), .size = size };
  do
    {
      random_plan (&plan, size);
      if (plan.new_size < size)
        plan_free (&plan);
    }
  while (plan.new_size < size);
  assert_true (undo_record_build (&record, &file->original, &plan, &err));
  uint8_t *new = carry_out (&plan, file->original.bytes);
  new = realloc (new, plan.new_size + record.size);
  memcpy (new + plan.new_size, record.bytes, record.size);
  file->image = (struct image){ .fd = -1,
                                .bytes = new,
                                .size = plan.new_size + record.size };
  assert_true (undo_record_find (&file->record, &file->image));
  assert_int_equal (file->record.offset, plan.new_size);
  assert_int_equal (file->record.original_size, size);
  buffer_free (&record);
  plan_free (&plan);
}

static void
converted_free (struct converted *file)
{
  free ((void *)file->original.bytes);
  free ((void *)file->image.bytes);
}

#define CONVERTED_TEST(name) \
  TEST_WITH (struct converted, file, convert, converted_free, name)

/* Whether undoing succeeds; if so, it must give the original.  */
static bool
undo_is_exact (const struct converted *file, struct error *err)
{
  struct plan plan;
  bool ok = undo_plan (&plan, &file->image, err);
  if (ok)
    {
      uint8_t *back = carry_out (&plan, file->image.bytes);
      assert_int_equal (plan.new_size, file->original.size);
      assert_memory_equal (back, file->original.bytes, plan.new_size);
      free (back);
    }
  plan_free (&plan);
  return ok;
}

TEST (every_plan_can_be_undone)
{
  struct error err = { 0 };
  for (seed = 1; seed < 2000000000; seed = seed * 1.01 + 1)
    {
      uint32_t before = seed;
      struct converted file;
      convert (&file);
      assert_true (undo_is_exact (&file, &err));
      converted_free (&file);
      seed = before;
    }
}

CONVERTED_TEST (without_memory_for_a_digest_nothing_is_undone)
{
  struct error err = { 0 };
  seed = 7;
  no_hash_state = true;
  assert_false (undo_is_exact (file, &err));
  no_hash_state = false;
  assert_int_equal (err.status, CFI2SFRAME_NO_MEMORY);
}

TEST (change_behind_our_back_is_noticed)
{
  struct error err = { 0 };
  unsigned refused = 0, exact = 0;
  for (seed = 1; seed < 3000; seed += 7)
    {
      uint32_t before = seed;
      struct converted file;
      convert (&file);
      if (file.record.offset > 0)
        {
          uint8_t *bytes = (uint8_t *)file.image.bytes;
          bytes[draw ((uint32_t)file.record.offset)] ^= 1 << draw (8);
          /* A byte the way back does not need may change.  */
          if (undo_is_exact (&file, &err))
            exact++;
          else
            {
              assert_int_equal (err.status, CFI2SFRAME_REFUSED);
              refused++;
            }
        }
      converted_free (&file);
      seed = before;
    }
  assert_true (refused > 100 && exact > 10);
}

/* With a digest that is right again: somebody means it.  */
TEST (hostile_records_are_harmless)
{
  struct error err = { 0 };
  unsigned failed = 0;
  for (seed = 1; seed < 40000; seed += 3)
    {
      uint32_t before = seed;
      struct converted file;
      convert (&file);
      uint8_t *record = (uint8_t *)file.image.bytes + file.record.offset;
      for (unsigned i = draw (4); i < 4; i++)
        record[draw ((uint32_t)file.record.size)] = (uint8_t)draw (256);
      uint64_t size = file.record.size - 16;
      store_u64 (record + size, hash_digest (record, size), false);
      failed += !undo_is_exact (&file, &err);
      converted_free (&file);
      seed = before;
    }
  assert_true (failed > 1000);
}

CONVERTED_TEST (cut_file_has_no_record)
{
  struct undo_record record;
  seed = 4711;
  while (--file->image.size > 0)
    assert_false (undo_record_find (&record, &file->image));
}

CONVERTED_TEST (file_with_something_before_the_record_is_refused)
{
  struct error err = { 0 };
  struct plan plan;
  seed = 42;
  uint8_t *longer = calloc (1, file->image.size + 1);
  memcpy (longer, file->image.bytes, file->record.offset);
  memcpy (longer + file->record.offset + 1,
          file->image.bytes + file->record.offset, file->record.size);
  free ((void *)file->image.bytes);
  file->image.bytes = longer;
  file->image.size++;
  assert_false (undo_plan (&plan, &file->image, &err));
  assert_int_equal (err.status, CFI2SFRAME_REFUSED);
  plan_free (&plan);
}

CONVERTED_TEST (restored_file_is_compared)
{
  struct error err = { 0 };
  seed = 99;
  uint8_t *bytes = (uint8_t *)file->original.bytes;
  assert_true (undo_check (&file->image, bytes, file->original.size, &err));
  assert_false (
      undo_check (&file->image, bytes, file->original.size - 1, &err));
  bytes[0] ^= 1;
  assert_false (undo_check (&file->image, bytes, file->original.size, &err));
  assert_int_equal (err.status, CFI2SFRAME_MISMATCH);
}

/* A file of CONTENT bytes with a record that is right but for what OPERATIONS,
   N of them, say, and for its original's size and digest.  Frees OPERATIONS.
 */
static struct image
put_record (struct buffer *file, const uint8_t *content, size_t content_size,
            uint64_t original_size, uint64_t digest, uint64_t n,
            struct buffer *operations)
{
  buffer_init (file, false);
  buffer_append (file, content, content_size);
  buffer_append (file, UNDO_MAGIC, UNDO_MAGIC_SIZE);
  buffer_u64 (file, content_size);
  buffer_u64 (file, original_size);
  buffer_u64 (file, digest);
  buffer_u64 (file, n);
  buffer_append (file, operations->bytes, operations->size);
  size_t record = file->size - content_size;
  buffer_u64 (file, record + UNDO_FOOTER_SIZE);
  buffer_u64 (file, hash_digest (file->bytes + content_size, record + 8));
  buffer_append (file, UNDO_MAGIC, UNDO_MAGIC_SIZE);
  buffer_free (operations);
  return (struct image){ .fd = -1, .bytes = file->bytes, .size = file->size };
}

enum
{
  CONTENT = 100,
  CONTENT_ZEROS = 60 /* behind them, in an original that is larger */
};

/* Kinds of operations; 0 is none.  */
enum
{
  COPY = 1 + UNDO_COPY,
  STORE = 1 + UNDO_STORE,
  ZEROS = 1 + UNDO_ZEROS,
  OTHER
};

/* The record of a file of CONTENT bytes is right but for what it says of them:
   operations that leave the file's bytes or the original's, each alone, and
   those that just do not; and operations that are not there.  */
struct said
{
  uint64_t original; /* bytes */
  struct
  {
    unsigned kind, size, from;
  } operations[3];
  const char *reason; /* NULL: the original begins as the file does */
  uint64_t n;    /* operations, as the record says; 0: as many as it has */
  size_t behind; /* bytes that the record has behind these */
};

#define CONTRADICTS .reason = "contradicts itself"
#define FOREIGN .reason = "does not belong to this file"

static const struct said said[] = {
  { 100, { { COPY, 60, 0 }, { COPY, 40, 60 } }, .reason = NULL },
  { 99, { { COPY, 99, 0 } }, .reason = NULL },
  { 60, { { COPY, 60, 0 } }, .reason = NULL },
  { 100, { { COPY, 60, 0 }, { COPY, 41, 59 } }, CONTRADICTS },
  { 100, { { COPY, 60, 0 }, { COPY, 40, 61 } }, CONTRADICTS },
  { 100, { { COPY, 60, 0 }, { COPY, 40, 101 } }, CONTRADICTS },
  { 100, { { COPY, 60, 0 }, { ZEROS, 41, 0 } }, CONTRADICTS },
  { 100, { { COPY, 60, 0 }, { OTHER, 40, 0 } }, CONTRADICTS },
  { 100, { { COPY, 60, 0 }, { STORE, 40, 0 } }, CONTRADICTS },
  { 100, { { COPY, 100, 0 }, { COPY, 0, 0 } }, CONTRADICTS },
  { 100, { { COPY, 100, 0 } }, CONTRADICTS, .n = 2 },
  { 100, { { COPY, 60, 0 }, { COPY, 39, 60 } }, .reason = "incomplete" },
  { 100, { { COPY, 100, 0 } }, .reason = "incomplete", .behind = 1 },
  { 100, { { COPY, 60, 0 }, { ZEROS, 40, 0 } }, .reason = "was changed" },
  { 160, { { COPY, 100, 0 }, { ZEROS, 60, 0 } }, FOREIGN },
  { 100, { { COPY, 100, 0 } }, FOREIGN, .n = 1000 },
};

/* Put the operations of a record as ROW has them.  Returns their number.  */
static uint64_t
put_operations (struct buffer *operations, const struct said *row)
{
  static const uint8_t zeros[8];
  size_t k = 0;
  buffer_init (operations, false);
  for (; k < N_OF (row->operations) && row->operations[k].kind != 0; k++)
    {
      buffer_uleb (operations, row->operations[k].size << UNDO_KIND_BITS
                                   | (row->operations[k].kind - 1));
      if (row->operations[k].kind == COPY)
        buffer_uleb (operations, row->operations[k].from);
    }
  buffer_append (operations, zeros, row->behind);
  return k;
}

TEST (records_say_what_can_be_done)
{
  uint8_t content[CONTENT + CONTENT_ZEROS] = { 0 };
  for (size_t i = 0; i < CONTENT; i++)
    content[i] = (uint8_t)(i * 7 + 1);
  FOR_EACH_ROW (row, said)
    {
      struct buffer operations, file;
      struct error err = { 0 };
      struct plan plan;
      uint64_t n = put_operations (&operations, row);
      struct image image = put_record (&file, content, CONTENT, row->original,
                                       hash_digest (content, row->original),
                                       row->n > 0 ? row->n : n, &operations);
      assert_int_equal (undo_plan (&plan, &image, &err), row->reason == NULL);
      if (row->reason != NULL)
        assert_non_null (strstr (err.reason, row->reason));
      plan_free (&plan);
      buffer_free (&file);
    }
}

/* A record with the digest of a shorter file than it says.  */
TEST (restored_file_has_the_size_that_was_said)
{
  uint8_t content[100] = { 1, 2, 3 };
  struct buffer operations, file;
  struct error err = { 0 };
  buffer_init (&operations, false);
  struct image image = put_record (&file, content, 100, 100,
                                   hash_digest (content, 50), 0, &operations);
  assert_false (undo_check (&image, content, 50, &err));
  assert_int_equal (err.status, CFI2SFRAME_MISMATCH);
  assert_false (undo_check (&image, content, 100, &err));
  buffer_free (&file);
}

TEST (long_runs_of_zeros_are_restored)
{
  static const uint64_t sizes[] = { 1, 4095, 4096, 4097, 8192, 9000 };
  FOR_EACH_ROW (given, sizes)
    {
      uint8_t content[10000], original[10000] = { 0 };
      memset (content, 7, sizeof content);
      memset (original, 7, 60);
      struct buffer operations, file;
      struct error err = { 0 };
      struct plan plan;
      buffer_init (&operations, false);
      buffer_uleb (&operations, 60 << UNDO_KIND_BITS | UNDO_COPY);
      buffer_uleb (&operations, 0);
      buffer_uleb (&operations, *given << UNDO_KIND_BITS | UNDO_ZEROS);
      struct image image
          = put_record (&file, content, sizeof content, 60 + *given,
                        hash_digest (original, 60 + *given), 2, &operations);
      if (!undo_plan (&plan, &image, &err))
        fail_msg ("%u zeros: %s", (unsigned)*given, err.reason);
      plan_free (&plan);
      buffer_free (&file);
    }
}

/* The operations of RECORD, as text: what is copied from where, stored bytes,
   zeros.  */
static void
list_operations (const struct buffer *record, char *text, size_t size)
{
  struct cursor cursor = cursor_over (
      record->bytes + UNDO_HEADER_SIZE,
      record->size - UNDO_HEADER_SIZE - UNDO_FOOTER_SIZE, false);
  uint64_t n = load_u64 (record->bytes + 32, false);
  text[0] = '\0';
  for (uint64_t i = 0; i < n; i++)
    {
      uint64_t word = cursor_uleb (&cursor), bytes = word >> UNDO_KIND_BITS;
      unsigned kind = word & ((1 << UNDO_KIND_BITS) - 1);
      size_t used = strlen (text);
      assert_in_range (kind, UNDO_COPY, UNDO_ZEROS);
      snprintf (text + used, size - used, "%s%s%jx", i > 0 ? " " : "",
                kind == UNDO_COPY    ? "copy "
                : kind == UNDO_STORE ? "store "
                                     : "zeros ",
                (uintmax_t)bytes);
      used = strlen (text);
      if (kind == UNDO_COPY)
        snprintf (text + used, size - used, "@%jx",
                  (uintmax_t)cursor_uleb (&cursor));
      else if (kind == UNDO_STORE)
        assert_non_null (cursor_take (&cursor, bytes));
    }
  assert_false (cursor.failed);
  assert_int_equal (cursor_left (&cursor), 0);
}

/* What is in the new file is copied from there; in between so few bytes are
   stored that saying where they are would take more.  */
enum
{
  OLD_SIZE = 0x4000,
  ALL_ZEROS = 0x200, /* 64 of them */
  MOVED = UNDO_STORED_MOVE
};

static const struct
{
  const char *operations;
  struct plan_extent extents[3]; /* none: the whole file stays in its place */
  struct
  {
    uint64_t offset, size;
    uint64_t differ[3]; /* bytes that differ from the old file's, from 1 on */
  } patches[2];
} lost_cases[] = {
  { "copy 4000@0", .patches = { { 0 } } },
  { "copy 4000@0", .patches = { { 0x100, 64, { 0 } } } },
  { "copy 100@0 store 1 copy 3eff@101", .patches = { { 0x100, 64, { 1 } } } },
  { "copy 13f@0 store 1 copy 3ec0@140", .patches = { { 0x100, 64, { 64 } } } },
  { "copy 100@0 store d copy 3ef3@10d",
    .patches = { { 0x100, 64, { 1, 13 } } } },
  { "copy 100@0 store e copy 3ef2@10e",
    .patches = { { 0x100, 64, { 1, 14 } } } },
  { "copy 100@0 store 1 copy d@101 store 1 copy 3ef1@10f",
    .patches = { { 0x100, 64, { 1, 15 } } } },
  { "copy 100@0 store 14 copy 3eec@114",
    .patches = { { 0x100, 64, { 1, 10, 20 } } } },
  { "copy 200@0 zeros 11 copy 3def@211",
    .patches = { { ALL_ZEROS, 64, { 1, 9, 17 } } } },
  /* In another order; one in the other; one behind the other.  */
  { "copy 100@0 store 1 copy 7f@101 store 1 copy 3e7f@181",
    .patches = { { 0x180, 8, { 1 } }, { 0x100, 8, { 1 } } } },
  { "copy 100@0 store 14 copy 3eec@114",
    .patches = { { 0x100, 64, { 1, 10, 20 } }, { 0x102, 4, { 2 } } } },
  { "copy 100@0 store 18 copy 3ee8@118",
    .patches = { { 0x100, 12, { 1, 12 } }, { 0x10c, 12, { 1, 12 } } } },
  /* Lost at the beginning, in between and at the end; zeros.  */
  { "store 10 copy 100@10 store 20 copy 3000@130 store ed0",
    .extents = { { 0x10, 0x10, 0x100 }, { 0x130, 0x130, 0x3000 } } },
  { "copy 200@0 zeros 40 copy 3dc0@240",
    .extents
    = { { 0, 0, ALL_ZEROS }, { ALL_ZEROS + 64, ALL_ZEROS + 64, 0x3dc0 } } },
  /* Moved: what is small is stored.  Neighbours are copied as one.  */
  { "copy 1000@0 copy 1000@1100 store 2000",
    .extents = { { 0, 0, 0x1000 }, { 0x1000, 0x1100, MOVED } } },
  { "copy 1000@0 store 3000",
    .extents = { { 0, 0, 0x1000 }, { 0x1000, 0x1100, MOVED - 1 } } },
  { "copy 3800@0 copy 800@4000",
    .extents = { { 0, 0, 0x3800 }, { 0x3800, OLD_SIZE, 0x800 } } },
  { "copy 3800@0 store 800",
    .extents = { { 0, 0, 0x3800 }, { 0x3800, OLD_SIZE - 1, 0x800 } } },
  { "copy 4000@0",
    .extents = { { 0, 0, 0x1000 }, { 0x1000, 0x1000, 0x3000 } } },
  { "copy 2000@2000 copy 2000@0",
    .extents = { { 0x2000, 0, 0x2000 }, { 0, 0x2000, 0x2000 } } },
  /* A patch over the end of one part and the beginning of another.  Bytes
     that a later patch puts back are not lost.  */
  { "copy ff8@0 store 1 copy 7@ff9 store 3 copy 2ffd@1013",
    { { 0, 0, 0x1000 }, { 0x1000, 0x1010, 0x3000 } },
    { { 0xff8, 0x20, { 1 } }, { 0x1010, 8, { 3 } } } },
};

/* The bytes of OLD that PLAN has copied to OFFSET.  */
static const uint8_t *
old_bytes_at (const struct plan *plan, const uint8_t *old, uint64_t offset)
{
  const struct plan_extent *extent = &plan->extents[plan->n_extents - 1];
  while (extent->new_offset > offset)
    extent--;
  return old + extent->old_offset + (offset - extent->new_offset);
}

TEST (a_record_stores_what_is_lost)
{
  uint8_t old[OLD_SIZE];
  for (size_t i = 0; i < OLD_SIZE; i++)
    old[i] = i >= ALL_ZEROS && i < ALL_ZEROS + 64 ? 0 : (uint8_t)(i * 7 | 1);
  FOR_EACH_ROW (given, lost_cases)
    {
      struct plan_extent extents[3];
      struct plan_patch patches[2];
      uint8_t bytes[2][64];
      struct plan plan = { .extents = extents,
                           .patches = patches,
                           .sframe_offset = 0x7000,
                           .sframe_size = 0x100,
                           .new_size = 0x7100 };
      struct image image = { .fd = -1, .bytes = old, .size = OLD_SIZE };
      struct error err = { 0 };
      struct buffer record;
      char text[300];
      for (size_t k = 0; k < 3 && given->extents[k].size > 0; k++)
        extents[plan.n_extents++] = given->extents[k];
      if (plan.n_extents == 0)
        extents[plan.n_extents++] = (struct plan_extent){ 0, 0, OLD_SIZE };
      for (size_t k = 0; k < 2 && given->patches[k].size > 0; k++)
        {
          uint64_t offset = given->patches[k].offset;
          uint64_t size = given->patches[k].size;
          memcpy (bytes[k], old_bytes_at (&plan, old, offset), size);
          for (size_t d = 0; d < 3; d++)
            if (given->patches[k].differ[d] > 0)
              bytes[k][given->patches[k].differ[d] - 1] ^= 0x80;
          patches[plan.n_patches++]
              = (struct plan_patch){ offset, size, bytes[k] };
        }
      buffer_init (&record, false);
      assert_true (undo_record_build (&record, &image, &plan, &err));
      list_operations (&record, text, sizeof text);
      assert_string_equal (text, given->operations);
      buffer_free (&record);
    }
}

/* Every second operation is a copy of what is between two changed bytes.  What
   a record of ours may have, the reader takes.  */
TEST (too_many_changes_are_refused)
{
  enum
  {
    STEP = 32,
    SIZE = UNDO_OPERATIONS_MAX / 2 * STEP
  };
  for (size_t more = 0; more < 2; more++)
    {
      uint8_t *old = calloc (2, SIZE + 1);
      assert_non_null (old);
      uint8_t *new = old + SIZE + 1;
      for (size_t i = STEP - 1; i < SIZE; i += STEP)
        new[i] = 1;
      struct plan_extent extent = { .size = SIZE + more };
      struct plan_patch patch = { .size = SIZE, .bytes = new };
      struct plan plan = { .extents = &extent,
                           .n_extents = 1,
                           .patches = &patch,
                           .n_patches = 1,
                           .sframe_offset = SIZE + 0x100,
                           .sframe_size = 0x100,
                           .new_size = SIZE + 0x200 };
      struct image image = { .fd = -1, .bytes = old, .size = SIZE + more };
      struct error err = { 0 };
      struct buffer record;
      buffer_init (&record, false);
      assert_int_equal (undo_record_build (&record, &image, &plan, &err),
                        more == 0);
      assert_int_equal (err.status,
                        more == 0 ? CFI2SFRAME_OK : CFI2SFRAME_REFUSED);
      buffer_free (&record);
      free (old);
    }
}

/* A digest that is right does not make a record of what does not begin like
   one, and nobody needs so many operations.  */
TEST (what_is_no_record_of_ours)
{
  uint8_t content[100] = { 1 };
  struct buffer operations, file;
  struct error err = { 0 };
  struct undo_record record;
  struct plan plan;
  for (uint64_t more = 0; more < 2; more++)
    {
      buffer_init (&operations, false);
      for (unsigned i = 0; i < 2 * UNDO_OPERATIONS_MAX; i++)
        buffer_u8 (&operations, 0);
      struct image image
          = put_record (&file, content, 100, 100, hash_digest (content, 100),
                        UNDO_OPERATIONS_MAX + more, &operations);
      assert_false (undo_plan (&plan, &image, &err));
      assert_non_null (strstr (err.reason, more ? "does not belong"
                                                : "contradicts itself"));
      plan_free (&plan);
      assert_true (undo_record_find (&record, &image));
      uint8_t *begin = file.bytes + 100;
      begin[3] ^= 1;
      uint64_t size = record.size - 16;
      store_u64 (begin + size, hash_digest (begin, size), false);
      assert_false (undo_record_find (&record, &image));
      begin[3] ^= 1;
      store_u64 (begin + size, hash_digest (begin, size), false);
      assert_true (undo_record_find (&record, &image));
      file.bytes[file.size - 1] ^= 1;
      assert_false (undo_record_find (&record, &image));
      assert_int_equal (record.size, 0);
      buffer_free (&file);
    }
  /* The shortest one.  */
  buffer_init (&operations, false);
  struct image image = put_record (&file, content, 0, 0,
                                   hash_digest (content, 0), 0, &operations);
  assert_int_equal (file.size, UNDO_HEADER_SIZE + UNDO_FOOTER_SIZE);
  assert_true (undo_record_find (&record, &image));
  buffer_free (&file);
}

/* Right in all but its size, which is too small for what a record has; a
   further byte in front of it makes the file as large as a record.  */
TEST (shorter_than_any_record)
{
  for (unsigned lacking = 0; lacking < 2; lacking++)
    {
      struct buffer file;
      struct undo_record record = { .offset = 1 };
      size_t size = UNDO_HEADER_SIZE + UNDO_FOOTER_SIZE - lacking;
      buffer_init (&file, false);
      buffer_u8 (&file, 'x');
      buffer_append (&file, UNDO_MAGIC, UNDO_MAGIC_SIZE);
      while (file.size < 1 + size - UNDO_FOOTER_SIZE)
        buffer_u8 (&file, 0);
      buffer_u64 (&file, size);
      buffer_u64 (&file, hash_digest (file.bytes + 1, file.size - 1));
      buffer_append (&file, UNDO_MAGIC, UNDO_MAGIC_SIZE);
      assert_int_equal (file.size, 1 + size);
      struct image image
          = { .fd = -1, .bytes = file.bytes, .size = file.size };
      assert_int_equal (undo_record_find (&record, &image), !lacking);
      assert_int_equal (record.offset, !lacking);
      buffer_free (&file);
    }
}

/* Nothing is read in front of a file that ends like a record.  */
TEST (as_short_as_a_magic)
{
  struct guarded memory = guarded_memory (UNDO_HEADER_SIZE + UNDO_FOOTER_SIZE);
  for (size_t size = 0; size < UNDO_HEADER_SIZE + UNDO_FOOTER_SIZE; size++)
    {
      struct image image = { .fd = -1, .bytes = memory.begin, .size = size };
      struct undo_record record;
      if (size >= UNDO_MAGIC_SIZE)
        memcpy (memory.begin + size - UNDO_MAGIC_SIZE, UNDO_MAGIC,
                UNDO_MAGIC_SIZE);
      assert_false (undo_record_find (&record, &image));
    }
  guarded_free (memory);
}

/* A converted file to which something was appended: how much is told, also
   where the magic of a record stands in it or in the record, behind a size
   that is too small, or in front of the section header table.  */
TEST (bytes_appended_are_counted)
{
  static const struct
  {
    const char *appended;
    size_t size;
  } cases[] = { { "", 0 },
                { "x", 1 },
                { UNDO_MAGIC, UNDO_MAGIC_SIZE },
                { "xyz" UNDO_MAGIC "z", UNDO_MAGIC_SIZE + 4 } };
  uint8_t content[CONTENT];
  for (size_t i = 0; i < CONTENT; i++)
    content[i] = (uint8_t)(i * 7 + 1);
  memcpy (content + 4, UNDO_MAGIC, UNDO_MAGIC_SIZE);
  store_u64 (content + 4 + UNDO_MAGIC_SIZE, 4, false);
  store_u64 (content + 50 + UNDO_MAGIC_SIZE - UNDO_FOOTER_SIZE, 1, false);
  FOR_EACH_ROW (given, cases)
    for (int with_magic = 0; with_magic < 2; with_magic++)
      {
        struct buffer operations, file;
        struct undo_record record;
        memcpy (content + 50, UNDO_MAGIC, with_magic ? UNDO_MAGIC_SIZE : 0);
        buffer_init (&operations, false);
        buffer_uleb (&operations, CONTENT << UNDO_KIND_BITS | UNDO_STORE);
        buffer_append (&operations, content, CONTENT);
        struct image image
            = put_record (&file, content, CONTENT, CONTENT,
                          hash_digest (content, CONTENT), 1, &operations);
        image.header.e_shoff = 30;
        assert_true (undo_record_find (&record, &image));
        /* Of a record that is cut off nobody knows where it ended.  */
        for (; image.size > 0; image.size--)
          if (image.size < file.size)
            assert_int_equal (undo_bytes_appended (&image), 0);
        buffer_append (&file, given->appended, given->size);
        image.bytes = file.bytes;
        image.size = file.size;
        assert_int_equal (undo_bytes_appended (&image), given->size);
        /* With a byte changed, it does not count as a record.  */
        file.bytes[CONTENT + 20] ^= 1;
        assert_int_equal (undo_bytes_appended (&image), 0);
        buffer_free (&file);
      }
  struct image none = { .fd = -1, .bytes = content, .size = CONTENT };
  assert_int_equal (undo_bytes_appended (&none), 0);
}

/* No byte behind the file is read to see whether a record begins at its
   end.  */
TEST (a_magic_at_the_end_begins_no_record)
{
  struct guarded memory = guarded_memory (UNDO_MAGIC_SIZE);
  size_t size = (size_t)(memory.end - memory.begin);
  memcpy (memory.end - UNDO_MAGIC_SIZE, UNDO_MAGIC, UNDO_MAGIC_SIZE);
  struct image image = { .fd = -1, .bytes = memory.begin, .size = size };
  assert_int_equal (undo_bytes_appended (&image), 0);
  guarded_free (memory);
}
