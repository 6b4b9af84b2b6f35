/* Reading an __unwind_info section, which may contain anything.
   SPDX-License-Identifier: LGPL-2.1-or-later

   cunwind_reader_open checks every offset and index once.  The other functions
   rely on that.  */

#include "compact-unwind/info.h"

#include "base/bytes.h"

uint32_t
cunwind_reader_word (const struct cunwind_reader *reader, uint32_t offset)
{
  return load_u32 (reader->bytes + offset, false);
}

static bool
malformed (struct error *err, uint64_t offset, const char *what)
{
  return error_set_at (err, CFI2SFRAME_MALFORMED, offset, "%s", what);
}

/* Whether COUNT entries of EACH bytes at OFFSET lie inside the section.  */
static bool
is_inside (const struct cunwind_reader *reader, uint64_t offset,
           uint64_t count, uint64_t each)
{
  return offset <= reader->size && count <= (reader->size - offset) / each;
}

/* ---- Reading pages and entries */

void
cunwind_reader_read_page (const struct cunwind_reader *reader, uint32_t i,
                          struct cunwind_reader_page *page)
{
  uint32_t first = reader->index + CUNWIND_INDEX_ENTRY_SIZE * i;
  uint32_t at = cunwind_reader_word (reader, first + 4);
  const uint8_t *header = reader->bytes + at;
  *page = (struct cunwind_reader_page){
    .function = cunwind_reader_word (reader, first),
    .end = cunwind_reader_word (reader, first + CUNWIND_INDEX_ENTRY_SIZE),
    .at = at,
    .compressed = load_u32 (header, false) == CUNWIND_COMPRESSED,
    .entries = at + load_u16 (header + 4, false),
    .n_entries = load_u16 (header + 6, false),
  };
  if (page->compressed)
    {
      page->own = at + load_u16 (header + 8, false);
      page->n_own = load_u16 (header + 10, false);
    }
}

/* Return the index of the encoding of entry J of a compressed page.  */
static uint32_t
encoding_index (const struct cunwind_reader *reader,
                const struct cunwind_reader_page *page, uint32_t j)
{
  return cunwind_reader_word (reader, page->entries + 4 * j)
         >> CUNWIND_FUNCTION_BITS;
}

static uint32_t
entry_function (const struct cunwind_reader *reader,
                const struct cunwind_reader_page *page, uint32_t j)
{
  if (!page->compressed)
    return cunwind_reader_word (reader, page->entries
                                            + CUNWIND_REGULAR_ENTRY_SIZE * j);
  uint32_t distance = cunwind_reader_word (reader, page->entries + 4 * j)
                      & ((UINT32_C (1) << CUNWIND_FUNCTION_BITS) - 1);
  return page->function + distance;
}

struct cunwind_reader_entry
cunwind_reader_read_entry (const struct cunwind_reader *reader,
                           const struct cunwind_reader_page *page, uint32_t j)
{
  struct cunwind_reader_entry entry
      = { .function = entry_function (reader, page, j) };
  if (!page->compressed)
    {
      entry.encoding = cunwind_reader_word (
          reader, page->entries + CUNWIND_REGULAR_ENTRY_SIZE * j + 4);
      return entry;
    }
  entry.index = encoding_index (reader, page, j);
  uint32_t at = entry.index < reader->n_common
                    ? reader->common + 4 * entry.index
                    : page->own + 4 * (entry.index - reader->n_common);
  entry.encoding = cunwind_reader_word (reader, at);
  return entry;
}

/* ---- Checking the section */

static bool
check_arrays (struct cunwind_reader *reader, struct error *err)
{
  if (reader->size < CUNWIND_HEADER_SIZE)
    return malformed (err, 0, "too short for an __unwind_info section");
  if (reader->size > UINT32_MAX)
    return malformed (err, 0, "too long for an __unwind_info section");
  if (cunwind_reader_word (reader, 0) != CUNWIND_INFO_VERSION)
    return malformed (err, 0, "no __unwind_info section of version 1");
  reader->common = cunwind_reader_word (reader, 4);
  reader->n_common = cunwind_reader_word (reader, 8);
  reader->personalities = cunwind_reader_word (reader, 12);
  reader->n_personalities = cunwind_reader_word (reader, 16);
  reader->index = cunwind_reader_word (reader, 20);
  reader->n_index = cunwind_reader_word (reader, 24);
  if (!is_inside (reader, reader->common, reader->n_common, 4))
    return malformed (err, 4, "common encodings beyond the end");
  if (reader->n_common > CUNWIND_COMMON_MAX)
    return malformed (err, 8, "more than 127 common encodings");
  if (!is_inside (reader, reader->personalities, reader->n_personalities, 4))
    return malformed (err, 12, "personalities beyond the end");
  if (reader->n_personalities > CUNWIND_PERSONALITIES_MAX)
    return malformed (err, 16, "more than three personalities");
  if (reader->n_index == 0
      || !is_inside (reader, reader->index, reader->n_index,
                     CUNWIND_INDEX_ENTRY_SIZE))
    return malformed (err, 20, "index beyond the end, or empty");
  return true;
}

