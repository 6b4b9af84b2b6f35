/* The functions that a compiler has inlined at an address, by debug
   information.
   SPDX-License-Identifier: LGPL-2.1-or-later

   DWARF 5, section 3.3.8: what is inlined is a DW_TAG_inlined_subroutine in
   the subroutine that it is inlined into, and refers to its abstract instance.
 */

#ifndef STACKS_INLINES_H
#define STACKS_INLINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdwfl.h>

enum
{
  INLINE_RANGES_MAX = 1 << 22 /* of all modules */
};

struct inline_unit; /* opaque */

struct inline_ranges
{
  struct inline_range *list; /* owned */
  size_t n, capacity;
};

/* What is known of a module's units.  */
struct inlines
{
  size_t *sum;               /* borrowed: ranges of the units of all modules */
  bool listed;               /* the units are */
  struct inline_unit *units; /* owned */
  size_t n, capacity;
  struct inline_ranges by_address; /* of units; ascending */
};

void inlines_free (struct inlines *inlines);

/* Give TAKE, with CONTEXT, the names of the functions that are inlined at
   ADDRESS of MODULE, which is always the same one for INLINES, from the
   outermost function on, each with what tools for folded stacks mark such a
   name by, "_[i]".  There are none where memory for their list runs out.
   WANTED: symbol_index.h.  False when TAKE has returned false.  */
bool inlines_at (struct inlines *inlines, Dwfl_Module *module,
                 uint64_t address, unsigned wanted,
                 bool (*take) (void *context, const char *name),
                 void *context);

#endif /* STACKS_INLINES_H */
