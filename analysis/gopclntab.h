/* The depth of the stack in functions compiled by Go, as its runtime knows it.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Go's linker puts a table into every program (.gopclntab) by which the
   runtime unwinds: for each function, and for each of its instructions, how
   far the stack pointer is below the return address (pcsp).  Described in
   golang.org/s/go12symtab and in Go's sources: src/debug/gosym/pclntab.go,
   src/runtime/symtab.go and src/runtime/runtime2.go (type _func).  Its form
   has changed with Go 1.16, 1.18 and 1.20, and the magic number with it.  */

#ifndef ANALYSIS_GOPCLNTAB_H
#define ANALYSIS_GOPCLNTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/image_facts.h"

/* From `address` to the next step's, the return address is `depth` bytes above
   the stack pointer.  */
struct go_step
{
  uint64_t address;
  int32_t depth; /* GO_DEPTH_UNKNOWN: not said, or no code of Go */
  bool is_start; /* of a function */
};

static const int32_t GO_DEPTH_UNKNOWN = INT32_MIN;

struct go_table
{
  struct go_step *steps; /* owned; ascending */
  size_t n, capacity;
};

/* Read the table of the image of FACTS.  TABLE is empty when there is none,
   or when it is damaged.  False when memory ran out.  */
bool go_table_read (struct go_table *table, const struct image_facts *facts);
void go_table_free (struct go_table *table);

/* The depth at ADDRESS, or GO_DEPTH_UNKNOWN: also in functions that have no
   caller, or that change stacks.  */
int32_t go_table_depth (const struct go_table *table, uint64_t address);

/* Whether the table says what ADDRESS is: from the first function's start to
   the last one's end there is nothing but functions of the table.  */
bool go_table_covers (const struct go_table *table, uint64_t address);

/* Whether a function of Go starts at ADDRESS.  */
bool go_table_is_start (const struct go_table *table, uint64_t address);

#endif /* ANALYSIS_GOPCLNTAB_H */
