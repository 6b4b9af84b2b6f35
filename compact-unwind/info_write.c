/* Writing an __unwind_info section.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "compact-unwind/info.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/radix.h"

enum
{
  PAGE_ENTRIES_MAX = (CUNWIND_PAGE_MAX - CUNWIND_COMPRESSED_HEADER_SIZE) / 4,
  REGULAR_ENTRIES_MAX = (CUNWIND_PAGE_MAX - CUNWIND_REGULAR_HEADER_SIZE)
                        / CUNWIND_REGULAR_ENTRY_SIZE
};

/* In place of a page number: the common encodings.  */
#define COMMON UINT32_MAX

void
cunwind_info_init (struct cunwind_info *info, const struct arch *arch,
                   uint64_t base)
{
  *info = (struct cunwind_info){ .arch = arch, .base = base };
}

void
cunwind_info_free (struct cunwind_info *info)
{
  free (info->entries);
  info->entries = NULL;
  info->n = info->capacity = 0;
}

/* ---- Collecting entries */

bool
cunwind_info_reaches (const struct cunwind_info *info, uint64_t address)
{
  return address >= info->base && address - info->base <= UINT32_MAX;
}

unsigned
cunwind_info_personality (struct cunwind_info *info, uint64_t address)
{
  if (!cunwind_info_reaches (info, address))
    return 0;
  uint32_t offset = (uint32_t)(address - info->base);
  for (unsigned i = 0; i < info->n_personalities; i++)
    if (info->personalities[i] == offset)
      return i + 1;
  if (info->n_personalities == CUNWIND_PERSONALITIES_MAX)
    return 0;
  info->personalities[info->n_personalities++] = offset;
  return info->n_personalities;
}

static bool
append_entry (struct cunwind_info *info, struct cunwind_entry entry,
              struct error *err)
{
  if (!ARRAY_ROOM (info->entries, info->n + 1, &info->capacity))
    return error_set_no_memory (err);
  info->entries[info->n++] = entry;
  return true;
}

/* Whether neighbouring functions with ENCODING may share an entry: not if it
   depends on the start of the function, or refers to its own data.  */
static bool
may_share_entry (const struct cunwind_info *info, uint32_t encoding)
{
  struct cunwind_frame frame;
  return !(encoding & CUNWIND_HAS_LSDA)
         && cunwind_decode (info->arch, encoding, &frame)
         && frame.mode != CUNWIND_DWARF
         && frame.mode != CUNWIND_FRAMELESS_INDIRECT;
}

bool
cunwind_info_add (struct cunwind_info *info, bool code_before,
                  uint64_t address, uint64_t size, uint32_t encoding,
                  uint64_t lsda, struct error *err)
{
  bool has_lsda = (encoding & CUNWIND_HAS_LSDA) != 0;
  uint64_t end;
  if (__builtin_add_overflow (address, size, &end)
      || !cunwind_info_reaches (info, address)
      || !cunwind_info_reaches (info, end))
    return error_set (err, CFI2SFRAME_UNSUPPORTED,
                      "code 4 GiB or more from the image's base: compact "
                      "unwind cannot address it");
  struct cunwind_entry entry
      = { .function = (uint32_t)(address - info->base), .encoding = encoding };
  if (entry.function < info->end || size == 0
      || (has_lsda && !cunwind_info_reaches (info, lsda)))
    return error_set (err, CFI2SFRAME_INVALID,
                      "functions overlap or their data are out of reach");
  const struct cunwind_entry uncovered = { .function = (uint32_t)info->end };
  if (code_before && info->n > 0 && !append_entry (info, uncovered, err))
    return false;
  info->end = end - info->base;
  if (info->n > 0 && info->entries[info->n - 1].encoding == encoding
      && may_share_entry (info, encoding))
    return true;
  if (has_lsda)
    {
      entry.lsda = (uint32_t)(lsda - info->base);
      info->n_lsdas++;
    }
  return append_entry (info, entry, err);
}

/* ---- Common encodings */