/* Check that the first-level index ascends by functions and by LSDAs, and that
   pages and LSDAs lie inside the section.  */
static bool
check_index (struct cunwind_reader *reader, struct error *err)
{
  uint32_t at = reader->index, function = 0;
  uint32_t lsda = reader->lsdas = cunwind_reader_word (reader, at + 8);
  for (uint32_t i = 0; i < reader->n_index;
       i++, at += CUNWIND_INDEX_ENTRY_SIZE)
    {
      uint32_t next = cunwind_reader_word (reader, at);
      uint32_t next_lsda = cunwind_reader_word (reader, at + 8);
      if (next < function)
        return malformed (err, at, "index does not ascend");
      if (next_lsda < lsda
          || (next_lsda - reader->lsdas) % CUNWIND_LSDA_ENTRY_SIZE != 0)
        return malformed (err, at + 8, "LSDA index does not ascend");
      if (i + 1 < reader->n_index
          && !is_inside (reader, cunwind_reader_word (reader, at + 4), 1,
                         CUNWIND_COMPRESSED_HEADER_SIZE))
        return malformed (err, at + 4, "page beyond the end");
      function = next;
      lsda = next_lsda;
    }
  reader->n_lsdas = (lsda - reader->lsdas) / CUNWIND_LSDA_ENTRY_SIZE;
  if (!is_inside (reader, reader->lsdas, reader->n_lsdas,
                  CUNWIND_LSDA_ENTRY_SIZE))
    return malformed (err, at - 4, "LSDA index beyond the end");
  return true;
}

static bool
check_lsdas (const struct cunwind_reader *reader, struct error *err)
{
  for (uint32_t i = 1; i < reader->n_lsdas; i++)
    {
      uint32_t at = reader->lsdas + CUNWIND_LSDA_ENTRY_SIZE * i;
      if (cunwind_reader_word (reader, at)
          <= cunwind_reader_word (reader, at - CUNWIND_LSDA_ENTRY_SIZE))
        return malformed (err, at, "LSDA index does not ascend");
    }
  return true;
}

/* Check that PAGE lies inside the section, and its tables inside the page.  */
static bool
check_page_header (const struct cunwind_reader *reader,
                   const struct cunwind_reader_page *page, struct error *err)
{
  uint32_t kind = cunwind_reader_word (reader, page->at);
  if (kind != CUNWIND_COMPRESSED && kind != CUNWIND_REGULAR)
    return malformed (err, page->at, "unknown kind of page");
  uint64_t room = reader->size - page->at;
  if (room > CUNWIND_PAGE_MAX)
    room = CUNWIND_PAGE_MAX;
  uint64_t each = page->compressed ? 4 : CUNWIND_REGULAR_ENTRY_SIZE;
  uint64_t end = page->entries - page->at + each * page->n_entries;
  uint64_t own_end = page->compressed
                         ? page->own - page->at + 4 * (uint64_t)page->n_own
                         : 0;
  if (end > room || own_end > room)
    return malformed (err, page->at + 4, "page longer than a page can be");
  return true;
}

static bool
check_entries (const struct cunwind_reader *reader,
               const struct cunwind_reader_page *page, struct error *err)
{
  uint32_t function = page->function;
  for (uint32_t j = 0; j < page->n_entries; j++)
    {
      uint32_t at = page->entries
                    + (page->compressed ? 4 : CUNWIND_REGULAR_ENTRY_SIZE) * j;
      if (page->compressed
          && encoding_index (reader, page, j)
                 >= reader->n_common + page->n_own)
        return malformed (err, at, "index of no encoding");
      struct cunwind_reader_entry entry
          = cunwind_reader_read_entry (reader, page, j);
      if (entry.function < function || entry.function > page->end)
        return malformed (err, at, "functions do not ascend");
      if ((entry.encoding & CUNWIND_PERSONALITY_MASK)
          >> CUNWIND_PERSONALITY_SHIFT > reader->n_personalities)
        return malformed (err, at, "number of no personality");
      function = entry.function;
    }
  return true;
}

bool
cunwind_reader_open (struct cunwind_reader *reader, const void *bytes,
                     uint64_t size, struct error *err)
{
  *reader = (struct cunwind_reader){ .bytes = bytes, .size = size };
  if (!check_arrays (reader, err) || !check_index (reader, err)
      || !check_lsdas (reader, err))
    return false;
  for (uint32_t i = 0; i < cunwind_reader_n_pages (reader); i++)
    {
      struct cunwind_reader_page page;
      cunwind_reader_read_page (reader, i, &page);
      if (!check_page_header (reader, &page, err)
          || !check_entries (reader, &page, err))
        return false;
    }
  return true;
}
