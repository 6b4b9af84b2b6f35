/* Parts of functions that pass for functions, because their CFI is wrong.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/parts.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"
#include "elf/function_symbols.h"

void
parts_free (struct parts *parts)
{
  free (parts->starts);
  *parts = (struct parts){ 0 };
}

/* Whether FUNCTION may be such a part, for all that code and data say.  A
   function that was seen to return by itself is none.  */
static bool
may_be_part (const struct code_function *function,
             const struct image_facts *facts)
{
  uint64_t entry = function->entry;
  bool is_entered
      = function->no_rows || (function->is_passed_over && function->fails);
  return function->is_known && is_entered && !function->is_called
         && !function->is_proven && !facts_is_pointed (facts, entry)
         && facts_next_named (facts, entry - 1) != entry;
}

/* A symbol says that a function starts at ADDRESS.  */
static bool
leave_out (void *argument, uint64_t address, const char *name)
{
  struct parts *parts = argument;
  size_t at = SEARCH_FIRST (parts->n, i, parts->starts[i] >= address);
  (void)name;
  if (at < parts->n && parts->starts[at] == address)
    {
      parts->n--;
      for (; at < parts->n; at++)
        parts->starts[at] = parts->starts[at + 1];
    }
  return true;
}

static int
compare_addresses (const void *a, const void *b)
{
  const uint64_t *left = a, *right = b;
  return (*left > *right) - (*left < *right);
}

bool
parts_find (struct parts *parts, const struct code_request *request,
            const struct functions *functions, const struct image_facts *facts)
{
  for (size_t i = 0; i < functions_count (functions); i++)
    {
      const struct code_function *function
          = functions_get (functions, (uint32_t)i);
      if (!may_be_part (function, facts))
        continue;
      if (!ARRAY_ROOM (parts->starts, parts->n + 1, &parts->capacity))
        return false;
      parts->starts[parts->n++] = function->entry;
    }
  if (parts->n == 0)
    return true;
  qsort (parts->starts, parts->n, sizeof *parts->starts, compare_addresses);
  return function_symbols_walk (request->image, !request->no_symbols,
                                leave_out, parts);
}
