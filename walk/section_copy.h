/* The copies of sections that tables of modules keep.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A module that is unloaded takes its section with it, and a walk may still
   need it.  Equal sections are one copy, which is counted: the lock of the
   modules is held where the count changes.  */

#ifndef WALK_SECTION_COPY_H
#define WALK_SECTION_COPY_H

#include "sframewalk.h"
#include "walk/lookup.h"

/* The copy of a section that a caller gave, which is sorted, with an index:
   bucket I has the number of FDEs that start before the code of bucket I, so
   that a search reads only the FDEs of one bucket.  */
struct walk_section_copy
{
  struct unwind_section opened;
  uint32_t *buckets; /* n_buckets + 1; NULL where there are few FDEs */
  uint64_t first;    /* the address of bucket 0 */
  uint32_t n_buckets;
  uint8_t shift; /* each has 1 << shift bytes of code */
  size_t size;
  uint64_t address; /* in the program */
  unsigned users;   /* number of modules, in all tables, with this section */
  uint8_t bytes[];
};

/* A copy of FROM with its index and one user.  NULL with errno: EINVAL for a
   section that cannot be read or is not sorted.  */
struct walk_section_copy *
walk_section_copy_new (const struct sfw_section *from);

/* One user less, who was the last one if the copy is freed.  SECTION may be
   NULL.  */
void walk_section_copy_drop (struct walk_section_copy *section);

/* COPY, with one user more, if it is one of SECTION, or NULL.  COPY may be
   NULL.  */
struct walk_section_copy *
walk_section_copy_share (struct walk_section_copy *copy,
                         const struct sfw_section *section);

/* The rules at PC, as unwind_section_lookup finds them.  RULES->arch is set.
   Async-signal-safe.  */
enum sfw_end walk_section_copy_rules (const struct walk_section_copy *section,
                                      uint64_t pc, struct unwind_rules *rules);

#endif /* WALK_SECTION_COPY_H */
