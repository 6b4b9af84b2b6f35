/* Unit tests of src/write/undo: the original comes out exactly, or the record
   is refused.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "tests/unit/failing_allocations.h"
#include "write/in_place.h"
#include "write/undo.h"
#include "write/undo_format.h"

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

/* Some writes are interrupted, and some write less than they should; and what
   changes a file can fail: the linker sends ours here.  */
static bool disturbed;

ssize_t __real_pwrite (int fd, const void *bytes, size_t size, off_t offset);
ssize_t __wrap_pwrite (int fd, const void *bytes, size_t size, off_t offset);
ssize_t __real_pwrite64 (int fd, const void *bytes, size_t size, off_t offset);
ssize_t __wrap_pwrite64 (int fd, const void *bytes, size_t size, off_t offset);
int __real_ftruncate (int fd, off_t size);
int __wrap_ftruncate (int fd, off_t size);
int __real_ftruncate64 (int fd, off_t size);
int __wrap_ftruncate64 (int fd, off_t size);
int __real_fdatasync (int fd);
int __wrap_fdatasync (int fd);

static bool is_refused (const char *step, size_t *size);

/* What was done to a file, in this order: "w" and where from and to, "t" and
   the new end, "s" for flushing.  Noted while `noting'.  */
static bool noting;
static char steps[300];

static bool
is_blocked (int signal)
{
  sigset_t mask;
  assert_int_equal (sigprocmask (SIG_BLOCK, NULL, &mask), 0);
  return sigismember (&mask, signal) == 1;
}

static void
note_step (const char *format, ...)
{
  size_t used = strlen (steps);
  va_list arguments;
  va_start (arguments, format);
  if (noting && !is_blocked (SIGTERM))
    fail_msg ("a signal could end the process");
  if (noting)
    vsnprintf (steps + used, sizeof steps - used, format, arguments);
  va_end (arguments);
}

static size_t
disturb (size_t size)
{
  if (!disturbed || draw (2) == 0)
    return size;
  return draw (2) == 0 ? 0 : 1 + draw ((uint32_t)size);
}

ssize_t
__wrap_pwrite (int fd, const void *bytes, size_t size, off_t offset)
{
  note_step ("w%zx-%zx ", (size_t)offset, (size_t)offset + size);
  if (is_refused ("write", &size))
    return -1;
  size_t some = disturb (size);
  errno = EINTR;
  return some == 0 ? -1 : __real_pwrite (fd, bytes, some, offset);
}

ssize_t
__wrap_pwrite64 (int fd, const void *bytes, size_t size, off_t offset)
{
  note_step ("w%zx-%zx ", (size_t)offset, (size_t)offset + size);
  if (is_refused ("write", &size))
    return -1;
  size_t some = disturb (size);
  errno = EINTR;
  return some == 0 ? -1 : __real_pwrite64 (fd, bytes, some, offset);
}

static bool no_hash_state;

void *__real_XXH64_createState (void);
void *__wrap_XXH64_createState (void);

void *
__wrap_XXH64_createState (void)
{
  return no_hash_state ? NULL : __real_XXH64_createState ();
}

int
__wrap_ftruncate (int fd, off_t size)
{
  note_step ("t%zx ", (size_t)size);
  return is_refused ("ftruncate", NULL) ? -1 : __real_ftruncate (fd, size);
}

int
__wrap_ftruncate64 (int fd, off_t size)
{
  note_step ("t%zx ", (size_t)size);
  return is_refused ("ftruncate", NULL) ? -1 : __real_ftruncate64 (fd, size);
}

int
__wrap_fdatasync (int fd)
{
  note_step ("s ");
  return is_refused ("fdatasync", NULL) ? -1 : __real_fdatasync (fd);
}

static void
digest_is_xxh64 (void **state)
{
  (void)state;
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
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    assert_int_equal (hash_digest (bytes, known[i].size), known[i].digest);
}

