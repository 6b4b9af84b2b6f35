/* Facts of ELF files that planning and the self-check of its result both go
   by.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_FACTS_H
#define PLACE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/image.h"

enum
{
  PAGE_MIN = 4096 /* smallest page of every machine with SFrame */
};

/* [BEGIN, END): bytes of the file, or addresses.  */
struct interval
{
  uint64_t begin, end;
};

/* ---- facts.c */

/* P of doc/formats/injection: the largest page that the machine may have, but
   not more than the file was linked for.  Never the page of the machine this
   runs on.  */
uint64_t placing_page (const struct image *image);

/* The DT_* tag of tables of section type TYPE, or DT_NULL.  */
int64_t dynamic_tag_of (uint32_t section_type);

/* Whether TAG is the tag of such a table.  */
bool dynamic_is_table (int64_t tag);

/* Whether a section like HEADER may have another address, if only headers and
   dynamic entries have that: the interpreter's name, notes, tables of the
   dynamic linker.  */
bool section_kind_may_move (const struct image *image,
                            const GElf_Shdr *header);

/* Whether a segment of TYPE may move with such a section.  */
bool segment_kind_may_move (uint32_t type);

/* ---- owners.c: who owns which bytes of the old file.  */

/* What owner_next leaves out.  */
enum
{
  LEAVE_OUT_SECTION_TABLE = 1,
  LEAVE_OUT_NOTES = 2 /* PT_NOTE */
};

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
   only sections say whose the bytes behind the table are.  */
bool segment_is_buried (const struct image *image, const GElf_Phdr *segment);

/* The first bytes at or behind FROM that a section with contents, a segment
   that is not PT_LOAD, or one of the header tables owns.  BEGIN == END ==
   UINT64_MAX: none.  */
struct interval owner_next (const struct image *image, uint64_t from,
                            unsigned left_out);

/* One past the last byte that is loaded, or that a section or header table
   accounts for.  */
uint64_t owner_last (const struct image *image);

/* The PT_LOAD that maps the program header table, or NULL.  */
const GElf_Phdr *owner_of_table (const struct image *image);

/* Whether bytes of the file are 0; false if they are not all in it.  */
bool range_is_zero (const struct image *image, uint64_t offset, uint64_t size);

#endif /* PLACE_FACTS_H */
