/* Remembering what became of a program, for FDEs that have the same one.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/program_memo.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/table.h"

enum
{
  NOTES_MIN = 1024
};

/* What is known of a program.  It is told by the first FDE that had it.  */
struct note
{
  uint32_t fde; /* index */
  uint32_t reach;
  uint32_t result;
};

struct program_memo
{
  const struct cfi_section *section;
  struct table table; /* of indexes of notes */
  struct note *notes;
  size_t n_notes, capacity;
  /* What program_memo_find was asked for in vain.  */
  uint32_t wanted_hash, wanted_fde;
};

struct program_memo *
program_memo_new (const struct cfi_section *section, size_t n_expected)
{
  struct program_memo *memo = calloc (1, sizeof *memo);
  if (memo == NULL)
    return NULL;
  memo->section = section;
  /* About half of the FDEs have a program of their own.  */
  if (table_init (&memo->table, n_expected))
    return memo;
  free (memo);
  return NULL;
}

void
program_memo_free (struct program_memo *memo)
{
  if (memo == NULL)
    return;
  table_free (&memo->table);
  free (memo->notes);
  free (memo);
}

static bool
same_program (const struct cfi_section *section, const struct cfi_fde *a,
              const struct cfi_fde *b)
{
  return a->cie == b->cie && a->instructions_size == b->instructions_size
         && memcmp (section->bytes + a->instructions,
                    section->bytes + b->instructions, a->instructions_size)
                == 0;
}

bool
program_memo_find (struct program_memo *memo, size_t index, uint32_t *result)
{
  const struct cfi_section *section = memo->section;
  const struct cfi_fde *fde = &section->fdes[index];
  uint32_t hash = hash_for_table (section->bytes + fde->instructions,
                                  fde->instructions_size);
  memo->wanted_hash = hash;
  memo->wanted_fde = (uint32_t)index;
  struct table_walk walk = { .hash = hash };
  for (uint32_t number; table_next (&memo->table, &walk, &number);)
    {
      const struct note *note = &memo->notes[number];
      if (fde->size > note->reach
          && same_program (section, &section->fdes[note->fde], fde))
        {
          *result = note->result;
          return true;
        }
    }
  return false;
}

static bool
program_memo_grow_notes (struct program_memo *memo)
{
  size_t capacity = memo->capacity + memo->capacity / 2 + NOTES_MIN;
  struct note *notes = reallocarray (memo->notes, capacity, sizeof *notes);
  if (notes == NULL)
    return false;
  memo->notes = notes;
  memo->capacity = capacity;
  return true;
}

void
program_memo_keep (struct program_memo *memo, uint64_t reach, uint32_t result)
{
  if (reach > UINT32_MAX || memo->n_notes == UINT32_MAX
      || (memo->n_notes == memo->capacity && !program_memo_grow_notes (memo)))
    return;
  uint32_t number = (uint32_t)memo->n_notes++;
  memo->notes[number] = (struct note){ .fde = memo->wanted_fde,
                                       .reach = (uint32_t)reach,
                                       .result = result };
  table_insert (&memo->table, memo->wanted_hash, number);
}
