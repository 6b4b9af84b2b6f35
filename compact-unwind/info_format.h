/* The __unwind_info section on disk, version 1.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Source: Mach-O header compact_unwind_encoding.h, part "Final Linked Images".
   All numbers are little-endian; offsets in the section count from its start,
   in a page from the page's start, of functions from the image's base.

     header: version, then offset and count each of the common encodings, the
       personalities and the first-level index, 7 words
     common encodings, 1 word each
     personalities, 1 word each: where the pointer to the function is
     first-level index, 3 words each: first function, its page, its LSDAs; the
       last one has no page and ends the others
     LSDA index, 2 words each: function, LSDA
     pages, regular (kind 2): kind, u16 offset and count of the entries;
              an entry is 2 words: function, encoding
            compressed (kind 3): kind, u16 offset and count of the entries, u16
              offset and count of the page's own encodings; an entry is 1
              word: 8 bits index of an encoding, first the common ones, then
              the page's own, and 24 bits of offset from the page's first
              function.  */

#ifndef COMPACT_UNWIND_INFO_FORMAT_H
#define COMPACT_UNWIND_INFO_FORMAT_H

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

#endif /* COMPACT_UNWIND_INFO_FORMAT_H */
