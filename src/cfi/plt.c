/* PLT stubs that no FDE covers, recognised by their instructions.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/plt.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/radix.h"
#include "base/search.h"
#include "elf/dynamic.h"

/* A sequence of equal stubs.  */
struct stub_run
{
  const struct plt_stub *stub;
  uint64_t address;
  uint64_t size;
};

/* Whether an FDE covers a byte of [ADDRESS, ADDRESS + SIZE).  */
static bool
is_covered (const struct cfi_section *section, uint64_t address, uint64_t size)
{
  size_t behind = SEARCH_FIRST (section->n_fdes, i,
                                section->fdes[i].address >= address + size);
  if (behind == 0)
    return false;
  const struct cfi_fde *fde = &section->fdes[behind - 1];
  return fde->address >= address || address - fde->address < fde->size;
}

/* A stub's row from START on: that of a function's entry, with CFA_OFFSET.  */
static struct frame_row
stub_row (const struct arch *arch, uint32_t start, int16_t cfa_offset)
{
  struct frame_row row
      = { .start = start,
          .cfa = { .kind = RULE_REG, .reg = arch->sp, .offset = cfa_offset },
          .ra = { .kind = RULE_SAME },
          .fp = { .kind = RULE_SAME } };
  if (!arch_tracks_ra (arch))
    row.ra = (struct frame_rule){ .kind = RULE_DEREF_CFA,
                                  .offset = arch->fixed_ra_offset };
  return row;
}

/* The most functions that are made of stubs.  Real files have few, because a
   run of stubs is long.  All other stubs get no rows.  */
enum
{
  FUNCTIONS_MAX = 1 << 16
};

static bool
append_function (struct frame_functions *list, const struct arch *arch,
                 const struct stub_run *run, uint8_t repeat, struct error *err)
{
  if (list->n_functions == FUNCTIONS_MAX)
    return true;
  if (!ARRAY_ROOM (list->functions, list->n_functions + 1, &list->capacity))
    return error_set_no_memory (err);
  struct frame_function *function = &list->functions[list->n_functions++];
  *function = (struct frame_function){ .address = run->address,
                                       .size = (uint32_t)run->size,
                                       .from_plt = true,
                                       .repeat = repeat };
  /* Arrays of exactly this size: there may be many functions.  */
  function->rows = calloc (run->stub->n_rows, sizeof function->rows[0]);
  if (function->rows == NULL)
    return error_set_no_memory (err);
  function->rows_capacity = run->stub->n_rows;
  for (unsigned i = 0; i < run->stub->n_rows; i++)
    {
      struct frame_row row = stub_row (arch, run->stub->rows[i].start,
                                       run->stub->rows[i].cfa_offset);
      if (!frame_function_append (function, &row))
        return error_set_no_memory (err);
    }
  return true;
}

/* Append RUN as one function, if a stub has one row, or if the stubs are
   aligned to their size: then it makes no difference whether a reader counts
   the PC from the function's start or from 0, as libsframe does.  Otherwise
   append a function for each stub.  */
static bool
append_run (struct frame_functions *list, const struct arch *arch,
            const struct stub_run *run, struct error *err)
{
  if (run->size == 0)
    return true;
  uint8_t size = run->stub->size;
  if (run->stub->n_rows == 1 || run->size == size)
    return append_function (list, arch, run, 0, err);
  if (run->address % size == 0)
    return append_function (list, arch, run, size, err);
  for (uint64_t done = 0; done < run->size; done += size)
    {
      struct stub_run one = { run->stub, run->address + done, size };
      if (!append_function (list, arch, &one, 0, err))
        return false;
    }
  return true;
}

static bool
find_in_section (struct frame_functions *list, const struct image *image,
                 const struct image_section *where,
                 const struct cfi_section *section, struct error *err)
{
  const struct arch *arch = image->arch;
  const uint8_t *bytes = image_section_bytes (image, where);
  uint64_t address = where->header.sh_addr, size = where->header.sh_size;
  struct stub_run run = { 0 };
  if (bytes == NULL || size > UINT32_MAX
      || !image_is_executable (image, address, size))
    return true;
  for (uint64_t offset = 0; offset < size;)
    {
      const struct plt_stub *stub = NULL;
      if (offset == 0)
        stub = plt_stub_find (arch->plt_headers, bytes, size);
      if (stub == NULL)
        stub = plt_stub_find (arch->plt_stubs, bytes + offset, size - offset);
      if (stub == NULL)
        break;
      bool covered = is_covered (section, address + offset, stub->size);
      if (covered || stub != run.stub)
        {
          if (!append_run (list, arch, &run, err))
            return false;
          run = (struct stub_run){ stub, address + offset, 0 };
        }
      if (covered)
        run.stub = NULL;
      else
        run.size += stub->size;
      offset += stub->size;
    }
  return append_run (list, arch, &run, err);
}

bool
plt_stubs_find (struct frame_functions *list, const struct image *image,
                const struct cfi_section *section, struct error *err)
{
  struct plt_sections plt;
  bool found = true;
  *list = (struct frame_functions){ 0 };
  plt_sections_find (&plt, image);
  for (size_t i = 0; found && i < plt.n; i++)
    if (plt.list[i]->header.sh_flags & SHF_EXECINSTR)
      found = find_in_section (list, image, plt.list[i], section, err);
  if (found && !RADIX_SORT (list->functions, list->n_functions))
    found = error_set_no_memory (err);
  if (!found)
    {
      frame_functions_free (list);
      return false;
    }
  /* In a damaged file sections may overlap.  The first function is kept.  */
  size_t kept = 0;
  uint64_t end = 0;
  for (size_t i = 0; i < list->n_functions; i++)
    {
      struct frame_function *function = &list->functions[i];
      if (kept > 0 && function->address < end)
        {
          frame_function_free (function);
          continue;
        }
      end = function->address + function->size;
      list->functions[kept++] = *function;
    }
  list->n_functions = kept;
  return true;
}