/* A distinct encoding, and its index in the pages that use it.  */
struct encoding_kind
{
  uint32_t encoding;
  uint32_t count; /* number of entries that have it */
  /* The last page that has this among its own encodings, counted from 1, or
     COMMON; and its index among all encodings of that page.  */
  uint32_t page;
  uint16_t index;
};

struct encodings
{
  struct encoding_kind *kinds; /* owned; ascending by encoding */
  size_t n_kinds;
  uint32_t *numbers;                   /* owned; kind of each entry */
  uint32_t common[CUNWIND_COMMON_MAX]; /* the most frequent first */
  unsigned n_common;
};

/* Set the kinds and numbers.  KEYS has capacity for a key for each entry.  */
static bool
number_encodings (struct encodings *encodings, const struct cunwind_info *info,
                  uint64_t **keys)
{
  for (size_t i = 0; i < info->n; i++)
    (*keys)[i] = (uint64_t)info->entries[i].encoding << 32 | i;
  if (!RADIX_SORT (*keys, info->n))
    return false;
  const uint64_t *key = *keys;
  for (size_t i = 0; i < info->n; i++)
    {
      uint32_t encoding = (uint32_t)(key[i] >> 32);
      if (i == 0 || encoding != key[i - 1] >> 32)
        encodings->kinds[encodings->n_kinds++].encoding = encoding;
      encodings->kinds[encodings->n_kinds - 1].count++;
      encodings->numbers[(uint32_t)key[i]] = (uint32_t)encodings->n_kinds - 1;
    }
  return true;
}

/* Choose the common encodings: those that occur more than once, the most
   frequent first, and among equally frequent ones the lowest first.  */
static bool
choose_common (struct encodings *encodings, uint64_t **keys)
{
  for (size_t i = 0; i < encodings->n_kinds; i++)
    (*keys)[i] = (uint64_t)(UINT32_MAX - encodings->kinds[i].count) << 32 | i;
  if (!RADIX_SORT (*keys, encodings->n_kinds))
    return false;
  for (size_t i = 0; i < encodings->n_kinds && i < CUNWIND_COMMON_MAX; i++)
    {
      struct encoding_kind *kind = &encodings->kinds[(uint32_t)(*keys)[i]];
      if (kind->count == 1)
        break;
      kind->page = COMMON;
      kind->index = (uint16_t)i;
      encodings->common[encodings->n_common++] = kind->encoding;
    }
  return true;
}

/* Set ENCODINGS, which are zero.  Free them also after failure.  */
static bool
count_encodings (struct encodings *encodings, const struct cunwind_info *info)
{
  uint64_t *keys = reallocarray (NULL, info->n + 1, sizeof *keys);
  encodings->kinds = calloc (info->n + 1, sizeof *encodings->kinds);
  encodings->numbers
      = reallocarray (NULL, info->n + 1, sizeof *encodings->numbers);
  bool found = keys != NULL && encodings->kinds != NULL
               && encodings->numbers != NULL
               && number_encodings (encodings, info, &keys)
               && choose_common (encodings, &keys);
  free (keys);
  return found;
}

/* ---- Pages */

/* A compressed page, filled from entry `begin' on.  */
struct compressed_page
{
  const struct cunwind_info *info;
  struct encodings encodings; /* owned */
  uint32_t number;            /* counted from 1 */
  size_t begin, n;
  uint8_t indexes[PAGE_ENTRIES_MAX]; /* by entry: index of its encoding */
  unsigned n_own;                    /* encodings that are not common */
  uint32_t own[CUNWIND_ENCODINGS_MAX];
};

static size_t
compressed_size (const struct compressed_page *page)
{
  return CUNWIND_COMPRESSED_HEADER_SIZE + 4 * (page->n + page->n_own);
}

