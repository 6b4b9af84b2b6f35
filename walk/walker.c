/* Walks that remember what they saw.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A rule that was looked up stays in a slot.  The slot also knows which slot
   was used for the caller the last time, so that the next rule is known before
   the return address has been loaded.  Of the last walk, every frame is
   remembered, with the places where its return address and its FP were read.
   When a walk meets a frame of the last walk, with equal PC, SP and FP, it
   reads those places again: as long as their contents are equal, the frames
   are equal.  Slots hold the rules that nearly all code has: CFA by SP or FP,
   RA and FP in memory next to it.  All other rules, and all unusual stacks,
   are left to unwind_apply, which also says why a walk ends.  */

#include <config.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "walk/frame_rules.h"
#include "walk/module_table.h"
#include "walk/walker.h"

enum
{
  WAYS = 4,
  SETS = 512,
  SEEN_MAX = 1024, /* how many frames of a walk are remembered */
  NOWHERE = INT32_MIN
};

/* One walk, the innermost frame first; P and L are places of frames:

     struct seen, last walk   L0 - L1 - L2 - L3 - L4 - L5
                               =    =              =    =
     struct seen, this walk   P0 - P1 - P2 - P3 - P4 - P5
     struct slot                   S1 > S2 > S3
     by                       follow_  run_links    trail_
                              last                  join

   Where RA and FP of L0's caller were saved, follow_last reads L1's PC and FP
   again, but not L2's where L1 had them.  The rule in slot S1, of L1's PC,
   leads to P2, and S1 says that S2 was next the last time.  run_links, whose
   struct link_run says how far it is in both walks, goes on so until a place
   is one of the last walk: L4.  What no slot has takes a step by step_slowly.
   A struct trail is both records: this walk's is the next one's last.  */

/* Bits: what the rule in a slot is.  */
enum mode
{
  BY_FP = 1, /* the CFA is FP + cfa; otherwise SP + cfa */
  ENDS = 2,  /* nothing called this */
  AT_PC = 4  /* no call ends at PC */
};

/* Where RA and FP are saved, in bytes from the CFA.  NOWHERE: RA is not in
   memory, or FP is unchanged.  */
struct saved
{
  int32_t ra, fp;
};

struct slot
{
  /* The PC, of a frame that was not interrupted.  Unused slots are of PC 0;
     the rule of PC 0 has to be looked up.  */
  uint64_t key;
  struct slot *next; /* the caller's slot in the last walk */
  struct saved saved;
  int32_t cfa; /* NOWHERE: the rule has to be looked up */
  uint8_t mode;
  uint8_t unused[3];
};

/* A frame of a walk.  */
struct walk_place
{
  uint64_t pc, sp, fp;
};

/* A frame of the last walk.  */
struct seen
{
  struct walk_place place;
  struct saved saved; /* the CFA is the next one's SP */
};

struct sfw_walker
{
  struct sfw_modules *modules;
  unsigned long generation; /* the modules' when slots and frames were made */
  sfw_fallback *fallback;
  void *context;
  struct walk_limits limits;
  atomic_bool busy;
  unsigned turn; /* which way of a set is replaced next */
  unsigned last; /* index of the last walk in seen */
  size_t n_seen;
  /* Each has room for an entry behind the last frame.  */
  struct seen seen[2][SEEN_MAX + 1];
  _Alignas(max_align_t) struct slot slots[SETS * WAYS];
};

/* Walkers are in memory as malloc gives it.  With vector registers wider than
   that the compiler would otherwise clear and copy by instructions that fault
   there.  */
_Static_assert(_Alignof(struct sfw_walker) <= _Alignof(max_align_t),
               "a walker is aligned as what malloc returns");

/* Memory that can be read directly.  Functions of the fast path take it by
   value, so that it is in registers.  */
struct memory_window
{
  uint64_t shift; /* added to an address gives the pointer to its contents */
  uint64_t low;
  uint64_t span; /* words can be read at so many addresses from LOW on */
};

