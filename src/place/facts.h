/* Facts of the old file: pages, whether it is a dynamic loader, what may move,
   and who owns which bytes.  Planning goes by them, and so does the self-check
   of its result.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_FACTS_H
#define PLACE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/image.h"

enum
{
  PAGE_MIN = 4096, /* smallest page of every machine with SFrame */
  PAGE_MAX = 65536 /* largest one of any */
};

/* [BEGIN, END): bytes of the file, or addresses.  */
struct interval
{
  uint64_t begin, end;
};

/* Whether A and B have a byte in common.  */
static inline bool
intervals_meet (struct interval a, struct interval b)
{
  return (a.begin > b.begin ? a.begin : b.begin)
         < (a.end < b.end ? a.end : b.end);
}

/* P of doc/formats/injection: the page that the file was linked for or, where
   that is larger than any, the largest one of the machine.  Android's loader
   refuses a segment that is aligned to less than its page, which may have
   16 KiB also where the machine's own has 4 (bionic, linker_phdr.cpp).  Never
   the page of the machine this runs on.  */
uint64_t image_page (const struct image *image);

/* ---- Dynamic loaders */

/* Whether IMAGE is a dynamic loader (ld.so, musl's libc.so).  */
bool loader_is (const struct image *image);

/* Whether the last part of PATH is the name of a dynamic loader.  Some are
   static PIEs (gcompat, nix-ld), which only the name gives away.  */
bool loader_is_name (const char *path);

/* Whether IMAGE has what every loader has: ET_DYN, an entry, no PT_INTERP.
   Other programs have that, too, so loader_is asks for more.  Where the file's
   name is a loader's, this is enough.  */
bool loader_may_be (const struct image *image);

/* ---- What may move */

/* The DT_* tag of tables of section type TYPE, or DT_NULL.  */
int64_t dynamic_tag_of (uint32_t section_type);

/* Whether TAG is the tag of one of these tables.  */
bool dynamic_is_table (int64_t tag);

/* Whether a section like HEADER may have another address, if only headers and
   dynamic entries have that: the interpreter's name, notes, tables of the
   dynamic linker.  */
bool section_kind_may_move (const struct image *image,
                            const GElf_Shdr *header);

/* Whether a symbol that is attached to the section of HEADER, and has VALUE,
   is there.  Linkers attach symbols like __ehdr_start to the first section,
   although their addresses are outside of it.  These symbols stay.  */
bool symbol_is_in_section (const GElf_Shdr *header, uint64_t value);

/* Whether a symbol that code may use has the address of section INDEX.  */
bool section_has_symbol (const struct image *image, size_t index);

/* Whether a segment of TYPE may move with a section that may.  */
bool segment_kind_may_move (uint32_t type);

/* Add OFFSET and ADDRESS to where SEGMENT is.  A physical address that is
   another than the virtual one stays: some files have 0 everywhere, and BFD
   lays a file out by physical addresses as soon as one of them is not 0.  */
void segment_move (GElf_Phdr *segment, uint64_t offset, uint64_t address);

/* ---- Who owns which bytes of the file */

/* What the header tables have.  */
struct interval segment_table_range (const struct image *image);
struct interval section_table_range (const struct image *image);

/* What SECTION has.  An allocated section of size 0 has its first byte,
   because it marks a place that code may refer to.  An empty .sframe, which
   linkers leave behind, marks nothing and has no bytes.  */
struct interval section_range (const struct image_section *section);

/* What SEGMENT has, if anything (image_segment_has_bytes).  Where its address
   lies in a PT_LOAD that has other bytes there, its offset does not count,
   unless the type is one that is read from the file.  */
struct interval segment_range (const struct image *image,
                               const GElf_Phdr *segment);

/* Whether the bytes of SEGMENT are where its offset says.  */
bool segment_has_offset (const struct image *image, const GElf_Phdr *segment);

/* Whether SEGMENT has notes that begin in the program header table.  patchelf
   up to 0.14 lets a longer table run over notes that it has moved, and leaves
   their header as it was.  A reader that follows the header finds no note, so
   only sections tell who owns the bytes behind the table.  */
bool segment_is_buried (const struct image *image, const GElf_Phdr *segment);

/* What owner_next leaves out.  */
enum
{
  LEAVE_OUT_SECTION_TABLE = 1,
  LEAVE_OUT_NOTES = 2 /* PT_NOTE */
};

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

/* ---- Bytes that nothing owns */

/* Whether BYTE may be where nothing is: 0, or what patchelf leaves where a
   section was, 'X', since 0.17 'Z'.  */
static inline bool
byte_is_filler (uint8_t byte)
{
  return byte == 0 || byte == 'X' || byte == 'Z';
}

/* Whether no byte of the file from BEGIN to END is anything else.  */
bool range_is_filler (const struct image *image, uint64_t begin, uint64_t end);

/* Whether bytes of the file are 0; false if they are not all in it.  */
bool range_is_zero (const struct image *image, uint64_t offset, uint64_t size);

/* Linkers leave zeros behind a segment, so that the next one begins at a page.
   Set *INDEX to the next read-only segment that may grow over them, those of
   code last, because data does not belong among code.  False when there is no
   other.  *AT, 0 at first, tells where to go on.  */
bool slack_next (const struct image *image, size_t *at, size_t *index);

/* Whether the bytes of the file up to END, behind the segment INDEX, are free,
   and so are the addresses that they would have.  */
bool slack_reaches (const struct image *image, size_t index, uint64_t end);

#endif /* PLACE_FACTS_H */
