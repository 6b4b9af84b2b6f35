/* The rules for an address, straight from the bytes of a section.
   SPDX-License-Identifier: LGPL-2.1-or-later

   What a walk asks, and nothing else.  sframe/decode reads all that a section
   holds, says what is wrong with it and where, and keeps rows as they were
   written; a walk needs the rules of one row, runs in signal handlers, and
   has 30 nanoseconds.  Both say the same of every address of every section:
   tests/unit/test_unwind_lookup.c and the fuzz targets compare them.  */

#ifndef UNWIND_LOOKUP_H
#define UNWIND_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/apply.h"

/* A section whose header has been checked: its tables lie inside it.  */
struct unwind_section
{
  const uint8_t *fdes, *fres;
  const struct arch *arch;
  uint64_t base; /* starts of FDEs count from here ... */
  uint64_t step; /* ... and this more for each FDE */
  uint32_t n_fdes, fre_size;
  uint8_t version, fde_size;
  bool big_endian, sorted;
};

/* Read the header of the SIZE BYTES of a section that the program has at
   ADDRESS.  False when no reader may go by it.  BYTES must outlive SECTION.
   Async-signal-safe, as everything here.  */
bool unwind_section_open (struct unwind_section *section, const void *bytes,
                          uint64_t size, uint64_t address);

/* The address where FDE number INDEX, below n_fdes, starts.  */
uint64_t unwind_section_start (const struct unwind_section *section,
                               uint32_t index);

/* Of a sorted section: how many of the FDEs from LOW on, and before HIGH,
   start at or before PC; LOW is added.  */
uint32_t unwind_section_count (const struct unwind_section *section,
                               uint64_t pc, uint32_t low, uint32_t high);

/* Find the RULES that hold at PC.  CFI2SFRAME_STEP_CALLER,
   CFI2SFRAME_STEP_NO_ROW or CFI2SFRAME_STEP_BAD_SECTION.  */
enum cfi2sframe_step
unwind_section_lookup (const struct unwind_section *section, uint64_t pc,
                       struct unwind_rules *rules);

/* The same where it is known that the FDE of PC is number INDEX, if it has
   one.  */
enum cfi2sframe_step
unwind_section_rules (const struct unwind_section *section, uint32_t index,
                      uint64_t pc, struct unwind_rules *rules);

#endif /* UNWIND_LOOKUP_H */
