/* The __unwind_info section: written, read, looked up, damaged.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "compact-unwind/info.h"
#include "compact-unwind/section_builder.h"
#include "tests/compact-unwind/cunwind_find.h"
#include "tests/unit_test.h"

#define BASE UINT64_C (0x400000)

static void
start (struct cunwind_info *info)
{
  cunwind_info_init (info, &arch_amd64, BASE);
}

/* Less than 16 bytes between two functions are padding.  */
static void
add (struct cunwind_info *info, uint32_t offset, uint32_t size,
     uint32_t encoding, uint32_t lsda)
{
  struct error err = { 0 };
  assert_true (cunwind_info_add (info, offset - info->end >= 16, BASE + offset,
                                 size, encoding, lsda ? BASE + lsda : 0,
                                 &err));
}

/* Write INFO and open it; the bytes are a copy of exactly their size, so that
   ASan sees the first byte read behind them.  */
static void *
reopen (struct cunwind_info *info, struct cunwind_reader *reader)
{
  struct buffer out;
  struct error err = { 0 };
  buffer_init (&out, false);
  assert_true (cunwind_info_write (info, &out, &err));
  void *bytes = malloc (out.size);
  memcpy (bytes, out.bytes, out.size);
  assert_true (cunwind_reader_open (reader, bytes, out.size, &err));
  buffer_free (&out);
  return bytes;
}

/* A page is not too long, and has each encoding of its own once.  */
static void
expect_page (const struct cunwind_reader *reader,
             const struct cunwind_reader_page *page)
{
  assert_true (CUNWIND_COMPRESSED_HEADER_SIZE
                   + 4 * (page->n_entries + page->n_own)
               <= CUNWIND_PAGE_MAX);
  for (uint32_t i = 0; i < page->n_own; i++)
    for (uint32_t j = 0; j < i; j++)
      assert_int_not_equal (cunwind_reader_word (reader, page->own + 4 * i),
                            cunwind_reader_word (reader, page->own + 4 * j));
}

/* All entries, one after the other, are INFO's.  Returns the number of
   compressed pages.  */
static unsigned
expect_entries (const struct cunwind_info *info,
                const struct cunwind_reader *reader)
{
  unsigned compressed = 0;
  size_t n = 0;
  for (uint32_t i = 0; i < cunwind_reader_n_pages (reader); i++)
    {
      struct cunwind_reader_page page;
      cunwind_reader_read_page (reader, i, &page);
      compressed += page.compressed;
      if (page.compressed)
        expect_page (reader, &page);
      assert_true (page.n_entries > 0);
      assert_int_equal (page.function, info->entries[n].function);
      for (uint32_t j = 0; j < page.n_entries; j++, n++)
        {
          struct cunwind_reader_entry entry
              = cunwind_reader_read_entry (reader, &page, j);
          assert_true (n < info->n);
          assert_int_equal (entry.function, info->entries[n].function);
          assert_int_equal (entry.encoding, info->entries[n].encoding);
        }
    }
  assert_int_equal (n, info->n);
  assert_int_equal (reader->n_lsdas, info->n_lsdas);
  return compressed;
}

/* PC and the answer to it.  */
static void
expect_found (const struct cunwind_reader *reader, uint32_t pc,
              const struct cunwind_entry *entry)
{
  struct cunwind_found found;
  bool is_found = cunwind_find (reader, pc, &found);
  assert_int_equal (is_found, entry != NULL && entry->encoding != 0);
  if (!is_found)
    return;
  assert_int_equal (found.function, entry->function);
  assert_int_equal (found.encoding, entry->encoding);
  assert_int_equal (found.lsda, entry->lsda);
  assert_true (found.end > pc);
}

