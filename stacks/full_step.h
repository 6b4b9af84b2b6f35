/* One step of a walk that keeps all registers, where no row says how to go on.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Rows know the CFA, the return address and the frame pointer, and of these
   not all that CFI says.  CFI knows every register: a frame whose CFA is an
   expression, or is counted from another register, has a caller by CFI.  */

#ifndef STACKS_FULL_STEP_H
#define STACKS_FULL_STEP_H

#include <stdbool.h>

#include "cfi2sframe.h"
#include "stacks/process.h"

/* Replace the REGISTERS of a frame of PROCESS by its caller's; those that are
   not known are UNKNOWN_REGISTER.  AT_PC: PC is the next instruction, not the
   end of a call.  *INTERRUPTED: a signal interrupted the caller.  REGISTERS
   are unchanged unless the result is CFI2SFRAME_STEP_CALLER;
   CFI2SFRAME_STEP_NO_ROW: nothing is said of that code.  */
enum cfi2sframe_step full_step (struct process *process,
                                struct registers *registers, bool at_pc,
                                bool *interrupted);

/* What .eh_frame or .debug_frame of MODULE says of PC; to be freed.  NULL:
   nothing, or MODULE is NULL.  */
Dwarf_Frame *full_step_cfi (Dwfl_Module *module, uint64_t pc);

#endif /* STACKS_FULL_STEP_H */
