/* What the parts of the self-check share.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The check knows of no strategy, but for the names of sections that are new
   (inject_check_sections.c): what may differ is told from the old file
   alone.  Of the plan it takes where .sframe is, the section that .sframe
   replaces, the new size and, in large files, the extents and patches.  It
   does not use plan_cut, so as not to share the mistakes of that.  */

#ifndef WRITE_INJECT_CHECK_PARTS_H
#define WRITE_INJECT_CHECK_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "place/facts.h"
#include "place/plan.h"

struct check
{
  const struct image *before, *after;
  const struct plan *plan;
  const void *sframe;
  struct error *err;
};

/* Record that the new file is wrong.  Gives false.  */
bool check_violated (const struct check *check, const char *what,
                     const char *name);

/* Whether one of SIZE bytes of the old and the new file differs, from byte *AT
   on.  *AT: which.  */
bool check_next_difference (const struct check *check, uint64_t old_offset,
                            uint64_t new_offset, uint64_t size, uint64_t *at);

/* Whether SIZE bytes of the old and the new file are equal.  */
bool check_same_bytes (const struct check *check, uint64_t old_offset,
                       uint64_t new_offset, uint64_t size);

/* Whether AFTER is the segment EXPECTED, maybe at another place.  A physical
   address goes with the virtual one if both were the same.  */
bool check_same_header (GElf_Phdr expected, const GElf_Phdr *after);

/* The header of a segment of TYPE that is new: for reading alone, with a
   physical address if the last PT_LOAD has one.  */
GElf_Phdr check_new_segment (const struct image *before, uint32_t type,
                             uint64_t offset, uint64_t address, uint64_t size,
                             uint64_t align);

/* Whether IMAGE loads SIZE bytes at ADDRESS from OFFSET.  */
bool check_is_loaded (const struct image *image, uint64_t offset,
                      uint64_t address, uint64_t size);

/* ---- inject_check_segments.c */

/* Whether no segment but OWN has memory in the pages of [BEGIN, END).  */
bool check_own_pages (const struct image *image, const GElf_Phdr *own,
                      uint64_t begin, uint64_t end);

/* Whether a loader maps what it mapped before, and nothing more that could
   harm.  */
bool check_memory_kept (const struct check *check);

/* Whether no segment is lost, and none is of a new type.  */
bool check_segments_kept (const struct check *check);

/* Whether a program that follows offsets from its ELF header, in memory, comes
   to what it came to before.  */
bool check_seen_from_memory (const struct check *check);

/* ---- inject_check_sections.c */

/* Whether section headers and what they describe are as before.  */
bool check_sections_kept (const struct check *check);

/* Every dynamic entry is as before, or names a table that has moved.  */
bool check_dynamic_kept (const struct check *check);

#endif /* WRITE_INJECT_CHECK_PARTS_H */
