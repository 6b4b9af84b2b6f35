/* FDEs whose first row is wrong about what begins with them.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/beginnings.h"

#include <stdlib.h>

#include "base/search.h"
#include "elf/function_symbols.h"

struct search
{
  struct beginnings *found;
  bool *is_named; /* of the parts that were found */
  const struct known_code *known;
  const struct functions *functions;
};

void
beginnings_free (struct beginnings *beginnings)
{
  address_list_free (&beginnings->parts);
  address_list_free (&beginnings->entries);
}

/* Whether FUNCTION may be a part, for all that code and data say.  A function
   that was seen to return by itself is none.  */
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

/* Whether the FDE that begins at ADDRESS was taken for a part, and has a first
   row that can be held against the ABI.  */
static bool
is_taken_for_part (const struct known_code *known, uint64_t address)
{
  const struct code_range *part = known_code_part (known, address);
  const struct frame_function *function = known_code_at (known, address);
  return part && part->start == address && !function->from_plt
         && !function->signal && function->n_rows > 0
         && function->rows[0].cfa.kind == RULE_REG
         && function->rows[0].ra.kind != RULE_UNDEFINED
         && function->rows[0].ra.kind != RULE_UNSUPPORTED;
}

/* A symbol says that a function starts at ADDRESS.  */
static bool
note_named (void *argument, uint64_t address, const char *name)
{
  struct search *search = argument;
  const struct address_list *parts = &search->found->parts;
  size_t at = SEARCH_FIRST (parts->n, i, parts->list[i] >= address);
  (void)name;
  if (at < parts->n && parts->list[at] == address)
    search->is_named[at] = true;
  return true;
}

/* What symbols say is a function's start is not part.  */
static bool
leave_out_named (struct search *search, const struct code_request *request)
{
  struct address_list *parts = &search->found->parts;
  size_t n = 0;
  search->is_named = calloc (parts->n + 1, sizeof *search->is_named);
  bool ok = search->is_named
            && function_symbols_walk (request->image, !request->no_symbols,
                                      note_named, search);
  for (size_t i = 0; ok && i < parts->n; i++)
    if (!search->is_named[i])
      parts->list[n++] = parts->list[i];
  parts->n = n;
  free (search->is_named);
  return ok;
}

static bool
add_exported (void *argument, uint64_t address, const char *name)
{
  struct search *search = argument;
  (void)name;
  return !is_taken_for_part (search->known, address)
         || address_list_add (&search->found->entries, address);
}

static bool
add_followed (struct search *search, const struct image_facts *facts)
{
  for (size_t i = 0; i < functions_count (search->functions); i++)
    {
      const struct code_function *function
          = functions_get (search->functions, (uint32_t)i);
      uint64_t entry = function->entry;
      if (may_be_part (function, facts)
          && !address_list_add (&search->found->parts, entry))
        return false;
      if (function->is_called && is_taken_for_part (search->known, entry)
          && !address_list_add (&search->found->entries, entry))
        return false;
    }
  return true;
}

bool
beginnings_find (struct beginnings *beginnings,
                 const struct code_request *request,
                 const struct known_code *known,
                 const struct functions *functions,
                 const struct image_facts *facts)
{
  struct search search
      = { .found = beginnings, .known = known, .functions = functions };
  bool ok = add_followed (&search, facts);
  ok = ok && address_list_sort (&beginnings->parts)
       && function_symbols_walk (request->image, false, add_exported, &search)
       && (beginnings->parts.n == 0 || leave_out_named (&search, request));
  return ok && address_list_sort (&beginnings->entries);
}
