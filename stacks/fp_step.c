/* Steps from code that nothing describes: by FP, and from a call of an address
   outside of code.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A function that keeps frame pointers pushes the caller's FP next to the
   return address and makes FP point there.  An interrupted function may not
   have done so yet, or may have undone it.  The code at PC says how far it is
   (fp_frame_of, is_leaf).  */

#include "stacks/steps.h"

#include "base/bytes.h"

enum
{
  LEAF_INSTRUCTIONS = 256 /* instructions in which a return is searched for */
};

/* Return ADDRESS, a return address, without its signature.  */
static uint64_t
unsigned_address (const struct arch *arch, uint64_t address)
{
  return arch->ra_signing ? address & ~PAC_BITS : address;
}

/* Set *PC to the return address of the call that led to FRAME, and *SP to the
   stack pointer of the caller.  False if either is not known.  */
static bool
find_return_address (const struct sfw_frame *frame, struct process *process,
                     uint64_t *pc, uint64_t *sp)
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

bool
guess_step (struct process *process, struct sfw_frame *frame)
{
  uint64_t pc, sp;
  if (!frame->interrupted || process_is_code (process, frame->pc)
      || !find_return_address (frame, process, &pc, &sp)
      || !(process_may_return_to (process, pc)
           || syscall_code_is_sigreturn (process, pc)))
    return false;
  frame->pc = pc;
  frame->sp = sp;
  frame->interrupted = frame->has_ra = false;
  frame->registers = NULL;
  return true;
}

/* Whether PC may be a return address.  In code of a file, a call must end
   there.  Code in no file is a just-in-time compiler's, which may put return
   addresses on the stack without a call (Java's interpreter).  */
static bool
is_return_address (struct process *process, uint64_t pc)
{
  uint64_t offset;
  return process_file_at (process, pc, &offset) != NULL
             ? process_may_return_to (process, pc)
             : process_is_executable (process, pc);
}

/* Set FRAME to the caller by the two words at AT of the stack: the caller's FP
   and the return address.  */
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

/* Return how much of its frame the code of FRAME has made.  If it has called
   another function, the frame is complete.  */
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

/* Whether the code of FRAME is a leaf function that makes no frame, so that FP
   is the caller's.  Such code reaches a return by the return address register
   without an instruction that changes the register.  The register has the
   return address at PC, too, then.  */
static bool
is_leaf (struct process *process, const struct sfw_frame *frame)
{
  const struct arch *arch = process->arch;
  uint8_t instruction[sizeof (uint32_t)];
  enum arch_ra_use use = RA_KEPT;
  uint64_t pc = frame->pc;
  if (!frame->interrupted || !frame->has_ra || arch->ra_use == NULL
      || !is_return_address (process, unsigned_address (arch, frame->ra)))
    return false;
  for (unsigned i = 0;
       i < LEAF_INSTRUCTIONS && use == RA_KEPT
       && process_read_code (process, pc, instruction, sizeof instruction);
       i++, pc += sizeof instruction)
    use = arch->ra_use (instruction);
  return use == RA_RETURN;
}

bool
fp_step (struct process *process, struct sfw_frame *frame)
{
  struct sfw_frame caller = *frame;
  bool found = false;
  if (process->arch->caller_sp_offset != 0
      || !process_is_code (process, frame->pc))
    return false;
  switch (fp_frame_of (process, frame))
    {
    case FP_FRAME_NONE:
      found = find_return_address (frame, process, &caller.pc, &caller.sp);
      break;
    case FP_FRAME_PUSHED:
      found = read_fp_frame (process, frame->sp, &caller);
      break;
    case FP_FRAME_MADE:
      found = read_fp_frame (process, frame->fp, &caller);
      if (found && is_leaf (process, frame))
        {
          caller = *frame;
          found = find_return_address (frame, process, &caller.pc, &caller.sp);
        }
      break;
    }
  if (!found || !is_return_address (process, caller.pc))
    return false;
  caller.interrupted = caller.has_ra = false;
  caller.registers = NULL;
  *frame = caller;
  return true;
}

void
fp_step_find_sp (const struct process *process,
                 const struct unwind_source *source, struct sfw_frame *frame)
{
  struct unwind_rules rules;
  if (!arch_tracks_ra (process->arch)
      || unwind_frame_rules (source, frame->pc, false, &rules) != SFW_MORE)
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
