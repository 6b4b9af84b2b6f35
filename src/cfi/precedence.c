/* Which FDEs count, where there is other CFI than .eh_frame.
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
  ALIGN_USUAL = 64, /* bytes; of functions */
  ALIGN_MAX = 4096,
  ALIASES_MAX = 64 /* symbols of one address that are looked at */
};

/* What is known of an object, which has a CIE of its own.  An FDE for address
   0 says that a section of it was dropped.  */
struct object
{
  bool has_dropped;
  uint64_t chain; /* behind the last function known to be dropped */
  uint64_t reach; /* no offset in a section of the object is beyond it */
};

struct named_function
{
  uint64_t address, size;
};

struct code_range
{
  uint64_t start, end;
};

struct search
{
  struct cfi_section *cfi;
  const struct image *image;
  struct code_range *code; /* owned; executable sections, ascending */
  size_t n_code;
  struct object *objects; /* owned; one for each CIE, or NULL: no section was
                             dropped */
  struct named_function *names; /* owned; ascending */
  size_t n_names, names_capacity;
};

static bool
is_of_debug (const struct cfi_section *cfi, const struct cfi_fde *fde)
{
  return cfi->inputs[fde->input].kind == CFI_DEBUG_FRAME;
}

static uint64_t
sum_up (uint64_t a, uint64_t b)
{
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* FDEs ascend by their addresses.  */
static bool
find_objects (struct search *search, struct error *err)
{
  const struct cfi_section *cfi = search->cfi;
  for (size_t i = 0; i < cfi->n_fdes && cfi->fdes[i].address == 0; i++)
    {
      if (!is_of_debug (cfi, &cfi->fdes[i]))
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
      object->reach
          = sum_up (object->reach, sum_up (cfi->fdes[i].size, ALIGN_MAX));
    }
  return true;
}

static bool
read_names (struct search *search, const struct image *image)
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

/* Whether a symbol is that of FDE's function.  */
static bool
is_named (const struct search *search, const struct cfi_fde *fde)
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

/* Whether FDE, the next one by address, may be that of a dropped function.
   Functions of one section follow each other; code without CFI can be between
   them.  */
static bool
may_be_dropped (struct search *search, const struct cfi_fde *fde)
{
  if (search->objects == NULL || !search->objects[fde->cie].has_dropped)
    return fde->address == 0;
  struct object *object = &search->objects[fde->cie];
  bool follows = fde->address < sum_up (object->chain, ALIGN_USUAL);
  if (!follows && (fde->address >= object->reach || is_named (search, fde)))
    return false;
  if (object->chain < sum_up (fde->address, fde->size))
    object->chain = sum_up (fde->address, fde->size);
  return true;
}

static bool
read_code (struct search *search, struct error *err)
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

static bool
is_in_code (const struct search *search, const struct cfi_fde *fde)
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
dropped_functions_forget (struct cfi_section *cfi, const struct image *image,
                          const struct image *debug_file, struct error *err)
{
  struct search search = { .cfi = cfi, .image = image };
  bool found = read_code (&search, err) && find_objects (&search, err);
  if (found && search.objects != NULL
      && (!read_names (&search, image)
          || (debug_file != NULL && !read_names (&search, debug_file))
          || !RADIX_SORT (search.names, search.n_names)))
    found = error_set_no_memory (err);
  if (found)
    {
      size_t kept = 0;
      for (size_t i = 0; i < cfi->n_fdes; i++)
        if (!is_of_debug (cfi, &cfi->fdes[i])
            || (!may_be_dropped (&search, &cfi->fdes[i])
                && is_in_code (&search, &cfi->fdes[i])))
          cfi->fdes[kept++] = cfi->fdes[i];
      cfi->n_fdes = kept;
    }
  free (search.code);
  free (search.objects);
  free (search.names);
  return found;
}

/* ---- Code that several inputs describe */

/* Whether an FDE of an input below LIMIT reaches beyond ADDRESS; ENDS has one
   end for each.  */
static bool
reaches (const uint64_t *ends, unsigned limit, uint64_t address)
{
  for (unsigned i = 0; i < limit; i++)
    if (ends[i] > address)
      return true;
  return false;
}

/* Find the FDEs into which those of earlier inputs reach from in front, and
   those in which one of earlier inputs starts.  OUTRANKED has one for each
   FDE.  */
static void
find_outranked (const struct cfi_section *section,
                bool (*is_of_code) (const void *context,
                                    const struct cfi_fde *fde),
                const void *context, bool *outranked)
{
  uint64_t ends[CFI_INPUTS_MAX] = { 0 };
  uint64_t below[CFI_INPUTS_MAX] = { 0 }; /* ~ the latest start */
  for (size_t i = 0; i < section->n_fdes; i++)
    {
      const struct cfi_fde *fde = &section->fdes[i];
      uint64_t end = fde->address + fde->size;
      if (!is_of_code (context, fde))
        continue;
      outranked[i] = reaches (ends, fde->input, fde->address);
      if (end > ends[fde->input])
        ends[fde->input] = end;
    }
  for (size_t i = section->n_fdes; i-- > 0;)
    {
      const struct cfi_fde *fde = &section->fdes[i];
      if (!is_of_code (context, fde))
        continue;
      outranked[i] |= reaches (below, fde->input, ~(fde->address + fde->size));
      below[fde->input] = ~fde->address;
    }
}

/* ---- Contradictions */

enum
{
  /* An FDE that was set aside is compared with so many FDEs in front of it
     that may reach into it, and with so many that start in it.  More than one
     are an accident.  */
  NEIGHBOURS_MAX = 16,
  /* Programs are executed for comparisons until their bytes are so many times
     those of all inputs.  A large program that stands in for many small ones
     is executed for each of these; in an honest file, each is executed about
     once.  */
  EXECUTED_MAX = 4
};

struct contradictions
{
  struct cfi_section *section;
  struct cfa_machine *machine;         /* owned */
  struct frame_function aside, chosen; /* owned */
  size_t next;     /* the first FDE behind the start of the one set aside */
  uint64_t budget; /* bytes of programs that may still be executed */
  struct error *err;
};

/* Execute FDE.  *SAYS tells whether it has rows.  */
static bool
execute (struct contradictions *comparison, const struct cfi_fde *fde,
         struct frame_function *function, bool *says)
{
  enum frame_reason reason;
  bool done = cfa_machine_run (comparison->machine, fde, function, &reason,
                               comparison->err);
  *says = reason == REASON_NONE;
  return done;
}

/* Compare FDE, which counts, with the one set aside.  */
static bool
compare_with (struct contradictions *comparison, const struct cfi_fde *fde)
{
  bool says;
  if (fde->instructions_size > comparison->budget)
    return true;
  comparison->budget -= fde->instructions_size;
  if (!execute (comparison, fde, &comparison->chosen, &says))
    return false;
  return !says
         || frame_function_dispute (&comparison->aside, &comparison->chosen)
         || error_set_no_memory (comparison->err);
}

static bool
compare (struct contradictions *comparison, const struct cfi_fde *fde)
{
  struct cfi_section *section = comparison->section;
  const struct cfi_fde *fdes = section->fdes;
  size_t *next = &comparison->next;
  bool says;
  while (*next < section->n_fdes && fdes[*next].address <= fde->address)
    ++*next;
  if (!execute (comparison, fde, &comparison->aside, &says))
    return false;
  size_t first = *next > NEIGHBOURS_MAX ? *next - NEIGHBOURS_MAX : 0;
  for (size_t i = first;
       says && i < section->n_fdes && i < *next + NEIGHBOURS_MAX
       && fdes[i].address < fde->address + fde->size;
       i++)
    if (fdes[i].input < fde->input
        && fdes[i].address + fdes[i].size > fde->address
        && !compare_with (comparison, &fdes[i]))
      return false;
  section->n_contradictions
      += says && frame_function_is_disputed (&comparison->aside, UINT64_MAX);
  return true;
}

/* Count how many of the FDEs set ASIDE contradict what counts.  */
static bool
count_contradictions (struct cfi_section *section, const struct cfi_fde *aside,
                      struct error *err)
{
  struct contradictions comparison
      = { .section = section,
          .budget = EXECUTED_MAX * cfi_section_size (section),
          .err = err };
  if (section->n_set_aside == 0)
    return true;
  comparison.machine = cfa_machine_new (section);
  bool done = comparison.machine != NULL || error_set_no_memory (err);
  for (size_t i = 0; done && i < section->n_set_aside; i++)
    done = compare (&comparison, &aside[i]);
  frame_function_free (&comparison.aside);
  frame_function_free (&comparison.chosen);
  cfa_machine_free (comparison.machine);
  return done;
}

bool
precedence_settle (struct cfi_section *section,
                   bool (*is_of_code) (const void *context,
                                       const struct cfi_fde *fde),
                   const void *context, struct error *err)
{
  const size_t n = section->n_fdes;
  if (section->n_inputs < 2)
    return true;
  bool *outranked = calloc (n + 1, sizeof *outranked);
  /* Room for all.  Memory that is not used is never touched.  */
  struct cfi_fde *aside = reallocarray (NULL, n + 1, sizeof *aside);
  bool settled = outranked != NULL && aside != NULL;
  if (settled)
    {
      size_t moved = 0;
      find_outranked (section, is_of_code, context, outranked);
      for (size_t i = 0; i < n; i++)
        if (outranked[i])
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
  free (outranked);
  return settled;
}
