/* One step of a walk that keeps all registers, where no row says how to go on.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Rows know the CFA, the return address and the frame pointer, and of these
   not all that CFI says.  CFI knows every register: it leads to the caller of
   a frame with a CFA that is an expression, or is counted from another
   register.  */

#ifndef STACKS_FULL_STEP_H
#define STACKS_FULL_STEP_H

#include <stdbool.h>

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

struct full_caller
{
  enum frame_way way; /* from WAY_CFI to WAY_SYSCALL */
  bool interrupted;   /* a signal interrupted the caller */
};

/* Replace the REGISTERS of a frame of PROCESS by its caller's; those that are
   not known are UNKNOWN_REGISTER.  AT_PC: PC is the next instruction, not the
   end of a call.  REGISTERS are unchanged unless the result is
   SFW_MORE; SFW_NO_ROW: nothing is said of that code.  */
enum sfw_end full_step (struct process *process, struct registers *registers,
                        bool at_pc, struct full_caller *found);

#endif /* STACKS_FULL_STEP_H */
