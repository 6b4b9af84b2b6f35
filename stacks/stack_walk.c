/* Walking a thread's stack by SFrame and by CFI, and comparing the two walks.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A walk by SFrame alternates between two steps.  walk_by_rows follows rows as
   far as they lead, and find_caller finds the caller of the frame where they
   end, in another way.  A step by CFI needs all registers of that frame, which
   rows do not keep.  If CFI asks for a register that is not known,
   catch_up_registers repeats the walk by CFI from the last frame whose
   registers are known.  */

#include "stacks/stack_walk.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "stacks/code_files.h"

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

/* Append FRAME to WALK.  AT_PC: its rules are those of its PC.  */
static void
add_frame (struct stack_walk *walk, const struct sfw_frame *frame, bool at_pc)
{
  walk->frames[walk->n++]
      = (struct frame){ .pc = frame->pc,
                        .sp = frame->sp,
                        .fp = frame->fp,
                        .at_pc = at_pc,
                        .interrupted = frame->interrupted };
}

/* Append FRAME and its callers to WALK, as far as rows from SOURCE lead to
   them.  FRAME becomes the last one.  */
static void
walk_by_rows (struct process *process, const struct unwind_source *source,
              struct sfw_frame *frame, struct stack_walk *walk)
{
  const struct sfw_memory memory = { .read = read_memory, .context = process };
  do
    {
      struct unwind_rules rules;
      walk->end
          = unwind_frame_rules (source, frame->pc, frame->interrupted, &rules);
      add_frame (walk, frame, rules.at_pc);
      if (walk->end == SFW_MORE && walk->n <= walk->max)
        walk->end = unwind_apply (frame, &memory, &rules);
    }
  while (walk->end == SFW_MORE && walk->n <= walk->max);
}

/* The registers of frame number AT of a walk; some are UNKNOWN_REGISTER.  */
struct frame_registers
{
  size_t at;
  struct registers registers;
};

/* Set KNOWN to frame number AT of WALK, with the few registers that it
   has.  */
static void
restart_registers (const struct process *process,
                   const struct stack_walk *walk, size_t at,
                   struct frame_registers *known)
{
  const struct frame *frame = &walk->frames[at];
  struct registers *registers = &known->registers;
  known->at = at;
  registers->pc = frame->pc;
  for (unsigned i = 0; i < registers->n; i++)
    registers->values[i] = UNKNOWN_REGISTER;
  if (process->arch->fixed_ra_offset != 0)
    registers->values[process->arch->ra] = frame->pc;
  if (frame->way != WAY_FP || !arch_tracks_ra (process->arch))
    registers->values[process->arch->sp] = frame->sp;
  registers->values[process->arch->fp] = frame->fp;
}

/* Repeat WALK by CFI from frame KNOWN to the last one.  A register keeps its
   value unless one of the frames in between has saved it.  */
static void
catch_up_registers (struct process *process, const struct stack_walk *walk,
                    struct frame_registers *known)
{
  const unsigned sp = process->arch->sp;
  struct cfi_caller found;
  while (known->at + 1 < walk->n)
    {
      const struct frame *frame = &walk->frames[known->at++];
      if (cfi_step (process, &known->registers, frame->at_pc, &found)
              != SFW_MORE
          || known->registers.pc != frame[1].pc
          || known->registers.values[sp] != frame[1].sp)
        restart_registers (process, walk, known->at, known);
    }
}

/* Replace *FRAME, the last frame of WALK, and KNOWN by its caller, by CFI.  */
static enum sfw_end
step_by_cfi (struct process *process, const struct stack_walk *walk,
             struct frame_registers *known, struct sfw_frame *frame,
             enum frame_way *way)
{
  const struct arch *arch = process->arch;
  const struct frame *last = &walk->frames[walk->n - 1];
  struct frame_registers next = *known;
  struct cfi_caller found;
  if (known->at + 1 != walk->n)
    restart_registers (process, walk, walk->n - 1, &next);
  enum sfw_end step = cfi_step (process, &next.registers, last->at_pc, &found);
  if (step == SFW_REGISTER && known->at + 1 != walk->n)
    {
      catch_up_registers (process, walk, known);
      next = *known;
      step = cfi_step (process, &next.registers, last->at_pc, &found);
    }
  if (step != SFW_MORE)
    return step;
  uint64_t sp = next.registers.values[arch->sp];
  if (next.registers.pc == 0 && !found.interrupted)
    return SFW_ZERO;
  if (!unwind_makes_progress (frame, sp, found.interrupted))
    return SFW_NO_PROGRESS;
  next.at++;
  *known = next;
  *way = found.way;
  uint64_t ra = next.registers.values[arch->ra];
  *frame = (struct sfw_frame){
    .pc = next.registers.pc,
    .sp = sp,
    .fp = next.registers.values[arch->fp],
    .interrupted = found.interrupted,
    .has_ra = arch_tracks_ra (arch) && ra != UNKNOWN_REGISTER,
    .ra = ra,
    .registers = known->registers.values,
    .n_registers = known->registers.n,
    .stack_changes = frame->stack_changes + (sp < frame->sp),
  };
  return step;
}

/* Correct the FP of CALLER, which is KNOWN, if CFI did not mention FP although
   the function has changed it, as in Go.  If FP points into the callee's
   frame, which begins at SP, the callee has saved the caller's FP there.  */
