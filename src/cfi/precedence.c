/* Which FDEs are used, in a file that has other CFI than .eh_frame.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/precedence.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/radix.h"
#include "base/search.h"
#include "cfi/cfa_program.h"
#include "elf/symbols.h"

/* ---- Functions that the linker dropped */

enum
{
  /* The usual and the highest alignment of functions, in bytes.  */
  ALIGN_USUAL = 64,
  ALIGN_MAX = 4096,
  ALIASES_MAX = 64 /* the most symbols that are read at one address */
};

/* An object file that was linked.  Each has a CIE of its own.  */
struct object
{
  bool has_dropped;     /* an FDE for address 0: a section of it was dropped */
  uint64_t dropped_end; /* end of the last function known to be dropped */
  uint64_t reach;       /* above all offsets in its sections */
};

struct named_function
{
  uint64_t address, size;
};

struct code_range
{
  uint64_t start, end;
};

struct dropped_search
{
  struct cfi_section *cfi;
  const struct image *image;
  struct code_range *code; /* owned; executable sections, ascending */
  size_t n_code;
  struct object *objects; /* owned; by CIE.  NULL: no section was dropped */
  struct named_function *names; /* owned; ascending */
  size_t n_names, names_capacity;
};

static bool
is_in_debug_frame (const struct cfi_section *cfi, const struct cfi_fde *fde)
{
  return cfi->inputs[fde->input].kind == CFI_DEBUG_FRAME;
}

