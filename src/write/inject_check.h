/* What the parts of the self-check share.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WRITE_INJECT_CHECK_H
#define WRITE_INJECT_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "write/inject.h"

struct check
{
  const struct image *before, *after;
  const struct layout_plan *plan;
  const void *sframe;
  struct error *err;
};

/* ---- inject_check_compare.c */

/* Record that the new file is wrong.  Gives false.  */
bool check_violated (const struct check *check, const char *what,
                     const char *name);

/* Whether one extent of the plan copies SIZE bytes there.  */
bool check_is_copied (const struct check *check, uint64_t old_offset,
                      uint64_t new_offset, uint64_t size);

/* Whether SIZE bytes of the old and the new file are equal, up to what the
   plan's patches say.  */
bool check_same_bytes (const struct check *check, uint64_t old_offset,
                       uint64_t new_offset, uint64_t size);
bool check_same_but_patched (const struct check *check, uint64_t old_offset,
                             uint64_t new_offset, uint64_t size);

/* Whether the new file loads SIZE bytes at ADDRESS from OFFSET.  */
bool check_is_loaded (const struct check *check, uint64_t offset,
                      uint64_t address, uint64_t size);

/* ---- inject_check_segments.c */

/* Whether AFTER, a PT_LOAD, is BEFORE, and has grown at most.  */
bool check_is_same_load (const struct check *check, const GElf_Phdr *before,
                         const GElf_Phdr *after);

/* Whether the segment BEFORE is in the new file, or need not be.  */
bool check_old_segment (const struct check *check, const GElf_Phdr *before);

/* ---- inject_check_memory.c */

/* Whether a program that follows offsets from its ELF header, in memory, comes
   to what it came to before.  */
bool check_seen_from_memory (const struct check *check);

/* ---- inject_check_notes.c */

/* Whether readers find all notes of the old PT_NOTE BEFORE, whichever
   alignment they go by.  */
bool check_notes_kept (const struct check *check, const GElf_Phdr *before);

/* ---- inject_check_sections.c */

/* Whether section headers and what they describe are as before.  */
bool check_sections_kept (const struct check *check);

/* Every dynamic entry is as before, or names a table that has moved.  */
bool check_dynamic_kept (const struct check *check);

#endif /* WRITE_INJECT_CHECK_H */