/* At the first and last byte of every entry, and outside.  */
static void
expect_lookups (const struct cunwind_info *info,
                const struct cunwind_reader *reader)
{
  for (size_t i = 0; i < info->n; i++)
    {
      uint64_t end
          = i + 1 < info->n ? info->entries[i + 1].function : info->end;
      expect_found (reader, info->entries[i].function, &info->entries[i]);
      expect_found (reader, (uint32_t)(end - 1), &info->entries[i]);
    }
  if (info->n > 0 && info->entries[0].function > 0)
    expect_found (reader, info->entries[0].function - 1, NULL);
  if (info->end <= UINT32_MAX)
    expect_found (reader, (uint32_t)info->end, NULL);
  expect_found (reader, UINT32_MAX, NULL);
}

static unsigned
check (struct cunwind_info *info)
{
  struct cunwind_reader reader;
  void *bytes = reopen (info, &reader);
  unsigned compressed = expect_entries (info, &reader);
  expect_lookups (info, &reader);
  free (bytes);
  cunwind_info_free (info);
  return compressed;
}

TEST (an_empty_section_is_read_back)
{
  struct cunwind_info info;
  start (&info);
  assert_int_equal (check (&info), 0);
}

/* What is one entry and what is not.  */
TEST (equal_neighbours_are_one_entry)
{
  struct cunwind_info info;
  start (&info);
  add (&info, 0x1000, 0x10, 0x02010000, 0);
  add (&info, 0x1010, 0x10, 0x02010000, 0); /* folded */
  add (&info, 0x102f, 0x11, 0x02010000, 0); /* padding between: folded */
  assert_int_equal (info.n, 1);
  add (&info, 0x1050, 0x10, 0x02010000, 0); /* behind something unknown */
  assert_int_equal (info.n, 3);
  assert_int_equal (info.entries[1].function, 0x1040);
  assert_int_equal (info.entries[1].encoding, 0);
  add (&info, 0x1060, 0x10, 0x04000018, 0); /* escapes: to different FDEs */
  add (&info, 0x1070, 0x10, 0x04000018, 0);
  assert_int_equal (info.n, 5);
  add (&info, 0x1080, 0x10, 0x03042400, 0); /* counted from the function */
  add (&info, 0x1090, 0x10, 0x03042400, 0);
  assert_int_equal (info.n, 7);
  add (&info, 0x10a0, 0x10, 0x42010000, 0x2000); /* LSDAs */
  add (&info, 0x10b0, 0x10, 0x42010000, 0x2000);
  assert_int_equal (info.n, 9);
  assert_int_equal (info.n_lsdas, 2);
  check (&info);
}

TEST (what_has_no_place_is_refused)
{
  struct cunwind_info info;
  struct error err = { 0 };
  start (&info);
  add (&info, 0x1000, 0x10, 0x02010000, 0);
  assert_false (
      cunwind_info_add (&info, false, BASE + 0x100f, 1, 0x02010000, 0, &err));
  assert_int_equal (err.status, CFI2SFRAME_INVALID);
  assert_false (
      cunwind_info_add (&info, false, BASE - 1, 1, 0x02010000, 0, &err));
  assert_int_equal (err.status, CFI2SFRAME_UNSUPPORTED);
  assert_false (cunwind_info_add (&info, false, BASE + 0xfffffff0, 0x20,
                                  0x02010000, 0, &err));
  assert_false (cunwind_info_add (&info, false, UINT64_MAX - 4, 16, 0x02010000,
                                  0, &err));
  assert_false (cunwind_info_add (&info, false, BASE + 0x2000, 16, 0x42010000,
                                  BASE - 8, &err));
  cunwind_info_free (&info);
}