static uint64_t
add_saturated (uint64_t a, uint64_t b)
{
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Find the objects with dropped sections.  FDEs are sorted by address.  */
static bool
find_objects (struct dropped_search *search, struct error *err)
{
  const struct cfi_section *cfi = search->cfi;
  for (size_t i = 0; i < cfi->n_fdes && cfi->fdes[i].address == 0; i++)
    {
      if (!is_in_debug_frame (cfi, &cfi->fdes[i]))
        continue;
      if (search->objects == NULL)
        search->objects = calloc (cfi->n_cies, sizeof *search->objects);
      if (search->objects == NULL)
        return error_set_no_memory (err);
      search->objects[cfi->fdes[i].cie].has_dropped = true;
    }
  for (size_t i = 0; search->objects != NULL && i < cfi->n_fdes; i++)
    {
      struct object *object = &search->objects[cfi->fdes[i].cie];
      object->reach = add_saturated (
          object->reach, add_saturated (cfi->fdes[i].size, ALIGN_MAX));
    }
  return true;
}

static bool
read_names (struct dropped_search *search, const struct image *image)
{
  struct symbol_walk walk = symbol_walk_over (image, false);
  struct symbol symbol;
  while (symbol_walk_next (&walk, &symbol))
    if (symbol.section != 0
        && (ELF64_ST_TYPE (symbol.info) == STT_FUNC
            || ELF64_ST_TYPE (symbol.info) == STT_GNU_IFUNC))
      {
        if (!ARRAY_ROOM (search->names, search->n_names + 1,
                         &search->names_capacity))
          return false;
        search->names[search->n_names++]
            = (struct named_function){ symbol.value, symbol.size };
      }
  return true;
}

/* Whether a symbol has the address and the size of FDE's function.  */
static bool
is_named (const struct dropped_search *search, const struct cfi_fde *fde)
{
  size_t i = SEARCH_FIRST (search->n_names, at,
                           search->names[at].address >= fde->address);
  for (size_t end = i + ALIASES_MAX;
       i < end && i < search->n_names
       && search->names[i].address == fde->address;
       i++)
    if (search->names[i].size == fde->size)
      return true;
  return false;
}

/* Whether FDE, the next one in the order of addresses, may be that of a
   dropped function.  Functions of a dropped section follow each other, but
   there can be code without CFI between them.  */
static bool
may_be_dropped (struct dropped_search *search, const struct cfi_fde *fde)
{
  if (search->objects == NULL || !search->objects[fde->cie].has_dropped)
    return fde->address == 0;
  struct object *object = &search->objects[fde->cie];
  bool follows
      = fde->address < add_saturated (object->dropped_end, ALIGN_USUAL);
  if (!follows && (fde->address >= object->reach || is_named (search, fde)))
    return false;
  if (object->dropped_end < add_saturated (fde->address, fde->size))
    object->dropped_end = add_saturated (fde->address, fde->size);
  return true;
}

static bool
read_code (struct dropped_search *search, struct error *err)
{
  const struct image *image = search->image;
  search->code = calloc (image->n_sections + 1, sizeof *search->code);
  if (search->code == NULL)
    return error_set_no_memory (err);
  FOR_EACH_SECTION (section, image)
    {
      uint64_t start = section->header.sh_addr, end;
      if (image_section_is_code (section)
          && !__builtin_add_overflow (start, section->header.sh_size, &end))
        search->code[search->n_code++] = (struct code_range){ start, end };
    }
  return RADIX_SORT (search->code, search->n_code)
         || error_set_no_memory (err);
}

/* Whether FDE's range is in one executable section.  */
static bool
is_in_code (const struct dropped_search *search, const struct cfi_fde *fde)
{
  if (fde->size == 0
      || !image_is_executable (search->image, fde->address, fde->size))
    return false;
  size_t behind
      = SEARCH_FIRST (search->n_code, i, search->code[i].start > fde->address);
  return search->image->n_sections == 0
         || (behind > 0 && fde->address <= search->code[behind - 1].end
             && fde->size <= search->code[behind - 1].end - fde->address);
}

bool
remove_dropped_functions (struct cfi_section *cfi, const struct image *image,
                          const struct image *debug_file, struct error *err)
{
  struct dropped_search search = { .cfi = cfi, .image = image };
  bool done = read_code (&search, err) && find_objects (&search, err);
  if (done && search.objects != NULL
      && (!read_names (&search, image)
          || (debug_file != NULL && !read_names (&search, debug_file))
          || !RADIX_SORT (search.names, search.n_names)))
    done = error_set_no_memory (err);
  if (done)
    {
      size_t kept = 0;
      for (size_t i = 0; i < cfi->n_fdes; i++)
        if (!is_in_debug_frame (cfi, &cfi->fdes[i])
            || (!may_be_dropped (&search, &cfi->fdes[i])
                && is_in_code (&search, &cfi->fdes[i])))
          cfi->fdes[kept++] = cfi->fdes[i];
      cfi->n_fdes = kept;
    }
  free (search.code);
  free (search.objects);
  free (search.names);
  return done;
}

/* ---- Code that several inputs describe */

/* Whether one of the first LIMIT inputs has an FDE that ends behind ADDRESS.
   ENDS has the highest end of each input's FDEs.  */
static bool
reaches (const uint64_t *ends, unsigned limit, uint64_t address)
{
  for (unsigned i = 0; i < limit; i++)
    if (ends[i] > address)
      return true;
  return false;
}

/* Set SUPERSEDED, which has an element for each FDE, for the FDEs that overlap
   one of an earlier input.  The first loop finds overlaps with FDEs that start
   in front, the second one those with FDEs that start behind.  */
static void
find_superseded (const struct cfi_section *section,
                 bool (*is_of_code) (const void *context,
                                     const struct cfi_fde *fde),
                 const void *context, bool *superseded)
{
  uint64_t ends[CFI_INPUTS_MAX] = { 0 };
  uint64_t below[CFI_INPUTS_MAX] = { 0 }; /* the lowest start, complemented */
  for (size_t i = 0; i < section->n_fdes; i++)
    {
      const struct cfi_fde *fde = &section->fdes[i];
      uint64_t end = fde->address + fde->size;
      if (!is_of_code (context, fde))
        continue;
      superseded[i] = reaches (ends, fde->input, fde->address);
      if (end > ends[fde->input])
        ends[fde->input] = end;
    }
  for (size_t i = section->n_fdes; i-- > 0;)
    {
      const struct cfi_fde *fde = &section->fdes[i];
      if (!is_of_code (context, fde))
        continue;
      superseded[i]
          |= reaches (below, fde->input, ~(fde->address + fde->size));
      below[fde->input] = ~fde->address;
    }
}

/* ---- Contradictions */

enum
{
  /* A removed FDE is compared with at most this many FDEs that start in front
     of it, and this many that start in it.  Real files have one.  */
  NEIGHBOURS_MAX = 16,
  /* A limit for the bytes of programs that are executed for comparisons, as a
     multiple of the size of all inputs.  In real files each program is
     executed about once.  In a hostile file a large program may overlap many
     small ones, and would be executed for each of them.  */
  EXECUTED_MAX = 4
};

struct contradictions
{
  struct cfi_section *section;
  struct cfa_machine *machine;         /* owned */
  struct frame_function aside, chosen; /* owned */
  size_t next; /* the first FDE that starts behind the removed one's start */
  uint64_t budget; /* bytes of programs that may still be executed */
  struct error *err;
};

static bool
execute (struct contradictions *contradictions, const struct cfi_fde *fde,
         struct frame_function *function, bool *has_rows)
{
  enum frame_reason reason;
  bool done = cfa_machine_run (contradictions->machine, fde, function, &reason,
                               contradictions->err);
  *has_rows = reason == REASON_NONE;
  return done;
}

/* Mark the removed FDE's rows that FDE, one that remains, contradicts.  */
static bool
compare_with (struct contradictions *contradictions, const struct cfi_fde *fde)
{
  bool has_rows;
  if (fde->instructions_size > contradictions->budget)
    return true;
  contradictions->budget -= fde->instructions_size;
  if (!execute (contradictions, fde, &contradictions->chosen, &has_rows))
    return false;
  return !has_rows
         || frame_function_dispute (&contradictions->aside,
                                    &contradictions->chosen)
         || error_set_no_memory (contradictions->err);
}

/* Compare FDE, a removed one, with all FDEs that overlap it.  */
static bool
compare (struct contradictions *contradictions, const struct cfi_fde *fde)
{
  struct cfi_section *section = contradictions->section;
  const struct cfi_fde *fdes = section->fdes;
  size_t *next = &contradictions->next;
  bool has_rows;
  while (*next < section->n_fdes && fdes[*next].address <= fde->address)
    ++*next;
  if (!execute (contradictions, fde, &contradictions->aside, &has_rows))
    return false;
  size_t first = *next > NEIGHBOURS_MAX ? *next - NEIGHBOURS_MAX : 0;
  for (size_t i = first;
       has_rows && i < section->n_fdes && i < *next + NEIGHBOURS_MAX
       && fdes[i].address < fde->address + fde->size;
       i++)
    if (fdes[i].input < fde->input
        && fdes[i].address + fdes[i].size > fde->address
        && !compare_with (contradictions, &fdes[i]))
      return false;
  section->n_contradictions
      += has_rows
         && frame_function_is_disputed (&contradictions->aside, UINT64_MAX);
  return true;
}

/* Count the removed FDEs, ASIDE, that contradict those that remain.  */
static bool
count_contradictions (struct cfi_section *section, const struct cfi_fde *aside,
                      struct error *err)
{
  struct contradictions contradictions
      = { .section = section,
          .budget = EXECUTED_MAX * cfi_section_size (section),
          .err = err };
  if (section->n_set_aside == 0)
    return true;
  contradictions.machine = cfa_machine_new (section);
  bool done = contradictions.machine != NULL || error_set_no_memory (err);
  for (size_t i = 0; done && i < section->n_set_aside; i++)
    done = compare (&contradictions, &aside[i]);
  frame_function_free (&contradictions.aside);
  frame_function_free (&contradictions.chosen);
  cfa_machine_free (contradictions.machine);
  return done;
}

bool
remove_superseded_fdes (struct cfi_section *section,
                        bool (*is_of_code) (const void *context,
                                            const struct cfi_fde *fde),
                        const void *context, struct error *err)
{
  const size_t n = section->n_fdes;
  if (section->n_inputs < 2)
    return true;
  bool *superseded = calloc (n + 1, sizeof *superseded);
  /* Room for all FDEs; unused pages cost nothing.  */
  struct cfi_fde *aside = reallocarray (NULL, n + 1, sizeof *aside);
  bool settled = superseded != NULL && aside != NULL;
  if (settled)
    {
      size_t moved = 0;
      find_superseded (section, is_of_code, context, superseded);
      for (size_t i = 0; i < n; i++)
        if (superseded[i])
          aside[moved++] = section->fdes[i];
        else
          section->fdes[i - moved] = section->fdes[i];
      section->n_fdes -= moved;
      section->n_set_aside = moved;
      settled = count_contradictions (section, aside, err);
    }
  else
    error_set_no_memory (err);
  free (aside);
  free (superseded);
  return settled;
}
