/* Remembering what became of a program, for FDEs that have the same one.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/program_memo.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum
{
  /* A table that never searches longer than this cannot be made slow.  */
  PROBES_MAX = 16,
  SLOTS_MIN = 1024
};

/* A program is told by the first FDE that had it.  */
struct slot
{
  uint32_t hash; /* 0: empty */
  uint32_t fde;  /* index */
  uint32_t reach;
  uint32_t result;
};

struct program_memo
{
  const struct cfi_section *section;
  struct slot *slots;
  size_t n_slots; /* a power of two */
  size_t n_used;
  struct slot wanted; /* what program_memo_find was asked for in vain */
};

struct program_memo *
program_memo_new (const struct cfi_section *section)
{
  struct program_memo *memo = malloc (sizeof *memo);
  if (memo == NULL)
    return NULL;
  *memo = (struct program_memo){ .section = section, .n_slots = SLOTS_MIN };
  /* About half of the FDEs have a program of their own.  */
  while (memo->n_slots < section->n_fdes)
    memo->n_slots *= 2;
  memo->slots = calloc (memo->n_slots, sizeof *memo->slots);
  if (memo->slots != NULL)
    return memo;
  free (memo);
  return NULL;
}

void
program_memo_free (struct program_memo *memo)
{
  if (memo == NULL)
    return;
  free (memo->slots);
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
  memo->wanted = (struct slot){ .hash = hash, .fde = (uint32_t)index };
  size_t mask = memo->n_slots - 1;
  size_t at = hash & mask;
  for (unsigned i = 0; i < PROBES_MAX; i++, at = (at + 1) & mask)
    {
      const struct slot *slot = &memo->slots[at];
      if (slot->hash == 0)
        return false;
      if (slot->hash == hash && fde->size > slot->reach
          && same_program (section, &section->fdes[slot->fde], fde))
        {
          *result = slot->result;
          return true;
        }
    }
  return false;
}

static void
slots_insert (struct slot *slots, size_t n_slots, const struct slot *entry)
{
  size_t at = entry->hash & (n_slots - 1);
  for (unsigned i = 0; i < PROBES_MAX; i++, at = (at + 1) & (n_slots - 1))
    if (slots[at].hash == 0)
      {
        slots[at] = *entry;
        return;
      }
}

/* Double the table.  Without memory it stays as it is.  */
static void
program_memo_grow (struct program_memo *memo)
{
  size_t n_slots = memo->n_slots * 2;
  struct slot *slots = calloc (n_slots, sizeof *slots);
  if (slots == NULL)
    return;
  for (size_t i = 0; i < memo->n_slots; i++)
    if (memo->slots[i].hash != 0)
      slots_insert (slots, n_slots, &memo->slots[i]);
  free (memo->slots);
  memo->slots = slots;
  memo->n_slots = n_slots;
}

void
program_memo_keep (struct program_memo *memo, uint64_t reach, uint32_t result)
{
  if (reach > UINT32_MAX || memo->wanted.fde == UINT32_MAX)
    return;
  memo->wanted.reach = (uint32_t)reach;
  memo->wanted.result = result;
  slots_insert (memo->slots, memo->n_slots, &memo->wanted);
  if (++memo->n_used > memo->n_slots / 2)
    program_memo_grow (memo);
}
