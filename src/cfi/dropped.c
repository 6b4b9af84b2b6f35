/* FDEs of .debug_frame for functions that the linker dropped.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/dropped.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/radix.h"
#include "base/search.h"
#include "elf/symbols.h"

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

static void
forget (struct search *search)
{
  struct cfi_section *cfi = search->cfi;
  size_t kept = 0;
  for (size_t i = 0; i < cfi->n_fdes; i++)
    if (!is_of_debug (cfi, &cfi->fdes[i])
        || (!may_be_dropped (search, &cfi->fdes[i])
            && is_in_code (search, &cfi->fdes[i])))
      cfi->fdes[kept++] = cfi->fdes[i];
  cfi->n_fdes = kept;
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
    forget (&search);
  free (search.code);
  free (search.objects);
  free (search.names);
  return found;
}
