/* Walks of whole stacks, which reuse the results of earlier walks.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A profiler walks nearly the same stack again and again.  So a walker caches
   rules by PC (rule_cache.h), and records every frame of its last walk, with
   the places where the frame's return address and FP were saved.  When a walk
   meets a frame of the last walk with the same PC, SP and FP, it only reads
   those places again.  As long as the words there are the same, the frames are
   the same.  unwind_apply takes all other steps, for rules that are not cached
   and for unusual stacks, and says why a walk ends.  */

#include <config.h>

#include <stdatomic.h>
#include <string.h>

#include "walk/rule_cache.h"
#include "walk/walker.h"

enum
{
  RECORDED_MAX = 1024 /* frames of a walk that are recorded */
};

/* A walk that meets the last one.  L and P are frames, the innermost one
   first, and = stands between frames that are equal:

     records, last walk   L0 - L1 - L2 - L3 - L4 - L5
                          =    =              =    =
     records, this walk   P0 - P1 - P2 - P3 - P4 - P5
     cached rules              R1 > R2 > R3
     found by             repeat_   run_by_   repeat_
                          last_walk cache     last_walk

   P0 equals L0.  repeat_last_walk reads the words again where the return
   address and the FP of L0's caller were saved.  They have not changed, so the
   caller is L1 again.  The return address in L1 has changed.  The rule R1 for
   the PC of P1 leads to P2, and R1->caller is R2, because the caller had the
   PC of R2 in an earlier walk.  run_by_cache goes on like this until a frame
   equals one of the last walk, here L4.  step_slowly takes the steps that no
   cached rule describes.  */

/* A frame of a walk, and where the values of its caller are saved.  */
struct recorded_frame
{
  struct walk_frame frame;
  struct walk_saved saved; /* from the CFA, which is the caller's SP */
};

struct sfw_walker
{
  struct sfw_modules *modules;
  unsigned long generation; /* that CACHE and RECORDS are of */
  sfw_fallback *fallback;
  void *context;
  struct walk_limits limits;
  atomic_bool busy;
  unsigned last; /* index of the last walk in RECORDS */
  size_t n_recorded;
  /* One more, for the end mark of walker_set_recorded.  */
  struct recorded_frame records[2][RECORDED_MAX + 1];
  struct walk_rule_cache cache;
};

/* Users allocate walkers by malloc.  If the alignment of a walker were larger
   than malloc's, the compiler could clear and copy one by vector instructions
   that fault on the memory.  */
_Static_assert(_Alignof(struct sfw_walker) <= _Alignof(max_align_t),
               "a walker is aligned as what malloc returns");

/* The state of one walk.  */
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
  /* The first walk clears the cache and the records (walker_renew).  */
  memset (walker, 0, offsetof (struct sfw_walker, records));
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

/* Step from walk->frame by the user's fallback, if END says that no section or
   row describes the frame.  */
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

/* Mark the frame that was output last: it was not made by a call.  */
static void
mark_no_call (struct walk_state *walk)
{
  if (walk->marks != NULL)
    walk->marks[walk->n - 1] |= SFW_MARK_NO_CALL;
}

/* Whether the frame output last, with the rule CACHED, is the outermost.  */
static bool
is_outermost (struct walk_state *walk, const struct walk_rule *cached)
{
  if (cached->mode & CACHED_AT_PC)
    mark_no_call (walk);
  return cached->mode & CACHED_OUTERMOST;
}

/* Go on from PLAIN, which a call made and no signal interrupted.  */
static inline void
set_frame (struct walk_state *walk, const struct walk_frame *plain)
{
  walk->frame
      = (struct sfw_frame){ .pc = plain->pc,
                            .sp = plain->sp,
                            .fp = plain->fp,
                            .stack_changes = walk->frame.stack_changes };
  walk->by_fallback = false;
}

/* Step from walk->frame, which was output, without the cache.  The frame may
   have any rule, and a signal may have interrupted it.  */
