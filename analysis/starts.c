/* Collecting function starts.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The most certain sources come first: the program's entry, CFI, Go's table,
   initialisers, symbols.  Relocated words and addresses that code computes are
   added where no function has reached.  Numbers that look like addresses of
   code come last, and only in images without relocations.  */

#include "analysis/starts.h"

#include "base/bytes.h"
#include "elf/dynamic.h"
#include "elf/symbols.h"
#include "elf/sframe_place.h"

void
starts_free (struct starts *starts)
{
  address_list_free (&starts->again);
  address_list_free (&starts->hints);
}

bool
starts_pending (const struct starts *starts)
{
  return starts->n_tried < starts->shared->functions->n || starts->again.n > 0;
}

static bool
add_start (struct analysis_shared *shared, uint64_t address)
{
  uint64_t size;
  return !facts_code (&shared->facts, address, &size)
         || functions_add (shared->functions, address, true) != FUNCTION_NONE;
}

static bool
add_beyond_cfi (struct analysis_shared *shared, uint64_t address)
{
  return covered_code_at (shared->context.covered_code, address)
         || add_start (shared, address);
}

static bool
add_symbol (void *argument, uint64_t address, const char *name)
{
  (void)name;
  return add_beyond_cfi (argument, address);
}

static bool
add_initialiser (struct analysis_shared *shared, uint64_t address)
{
  if (!add_beyond_cfi (shared, address))
    return false;
  struct code_function *function = functions_at (shared->functions, address);
  if (function)
    function->is_called = true;
  return true;
}

/* Add the functions that the array of SIZE bytes at ADDRESS points to.  */
static bool
add_array (struct analysis_shared *shared, uint64_t address, uint64_t size)
{
  uint64_t function, n = size / sizeof (Elf64_Addr);
  for (uint64_t i = 0;
       i < n
       && facts_word (&shared->facts, address + i * sizeof (Elf64_Addr),
                      sizeof (Elf64_Addr), false, &function);
       i++)
    if (!add_initialiser (shared, function))
      return false;
  return true;
}

/* Add the functions that are called when the image is loaded and unloaded:
   DT_INIT, DT_INIT_ARRAY and similar ones (System V ABI, "Initialization and
   Termination Functions").  Static programs have no dynamic section, but
   sections of these types.  */
static bool
add_initialisers (struct analysis_shared *shared)
{
  static const int64_t functions[] = { DT_INIT, DT_FINI };
  static const int64_t arrays[][2] = {
    { DT_PREINIT_ARRAY, DT_PREINIT_ARRAYSZ },
    { DT_INIT_ARRAY, DT_INIT_ARRAYSZ },
    { DT_FINI_ARRAY, DT_FINI_ARRAYSZ },
  };
  const struct image *image = shared->facts.image;
  uint64_t address, size;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (dynamic_find (image, functions[i], &address)
        && !add_initialiser (shared, address))
      return false;
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (dynamic_find (image, arrays[i][0], &address)
        && dynamic_find (image, arrays[i][1], &size)
        && !add_array (shared, address, size))
      return false;
  for (size_t i = 1; i < image->n_sections; i++)
    {
      const GElf_Shdr *header = &image->sections[i].header;
      if (header->sh_type >= SHT_INIT_ARRAY
          && header->sh_type <= SHT_PREINIT_ARRAY
          && !add_array (shared, header->sh_addr, header->sh_size))
        return false;
    }
  return true;
}

/* Add the target of a pointer, if no function has reached it.  Go's table has
   all starts in the code that it covers, so that another address there is
   never a start: it is a number, or a label.  */
static bool
add_pointer (struct analysis_shared *shared, uint64_t address)
{
  if (covered_code_at (shared->context.covered_code, address)
      || go_table_covers (&shared->go, address)
      || row_map_find (shared->row_map, address)
      || functions_at (shared->functions, address))
    return true;
  if (!add_start (shared, address))
    return false;
  struct code_function *function = functions_at (shared->functions, address);
  if (function)
    function->is_pointer = true;
  return true;
}