static void
restore_fp (struct process *process, uint64_t sp,
            struct frame_registers *known, struct sfw_frame *caller)
{
  const struct arch *arch = process->arch;
  uint8_t word[sizeof caller->fp];
  if (caller->interrupted || caller->fp < sp || caller->fp >= caller->sp
      || arch->caller_sp_offset != 0)
    return;
  bool there = memory_read (&process->memory, caller->fp, word, sizeof word);
  uint64_t saved = there ? load_u64 (word, arch->big_endian) : 0;
  caller->fp = saved >= caller->sp ? saved : UNKNOWN_REGISTER;
  known->registers.values[arch->fp] = caller->fp;
}

/* Whether the last frame of WALK is in the first code of a program or a
   thread, which nothing describes.  KNOWN is that frame or an earlier one.  */
static bool
is_start (struct process *process, const struct stack_walk *walk,
          const struct frame_registers *known)
{
  const struct frame *last = &walk->frames[walk->n - 1];
  uint64_t offset, pc = last->pc - !last->at_pc;
  struct code_file *file = process_file_at (process, pc, &offset);
  return (file != NULL && code_file_is_entry (file, offset))
         || (last->at_pc ? known->at + 1 == walk->n
                               && syscall_code_begins_thread (
                                   process, &known->registers)
                         : syscall_code_ends_thread (process, last->pc));
}

/* Ways to find the caller of a frame from which no row leads on.  */
enum
{
  TRY_GUESS = 1, /* assume that a wild pointer was called */
  TRY_CFI = 2,
  TRY_CODE = 4 /* analyze the code for rows; follow the frame pointer */
};

/* The ways that are tried, by the reason why the walk by rows has ended.  */
static const uint8_t tries[SFW_INVALID + 1] = {
  [SFW_NO_SECTION] = TRY_GUESS | TRY_CFI | TRY_CODE,
  [SFW_NO_ROW] = TRY_GUESS | TRY_CFI | TRY_CODE,
  [SFW_REGISTER] = TRY_CFI,
};

enum outcome
{
  WALK_ENDS,    /* walk->end says why */
  WALK_REPEATS, /* the file of the last frame has more rows now: try again */
  WALK_GOES_ON  /* from the caller, which was found */
};

/* Replace *FRAME, the last frame of WALK, from which no row leads on, by its
   caller.  Set *WAY to how the caller was found.  */
static enum outcome
find_caller (struct process *process, struct stack_walk *walk,
             struct frame_registers *known, struct sfw_frame *frame,
             enum frame_way *way)
{
  const struct frame *last = &walk->frames[walk->n - 1];
  const unsigned may = tries[walk->end];
  const uint64_t sp = frame->sp;
  if (walk->n > walk->max)
    return WALK_ENDS;
  *way = WAY_GUESS;
  if (may & TRY_GUESS && guess_step (process, frame))
    return WALK_GOES_ON;
  if (!(may & TRY_CFI) || process->policy.only_sframe)
    return WALK_ENDS;
  enum sfw_end step = step_by_cfi (process, walk, known, frame, way);
  if (step == SFW_MORE)
    {
      restore_fp (process, sp, known, frame);
      return WALK_GOES_ON;
    }
  if (step == SFW_NO_ROW && is_start (process, walk, known))
    step = SFW_OUTERMOST;
  if (step != SFW_NO_ROW)
    {
      walk->end = step;
      return WALK_ENDS;
    }
  if (!(may & TRY_CODE))
    return WALK_ENDS;
  if (process_analyze (process, last->pc - !last->at_pc))
    return WALK_REPEATS;
  *way = WAY_FP;
  return fp_step (process, frame) ? WALK_GOES_ON : WALK_ENDS;
}

/* If no call made the last frame but one of WALK, and its return address is
   not code, a stack begins there, as in coroutines.  Drop the last frame.  */
static void
end_at_start (struct process *process, struct stack_walk *walk)
{
  const struct frame *last = &walk->frames[walk->n - 1];
  if (walk->n > 1 && !last->interrupted && last[-1].at_pc
      && !last[-1].interrupted && !process_is_code (process, last->pc))
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
  struct frame_registers known = { 0, *registers };
  enum frame_way way = WAY_ROW;
  enum outcome next;
  walk->n = 0;
  const struct unwind_source source
      = { process->find_rules != NULL ? process->find_rules
                                      : process_find_rules,
          process, process_read_code, process };
  do
    {
      struct frame *first = &walk->frames[walk->n];
      if (way == WAY_FP)
        fp_step_find_sp (process, &source, &frame);
      walk_by_rows (process, &source, &frame, walk);
      first->way = way;
      process->missing = NULL;
      next = find_caller (process, walk, &known, &frame, &way);
      if (next == WALK_REPEATS)
        way = walk->frames[--walk->n].way;
    }
  while (next != WALK_ENDS);
  walk->missing = process->missing;
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
  struct sfw_frame frame = innermost_frame (process, registers);
  struct frame_registers known = { 0, *registers };
  enum frame_way ignored;
  walk->n = 0;
  do
    {
      add_frame (walk, &frame, frame.interrupted);
      walk->end = step_by_cfi (process, walk, &known, &frame, &ignored);
      /* The walk is compared with another one by FP, too.  */
      if (walk->end == SFW_MORE && frame.fp == UNKNOWN_REGISTER)
        walk->end = SFW_REGISTER;
    }
  while (walk->end == SFW_MORE && walk->n < walk->max);
}

/* ---- Comparing */

size_t
stack_walk_same_frames (const struct stack_walk *a, const struct stack_walk *b)
{
  size_t i = 0;
  /* `interrupted' is not compared: libdwfl, which the tests compare with,
     calls a trampoline an activation, too.  */
  while (i < a->n && i < b->n && a->frames[i].pc == b->frames[i].pc
         && a->frames[i].sp == b->frames[i].sp
         && a->frames[i].fp == b->frames[i].fp)
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
