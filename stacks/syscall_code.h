/* Code that makes a system call, known by its bytes, because nothing describes
   it in some C libraries: the way back from signal handlers, and where a
   thread begins and ends.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_SYSCALL_CODE_H
#define STACKS_SYSCALL_CODE_H

#include <stdbool.h>

#include "cfi/register_rules.h"
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
   clone3: its frame has no caller.  */
bool syscall_code_begins (struct process *process,
                          const struct registers *registers);

/* Set RULES to those of a thread with REGISTERS that makes another one, in
   clone or clone3, or a process, in vfork of musl.  False if it is in neither.
   glibc ends its CFI in front of the system call that two threads return from.
   */
bool syscall_code_rules (struct process *process,
                         const struct registers *registers,
                         struct register_rules *rules);

#endif /* STACKS_SYSCALL_CODE_H */