/* What inject_write does, in memory.  */
static uint8_t *
carry_out (const struct layout_plan *plan, const uint8_t *old)
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
random_plan (struct layout_plan *plan, size_t old_size)
{
  struct layout_extent pieces[PIECES_MAX];
  size_t n = 0;
  *plan = (struct layout_plan){ 0 };
  for (uint64_t at = 0; at < old_size && n < PIECES_MAX; n++)
    {
      uint64_t size = 1 + draw ((uint32_t)old_size / 6);
      if (size > old_size - at || n == PIECES_MAX - 1)
        size = old_size - at;
      pieces[n] = (struct layout_extent){ at, 0, size };
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
      struct layout_extent swap = pieces[i - 1];
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
          = (struct layout_patch){ offset, size, random_bytes (size) };
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
convert (struct converted *file, bool self_contained)
{
  struct error err = { 0 };
  struct layout_plan plan;
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
        layout_plan_free (&plan);
    }
  while (plan.new_size < size);
  assert_true (undo_record_build (&record, &file->original, &plan,
                                  self_contained, &err));
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
  layout_plan_free (&plan);
}

static void
converted_free (struct converted *file)
{
  free ((void *)file->original.bytes);
  free ((void *)file->image.bytes);
}

/* Whether undoing succeeds; if so, it must give the original.  */
static bool
undo_is_exact (const struct converted *file, struct error *err)
{
  struct layout_plan plan;
  bool ok = undo_plan (&plan, &file->image, err);
  if (ok)
    {
      uint8_t *back = carry_out (&plan, file->image.bytes);
      assert_int_equal (plan.new_size, file->original.size);
      assert_memory_equal (back, file->original.bytes, plan.new_size);
      free (back);
    }
  layout_plan_free (&plan);
  return ok;
}

static void
every_plan_can_be_undone (void **state)
{
  (void)state;
  struct error err = { 0 };
  for (seed = 1; seed < 2000000000; seed = seed * 1.01 + 1)
    {
      uint32_t before = seed;
      struct converted file;
      convert (&file, draw (2));
      assert_true (undo_is_exact (&file, &err));
      converted_free (&file);
      seed = before;
    }
}

static void
without_memory_for_a_digest_nothing_is_undone (void **state)
{
  (void)state;
  struct error err = { 0 };
  struct converted file;
  seed = 7;
  convert (&file, false);
  no_hash_state = true;
  assert_false (undo_is_exact (&file, &err));
  no_hash_state = false;
  assert_int_equal (err.status, CFI2SFRAME_NO_MEMORY);
  converted_free (&file);
}

static void
change_behind_our_back_is_noticed (void **state)
{
  (void)state;
  struct error err = { 0 };
  unsigned refused = 0, exact = 0;
  for (seed = 1; seed < 3000; seed += 7)
    {
      uint32_t before = seed;
      struct converted file;
      convert (&file, false);
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
static void
hostile_records_are_harmless (void **state)
{
  (void)state;
  struct error err = { 0 };
  unsigned failed = 0;
  for (seed = 1; seed < 40000; seed += 3)
    {
      uint32_t before = seed;
      struct converted file;
      convert (&file, false);
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

static void
cut_file_has_no_record (void **state)
{
  (void)state;
  struct converted file;
  struct undo_record record;
  seed = 4711;
  convert (&file, false);
  while (--file.image.size > 0)
    assert_false (undo_record_find (&record, &file.image));
  converted_free (&file);
}

static void
file_with_something_before_the_record_is_refused (void **state)
{
  (void)state;
  struct converted file;
  struct error err = { 0 };
  struct layout_plan plan;
  seed = 42;
  convert (&file, false);
  uint8_t *longer = calloc (1, file.image.size + 1);
  memcpy (longer, file.image.bytes, file.record.offset);
  memcpy (longer + file.record.offset + 1,
          file.image.bytes + file.record.offset, file.record.size);
  free ((void *)file.image.bytes);
  file.image.bytes = longer;
  file.image.size++;
  assert_false (undo_plan (&plan, &file.image, &err));
  assert_int_equal (err.status, CFI2SFRAME_REFUSED);
  layout_plan_free (&plan);
  converted_free (&file);
}

static void
append_uleb (struct buffer *buffer, unsigned value)
{
  for (; value >= 0x80; value >>= 7)
    buffer_u8 (buffer, (uint8_t)(value | 0x80));
  buffer_u8 (buffer, (uint8_t)value);
}

/* A record that is right in everything, but for saying that the original was
   larger than what stands before the record.  */
static void
record_of_a_larger_original_is_refused (void **state)
{
  (void)state;
  enum
  {
    CONTENT = 100,
    ZEROS = 60
  };
  struct error err = { 0 };
  struct buffer file;
  struct layout_plan plan;
  uint8_t original[CONTENT + ZEROS] = { 0 };
  memset (original, 0x77, CONTENT);
  for (unsigned zeros = 0; zeros <= ZEROS; zeros += ZEROS)
    {
      uint64_t size = CONTENT + zeros;
      buffer_init (&file, false);
      buffer_append (&file, original, CONTENT);
      buffer_append (&file, UNDO_MAGIC, UNDO_MAGIC_SIZE);
      buffer_u64 (&file, CONTENT);
      buffer_u64 (&file, size);
      buffer_u64 (&file, hash_digest (original, size));
      buffer_u64 (&file, zeros > 0 ? 2 : 1);
      append_uleb (&file, CONTENT << UNDO_KIND_BITS | UNDO_COPY);
      append_uleb (&file, 0);
      if (zeros > 0)
        append_uleb (&file, ZEROS << UNDO_KIND_BITS | UNDO_ZEROS);
      size_t record = file.size - CONTENT;
      buffer_u64 (&file, record + UNDO_FOOTER_SIZE);
      buffer_u64 (&file, hash_digest (file.bytes + CONTENT, record + 8));
      buffer_append (&file, UNDO_MAGIC, UNDO_MAGIC_SIZE);
      struct image image
          = { .fd = -1, .bytes = file.bytes, .size = file.size };
      assert_int_equal (undo_plan (&plan, &image, &err), zeros == 0);
      assert_true (zeros == 0 || err.status == CFI2SFRAME_REFUSED);
      layout_plan_free (&plan);
      buffer_free (&file);
    }
}

/* Only the headers are still to be written: what a crash leaves.  */
static void
self_contained_record_needs_nothing_written (void **state)
{
  (void)state;
  struct error err = { 0 };
  struct buffer record;
  buffer_init (&record, false);
  uint8_t bytes[600];
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (uint8_t)(i * 31 + 1);
  struct converted file
      = { .original = { .fd = -1, .bytes = bytes, .size = sizeof bytes } };
  /* [100, 200) goes to the end, [200, 236) to 150.  */
  struct layout_extent extents[] = {
    { 0, 0, 100 }, { 200, 150, 36 }, { 236, 236, 364 }, { 100, 800, 100 }
  };
  struct layout_plan plan = { .new_size = 900,
                              .sframe_offset = 608,
                              .sframe_size = 100,
                              .extents = extents,
                              .n_extents = 4 };
  assert_true (undo_record_build (&record, &file.original, &plan, true, &err));
  uint8_t *new = calloc (1, 900 + record.size);
  memcpy (new, bytes, sizeof bytes);
  memcpy (new + 900, record.bytes, record.size);
  file.image
      = (struct image){ .fd = -1, .bytes = new, .size = 900 + record.size };
  assert_true (undo_is_exact (&file, &err));
  /* Alone it is one, too, though of no use.  */
  struct undo_record found;
  struct image alone
      = { .fd = -1, .bytes = record.bytes, .size = record.size };
  assert_true (undo_record_find (&found, &alone));
  assert_int_equal (found.offset, 0);
  buffer_free (&record);
  free (new);
}

/* An operation on no bytes at all behind the others.  */
static void
operation_without_bytes_is_refused (void **state)
{
  (void)state;
  struct error err = { 0 };
  struct converted file;
  seed = 7;
  convert (&file, false);
  size_t front = file.record.offset, size = file.record.size;
  size_t head = front + size - UNDO_FOOTER_SIZE;
  uint8_t *longer = calloc (1, front + size + 2);
  memcpy (longer, file.image.bytes, head);
  uint8_t *record = longer + front, *footer = longer + head + 2;
  store_u64 (record + 32, load_u64 (record + 32, false) + 1, false);
  memcpy (footer, file.image.bytes + head, UNDO_FOOTER_SIZE);
  store_u64 (footer, size + 2, false);
  store_u64 (footer + 8, hash_digest (record, size + 2 - 16), false);
  struct image image = { .fd = -1, .bytes = longer, .size = front + size + 2 };
  struct layout_plan plan;
  assert_false (undo_plan (&plan, &image, &err));
  assert_string_equal (err.reason, "the undo record contradicts itself");
  layout_plan_free (&plan);
  free (longer);
  converted_free (&file);
}

static void
what_belongs_together_is_one_operation (void **state)
{
  (void)state;
  struct error err = { 0 };
  uint8_t bytes[600] = { 1 };
  struct image image = { .fd = -1, .bytes = bytes, .size = sizeof bytes };
  struct layout_extent whole = { 0, 0, 600 };
  struct layout_extent halves[] = { { 0, 0, 300 }, { 300, 300, 300 } };
  struct layout_plan plan = {
    .new_size = 664, .sframe_offset = 664, .extents = &whole, .n_extents = 1
  };
  struct buffer one, two;
  buffer_init (&one, false);
  buffer_init (&two, false);
  assert_true (undo_record_build (&one, &image, &plan, false, &err));
  plan.extents = halves;
  plan.n_extents = 2;
  assert_true (undo_record_build (&two, &image, &plan, false, &err));
  assert_int_equal (one.size, two.size);
  assert_memory_equal (one.bytes, two.bytes, one.size);
  buffer_free (&one);
  buffer_free (&two);
}

static void
restored_file_is_compared (void **state)
{
  (void)state;
  struct converted file;
  struct error err = { 0 };
  seed = 99;
  convert (&file, false);
  uint8_t *bytes = (uint8_t *)file.original.bytes;
  assert_true (undo_check (&file.image, bytes, file.original.size, &err));
  assert_false (undo_check (&file.image, bytes, file.original.size - 1, &err));
  bytes[0] ^= 1;
  assert_false (undo_check (&file.image, bytes, file.original.size, &err));
  assert_int_equal (err.status, CFI2SFRAME_MISMATCH);
  converted_free (&file);
}

/* A temporary file with IMAGE's bytes, which IMAGE maps from then on.  */
static FILE *
put_on_disk (struct image *image)
{
  FILE *stream = tmpfile ();
  assert_non_null (stream);
  fwrite (image->bytes, 1, image->size, stream);
  fflush (stream);
  free ((void *)image->bytes);
  image->fd = fileno (stream);
  image->bytes
      = mmap (NULL, image->size, PROT_READ, MAP_PRIVATE, image->fd, 0);
  assert_ptr_not_equal (image->bytes, MAP_FAILED);
  return stream;
}

static void
assert_on_disk (int fd, const uint8_t *bytes, size_t size)
{
  struct stat status;
  assert_int_equal (fstat (fd, &status), 0);
  assert_int_equal (status.st_size, size);
  uint8_t *found = malloc (size + 1);
  assert_int_equal (pread (fd, found, size, 0), size);
  assert_memory_equal (found, bytes, size);
  free (found);
}

/* A file on the disk that is to grow in place: what it has stays where it is,
   but for patches, and a section comes to its end.  */
struct grown
{
  uint8_t patch[16], sframe[0x80];
  struct layout_extent all;
  struct layout_patch patches[3];
  struct layout_plan plan;
  struct image image;
  struct buffer record;
  FILE *stream;
};

enum
{
  GROWN_OLD_SIZE = 0x3000
};

/* To NEW_SIZE, with the first N_PATCHES of three patches.  */
static void
grown_begin (struct grown *grown, uint64_t new_size, size_t n_patches)
{
  static const uint64_t places[] = { 0x40, 0x2000, GROWN_OLD_SIZE };
  struct error err = { 0 };
  seed = 3;
  *grown = (struct grown){ .patch = { 1 },
                           .sframe = { 2 },
                           .all = { 0, 0, GROWN_OLD_SIZE },
                           .image = { .bytes = random_bytes (GROWN_OLD_SIZE),
                                      .size = GROWN_OLD_SIZE } };
  for (size_t i = 0; i < n_patches; i++)
    grown->patches[i] = (struct layout_patch){ places[i], 16, grown->patch };
  grown->plan
      = (struct layout_plan){ .extents = &grown->all,
                              .n_extents = 1,
                              .patches = grown->patches,
                              .n_patches = n_patches,
                              .sframe_offset = new_size - sizeof grown->sframe,
                              .sframe_size = sizeof grown->sframe,
                              .new_size = new_size };
  buffer_init (&grown->record, false);
  assert_true (undo_record_build (&grown->record, &grown->image, &grown->plan,
                                  true, &err));
  grown->stream = put_on_disk (&grown->image);
}

/* Write it, and note what is done in `steps'.  */
static bool
grown_write (struct grown *grown, bool keep_record, struct error *err)
{
  struct in_place_request request
      = { .record = &grown->record, .keep_record = keep_record };
  steps[0] = '\0';
  noting = true;
  bool written = in_place_write (&grown->image, &grown->plan, grown->sframe,
                                 &request, grown->image.fd, err);
  noting = false;
  return written;
}

static void
grown_end (struct grown *grown)
{
  munmap ((void *)grown->image.bytes, grown->image.size);
  buffer_free (&grown->record);
  fclose (grown->stream);
}

static bool
moves_much (const struct layout_plan *plan, uint64_t old_size)
{
  for (size_t i = 0; i < plan->n_extents; i++)
    if (plan->extents[i].old_offset != plan->extents[i].new_offset
        && plan->extents[i].new_offset < old_size
        && plan->extents[i].size >= 4096)
      return true;
  return false;
}

/* Convert in place and undo in place.  */
static void
round_trip_in_place (void)
{
  struct error err = { 0 };
  struct layout_plan plan, back;
  uint64_t size = 1 + draw (draw (4) == 0 ? 60000 : 9000);
  struct image image = { .bytes = random_bytes (size), .size = size };
  uint8_t *original = malloc (size);
  memcpy (original, image.bytes, size);
  do
    random_plan (&plan, size);
  while (plan.new_size < size && (layout_plan_free (&plan), true));
  uint8_t *expected = carry_out (&plan, original);
  uint8_t sframe[128];
  memset (sframe, 0x5f, sizeof sframe);
  struct buffer record;
  buffer_init (&record, false);
  assert_true (undo_record_build (&record, &image, &plan, true, &err));
  struct in_place_request forth = { .record = &record, .keep_record = true };
  struct in_place_request undo = { .record = NULL };
  FILE *stream = put_on_disk (&image);
  uint8_t *preview = in_place_preview (&image, &plan, sframe, &err);
  assert_int_equal (preview == NULL, moves_much (&plan, size));
  if (preview != NULL)
    {
      assert_memory_equal (preview, expected, plan.new_size);
      munmap (preview, plan.new_size);
      /* The same of an image that is in no file.  */
      struct image in_memory = image;
      in_memory.fd = -1;
      preview = in_place_preview (&in_memory, &plan, sframe, &err);
      assert_non_null (preview);
      assert_memory_equal (preview, expected, plan.new_size);
      munmap (preview, plan.new_size);
      assert_true (
          in_place_write (&image, &plan, sframe, &forth, image.fd, &err));
      expected = realloc (expected, plan.new_size + record.size);
      memcpy (expected + plan.new_size, record.bytes, record.size);
      assert_on_disk (image.fd, expected, plan.new_size + record.size);
      munmap ((void *)image.bytes, image.size);
      image.size = plan.new_size + record.size;
      image.bytes
          = mmap (NULL, image.size, PROT_READ, MAP_PRIVATE, image.fd, 0);
      assert_true (undo_plan (&back, &image, &err));
      assert_true (
          in_place_write (&image, &back, NULL, &undo, image.fd, &err));
      layout_plan_free (&back);
    }
  assert_on_disk (image.fd, original, size);
  munmap ((void *)image.bytes, image.size);
  buffer_free (&record);
  layout_plan_free (&plan);
  fclose (stream);
  free (expected);
  free (original);
}

static void
every_plan_can_be_written_in_place_and_undone (void **state)
{
  (void)state;
  for (uint32_t i = 1; i < 300; i++)
    {
      seed = i;
      disturbed = i % 4 == 0;
      round_trip_in_place ();
    }
  disturbed = false;
}

/* Between reading and writing somebody may put another file there, or cut this
   one.  */
static void
another_file_is_not_written (void **state)
{
  (void)state;
  enum
  {
    SAME,
    OTHER,
    CUT
  };
  for (int what = SAME; what <= CUT; what++)
    {
      struct error err = { 0 };
      struct layout_plan plan;
      seed = 7;
      uint64_t size = 9000;
      struct image image = { .bytes = random_bytes (size), .size = size };
      uint8_t *original = malloc (size);
      memcpy (original, image.bytes, size);
      do
        random_plan (&plan, size);
      while ((plan.new_size < size || moves_much (&plan, size))
             && (layout_plan_free (&plan), true));
      struct buffer record;
      buffer_init (&record, false);
      assert_true (undo_record_build (&record, &image, &plan, true, &err));
      uint8_t sframe[128] = { 0 };
      struct in_place_request request
          = { .record = &record, .keep_record = true };
      FILE *stream = put_on_disk (&image), *other = tmpfile ();
      assert_int_equal (fwrite (original, 1, size, other), size);
      fflush (other);
      int fd = what == OTHER ? fileno (other) : image.fd;
      if (what == CUT)
        assert_int_equal (ftruncate (fd, (off_t)size - 1), 0);
      bool written
          = in_place_write (&image, &plan, sframe, &request, fd, &err);
      assert_int_equal (written, what == SAME);
      if (!written)
        {
          assert_non_null (strstr (err.reason, "changed meanwhile"));
          assert_on_disk (fd, original, what == CUT ? size - 1 : size);
        }
      munmap ((void *)image.bytes, image.size);
      buffer_free (&record);
      layout_plan_free (&plan);
      fclose (stream);
      fclose (other);
      free (original);
    }
}

/* Files are told apart by both numbers.  */
static void
the_same_number_on_another_device_is_another_file (void **state)
{
  (void)state;
  const struct stat file = { .st_dev = 1, .st_ino = 2 };
  const struct stat device = { .st_dev = 2, .st_ino = 2 };
  const struct stat inode = { .st_dev = 1, .st_ino = 1 };
  assert_true (file_status_same (&file, &file));
  assert_false (file_status_same (&file, &device));
  assert_false (file_status_same (&file, &inode));
}

static void
what_is_not_open_is_not_written (void **state)
{
  (void)state;
  struct error err = { 0 };
  uint8_t bytes[16] = { 0 };
  struct image image = { .fd = -1, .bytes = bytes, .size = sizeof bytes };
  struct layout_plan plan = { .new_size = sizeof bytes };
  struct in_place_request request = { 0 };
  assert_false (in_place_write (&image, &plan, NULL, &request, -1, &err));
  assert_int_equal (err.status, CFI2SFRAME_IO);
  assert_string_equal (err.reason, "fstat: Bad file descriptor");
}

/* An image in memory may be of any file; a file that grows needs no record if
   there is no way back.  */
static void
what_is_in_memory_is_written_without_a_record (void **state)
{
  enum
  {
    OLD_SIZE = 0x3000,
    NEW_SIZE = 0x3200
  };
  (void)state;
  struct error err = { 0 };
  uint8_t sframe[0x80], expected[NEW_SIZE] = { 0 };
  struct layout_extent all = { 0, 0, OLD_SIZE };
  struct layout_plan plan = { .extents = &all,
                              .n_extents = 1,
                              .sframe_offset = NEW_SIZE - sizeof sframe,
                              .sframe_size = sizeof sframe,
                              .new_size = NEW_SIZE };
  struct in_place_request request = { .record = NULL };
  struct image image = { .bytes = random_bytes (OLD_SIZE), .size = OLD_SIZE };
  memset (sframe, 0x5f, sizeof sframe);
  FILE *stream = put_on_disk (&image);
  memcpy (expected, image.bytes, OLD_SIZE);
  memcpy (expected + plan.sframe_offset, sframe, sizeof sframe);
  int fd = image.fd;
  image.fd = -1;
  if (!in_place_write (&image, &plan, sframe, &request, fd, &err))
    fail_msg ("%s", err.reason);
  assert_on_disk (fd, expected, NEW_SIZE);
  munmap ((void *)image.bytes, image.size);
  fclose (stream);
}

/* Without standard input its descriptor is given to the image.  */
static void
an_image_may_be_descriptor_0 (void **state)
{
  enum
  {
    SIZE = 0x3000
  };
  (void)state;
  struct error err = { 0 };
  struct layout_extent all = { 0, 0, SIZE };
  struct layout_plan plan
      = { .extents = &all, .n_extents = 1, .new_size = SIZE };
  struct in_place_request request = { .record = NULL };
  struct image image = { .bytes = random_bytes (SIZE), .size = SIZE };
  FILE *stream = put_on_disk (&image), *other = tmpfile ();
  assert_int_equal (ftruncate (fileno (other), SIZE), 0);
  int input = dup (STDIN_FILENO);
  assert_true (input >= 0);
  assert_int_equal (dup2 (image.fd, STDIN_FILENO), STDIN_FILENO);
  image.fd = STDIN_FILENO;
  bool written
      = in_place_write (&image, &plan, NULL, &request, fileno (other), &err);
  assert_int_equal (dup2 (input, STDIN_FILENO), STDIN_FILENO);
  close (input);
  assert_false (written);
  assert_string_equal (err.reason, "the file changed meanwhile");
  munmap ((void *)image.bytes, image.size);
  fclose (stream);
  fclose (other);
}

/* A record behind fewer bytes than there were would lie in the old file.  */
static void
what_gets_smaller_is_not_converted_in_place (void **state)
{
  (void)state;
  struct error err = { 0 };
  enum
  {
    OLD_SIZE = 3000,
    NEW_SIZE = 2000
  };
  struct layout_extent kept = { 0, 0, NEW_SIZE };
  struct layout_plan plan = { .extents = &kept,
                              .n_extents = 1,
                              .sframe_offset = NEW_SIZE,
                              .new_size = NEW_SIZE };
  struct image image = { .bytes = random_bytes (OLD_SIZE), .size = OLD_SIZE };
  uint8_t *original = malloc (OLD_SIZE);
  memcpy (original, image.bytes, OLD_SIZE);
  struct buffer record;
  buffer_init (&record, false);
  assert_true (undo_record_build (&record, &image, &plan, true, &err));
  struct in_place_request request = { .record = &record, .keep_record = true };
  FILE *stream = put_on_disk (&image);
  assert_false (
      in_place_write (&image, &plan, NULL, &request, image.fd, &err));
  assert_int_equal (err.status, CFI2SFRAME_REFUSED);
  assert_on_disk (image.fd, original, OLD_SIZE);
  munmap ((void *)image.bytes, image.size);
  buffer_free (&record);
  fclose (stream);
  free (original);
}

/* Writing fails from the Nth step on, for good or for a while: the file is as
   it was, or --undo makes it so, as the message says.  */
static unsigned writes_granted, writes_refused, n_refused;
static const char *first_refused;

/* The last write that is granted writes but a part.  */
static bool
is_refused (const char *step, size_t *size)
{
  if (writes_granted > 0)
    {
      if (writes_refused > 0 && writes_granted == 1 && size != NULL)
        *size = (*size + 1) / 2;
      writes_granted--;
      return false;
    }
  if (writes_refused == 0)
    return false;
  writes_refused--;
  if (first_refused == NULL)
    first_refused = step;
  n_refused++;
  errno = ENOSPC;
  return true;
}

static void
expect_way_back (struct image *image, const uint8_t *original, uint64_t size,
                 bool said)
{
  struct error err = { 0 };
  struct layout_plan back;
  struct stat status;
  assert_int_equal (fstat (image->fd, &status), 0);
  munmap ((void *)image->bytes, image->size);
  image->size = (uint64_t)status.st_size;
  image->bytes
      = mmap (NULL, image->size, PROT_READ, MAP_PRIVATE, image->fd, 0);
  assert_ptr_not_equal (image->bytes, MAP_FAILED);
  if (image->size == size && memcmp (image->bytes, original, size) == 0)
    {
      /* Restoring failed at least in part: it may not be on the disk.  */
      assert_true (!said || n_refused > 1);
      return;
    }
  /* Only where restoring failed, too.  */
  assert_true (said);
  struct in_place_request undo = { .record = NULL };
  assert_true (undo_plan (&back, image, &err));
  assert_true (in_place_write (image, &back, NULL, &undo, image->fd, &err));
  layout_plan_free (&back);
  assert_on_disk (image->fd, original, size);
}

/* What there is after a failure that ERR tells of.  */
static void
expect_old_or_new (struct image *image, const struct layout_plan *plan,
                   const uint8_t *original, uint64_t size, const uint8_t *new,
                   const struct error *err)
{
  bool said = strstr (err->reason, "--undo") != NULL;
  assert_int_equal (err->status, CFI2SFRAME_IO);
  assert_true (!said || n_refused > 1);
  if (strstr (err->reason, "written, but flushing") != NULL)
    {
      assert_string_equal (first_refused, "fdatasync");
      assert_on_disk (image->fd, new, plan->new_size);
      return;
    }
  if (strstr (err->reason, "could not be cut off") != NULL)
    {
      uint8_t *found = malloc (size);
      assert_true (n_refused > 1);
      assert_int_equal (pread (image->fd, found, size, 0), size);
      assert_memory_equal (found, original, size);
      free (found);
      return;
    }
  assert_true (said
               || strncmp (err->reason, first_refused, strlen (first_refused))
                      == 0);
  expect_way_back (image, original, size, said);
}

static void
failing_writes (bool keep_record)
{
  bool done = false;
  for (unsigned n = 0; !done; n++)
    for (unsigned refused = 1; refused < 40 && !done; refused += 1 + refused)
      {
        struct error err = { 0 };
        struct layout_plan plan;
        seed = 5;
        uint64_t size = 30000;
        struct image image = { .bytes = random_bytes (size), .size = size };
        uint8_t *original = malloc (size);
        memcpy (original, image.bytes, size);
        do
          random_plan (&plan, size);
        while ((plan.new_size < size || moves_much (&plan, size)
                || plan.n_patches < 3)
               && (layout_plan_free (&plan), true));
        struct buffer record;
        buffer_init (&record, false);
        assert_true (undo_record_build (&record, &image, &plan, true, &err));
        uint8_t sframe[128] = { 0 };
        struct in_place_request request
            = { .record = &record, .keep_record = keep_record };
        FILE *stream = put_on_disk (&image);
        uint8_t *new = in_place_preview (&image, &plan, sframe, &err);
        assert_non_null (new);
        first_refused = NULL;
        n_refused = 0;
        writes_granted = n;
        writes_refused = refused;
        bool written
            = in_place_write (&image, &plan, sframe, &request, image.fd, &err);
        done = written;
        assert_true (!written || n_refused == 0);
        writes_granted = writes_refused = 0;
        if (!written)
          expect_old_or_new (&image, &plan, original, size, new, &err);
        munmap (new, plan.new_size);
        munmap ((void *)image.bytes, image.size);
        buffer_free (&record);
        layout_plan_free (&plan);
        fclose (stream);
        free (original);
      }
}

static void
failing_writes_leave_a_way_back (void **state)
{
  (void)state;
  failing_writes (true);
  failing_writes (false);
}

/* Who is not root loses the set-id bits of a file by writing to it and by
   cutting it off.  They come back where that works, and with the old contents
   where it does not.  */
static void
set_id_bits_come_back (void **state)
{
  enum
  {
    NOBODY = 65534
  };
  (void)state;
  uid_t self = geteuid ();
  for (int keep = 0; keep < 2; keep++)
    {
      bool written = false;
      for (unsigned n = 0; !written; n++)
        {
          struct error err = { 0 };
          struct grown file;
          struct stat status;
          grown_begin (&file, 0x31f0, 3);
          int fd = file.image.fd;
          assert_true (self != 0 || fchown (fd, NOBODY, NOBODY) == 0);
          assert_int_equal (fchmod (fd, 04755), 0);
          assert_true (self != 0 || seteuid (NOBODY) == 0);
          writes_granted = n;
          writes_refused = 1;
          written = grown_write (&file, keep, &err);
          writes_granted = writes_refused = 0;
          assert_int_equal (seteuid (self), 0);
          assert_int_equal (fstat (fd, &status), 0);
          if ((status.st_mode & 07777) != 04755)
            fail_msg ("%d, %u: %s", keep, n, err.reason);
          grown_end (&file);
        }
    }
}

/* A file of CONTENT bytes with a record that is right but for what OPERATIONS,
   N of them in SIZE bytes, say; and for its original's size and digest.  */
static void
put_record (struct buffer *file, const uint8_t *content, size_t content_size,
            uint64_t original_size, uint64_t digest, uint64_t n,
            const struct buffer *operations)
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
}

/* Operations that leave the file's bytes or the original's, each alone; and
   those that just do not.  */
static void
operations_stay_in_their_files (void **state)
{
  enum
  {
    CONTENT = 100
  };
  static const struct
  {
    uint64_t original;
    struct
    {
      unsigned kind, size, from;
    } operations[3];
    const char
        *reason; /* or NULL: the original is what the file begins with */
  } cases[] = {
    { 100, { { UNDO_COPY, 60, 0 }, { UNDO_COPY, 40, 60 } }, NULL },
    { 99, { { UNDO_COPY, 99, 0 } }, NULL },
    { 100, { { UNDO_COPY, 60, 0 }, { UNDO_COPY, 41, 59 } }, "contradicts" },
    { 100, { { UNDO_COPY, 60, 0 }, { UNDO_COPY, 40, 61 } }, "contradicts" },
    { 100, { { UNDO_COPY, 60, 0 }, { UNDO_COPY, 40, 101 } }, "contradicts" },
    { 100, { { UNDO_COPY, 60, 0 }, { UNDO_ZEROS, 41, 0 } }, "contradicts" },
    { 100, { { UNDO_COPY, 60, 0 }, { UNDO_COPY, 39, 60 } }, "incomplete" },
    { 100, { { UNDO_COPY, 60, 0 }, { 3, 40, 0 } }, "contradicts" },
    { 100, { { UNDO_COPY, 60, 0 }, { UNDO_STORE, 40, 0 } }, "contradicts" },
    { 100, { { UNDO_COPY, 60, 0 }, { UNDO_ZEROS, 40, 0 } }, "was changed" },
    { 60, { { UNDO_COPY, 60, 0 }, { UNDO_ZEROS, 0, 0 } }, NULL },
  };
  (void)state;
  uint8_t content[CONTENT];
  for (size_t i = 0; i < CONTENT; i++)
    content[i] = (uint8_t)(i * 7 + 1);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      struct buffer operations, file;
      struct error err = { 0 };
      struct layout_plan plan;
      uint64_t n = 0;
      buffer_init (&operations, false);
      for (; n < 3 && cases[i].operations[n].size > 0; n++)
        {
          append_uleb (&operations,
                       cases[i].operations[n].size << UNDO_KIND_BITS
                           | cases[i].operations[n].kind);
          if (cases[i].operations[n].kind == UNDO_COPY)
            append_uleb (&operations, cases[i].operations[n].from);
        }
      put_record (&file, content, CONTENT, cases[i].original,
                  hash_digest (content, cases[i].original), n, &operations);
      struct image image
          = { .fd = -1, .bytes = file.bytes, .size = file.size };
      assert_int_equal (undo_plan (&plan, &image, &err),
                        cases[i].reason == NULL);
      if (cases[i].reason != NULL)
        assert_non_null (strstr (err.reason, cases[i].reason));
      layout_plan_free (&plan);
      buffer_free (&operations);
      buffer_free (&file);
    }
}

/* A record whose digest is that of a shorter file than it says.  */
static void
restored_file_has_the_size_that_was_said (void **state)
{
  (void)state;
  uint8_t content[100] = { 1, 2, 3 };
  struct buffer operations, file;
  struct error err = { 0 };
  buffer_init (&operations, false);
  put_record (&file, content, 100, 100, hash_digest (content, 50), 0,
              &operations);
  struct image image = { .fd = -1, .bytes = file.bytes, .size = file.size };
  assert_false (undo_check (&image, content, 50, &err));
  assert_int_equal (err.status, CFI2SFRAME_MISMATCH);
  assert_false (undo_check (&image, content, 100, &err));
  buffer_free (&file);
  buffer_free (&operations);
}

/* To read and write, and without waiting.  */
static void
opened_to_be_written_in_place (void **state)
{
  (void)state;
  char path[] = "undo-XXXXXX";
  struct error err = { 0 };
  int made = mkstemp (path);
  assert_true (made >= 0);
  close (made);
  struct file_location location = file_location_of_path (path);
  int fd = in_place_open (&location, &err);
  assert_true (fd >= 0);
  assert_int_equal (fcntl (fd, F_GETFL) & (O_ACCMODE | O_NONBLOCK),
                    O_RDWR | O_NONBLOCK);
  close (fd);
  unlink (path);
  assert_true (in_place_open (&location, &err) < 0);
  assert_int_equal (err.status, CFI2SFRAME_IO);
}

static void
long_runs_of_zeros_are_restored (void **state)
{
  static const uint64_t sizes[] = { 1, 4095, 4096, 4097, 8192, 9000 };
  (void)state;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    {
      uint8_t content[10000], original[10000] = { 0 };
      memset (content, 7, sizeof content);
      memset (original, 7, 60);
      struct buffer operations, file;
      struct error err = { 0 };
      struct layout_plan plan;
      buffer_init (&operations, false);
      append_uleb (&operations, 60 << UNDO_KIND_BITS | UNDO_COPY);
      append_uleb (&operations, 0);
      append_uleb (&operations, sizes[i] << UNDO_KIND_BITS | UNDO_ZEROS);
      put_record (&file, content, sizeof content, 60 + sizes[i],
                  hash_digest (original, 60 + sizes[i]), 2, &operations);
      struct image image
          = { .fd = -1, .bytes = file.bytes, .size = file.size };
      if (!undo_plan (&plan, &image, &err))
        fail_msg ("%u zeros: %s", (unsigned)sizes[i], err.reason);
      layout_plan_free (&plan);
      buffer_free (&operations);
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
static void
a_record_stores_what_is_lost (void **state)
{
  enum
  {
    OLD_SIZE = 0x4000,
    ZEROS = 0x200, /* 64 of them */
    MOVED = UNDO_STORED_MOVE
  };
  static const struct
  {
    struct layout_extent extents[3];
    struct
    {
      uint64_t offset, size;
      uint64_t old;       /* what it has is there in the old file */
      uint64_t differ[3]; /* bytes that differ from that, from 1 on */
    } patches[2];
    const char *operations[2]; /* not self-contained, and self-contained */
  } cases[] = {
#define ALL { { 0, 0, OLD_SIZE } }
    { ALL, { { 0 } }, { "copy 4000@0" } },
    { ALL, { { 0x100, 64, 0x100, { 0 } } }, { "copy 4000@0" } },
    { ALL,
      { { 0x100, 64, 0x100, { 1 } } },
      { "copy 100@0 store 1 copy 3eff@101" } },
    { ALL,
      { { 0x100, 64, 0x100, { 64 } } },
      { "copy 13f@0 store 1 copy 3ec0@140" } },
    { ALL,
      { { 0x100, 64, 0x100, { 1, 13 } } },
      { "copy 100@0 store d copy 3ef3@10d" } },
    { ALL,
      { { 0x100, 64, 0x100, { 1, 14 } } },
      { "copy 100@0 store e copy 3ef2@10e" } },
    { ALL,
      { { 0x100, 64, 0x100, { 1, 15 } } },
      { "copy 100@0 store 1 copy d@101 store 1 copy 3ef1@10f" } },
    { ALL,
      { { 0x100, 64, 0x100, { 1, 10, 20 } } },
      { "copy 100@0 store 14 copy 3eec@114" } },
    { ALL,
      { { ZEROS, 64, ZEROS, { 1, 9, 17 } } },
      { "copy 200@0 zeros 11 copy 3def@211" } },
    /* In another order; one in the other; one beside the other.  */
    { ALL,
      { { 0x180, 8, 0x180, { 1 } }, { 0x100, 8, 0x100, { 1 } } },
      { "copy 100@0 store 1 copy 7f@101 store 1 copy 3e7f@181" } },
    { ALL,
      { { 0x100, 64, 0x100, { 1, 10, 20 } }, { 0x102, 4, 0x102, { 2 } } },
      { "copy 100@0 store 14 copy 3eec@114" } },
    { ALL,
      { { 0x100, 12, 0x100, { 1, 12 } }, { 0x10c, 12, 0x10c, { 1, 12 } } },
      { "copy 100@0 store 18 copy 3ee8@118" } },
    /* Lost at the beginning, in between and at the end; zeros.  */
    { { { 0x10, 0x10, 0x100 }, { 0x130, 0x130, 0x3000 } },
      { { 0 } },
      { "store 10 copy 100@10 store 20 copy 3000@130 store ed0" } },
    { { { 0, 0, ZEROS }, { ZEROS + 64, ZEROS + 64, 0x3dc0 } },
      { { 0 } },
      { "copy 200@0 zeros 40 copy 3dc0@240" } },
    /* Moved: what is small is stored, what is behind the old end where the
       record has to do by itself.  Neighbours are copied as one.  */
    { { { 0, 0, 0x1000 }, { 0x1000, 0x1100, MOVED } },
      { { 0 } },
      { "copy 1000@0 copy 1000@1100 store 2000" } },
    { { { 0, 0, 0x1000 }, { 0x1000, 0x1100, MOVED - 1 } },
      { { 0 } },
      { "copy 1000@0 store 3000" } },
    { { { 0, 0, 0x3800 }, { 0x3800, OLD_SIZE, 0x800 } },
      { { 0 } },
      { "copy 3800@0 copy 800@4000", "copy 3800@0 store 800" } },
    { { { 0, 0, 0x3800 }, { 0x3800, OLD_SIZE - 1, 0x800 } },
      { { 0 } },
      { "copy 3800@0 store 800" } },
    { { { 0, 0, 0x1000 }, { 0x1000, 0x1000, 0x3000 } },
      { { 0 } },
      { "copy 4000@0" } },
    { { { 0x2000, 0, 0x2000 }, { 0, 0x2000, 0x2000 } },
      { { 0 } },
      { "copy 2000@2000 copy 2000@0" } },
    /* A patch over the end of one part and the beginning of another.  */
    { { { 0, 0, 0x1000 }, { 0x1000, 0x1010, 0x3000 } },
      { { 0xff8, 0x20, 0xff8, { 1 } }, { 0x1010, 8, 0x1000, { 3 } } },
      { "copy ff8@0 store 1 copy 7@ff9 store 8 copy 2ff8@1018" } },
#undef ALL
  };
  uint8_t old[OLD_SIZE];
  (void)state;
  for (size_t i = 0; i < OLD_SIZE; i++)
    old[i] = i >= ZEROS && i < ZEROS + 64 ? 0 : (uint8_t)(i * 7 | 1);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (unsigned alone = 0; alone < 2; alone++)
      {
        struct layout_extent extents[3];
        struct layout_patch patches[2];
        uint8_t bytes[2][64];
        struct layout_plan plan = { .extents = extents,
                                    .patches = patches,
                                    .sframe_offset = 0x7000,
                                    .sframe_size = 0x100,
                                    .new_size = 0x7100 };
        struct image image = { .fd = -1, .bytes = old, .size = OLD_SIZE };
        struct error err = { 0 };
        struct buffer record;
        char text[300];
        for (size_t k = 0; k < 3 && cases[i].extents[k].size > 0; k++)
          extents[plan.n_extents++] = cases[i].extents[k];
        for (size_t k = 0; k < 2 && cases[i].patches[k].size > 0; k++)
          {
            uint64_t size = cases[i].patches[k].size;
            memcpy (bytes[k], old + cases[i].patches[k].old, size);
            for (size_t d = 0; d < 3; d++)
              if (cases[i].patches[k].differ[d] > 0)
                bytes[k][cases[i].patches[k].differ[d] - 1] ^= 0x80;
            patches[plan.n_patches++]
                = (struct layout_patch){ cases[i].patches[k].offset, size,
                                         bytes[k] };
          }
        buffer_init (&record, false);
        assert_true (undo_record_build (&record, &image, &plan, alone, &err));
        list_operations (&record, text, sizeof text);
        const char *expected = cases[i].operations[alone];
        assert_string_equal (text, expected != NULL ? expected
                                                    : cases[i].operations[0]);
        buffer_free (&record);
      }
}

/* Every second operation is a copy of what is between two changed bytes.  What
   a record of ours may have, the reader takes.  */
static void
too_many_changes_are_refused (void **state)
{
  enum
  {
    STEP = 32,
    SIZE = UNDO_OPERATIONS_MAX / 2 * STEP
  };
  (void)state;
  for (size_t more = 0; more < 2; more++)
    {
      uint8_t *old = calloc (2, SIZE + 1);
      assert_non_null (old);
      uint8_t *new = old + SIZE + 1;
      for (size_t i = STEP - 1; i < SIZE; i += STEP)
        new[i] = 1;
      struct layout_extent extent = { .size = SIZE + more };
      struct layout_patch patch = { .size = SIZE, .bytes = new };
      struct layout_plan plan = { .extents = &extent,
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
      assert_int_equal (undo_record_build (&record, &image, &plan, true, &err),
                        more == 0);
      assert_int_equal (err.status,
                        more == 0 ? CFI2SFRAME_OK : CFI2SFRAME_REFUSED);
      buffer_free (&record);
      free (old);
    }
}

static void
bytes_behind_the_image_are_not_written_over (void **state)
{
  (void)state;
  struct error err = { 0 };
  struct grown file;
  struct stat status;
  grown_begin (&file, 0x31f0, 2);
  int fd = file.image.fd;
  assert_int_equal (__real_ftruncate (fd, GROWN_OLD_SIZE + 24), 0);
  assert_false (grown_write (&file, true, &err));
  assert_int_equal (err.status, CFI2SFRAME_REFUSED);
  assert_non_null (strstr (err.reason, "outdated undo record"));
  assert_string_equal (steps, "");
  assert_int_equal (fstat (fd, &status), 0);
  assert_int_equal (status.st_size, GROWN_OLD_SIZE + 24);
  grown_end (&file);
}

static void
times_stay_if_they_shall (void **state)
{
  static const struct timespec times[] = { { 1000, 1 }, { 2000, 2 } };
  (void)state;
  for (int preserve = 0; preserve < 2; preserve++)
    {
      struct error err = { 0 };
      struct grown file;
      struct stat status;
      grown_begin (&file, 0x31f0, 2);
      const struct in_place_request request
          = { .record = &file.record, .preserve_times = preserve };
      assert_int_equal (futimens (file.image.fd, times), 0);
      assert_true (in_place_write (&file.image, &file.plan, file.sframe,
                                   &request, file.image.fd, &err));
      assert_int_equal (fstat (file.image.fd, &status), 0);
      assert_int_equal (status.st_mtim.tv_sec == 2000
                            && status.st_mtim.tv_nsec == 2,
                        preserve);
      grown_end (&file);
    }
}

/* The guard in one sector behind everything, then the record and what is
   behind the old end, then the old part, with the headers at last.  */
static void
written_in_place_in_a_safe_order (void **state)
{
  (void)state;
  for (int keep = 0; keep < 2; keep++)
    {
      struct error err = { 0 };
      struct grown file;
      /* The record crosses from one sector to the next.  */
      grown_begin (&file, 0x31f0, 3);
      assert_true (grown_write (&file, keep, &err));
      assert_false (is_blocked (SIGTERM));
      size_t end = file.plan.new_size + file.record.size,
             guard = (end + 511) / 512 * 512, guard_size = 0, from = 0;
      assert_int_equal (sscanf (steps, "w%zx-%zx", &from, &guard_size), 2);
      guard_size -= from;
      assert_true (from == guard && guard_size > 0 && guard_size <= 512);
      char expected[300];
      snprintf (expected, sizeof expected,
                "w%zx-%zx s w31f0-%zx w3000-3010 w3170-31f0 s t%zx s "
                "w2000-2010 w0-1000 s %s",
                guard, guard + guard_size, end, end, keep ? "" : "t31f0 s ");
      assert_string_equal (steps, expected);
      grown_end (&file);
    }
}

/* A digest that is right does not make a record of what does not begin like
   one, and nobody needs so many operations.  */
static void
what_is_no_record_of_ours (void **state)
{
  (void)state;
  uint8_t content[100] = { 1 };
  struct buffer operations, file;
  struct error err = { 0 };
  struct undo_record record;
  struct layout_plan plan;
  for (uint64_t more = 0; more < 2; more++)
    {
      buffer_init (&operations, false);
      for (unsigned i = 0; i < 2 * UNDO_OPERATIONS_MAX; i++)
        buffer_u8 (&operations, 0);
      put_record (&file, content, 100, 100, hash_digest (content, 100),
                  UNDO_OPERATIONS_MAX + more, &operations);
      struct image image
          = { .fd = -1, .bytes = file.bytes, .size = file.size };
      assert_false (undo_plan (&plan, &image, &err));
      assert_non_null (strstr (err.reason, more ? "does not belong"
                                                : "contradicts itself"));
      layout_plan_free (&plan);
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
      buffer_free (&operations);
      buffer_free (&file);
    }
  /* The shortest one.  */
  buffer_init (&operations, false);
  put_record (&file, content, 0, 0, hash_digest (content, 0), 0, &operations);
  struct image image = { .fd = -1, .bytes = file.bytes, .size = file.size };
  assert_int_equal (file.size, UNDO_HEADER_SIZE + UNDO_FOOTER_SIZE);
  assert_true (undo_record_find (&record, &image));
  buffer_free (&operations);
  buffer_free (&file);
}

/* Right in all but its size, which is too small for what a record has; a
   further byte in front of it makes the file as large as a record.  */
static void
shorter_than_any_record (void **state)
{
  (void)state;
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
static void
as_short_as_a_magic (void **state)
{
  (void)state;
  size_t page = (size_t)sysconf (_SC_PAGESIZE);
  uint8_t *pages = mmap (NULL, 2 * page, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true (pages != MAP_FAILED);
  assert_int_equal (mprotect (pages, page, PROT_NONE), 0);
  for (size_t size = 0; size < UNDO_HEADER_SIZE + UNDO_FOOTER_SIZE; size++)
    {
      struct image image = { .fd = -1, .bytes = pages + page, .size = size };
      struct undo_record record;
      if (size >= UNDO_MAGIC_SIZE)
        memcpy (pages + page + size - UNDO_MAGIC_SIZE, UNDO_MAGIC,
                UNDO_MAGIC_SIZE);
      assert_false (undo_record_find (&record, &image));
    }
  munmap (pages, 2 * page);
}

/* Large parts move only where nothing is overwritten: to the old end, but not
   in front of it.  */
static void
parts_move_in_place_where_that_is_safe (void **state)
{
  static const struct
  {
    uint64_t size, to;
    bool is_safe;
  } cases[] = {
    { UNDO_STORED_MOVE, 3 * UNDO_STORED_MOVE, true },
    { UNDO_STORED_MOVE, 3 * UNDO_STORED_MOVE - 1, false },
    { UNDO_STORED_MOVE - 1, 3 * UNDO_STORED_MOVE - 1, true },
    { UNDO_STORED_MOVE, 2 * UNDO_STORED_MOVE, true },
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      enum
      {
        OLD_SIZE = 3 * UNDO_STORED_MOVE
      };
      struct error err = { 0 };
      uint8_t sframe[16] = { 0 };
      struct layout_extent extents[]
          = { { 0, 0, 2 * UNDO_STORED_MOVE },
              { 2 * UNDO_STORED_MOVE, cases[i].to, cases[i].size } };
      struct layout_plan plan
          = { .extents = extents,
              .n_extents = 2,
              .sframe_offset = 5 * UNDO_STORED_MOVE,
              .sframe_size = sizeof sframe,
              .new_size = 5 * UNDO_STORED_MOVE + sizeof sframe };
      struct image image
          = { .fd = -1, .bytes = random_bytes (OLD_SIZE), .size = OLD_SIZE };
      uint8_t *preview = in_place_preview (&image, &plan, sframe, &err);
      assert_int_equal (preview != NULL, cases[i].is_safe);
      if (preview != NULL)
        munmap (preview, plan.new_size);
      free ((void *)image.bytes);
    }
}

/* Where a file gets smaller, what is behind its new end stays there until
   everything is written.  */
static void
parts_that_are_cut_off_move_in_place (void **state)
{
  (void)state;
  for (uint64_t before = 0; before < 2; before++)
    {
      enum
      {
        OLD_SIZE = 4 * UNDO_STORED_MOVE,
        NEW_SIZE = 2 * UNDO_STORED_MOVE
      };
      struct error err = { 0 };
      struct layout_extent extents[]
          = { { 0, 0, UNDO_STORED_MOVE },
              { NEW_SIZE - before, UNDO_STORED_MOVE, UNDO_STORED_MOVE } };
      struct layout_plan plan
          = { .extents = extents, .n_extents = 2, .new_size = NEW_SIZE };
      struct image image
          = { .fd = -1, .bytes = random_bytes (OLD_SIZE), .size = OLD_SIZE };
      uint8_t *preview = in_place_preview (&image, &plan, NULL, &err);
      assert_int_equal (preview != NULL, before == 0);
      if (preview != NULL)
        munmap (preview, plan.new_size);
      else
        assert_int_equal (err.status, CFI2SFRAME_REFUSED);
      free ((void *)image.bytes);
    }
}

/* Neither the file nor a copy of it in memory, whichever change is the first
   one.  */
static void
without_memory_nothing_is_written_in_place (void **state)
{
  enum
  {
    OLD_SIZE = 0x3000,
    PATCHES = 100 /* more than there is room for at once */
  };
  static const struct
  {
    struct layout_extent extents[4];
    size_t n_patches;
  } cases[] = {
    /* zeros between parts, a part, zeros at the end, a patch */
    { { { 0, 0, 0x100 }, { 0x200, 0x200, 0x2e00 } }, 0 },
    { { { 0, 0, 0x100 },
        { 0x180, 0x100, 0x80 },
        { 0x100, 0x180, 0x80 },
        { 0x200, 0x200, 0x2e00 } },
      0 },
    { { { 0, 0, 0x2000 } }, 0 },
    { { { 0, 0, OLD_SIZE } }, PATCHES },
  };
  (void)state;
  uint8_t bytes[PATCHES] = { 0 }, sframe[0x80] = { 2 };
  struct layout_patch patches[PATCHES];
  for (unsigned i = 0; i < PATCHES; i++)
    patches[i] = (struct layout_patch){ 0x1500 + 8 * i, 1, &bytes[i] };
  for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++)
    {
      bool preview = i % 2, done = false;
      unsigned n = 0;
      for (; !done; n++)
        {
          struct error err = { 0 };
          struct layout_extent extents[4];
          struct layout_plan plan = { .extents = extents,
                                      .patches = patches,
                                      .n_patches = cases[i / 2].n_patches,
                                      .sframe_offset = 0x3100,
                                      .sframe_size = sizeof sframe,
                                      .new_size = 0x3100 + sizeof sframe };
          memcpy (extents, cases[i / 2].extents, sizeof extents);
          while (plan.n_extents < 4 && extents[plan.n_extents].size > 0)
            plan.n_extents++;
          seed = 3;
          struct image image
              = { .bytes = random_bytes (OLD_SIZE), .size = OLD_SIZE };
          uint8_t *original = malloc (OLD_SIZE), *copy = NULL;
          memcpy (original, image.bytes, OLD_SIZE);
          struct buffer record;
          buffer_init (&record, false);
          assert_true (undo_record_build (&record, &image, &plan, true, &err));
          struct in_place_request request
              = { .record = &record, .keep_record = true };
          FILE *stream = put_on_disk (&image);
          allocations_granted = n;
          if (preview)
            copy = in_place_preview (&image, &plan, sframe, &err);
          done = preview ? copy != NULL
                         : in_place_write (&image, &plan, sframe, &request,
                                           image.fd, &err);
          bool has_failed = allocations_granted == UINT_MAX;
          allocations_granted = UINT_MAX;
          assert_int_equal (done, !has_failed);
          assert_int_equal (err.status,
                            done ? CFI2SFRAME_OK : CFI2SFRAME_NO_MEMORY);
          if (preview || !done)
            assert_on_disk (image.fd, original, OLD_SIZE);
          if (copy != NULL)
            munmap (copy, plan.new_size);
          munmap ((void *)image.bytes, image.size);
          buffer_free (&record);
          fclose (stream);
          free (original);
        }
      assert_true (n > 2);
    }
}

/* The file has an outdated record, which is not part of the image.  */
static void
a_preview_has_nothing_from_behind_the_image (void **state)
{
  (void)state;
  struct error err = { 0 };
  uint8_t sframe[16] = { 5 }, zeros[3000] = { 0 };
  struct layout_extent all = { 0, 0, 5000 };
  struct layout_plan plan = { .extents = &all,
                              .n_extents = 1,
                              .sframe_offset = 8000,
                              .sframe_size = sizeof sframe,
                              .new_size = 8000 + sizeof sframe };
  seed = 8;
  uint8_t *bytes = malloc (9000);
  memset (bytes, 0x77, 9000);
  struct image image = { .bytes = bytes, .size = 9000 };
  FILE *stream = put_on_disk (&image);
  image.size = 5000;
  uint8_t *preview = in_place_preview (&image, &plan, sframe, &err);
  assert_non_null (preview);
  assert_memory_equal (preview, image.bytes, 5000);
  assert_memory_equal (preview + 5000, zeros, 3000);
  assert_memory_equal (preview + 8000, sframe, sizeof sframe);
  munmap (preview, plan.new_size);
  munmap ((void *)image.bytes, 9000);
  fclose (stream);
}

/* Of a file that is written to in place nothing but its guard has come to the
   disk, and nothing more can be written.  */
static void
the_guard_alone_is_a_way_back (void **state)
{
  (void)state;
  struct error err = { 0 };
  struct grown grown;
  grown_begin (&grown, 0x31f0, 1);
  uint8_t *original = malloc (GROWN_OLD_SIZE);
  memcpy (original, grown.image.bytes, GROWN_OLD_SIZE);
  writes_granted = 2;
  writes_refused = 1000;
  assert_false (grown_write (&grown, true, &err));
  writes_granted = writes_refused = 0;
  assert_non_null (strstr (err.reason, "could not be cut off"));
  size_t room
      = (grown.plan.new_size + grown.record.size + 511) / 512 * 512 + 512;
  uint8_t *bytes = calloc (1, room);
  ssize_t size = pread (grown.image.fd, bytes, room, 0);
  assert_true (size > (ssize_t)grown.plan.new_size);
  struct converted file
      = { .original = { .bytes = original, .size = GROWN_OLD_SIZE },
          .image = { .fd = -1, .bytes = bytes, .size = (size_t)size } };
  assert_true (undo_is_exact (&file, &err));
  /* It says so of what there was when it was written.  */
  struct layout_plan back;
  assert_true (undo_plan (&back, &file.image, &err));
  assert_int_equal (back.n_extents, 1);
  assert_int_equal (back.n_patches, 0);
  layout_plan_free (&back);
  grown_end (&grown);
  free (original);
  free (bytes);
}

/* Up to there the old file's bytes are as they were, and are not written.  */
static void
a_file_that_only_grew_is_cut_off (void **state)
{
  (void)state;
  struct error err = { 0 };
  struct grown file;
  grown_begin (&file, 0x3200, 2);
  writes_granted = 2;
  writes_refused = 1;
  assert_false (grown_write (&file, true, &err));
  char expected[100];
  snprintf (expected, sizeof expected, " s w3200-%zx t3000 s ",
            file.plan.new_size + file.record.size);
  assert_string_equal (strchr (steps, ' '), expected);
  assert_on_disk (file.image.fd, file.image.bytes, GROWN_OLD_SIZE);
  grown_end (&file);
}

/* On the way back nothing that is to be kept is written over before what was
   read of it is on the disk, and the record goes last.  */
static void
undone_in_place_in_a_safe_order (void **state)
{
  (void)state;
  struct error err = { 0 };
  struct layout_plan back;
  struct in_place_request undo = { .record = NULL };
  struct grown file;
  grown_begin (&file, 0x3200, 2);
  assert_true (grown_write (&file, true, &err));
  struct image *image = &file.image;
  munmap ((void *)image->bytes, image->size);
  image->size = file.plan.new_size + file.record.size;
  image->bytes
      = mmap (NULL, image->size, PROT_READ, MAP_PRIVATE, image->fd, 0);
  assert_true (undo_plan (&back, image, &err));
  steps[0] = '\0';
  noting = true;
  bool written = in_place_write (image, &back, NULL, &undo, image->fd, &err);
  noting = false;
  assert_true (written);
  assert_string_equal (steps, "s w2000-2010 w2000-2010 w0-1000 s t3000 s ");
  layout_plan_free (&back);
  grown_end (&file);
}

/* A converted file to which something was appended: how much is told, also
   where the magic of a record stands in it or in the record, behind a size
   that is too small, or in front of the section header table.  */
static void
bytes_appended_are_counted (void **state)
{
  enum
  {
    CONTENT = 100
  };
  static const struct
  {
    const char *appended;
    size_t size;
  } cases[] = { { "", 0 },
                { "x", 1 },
                { UNDO_MAGIC, UNDO_MAGIC_SIZE },
                { "xyz" UNDO_MAGIC "z", UNDO_MAGIC_SIZE + 4 } };
  (void)state;
  uint8_t content[CONTENT];
  for (size_t i = 0; i < CONTENT; i++)
    content[i] = (uint8_t)(i * 7 + 1);
  memcpy (content + 4, UNDO_MAGIC, UNDO_MAGIC_SIZE);
  store_u64 (content + 4 + UNDO_MAGIC_SIZE, 4, false);
  store_u64 (content + 50 + UNDO_MAGIC_SIZE - UNDO_FOOTER_SIZE, 1, false);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int with_magic = 0; with_magic < 2; with_magic++)
      {
        struct buffer operations, file;
        struct undo_record record;
        memcpy (content + 50, UNDO_MAGIC, with_magic ? UNDO_MAGIC_SIZE : 0);
        buffer_init (&operations, false);
        append_uleb (&operations, CONTENT << UNDO_KIND_BITS | UNDO_STORE);
        buffer_append (&operations, content, CONTENT);
        put_record (&file, content, CONTENT, CONTENT,
                    hash_digest (content, CONTENT), 1, &operations);
        struct image image
            = { .fd = -1, .bytes = file.bytes, .size = file.size };
        image.header.e_shoff = 30;
        assert_true (undo_record_find (&record, &image));
        /* Of a record that is cut off nobody knows where it ended.  */
        for (; image.size > 0; image.size--)
          if (image.size < file.size)
            assert_int_equal (undo_bytes_appended (&image), 0);
        buffer_append (&file, cases[i].appended, cases[i].size);
        image.bytes = file.bytes;
        image.size = file.size;
        assert_int_equal (undo_bytes_appended (&image), cases[i].size);
        /* Changed, it is no record any more.  */
        file.bytes[CONTENT + 20] ^= 1;
        assert_int_equal (undo_bytes_appended (&image), 0);
        buffer_free (&file);
        buffer_free (&operations);
      }
  struct image none = { .fd = -1, .bytes = content, .size = CONTENT };
  assert_int_equal (undo_bytes_appended (&none), 0);
}

/* Behind the last operation there is nothing, and there are no more operations
   than bytes.  */
static void
a_record_has_its_operations_and_nothing_else (void **state)
{
  enum
  {
    CONTENT = 100
  };
  static const struct
  {
    uint64_t n;
    size_t behind;
    const char *reason;
  } cases[] = { { 1, 0, NULL },
                { 1, 1, "the undo record is incomplete" },
                { 2, 0, "the undo record contradicts itself" },
                { 1000, 0, "the undo record does not belong to this file" } };
  (void)state;
  static const uint8_t content[CONTENT] = { 1, 2, 3 };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      struct error err = { 0 };
      struct buffer operations, file;
      struct layout_plan plan;
      buffer_init (&operations, false);
      append_uleb (&operations, CONTENT << UNDO_KIND_BITS | UNDO_COPY);
      append_uleb (&operations, 0);
      buffer_append (&operations, content, cases[i].behind);
      put_record (&file, content, CONTENT, CONTENT,
                  hash_digest (content, CONTENT), cases[i].n, &operations);
      struct image image
          = { .fd = -1, .bytes = file.bytes, .size = file.size };
      assert_int_equal (undo_plan (&plan, &image, &err),
                        cases[i].reason == NULL);
      if (cases[i].reason != NULL)
        assert_string_equal (err.reason, cases[i].reason);
      layout_plan_free (&plan);
      buffer_free (&file);
      buffer_free (&operations);
    }
}

/* No byte behind the file is read to see whether a record begins at its
   end.  */
static void
a_magic_at_the_end_begins_no_record (void **state)
{
  (void)state;
  size_t page = (size_t)sysconf (_SC_PAGESIZE);
  uint8_t *pages = mmap (NULL, 2 * page, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true (pages != MAP_FAILED);
  assert_int_equal (mprotect (pages + page, page, PROT_NONE), 0);
  memcpy (pages + page - UNDO_MAGIC_SIZE, UNDO_MAGIC, UNDO_MAGIC_SIZE);
  struct image image = { .fd = -1, .bytes = pages, .size = page };
  assert_int_equal (undo_bytes_appended (&image), 0);
  munmap (pages, 2 * page);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (digest_is_xxh64),
    cmocka_unit_test (every_plan_can_be_undone),
    cmocka_unit_test (without_memory_for_a_digest_nothing_is_undone),
    cmocka_unit_test (change_behind_our_back_is_noticed),
    cmocka_unit_test (hostile_records_are_harmless),
    cmocka_unit_test (cut_file_has_no_record),
    cmocka_unit_test (file_with_something_before_the_record_is_refused),
    cmocka_unit_test (record_of_a_larger_original_is_refused),
    cmocka_unit_test (self_contained_record_needs_nothing_written),
    cmocka_unit_test (operation_without_bytes_is_refused),
    cmocka_unit_test (what_belongs_together_is_one_operation),
    cmocka_unit_test (restored_file_is_compared),
    cmocka_unit_test (every_plan_can_be_written_in_place_and_undone),
    cmocka_unit_test (another_file_is_not_written),
    cmocka_unit_test (the_same_number_on_another_device_is_another_file),
    cmocka_unit_test (what_is_not_open_is_not_written),
    cmocka_unit_test (what_is_in_memory_is_written_without_a_record),
    cmocka_unit_test (an_image_may_be_descriptor_0),
    cmocka_unit_test (what_gets_smaller_is_not_converted_in_place),
    cmocka_unit_test (failing_writes_leave_a_way_back),
    cmocka_unit_test (set_id_bits_come_back),
    cmocka_unit_test (operations_stay_in_their_files),
    cmocka_unit_test (restored_file_has_the_size_that_was_said),
    cmocka_unit_test (opened_to_be_written_in_place),
    cmocka_unit_test (long_runs_of_zeros_are_restored),
    cmocka_unit_test (a_record_stores_what_is_lost),
    cmocka_unit_test (too_many_changes_are_refused),
    cmocka_unit_test (bytes_behind_the_image_are_not_written_over),
    cmocka_unit_test (times_stay_if_they_shall),
    cmocka_unit_test (written_in_place_in_a_safe_order),
    cmocka_unit_test (what_is_no_record_of_ours),
    cmocka_unit_test (shorter_than_any_record),
    cmocka_unit_test (as_short_as_a_magic),
    cmocka_unit_test (parts_move_in_place_where_that_is_safe),
    cmocka_unit_test (parts_that_are_cut_off_move_in_place),
    cmocka_unit_test (without_memory_nothing_is_written_in_place),
    cmocka_unit_test (a_preview_has_nothing_from_behind_the_image),
    cmocka_unit_test (the_guard_alone_is_a_way_back),
    cmocka_unit_test (a_file_that_only_grew_is_cut_off),
    cmocka_unit_test (undone_in_place_in_a_safe_order),
    cmocka_unit_test (bytes_appended_are_counted),
    cmocka_unit_test (a_record_has_its_operations_and_nothing_else),
    cmocka_unit_test (a_magic_at_the_end_begins_no_record),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
