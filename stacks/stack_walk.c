/* Walking a thread's stack, by SFrame and by CFI.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "stacks/stack_walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "stacks/code_symbols.h"
#include "stacks/syscall_code.h"
#include "walk/frame_rules.h"
#include "walk/walker.h"

enum
{
  LEAF_INSTRUCTIONS = 256 /* that are looked at for a return */
};

bool
stack_walk_init (struct stack_walk *walk, size_t max)
{
  *walk = (struct stack_walk){ .max = max };
  walk->frames = reallocarray (NULL, max + 1, sizeof *walk->frames);
  return walk->frames != NULL;
}

void
stack_walk_free (struct stack_walk *walk)
{
  free (walk->frames);
  walk->frames = NULL;
}

static bool
read_memory (void *context, uint64_t address, void *to, size_t size)
{
  struct process *process = context;
  return memory_read (&process->memory, address, to, size);
}

static struct sfw_frame
innermost_frame (const struct process *process,
                 const struct registers *registers)
{
  const struct arch *arch = process->arch;
  return (struct sfw_frame){ .pc = registers->pc,
                             .sp = registers->values[arch->sp],
                             .fp = registers->values[arch->fp],
                             .interrupted = true,
                             .has_ra = arch_tracks_ra (arch),
                             .ra = registers->values[arch->ra],
                             .registers = registers->values,
                             .n_registers = registers->n };
}

/* ADDRESS, a return address, without its signature.  */
static uint64_t
unsigned_address (const struct arch *arch, uint64_t address)
{
  return arch->ra_signing ? address & ~PAC_BITS : address;
}

/* The return address of the call that led to FRAME, and the SP of the caller.
   False if either is not known.  */
static bool
call_of (const struct sfw_frame *frame, struct process *process, uint64_t *pc,
         uint64_t *sp)
{
  const struct arch *arch = process->arch;
  uint8_t word[sizeof *pc];
  *pc = unsigned_address (arch, frame->ra);
  *sp = frame->sp;
  if (arch_tracks_ra (arch))
    return frame->has_ra;
  if (!memory_read (&process->memory, *sp, word, sizeof word))
    return false;
  *pc = load_u64 (word, arch->big_endian);
  *sp += sizeof word;
  return true;
}

/* Whether the program can run at PC.  A mapping that is not known may be one
   that was made just now.  */
static bool
is_code (struct process *process, uint64_t pc)
{
  const struct mapping *mapping = process_mapping_at (process, pc);
  uint8_t byte;
  return mapping != NULL ? mapping->runs
                         : process_read_code (process, pc, &byte, sizeof byte);
}

/* Go from a frame with a PC outside of code to its caller: a NULL pointer, or
   a wild one, or one to data was called.  A call must end where the caller
   would go on.  */
static bool
guess_caller (struct sfw_frame *frame, struct process *process)
{
  const struct unwind_source source
      = { .read = process_read_code, .reader = process };
  uint64_t pc, sp;
  if (!frame->interrupted || is_code (process, frame->pc)
      || !call_of (frame, process, &pc, &sp) || !is_code (process, pc)
      || !unwind_may_end_call (&source, process->arch, pc, false))
    return false;
  frame->pc = pc;
  frame->sp = sp;
  frame->interrupted = frame->has_ra = false;
  frame->registers = NULL;
  return true;
}

/* Whether PC may be a return address: in a file a call ends there.  Code that
   is in no file is a just-in-time compiler's, which may have put return
   addresses on the stack without a call, as Java's interpreter does.  */
static bool
may_be_returned_to (struct process *process, uint64_t pc)
{
  const struct unwind_source source
      = { .read = process_read_code, .reader = process };
  return process_is_file_at (process, pc)
             ? unwind_may_end_call (&source, process->arch, pc, false)
             : process_runs_at (process, pc);
}

/* Take the caller's FP and the return address from the two words at AT of the
   stack.  */
static bool
read_fp_frame (struct process *process, uint64_t at, struct sfw_frame *frame)
{
  const struct arch *arch = process->arch;
  uint8_t words[2 * sizeof (uint64_t)];
  if (at % 8 != 0 || at < frame->sp
      || !memory_read (&process->memory, at, words, sizeof words))
    return false;
  frame->fp = load_u64 (words, arch->big_endian);
  frame->pc = unsigned_address (
      arch, load_u64 (words + sizeof (uint64_t), arch->big_endian));
  frame->sp = at + sizeof words;
  return true;
}