TEST (three_personalities_are_numbered)
{
  struct cunwind_info info;
  struct cunwind_reader reader;
  struct cunwind_found found;
  start (&info);
  assert_int_equal (cunwind_info_personality (&info, BASE + 0x100), 1);
  assert_int_equal (cunwind_info_personality (&info, BASE + 0x200), 2);
  assert_int_equal (cunwind_info_personality (&info, BASE + 0x100), 1);
  assert_int_equal (cunwind_info_personality (&info, BASE - 8), 0);
  assert_int_equal (cunwind_info_personality (&info, BASE + 0x300), 3);
  assert_int_equal (cunwind_info_personality (&info, BASE + 0x400), 0);
  add (&info, 0x1000, 0x10, 0x62010000, 0x2000);
  add (&info, 0x1010, 0x10, 0x02010000, 0);
  void *bytes = reopen (&info, &reader);
  assert_true (cunwind_find (&reader, 0x1008, &found));
  assert_int_equal (found.personality, 0x200);
  assert_int_equal (found.lsda, 0x2000);
  assert_int_equal (found.end, 0x1010);
  assert_true (cunwind_find (&reader, 0x1010, &found));
  assert_int_equal (found.personality, 0);
  free (bytes);
  cunwind_info_free (&info);
}

/* Limits of pages.  */

TEST (full_compressed_pages_are_read_back)
{
  struct cunwind_info info;
  start (&info);
  /* Two encodings in turn: nothing folds, all of them are common.  */
  for (uint32_t i = 0; i < 3 * 1021; i++)
    add (&info, 16 * i, 16, 0x02010000 + (i & 1) * 0x10000, 0);
  assert_int_equal (check (&info), 3);
}

TEST (distances_of_more_than_24_bits_are_read_back)
{
  struct cunwind_info info;
  start (&info);
  /* The last offset of 24 bits, and the one after it, which needs a page of
     its own (a regular one is as good for it).  */
  add (&info, 0, 0xffffff, 0x02010000, 0);
  add (&info, 0xffffff, 1, 0x02020000, 0);
  add (&info, 0x1000000, 1, 0x02010000, 0);
  add (&info, 0x7000000, 1, 0x02020000, 0);
  add (&info, 0xf0000000, 0xfffffff, 0x02010000, 0);
  check (&info);
}

/* Only different encodings: regular pages are smaller.  */
TEST (different_encodings_go_to_regular_pages)
{
  struct cunwind_info info;
  start (&info);
  for (uint32_t i = 0; i < 2000; i++)
    add (&info, 16 * i, 16, 0x04000000 + 24 * i, 0);
  assert_int_equal (check (&info), 0);
}

/* 127 common encodings and 129 of a page's own.  */
TEST (up_to_127_encodings_are_common_and_129_a_pages_own)
{
  struct cunwind_info info;
  uint32_t at = 0;
  start (&info);
  for (uint32_t turn = 0; turn < 3; turn++)
    for (uint32_t i = 0; i < 200; i++, at += 16)
      add (&info, at, 16, 0x02010000 + i * 0x400 + (turn << 16), 0);
  for (uint32_t i = 0; i < 140; i++)
    for (uint32_t j = 0; j < 5; j++, at += 16)
      add (&info, at, 16,
           j == 0 ? 0x04000000 + 24 * i : 0x02010000 + 0x400 * (j + i), 0);
  assert_true (check (&info) > 0);
}

/* A page's own encoding, AGAIN or for the first time, where the page is
   full.  */
TEST (an_own_encoding_begins_no_page_that_is_too_long)
{
  for (unsigned again = 0; again < 2; again++)
    {
      struct cunwind_info info;
      uint32_t at = 0;
      start (&info);
      for (uint32_t i = 0; i < 1021; i++, at += 16)
        add (&info, at, 16,
             i == 1020 || (again && i == 0) ? 0x02010000
                                            : 0x02010400 + 0x400 * (i % 127),
             0);
      assert_int_equal (check (&info), 1); /* the other one is regular */
    }
}

/* Random sections of every size.  */
TEST (random_sections_are_read_back)
{
  uint64_t seed = 7;
  for (unsigned round = 0; round < 300; round++)
    {
      struct cunwind_info info;
      uint32_t at = 0x1000;
      unsigned n = round * round / 30 + 1, kinds = 1 + round % 400;
      start (&info);
      cunwind_info_personality (&info, BASE);
      for (unsigned i = 0; i < n; i++)
        {
          seed = seed * UINT64_C (6364136223846793005) + 1442695040888963407;
          uint32_t random = (uint32_t)(seed >> 33);
          uint32_t size = 1 + random % 200;
          uint32_t kind = random % kinds;
          uint32_t encoding = 0x02010000 + kind * 0x400;
          uint32_t lsda = 0;
          if (kind % 7 == 3)
            encoding = 0x04000000 + 8 * i;
          if (kind % 11 == 5)
            {
              encoding |= 0x50000000;
              lsda = 4 * i + 4;
            }
          if (random % 50 == 0)
            at += random % 3000000;
          add (&info, at, size, encoding, lsda);
          at += size + random % 3;
        }
      check (&info);
    }
}

