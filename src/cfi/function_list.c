/* All functions of a section at once, with their rows.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/function_list.h"

#include <stdlib.h>
#include <string.h>

#include "cfi/program_table.h"
#include "cfi/walk.h"

/* Add FUNCTION, with rows of its own.  */
static bool
keep (struct function_list *list, const struct frame_function *function)
{
  struct frame_function *kept = &list->functions[list->n];
  *kept = *function;
  kept->saved = NULL;
  kept->n_saved = kept->saved_capacity = 0;
  kept->rows_capacity = function->n_rows + 1;
  kept->rows = malloc (kept->rows_capacity * sizeof *kept->rows);
  if (!kept->rows)
    return false;
  if (function->n_rows > 0)
    memcpy (kept->rows, function->rows, function->n_rows * sizeof *kept->rows);
  list->n++;
  return true;
}

/* Add CODE with the rows of function INDEX.  */
static void
share (struct function_list *list, const struct cfi_code *code, size_t index)
{
  struct frame_function *shared = &list->functions[list->n++];
  *shared = list->functions[index];
  shared->address = code->address;
  shared->size = (uint32_t)code->size;
  shared->rows_capacity = 0;
}

/* Add CODE, unless it has no rows.  Two functions of three have the program of
   another one, and share its rows.  */
static bool
add (struct function_list *list, struct program_table *programs,
     struct cfi_walk *walk, struct cfi_code *code, struct error *err)
{
  const struct program_result *known = NULL;
  uint32_t hash;
  bool alone = code->kind == CODE_OF_FDE && !cfi_code_is_disputed (code);
  if (alone)
    known = program_table_find (programs, code->fde, &hash);
  if (known != NULL && code->size > known->reach)
    {
      share (list, code, known->index);
      return true;
    }
  if (!cfi_walk_rows (walk, code, err))
    return false;
  if (code->reason != REASON_NONE)
    return true;
  if (alone && known == NULL)
    program_table_add (
        programs, code->fde, hash,
        (struct program_result){ .index = list->n,
                                 .reach = cfa_machine_reach (walk->machine) });
  return keep (list, code->function) || error_set_no_memory (err);
}

static bool
fill (struct function_list *list, struct program_table *programs,
      struct cfi_walk *walk, struct error *err)
{
  struct cfi_code code;
  while (cfi_walk_next (walk, &code))
    if (code.is_code && code.reason == REASON_NONE && code.size <= UINT32_MAX
        && !add (list, programs, walk, &code, err))
      return false;
  return true;
}

bool
function_list_read (struct function_list *list,
                    const struct cfi_source *source, struct error *err)
{
  struct cfi_walk walk = { 0 };
  *list = (struct function_list){ 0 };
  list->functions = calloc (source->cfi.n_fdes + source->stubs.n_functions
                                + source->found.n_functions + 1,
                            sizeof *list->functions);
  if (list->functions == NULL)
    return error_set_no_memory (err);
  struct program_table *programs = program_table_new (&source->cfi);
  bool ok = (programs != NULL || error_set_no_memory (err))
            && cfi_walk_begin (&walk, source, err)
            && fill (list, programs, &walk, err);
  cfi_walk_end (&walk);
  program_table_free (programs);
  if (!ok)
    function_list_free (list);
  return ok;
}

void
function_list_free (struct function_list *list)
{
  for (size_t i = 0; i < list->n; i++)
    if (list->functions[i].rows_capacity > 0)
      free (list->functions[i].rows);
  free (list->functions);
  *list = (struct function_list){ 0 };
}
