/* Walks that remember what they saw.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Rules that were looked up stay in slots (slots.h).  Of the last walk, every
   frame is remembered, with the places where its return address and its FP
   were read.  When a walk meets a frame of the last walk, with equal PC, SP
   and FP, it reads those places again: as long as their contents are equal,
   the frames are equal.  What no slot holds, and all unusual stacks, are left
   to unwind_apply, which also says why a walk ends.  */

#include <config.h>

#include <stdatomic.h>
#include <string.h>

#include "walk/slots.h"
#include "walk/walker.h"

enum
{
  SEEN_MAX = 1024 /* how many frames of a walk are remembered */
};

/* One walk, the innermost frame first; P and L are places of frames:

     struct seen, last walk   L0 - L1 - L2 - L3 - L4 - L5
                               =    =              =    =
     struct seen, this walk   P0 - P1 - P2 - P3 - P4 - P5
     struct walk_slot              S1 > S2 > S3
     by                       follow_  run_links    trail_
                              last                  join

   Where RA and FP of L0's caller were saved, follow_last reads L1's PC and FP
   again, but not L2's where L1 had them.  The rule in slot S1, of L1's PC,
   leads to P2, and S1 says that S2 was next the last time.  run_links, whose
   struct link_run says how far it is in both walks, goes on so until a place
   is one of the last walk: L4.  What no slot has takes a step by step_slowly.
   A struct trail is both records: this walk's is the next one's last.  */

/* A frame of the last walk.  */
struct seen
{
  struct walk_place place;
  struct walk_saved saved; /* the CFA is the next one's SP */
};

struct sfw_walker
{
  struct sfw_modules *modules;
  unsigned long generation; /* the modules' when slots and frames were made */
  sfw_fallback *fallback;
  void *context;
  struct walk_limits limits;
  atomic_bool busy;
  unsigned last; /* index of the last walk in seen */
  size_t n_seen;
  /* Each has room for an entry behind the last frame.  */
  struct seen seen[2][SEEN_MAX + 1];
  struct walk_slots slots;
};

/* Walkers are in memory as malloc gives it.  With vector registers wider than
   that the compiler would otherwise clear and copy by instructions that fault
   there.  */
_Static_assert(_Alignof(struct sfw_walker) <= _Alignof(max_align_t),
               "a walker is aligned as what malloc returns");