/* Bad input.  */

/* One page.  */
static struct cunwind_info
smallest_section (void)
{
  struct cunwind_info info;
  start (&info);
  cunwind_info_personality (&info, BASE + 0x100);
  for (uint32_t i = 0; i < 30; i++)
    add (&info, 0x1000 + 32 * i, 32,
         i % 3 == 0 ? 0x52010000 : 0x02020000 + (i % 5) * 0x400,
         i % 3 == 0 ? 0x3000 + i : 0);
  return info;
}

static struct cunwind_info
small_section (void)
{
  struct cunwind_info info = smallest_section ();
  for (uint32_t i = 0; i < 300; i++)
    add (&info, 0x8000 + 32 * i, 32, 0x04000000 + i, 0);
  return info;
}

/* Whatever is accepted must be readable to the end.  It is printed for one
   machine and the next one for the other: printing takes nearly all the time.
 */
static void
use (const struct cunwind_reader *reader)
{
  static FILE *null;
  static unsigned turn;
  struct cunwind_found found;
  if (null == NULL)
    null = fopen ("/dev/null", "w");
  cunwind_dump (reader, turn++ % 2 ? &arch_aarch64 : &arch_amd64, null);
  for (uint32_t pc = 0; pc < 0x10000; pc += 0x401)
    cunwind_find (reader, pc, &found);
  cunwind_find (reader, UINT32_MAX, &found);
}

static bool
try_bytes (const uint8_t *bytes, size_t size)
{
  struct cunwind_reader reader;
  struct error err = { 0 };
  uint8_t *copy = malloc (size + (size == 0));
  memcpy (copy, bytes, size);
  bool opened = cunwind_reader_open (&reader, copy, size, &err);
  if (opened)
    use (&reader);
  else
    {
      assert_int_equal (err.status, CFI2SFRAME_MALFORMED);
      assert_true (err.reason[0] != '\0');
    }
  free (copy);
  return opened;
}

TEST (truncated_sections_are_refused)
{
  struct cunwind_info info = small_section ();
  struct buffer out;
  struct error err = { 0 };
  buffer_init (&out, false);
  assert_true (cunwind_info_write (&info, &out, &err));
  assert_true (try_bytes (out.bytes, out.size));
  for (size_t size = 0; size < out.size; size++)
    assert_false (try_bytes (out.bytes, size));
  buffer_free (&out);
  cunwind_info_free (&info);
}

/* Every 16-bit unit replaced by numbers that are nearly right or far off.  */
TEST (changed_sections_are_refused_or_read)
{
  static const uint32_t values[]
      = { 0,          1,          2,          3,          4,
          7,          0xff,       0x1000,     0x7fff,     0xffff,
          0x10000000, 0x7fffffff, 0x80000000, 0xfffffffc, 0xffffffff };
  struct cunwind_info info = small_section ();
  struct buffer out;
  struct error err = { 0 };
  buffer_init (&out, false);
  assert_true (cunwind_info_write (&info, &out, &err));
  unsigned refused = 0;
  for (size_t at = 0; at + 4 <= out.size; at += 2)
    FOR_EACH_ROW (given, values)
      {
        uint8_t saved[4];
        memcpy (saved, out.bytes + at, 4);
        store_u32 (out.bytes + at, *given, false);
        refused += !try_bytes (out.bytes, out.size);
        memcpy (out.bytes + at, saved, 4);
      }
  assert_true (refused > 1000);
  buffer_free (&out);
  cunwind_info_free (&info);
}

