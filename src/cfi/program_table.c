/* Which FDEs have the same program: their CIE and instructions are equal.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/program_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/table.h"

enum
{
  PROGRAMS_MIN = 1024
};

struct program
{
  uint64_t instructions; /* offset in the section */
  uint32_t size;         /* of them, in bytes */
  uint32_t cie;          /* index */
};

struct program_table
{
  const struct cfi_section *section;
  struct table table;       /* of indexes of programs */
  struct program *programs; /* owned; those with the lowest numbers */
  size_t n_programs, capacity;
  size_t n_numbers;
};

struct program_table *
program_table_new (const struct cfi_section *section, size_t n_expected)
{
  struct program_table *table = calloc (1, sizeof *table);
  if (table == NULL)
    return NULL;
  table->section = section;
  /* About half of the FDEs have a program of their own.  */
  if (table_init (&table->table, n_expected))
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

uint32_t
program_table_hash (const struct program_table *table,
                    const struct cfi_fde *fde)
{
  return hash_for_table (cfi_fde_instructions (table->section, fde),
                         fde->instructions_size);
}

bool
program_table_find (const struct program_table *table,
                    const struct cfi_fde *fde, uint32_t hash, uint32_t *number)
{
  const uint8_t *bytes = table->section->bytes;
  struct table_walk walk = { .hash = hash };
  while (table_next (&table->table, &walk, number))
    {
      const struct program *program = &table->programs[*number];
      if (program->cie == fde->cie && program->size == fde->instructions_size
          && memcmp (bytes + program->instructions,
                     cfi_fde_instructions (table->section, fde), program->size)
                 == 0)
        return true;
    }
  return false;
}

static bool
program_table_grow (struct program_table *table)
{
  size_t capacity = table->capacity + table->capacity / 2 + PROGRAMS_MIN;
  struct program *programs
      = reallocarray (table->programs, capacity, sizeof *programs);
  if (programs == NULL)
    return false;
  table->programs = programs;
  table->capacity = capacity;
  return true;
}

uint32_t
program_table_add (struct program_table *table, const struct cfi_fde *fde,
                   uint32_t hash)
{
  uint32_t number = (uint32_t)table->n_numbers++;
  /* Numbers are indexes, so after a gap no further program is known.  */
  if (number != table->n_programs
      || (table->n_programs == table->capacity && !program_table_grow (table)))
    return number;
  table->programs[table->n_programs++]
      = (struct program){ .instructions = fde->offset + fde->head_size,
                          .size = fde->instructions_size,
                          .cie = fde->cie };
  table_insert (&table->table, hash, number);
  return number;
}

size_t
program_table_size (const struct program_table *table)
{
  return table->n_numbers;
}
