/* All functions of a section at once, with their rows.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/function_list.h"

#include <stdlib.h>

#include "cfi/walk.h"

/* FUNCTION's own copy of its rows, no larger than needed.  */
static bool
keep (struct function_list *list, const struct frame_function *function)
{
  struct frame_function *kept = &list->functions[list->n];
  *kept = *function;
  kept->saved = NULL;
  kept->n_saved = kept->saved_capacity = 0;
  kept->rows_capacity = function->n_rows;
  kept->rows = malloc ((function->n_rows + 1) * sizeof *kept->rows);
  if (!kept->rows)
    return false;
  if (function->n_rows > 0)
    memcpy (kept->rows, function->rows, function->n_rows * sizeof *kept->rows);
  list->n++;
  return true;
}

static bool
fill (struct function_list *list, struct cfi_walk *walk, struct error *err)
{
  struct cfi_code code;
  while (cfi_walk_next (walk, &code))
    {
      if (!code.is_code || code.reason != REASON_NONE
          || code.size > UINT32_MAX)
        continue;
      if (!cfi_walk_rows (walk, &code, err))
        return false;
      if (code.reason == REASON_NONE && !keep (list, code.function))
        return error_set_no_memory (err);
    }
  return true;
}

bool
function_list_read (struct function_list *list,
                    const struct cfi_source *source, struct error *err)
{
  struct cfi_walk walk;
  *list = (struct function_list){ 0 };
  list->functions = calloc (source->cfi.n_fdes + source->plt.n_functions + 1,
                            sizeof *list->functions);
  if (list->functions == NULL)
    return error_set_no_memory (err);
  bool ok = cfi_walk_begin (&walk, source, err) && fill (list, &walk, err);
  cfi_walk_end (&walk);
  if (!ok)
    function_list_free (list);
  return ok;
}

void
function_list_free (struct function_list *list)
{
  for (size_t i = 0; i < list->n; i++)
    frame_function_free (&list->functions[i]);
  free (list->functions);
  *list = (struct function_list){ 0 };
}
