/* The rules for an address, straight from the bytes of a section.
   SPDX-License-Identifier: LGPL-2.1-or-later

   This reader serves walks alone.  The reader in sframe/decode reads all
   that a section holds, says what is wrong with it and where, and keeps
   rows as they were written; a walk needs the rules of one row, runs in
   signal handlers, and has 30 nanoseconds.  tests/walk/test_unwind_lookup.c
   and the fuzz targets compare both readers: their rules are equal for
   every address of every section without a function of more than
   FRAME_ROWS_MAX rows.  */

#ifndef WALK_LOOKUP_H
#define WALK_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "walk/apply.h"

/* A section with a checked header: its tables lie inside it.  */
struct unwind_section
{
  const uint8_t *fdes, *fres;
  const struct arch *arch;
  uint64_t base; /* the starts of FDEs count from this address ... */
  uint64_t step; /* ... plus STEP times the FDE's number */
  uint32_t n_fdes, fre_size;
  uint8_t version, fde_size;
  bool big_endian, sorted;
};

/* Read the header of a section of SIZE BYTES, which the program has at
   ADDRESS.  False when the header makes the section unusable for any reader.
   BYTES must outlive SECTION.  Async-signal-safe, as everything here.  */
bool unwind_section_open (struct unwind_section *section, const void *bytes,
                          uint64_t size, uint64_t address);

/* Whether SECTION is sorted, and says so.  A section that is not would be read
   from its first FDE on for each frame, and one that lies would have another
   FDE for an address in each way to search.  */
bool unwind_section_is_sorted (const struct unwind_section *section);

/* The address where FDE number INDEX, below n_fdes, starts.  */
uint64_t unwind_section_start (const struct unwind_section *section,
                               uint32_t index);

/* The number of FDEs that start at or before PC, of a sorted SECTION.  The
   caller knows that the answer is between LOW and HIGH; only FDEs in that
   range are read.  */
uint32_t unwind_section_count (const struct unwind_section *section,
                               uint64_t pc, uint32_t low, uint32_t high);

/* Find the RULES that hold at PC.  SFW_MORE, SFW_NO_ROW or
   SFW_BAD_SECTION.  */
enum sfw_end unwind_section_lookup (const struct unwind_section *section,
                                    uint64_t pc, struct unwind_rules *rules);

/* As unwind_section_lookup, when the caller knows that only FDE number INDEX
   can describe PC.  */
enum sfw_end unwind_section_rules (const struct unwind_section *section,
                                   uint32_t index, uint64_t pc,
                                   struct unwind_rules *rules);

/* Find the RULES at ADDRESS, as unwind_source.find does (apply.h);
   FINDER is a struct sfw_section.  */
enum sfw_end unwind_find_rules (const void *finder, uint64_t address,
                                struct unwind_rules *rules);

#endif /* WALK_LOOKUP_H */
