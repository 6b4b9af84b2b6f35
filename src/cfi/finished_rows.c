/* The code of a file with its final rows, one function after the other.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/finished_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/table.h"

/* ---- Programs */

/* A program, in the bytes of the first FDE that has it.  */
struct program
{
  const uint8_t *instructions;
  uint32_t size;
  uint32_t cie;
  struct program_result result;
};

struct program_table
{
  const struct cfi_section *section;
  struct table table;       /* finds indices of programs */
  struct program *programs; /* owned */
  size_t n_programs, capacity;
};

struct program_table *
program_table_new (const struct cfi_section *section)
{
  struct program_table *table = calloc (1, sizeof *table);
  if (table == NULL)
    return NULL;
  table->section = section;
  if (table_init (&table->table, section->n_fdes / 2))
    return table;
  free (table);
  return NULL;
}

void
program_table_free (struct program_table *table)
{
  if (table == NULL)
    return;
  table_free (&table->table);
  free (table->programs);
  free (table);
}

struct program_result *
program_table_find (const struct program_table *table,
                    const struct cfi_fde *fde, uint32_t *hash)
{
  const uint8_t *instructions = cfi_fde_instructions (table->section, fde);
  uint32_t number;
  *hash = hash_for_table (instructions, fde->instructions_size);
  struct table_walk walk = { .hash = *hash };
  while (table_next (&table->table, &walk, &number))
    {
      struct program *program = &table->programs[number];
      if (program->cie == fde->cie && program->size == fde->instructions_size
          && memcmp (program->instructions, instructions, program->size) == 0)
        return &program->result;
    }
  return NULL;
}

struct program_result *
program_table_add (struct program_table *table, const struct cfi_fde *fde,
                   uint32_t hash, uint64_t reach)
{
  if (!ARRAY_ROOM (table->programs, table->n_programs + 1, &table->capacity))
    return NULL;
  table_insert (&table->table, hash, (uint32_t)table->n_programs);
  struct program *program = &table->programs[table->n_programs++];
  *program = (struct program){ .instructions
                               = cfi_fde_instructions (table->section, fde),
                               .size = fde->instructions_size,
                               .cie = fde->cie,
                               .result = { .reach = reach } };
  return &program->result;
}

/* ---- The walk */

bool
finished_rows_open (struct finished_rows *rows,
                    const struct cfi_source *source,
                    const struct rows_options *options, struct error *err)
{
  *rows = (struct finished_rows){ .options = *options };
  if (!cfi_walk_begin (&rows->walk, source, err))
    return false;
  rows->walk.ignores_overlaps = options->ignores_overlaps;
  if (options->at_sites
      && !(padding_finder_init (&rows->padding, source->image, err)
           && return_sites_init (&rows->sites, source, &rows->padding, err)))
    return false;
  rows->sites.keep_all_rows = options->keep_all_rows;
  rows->sites.only_behind_calls = options->only_behind_calls;
  if (options->by_program)
    rows->programs = program_table_new (&source->cfi);
  return rows->programs != NULL || !options->by_program
         || error_set_no_memory (err);
}

void
finished_rows_close (struct finished_rows *rows)
{
  program_table_free (rows->programs);
  return_sites_free (&rows->sites);
  padding_finder_free (&rows->padding);
  cfi_walk_end (&rows->walk);
  *rows = (struct finished_rows){ 0 };
}

bool
finished_rows_execute (struct finished_rows *rows, struct cfi_code *code,
                       struct error *err)
{
  return code->function != NULL || cfi_walk_rows (&rows->walk, code, err);
}

static inline bool
execute_with_sites (struct finished_rows *rows, struct cfi_code *code,
                    struct error *err)
{
  return cfi_walk_rows (&rows->walk, code, err)
         && (!rows->options.at_sites
             || return_sites_apply (&rows->sites, &rows->walk, code, err));
}

/* Finish CODE, that of an FDE, with the results of an equal program, or
   execute it and add its program to the table.  */
static bool
finish_program (struct finished_rows *rows, struct cfi_code *code,
                struct error *err)
{
  const bool sites = rows->options.at_sites;
  uint32_t hash;
  struct program_result *known
      = program_table_find (rows->programs, code->fde, &hash);
  if (known != NULL && code->size > known->reach && code->size <= UINT32_MAX)
    {
      code->program = known;
      return !sites
             || return_sites_repeat (&rows->sites, &rows->walk, code,
                                     known->kept, err);
    }
  if (!execute_with_sites (rows, code, err))
    return false;
  if (known != NULL || code->reason != REASON_NONE
      || (sites && !rows->sites.can_keep))
    return true;
  code->program = program_table_add (rows->programs, code->fde, hash,
                                     cfa_machine_reach (rows->walk.machine));
  if (sites && code->program != NULL)
    code->program->kept = return_sites_keep (&rows->sites);
  return true;
}

int
finished_rows_next (struct finished_rows *rows, struct cfi_code *code,
                    struct error *err)
{
  bool done = true;
  if (!cfi_walk_next (&rows->walk, code))
    return 0;
  if (rows->programs != NULL && code->kind == CODE_OF_FDE
      && code->reason == REASON_NONE && !cfi_code_is_disputed (code)
      && !code->disproved) /* so the rows depend on the program alone */
    done = finish_program (rows, code, err);
  else if (rows->options.at_sites)
    done = execute_with_sites (rows, code, err);
  return done ? 1 : -1;
}

/* ---- All functions at once */

static bool
append_copy (struct frame_functions *list,
             const struct frame_function *function)
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

/* Append the function of CODE to LIST, unless it has no rows.  */
static bool
append (struct frame_functions *list, struct finished_rows *rows,
        struct cfi_code *code, struct error *err)
{
  if (code->program != NULL && code->program->copy_from > 0)
    {
      /* Share the rows of an earlier function.  */
      struct frame_function *shared = &list->functions[list->n_functions++];
      *shared = list->functions[code->program->copy_from - 1];
      shared->address = code->address;
      shared->size = (uint32_t)code->size;
      shared->rows_capacity = 0;
      return true;
    }
  if (!finished_rows_execute (rows, code, err))
    return false;
  if (code->reason != REASON_NONE)
    return true;
  if (code->program != NULL)
    code->program->copy_from = list->n_functions + 1;
  return append_copy (list, code->function) || error_set_no_memory (err);
}

bool
finished_rows_list (struct frame_functions *list,
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
  struct cfi_code code;
  int more = finished_rows_open (&rows, source, &options, err) ? 1 : -1;
  while (more > 0 && (more = finished_rows_next (&rows, &code, err)) > 0)
    if (code.is_code && code.reason == REASON_NONE && code.size <= UINT32_MAX
        && !append (list, &rows, &code, err))
      more = -1;
  finished_rows_close (&rows);
  if (more < 0)
    frame_functions_free (list);
  return more == 0;
}
