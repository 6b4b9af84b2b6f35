/* A table of modules that walks read while others change it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WALK_MODULE_TABLE_H
#define WALK_MODULE_TABLE_H

#include <stdatomic.h>

#include "sframewalk.h"
#include "walk/lookup.h"

/* A module that is unloaded takes its section with it, and a walk may still
   need it: tables have copies.  Equal sections are one copy, which is counted:
   the lock of the modules is held where the count changes.  The section is
   sorted, and has an index: bucket I has the number of FDEs that start before
   the code of bucket I, so that a search reads only the FDEs of one bucket. */
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

struct walk_module
{
  uint64_t start, end;
  struct walk_section_copy *section; /* or NULL */
  uint8_t origin;                    /* enum walk_origin */
};

/* Where a module was learnt of.  */
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

/* Take hold of the current table of MODULES, which is not freed before the
   hold is given up.  Async-signal-safe.  */
struct walk_hold walk_modules_hold (struct sfw_modules *modules);
void walk_modules_let_go (struct sfw_modules *modules, struct walk_hold hold);

/* The rules at PC: results are those of unwind_section_lookup, or
   SFW_NO_SECTION.  RULES->arch is set if a section describes PC.
   Async-signal-safe.  */
enum sfw_end walk_table_lookup (const struct walk_table *table, uint64_t pc,
                                struct unwind_rules *rules);

/* A change of the table.  The draft begins as a copy of the current table,
   without its modules of origin WALK_LISTED if RELIST.  walk_draft_end
   publishes the draft, or drops it (PUBLISH false).  The lock of MODULES is
   held from begin to end.  NULL when memory ran out; then the lock is not
   held.  */
struct walk_table *walk_draft_begin (struct sfw_modules *modules, bool relist);
void walk_draft_end (struct sfw_modules *modules, struct walk_table *draft,
                     bool publish);

/* Add a module to *DRAFT, which may be reallocated.  An equal section is
   shared with the module in front of it, as that of a file that is mapped in
   parts, and with the module that the table of MODULES has at the same start.
   False with errno.  */
bool walk_draft_add (struct sfw_modules *modules, struct walk_table **draft,
                     struct walk_module module,
                     const struct sfw_section *section);

/* The dynamic linker's counters at the last update; 0 if the table has not all
   of that list, or another one since.  The lock of MODULES is held where they
   change.  */
struct walk_counters
{
  unsigned long long adds, subs;
  bool covered; /* code that was added by hand is where a module is */
};
struct walk_counters *walk_modules_counters (struct sfw_modules *modules);

#endif /* WALK_MODULE_TABLE_H */
