/* A table of modules, which walks read while other threads change it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WALK_MODULE_TABLE_H
#define WALK_MODULE_TABLE_H

#include <stdatomic.h>

#include "sframewalk.h"
#include "walk/lookup.h"

/* A counted copy of a section.  A module that is unloaded takes its section
   with it, while a walk may still read the section.  So tables have copies,
   and modules with equal sections share one.  The count changes under the lock
   of the modules.  The section is sorted and has an index: bucket I is the
   number of FDEs that start before the code of bucket I, so that a search
   reads the FDEs of one bucket alone.  */
struct walk_section_copy
{
  struct unwind_section opened;
  uint32_t *buckets; /* n_buckets + 1; NULL where there are few FDEs */
  uint64_t first;    /* the address of bucket 0 */
  uint32_t n_buckets;
  uint8_t shift; /* log2 of the bytes of code of a bucket */
  size_t size;
  uint64_t address; /* in the program */
  unsigned users;   /* modules with this section, in all tables */
  uint8_t bytes[];
};

struct walk_module
{
  uint64_t start, end;
  struct walk_section_copy *section; /* or NULL */
  uint8_t origin;                    /* enum walk_origin */
};

/* Who has added a module: the user, or the listing functions, from the
   dynamic linker or /proc/PID/maps.  */
enum walk_origin
{
  WALK_ADDED,
  WALK_LISTED
};

/* Disjoint modules in ascending order.  A published table never changes.  */
struct walk_table
{
  unsigned long generation;
  struct walk_table *retired; /* the next table that waits to be freed */
  size_t n, capacity;
  struct walk_module modules[];
};

/* A walk's reference to the table that was current when it was taken.  */
struct walk_hold
{
  const struct walk_table *table;
  unsigned side;
};

/* Take a reference to the current table of MODULES.  The table is not freed
   before the reference is released.  Async-signal-safe.  */
struct walk_hold walk_modules_hold (struct sfw_modules *modules);
void walk_modules_release (struct sfw_modules *modules, struct walk_hold hold);

/* Find the RULES at PC.  Results are those of unwind_section_lookup, or
   SFW_NO_SECTION.  RULES->arch is set if a section describes PC.
   Async-signal-safe.  */
enum sfw_end walk_table_lookup (const struct walk_table *table, uint64_t pc,
                                struct unwind_rules *rules);

/* Changing the modules: a copy of the current table is edited and then
   published.  The copy lacks the modules of origin WALK_LISTED if RELIST.
   walk_edit_end publishes the copy, or frees it (PUBLISH false).  The lock of
   MODULES is held from begin to end.  NULL when memory ran out; the lock is
   not held then.  */
struct walk_table *walk_edit_begin (struct sfw_modules *modules, bool relist);
void walk_edit_end (struct sfw_modules *modules, struct walk_table *edited,
                    bool publish);

/* Add a module to *EDITED, which may be reallocated.  A copy of an equal
   section is shared with the preceding module, because a file can be mapped in
   parts, and with the module at the same start in the current table of
   MODULES.  False with errno.  */
bool walk_edit_add (struct sfw_modules *modules, struct walk_table **edited,
                    struct walk_module module,
                    const struct sfw_section *section);

/* The dynamic linker's counters (dlpi_adds, dlpi_subs) at the last update.
   They are 0 if the table lacks a module of the dynamic linker's list, or was
   made from another list since.  They change under the lock of MODULES.  */
struct walk_counters
{
  unsigned long long adds, subs;
  bool covered; /* a range added by the user overlaps a listed module */
};
struct walk_counters *walk_modules_counters (struct sfw_modules *modules);

#endif /* WALK_MODULE_TABLE_H */