/* How far the code of FRAME is with its frame.  A call is made when the frame
   is complete.  */
static enum arch_fp_frame
fp_frame_of (struct process *process, const struct sfw_frame *frame)
{
  uint8_t code[FP_FRAME_CODE] = { 0 };
  uint8_t *at = code + FP_FRAME_BEFORE;
  if (!frame->interrupted || process->arch->fp_frame == NULL
      || !process_read_code (process, frame->pc, at,
                             sizeof code - FP_FRAME_BEFORE))
    return FP_FRAME_MADE;
  /* Code may begin at PC, or shortly before it.  */
  for (unsigned i = 1;
       i <= FP_FRAME_BEFORE
       && process_read_code (process, frame->pc - i, at - i, 1);
       i++)
    continue;
  return process->arch->fp_frame (code);
}

/* Whether the code at PC returns by the register for return addresses as that
   is: it gets to the return past nothing that changes the register.  What is
   there then is the return address at PC, too.  */
static bool
returns_by_register (struct process *process, uint64_t pc)
{
  const struct arch *arch = process->arch;
  uint8_t instruction[sizeof (uint32_t)];
  enum arch_ra_use use = RA_KEPT;
  for (unsigned i = 0;
       i < LEAF_INSTRUCTIONS && use == RA_KEPT
       && process_read_code (process, pc, instruction, sizeof instruction);
       i++, pc += sizeof instruction)
    use = arch->ra_use (instruction);
  return use == RA_RETURN;
}

/* Whether the code of FRAME has made no frame, although it is at none of its
   ends, so that FP leads to where the caller returns to.  */
static bool
is_leaf (struct process *process, const struct sfw_frame *frame)
{
  const struct arch *arch = process->arch;
  return frame->interrupted && frame->has_ra && arch->ra_use != NULL
         && may_be_returned_to (process, unsigned_address (arch, frame->ra))
         && returns_by_register (process, frame->pc);
}

/* Go to the caller as code does that keeps frame pointers: FP points to its
   own caller's and the return address, if the code has set it up.  */
static bool
step_by_fp (struct sfw_frame *frame, struct process *process)
{
  struct sfw_frame caller = *frame;
  bool found = false;
  if (process->arch->caller_sp_offset != 0)
    return false;
  switch (fp_frame_of (process, frame))
    {
    case FP_FRAME_NONE:
      found = call_of (frame, process, &caller.pc, &caller.sp);
      break;
    case FP_FRAME_PUSHED:
      found = read_fp_frame (process, frame->sp, &caller);
      break;
    case FP_FRAME_MADE:
      found = read_fp_frame (process, frame->fp, &caller);
      if (found && is_leaf (process, frame))
        {
          caller = *frame;
          found = call_of (frame, process, &caller.pc, &caller.sp);
        }
      break;
    }
  if (!found || !may_be_returned_to (process, caller.pc))
    return false;
  caller.interrupted = caller.has_ra = false;
  caller.registers = NULL;
  *frame = caller;
  return true;
}

/* Where PROCESS has rules and code.  */
static struct unwind_source
source_of (struct process *process)
{
  return (struct unwind_source){ process->find_rules != NULL
                                     ? process->find_rules
                                     : process_find_rules,
                                 process, process_read_code, process };
}

/* Set the SP of FRAME, to which a frame pointer has led.  Where code has the
   return address in a register, the two words that FP points to may be
   anywhere in a frame, so that read_fp_frame knows only what SP is not below.
   If the row of FRAME says where these words are, SP is known.  If it needs SP
   and does not say so, nothing can be read there.  */
static void
settle_sp (struct process *process, struct sfw_frame *frame)
{
  const struct unwind_source source = source_of (process);
  struct unwind_rules rules;
  if (!arch_tracks_ra (process->arch)
      || unwind_frame_rules (&source, frame->pc, false, &rules) != SFW_MORE)
    return;
  const struct frame_row *row = &rules.row;
  if (row->cfa.kind == RULE_UNDEFINED || row->cfa.reg != process->arch->sp)
    return;
  uint64_t sp = frame->fp - (uint64_t)(int64_t)row->fp.offset
                - (uint64_t)(int64_t)row->cfa.offset;
  bool known = row->cfa.kind == RULE_REG && row->fp.kind == RULE_DEREF_CFA
               && row->ra.kind == RULE_DEREF_CFA
               && row->ra.offset - row->fp.offset == sizeof (uint64_t)
               && sp >= frame->sp;
  frame->sp = known ? sp : UNKNOWN_REGISTER;
}

