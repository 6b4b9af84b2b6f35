/* Unit tests of src/base: byte access at its limits, buffers, errors.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/align.h"
#include "base/array.h"
#include "base/buffer.h"
#include "base/bytes.h"
#include "base/crc32.h"
#include "base/error.h"
#include "base/io.h"
#include "base/table.h"
#include "base/mapped_file.h"
#include "base/printable.h"
#include "base/radix.h"
#include "base/search.h"
#include "tests/unit_test.h"

/* A heap copy of exactly SIZE bytes, so that ASan sees the first step past
   the end.  */
static uint8_t *
exact_copy (const void *bytes, size_t size)
{
  uint8_t *copy = malloc (size ? size : 1);
  assert_non_null (copy);
  if (size)
    memcpy (copy, bytes, size);
  return copy;
}

TEST (loads_and_stores_at_any_alignment)
{
  uint8_t bytes[9] = { 0, 1, 2, 3, 4, 5, 6, 7, 8 };
  assert_int_equal (load_u16 (bytes + 1, false), 0x0201);
  assert_int_equal (load_u16 (bytes + 1, true), 0x0102);
  assert_int_equal (load_u32 (bytes + 1, false), 0x04030201);
  assert_int_equal (load_u32 (bytes + 1, true), 0x01020304);
  assert_true (load_u64 (bytes + 1, false) == 0x0807060504030201);
  assert_true (load_u64 (bytes + 1, true) == 0x0102030405060708);

  uint8_t out[9] = { 0 };
  store_u64 (out + 1, 0x0102030405060708, true);
  assert_memory_equal (out, bytes, sizeof out);
  store_u32 (out + 1, 0x04030201, false);
  store_u16 (out + 1, 0x0102, true);
  assert_memory_equal (out, bytes, 5);
}

TEST (cursor_stops_at_the_end)
{
  uint8_t *bytes = exact_copy ("\x01\x02\x03\x04\x05\x06\x07", 7);
  struct cursor cursor = cursor_over (bytes, 7, false);
  assert_int_equal (cursor_u32 (&cursor), 0x04030201);
  assert_false (cursor.failed);
  assert_int_equal (cursor_u32 (&cursor), 0);
  assert_true (cursor.failed);
  assert_int_equal (cursor_left (&cursor), 0);
  assert_int_equal (cursor_u8 (&cursor), 0);
  assert_null (cursor_take (&cursor, 1));

  cursor = cursor_over (bytes, 7, true);
  assert_int_equal (cursor_u16 (&cursor), 0x0102);
  assert_null (cursor_take (&cursor, UINT64_MAX));
  assert_true (cursor.failed);
  free (bytes);
}

struct leb
{
  const char *bytes;
  size_t size;
  uint64_t value;
  bool failed;
};

static void
expect_leb (const struct leb *given, bool is_signed)
{
  uint8_t *bytes = exact_copy (given->bytes, given->size);
  struct cursor cursor = cursor_over (bytes, given->size, false);
  uint64_t value
      = is_signed ? (uint64_t)cursor_sleb (&cursor) : cursor_uleb (&cursor);
  assert_int_equal (cursor.failed, given->failed);
  if (!given->failed)
    {
      assert_true (value == given->value);
      assert_int_equal (cursor_left (&cursor), 0);
    }
  free (bytes);
}

