/* Facts about the old file that do not depend on a strategy: its page size,
   whether it is a dynamic loader, which sections and segments may get another
   address, and which section, segment or header owns which bytes.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The strategies use these functions, and so does the self-check of the new
   file (write/inject_check.h).  The check must not use more of the strategies'
   code, because it would share their mistakes.  */

#ifndef PLACE_FACTS_H
#define PLACE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/image.h"

enum
{
  PAGE_MIN = 4096, /* smallest page size of every machine with SFrame */
  PAGE_MAX = 65536 /* largest page size of any of them */
};

/* [BEGIN, END): bytes of the file, or addresses.  */
struct interval
{
  uint64_t begin, end;
};

/* [BEGIN, + SIZE).  */
static inline struct interval
interval_at (uint64_t begin, uint64_t size)
{
  return (struct interval){ begin, begin + size };
}

/* Whether A and B have a byte in common.  */
static inline bool
intervals_meet (struct interval a, struct interval b)
{
  return (a.begin > b.begin ? a.begin : b.begin)
         < (a.end < b.end ? a.end : b.end);
}

/* Return the page size that IMAGE was linked for, P in doc/formats/injection:
   the largest alignment of a segment or, if that is more than PAGE_MAX, the
   largest page size of the machine.  It may be more than the machine's own:
   Android's loader refuses a segment that is aligned to less than its page of
   16 KiB (bionic, linker_phdr.cpp).  It is never the page size of the machine
   that converts.  */
uint64_t image_page (const struct image *image);

/* ---- Dynamic loaders */

/* Whether IMAGE is a dynamic loader (ld.so, musl's libc.so).  */
bool loader_is (const struct image *image);

/* Whether the last part of PATH is the name of a dynamic loader.  Some loaders
   are static PIEs (gcompat, nix-ld), with no other mark.  */
bool loader_is_name (const char *path);

/* Whether IMAGE is ET_DYN, with an entry point and no PT_INTERP, as every
   dynamic loader is.  Some other programs are, too, so loader_is asks for
   more.  For a file with the name of a loader this is enough.  */
bool loader_may_be (const struct image *image);

/* Whether IMAGE is a library, which only a dynamic linker maps.  Older linkers
   give libraries an entry point.  Then its DT_SONAME tells it from a static
   PIE.  */
bool image_is_library (const struct image *image);

/* ---- What may move */

/* Return the DT_* tag by which the dynamic linker finds a table of
   SECTION_TYPE, or DT_NULL if it has none for this type.  */
int64_t dynamic_tag_of (uint32_t section_type);

/* Whether dynamic_tag_of returns TAG for some type.  */
bool dynamic_is_table (int64_t tag);

/* Whether the section of HEADER may get another address, provided that nothing
   but headers and dynamic entries has its address.  That holds for the
   interpreter's name, notes and tables of the dynamic linker.  */
bool section_kind_may_move (const struct image *image,
                            const GElf_Shdr *header);

/* Whether a symbol with VALUE, whose st_shndx names the section of HEADER,
   lies in that section.  Linkers give symbols like __ehdr_start the index of
   the first section, although their addresses are outside of it.  Such symbols
   do not move.  */
bool symbol_is_in_section (const GElf_Shdr *header, uint64_t value);

/* Whether a symbol that code may use lies in section INDEX.  */
bool section_has_symbol (const struct image *image, size_t index);

/* Whether a segment of TYPE may move along with a section that it has.  */
bool segment_kind_may_move (uint32_t type);

/* Add OFFSET to SEGMENT's file offset, and ADDRESS to its address.  A physical
   address changes only if it equals the virtual one: some files have 0 in all
   headers, and BFD lays a file out by physical addresses if one is not 0.  */
void segment_move (GElf_Phdr *segment, uint64_t offset, uint64_t address);

/* ---- Who owns which bytes of the file */

/* The file ranges of the two header tables.  */
struct interval segment_table_range (const struct image *image);
struct interval section_table_range (const struct image *image);

/* The file range that SECTION owns; { 0, 0 } for none.  An allocated section
   of size 0 owns one byte, because it marks a place that code may refer to.
   An empty .sframe, which linkers leave behind, owns none.  */
struct interval section_range (const struct image_section *section);

/* The file range that SEGMENT owns; { 0, 0 } for none.  Where a PT_LOAD loads
   other bytes at the address of SEGMENT than those at its offset, the range is
   that of the loaded bytes, unless programs read this type from the file.  */
struct interval segment_range (const struct image *image,
                               const GElf_Phdr *segment);

/* Whether the range that SEGMENT owns is the one at its offset.  */
bool segment_has_offset (const struct image *image, const GElf_Phdr *segment);

/* Whether SEGMENT is of notes and begins inside the program header table.
   patchelf up to 0.14 moves notes and lets a longer table overwrite the old
   ones, but does not change the notes' program header.  A reader that follows
   this header finds no note.  So only sections own bytes behind the table.  */
bool segment_is_overwritten (const struct image *image,
                             const GElf_Phdr *segment);

/* Owners that owner_next disregards.  */
enum
{
  LEAVE_OUT_SECTION_TABLE = 1,
  LEAVE_OUT_NOTES = 2 /* PT_NOTE, but not sections of notes */
};

/* Return the first file range at or behind FROM that has an owner: the ELF
   header, a header table, a section with contents, or a segment other than
   PT_LOAD and PT_PHDR.  BEGIN == END == UINT64_MAX when there is none.  */
struct interval owner_next (const struct image *image, uint64_t from,
                            unsigned left_out);

/* Return the end of the last byte that is loaded or has an owner.  */
uint64_t owned_end (const struct image *image);

/* Whether each byte of the file from offset FROM on is loaded, has an owner,
   or is padding.  A byte that is none of these may be data that the program
   reads at an offset it knows.  Section headers may stand behind such data,
   because patchelf writes them to the end of a file.  Returns false when there
   are too many headers to look at.  */
bool owners_account_for_all (const struct image *image, uint64_t from);

/* Return the PT_LOAD that has all bytes of RANGE in the file, or NULL.  */
const GElf_Phdr *load_of (const struct image *image, struct interval range);

/* Return the PT_LOAD that has the program header table, or NULL.  */
const GElf_Phdr *owner_of_table (const struct image *image);

/* ---- Bytes that nothing owns */

/* Whether BYTE is filler: 0, or the byte that patchelf writes over a section
   that it has moved, 'X', since 0.17 'Z'.  */
static inline bool
byte_is_filler (uint8_t byte)
{
  return byte == 0 || byte == 'X' || byte == 'Z';
}

/* Whether all bytes of the file from BEGIN to END are filler.  */
bool range_is_filler (const struct image *image, uint64_t begin, uint64_t end);

/* Whether SIZE bytes at OFFSET are zero; false if the file is shorter.  */
bool range_is_zero (const struct image *image, uint64_t offset, uint64_t size);

/* Linkers pad a segment with zeros, so that the next one begins at a page.
   This iterates over the read-only segments that may grow into that padding:
   it sets *INDEX to the next such segment, or returns false behind the last.
   Segments with code come last, because data does not belong among code.  *AT
   is the state of the iteration, 0 at first.  */
bool slack_next (const struct image *image, size_t *at, size_t *index);

/* Whether the segment INDEX can grow up to file offset END: the bytes between
   are zeros without an owner, and no segment has their pages.  */
bool slack_reaches (const struct image *image, size_t index, uint64_t end);

#endif /* PLACE_FACTS_H */