/* Append to WALK the N frames of the walk that WALKER has made; LAST is the
   last one.  */
static void
append_frames (struct stack_walk *walk, const struct sfw_walker *walker,
               const struct sfw_frame *last, const uint8_t *marks, size_t n)
{
  for (size_t i = 0; i < n; i++)
    {
      struct walk_place place = { last->pc, last->sp, last->fp };
      if (i + 1 < n)
        place = walk_walker_place (walker, i);
      bool interrupted = marks[i] & SFW_MARK_INTERRUPTED;
      walk->frames[walk->n++] = (struct frame){
        .pc = place.pc,
        .sp = place.sp,
        .fp = place.fp,
        .at_pc = interrupted || (marks[i] & SFW_MARK_NO_CALL) != 0,
        .interrupted = interrupted,
      };
    }
}

/* Append *FRAME to WALK, and its callers as far as rows lead to them and the
   library remembers them.  *FRAME becomes the last one.  */
static void
walk_by_rows (struct process *process, struct sfw_frame *frame,
              struct stack_walk *walk)
{
  uint64_t addresses[WALK_SEEN_MAX], start = 0, size = 0;
  uint8_t marks[WALK_SEEN_MAX];
  size_t room = walk->max + 1 - walk->n;
  enum sfw_end end;
  const void *bytes
      = memory_around (&process->memory, frame->sp, &start, &size);
  const struct sfw_memory memory = { .bytes = bytes,
                                     .low = start,
                                     .high = start + size,
                                     .read = read_memory,
                                     .context = process };
  size_t n = sfw_walk (process->walker, &memory, frame, addresses, marks,
                       room < WALK_SEEN_MAX ? room : WALK_SEEN_MAX, &end);
  append_frames (walk, process->walker, frame, marks, n);
  walk->end = end;
}

/* Whether the file of the last frame of WALK, which no row describes, has
   got rows that it did not have.  */
static bool
gets_rows (struct process *process, const struct stack_walk *walk)
{
  const struct frame *last = &walk->frames[walk->n - 1];
  return process_analyze (process, last->pc - !last->at_pc);
}

/* All registers of frame number AT of a walk, as far as they are known.  */
struct full_frame
{
  size_t at;
  struct registers registers;
};

/* Make FULL the frame number AT of WALK.  No more is known of it than
   walks by rows tell, or by the frame pointer (settle_sp).  */
static void
full_set (const struct process *process, const struct stack_walk *walk,
          size_t at, struct full_frame *full)
{
  const struct frame *frame = &walk->frames[at];
  struct registers *registers = &full->registers;
  full->at = at;
  registers->pc = frame->pc;
  for (unsigned i = 0; i < registers->n; i++)
    registers->values[i] = UNKNOWN_REGISTER;
  if (process->arch->fixed_ra_offset != 0)
    registers->values[process->arch->ra] = frame->pc;
  if (frame->way != WAY_FP || !arch_tracks_ra (process->arch))
    registers->values[process->arch->sp] = frame->sp;
  registers->values[process->arch->fp] = frame->fp;
}

/* Bring FULL to the last frame of WALK: what no frame in between has saved is
   what it was.  */
static void
full_catch_up (struct process *process, const struct stack_walk *walk,
               struct full_frame *full)
{
  const unsigned sp = process->arch->sp;
  struct full_caller found;
  while (full->at + 1 < walk->n)
    {
      const struct frame *frame = &walk->frames[full->at++];
      if (full_step (process, &full->registers, frame->at_pc, &found)
              != SFW_MORE
          || full->registers.pc != frame[1].pc
          || full->registers.values[sp] != frame[1].sp)
        full_set (process, walk, full->at, full);
    }
}

/* CFI that does not mention FP, as Go's, leaves it as it was, although a
   function has made FP its own: if FP points into the frame from SP on that
   the CALLER does not have any more, the caller's FP is where it points.  */
