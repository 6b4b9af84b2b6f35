/* The self-check, for its own files: what it compares, and its parts.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The check must not share the mistakes of the strategies.  So it concludes
   from the old file alone which bytes may differ.  The plan tells it the place
   of .sframe, the index of the section that .sframe replaces, the new size
   and, in large files, the extents and patches, without plan_cut.  The
   names of new sections are listed in inject_check_sections.c.  */

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

/* Set check->err: the new file is wrong.  Returns false.  */
bool check_violated (const struct check *check, const char *what,
                     const char *name);

/* Compare SIZE bytes of the old and the new file from byte *AT on, and set *AT
   to the first that differs.  False if there is none.  */
bool check_next_difference (const struct check *check, uint64_t old_offset,
                            uint64_t new_offset, uint64_t size, uint64_t *at);

/* Whether SIZE bytes of the old and the new file are equal.  */
bool check_same_bytes (const struct check *check, uint64_t old_offset,
                       uint64_t new_offset, uint64_t size);

/* Whether AFTER is the program header EXPECTED but for its offset and address.
   The physical address must follow the virtual one if both were equal.  */
bool check_same_header (GElf_Phdr expected, const GElf_Phdr *after);

/* Return the header that a new read-only segment of TYPE must have.  It has a
   physical address if the last PT_LOAD has one.  */
GElf_Phdr check_new_segment (const struct image *before, uint32_t type,
                             uint64_t offset, uint64_t address, uint64_t size,
                             uint64_t align);

/* Whether IMAGE loads SIZE bytes from file offset OFFSET at ADDRESS.  */
bool check_is_loaded (const struct image *image, uint64_t offset,
                      uint64_t address, uint64_t size);

/* ---- inject_check_segments.c */

/* Whether no segment but OWN and SHARING has memory in the pages of [BEGIN,
   END).  Either may be NULL.  */
bool check_own_pages (const struct image *image, const GElf_Phdr *own,
                      const GElf_Phdr *sharing, uint64_t begin, uint64_t end);

/* Whether a loader maps all bytes that it mapped before, with the same rights,
   and other bytes only in pages of their own.  */
bool check_memory_kept (const struct check *check);

/* Whether all old segments are there, and no segment is of a new type.  */
bool check_segments_kept (const struct check *check);

/* Whether a program that reads its own ELF header in memory, and takes offsets
   for distances from it, finds the segments that it found before.  */
bool check_seen_from_memory (const struct check *check);

/* ---- inject_check_sections.c */

/* Whether section headers, and the contents of sections, are as before.  */
bool check_sections_kept (const struct check *check);

/* Whether each dynamic entry is as before, or names a moved table.  */
bool check_dynamic_kept (const struct check *check);

#endif /* WRITE_INJECT_CHECK_PARTS_H */
