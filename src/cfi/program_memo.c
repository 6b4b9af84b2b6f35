/* Remembering what became of a program, for FDEs that have the same one.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/program_memo.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum
{
  /* A table that never searches longer than this cannot be made slow.  */
  PROBES_MAX = 32,
  SLOTS_MIN = 1024
};

/* What is known of a program.  It is told by the first FDE that had it.  */
struct note
{
  uint32_t fde; /* index */
  uint32_t reach;
  uint32_t result;
};

struct slot
{
  uint32_t hash;
  uint32_t note; /* index; UINT32_MAX: empty */
};

struct program_memo
{
  const struct cfi_section *section;
  struct slot *slots;
  size_t n_slots; /* a power of two */
  struct note *notes;
  size_t n_notes, capacity;
  /* What program_memo_find was asked for in vain.  */
  uint32_t wanted_hash, wanted_fde;
};

/* N empty slots.  Not zeros from calloc: reading memory that was never written
   to, and writing to it afterwards, costs two page faults and, in two threads,
   a message to the other processor.  */
static struct slot *
slots_new (size_t n)
{
  struct slot *slots = reallocarray (NULL, n, sizeof *slots);
  if (slots != NULL)
    memset (slots, 0xff, n * sizeof *slots);
  return slots;
}

static bool
slot_is_empty (const struct slot *slot)
{
  return slot->note == UINT32_MAX;
}

struct program_memo *
program_memo_new (const struct cfi_section *section, size_t n_expected)
{
  struct program_memo *memo = malloc (sizeof *memo);
  if (memo == NULL)
    return NULL;
  *memo = (struct program_memo){ .section = section, .n_slots = SLOTS_MIN };
  /* About half of the FDEs have a program of their own.  */
  while (memo->n_slots < n_expected)
    memo->n_slots *= 2;
  memo->slots = slots_new (memo->n_slots);
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
  size_t mask = memo->n_slots - 1;
  size_t at = hash & mask;
  for (unsigned i = 0; i < PROBES_MAX; i++, at = (at + 1) & mask)
    {
      const struct slot *slot = &memo->slots[at];
      if (slot_is_empty (slot))
        return false;
      if (slot->hash != hash)
        continue;
      const struct note *note = &memo->notes[slot->note];
      if (fde->size > note->reach
          && same_program (section, &section->fdes[note->fde], fde))
        {
          *result = note->result;
          return true;
        }
    }
  return false;
}

static void
slots_insert (struct slot *slots, size_t n_slots, struct slot entry)
{
  size_t at = entry.hash & (n_slots - 1);
  for (unsigned i = 0; i < PROBES_MAX; i++, at = (at + 1) & (n_slots - 1))
    if (slot_is_empty (&slots[at]))
      {
        slots[at] = entry;
        return;
      }
}

/* Double the table.  Without memory it stays as it is.  */
static void
program_memo_grow_slots (struct program_memo *memo)
{
  size_t n_slots = memo->n_slots * 2;
  struct slot *slots = slots_new (n_slots);
  if (slots == NULL)
    return;
  for (size_t i = 0; i < memo->n_slots; i++)
    if (!slot_is_empty (&memo->slots[i]))
      slots_insert (slots, n_slots, memo->slots[i]);
  free (memo->slots);
  memo->slots = slots;
  memo->n_slots = n_slots;
}

static bool
program_memo_grow_notes (struct program_memo *memo)
{
  size_t capacity = memo->capacity + memo->capacity / 2 + SLOTS_MIN;
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
  slots_insert (memo->slots, memo->n_slots,
                (struct slot){ .hash = memo->wanted_hash, .note = number });
  if (memo->n_notes > memo->n_slots / 2)
    program_memo_grow_slots (memo);
}