static enum sfw_end
step_uncached (struct walk_state *walk)
{
  struct unwind_rules rules;
  struct walk_rule cached = { .cfa = NO_OFFSET };
  struct sfw_frame *frame = &walk->frame;
  enum sfw_end end
      = walk_find_rules (&walk->finder, frame->pc, frame->interrupted, &rules);
  if (rules.at_pc && !frame->interrupted)
    mark_no_call (walk);
  walk->by_fallback = false;
  if (end != SFW_MORE)
    return step_by_fallback (walk, end);
  walk_rule_fill (&cached, &rules);
  struct walk_frame plain = { frame->pc, frame->sp, frame->fp };
  if (!walk_rule_apply (walk->window, &cached, &plain))
    return unwind_apply (frame, walk->finder.memory, &rules);
  set_frame (walk, &plain);
  return SFW_MORE;
}

/* Output a frame at PC.  False when the arrays are full.  */
static inline bool
output_frame (struct walk_state *walk, uint64_t pc, uint8_t mark)
{
  walk->addresses[walk->n] = pc;
  if (walk->marks != NULL)
    walk->marks[walk->n] = mark;
  return ++walk->n < walk->max;
}

/* Count N frames whose addresses were output already.  They get no marks.  */
static inline void
count_frames (struct walk_state *walk, size_t n)
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

static enum sfw_end
walk_unrecorded (struct walk_state *walk)
{
  enum sfw_end end = SFW_MORE;
  while (end == SFW_MORE
         && output_frame (walk, walk->frame.pc, frame_mark (walk)))
    end = step_uncached (walk);
  return end;
}

/* ---- The last walk */

static inline bool
same_frame (const struct walk_frame *a, const struct walk_frame *b)
{
  return a->pc == b->pc && a->sp == b->sp && a->fp == b->fp;
}

/* Whether NEXT is still the caller of RECORDED, by the words in memory.  */
static inline bool
is_unchanged (struct walk_window window, const struct recorded_frame *recorded,
              const struct recorded_frame *next)
{
  uint64_t cfa = next->frame.sp, word;
  uint64_t ra_at = cfa + (uint64_t)(int64_t)recorded->saved.ra;
  uint64_t fp_at = cfa + (uint64_t)(int64_t)recorded->saved.fp;
  bool same = recorded->saved.ra != NO_OFFSET
              && walk_window_read (window, ra_at, &word)
              && word == next->frame.pc;
  if (same && recorded->saved.fp != NO_OFFSET)
    same = walk_window_read (window, fp_at, &word) && word == next->frame.fp;
  return same;
}

/* The frames of the last walk, and of this one for the next.  */
struct walk_records
{
  const struct recorded_frame *last;
  struct recorded_frame *own;
  size_t n_last, n_own;
  size_t at; /* index in LAST; this walk has passed all before it */
};

/* Record PLAIN as a frame whose caller the next walk has to find anew.  */
static inline void
record_frame (struct walk_records *records, const struct walk_frame *plain)
{
  if (records->n_own < RECORDED_MAX)
    records->own[records->n_own++]
        = (struct recorded_frame){ *plain, { NO_OFFSET, NO_OFFSET } };
}

/* Output the frames that follow frame number records->at of the last walk, as
   long as they are unchanged.  Return the index of the last one.  */
static size_t
repeat_last_walk (struct walk_state *walk, const struct walk_records *records)
{
  const struct walk_window window = walk->window;
  const struct recorded_frame *last = records->last;
  size_t left = walk->max - walk->n, at = records->at, to = at;
  size_t n = records->n_last - at - 1 < left ? records->n_last : at + left + 1;
  uint64_t *addresses = walk->addresses + walk->n;
  while (to + 1 < n && is_unchanged (window, &last[to], &last[to + 1]))
    *addresses++ = last[++to].frame.pc;
  count_frames (walk, to - at);
  return to;
}