/* Add the next entry to the compressed page.  False if it does not fit.  */
static bool
add_to_compressed (struct compressed_page *page)
{
  const struct cunwind_entry *first = &page->info->entries[page->begin];
  const struct cunwind_entry *entry = first + page->n;
  struct encodings *encodings = &page->encodings;
  struct encoding_kind *kind
      = &encodings->kinds[encodings->numbers[page->begin + page->n]];
  bool is_new = kind->page != COMMON && kind->page != page->number;
  unsigned n_encodings = encodings->n_common + page->n_own;
  if ((entry->function - first->function) >> CUNWIND_FUNCTION_BITS != 0
      || compressed_size (page) + (is_new ? 8 : 4) > CUNWIND_PAGE_MAX
      || (is_new && n_encodings == CUNWIND_ENCODINGS_MAX))
    return false;
  if (is_new)
    {
      page->own[page->n_own++] = kind->encoding;
      kind->page = page->number;
      kind->index = (uint16_t)n_encodings;
    }
  page->indexes[page->n++] = (uint8_t)kind->index;
  return true;
}

static void
fill_page (struct compressed_page *page, size_t begin)
{
  page->number++;
  page->begin = begin;
  page->n = page->n_own = 0;
  while (begin + page->n < page->info->n && add_to_compressed (page))
    continue;
}

/* Return the number of entries of a regular page to use in place of this
   compressed page, from the same entry on; 0 to use the compressed page.  The
   page with fewer bytes per function is used, with its first-level entry.  */
static size_t
count_regular_entries (const struct compressed_page *page)
{
  size_t left = page->info->n - page->begin;
  size_t n = left < REGULAR_ENTRIES_MAX ? left : REGULAR_ENTRIES_MAX;
  uint64_t regular = CUNWIND_INDEX_ENTRY_SIZE + CUNWIND_REGULAR_HEADER_SIZE
                     + CUNWIND_REGULAR_ENTRY_SIZE * (uint64_t)n;
  uint64_t compressed = CUNWIND_INDEX_ENTRY_SIZE + compressed_size (page);
  return regular * page->n < compressed * n ? n : 0;
}

static void
write_compressed (const struct compressed_page *page, struct buffer *out)
{
  const struct cunwind_entry *first = &page->info->entries[page->begin];
  buffer_u32 (out, CUNWIND_COMPRESSED);
  buffer_u16 (out, CUNWIND_COMPRESSED_HEADER_SIZE);
  buffer_u16 (out, (uint16_t)page->n);
  buffer_u16 (out, (uint16_t)(CUNWIND_COMPRESSED_HEADER_SIZE + 4 * page->n));
  buffer_u16 (out, (uint16_t)page->n_own);
  for (size_t i = 0; i < page->n; i++)
    buffer_u32 (out, (uint32_t)page->indexes[i] << CUNWIND_FUNCTION_BITS
                         | (first[i].function - first->function));
  for (unsigned i = 0; i < page->n_own; i++)
    buffer_u32 (out, page->own[i]);
}

static void
write_regular (const struct compressed_page *page, size_t n,
               struct buffer *out)
{
  const struct cunwind_entry *first = &page->info->entries[page->begin];
  buffer_u32 (out, CUNWIND_REGULAR);
  buffer_u16 (out, CUNWIND_REGULAR_HEADER_SIZE);
  buffer_u16 (out, (uint16_t)n);
  for (size_t i = 0; i < n; i++)
    {
      buffer_u32 (out, first[i].function);
      buffer_u32 (out, first[i].encoding);
    }
}

/* ---- The section */

/* Write all pages to PAGES, and a first-level entry for each to INDEX.
   Offsets in INDEX count from the first page and from the first LSDA.  */
static void
write_pages (struct compressed_page *page, struct buffer *pages,
             struct buffer *index)
{
  const struct cunwind_info *info = page->info;
  uint32_t lsdas = 0;
  for (size_t i = 0; i < info->n;)
    {
      buffer_u32 (index, info->entries[i].function);
      buffer_u32 (index, (uint32_t)pages->size);
      buffer_u32 (index, lsdas * CUNWIND_LSDA_ENTRY_SIZE);
      fill_page (page, i);
      size_t n = count_regular_entries (page);
      if (n > 0)
        write_regular (page, n, pages);
      else
        write_compressed (page, pages);
      for (size_t end = i + (n > 0 ? n : page->n); i < end; i++)
        lsdas += (info->entries[i].encoding & CUNWIND_HAS_LSDA) != 0;
    }
  /* The last entry has no page; it ends the last page.  */
  buffer_u32 (index, (uint32_t)info->end);
  buffer_u32 (index, 0);
  buffer_u32 (index, lsdas * CUNWIND_LSDA_ENTRY_SIZE);
}

