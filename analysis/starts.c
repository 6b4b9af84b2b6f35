/* Functions that are to be followed: where they start, and who says so.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/starts.h"

#include <stdlib.h>

#include "base/array.h"
#include "analysis/seeds.h"
#include "elf/function_symbols.h"

bool
index_list_add (struct index_list *list, uint32_t index)
{
  if (!ARRAY_ROOM (list->list, list->n + 1, &list->capacity))
    return false;
  list->list[list->n++] = index;
  return true;
}

void
starts_free (struct starts *starts)
{
  free (starts->again.list);
  address_list_free (&starts->hints);
}

bool
starts_pending (const struct starts *starts)
{
  return starts->n_tried < functions_count (starts->functions)
         || starts->again.n > 0;
}

static bool
add_start (struct starts *starts, uint64_t address)
{
  uint64_t size;
  return !facts_code (starts->facts, address, &size)
         || functions_add (starts->functions, address, true) != FUNCTION_NONE;
}

static bool
add_beyond_cfi (void *argument, uint64_t address)
{
  struct starts *starts = argument;
  return known_code_at (starts->known, address) || add_start (starts, address);
}

static bool
add_symbol (void *argument, uint64_t address, const char *name)
{
  (void)name;
  return add_beyond_cfi (argument, address);
}

static bool
add_initialiser (void *argument, uint64_t address)
{
  struct starts *starts = argument;
  if (!add_beyond_cfi (starts, address))
    return false;
  struct code_function *function = functions_at (starts->functions, address);
  if (function)
    function->is_called = true;
  return true;
}

/* An address that is mentioned is tried only where no function got to.  Go's
   table names all starts in the code that it covers, so that an address there
   is another start never: a number, or a label.  */
static bool
add_pointer (void *argument, uint64_t address)
{
  struct starts *starts = argument;
  if (known_code_at (starts->known, address)
      || go_table_covers (starts->go, address)
      || row_map_find (starts->row_map, address)
      || functions_at (starts->functions, address))
    return true;
  if (!add_start (starts, address))
    return false;
  struct code_function *function = functions_at (starts->functions, address);
  if (function)
    function->is_pointer = true;
  return true;
}

/* The same for a number that can be an address of code: it may lead into an
   instruction, behind a part of what its function pushes.  */
static bool
add_guess (void *argument, uint64_t address)
{
  struct starts *starts = argument;
  size_t before = functions_count (starts->functions);
  if (!add_pointer (starts, address))
    return false;
  if (functions_count (starts->functions) > before)
    functions_get (starts->functions, (uint32_t)before)->is_guess = true;
  return true;
}

/* What has rows is tried like the target of a pointer.  */
static bool
add_described (struct starts *starts, uint64_t address)
{
  if (!add_pointer (starts, address))
    return false;
  uint32_t index = functions_find (starts->functions, address);
  if (index == FUNCTION_NONE || row_map_find (starts->row_map, address))
    return true;
  const struct code_function *function
      = functions_get (starts->functions, index);
  return index >= starts->n_tried || function->is_start
         || index_list_add (&starts->again, index);
}

bool
starts_add_described (struct starts *starts, bool adjoining)
{
  const struct frame_function *list = starts->request->described;
  for (size_t i = 0; i < starts->request->n_described; i++)
    if ((i > 0 && list[i - 1].address + list[i - 1].size == list[i].address)
            == adjoining
        && !add_described (starts, list[i].address))
      return false;
  return true;
}

static bool
add_known (struct starts *starts)
{
  const struct known_code *known = starts->known;
  size_t part = 0;
  for (size_t i = 0; i < known->n; i++)
    {
      uint64_t address = known->functions[i].address;
      functions_mark (starts->functions, address);
      if (part < known->n_parts && known->parts[part].start == address)
        part++;
      else if (!add_start (starts, address))
        return false;
      else if (functions_at (starts->functions, address))
        functions_at (starts->functions, address)->is_known = true;
    }
  return true;
}

static bool
add_go_starts (struct starts *starts)
{
  const struct go_table *go = starts->go;
  for (size_t i = 0; i < go->n; i++)
    if (go->steps[i].is_start
        && !add_beyond_cfi (starts, go->steps[i].address))
      return false;
  return true;
}

/* Who exports a function lets others call it.  Where CFI is compared, this
   shows what an entry begins with that no call of the image does, but not if
   the first row says otherwise.  */
static bool
note_exported (void *argument, uint64_t address, const char *name)
{
  struct starts *starts = argument;
  struct code_function *function = functions_at (starts->functions, address);
  (void)name;
  if (function && function->is_known
      && !address_list_has (&starts->request->entries, address))
    function->is_exported = true;
  return true;
}

bool
starts_add_certain (struct starts *starts)
{
  const struct image *image = starts->request->image;
  uint64_t entry = starts->program_entry;
  if (entry && functions_add (starts->functions, entry, true) == FUNCTION_NONE)
    return false;
  return add_known (starts)
         && (!starts->request->only_compares
             || function_symbols_walk (image, false, note_exported, starts))
         && (!starts->request->beyond_cfi
             || (add_go_starts (starts)
                 && seeds_from_initialisers (starts->facts, add_initialiser,
                                             starts)
                 && function_symbols_walk (image, !starts->request->no_symbols,
                                           add_symbol, starts)));
}

bool
starts_add_pointers (struct starts *starts)
{
  size_t before = functions_count (starts->functions);
  bool ok = facts_sort_named (starts->facts)
            && seeds_from_pointers (starts->facts, add_pointer, starts);
  if (!ok || !starts->has_hints
      || functions_count (starts->functions) > before)
    return ok;
  for (size_t i = 0; i < starts->hints.n; i++)
    if (!add_guess (starts, starts->hints.list[i]))
      return false;
  starts->hints.n = 0;
  return seeds_from_words (starts->facts, add_guess, starts);
}

/* Whether ADDRESS starts a function if code calls it: not inside of another's
   CFI, where assembler code has subroutines that do not keep to the ABI.  */
static bool
may_be_called (const struct starts *starts, uint64_t address)
{
  return starts->request->beyond_cfi
         && !known_code_at (starts->known, address);
}

void
starts_promote_called (struct starts *starts)
{
  for (size_t i = starts->n_tried; i < functions_count (starts->functions);
       i++)
    {
      struct code_function *function
          = functions_get (starts->functions, (uint32_t)i);
      if (function->is_called && may_be_called (starts, function->entry))
        function->is_start = true;
    }
}

bool
starts_note_call (struct starts *starts, uint64_t address)
{
  uint32_t index = functions_find (starts->functions, address);
  if (index == FUNCTION_NONE)
    return true;
  struct code_function *function = functions_get (starts->functions, index);
  bool was_called = function->is_called, was_start = function->is_start;
  function->is_called = true;
  function->is_start |= may_be_called (starts, address);
  starts->n_changes += function->is_start && !function->is_known
                       && (!was_called || !was_start);
  if (was_start)
    return true;
  return (was_called && !function->is_start) || index >= starts->n_tried
         || index_list_add (&starts->again, index);
}

bool
starts_add_called (struct starts *starts, uint64_t address)
{
  return add_beyond_cfi (starts, address)
         && starts_note_call (starts, address);
}