/* Record the frames of the last walk from number records->at up to number TO,
   the last that both walks have.  Return that one, which is not recorded.  */
static struct walk_frame
record_common (struct walk_records *records, size_t to)
{
  size_t n = to - records->at, room = RECORDED_MAX - records->n_own;
  n = n < room ? n : room;
  memcpy (records->own + records->n_own, records->last + records->at,
          n * sizeof *records->own);
  records->n_own += n;
  records->at = to + 1;
  return records->last[to].frame;
}

/* Step from walk->frame, which was output and recorded, without the cache, and
   go on until a frame is a call's.  *PLAIN becomes the last frame that was
   output.  It is not recorded.  */
static enum sfw_end
step_slowly (struct walk_state *walk, struct walk_records *records,
             struct walk_frame *plain)
{
  const struct sfw_frame *frame = &walk->frame;
  enum sfw_end end = step_uncached (walk);
  while (end == SFW_MORE && output_frame (walk, frame->pc, frame_mark (walk))
         && frame->interrupted)
    {
      *plain = (struct walk_frame){ frame->pc, frame->sp, frame->fp };
      record_frame (records, plain);
      end = step_uncached (walk);
    }
  *plain = (struct walk_frame){ frame->pc, frame->sp, frame->fp };
  return end;
}

/* The positions of run_by_cache in its input and output.  */
struct cache_run
{
  uint64_t *to, *end;
  struct recorded_frame *own;        /* where frames are recorded, if WRITES */
  const struct recorded_frame *last; /* the next that both walks may have */
};

/* Go on from *PLAIN, which was output and has the rule *CACHED, as long as
   cached rules apply and there is room.  True when *PLAIN has become
   run->last, a frame of the last walk.  Local variables hold what changes with
   every frame, so that they are in registers.  */
static inline bool
run_by_cache (struct walk_state *walk, struct cache_run *run,
              struct walk_rule **cached, struct walk_frame *plain, bool writes)
{
  const struct walk_window window = walk->window;
  struct cache_run now = *run;
  struct walk_rule *with = *cached;
  struct walk_frame at = *plain;
  bool met = false;
  while (now.to < now.end && !met)
    {
      struct walk_frame from = at;
      if (!walk_rule_apply (window, with, &at))
        break;
      *now.to++ = at.pc;
      if (writes)
        *now.own++ = (struct recorded_frame){ from, with->saved };
      with = walk_rule_of_caller (&walk->finder, with, at.pc);
      while (now.last->frame.sp < at.sp)
        now.last++;
      met = now.last->frame.sp == at.sp && same_frame (&now.last->frame, &at);
    }
  *run = now;
  *cached = with;
  *plain = at;
  return met;
}

/* Go on by cached rules, and along the last walk where this walk meets it.
   Record the frame where this stops.  Return the rule of that frame, which
   does not apply unless the arrays are full.  */
static struct walk_rule *
walk_fast (struct walk_state *walk, struct walk_records *records,
           struct walk_rule *cached, struct walk_frame *plain)
{
  bool more = true;
  while (more)
    {
      uint64_t *start = walk->addresses + walk->n;
      size_t room = walk->max - walk->n, left = RECORDED_MAX - records->n_own;
      bool writes = left > 0;
      struct cache_run run
          = { .to = start,
              .end = start + (writes && left < room ? left : room),
              .own = records->own + records->n_own,
              .last = records->last + records->at };
      bool met = writes ? run_by_cache (walk, &run, &cached, plain, true)
                        : run_by_cache (walk, &run, &cached, plain, false);
      size_t n = (size_t)(run.to - start);
      count_frames (walk, n);
      records->n_own += writes ? n : 0;
      records->at = (size_t)(run.last - records->last);
      if (met)
        {
          *plain = record_common (records, repeat_last_walk (walk, records));
          cached = walk_rule_at (&walk->finder, plain->pc);
        }
      more = met || (run.to == run.end && walk->n < walk->max);
    }
  record_frame (records, plain);
  return cached;
}

