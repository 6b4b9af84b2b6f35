/* Code that makes a system call, known by its bytes, because nothing describes
   it in some C libraries: the way back from signal handlers, and where a
   thread begins and ends.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_SYSCALL_CODE_H
#define STACKS_SYSCALL_CODE_H

#include <stdbool.h>

#include "stacks/process.h"

/* If PC is on the way back from a signal handler, replace REGISTERS by those
   that the signal interrupted, all of which the kernel has put on the stack.
   False if it is not, or the stack cannot be read.  */
bool syscall_code_step (struct process *process, struct registers *registers);

/* Whether PC is on that way.  */
bool syscall_code_returns (struct process *process, uint64_t pc);

/* Whether the thread ends as soon as the call returns that ends at PC: its
   frame has no caller.  */
bool syscall_code_ends (struct process *process, uint64_t pc);

/* Whether the thread with REGISTERS has just begun, and is still in clone or
   clone3: its frame has no caller.  The thread that made it has a frame there,
   too, and that frame has a caller.  */
bool syscall_code_begins (struct process *process,
                          const struct registers *registers);

#endif /* STACKS_SYSCALL_CODE_H */
