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

/* Whether BYTE may be where nothing is: 0, or what patchelf leaves where a
   section was, 'X', since 0.17 'Z'.  */
static inline bool
byte_is_filler (uint8_t byte)
{
  return byte == 0 || byte == 'X' || byte == 'Z';
}

/* P of doc/formats/injection: the page that the file was linked for or, where
   that is larger than any, the largest one of the machine.  Android's loader
   refuses a segment that is aligned to less than its page, which may have
   16 KiB also where the machine's own has 4 (bionic, linker_phdr.cpp).  Never
   the page of the machine this runs on.  */
uint64_t image_page (const struct image *image);

/* The DT_* tag of tables of section type TYPE, or DT_NULL.  */
int64_t dynamic_tag_of (uint32_t section_type);

/* Whether TAG is the tag of one of these tables.  */
bool dynamic_is_table (int64_t tag);

/* Whether a section like HEADER may have another address, if only headers and
   dynamic entries have that: the interpreter's name, notes, tables of the
   dynamic linker.  */
bool section_kind_may_move (const struct image *image,
                            const GElf_Shdr *header);

/* Whether a segment of TYPE may move with a section that may.  */
bool segment_kind_may_move (uint32_t type);

/* Add OFFSET and ADDRESS to where SEGMENT is.  A physical address that is
   another than the virtual one stays: some files have 0 everywhere, and BFD
   lays a file out by physical addresses as soon as one of them is not 0.  */
void segment_move (GElf_Phdr *segment, uint64_t offset, uint64_t address);

#endif /* PLACE_FACTS_H */