static void
restore_fp (struct process *process, uint64_t sp, struct registers *caller)
{
  const struct arch *arch = process->arch;
  uint64_t *fp = &caller->values[arch->fp];
  uint64_t end = caller->values[arch->sp];
  uint8_t word[sizeof *fp];
  if (*fp < sp || *fp >= end || arch->caller_sp_offset != 0)
    return;
  bool there = memory_read (&process->memory, *fp, word, sizeof word);
  uint64_t saved = there ? load_u64 (word, arch->big_endian) : 0;
  *fp = saved >= end ? saved : UNKNOWN_REGISTER;
}

/* Go from *FRAME, the last one of WALK, to its caller by CFI; FULL becomes
   that caller.  */
static enum sfw_end
step_by_cfi (struct process *process, const struct stack_walk *walk,
             struct full_frame *full, struct sfw_frame *frame,
             enum frame_way *way)
{
  const struct arch *arch = process->arch;
  const struct frame *last = &walk->frames[walk->n - 1];
  struct full_frame next = *full;
  struct full_caller found;
  if (full->at + 1 != walk->n)
    full_set (process, walk, walk->n - 1, &next);
  enum sfw_end step
      = full_step (process, &next.registers, last->at_pc, &found);
  if (step == SFW_REGISTER && full->at + 1 != walk->n)
    {
      full_catch_up (process, walk, full);
      next = *full;
      step = full_step (process, &next.registers, last->at_pc, &found);
    }
  if (step != SFW_MORE)
    return step;
  uint64_t sp = next.registers.values[arch->sp];
  if (next.registers.pc == 0 && !found.interrupted)
    return SFW_ZERO;
  if (!unwind_gets_on (frame, sp, found.interrupted))
    return SFW_NO_PROGRESS;
  if (!found.interrupted)
    restore_fp (process, frame->sp, &next.registers);
  next.at++;
  *full = next;
  *way = found.way;
  uint64_t ra = next.registers.values[arch->ra];
  *frame = (struct sfw_frame){
    .pc = next.registers.pc,
    .sp = sp,
    .fp = next.registers.values[arch->fp],
    .interrupted = found.interrupted,
    .has_ra = arch_tracks_ra (arch) && ra != UNKNOWN_REGISTER,
    .ra = ra,
    .registers = full->registers.values,
    .n_registers = full->registers.n,
    .stack_changes = frame->stack_changes + (sp < frame->sp),
  };
  return step;
}

/* Whether the program, or a thread, begins in the last frame of WALK, in code
   that nothing describes.  */
static bool
is_start (struct process *process, const struct stack_walk *walk)
{
  const struct frame *last = &walk->frames[walk->n - 1];
  uint64_t offset, pc = last->pc - !last->at_pc;
  struct code_file *file = process_file_at (process, pc, &offset);
  return (file != NULL && code_file_is_entry (file, offset))
         || (!last->at_pc && syscall_code_ends (process, last->pc));
}

/* What is tried, in this order, where a walk by rows has ended, by why.  */
enum
{
  TRY_ROWS = 1,  /* for more than the library remembers */
  TRY_GUESS = 2, /* that what was called is no code */
  TRY_CFI = 4,
  TRY_CODE = 8 /* rows that are made from it, and the frame pointer */
};
static const uint8_t tries[SFW_INVALID + 1] = {
  [SFW_MORE] = TRY_ROWS,
  [SFW_NO_SECTION] = TRY_GUESS | TRY_CFI | TRY_CODE,
  [SFW_NO_ROW] = TRY_GUESS | TRY_CFI | TRY_CODE,
  [SFW_REGISTER] = TRY_CFI,
};

enum outcome
{
  WALK_ENDS,    /* walk->end says why */
  WALK_REPEATS, /* rows may lead on from the last frame now */
  WALK_GOES_ON  /* with the caller, which was found */
};

/* Replace *FRAME, the last one of WALK, from which no row leads on, by its
   caller, and say how that was found.  */
static enum outcome
find_caller (struct process *process, struct stack_walk *walk,
             struct full_frame *full, struct sfw_frame *frame,
             enum frame_way *way)
{
  const unsigned may = tries[walk->end];
  if (walk->n > walk->max)
    return WALK_ENDS;
  if (may & TRY_ROWS)
    return WALK_REPEATS;
  if (may & TRY_GUESS && guess_caller (frame, process))
    return *way = WAY_GUESS, WALK_GOES_ON;
  if (!(may & TRY_CFI) || process->policy.only_sframe)
    return WALK_ENDS;
  enum sfw_end step = step_by_cfi (process, walk, full, frame, way);
  if (step == SFW_MORE)
    return WALK_GOES_ON;
  if (step == SFW_NO_ROW && is_start (process, walk))
    step = SFW_OUTERMOST;
  if (step != SFW_NO_ROW)
    return walk->end = step, WALK_ENDS;
  if (may & TRY_CODE && gets_rows (process, walk))
    return WALK_REPEATS;
  if (may & TRY_CODE && step_by_fp (frame, process))
    return *way = WAY_FP, WALK_GOES_ON;
  return WALK_ENDS;
}

