/* All functions of a section at once, with their rows.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/function_list.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/table.h"
#include "cfi/walk.h"

/* A list being filled.  Two functions of three have the same rows as another
   one, and share them.  */
struct filling
{
  struct function_list *list;
  struct table by_rows; /* functions that own theirs */
};

static uint32_t
hash_of_rows (const struct frame_function *function)
{
  uint32_t hash = (uint32_t)function->n_rows;
  for (size_t i = 0; i < function->n_rows; i++)
    {
      const struct frame_row *row = &function->rows[i];
      const struct frame_rule rules[] = { row->cfa, row->ra, row->fp };
      uint8_t key[sizeof rules + sizeof hash + sizeof row->start];
      memcpy (key, rules, sizeof rules);
      memcpy (key + sizeof rules, &hash, sizeof hash);
      memcpy (key + sizeof rules + sizeof hash, &row->start,
              sizeof row->start);
      hash = hash_for_table (key, sizeof key);
    }
  return hash;
}

static bool
has_same_rows (const struct frame_function *a, const struct frame_function *b)
{
  if (a->n_rows != b->n_rows)
    return false;
  for (size_t i = 0; i < a->n_rows; i++)
    if (a->rows[i].start != b->rows[i].start
        || !frame_row_same_rules (&a->rows[i], &b->rows[i]))
      return false;
  return true;
}

/* Rows like those of FUNCTION that are kept already, or NULL.  */
static struct frame_row *
find_rows (const struct filling *filling,
           const struct frame_function *function, uint32_t hash)
{
  struct table_walk walk = { .hash = hash };
  uint32_t number;
  while (table_next (&filling->by_rows, &walk, &number))
    if (has_same_rows (&filling->list->functions[number], function))
      return filling->list->functions[number].rows;
  return NULL;
}

static bool
keep (struct filling *filling, const struct frame_function *function)
{
  struct function_list *list = filling->list;
  struct frame_function *kept = &list->functions[list->n];
  uint32_t hash = hash_of_rows (function);
  *kept = *function;
  kept->saved = NULL;
  kept->n_saved = kept->saved_capacity = 0;
  kept->rows_capacity = 0;
  kept->rows = find_rows (filling, function, hash);
  if (kept->rows)
    {
      list->n++;
      return true;
    }
  kept->rows = malloc ((function->n_rows + 1) * sizeof *kept->rows);
  if (!kept->rows)
    return false;
  kept->rows_capacity = function->n_rows + 1;
  if (function->n_rows > 0)
    memcpy (kept->rows, function->rows, function->n_rows * sizeof *kept->rows);
  table_insert (&filling->by_rows, hash, (uint32_t)list->n);
  list->n++;
  return true;
}

static bool
fill (struct filling *filling, struct cfi_walk *walk, struct error *err)
{
  struct cfi_code code;
  while (cfi_walk_next (walk, &code))
    {
      if (!code.is_code || code.reason != REASON_NONE
          || code.size > UINT32_MAX)
        continue;
      if (!cfi_walk_rows (walk, &code, err))
        return false;
      if (code.reason == REASON_NONE && !keep (filling, code.function))
        return error_set_no_memory (err);
    }
  return true;
}

bool
function_list_read (struct function_list *list,
                    const struct cfi_source *source, struct error *err)
{
  struct cfi_walk walk;
  struct filling filling = { .list = list };
  *list = (struct function_list){ 0 };
  list->functions = calloc (source->cfi.n_fdes + source->stubs.n_functions
                                + source->found.n_functions + 1,
                            sizeof *list->functions);
  if (list->functions == NULL)
    return error_set_no_memory (err);
  if (!table_init (&filling.by_rows, 64))
    {
      function_list_free (list);
      return error_set_no_memory (err);
    }
  bool ok = cfi_walk_begin (&walk, source, err) && fill (&filling, &walk, err);
  cfi_walk_end (&walk);
  table_free (&filling.by_rows);
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
