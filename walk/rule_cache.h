/* A cache of rules by PC, and steps by cached rules.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The cache is set-associative.  Each rule also points to the rule that its
   caller had in an earlier walk.  So the next rule can be read before the
   return address has been loaded.  Only the form of rule that nearly all code
   has is cached: the CFA is SP or FP plus an offset, and RA and FP are saved
   at offsets from the CFA.  unwind_apply takes the steps by other rules.  */

#ifndef WALK_RULE_CACHE_H
#define WALK_RULE_CACHE_H

#include <stddef.h>
#include <string.h>

#include "walk/module_table.h"

enum
{
  CACHE_WAYS = 4,
  CACHE_SETS = 512,
  NO_OFFSET = INT32_MIN
};

/* Bits of walk_rule.mode.  */
enum cached_mode
{
  CACHED_BY_FP = 1,     /* the CFA is FP + cfa; otherwise SP + cfa */
  CACHED_OUTERMOST = 2, /* the frame has no caller */
  CACHED_AT_PC = 4      /* no call ends at PC */
};

/* Where RA and FP are saved: bytes from the CFA.  NO_OFFSET: FP is unchanged,
   or it is not known where RA is.  */
struct walk_saved
{
  int32_t ra, fp;
};

struct walk_rule
{
  /* The PC of a frame that no signal interrupted; 0 in unused entries.  */
  uint64_t key;
  struct walk_rule *caller; /* the rule that the caller had last */
  struct walk_saved saved;
  int32_t cfa; /* NO_OFFSET: the rule has a form that is not cached */
  uint8_t mode;
  uint8_t unused[3];
};

struct walk_rule_cache
{
  unsigned turn; /* which entry of a set is replaced next */
  _Alignas(max_align_t) struct walk_rule rules[CACHE_SETS * CACHE_WAYS];
};

/* What a walk needs to look up rules.  */
struct walk_finder
{
  struct walk_rule_cache *cache;
  struct sfw_modules *modules;
  const struct sfw_memory *memory;
  struct walk_hold hold; /* taken by the first lookup in the modules */
};

/* Find the RULES of a frame at PC, as unwind_frame_rules does.  */
enum sfw_end walk_find_rules (struct walk_finder *finder, uint64_t pc,
                              bool interrupted, struct unwind_rules *rules);

/* Put RULES into CACHED, which is empty, if their form is cached.  */
void walk_rule_fill (struct walk_rule *cached,
                     const struct unwind_rules *rules);

void walk_rule_cache_clear (struct walk_rule_cache *cache);

/* Return the cached rule for PC, of a frame that no signal interrupted, and
   look it up if it is not in the cache.  */
struct walk_rule *walk_rule_at (struct walk_finder *finder, uint64_t pc);

/* Return the cached rule for PC, a return address that CACHED has led to.
   Remember it as the rule of that caller.  */
static inline struct walk_rule *
walk_rule_of_caller (struct walk_finder *finder, struct walk_rule *cached,
                     uint64_t pc)
{
  struct walk_rule *next = cached->caller;
  if (next->key != pc)
    cached->caller = next = walk_rule_at (finder, pc);
  return next;
}

/* A range of memory that is read by pointers.  The functions of the fast path
   take the structure by value, so that it is in registers.  */
struct walk_window
{
  uint64_t shift; /* pointer to the contents minus address */
  uint64_t low;
  uint64_t span; /* how many addresses from LOW on have a whole word */
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

/* Set *WORD to the word at ADDRESS.  False if WINDOW does not have it.  */
static inline bool
walk_window_read (struct walk_window window, uint64_t address, uint64_t *word)
{
  if (address - window.low >= window.span)
    return false;
  memcpy (word, unwind_memory_at (address + window.shift), sizeof *word);
  return true;
}

/* The registers of a plain frame, one that a call made.  Of other frames more
   is known (struct sfw_frame).  */
struct walk_frame
{
  uint64_t pc, sp, fp;
};

/* Replace FRAME by its caller, by the rule CACHED.  False if the rule does not
   apply or the step is unusual; FRAME is unchanged then.  */
static inline bool
walk_rule_apply (struct walk_window window, const struct walk_rule *cached,
                 struct walk_frame *frame)
{
  uint64_t cfa = (cached->mode & CACHED_BY_FP ? frame->fp : frame->sp)
                 + (uint64_t)(int64_t)cached->cfa;
  uint64_t ra_at = cfa + (uint64_t)(int64_t)cached->saved.ra;
  uint64_t fp_at = cfa + (uint64_t)(int64_t)cached->saved.fp;
  uint64_t pc, fp = frame->fp;
  if (cached->cfa == NO_OFFSET || cfa <= frame->sp
      || (cached->saved.fp != NO_OFFSET
          && !walk_window_read (window, fp_at, &fp))
      || !walk_window_read (window, ra_at, &pc) || pc == 0)
    return false;
  *frame = (struct walk_frame){ pc, cfa, fp };
  return true;
}

#endif /* WALK_RULE_CACHE_H */