TEST (uleb_values_and_limits)
{
  static const struct leb cases[] = {
    { "\x00", 1, 0, false },
    { "\x7f", 1, 127, false },
    { "\x80\x01", 2, 128, false },
    { "\xe5\x8e\x26", 3, 624485, false },
    { "\x80\x80\x00", 3, 0, false }, /* padded */
    { "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, UINT64_MAX, false },
    { "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x03", 10, 0, true },
    { "\x80", 1, 0, true },
    { "", 0, 0, true },
  };
  FOR_EACH_ROW (given, cases)
    expect_leb (given, false);
}

TEST (sleb_values_and_limits)
{
  static const struct leb cases[] = {
    { "\x02", 1, 2, false },
    { "\x7e", 1, (uint64_t)-2, false },
    { "\xff\x00", 2, 127, false },
    { "\x81\x7f", 2, (uint64_t)-127, false },
    { "\x80\x7f", 2, (uint64_t)-128, false },
    { "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f", 10, (uint64_t)INT64_MIN,
      false },
    { "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00", 10, INT64_MAX, false },
    { "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 10, 0, true },
    { "\xff\xff", 2, 0, true },
    { "", 0, 0, true },
  };
  FOR_EACH_ROW (given, cases)
    expect_leb (given, true);
}

TEST (uleb_is_written_in_the_shortest_form)
{
  static const struct
  {
    uint64_t value;
    size_t size;
  } cases[] = {
    { 0, 1 },      { 0x7f, 1 },    { 0x80, 2 },
    { 624485, 3 }, { 1 << 21, 4 }, { UINT64_MAX, 10 },
  };
  FOR_EACH_ROW (given, cases)
    {
      struct buffer buffer;
      buffer_init (&buffer, false);
      buffer_uleb (&buffer, given->value);
      assert_int_equal (buffer.size, given->size);
      struct cursor cursor = cursor_over (buffer.bytes, buffer.size, false);
      assert_true (cursor_uleb (&cursor) == given->value);
      assert_false (cursor.failed);
      assert_int_equal (cursor_left (&cursor), 0);
      buffer_free (&buffer);
    }
}

TEST (array_grows_and_keeps_contents)
{
  uint32_t *numbers = NULL;
  size_t capacity = 0;
  for (uint32_t i = 0; i < 1000; i++)
    {
      assert_true (ARRAY_ROOM (numbers, i + 1, &capacity));
      assert_true (capacity > i);
      numbers[i] = i;
    }
  for (uint32_t i = 0; i < 1000; i++)
    assert_int_equal (numbers[i], i);
  assert_true (ARRAY_ROOM (numbers, 5000, &capacity));
  assert_int_equal (capacity, 5000);
  /* More than there is.  AddressSanitizer stops at requests for that, so the
     one here fails before any is made.  */
  uint32_t *before = numbers;
  capacity = SIZE_MAX / 2 + 1;
  assert_false (ARRAY_ROOM (numbers, capacity + 1, &capacity));
  assert_ptr_equal (numbers, before);
  assert_int_equal (capacity, SIZE_MAX / 2 + 1);
  free (numbers);
}

/* As many as are wanted at first, and twice what there was afterwards, even
   where that was less than an array has at first.  */
TEST (array_starts_with_a_guess_and_doubles)
{
  uint32_t *numbers = NULL;
  size_t capacity = 0, wanted = 0;
  assert_true (ARRAY_ROOM (numbers, wanted, &capacity));
  assert_null (numbers);
  assert_true (ARRAY_ROOM (numbers, 1000, &capacity));
  assert_int_equal (capacity, 1000);
  assert_true (ARRAY_ROOM (numbers, 1000, &capacity));
  assert_int_equal (capacity, 1000);
  assert_true (ARRAY_ROOM (numbers, 1001, &capacity));
  assert_int_equal (capacity, 2000);
  capacity = 3;
  assert_true (ARRAY_ROOM (numbers, 4, &capacity));
  assert_int_equal (capacity, 6);
  free (numbers);
}

TEST (search_finds_the_first_that_holds)
{
  /* All positions in all lengths: none, the first, the last, every one.  */
  for (size_t n = 0; n < 70; n++)
    for (size_t first = 0; first <= n; first++)
      assert_int_equal (SEARCH_FIRST (n, i, i >= first), first);
  /* A search in a search, with another name: the first row with a number of 7
     or more, and the first of them in it.  */
  static const int rows[3][3] = { { 1, 2, 3 }, { 4, 5, 6 }, { 6, 8, 9 } };
  assert_int_equal (
      SEARCH_FIRST (3, i, SEARCH_FIRST (3, j, rows[i][j] >= 7) < 3), 2);
  assert_int_equal (
      SEARCH_FIRST (SEARCH_FIRST (3, i, rows[2][i] >= 8), i, rows[0][i] >= 9),
      1);
}

/* A search that does not end fails.  */
static bool
is_asked (size_t *asked, size_t i, size_t first)
{
  assert_true (*asked < 64);
  ++*asked;
  return i >= first;
}

TEST (search_in_as_many_as_there_are_numbers)
{
  static const size_t first[]
      = { 0, 1, SIZE_MAX / 2, SIZE_MAX / 2 + 1, SIZE_MAX - 1, SIZE_MAX };
  FOR_EACH_ROW (given, first)
    {
      size_t asked = 0;
      size_t found = SEARCH_FIRST (SIZE_MAX, i, is_asked (&asked, i, *given));
      assert_true (found == *given);
      assert_true (asked >= 8 * sizeof (size_t) - 1);
    }
}

struct keyed
{
  uint64_t key;
  uint32_t number; /* in the order before */
};

/* Sort N items with the keys that lie from LOWEST to LOWEST + MASK, many of
   which are equal.  */
static void
sort_keyed (size_t n, uint64_t lowest, uint64_t mask)
{
  struct keyed *items = calloc (n + 1, sizeof *items);
  assert_non_null (items);
  uint64_t state = 1, sum = 0;
  for (uint32_t i = 0; i < n; i++)
    {
      state = state * 6364136223846793005u + 1442695040888963407u;
      items[i].key = lowest + ((state >> 8 ^ state << 40) & mask);
      items[i].number = i;
      sum += items[i].key;
    }
  assert_true (RADIX_SORT (items, n));
  for (size_t i = 0; i < n; i++)
    {
      sum -= items[i].key;
      if (i == 0)
        continue;
      assert_true (items[i].key >= items[i - 1].key);
      assert_true (items[i].key > items[i - 1].key
                   || items[i].number > items[i - 1].number);
    }
  assert_int_equal (sum, 0);
  free (items);
}

TEST (radix_sort_ascends_and_keeps_the_order_of_equals)
{
  sort_keyed (0, 0, 0);
  sort_keyed (1, 7, UINT64_MAX);
  sort_keyed (2000, 0, 0xff);
  sort_keyed (2000, 0x400000, 0x7ff);
  sort_keyed (2000, 0x400000, 0xf0f00);
  sort_keyed (2000, 0xffffffff80000000, 0x3ffff000);
  sort_keyed (2000, 0, UINT64_MAX);
}

TEST (buffer_keeps_order_and_contents)
{
  struct buffer buffer;
  buffer_init (&buffer, true);
  buffer_u8 (&buffer, 1);
  buffer_u16 (&buffer, 0x0203);
  buffer_u32 (&buffer, 0x04050607);
  buffer_u64 (&buffer, 0x08090a0b0c0d0e0f);
  buffer_fill (&buffer, 0xee, 1000);
  buffer_append (&buffer, "end", 3);
  assert_false (buffer.failed);
  assert_int_equal (buffer.size, 15 + 1000 + 3);
  for (uint8_t i = 0; i < 15; i++)
    assert_int_equal (buffer.bytes[i], i + 1);
  assert_int_equal (buffer.bytes[15], 0xee);
  assert_int_equal (buffer.bytes[1014], 0xee);
  assert_memory_equal (buffer.bytes + 1015, "end", 3);
  buffer_free (&buffer);
}

TEST (buffer_remembers_that_memory_ran_out)
{
  struct buffer buffer;
  buffer_init (&buffer, false);
  buffer_u8 (&buffer, 1);
  assert_false (buffer_reserve (&buffer, SIZE_MAX));
  assert_true (buffer.failed);
  buffer_u8 (&buffer, 2);
  assert_int_equal (buffer.size, 1);
  assert_null (buffer_extend (&buffer, 1));
  buffer_free (&buffer);
}

TEST (error_carries_status_offset_and_reason)
{
  struct error err;
  error_clear (&err);
  assert_int_equal (err.status, CFI2SFRAME_OK);
  assert_false (
      error_set_at (&err, CFI2SFRAME_MALFORMED, 0x40, "bad %s", "entry"));
  assert_int_equal (err.status, CFI2SFRAME_MALFORMED);
  assert_true (err.has_offset);
  assert_true (err.offset == 0x40);
  assert_string_equal (err.reason, "bad entry");
  assert_false (error_set (&err, CFI2SFRAME_REFUSED, "no"));
  assert_false (err.has_offset);
}

TEST (error_cuts_a_long_reason)
{
  char text[1000];
  memset (text, 'x', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  struct error err;
  error_clear (&err);
  error_set (&err, CFI2SFRAME_IO, "%s", text);
  assert_int_equal (strlen (err.reason), sizeof err.reason - 1);
}

TEST (reason_shows_no_control_characters)
{
  struct error err = { 0 };
  error_set (&err, CFI2SFRAME_MALFORMED, "section (%s)", "a\n\033[m\377\302");
  assert_string_equal (err.reason, "section (a\\x0a\\x1b[m\\xff\\xc2)");
  error_set (&err, CFI2SFRAME_MALFORMED, "%s", "gr\303\274n");
  assert_string_equal (err.reason, "gr\303\274n");
}

TEST (what_is_utf8_and_what_not)
{
  static const struct
  {
    const char *text;
    size_t length;
    enum printable_kind kind;
  } cases[] = {
    { "a", 1, PRINTABLE_PLAIN },
    { "~", 1, PRINTABLE_PLAIN },
    { "\x1f", 1, PRINTABLE_CONTROL },
    { " ", 1, PRINTABLE_PLAIN },
    { "\x7f", 1, PRINTABLE_CONTROL },
    { "\xc2\x80", 2, PRINTABLE_CONTROL },
    { "\xc2\x9f", 2, PRINTABLE_CONTROL },
    { "\xc2\xa0", 2, PRINTABLE_PLAIN },
    { "\xdf\xbf", 2, PRINTABLE_PLAIN },
    { "\xe0\xa0\x80", 3, PRINTABLE_PLAIN },
    { "\xed\x9f\xbf", 3, PRINTABLE_PLAIN },
    { "\xee\x80\x80", 3, PRINTABLE_PLAIN },
    { "\xf0\x90\x80\x80", 4, PRINTABLE_PLAIN },
    { "\xf4\x8f\xbf\xbf", 4, PRINTABLE_PLAIN },
    { "\x80", 1, PRINTABLE_INVALID },
    { "\xc1\xbf", 1, PRINTABLE_INVALID }, /* longer than needed */
    { "\xe0\x9f\xbf", 1, PRINTABLE_INVALID },
    { "\xf0\x8f\xbf\xbf", 1, PRINTABLE_INVALID },
    { "\xed\xa0\x80", 1, PRINTABLE_INVALID }, /* a surrogate */
    { "\xed\xbf\xbf", 1, PRINTABLE_INVALID },
    { "\xf4\x90\x80\x80", 1, PRINTABLE_INVALID }, /* above U+10FFFF */
    { "\xf8\x88\x80\x80\x80", 1, PRINTABLE_INVALID },
    { "\xff", 1, PRINTABLE_INVALID },
    { "\xc2", 1, PRINTABLE_INVALID }, /* cut off */
    { "\xe2\x82", 1, PRINTABLE_INVALID },
    { "\xe2\x82"
      "a",
      1, PRINTABLE_INVALID },
  };
  FOR_EACH_ROW (given, cases)
    {
      enum printable_kind kind;
      assert_int_equal (printable_length (given->text, &kind), given->length);
      assert_int_equal (kind, given->kind);
    }
}

TEST (printable_copy_cuts_between_characters)
{
  char to[8];
  printable_copy (to, sizeof to, "1234567");
  assert_string_equal (to, "1234567");
  printable_copy (to, sizeof to, "123456\303\274");
  assert_string_equal (to, "123456");
  printable_copy (to, sizeof to, "1234\n");
  assert_string_equal (to, "1234");
  printable_copy (to, sizeof to, "123\n");
  assert_string_equal (to, "123\\x0a");
}

/* Files take a thousand bytes at a time, and signals come in between.  */
static bool interrupted;

ssize_t __wrap_pwrite (int fd, const void *bytes, size_t size, off_t offset);
ssize_t __wrap_pwrite64 (int fd, const void *bytes, size_t size, off_t offset);

ssize_t
__wrap_pwrite (int fd, const void *bytes, size_t size, off_t offset)
{
  static unsigned turn;
  const struct iovec part
      = { (void *)bytes, interrupted && size > 1000 ? 1000 : size };
  errno = EINTR;
  return interrupted && ++turn % 2 != 0 ? -1 : pwritev (fd, &part, 1, offset);
}

ssize_t
__wrap_pwrite64 (int fd, const void *bytes, size_t size, off_t offset)
{
  return __wrap_pwrite (fd, bytes, size, offset);
}

/* A file without a name that has SIZE bytes 0xff.  */
static int
make_file (size_t size)
{
  int fd = memfd_create ("file", MFD_CLOEXEC);
  char byte = (char)0xff;
  assert_true (fd >= 0);
  for (size_t i = 0; i < size; i++)
    assert_int_equal (write (fd, &byte, 1), 1);
  return fd;
}

/* What is there before and behind stays.  */
TEST (all_is_written_where_it_belongs)
{
  enum
  {
    ZEROS = 3 * 65536 + 5,
    TEXT = 2500
  };
  static uint8_t text[TEXT], got[ZEROS + 2];
  struct error err = { 0 };
  for (size_t i = 0; i < TEXT; i++)
    text[i] = (uint8_t)(i * 7);
  for (int i = 0; i < 2; i++)
    {
      int fd = make_file (ZEROS + 2);
      interrupted = i == 1;
      assert_true (io_write_zeros_at (fd, ZEROS, 1, &err));
      assert_int_equal (pread (fd, got, sizeof got, 0), sizeof got);
      assert_int_equal (got[0], 0xff);
      assert_int_equal (got[ZEROS + 1], 0xff);
      for (size_t k = 1; k <= ZEROS; k++)
        assert_int_equal (got[k], 0);
      assert_true (io_write_at (fd, text, TEXT, 9, &err));
      assert_int_equal (pread (fd, got, TEXT, 9), TEXT);
      assert_memory_equal (got, text, TEXT);
      interrupted = false;
      close (fd);
    }
}

/* What may happen to a file while it is mapped.  */
static void
do_nothing (int fd)
{
  (void)fd;
}

static void
shift_time (int fd, time_t seconds, long nanoseconds)
{
  struct stat status;
  assert_int_equal (fstat (fd, &status), 0);
  struct timespec times[2] = { { 0, UTIME_OMIT }, status.st_mtim };
  times[1].tv_sec += seconds;
  times[1].tv_nsec += nanoseconds;
  assert_int_equal (futimens (fd, times), 0);
}

static void
shift_a_nanosecond (int fd)
{
  shift_time (fd, 0, 1);
}

static void
shift_a_second (int fd)
{
  shift_time (fd, -1, 0);
}

static void
grow (int fd)
{
  struct stat status;
  assert_int_equal (fstat (fd, &status), 0);
  assert_int_equal (ftruncate (fd, 101), 0);
  const struct timespec times[2] = { { 0, UTIME_OMIT }, status.st_mtim };
  assert_int_equal (futimens (fd, times), 0);
}

TEST (a_mapped_file_that_changes_is_noticed)
{
  static const struct
  {
    void (*change) (int fd);
    bool same;
  } cases[] = { { do_nothing, true },
                { shift_a_nanosecond, false },
                { shift_a_second, false },
                { grow, false } };
  FOR_EACH_ROW (given, cases)
    for (int closed = 0; closed < 2; closed++)
      {
        struct error err = { 0 };
        size_t size;
        int fd = make_file (100);
        const struct timespec times[2] = { { 1000, 0 }, { 1000, 0 } };
        assert_int_equal (futimens (fd, times), 0);
        const void *bytes = mapped_file_open (fd, &size, &err);
        assert_non_null (bytes);
        assert_int_equal (size, 100);
        given->change (fd);
        if (closed)
          mapped_file_close (bytes, size);
        assert_int_equal (mapped_files_check (&err), given->same);
        assert_int_equal (err.status,
                          given->same ? CFI2SFRAME_OK : CFI2SFRAME_IO);
        if (!closed)
          mapped_file_close (bytes, size);
        mapped_files_forget ();
        close (fd);
      }
}

/* What a handler of SIGBUS does to a mapping that is longer than its file.  */
TEST (a_longer_mapping_is_known_when_its_file_is_cut_off)
{
  const size_t size = 3 * (size_t)sysconf (_SC_PAGESIZE) + 100;
  const size_t whole = 2 * size;
  struct error err = { 0 };
  int fd = make_file (size);
  assert_int_equal (pwrite (fd, "x", 1, (off_t)size - 1), 1);
  uint8_t *bytes = mapped_file_open_longer (fd, size, whole, &err);
  assert_non_null (bytes);
  assert_int_equal (bytes[size - 1], 'x');
  assert_int_equal (bytes[size], 0);
  bytes[whole - 1] = 'y';
  assert_int_equal (ftruncate (fd, 0), 0);
  /* The first byte that is missed may be one behind the end.  */
  assert_true (mapped_file_patch (bytes + size));
  assert_true (mapped_file_patch (bytes));
  assert_int_equal (bytes[0], 0);
  assert_int_equal (bytes[size - 1], 0);
  assert_int_equal (bytes[whole - 1], 'y');
  assert_false (mapped_files_check (&err));
  assert_int_equal (err.status, CFI2SFRAME_IO);
  mapped_file_close (bytes, whole);
  mapped_files_forget ();
  close (fd);
}

static bool
has_number (const struct key_table *table, uint32_t hash, uint32_t number)
{
  return KEY_FIND (table, hash, i, i == number) == number;
}

/* Number N has one of few hashes, at the end of the table, so that searches
   go on at its start.  */
TEST (of_a_key_table_any_number_can_be_taken_out)
{
  enum
  {
    MANY = 3000,
    ROUNDS = 40000
  };
  static bool is_in[MANY];
  struct key_table table = { 0 };
  uint32_t random = 1;
  assert_false (has_number (&table, 0, 0));
  for (unsigned i = 0; i < ROUNDS; i++)
    {
      random = random * 1664525 + 1013904223;
      uint32_t number = (random >> 8) % MANY, hash = number % 97 - 60;
      assert_int_equal (has_number (&table, hash, number), is_in[number]);
      if (is_in[number])
        key_table_replace (&table, hash, number, hash, number);
      else
        assert_true (key_table_add (&table, hash, number));
      is_in[number] = !is_in[number];
    }
  for (uint32_t number = 0; number < MANY; number++)
    assert_int_equal (has_number (&table, number % 97 - 60, number),
                      is_in[number]);
  key_table_clear (&table);
  assert_false (has_number (&table, 0, 0));
  key_table_free (&table);
}

/* An element of a list goes, and the last one takes its place.  */
TEST (of_a_key_table_a_number_can_be_given_to_another)
{
  struct key_table table = { 0 };
  for (uint32_t number = 0; number < 3; number++)
    assert_true (key_table_add (&table, number < 2 ? 5 : 9, number));
  key_table_replace (&table, 5, 0, 9, 2);
  assert_true (has_number (&table, 5, 1));
  assert_true (has_number (&table, 9, 0));
  assert_false (has_number (&table, 5, 0));
  assert_false (has_number (&table, 9, 2));
  key_table_replace (&table, 5, 1, 5, 1);
  assert_false (has_number (&table, 5, 1));
  assert_false (key_table_add (&table, 5, UINT32_MAX));
  key_table_free (&table);
}

TEST (keys_of_a_table_depend_on_all_that_they_are_of)
{
  struct key_table table = { 0 };
  uint32_t key = key_of_number (&table, 1);
  assert_int_equal (key_of_number (&table, 1), key);
  assert_int_not_equal (key_of_number (&table, 1 + (UINT64_C (1) << 40)), key);
  assert_int_not_equal (key_of_pair (&table, 1, 2),
                        key_of_pair (&table, 2, 1));
  key = key_of_bytes (&table, 1, "ab", 2);
  assert_int_equal (key_of_bytes (&table, 1, "ab", 2), key);
  assert_int_not_equal (key_of_bytes (&table, 2, "ab", 2), key);
  assert_int_not_equal (key_of_bytes (&table, 1, "ac", 2), key);
  assert_int_not_equal (key_of_bytes (&table, 1, "ab", 3), key);
  /* Pairs whose words are equal when one is laid over the other.  */
  assert_int_not_equal (key_of_pair (&table, 5, 5),
                        key_of_pair (&table, 6, 6));
}

TEST (the_crc_is_crc_32)
{
  assert_int_equal (crc32_of ((const uint8_t *)"123456789", 9), 0xcbf43926);
  assert_int_equal (crc32_of (NULL, 0), 0);
}

TEST (a_word_between_any_two_parts_leads_to_any_crc)
{
  static const uint32_t wanted[] = { 0, 1, 0xcbf43926, 0xffffffff };
  uint8_t bytes[40];
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (uint8_t)(i * 41 + 7);
  for (size_t at = 0; at + 4 <= sizeof bytes; at++)
    FOR_EACH_ROW (given, wanted)
      {
        uint32_t word = crc32_word_for (bytes, at, bytes + at + 4,
                                        sizeof bytes - at - 4, *given);
        store_u32 (bytes + at, word, false);
        assert_int_equal (crc32_of (bytes, sizeof bytes), *given);
      }
}

TEST (rounding_does_not_wrap_around)
{
  uint64_t result = 7;
  assert_true (align_up_checked (UINT64_MAX - 15, 16, &result));
  assert_true (result == UINT64_MAX - 15);
  assert_true (align_up_checked (0, 16, &result));
  assert_int_equal (result, 0);
  assert_false (align_up_checked (UINT64_MAX - 14, 16, &result));
  assert_int_equal (result, 0);
}
