/* One step of a walk where no row says how to go on: by CFI and all registers
   (cfi_step.c), by code of system calls (syscall_code.c), by the frame
   pointer or by a guess (fp_step.c).
   SPDX-License-Identifier: LGPL-2.1-or-later

   Rows know the CFA, the return address and the frame pointer, and of these
   not all that CFI says.  CFI knows every register: it leads to the caller of
   a frame with a CFA that is an expression, or is counted from another
   register.  */

#ifndef STACKS_STEPS_H
#define STACKS_STEPS_H

#include <stdbool.h>

#include "sframewalk.h"
#include "cfi/register_rules.h"
#include "stacks/process.h"

/* How a walk came to a frame.  */
enum frame_way
{
  WAY_ROW,     /* by a row, or it is the innermost one */
  WAY_CFI,     /* by CFI, where there was no row */
  WAY_UNSURE,  /* by CFI and a register that a callee may have changed */
  WAY_SIGNAL,  /* by what the kernel saved, where no CFI says so */
  WAY_SYSCALL, /* by code of a system call, where no CFI says so */
  WAY_FP,      /* by the frame pointer, where there was nothing else */
  WAY_GUESS    /* it called what is not code, and that call was guessed */
};

/* A word for WAY, a constant.  */
const char *frame_way_name (enum frame_way way);

struct cfi_caller
{
  enum frame_way way; /* from WAY_CFI to WAY_SYSCALL */
  bool interrupted;   /* a signal interrupted the caller */
};

/* Replace the REGISTERS of a frame of PROCESS by its caller's; those that are
   not known are UNKNOWN_REGISTER.  AT_PC: PC is the next instruction, not the
   end of a call.  REGISTERS are unchanged unless the result is
   SFW_MORE; SFW_NO_ROW: nothing is said of that code.  */
enum sfw_end cfi_step (struct process *process, struct registers *registers,
                       bool at_pc, struct cfi_caller *found);

/* ---- Code that makes a system call, known by its bytes, because nothing
   describes it in some C libraries: the way back from signal handlers, and
   where a thread begins and ends.  */

/* If PC is on the way back from a signal handler, replace REGISTERS by those
   that the signal interrupted, all of which the kernel has put on the stack.
   False if it is not, or the stack cannot be read.  */
bool syscall_code_step (struct process *process, struct registers *registers);

/* Whether PC is on that way.  */
bool syscall_code_is_sigreturn (struct process *process, uint64_t pc);

/* Whether the thread ends as soon as the call returns that ends at PC: its
   frame has no caller.  */
bool syscall_code_ends_thread (struct process *process, uint64_t pc);

/* Whether the thread with REGISTERS has just begun, and is still in clone or
   clone3: its frame has no caller.  */
bool syscall_code_begins_thread (struct process *process,
                                 const struct registers *registers);

/* Set RULES to those of a thread with REGISTERS that makes another one, in
   clone or clone3, or a process, in vfork of musl.  False if it is in neither.
   glibc ends its CFI in front of the system call that two threads return from.
   */
bool syscall_code_rules (struct process *process,
                         const struct registers *registers,
                         struct register_rules *rules);

/* ---- Code without rules */

/* Go from FRAME, with a PC outside of code, to its caller: a NULL pointer, or
   a wild one, or one to data was called.  A call must end where the caller
   would go on; or it is the kernel that called, for a signal.  False if FRAME
   is none of these; then it is unchanged, here and below.  */
bool guess_step (struct process *process, struct sfw_frame *frame);

/* Go to the caller as code does that keeps frame pointers: FP points to its
   own caller's and the return address, if the code has set it up.  Where PC is
   outside of code, FP is another function's, or another stack's.  */
bool fp_step (struct process *process, struct sfw_frame *frame);

/* Set the SP of FRAME, to which fp_step has led.  Where code has the return
   address in a register, the two words that FP points to may be anywhere in a
   frame, so that fp_step knows only what SP is not below.  If the row of
   FRAME, by SOURCE, says where these words are, SP is known.  If it needs SP
   and does not say so, nothing can be read there.  */
void fp_step_find_sp (const struct process *process,
                      const struct unwind_source *source,
                      struct sfw_frame *frame);

#endif /* STACKS_STEPS_H */
