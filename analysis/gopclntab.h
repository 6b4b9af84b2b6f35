/* The depth of the stack in functions compiled by Go, from Go's own table.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Go's linker puts a table into every program (.gopclntab), by which Go's
   runtime unwinds.  For each instruction of each function it has the distance
   from the stack pointer to the return address (pcsp).  The table is described
   in golang.org/s/go12symtab and in Go's sources: src/debug/gosym/pclntab.go,
   src/runtime/symtab.go and src/runtime/runtime2.go (type _func).  Go 1.16,
   1.18 and 1.20 have changed its form, each with a new magic number.  */

#ifndef ANALYSIS_GOPCLNTAB_H
#define ANALYSIS_GOPCLNTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/image_facts.h"

/* From `address' to that of the next step, the return address is `depth' bytes
   above the stack pointer.  */
struct go_step
{
  uint64_t address;
  int32_t depth; /* or GO_DEPTH_UNKNOWN, also for code that is not Go's */
  bool is_start; /* of a function */
};

static const int32_t GO_DEPTH_UNKNOWN = INT32_MIN;

struct go_table
{
  struct go_step *steps; /* owned; ascending */
  size_t n, capacity;
};

/* Read the table of the image of FACTS.  TABLE is empty if the image has none,
   or a damaged one.  False if memory ran out.  */
bool go_table_read (struct go_table *table, const struct image_facts *facts);
void go_table_free (struct go_table *table);

/* Return the depth at ADDRESS, or GO_DEPTH_UNKNOWN.  Functions that have no
   caller, or that change stacks, have no depth either.  */
int32_t go_table_depth (const struct go_table *table, uint64_t address);

/* Whether ADDRESS is between the start of the table's first function and the
   end of its last one.  All code there belongs to functions of the table.  */
bool go_table_covers (const struct go_table *table, uint64_t address);

/* Whether a function of Go starts at ADDRESS.  */
bool go_table_is_start (const struct go_table *table, uint64_t address);

#endif /* ANALYSIS_GOPCLNTAB_H */