/* A walk under way.  */
struct walk_state
{
  struct sfw_walker *walker;
  struct walk_finder finder;
  struct walk_window window;
  struct sfw_frame frame;
  bool by_fallback; /* the fallback found FRAME */
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

/* ---- Steps */

/* The step that the user's fallback takes from walk->frame, where END says
   that no section or row describes the frame.  */
static enum sfw_end
step_by_fallback (struct walk_state *walk, enum sfw_end end)
{
  struct sfw_walker *walker = walk->walker;
  struct sfw_frame frame = walk->frame;
  if (walker->fallback == NULL || (end != SFW_NO_SECTION && end != SFW_NO_ROW)
      || !walker->fallback (walker->context, &frame, walk->finder.memory))
    return end;
  if (frame.pc == 0)
    return SFW_ZERO;
  if (frame.sp <= walk->frame.sp)
    return SFW_NO_PROGRESS;
  frame.stack_changes = walk->frame.stack_changes;
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
walk_ends (struct walk_state *walk, const struct walk_slot *slot)
{
  if (slot->mode & SLOT_AT_PC)
    mark_no_call (walk);
  return slot->mode & SLOT_ENDS;
}

/* PLACE is the frame to go on from: a call made it, and no signal interrupted
   it.  */
static inline void
stand_at (struct walk_state *walk, const struct walk_place *place)
{
  walk->frame
      = (struct sfw_frame){ .pc = place->pc,
                            .sp = place->sp,
                            .fp = place->fp,
                            .stack_changes = walk->frame.stack_changes };
  walk->by_fallback = false;
}

/* A step from walk->frame, which is noted, whatever its rule is and whatever
   interrupted it.  */
static enum sfw_end
step_anew (struct walk_state *walk)
{
  struct unwind_rules rules;
  struct walk_slot slot = { .cfa = NOWHERE };
  struct sfw_frame *frame = &walk->frame;
  enum sfw_end end
      = walk_find_rules (&walk->finder, frame->pc, frame->interrupted, &rules);
  if (rules.at_pc && !frame->interrupted)
    mark_no_call (walk);
  walk->by_fallback = false;
  if (end != SFW_MORE)
    return step_by_fallback (walk, end);
  walk_slot_fill (&slot, &rules);
  struct walk_place place = { frame->pc, frame->sp, frame->fp };
  if (!walk_slot_apply (walk->window, &slot, &place))
    return unwind_apply (frame, walk->finder.memory, &rules);
  stand_at (walk, &place);
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

/* N frames more have been noted, which get no marks.  */
static inline void
walk_noted (struct walk_state *walk, size_t n)
{
  if (walk->marks != NULL)
    memset (walk->marks + walk->n, 0, n);
  walk->n += n;
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

/* ---- The last walk */

static inline bool
same_place (const struct walk_place *a, const struct walk_place *b)
{
  return a->pc == b->pc && a->sp == b->sp && a->fp == b->fp;
}

/* Whether the caller of SEEN is still the one that was noted, NEXT.  */
static inline bool
still_true (struct walk_window window, const struct seen *seen,
            const struct seen *next)
{
  uint64_t cfa = next->place.sp, word;
  uint64_t ra_at = cfa + (uint64_t)(int64_t)seen->saved.ra;
  uint64_t fp_at = cfa + (uint64_t)(int64_t)seen->saved.fp;
  bool same = seen->saved.ra != NOWHERE
              && walk_window_read (window, ra_at, &word)
              && word == next->place.pc;
  if (same && seen->saved.fp != NOWHERE)
    same = walk_window_read (window, fp_at, &word) && word == next->place.fp;
  return same;
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

/* Note the frames that follow frame number trail->at of the last walk, as far
   as memory still says the same.  Returns the number of the last of them.  */
static size_t
follow_last (struct walk_state *walk, const struct trail *trail)
{
  const struct walk_window window = walk->window;
  const struct seen *last = trail->last;
  size_t left = walk->max - walk->n, at = trail->at, to = at;
  size_t n = trail->n_last - at - 1 < left ? trail->n_last : at + left + 1;
  uint64_t *addresses = walk->addresses + walk->n;
  while (to + 1 < n && still_true (window, &last[to], &last[to + 1]))
    *addresses++ = last[++to].place.pc;
  walk_noted (walk, to - at);
  return to;
}

/* Record the frames of the last walk from number trail->at on, but not number
   TO, the last one that both walks have.  Returns its place.  */
static struct walk_place
trail_join (struct trail *trail, size_t to)
{
  size_t n = to - trail->at, room = SEEN_MAX - trail->n_own;
  n = n < room ? n : room;
  memcpy (trail->own + trail->n_own, trail->last + trail->at,
          n * sizeof *trail->own);
  trail->n_own += n;
  trail->at = to + 1;
  return trail->last[to].place;
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
run_links (struct walk_state *walk, struct link_run *run,
           struct walk_slot **slot, struct walk_place *place, bool writes)
{
  const struct walk_window window = walk->window;
  struct link_run now = *run;
  struct walk_slot *with = *slot;
  struct walk_place at = *place;
  bool met = false;
  while (now.to < now.end && !met)
    {
      struct walk_place from = at;
      if (!walk_slot_apply (window, with, &at))
        break;
      *now.to++ = at.pc;
      if (writes)
        *now.own++ = (struct seen){ from, with->saved };
      with = walk_slot_next (&walk->finder, with, at.pc);
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
static struct walk_slot *
follow_links (struct walk_state *walk, struct trail *trail,
              struct walk_slot *slot, struct walk_place *place)
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
      walk_noted (walk, n);
      trail->n_own += writes ? n : 0;
      trail->at = (size_t)(run.last - trail->last);
      if (met)
        {
          *place = trail_join (trail, follow_last (walk, trail));
          slot = walk_slot_of (&walk->finder, place->pc);
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
  struct walk_slot *slot = walk_slot_of (&walk->finder, place.pc);
  for (;;)
    {
      size_t n = walk->n;
      slot = follow_links (walk, trail, slot, &place);
      if (walk->n != n)
        stand_at (walk, &place);
      if (walk->n == walk->max)
        return SFW_MORE;
      end = walk_ends (walk, slot) ? SFW_OUTERMOST
                                   : step_slowly (walk, trail, &place);
      if (end != SFW_MORE || walk->n == walk->max)
        return end;
      slot = walk_slot_next (&walk->finder, slot, place.pc);
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
  if (!walk_note (walk, place.pc, frame_mark (walk)))
    return SFW_MORE;
  if (!walk->frame.interrupted && trail.n_last > 0
      && same_place (&trail.last[0].place, &place))
    {
      size_t to = follow_last (walk, &trail);
      place = trail.last[to].place;
      if (to > 0)
        stand_at (walk, &place);
      if (walk->n == walk->max)
        return SFW_MORE;
      if (to + 1 == trail.n_last
          && walk_ends (walk, walk_slot_of (&walk->finder, place.pc)))
        return SFW_OUTERMOST;
      trail_join (&trail, to);
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
  walk_slots_clear (&walker->slots);
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
      walk_find_rules (&walk->finder, walk->frame.pc, false, &rules);
      if (rules.at_pc)
        mark_no_call (walk);
    }
}

size_t
sfw_walk (struct sfw_walker *walker, const struct sfw_memory *memory,
          struct sfw_frame *frame, uint64_t *addresses, uint8_t *marks,
          size_t max, enum sfw_end *end)
{
  struct walk_state walk = { .walker = walker,
                             .finder = { .slots = &walker->slots,
                                         .modules = walker->modules,
                                         .memory = memory },
                             .window = walk_window_of (memory),
                             .frame = *frame,
                             .addresses = addresses,
                             .marks = marks,
                             .max = max };
  enum sfw_end why = SFW_MORE;
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
  if (walk.finder.hold.table != NULL)
    walk_modules_let_go (walker->modules, walk.finder.hold);
  *frame = walk.frame;
  if (end != NULL)
    *end = why;
  return walk.n;
}
