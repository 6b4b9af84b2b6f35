/* One step of a walk from a frame without a row: by CFI (cfi_step.c), by known
   code of system calls (syscall_code.c), by the frame pointer or by a guess
   (fp_step.c).
   SPDX-License-Identifier: LGPL-2.1-or-later

   A row describes the CFA, the return address and the frame pointer, and
   cannot express all rules that CFI has for them.  CFI describes every
   register.  So a step by CFI also finds the caller if the CFA is an
   expression or is computed from another register.  */

#ifndef STACKS_STEPS_H
#define STACKS_STEPS_H

#include <stdbool.h>

#include "sframewalk.h"
#include "cfi/register_rules.h"
#include "stacks/process.h"

/* How a frame was found.  */
enum frame_way
{
  WAY_ROW,     /* by a row, or it is the innermost frame */
  WAY_CFI,     /* by CFI, where there was no row */
  WAY_UNSURE,  /* by CFI with a register that a callee may have changed */
  WAY_SIGNAL,  /* from registers that the kernel saved, without CFI */
  WAY_SYSCALL, /* by known code of a system call, without CFI */
  WAY_FP,      /* by the frame pointer: nothing else was left */
  WAY_GUESS    /* it called an address outside of code; the call was guessed */
};

/* Return the name of WAY, a constant.  */
const char *frame_way_name (enum frame_way way);

struct cfi_caller
{
  enum frame_way way; /* one of WAY_CFI to WAY_SYSCALL */
  bool interrupted;   /* a signal interrupted the caller */
};

/* Replace the REGISTERS of a frame of PROCESS by those of its caller.  Unknown
   ones become UNKNOWN_REGISTER.  AT_PC: PC is the next instruction, and not
   the end of a call.  REGISTERS are unchanged unless the result is SFW_MORE.
   SFW_NO_ROW: nothing describes the code.  */
enum sfw_end cfi_step (struct process *process, struct registers *registers,
                       bool at_pc, struct cfi_caller *found);

/* ---- Code that makes a system call, recognised by its bytes, because some C
   libraries have no CFI for it: the return from signal handlers, and the first
   and last instructions of a thread.  */

/* If PC is in the return from a signal handler (rt_sigreturn), replace
   REGISTERS by the interrupted ones, which the kernel has saved on the stack.
   False if PC is elsewhere or the stack cannot be read.  */
bool syscall_code_step (struct process *process, struct registers *registers);

/* Whether PC is in a return from a signal handler.  */
bool syscall_code_is_sigreturn (struct process *process, uint64_t pc);

/* Whether the code at PC, to which a call returns, ends the thread.  The frame
   of such code has no caller.  */
bool syscall_code_ends_thread (struct process *process, uint64_t pc);

/* Whether the thread with REGISTERS has just begun, and is still in clone or
   clone3.  The frame of such code has no caller.  */
bool syscall_code_begins_thread (struct process *process,
                                 const struct registers *registers);

/* Set RULES to those of a thread with REGISTERS that is creating another
   thread in clone or clone3, or a process in musl's vfork.  False if it is in
   none of these.  The CFI of glibc ends before the system call from which two
   threads return.  */
bool syscall_code_rules (struct process *process,
                         const struct registers *registers,
                         struct register_rules *rules);

/* ---- Code that nothing describes */

/* Replace FRAME, whose PC is outside of code, by its caller: a NULL pointer, a
   wild pointer or a pointer to data was called.  The return address must be
   behind a call instruction, or in the kernel's return from a signal handler.
   False otherwise, with FRAME unchanged.  */
bool guess_step (struct process *process, struct sfw_frame *frame);

/* Replace FRAME by its caller by the frame pointer: FP points to the caller's
   FP and the return address, once the code has set it up.  False, with FRAME
   unchanged, if that does not lead to a call.  If PC is outside of code, FP
   may belong to another function or another stack, so the result is false.  */
bool fp_step (struct process *process, struct sfw_frame *frame);

/* Find the SP of FRAME, to which fp_step has led.  On machines that keep the
   return address in a register, the two words that FP points to may be
   anywhere in the frame, so fp_step only knows a lower bound of SP.  If the
   row of FRAME, from SOURCE, says where the two words are, SP follows.  If the
   row needs SP and does not say that, SP becomes UNKNOWN_REGISTER.  */
void fp_step_find_sp (const struct process *process,
                      const struct unwind_source *source,
                      struct sfw_frame *frame);

#endif /* STACKS_STEPS_H */