/* If no call made the last frame but one of WALK, and what it has for a return
   address is not code, it is where a stack begins, as in coroutines: the last
   frame is none.  */
static void
end_at_start (struct process *process, struct stack_walk *walk)
{
  const struct frame *last = &walk->frames[walk->n - 1];
  if (walk->n > 1 && !last->interrupted && last[-1].at_pc
      && !last[-1].interrupted && !is_code (process, last->pc))
    {
      walk->n--;
      walk->end = SFW_OUTERMOST;
    }
}

void
stack_walk_by_sframe (struct process *process,
                      const struct registers *registers,
                      struct stack_walk *walk)
{
  struct sfw_frame frame = innermost_frame (process, registers);
  struct full_frame full = { 0, *registers };
  enum frame_way way = WAY_ROW;
  enum outcome next;
  walk->n = 0;
  const struct unwind_source source = source_of (process);
  if (!process_make_walker (process, &source))
    {
      walk->frames[walk->n++]
          = (struct frame){ frame.pc, frame.sp, frame.fp, .at_pc = true,
                            .interrupted = true };
      walk->end = SFW_MEMORY;
      return;
    }
  do
    {
      struct frame *first = &walk->frames[walk->n];
      if (way == WAY_FP)
        settle_sp (process, &frame);
      walk_by_rows (process, &frame, walk);
      first->way = way;
      next = find_caller (process, walk, &full, &frame, &way);
      if (next == WALK_REPEATS)
        way = walk->frames[--walk->n].way;
    }
  while (next != WALK_ENDS);
  end_at_start (process, walk);
  if (walk->n > walk->max)
    {
      walk->n = walk->max;
      walk->end = SFW_MORE;
    }
}

void
stack_walk_by_cfi (struct process *process, const struct registers *registers,
                   struct stack_walk *walk)
{
  const struct arch *arch = process->arch;
  struct registers at = *registers;
  struct full_caller found = { WAY_ROW, true };
  bool at_pc = true;
  walk->end = SFW_MORE;
  for (walk->n = 0; walk->n < walk->max && walk->end == SFW_MORE;
       at_pc = found.interrupted)
    {
      const struct sfw_frame frame = { .pc = at.pc,
                                       .sp = at.values[arch->sp],
                                       .fp = at.values[arch->fp],
                                       .interrupted = found.interrupted };
      walk->frames[walk->n++]
          = (struct frame){ .pc = frame.pc,
                            .sp = frame.sp,
                            .fp = frame.fp,
                            .at_pc = at_pc,
                            .interrupted = found.interrupted,
                            .way = WAY_ROW };
      walk->end = full_step (process, &at, at_pc, &found);
      if (walk->end != SFW_MORE)
        return;
      if (at.pc == 0 && !found.interrupted)
        walk->end = SFW_ZERO;
      else if (at.values[arch->fp] == UNKNOWN_REGISTER)
        walk->end = SFW_REGISTER;
      else if (!unwind_gets_on (&frame, at.values[arch->sp],
                                found.interrupted))
        walk->end = SFW_NO_PROGRESS;
    }
}

static bool
same_frame (const struct frame *a, const struct frame *b)
{
  /* Not `interrupted': libdwfl, the tests' referee, calls a trampoline an
     activation, too.  */
  return a->pc == b->pc && a->sp == b->sp && a->fp == b->fp;
}

size_t
stack_walk_same_frames (const struct stack_walk *a, const struct stack_walk *b)
{
  size_t i = 0;
  while (i < a->n && i < b->n && same_frame (&a->frames[i], &b->frames[i]))
    i++;
  return i;
}

bool
stack_walks_agree (const struct stack_walk *sframe,
                   const struct stack_walk *cfi)
{
  size_t same = stack_walk_same_frames (sframe, cfi);
  return same == cfi->n && (same == sframe->n || cfi->end != SFW_OUTERMOST);
}