/* Go on from PLAIN, which was output, to the end of the walk.  */
static enum sfw_end
walk_from (struct walk_state *walk, struct walk_records *records,
           struct walk_frame plain)
{
  enum sfw_end end;
  /* A struct walk_frame does not say that its frame was interrupted.  */
  if (walk->frame.interrupted)
    {
      record_frame (records, &plain);
      end = step_slowly (walk, records, &plain);
      if (end != SFW_MORE || walk->n == walk->max)
        return end;
    }
  struct walk_rule *cached = walk_rule_at (&walk->finder, plain.pc);
  for (;;)
    {
      size_t n = walk->n;
      cached = walk_fast (walk, records, cached, &plain);
      if (walk->n != n)
        set_frame (walk, &plain);
      if (walk->n == walk->max)
        return SFW_MORE;
      end = is_outermost (walk, cached) ? SFW_OUTERMOST
                                        : step_slowly (walk, records, &plain);
      if (end != SFW_MORE || walk->n == walk->max)
        return end;
      cached = walk_rule_of_caller (&walk->finder, cached, plain.pc);
    }
}

/* Record that the last walk has N frames.  Behind them is an end mark with PC
   0, which equals no frame, and the greatest SP, at which searches stop.  */
static void
walker_set_recorded (struct sfw_walker *walker, size_t n)
{
  walker->records[walker->last][n]
      = (struct recorded_frame){ .frame = { .sp = UINT64_MAX } };
  walker->n_recorded = n;
}

/* Walk with cache and records, first along the last walk.  */
static enum sfw_end
walk_recorded (struct walk_state *walk)
{
  struct sfw_walker *walker = walk->walker;
  struct walk_records records = { .last = walker->records[walker->last],
                                  .own = walker->records[!walker->last],
                                  .n_last = walker->n_recorded };
  struct walk_frame plain = { walk->frame.pc, walk->frame.sp, walk->frame.fp };
  if (!output_frame (walk, plain.pc, frame_mark (walk)))
    return SFW_MORE;
  if (!walk->frame.interrupted && records.n_last > 0
      && same_frame (&records.last[0].frame, &plain))
    {
      size_t to = repeat_last_walk (walk, &records);
      plain = records.last[to].frame;
      if (to > 0)
        set_frame (walk, &plain);
      if (walk->n == walk->max)
        return SFW_MORE;
      if (to + 1 == records.n_last
          && is_outermost (walk, walk_rule_at (&walk->finder, plain.pc)))
        return SFW_OUTERMOST;
      record_common (&records, to);
    }
  enum sfw_end end = walk_from (walk, &records, plain);
  walker->last = !walker->last;
  walker_set_recorded (walker, records.n_own);
  return end;
}

/* Drop the cache and the records if the modules have changed.  */
static void
walker_renew (struct sfw_walker *walker)
{
  unsigned long generation = sfw_modules_generation (walker->modules);
  if (walker->generation == generation)
    return;
  walk_rule_cache_clear (&walker->cache);
  walker_set_recorded (walker, 0);
  walker->generation = generation;
}

/* No step was taken from the last frame if the arrays are full.  Find out here
   whether a call made that frame.  */
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
                             .finder = { .cache = &walker->cache,
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
    why = walk_unrecorded (&walk);
  else if (max > 0)
    {
      atomic_store_explicit (&walker->busy, true, memory_order_relaxed);
      atomic_signal_fence (memory_order_seq_cst);
      walker_renew (walker);
      why = walk_recorded (&walk);
      atomic_signal_fence (memory_order_seq_cst);
      atomic_store_explicit (&walker->busy, false, memory_order_relaxed);
    }
  if (why == SFW_MORE && marks != NULL && max > 0)
    mark_last (&walk);
  if (walk.finder.hold.table != NULL)
    walk_modules_release (walker->modules, walk.finder.hold);
  *frame = walk.frame;
  if (end != NULL)
    *end = why;
  return walk.n;
}
