/* The rules for an address, read directly from the bytes of a section.
   SPDX-License-Identifier: LGPL-2.1-or-later

   This reader is for walks.  The reader in sframe/decode reads a whole
   section, says what is wrong with it and where, and keeps rows as they were
   written.  A walk needs the rules of one row, runs in signal handlers, and
   has 30 nanoseconds.  tests/walk/test_lookup.c and the fuzz targets compare
   both readers.  Their rules are equal for every address of every section,
   unless a function has more than FRAME_ROWS_MAX rows.  */

#ifndef WALK_LOOKUP_H
#define WALK_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "walk/apply.h"

/* A section whose header was checked: the tables lie inside the section.  */
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

/* Read the header of the section in SIZE BYTES, which the program has at
   ADDRESS.  False if no reader can use a section with this header.  BYTES must
   outlive SECTION.  All functions here are async-signal-safe.  */
bool unwind_section_open (struct unwind_section *section, const void *bytes,
                          uint64_t size, uint64_t address);

/* Whether the FDEs of SECTION are in ascending order and its header says so.
   An unsorted section would have to be searched from its first FDE on for each
   frame.  In a section whose header is wrong, different searches would find
   different FDEs.  */
bool unwind_section_is_sorted (const struct unwind_section *section);

/* Return the start of the code of FDE number INDEX, below n_fdes.  */
uint64_t unwind_section_start (const struct unwind_section *section,
                               uint32_t index);

/* Return how many FDEs of a sorted SECTION start at or before PC.  The number
   is known to be between LOW and HIGH; only FDEs between them are read.  */
uint32_t unwind_section_count (const struct unwind_section *section,
                               uint64_t pc, uint32_t low, uint32_t high);

/* Find the RULES at PC.  Returns SFW_MORE, SFW_NO_ROW or SFW_BAD_SECTION.  */
enum sfw_end unwind_section_lookup (const struct unwind_section *section,
                                    uint64_t pc, struct unwind_rules *rules);

/* As unwind_section_lookup, where FDE number INDEX alone can describe PC.  */
enum sfw_end unwind_section_rules (const struct unwind_section *section,
                                   uint32_t index, uint64_t pc,
                                   struct unwind_rules *rules);

/* Find the RULES at ADDRESS, as unwind_source.find does (apply.h);
   FINDER is a struct sfw_section.  */
enum sfw_end unwind_find_rules (const void *finder, uint64_t address,
                                struct unwind_rules *rules);

#endif /* WALK_LOOKUP_H */