/* A walk under way.  */
struct walk_state
{
  struct sfw_walker *walker;
  const struct sfw_memory *memory;
  struct memory_window range;
  struct sfw_frame frame;
  struct walk_hold hold; /* set as soon as a rule has to be looked up */
  bool by_fallback;      /* the fallback found FRAME */
  uint64_t *addresses;
  uint8_t *marks;
  size_t n, max;
};

size_t
sfw_walker_size (void)
{
  return sizeof (struct sfw_walker);
}

struct sfw_walker *
sfw_walker_init (void *memory, size_t size, struct sfw_modules *modules)
{
  struct sfw_walker *walker = memory;
  if (memory == NULL || modules == NULL || size < sizeof *walker
      || (uintptr_t)memory % _Alignof(max_align_t) != 0)
    return NULL;
  /* The first walk does the rest (walker_renew).  */
  memset (walker, 0, offsetof (struct sfw_walker, seen));
  walker->modules = modules;
  return walker;
}

void
sfw_walker_set_fallback (struct sfw_walker *walker, sfw_fallback *fallback,
                         void *context)
{
  walker->fallback = fallback;
  walker->context = context;
}

struct walk_limits *
walk_walker_limits (struct sfw_walker *walker)
{
  return &walker->limits;
}

void
walk_walker_share (struct sfw_walker *walker)
{
  atomic_store (&walker->busy, true);
}

/* Rules.  */

static enum sfw_end
find_rules (const void *finder, uint64_t address, struct unwind_rules *rules)
{
  const struct walk_state *walk = finder;
  return walk_table_lookup (walk->hold.table, address, rules);
}

/* The rules of a frame at PC.  */
static enum sfw_end
frame_rules (struct walk_state *walk, uint64_t pc, bool interrupted,
             struct unwind_rules *rules)
{
  const struct unwind_source source
      = { find_rules, walk, unwind_read, (void *)walk->memory };
  if (walk->hold.table == NULL)
    walk->hold = walk_modules_hold (walk->walker->modules);
  return unwind_frame_rules (&source, pc, interrupted, rules);
}

