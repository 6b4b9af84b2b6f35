/* Reading an __unwind_info section, which may hold anything.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef COMPACT_UNWIND_INFO_READ_H
#define COMPACT_UNWIND_INFO_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A section that was checked.  Offsets are in the section, except those of
   functions and data, which count from the image's base.  */
struct cunwind_reader
{
  const uint8_t *bytes;
  uint64_t size;
  uint32_t common, n_common; /* encodings */
  uint32_t personalities, n_personalities;
  uint32_t index, n_index; /* with the last entry, which only ends */
  uint32_t lsdas, n_lsdas;
};

struct cunwind_reader_page
{
  uint32_t function; /* the page's first, by the first-level index */
  uint32_t end;      /* where the next page's functions begin */
  uint32_t at;       /* offset of the page in the section */
  bool compressed;
  uint32_t entries, n_entries; /* offset in the section */
  uint32_t own, n_own;         /* compressed: the page's encodings */
};

struct cunwind_reader_entry
{
  uint32_t function, encoding;
  uint32_t index; /* of the encoding, in compressed pages */
};

/* Open the SIZE BYTES, which must outlive READER, and check that all tables
   lie inside them, that functions ascend, and that every index is one of a
   table. CFI2SFRAME_MALFORMED with the offset otherwise.  */
bool cunwind_reader_open (struct cunwind_reader *reader, const void *bytes,
                          uint64_t size, struct error *err);

/* Pages there are.  */
static inline uint32_t
cunwind_reader_n_pages (const struct cunwind_reader *reader)
{
  return reader->n_index > 0 ? reader->n_index - 1 : 0;
}

/* Page I < cunwind_reader_n_pages, and its entry J < n_entries.  */
void cunwind_reader_read_page (const struct cunwind_reader *reader, uint32_t i,
                               struct cunwind_reader_page *page);
struct cunwind_reader_entry
cunwind_reader_read_entry (const struct cunwind_reader *reader,
                           const struct cunwind_reader_page *page, uint32_t j);

/* The word at OFFSET, which must be inside the section.  */
uint32_t cunwind_reader_word (const struct cunwind_reader *reader,
                              uint32_t offset);

#endif /* COMPACT_UNWIND_INFO_READ_H */
