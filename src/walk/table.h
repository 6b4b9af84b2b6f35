/* A table of modules that walks read while others change it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WALK_TABLE_H
#define WALK_TABLE_H

#include <stdatomic.h>

#include "sframewalk.h"
#include "unwind/lookup.h"

/* The copy of a section, with an index: bucket I has the number of FDEs that
   start before the code of bucket I, so that a search has few to look at.  */
struct walk_section
{
  struct unwind_section opened;
  uint32_t *buckets; /* n_buckets + 1; NULL for sections that are unsorted */
  uint64_t first;    /* the address of bucket 0 */
  uint32_t n_buckets;
  uint8_t shift; /* each has 1 << shift bytes of code */
  size_t size;
  unsigned users; /* tables that have it */
  uint8_t bytes[];
};

struct walk_module
{
  uint64_t start, end;
  struct walk_section *section; /* or NULL */
  uint64_t address;             /* of the section in the program */
  uint8_t origin;               /* enum walk_origin */
};

/* Who knows that a module is there.  */
enum walk_origin
{
  WALK_ADDED,
  WALK_LISTED
};

/* Modules that do not overlap, ascending.  A table that was published does not
   change.  */
struct walk_table
{
  unsigned long generation;
  struct walk_table *retired; /* the next one that waits to be freed */
  size_t n, capacity;
  struct walk_module modules[];
};

/* A walk's hold on the table that was there when it began.  */
struct walk_hold
{
  const struct walk_table *table;
  unsigned side;
};

/* Take hold of the table of MODULES, which stays until it is let go.
   Async-signal-safe.  */
struct walk_hold walk_modules_hold (struct sfw_modules *modules);
void walk_modules_let_go (struct sfw_modules *modules, struct walk_hold hold);

/* The rules at PC: as unwind_section_lookup, or CFI2SFRAME_STEP_NO_SECTION.
   RULES->arch is set if there is a section.  Async-signal-safe.  */
enum cfi2sframe_step walk_table_lookup (const struct walk_table *table,
                                        uint64_t pc,
                                        struct unwind_rules *rules);

/* The changes.  A draft begins as a copy of the table without its modules of
   WALK_LISTED, if RELIST, and is published, or dropped (PUBLISH false).  Under
   the lock of MODULES from beginning to end.  NULL when memory ran out; then
   there is no lock.  */
struct walk_table *walk_draft_begin (struct sfw_modules *modules, bool relist);
void walk_draft_end (struct sfw_modules *modules, struct walk_table *draft,
                     bool publish);

/* Add a module to *DRAFT, which moves.  The section is taken from the table of
   MODULES if that has the same one.  False with errno.  */
bool walk_draft_add (struct sfw_modules *modules, struct walk_table **draft,
                     struct walk_module module,
                     const struct sfw_section *section);

/* What the dynamic linker's counters were at the last update; of
   modules_self.c.  */
struct walk_counters
{
  unsigned long long adds, subs;
};
struct walk_counters *walk_modules_counters (struct sfw_modules *modules);

/* The rows of RULES for those outside.  */
void walk_row_of (const struct unwind_rules *rules, struct sfw_row *row);

#endif /* WALK_TABLE_H */
