/* Writing, reading and printing an __unwind_info section, version 1.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Source: Mach-O header compact_unwind_encoding.h, part "Final Linked Images".
   All numbers are little-endian, and words have 32 bits.  Offsets count from
   the start of the section, in a page from the start of the page; functions
   and LSDAs count from the image's base.

     header             7 words: version; offset and count of the common
                        encodings, of the personalities and of the index
     common encodings   1 word each
     personalities      1 word each: where the pointer to the function is
     first-level index  3 words each: first function of a page, the page, its
                        LSDAs; the last entry has no page, and ends the others
     LSDA index         2 words each: function, LSDA
     regular page       word 2; u16 offset and count of the entries, which have
                        2 words: function, encoding
     compressed page    word 3; u16 offset and count of the entries, and of the
                        page's own encodings; an entry is 1 word: 8 bits are
                        the index of an encoding, the common ones before the
                        page's own, and 24 bits the distance of the function
                        from the first one of the page  */

#ifndef COMPACT_UNWIND_INFO_H
#define COMPACT_UNWIND_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "arch/arch.h"
#include "base/buffer.h"
#include "base/error.h"
#include "compact-unwind/encoding.h"

enum
{
  CUNWIND_INFO_VERSION = 1,
  CUNWIND_HEADER_SIZE = 28,
  CUNWIND_INDEX_ENTRY_SIZE = 12,
  CUNWIND_LSDA_ENTRY_SIZE = 8,
  CUNWIND_PAGE_MAX = 4096,
  CUNWIND_REGULAR = 2,
  CUNWIND_REGULAR_HEADER_SIZE = 8,
  CUNWIND_REGULAR_ENTRY_SIZE = 8,
  CUNWIND_COMPRESSED = 3,
  CUNWIND_COMPRESSED_HEADER_SIZE = 12,
  CUNWIND_FUNCTION_BITS = 24,
  CUNWIND_COMMON_MAX = 127,   /* what readers expect at most */
  CUNWIND_ENCODINGS_MAX = 256 /* common and a page's own */
};

/* ---- Writing (info_write.c) */

struct cunwind_entry
{
  uint32_t function; /* from the image's base */
  uint32_t encoding; /* complete */
  uint32_t lsda;     /* from the image's base; with CUNWIND_HAS_LSDA */
};

struct cunwind_info
{
  const struct arch *arch;
  uint64_t base;                 /* address of the image */
  struct cunwind_entry *entries; /* owned; in ascending order of functions */
  size_t n, capacity, n_lsdas;
  uint64_t end; /* end of the last function, from the base */
  uint32_t personalities[CUNWIND_PERSONALITIES_MAX];
  unsigned n_personalities;
};

/* Start an empty section for an image of ARCH loaded at BASE.  */
void cunwind_info_init (struct cunwind_info *info, const struct arch *arch,
                        uint64_t base);
void cunwind_info_free (struct cunwind_info *info);

/* Return the number (from 1) of the personality to which the word at ADDRESS
   points.  0 if there are three others, or if ADDRESS is too far away.  */
unsigned cunwind_info_personality (struct cunwind_info *info,
                                   uint64_t address);

/* Whether the offset of ADDRESS from the base fits 32 bits.  */
bool cunwind_info_reaches (const struct cunwind_info *info, uint64_t address);

/* Append the function of SIZE bytes at ADDRESS.  Functions are added in
   ascending order and do not overlap.  ENCODING has all its bits.  LSDA is an
   address that cunwind_info_reaches, or 0 without CUNWIND_HAS_LSDA.  The
   function may share the entry of the one before.  CODE_BEFORE: there is code
   between the two, which gets an entry with encoding 0.
   CFI2SFRAME_UNSUPPORTED if ADDRESS is 4 GiB or more from the base.  */
bool cunwind_info_add (struct cunwind_info *info, bool code_before,
                       uint64_t address, uint64_t size, uint32_t encoding,
                       uint64_t lsda, struct error *err);

/* Append the section to OUT.  */
bool cunwind_info_write (const struct cunwind_info *info, struct buffer *out,
                         struct error *err);

/* ---- Reading a section (info_read.c) */

/* A section that cunwind_reader_open has checked.  Offsets are in the section;
   those of functions and LSDAs count from the image's base.  */
struct cunwind_reader
{
  const uint8_t *bytes;
  uint64_t size;
  uint32_t common, n_common; /* encodings */
  uint32_t personalities, n_personalities;
  uint32_t index, n_index; /* with the last entry, which has no page */
  uint32_t lsdas, n_lsdas;
};

struct cunwind_reader_page
{
  uint32_t function; /* the page's first function, from the first-level
                        index */
  uint32_t end;      /* where the functions of the next page begin */
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

/* Open the SIZE BYTES, which must outlive READER and may contain anything.
   Check that all tables lie inside the section, that functions ascend, and
   that every index refers to an entry of its table.  Otherwise
   CFI2SFRAME_MALFORMED with the offset.  */
bool cunwind_reader_open (struct cunwind_reader *reader, const void *bytes,
                          uint64_t size, struct error *err);

/* Return the number of pages.  */
static inline uint32_t
cunwind_reader_n_pages (const struct cunwind_reader *reader)
{
  return reader->n_index > 0 ? reader->n_index - 1 : 0;
}

/* Read page I < cunwind_reader_n_pages, and entry J < n_entries of a page.  */
void cunwind_reader_read_page (const struct cunwind_reader *reader, uint32_t i,
                               struct cunwind_reader_page *page);
struct cunwind_reader_entry
cunwind_reader_read_entry (const struct cunwind_reader *reader,
                           const struct cunwind_reader_page *page, uint32_t j);

/* Return the word at OFFSET, which must be inside the section.  */
uint32_t cunwind_reader_word (const struct cunwind_reader *reader,
                              uint32_t offset);

/* ---- Printing (info_dump.c) */

/* Print the section of READER to OUT as llvm-objdump --unwind-info does, and
   after a semicolon the meaning of each encoding for ARCH.  The section does
   not say for which machine it is; with ARCH NULL meanings are omitted.  */
void cunwind_dump (const struct cunwind_reader *reader,
                   const struct arch *arch, FILE *out);

#endif /* COMPACT_UNWIND_INFO_H */
