/* The new headers.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_HEADERS_H
#define PLACE_HEADERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "place/header_slots.h"

/* The header of a new read-only segment of TYPE that has these bytes, at
   ADDRESS.  */
GElf_Phdr headers_segment (const struct draft *draft, uint32_t type,
                           struct interval bytes, uint64_t address,
                           uint64_t align);

/* PT_GNU_SFRAME for plan->sframe_*.  */
GElf_Phdr headers_sframe_segment (const struct draft *draft);

/* Drop the taken slots, add PT_GNU_SFRAME (for plan->sframe_*) and, if LOAD is
   given, that behind the last PT_LOAD.  */
void headers_add_segments (struct draft *draft,
                           const struct header_slots *slots,
                           const GElf_Phdr *load);

/* Write the ELF header HEADER at file offset OFFSET.  */
bool headers_write_header (struct draft *draft, const GElf_Ehdr *header,
                           uint64_t offset);

/* Write the N program headers SEGMENTS at file offset OFFSET.  */
bool headers_write_segments (struct draft *draft, const GElf_Phdr *segments,
                             size_t n, uint64_t offset);

/* Append a section header.  */
void headers_add_section (struct draft *draft, const char *name,
                          const GElf_Shdr *header);

/* Append the header of a section of TYPE that has these bytes, which a segment
   of the draft loads.  */
void headers_add_bytes (struct draft *draft, const char *name, uint32_t type,
                        struct interval bytes, uint64_t align);
void headers_add_sframe_section (struct draft *draft);

/* Append string table and section header table at draft->end, write the
   headers: the last step of every strategy.  */
bool headers_finish (struct draft *draft);

/* Do as headers_finish does, but leave the section header table where it was:
   for plans that add no section.  */
bool headers_finish_in_place (struct draft *draft);

#endif /* PLACE_HEADERS_H */