/* Add ADDRESS, a number that can be an address of code.  It may point into an
   instruction, or behind some of the pushes of its function.  */
static bool
add_guess (struct analysis_shared *shared, uint64_t address)
{
  size_t before = shared->functions->n;
  if (!add_pointer (shared, address))
    return false;
  if (shared->functions->n > before)
    shared->functions->list[before].is_guess = true;
  return true;
}

/* Add addresses among the words of SEGMENT, except those of .sframe.  A
   conversion adds .sframe and leaves the code as it was, so the analysis must
   give the same result as before.  */
static bool
add_words (struct analysis_shared *shared, const GElf_Phdr *segment)
{
  const struct image *image = shared->facts.image;
  const GElf_Phdr *sframe = sframe_place_find (image).segment;
  const uint8_t *bytes = image->bytes + segment->p_offset;
  uint64_t size;
  for (uint64_t i = (0 - segment->p_vaddr) % 8; i + 8 <= segment->p_filesz;
       i += 8)
    {
      uint64_t word = load_u64 (bytes + i, image->big_endian);
      if (sframe && segment->p_vaddr + i - sframe->p_vaddr < sframe->p_memsz)
        continue;
      if (facts_code (&shared->facts, word, &size)
          && !add_guess (shared, word))
        return false;
    }
  return true;
}

/* Code with rows from another source is tried like targets of pointers.  */
bool
starts_add_described (struct starts *starts, bool adjoining)
{
  struct analysis_shared *shared = starts->shared;
  const struct frame_function *list = shared->context.request->described;
  for (size_t i = 0; i < shared->context.request->n_described; i++)
    {
      uint64_t address = list[i].address;
      bool adjoins
          = i > 0 && list[i - 1].address + list[i - 1].size == address;
      if (adjoins != adjoining)
        continue;
      if (!add_pointer (shared, address))
        return false;
      uint32_t index = functions_find (shared->functions, address);
      if (index < starts->n_tried && !shared->functions->list[index].is_start
          && !row_map_find (shared->row_map, address)
          && !address_list_add (&starts->again, address))
        return false;
    }
  return true;
}

static bool
add_covered (struct analysis_shared *shared)
{
  const struct covered_code *covered = shared->context.covered_code;
  size_t part = 0;
  for (size_t i = 0; i < covered->n; i++)
    {
      uint64_t address = covered->functions[i].address;
      address_set_add (&shared->functions->marks, address);
      if (part < covered->n_parts && covered->parts[part].start == address)
        part++;
      else if (!add_start (shared, address))
        return false;
      else if (functions_at (shared->functions, address))
        functions_at (shared->functions, address)->has_fde = true;
    }
  return true;
}

/* Mark exported functions: other images call them.  If CFI is compared, this
   proves the frame of an entry that no code of the image calls, unless the
   first row contradicts it.  */
static bool
mark_exported (void *argument, uint64_t address, const char *name)
{
  struct analysis_shared *shared = argument;
  struct code_function *function = functions_at (shared->functions, address);
  (void)name;
  if (function && function->has_fde
      && !address_list_has (&shared->context.request->entries, address))
    function->is_exported = true;
  return true;
}

bool
starts_add_certain (struct starts *starts)
{
  struct analysis_shared *shared = starts->shared;
  const struct code_request *request = shared->context.request;
  const struct go_table *go = &shared->go;
  uint64_t entry = shared->context.program_entry;
  if ((entry
       && functions_add (shared->functions, entry, true) == FUNCTION_NONE)
      || !add_covered (shared)
      || (request->only_compares
          && !function_symbols_walk (request->image, false, mark_exported,
                                     shared)))
    return false;
  if (!request->beyond_cfi)
    return true;
  for (size_t i = 0; i < go->n; i++)
    if (go->steps[i].is_start
        && !add_beyond_cfi (shared, go->steps[i].address))
      return false;
  return add_initialisers (shared)
         && function_symbols_walk (request->image, !request->no_symbols,
                                   add_symbol, shared);
}

