/* Who owns which bytes of the old file: sections, segments, header tables.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_OWNERS_H
#define PLACE_OWNERS_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/image.h"
#include "place/facts.h"

/* What owner_next leaves out.  */
enum
{
  LEAVE_OUT_SECTION_TABLE = 1,
  LEAVE_OUT_NOTES = 2 /* PT_NOTE */
};

/* The bytes of the file that the header tables have.  */
struct interval segment_table_range (const struct image *image);
struct interval section_table_range (const struct image *image);

/* The bytes of the file that SECTION has.  An allocated section of size 0 has
   its first byte, because it marks a place that code may refer to.  An empty
   .sframe, which linkers leave behind, marks nothing and has no bytes.  */
struct interval section_range (const struct image_section *section);

/* The bytes of the file that SEGMENT has, if any (image_segment_has_bytes).
   Where its address lies in a PT_LOAD that has other bytes there, its offset
   does not count, unless the type is one that is read from the file.  */
struct interval segment_range (const struct image *image,
                               const GElf_Phdr *segment);

/* Whether the bytes of SEGMENT are where its offset says.  */
bool segment_has_offset (const struct image *image, const GElf_Phdr *segment);

/* Whether SEGMENT has notes that begin in the program header table.  patchelf
   up to 0.14 lets a longer table run over notes that it has moved, and leaves
   their header as it was.  A reader that follows the header finds no note, so
   only sections tell who owns the bytes behind the table.  */
bool segment_is_buried (const struct image *image, const GElf_Phdr *segment);

/* The first bytes at or behind FROM that a section with contents, a segment
   that is not PT_LOAD, or one of the header tables owns.  BEGIN == END ==
   UINT64_MAX: none.  */
struct interval owner_next (const struct image *image, uint64_t from,
                            unsigned left_out);

/* One past the last byte that is loaded, or that a section or header table
   accounts for.  */
uint64_t owner_last (const struct image *image);

/* Whether all bytes at and behind FROM are loaded, or a section or header
   accounts for them, or are padding.  Others may be data that a program has at
   an offset which it knows, although section headers stand behind them:
   patchelf writes those to the end of a file.  Where there is too much to be
   looked at, nothing is accounted for.  */
bool owners_account_for_all (const struct image *image, uint64_t from);

/* The PT_LOAD that has all of these bytes of the file, or NULL.  */
const GElf_Phdr *load_of (const struct image *image, struct interval range);

/* The PT_LOAD that maps the program header table, or NULL.  */
const GElf_Phdr *owner_of_table (const struct image *image);

/* Whether no byte of the file from BEGIN to END is anything but filler
   (byte_is_filler).  */
bool range_is_filler (const struct image *image, uint64_t begin, uint64_t end);

/* Whether bytes of the file are 0; false if they are not all in it.  */
bool range_is_zero (const struct image *image, uint64_t offset, uint64_t size);

#endif /* PLACE_OWNERS_H */
