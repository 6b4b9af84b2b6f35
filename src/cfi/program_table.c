/* Which FDEs have the same program: their CIE and instructions are equal.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/program_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/table.h"

/* A program, as the first FDE had it.  */
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
  struct table table;       /* of indexes of programs */
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

static bool
is_program_of (const struct program *program, const struct cfi_fde *fde,
               const uint8_t *instructions)
{
  return program->cie == fde->cie && program->size == fde->instructions_size
         && memcmp (program->instructions, instructions, program->size) == 0;
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
      if (is_program_of (program, fde, instructions))
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