static void
write_header_and_arrays (const struct cunwind_info *info,
                         const struct encodings *encodings, uint32_t n_index,
                         struct buffer *out)
{
  uint32_t at = CUNWIND_HEADER_SIZE;
  buffer_u32 (out, CUNWIND_INFO_VERSION);
  buffer_u32 (out, at);
  buffer_u32 (out, encodings->n_common);
  at += 4 * encodings->n_common;
  buffer_u32 (out, at);
  buffer_u32 (out, info->n_personalities);
  at += 4 * info->n_personalities;
  buffer_u32 (out, at);
  buffer_u32 (out, n_index);
  for (unsigned i = 0; i < encodings->n_common; i++)
    buffer_u32 (out, encodings->common[i]);
  for (unsigned i = 0; i < info->n_personalities; i++)
    buffer_u32 (out, info->personalities[i]);
}

/* Write INDEX with offsets that count from the start of the section.  */
static void
write_index (const struct buffer *index, uint32_t lsdas_at, uint32_t pages_at,
             struct buffer *out)
{
  for (size_t at = 0; at < index->size; at += CUNWIND_INDEX_ENTRY_SIZE)
    {
      const uint8_t *entry = index->bytes + at;
      bool last = at + CUNWIND_INDEX_ENTRY_SIZE == index->size;
      buffer_u32 (out, load_u32 (entry, false));
      buffer_u32 (out, last ? 0 : pages_at + load_u32 (entry + 4, false));
      buffer_u32 (out, lsdas_at + load_u32 (entry + 8, false));
    }
}

static bool
write_section (const struct cunwind_info *info,
               const struct encodings *encodings, const struct buffer *pages,
               const struct buffer *index, struct buffer *out,
               struct error *err)
{
  uint64_t lsdas_at = CUNWIND_HEADER_SIZE + 4 * (uint64_t)encodings->n_common
                      + 4 * (uint64_t)info->n_personalities + index->size;
  uint64_t pages_at
      = lsdas_at + CUNWIND_LSDA_ENTRY_SIZE * (uint64_t)info->n_lsdas;
  if (pages_at + pages->size > UINT32_MAX)
    return error_set (err, CFI2SFRAME_UNSUPPORTED,
                      "compact unwind of 4 GiB or more");
  write_header_and_arrays (info, encodings,
                           (uint32_t)(index->size / CUNWIND_INDEX_ENTRY_SIZE),
                           out);
  write_index (index, (uint32_t)lsdas_at, (uint32_t)pages_at, out);
  for (size_t i = 0; i < info->n; i++)
    if (info->entries[i].encoding & CUNWIND_HAS_LSDA)
      {
        buffer_u32 (out, info->entries[i].function);
        buffer_u32 (out, info->entries[i].lsda);
      }
  buffer_append (out, pages->bytes, pages->size);
  return !out->failed || error_set_no_memory (err);
}

bool
cunwind_info_write (const struct cunwind_info *info, struct buffer *out,
                    struct error *err)
{
  struct compressed_page page = { .info = info };
  struct buffer pages, index;
  buffer_init (&pages, false);
  buffer_init (&index, false);
  bool written = count_encodings (&page.encodings, info);
  if (written)
    {
      write_pages (&page, &pages, &index);
      written = !pages.failed && !index.failed;
    }
  if (!written)
    error_set_no_memory (err);
  written = written
            && write_section (info, &page.encodings, &pages, &index, out, err);
  buffer_free (&pages);
  buffer_free (&index);
  free (page.encodings.kinds);
  free (page.encodings.numbers);
  return written;
}
