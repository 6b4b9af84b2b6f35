/* Rules that were looked up, one in a slot, and steps by them.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A slot also knows which slot was used for the caller the last time, so that
   the next rule is known before the return address has been loaded.  Slots
   hold the rules that nearly all code has: CFA by SP or FP, RA and FP in
   memory next to it.  unwind_apply takes the steps by all others.  */

#ifndef WALK_SLOTS_H
#define WALK_SLOTS_H

#include <stddef.h>
#include <string.h>

#include "walk/module_table.h"

enum
{
  SLOT_WAYS = 4,
  SLOT_SETS = 512,
  NOWHERE = INT32_MIN
};

/* Bits: what the rule in a slot is.  */
enum slot_mode
{
  SLOT_BY_FP = 1, /* the CFA is FP + cfa; otherwise SP + cfa */
  SLOT_ENDS = 2,  /* nothing called this */
  SLOT_AT_PC = 4  /* no call ends at PC */
};

/* Where RA and FP are saved, in bytes from the CFA.  NOWHERE: RA is not in
   memory, or FP is unchanged.  */
struct walk_saved
{
  int32_t ra, fp;
};

struct walk_slot
{
  /* The PC, of a frame that was not interrupted.  Unused slots are of PC 0;
     the rule of PC 0 has to be looked up.  */
  uint64_t key;
  struct walk_slot *next; /* the caller's slot in the last walk */
  struct walk_saved saved;
  int32_t cfa; /* NOWHERE: the rule has to be looked up */
  uint8_t mode;
  uint8_t unused[3];
};

struct walk_slots
{
  unsigned turn; /* which way of a set is replaced next */
  _Alignas(max_align_t) struct walk_slot slots[SLOT_SETS * SLOT_WAYS];
};

/* Where a walk finds rules.  */
struct walk_finder
{
  struct walk_slots *slots;
  struct sfw_modules *modules;
  const struct sfw_memory *memory;
  struct walk_hold hold; /* set as soon as a rule has to be looked up */
};

/* Find the RULES of a frame at PC, as unwind_frame_rules does.  */
enum sfw_end walk_find_rules (struct walk_finder *finder, uint64_t pc,
                              bool interrupted, struct unwind_rules *rules);

/* Put RULES into SLOT, which is empty, if they are among those that a slot can
   hold.  */
void walk_slot_fill (struct walk_slot *slot, const struct unwind_rules *rules);

void walk_slots_clear (struct walk_slots *slots);

/* The slot of PC, of a frame that was not interrupted.  The rule is looked up
   if no slot has it.  */
struct walk_slot *walk_slot_of (struct walk_finder *finder, uint64_t pc);

/* The slot of PC, which is recorded in SLOT as the next one.  */
static inline struct walk_slot *
walk_slot_next (struct walk_finder *finder, struct walk_slot *slot,
                uint64_t pc)
{
  struct walk_slot *next = slot->next;
  if (next->key != pc)
    slot->next = next = walk_slot_of (finder, pc);
  return next;
}

/* Memory that can be read directly.  Functions of the fast path take it by
   value, so that it is in registers.  */
struct walk_window
{
  uint64_t shift; /* added to an address gives the pointer to its contents */
  uint64_t low;
  uint64_t span; /* words can be read at so many addresses from LOW on */
};

static inline struct walk_window
walk_window_of (const struct sfw_memory *memory)
{
  struct walk_window window
      = { .shift = (uint64_t)(uintptr_t)memory->bytes - memory->low,
          .low = memory->low };
  if (memory->high >= memory->low
      && memory->high - memory->low >= sizeof (uint64_t))
    window.span = memory->high - memory->low - sizeof (uint64_t) + 1;
  return window;
}

/* Read *WORD at ADDRESS; false where WINDOW does not have it.  */
static inline bool
walk_window_read (struct walk_window window, uint64_t address, uint64_t *word)
{
  if (address - window.low >= window.span)
    return false;
  memcpy (word, unwind_memory_at (address + window.shift), sizeof *word);
  return true;
}

/* A frame, without what is known of innermost and interrupted ones.  */
struct walk_place
{
  uint64_t pc, sp, fp;
};

/* Go from PLACE to its caller by the rule in SLOT.  False if there is anything
   unusual; then PLACE is unchanged.  */
static inline bool
walk_slot_apply (struct walk_window window, const struct walk_slot *slot,
                 struct walk_place *place)
{
  uint64_t cfa = (slot->mode & SLOT_BY_FP ? place->fp : place->sp)
                 + (uint64_t)(int64_t)slot->cfa;
  uint64_t ra_at = cfa + (uint64_t)(int64_t)slot->saved.ra;
  uint64_t fp_at = cfa + (uint64_t)(int64_t)slot->saved.fp;
  uint64_t pc, fp = place->fp;
  if (slot->cfa == NOWHERE || cfa <= place->sp
      || (slot->saved.fp != NOWHERE && !walk_window_read (window, fp_at, &fp))
      || !walk_window_read (window, ra_at, &pc) || pc == 0)
    return false;
  *place = (struct walk_place){ pc, cfa, fp };
  return true;
}

#endif /* WALK_SLOTS_H */
