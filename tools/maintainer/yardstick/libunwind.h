/* Walks with libunwind, to compare with.
   SPDX-License-Identifier: LGPL-2.1-or-later

   It is opened when it is asked for and never linked: it has functions of the
   names that the C library and libgcc have, which are measured, too.  */

#ifndef YARDSTICK_LIBUNWIND_H
#define YARDSTICK_LIBUNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stacks/process.h"

/* Its own stack.  False when libunwind is not here.  */
bool libunwind_local_open (void);

/* The addresses from its caller on, by unw_step and by unw_backtrace.  */
size_t libunwind_local_steps (void **addresses, size_t most);
size_t libunwind_local_backtrace (void **addresses, size_t most);

/* Forget what earlier walks found out.  */
void libunwind_local_forget (void);

/* The same for a living process, by the registers and the memory that there
   are copies of.  */
bool libunwind_remote_open (struct process *process);
size_t libunwind_remote_steps (const struct thread *thread,
                               uint64_t *addresses, size_t most);
void libunwind_remote_forget (void);

#endif /* YARDSTICK_LIBUNWIND_H */