static bool
host_is_big_endian (void)
{
  return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

/* Put RULES into SLOT, if they are among those a slot can hold.  */
static void
slot_fill (struct slot *slot, const struct unwind_rules *rules)
{
  const struct arch *arch = rules->arch;
  const struct frame_row *row = &rules->row;
  if (row->cfa.kind == RULE_UNDEFINED && row->ra.kind == RULE_UNDEFINED)
    slot->mode = ENDS;
  if (rules->signal || row->ra_signed || arch->caller_sp_offset != 0
      || arch->big_endian != host_is_big_endian () || row->cfa.kind != RULE_REG
      || (row->cfa.reg != arch->sp && row->cfa.reg != arch->fp)
      || row->ra.kind != RULE_DEREF_CFA
      || (row->fp.kind != RULE_SAME && row->fp.kind != RULE_DEREF_CFA)
      || row->fp.offset == NOWHERE)
    return;
  slot->mode = row->cfa.reg == arch->fp ? BY_FP : 0;
  slot->cfa = row->cfa.offset;
  slot->saved.ra = row->ra.offset;
  slot->saved.fp = row->fp.kind == RULE_DEREF_CFA ? row->fp.offset : NOWHERE;
}

static struct slot *
slot_make (struct walk_state *walk, struct slot *set, uint64_t key)
{
  struct unwind_rules rules;
  struct slot *slot = &set[walk->walker->turn++ % WAYS];
  *slot = (struct slot){ .key = key, .next = slot, .cfa = NOWHERE };
  if (frame_rules (walk, key, false, &rules) == SFW_MORE)
    slot_fill (slot, &rules);
  if (rules.at_pc)
    {
      slot->mode = AT_PC | (slot->mode & ENDS);
      slot->cfa = NOWHERE;
    }
  return slot;
}

/* The slot of KEY.  */
static struct slot *
slot_find (struct walk_state *walk, uint64_t key)
{
  struct slot *set = walk->walker->slots + (key ^ key >> 9) % SETS * WAYS;
  for (unsigned i = 0; i < WAYS; i++)
    if (set[i].key == key)
      return &set[i];
  return slot_make (walk, set, key);
}

/* Steps.  */

static inline uint64_t
load (struct memory_window range, uint64_t address)
{
  uint64_t word;
  memcpy (&word, walk_memory_at (address + range.shift), sizeof word);
  return word;
}

static inline bool
readable (struct memory_window range, uint64_t address)
{
  return address - range.low < range.span;
}

/* Go from PLACE to its caller by the rule in SLOT.  False if there is anything
   unusual; then PLACE is unchanged.  */
static inline bool
slot_apply (struct memory_window range, const struct slot *slot,
            struct walk_place *place)
{
  uint64_t cfa = (slot->mode & BY_FP ? place->fp : place->sp)
                 + (uint64_t)(int64_t)slot->cfa;
  uint64_t ra_at = cfa + (uint64_t)(int64_t)slot->saved.ra, fp = place->fp;
  if (slot->cfa == NOWHERE || cfa <= place->sp || !readable (range, ra_at))
    return false;
  if (slot->saved.fp != NOWHERE)
    {
      uint64_t fp_at = cfa + (uint64_t)(int64_t)slot->saved.fp;
      if (!readable (range, fp_at))
        return false;
      fp = load (range, fp_at);
    }
  uint64_t pc = load (range, ra_at);
  if (pc == 0)
    return false;
  *place = (struct walk_place){ pc, cfa, fp };
  return true;
}

/* The step that the user's fallback takes from walk->frame, where END says
   that no section or row describes the frame.  */
static enum sfw_end
step_by_fallback (struct walk_state *walk, enum sfw_end end)
{
  struct sfw_walker *walker = walk->walker;
  struct sfw_frame frame = walk->frame;
  if (walker->fallback == NULL || (end != SFW_NO_SECTION && end != SFW_NO_ROW)
      || !walker->fallback (walker->context, &frame, walk->memory))
    return end;
  if (frame.pc == 0)
    return SFW_ZERO;
  if (frame.sp <= walk->frame.sp)
    return SFW_NO_PROGRESS;
  walk->frame = frame;
  walk->by_fallback = true;
  return SFW_MORE;
}

/* Record that no call made the frame noted last.  */
static void
mark_no_call (struct walk_state *walk)
{
  if (walk->marks != NULL)
    walk->marks[walk->n - 1] |= SFW_MARK_NO_CALL;
}

/* Whether the frame noted last, which has SLOT, has no caller.  */
static bool
walk_ends (struct walk_state *walk, const struct slot *slot)
{
  if (slot->mode & AT_PC)
    mark_no_call (walk);
  return slot->mode & ENDS;
}

/* A step from walk->frame, which is noted, whatever its rule is and whatever
   interrupted it.  */
static enum sfw_end
step_anew (struct walk_state *walk)
{
  struct unwind_rules rules;
  struct slot slot = { .cfa = NOWHERE };
  struct sfw_frame *frame = &walk->frame;
  enum sfw_end end = frame_rules (walk, frame->pc, frame->interrupted, &rules);
  if (rules.at_pc && !frame->interrupted)
    mark_no_call (walk);
  walk->by_fallback = false;
  if (end != SFW_MORE)
    return step_by_fallback (walk, end);
  slot_fill (&slot, &rules);
  struct walk_place place = { frame->pc, frame->sp, frame->fp };
  if (!slot_apply (walk->range, &slot, &place))
    return unwind_apply (frame, walk->memory, &rules);
  *frame = (struct sfw_frame){ .pc = place.pc,
                               .sp = place.sp,
                               .fp = place.fp,
                               .stack_changes = frame->stack_changes };
  return SFW_MORE;
}

/* Note a frame at PC; false when all room is taken.  */
static inline bool
walk_note (struct walk_state *walk, uint64_t pc, uint8_t mark)
{
  walk->addresses[walk->n] = pc;
  if (walk->marks != NULL)
    walk->marks[walk->n] = mark;
  return ++walk->n < walk->max;
}

static uint8_t
frame_mark (const struct walk_state *walk)
{
  return (uint8_t)((walk->frame.interrupted ? SFW_MARK_INTERRUPTED : 0)
                   | (walk->by_fallback ? SFW_MARK_FALLBACK : 0));
}

/* A walk that remembers nothing.  */
static enum sfw_end
walk_plainly (struct walk_state *walk)
{
  enum sfw_end end = SFW_MORE;
  while (end == SFW_MORE
         && walk_note (walk, walk->frame.pc, frame_mark (walk)))
    end = step_anew (walk);
  return end;
}

/* The last walk.  */

static inline bool
same_place (const struct walk_place *a, const struct walk_place *b)
{
  return a->pc == b->pc && a->sp == b->sp && a->fp == b->fp;
}

/* Whether the caller of SEEN is still the one that was noted, NEXT.  */
static inline bool
still_true (struct memory_window range, const struct seen *seen,
            const struct seen *next)
{
  uint64_t cfa = next->place.sp;
  uint64_t ra_at = cfa + (uint64_t)(int64_t)seen->saved.ra;
  uint64_t fp_at = cfa + (uint64_t)(int64_t)seen->saved.fp;
  bool same = seen->saved.ra != NOWHERE && readable (range, ra_at)
              && load (range, ra_at) == next->place.pc;
  if (same && seen->saved.fp != NOWHERE)
    same = readable (range, fp_at) && load (range, fp_at) == next->place.fp;
  return same;
}

/* Note the frames that follow frame number AT of the last walk, as far as
   memory still says the same.  Returns the number of the last of them.  */
static size_t
follow_last (struct walk_state *walk, const struct seen *last, size_t n,
             size_t at)
{
  const struct memory_window range = walk->range;
  size_t left = walk->max - walk->n, to = at;
  uint64_t *addresses = walk->addresses + walk->n;
  n = n - at - 1 < left ? n : at + left + 1;
  while (to + 1 < n && still_true (range, &last[to], &last[to + 1]))
    *addresses++ = last[++to].place.pc;
  if (walk->marks != NULL)
    memset (walk->marks + walk->n, 0, to - at);
  walk->n += to - at;
  return to;
}

/* Walks with memory.  */

static inline void
walk_place (struct walk_state *walk, const struct walk_place *place)
{
  walk->frame
      = (struct sfw_frame){ .pc = place->pc,
                            .sp = place->sp,
                            .fp = place->fp,
                            .stack_changes = walk->frame.stack_changes };
  walk->by_fallback = false;
}

/* The record that a walk makes for the next one.  */
struct trail
{
  const struct seen *last;
  struct seen *own;
  size_t n_last, n_own;
  size_t at; /* number in LAST: earlier frames were passed */
};

/* Record PLACE as a frame with a caller that no slot finds.  */
static inline void
trail_add (struct trail *trail, const struct walk_place *place)
{
  if (trail->n_own < SEEN_MAX)
    trail->own[trail->n_own++] = (struct seen){ *place, { NOWHERE, NOWHERE } };
}

/* Follow the last walk from frame number trail->at, which was noted but not
   recorded.  Returns the last frame that both walks have.  */
static struct walk_place
trail_join (struct walk_state *walk, struct trail *trail)
{
  const struct seen *last = trail->last;
  size_t from = trail->at, to = follow_last (walk, last, trail->n_last, from);
  size_t n = to - from, room = SEEN_MAX - trail->n_own;
  n = n < room ? n : room;
  memcpy (trail->own + trail->n_own, last + from, n * sizeof *last);
  trail->n_own += n;
  trail->at = to + 1;
  return last[to].place;
}

/* Step from walk->frame, which is noted and recorded and may have a rule that
   no slot has, to its caller, and on until slots can be used again.  *PLACE is
   the last frame that is noted.  It is not recorded.  */
static enum sfw_end
step_slowly (struct walk_state *walk, struct trail *trail,
             struct walk_place *place)
{
  const struct sfw_frame *frame = &walk->frame;
  enum sfw_end end = step_anew (walk);
  while (end == SFW_MORE && walk_note (walk, frame->pc, frame_mark (walk))
         && frame->interrupted)
    {
      *place = (struct walk_place){ frame->pc, frame->sp, frame->fp };
      trail_add (trail, place);
      end = step_anew (walk);
    }
  *place = (struct walk_place){ frame->pc, frame->sp, frame->fp };
  return end;
}

/* The slot of PC, which is recorded in SLOT as the next one.  */
static inline struct slot *
slot_next (struct walk_state *walk, struct slot *slot, uint64_t pc)
{
  struct slot *next = slot->next;
  if (next->key != pc)
    slot->next = next = slot_find (walk, pc);
  return next;
}

/* Where run_links notes frames.  */
struct link_run
{
  uint64_t *to, *end;
  struct seen *own;        /* where to record frames, or NULL */
  const struct seen *last; /* the frame of the last walk that may be next */
};

/* Go on from *PLACE, which was noted and has *SLOT, by slots, until something
   is unusual or all room is taken.  True when *PLACE has become run->last,
   a frame of the last walk.  What changes with every frame is in variables of
   this function, and so in registers.  */
static inline bool
run_links (struct walk_state *walk, struct link_run *run, struct slot **slot,
           struct walk_place *place, bool writes)
{
  const struct memory_window range = walk->range;
  struct link_run now = *run;
  struct slot *with = *slot;
  struct walk_place at = *place;
  bool met = false;
  while (now.to < now.end && !met)
    {
      struct walk_place from = at;
      if (!slot_apply (range, with, &at))
        break;
      *now.to++ = at.pc;
      if (writes)
        *now.own++ = (struct seen){ from, with->saved };
      with = slot_next (walk, with, at.pc);
      while (now.last->place.sp < at.sp)
        now.last++;
      met = now.last->place.sp == at.sp && same_place (&now.last->place, &at);
    }
  *run = now;
  *slot = with;
  *place = at;
  return met;
}

/* Go on by slots as run_links does, and along the last walk where both walks
   meet.  The frame where the walk stops is recorded.  Its slot cannot be used,
   unless all room is taken.  */
static struct slot *
follow_links (struct walk_state *walk, struct trail *trail, struct slot *slot,
              struct walk_place *place)
{
  bool more = true;
  while (more)
    {
      uint64_t *start = walk->addresses + walk->n;
      size_t room = walk->max - walk->n, left = SEEN_MAX - trail->n_own;
      bool writes = left > 0;
      struct link_run run
          = { .to = start,
              .end = start + (writes && left < room ? left : room),
              .own = trail->own + trail->n_own,
              .last = trail->last + trail->at };
      bool met = writes ? run_links (walk, &run, &slot, place, true)
                        : run_links (walk, &run, &slot, place, false);
      size_t n = (size_t)(run.to - start);
      if (walk->marks != NULL)
        memset (walk->marks + walk->n, 0, n);
      walk->n += n;
      trail->n_own += writes ? n : 0;
      trail->at = (size_t)(run.last - trail->last);
      if (met)
        {
          *place = trail_join (walk, trail);
          slot = slot_find (walk, place->pc);
        }
      more = met || (run.to == run.end && walk->n < walk->max);
    }
  trail_add (trail, place);
  return slot;
}

/* Go on from PLACE, which was noted.  */
static enum sfw_end
walk_by_links (struct walk_state *walk, struct trail *trail,
               struct walk_place place)
{
  enum sfw_end end;
  /* A struct walk_place does not say that its frame was interrupted.  */
  if (walk->frame.interrupted)
    {
      trail_add (trail, &place);
      end = step_slowly (walk, trail, &place);
      if (end != SFW_MORE || walk->n == walk->max)
        return end;
    }
  struct slot *slot = slot_find (walk, place.pc);
  for (;;)
    {
      size_t n = walk->n;
      slot = follow_links (walk, trail, slot, &place);
      if (walk->n != n)
        walk_place (walk, &place);
      if (walk->n == walk->max)
        return SFW_MORE;
      end = walk_ends (walk, slot) ? SFW_OUTERMOST
                                   : step_slowly (walk, trail, &place);
      if (end != SFW_MORE || walk->n == walk->max)
        return end;
      slot = slot_next (walk, slot, place.pc);
    }
}

/* Record that the last walk has N frames.  Behind them is an entry that is not
   a frame: its PC is 0, and searches for an SP stop there.  */
static void
walker_seen (struct sfw_walker *walker, size_t n)
{
  walker->seen[walker->last][n]
      = (struct seen){ .place = { .sp = UINT64_MAX } };
  walker->n_seen = n;
}

/* Repeat the last walk as far as it is still true; then go by links.  */
static enum sfw_end
walk_remembering (struct walk_state *walk)
{
  struct sfw_walker *walker = walk->walker;
  struct trail trail = { .last = walker->seen[walker->last],
                         .own = walker->seen[!walker->last],
                         .n_last = walker->n_seen };
  struct walk_place place = { walk->frame.pc, walk->frame.sp, walk->frame.fp };
  bool more = walk_note (walk, place.pc, frame_mark (walk));
  if (!more)
    return SFW_MORE;
  if (!walk->frame.interrupted && trail.n_last > 0
      && same_place (&trail.last[0].place, &place))
    {
      size_t to = follow_last (walk, trail.last, trail.n_last, 0);
      place = trail.last[to].place;
      if (to > 0)
        walk_place (walk, &place);
      if (walk->n == walk->max)
        return SFW_MORE;
      if (to + 1 == trail.n_last
          && walk_ends (walk, slot_find (walk, place.pc)))
        return SFW_OUTERMOST;
      memcpy (trail.own, trail.last, to * sizeof *trail.own);
      trail.n_own = to;
      trail.at = to + 1;
    }
  enum sfw_end end = walk_by_links (walk, &trail, place);
  walker->last = !walker->last;
  walker_seen (walker, trail.n_own);
  return end;
}

/* Forget what was learnt from other modules.  */
static void
walker_renew (struct sfw_walker *walker)
{
  unsigned long generation = sfw_modules_generation (walker->modules);
  if (walker->generation == generation)
    return;
  for (size_t i = 0; i < SETS * WAYS; i++)
    walker->slots[i]
        = (struct slot){ .next = &walker->slots[i], .cfa = NOWHERE };
  walker_seen (walker, 0);
  walker->generation = generation;
}

/* The last frame for which there was room was not asked about by a step: mark
   it here.  */
static void
mark_last (struct walk_state *walk)
{
  struct unwind_rules rules;
  if (!walk->frame.interrupted)
    {
      frame_rules (walk, walk->frame.pc, false, &rules);
      if (rules.at_pc)
        mark_no_call (walk);
    }
}

static void
walk_set_memory (struct walk_state *walk, const struct sfw_memory *memory)
{
  walk->memory = memory;
  walk->range.low = memory->low;
  walk->range.shift = (uint64_t)(uintptr_t)memory->bytes - memory->low;
  if (memory->high >= memory->low
      && memory->high - memory->low >= sizeof (uint64_t))
    walk->range.span = memory->high - memory->low - sizeof (uint64_t) + 1;
}

size_t
sfw_walk (struct sfw_walker *walker, const struct sfw_memory *memory,
          struct sfw_frame *frame, uint64_t *addresses, uint8_t *marks,
          size_t max, enum sfw_end *end)
{
  struct walk_state walk = { .walker = walker,
                             .frame = *frame,
                             .addresses = addresses,
                             .marks = marks,
                             .max = max };
  enum sfw_end why = SFW_MORE;
  walk_set_memory (&walk, memory);
  /* Only signal handlers of the same thread can interrupt this function.  */
  if (max > 0 && atomic_load_explicit (&walker->busy, memory_order_relaxed))
    why = walk_plainly (&walk);
  else if (max > 0)
    {
      atomic_store_explicit (&walker->busy, true, memory_order_relaxed);
      atomic_signal_fence (memory_order_seq_cst);
      walker_renew (walker);
      why = walk_remembering (&walk);
      atomic_signal_fence (memory_order_seq_cst);
      atomic_store_explicit (&walker->busy, false, memory_order_relaxed);
    }
  if (why == SFW_MORE && marks != NULL && max > 0)
    mark_last (&walk);
  if (walk.hold.table != NULL)
    walk_modules_let_go (walker->modules, walk.hold);
  *frame = walk.frame;
  if (end != NULL)
    *end = why;
  return walk.n;
}