/* Each check of the reader, by a fault that only it sees.  */
TEST (each_fault_has_a_reason)
{
  static const struct
  {
    size_t at;
    uint32_t value;
    const char *reason;
  } faults[] = {
    { 0, 2, "no __unwind_info section of version 1" },
    { 4, 0x10000000, "common encodings beyond the end" },
    { 8, 128, "more than 127 common encodings" },
    { 12, 0xfffffff0, "personalities beyond the end" },
    { 16, 4, "more than three personalities" },
    { 24, 0, "index beyond the end, or empty" },
    { 24, 0x20000000, "index beyond the end, or empty" },
  };
  struct cunwind_info info = small_section ();
  struct cunwind_reader reader;
  struct buffer out;
  struct error err = { 0 };
  buffer_init (&out, false);
  assert_true (cunwind_info_write (&info, &out, &err));
  FOR_EACH_ROW (given, faults)
    {
      uint32_t saved = load_u32 (out.bytes + given->at, false);
      store_u32 (out.bytes + given->at, given->value, false);
      assert_false (cunwind_reader_open (&reader, out.bytes, out.size, &err));
      assert_string_equal (err.reason, given->reason);
      store_u32 (out.bytes + given->at, saved, false);
    }
  assert_true (cunwind_reader_open (&reader, out.bytes, out.size, &err));
  buffer_free (&out);
  cunwind_info_free (&info);
}

/* The same for what lies elsewhere in each section.  There is room behind the
   section's end, so that a page could be longer.  */
TEST (faults_in_pages_have_a_reason)
{
  struct cunwind_info info = smallest_section ();
  struct cunwind_reader reader;
  struct cunwind_reader_page page;
  struct buffer out;
  struct error err = { 0 };
  buffer_init (&out, false);
  assert_true (cunwind_info_write (&info, &out, &err));
  buffer_fill (&out, 0, 2 * CUNWIND_PAGE_MAX);
  assert_true (cunwind_reader_open (&reader, out.bytes, out.size, &err));
  cunwind_reader_read_page (&reader, 0, &page);
  assert_true (page.compressed);
  assert_int_equal (reader.n_personalities, 1);
  struct cunwind_reader_entry entry
      = cunwind_reader_read_entry (&reader, &page, 0);
  uint32_t encoding = entry.index < reader.n_common
                          ? reader.common + 4 * entry.index
                          : page.own + 4 * (entry.index - reader.n_common);
  uint32_t last = page.entries + 4 * (page.n_entries - 1);
  const struct
  {
    uint32_t at, value;
    const char *reason;
  } faults[] = {
    { reader.index + CUNWIND_INDEX_ENTRY_SIZE + 8, reader.lsdas + 4,
      "LSDA index does not ascend" },
    { page.at + 4, (page.entries - page.at) | CUNWIND_PAGE_MAX / 4 << 16,
      "page longer than a page can be" },
    { page.entries, (reader.n_common + page.n_own) << CUNWIND_FUNCTION_BITS,
      "index of no encoding" },
    { last,
      cunwind_reader_word (&reader, last)
          | ((UINT32_C (1) << CUNWIND_FUNCTION_BITS) - 1),
      "functions do not ascend" },
    { encoding,
      (cunwind_reader_word (&reader, encoding) & ~CUNWIND_PERSONALITY_MASK)
          | 2 << CUNWIND_PERSONALITY_SHIFT,
      "number of no personality" },
  };
  FOR_EACH_ROW (given, faults)
    {
      uint32_t saved = load_u32 (out.bytes + given->at, false);
      store_u32 (out.bytes + given->at, given->value, false);
      if (cunwind_reader_open (&reader, out.bytes, out.size, &err))
        fail_msg ("%s", given->reason);
      assert_string_equal (err.reason, given->reason);
      store_u32 (out.bytes + given->at, saved, false);
    }
  buffer_free (&out);
  cunwind_info_free (&info);
}