bool
starts_add_pointers (struct starts *starts)
{
  struct analysis_shared *shared = starts->shared;
  const struct image_facts *facts = &shared->facts;
  const struct image *image = facts->image;
  size_t before = shared->functions->n;
  if (!facts_sort_references (&shared->facts))
    return false;
  /* Relocated words and computed addresses, of which not all are of code.  */
  for (size_t i = 0; i < facts->n_relocated; i++)
    if (facts->relocated[i].value != 0
        && !add_pointer (shared, facts->relocated[i].value))
      return false;
  for (size_t i = 0; i < facts->n_references_sorted; i++)
    if (!add_pointer (shared, facts->referenced.list[i]))
      return false;
  if (!shared->context.has_hints || shared->functions->n > before)
    return true;
  /* Numbers in code and words of data that can be addresses of code.  Without
     relocations, nothing distinguishes addresses from other numbers.  */
  for (size_t i = 0; i < starts->hints.n; i++)
    if (!add_guess (shared, starts->hints.list[i]))
      return false;
  starts->hints.n = 0;
  for (size_t i = 0; i < image->n_segments; i++)
    if (image->segments[i].p_type == PT_LOAD
        && !(image->segments[i].p_flags & PF_X)
        && !add_words (shared, &image->segments[i]))
      return false;
  return true;
}

/* Whether a call of ADDRESS makes ADDRESS a start.  Inside of an FDE it does
   not: assembler code has subroutines there that do not keep to the ABI.  */
static bool
may_be_called (const struct analysis_shared *shared, uint64_t address)
{
  return shared->context.request->beyond_cfi
         && !covered_code_at (shared->context.covered_code, address);
}

void
starts_promote_called (struct starts *starts)
{
  struct analysis_shared *shared = starts->shared;
  for (size_t i = starts->n_tried; i < shared->functions->n; i++)
    {
      struct code_function *function = &shared->functions->list[i];
      if (function->is_called && may_be_called (shared, function->entry))
        function->is_start = true;
    }
}

bool
starts_mark_called (struct starts *starts, uint64_t address)
{
  struct analysis_shared *shared = starts->shared;
  uint32_t index = functions_find (shared->functions, address);
  if (index == FUNCTION_NONE)
    return true;
  struct code_function *function = &shared->functions->list[index];
  bool was_called = function->is_called, was_start = function->is_start;
  function->is_called = true;
  function->is_start |= may_be_called (shared, address);
  if (function->is_start && !function->has_fde && (!was_called || !was_start))
    shared->functions->n_changes++;
  if (was_start)
    return true;
  return (was_called && !function->is_start) || index >= starts->n_tried
         || address_list_add (&starts->again, address);
}

bool
starts_add_called (struct starts *starts, uint64_t address)
{
  return add_beyond_cfi (starts->shared, address)
         && starts_mark_called (starts, address);
}

/* Whether ENTRY was set on purpose as the entry of a shared object, like that
   of a dynamic linker.  Old linkers set it to the beginning of the code
   otherwise.  */
static bool
is_chosen_entry (const struct image *image, uint64_t entry)
{
  for (size_t i = 1; i < image->n_sections; i++)
    if (image->sections[i].header.sh_addr == entry)
      return false;
  return image->n_sections > 1;
}

/* Position-independent static programs are shared objects by their type.  */
uint64_t
starts_program_entry (const struct image *image)
{
  uint64_t flags = 0;
  bool is_program
      = image->header.e_type == ET_EXEC
        || image_find_segment (image, PT_INTERP) != NULL
        || (dynamic_find (image, DT_FLAGS_1, &flags) && (flags & DF_1_PIE))
        || is_chosen_entry (image, image->header.e_entry);
  return is_program ? image->header.e_entry : 0;
}
