/* libdwfl over the registers and the memory that a process has copies of.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_DWFL_STATE_H
#define STACKS_DWFL_STATE_H

#include <stdbool.h>

#include "stacks/process.h"

/* Make process->dwfl, to which modules were reported, walk the stacks of the
   threads whose registers are known.  On failure false; dwfl_errmsg has the
   reason.  */
bool process_attach_dwfl (struct process *process);

#endif /* STACKS_DWFL_STATE_H */
