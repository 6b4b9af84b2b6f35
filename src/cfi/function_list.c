/* All functions of a section at once, with their rows.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/function_list.h"

#include <stdlib.h>
#include <string.h>

#include "cfi/finished_rows.h"

/* Add FUNCTION, with rows of its own.  */
static bool
keep (struct frame_functions *list, const struct frame_function *function)
{
  struct frame_function *kept = &list->functions[list->n_functions];
  *kept = *function;
  kept->saved = NULL;
  kept->n_saved = kept->saved_capacity = 0;
  kept->rows_capacity = function->n_rows + 1;
  kept->rows = malloc (kept->rows_capacity * sizeof *kept->rows);
  if (!kept->rows)
    return false;
  if (function->n_rows > 0)
    memcpy (kept->rows, function->rows, function->n_rows * sizeof *kept->rows);
  list->n_functions++;
  return true;
}

/* Add CODE with the rows of function INDEX.  */
static void
share (struct frame_functions *list, const struct cfi_code *code, size_t index)
{
  struct frame_function *shared = &list->functions[list->n_functions++];
  *shared = list->functions[index];
  shared->address = code->address;
  shared->size = (uint32_t)code->size;
  shared->rows_capacity = 0;
}

/* Add CODE, unless it has no rows.  */
static bool
add (struct frame_functions *list, struct finished_rows *rows,
     struct cfi_code *code, struct error *err)
{
  if (code->program != NULL && code->program->taken > 0)
    {
      share (list, code, code->program->taken - 1);
      return true;
    }
  if (!finished_rows_execute (rows, code, err))
    return false;
  if (code->reason != REASON_NONE)
    return true;
  if (code->program != NULL)
    code->program->taken = list->n_functions + 1;
  return keep (list, code->function) || error_set_no_memory (err);
}

static bool
fill (struct frame_functions *list, struct finished_rows *rows,
      struct error *err)
{
  struct cfi_code code;
  int more;
  while ((more = finished_rows_next (rows, &code, err)) > 0)
    if (code.is_code && code.reason == REASON_NONE && code.size <= UINT32_MAX
        && !add (list, rows, &code, err))
      return false;
  return more == 0;
}

bool
function_list_read (struct frame_functions *list,
                    const struct cfi_source *source, struct error *err)
{
  const struct rows_options options = { .by_program = true };
  struct finished_rows rows = { 0 };
  *list = (struct frame_functions){ 0 };
  list->functions = calloc (source->cfi.n_fdes + source->stubs.n_functions
                                + source->found.n_functions + 1,
                            sizeof *list->functions);
  if (list->functions == NULL)
    return error_set_no_memory (err);
  bool ok = finished_rows_open (&rows, source, &options, err)
            && fill (list, &rows, err);
  finished_rows_close (&rows);
  if (!ok)
    frame_functions_free (list);
  return ok;
}
