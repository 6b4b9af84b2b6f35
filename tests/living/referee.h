/* Walks by CFI with libdwfl, which walks by SFrame are compared with.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef LIVING_REFEREE_H
#define LIVING_REFEREE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

#include "stacks/stack_walk.h"

struct referee
{
  struct process *process; /* not owned; its copies of stacks are walked */
  Dwfl *dwfl;              /* owned */
};

/* Make libdwfl walk the stacks of PROCESS, a living one, or an emulated one
   that runs the file at PATH.  False on failure; REFEREE is to be closed in
   any case.  */
bool referee_open_living (struct referee *referee, struct process *process);
bool referee_open_file (struct referee *referee, struct process *process,
                        const char *path);
void referee_close (struct referee *referee);

/* Report the modules of a living process again, after they changed.  */
bool referee_report (const struct referee *referee);

/* Walk the stack of thread TID, as far as CFI leads: heuristics for code
   without CFI are not taken into account.  False when libdwfl could not even
   begin.  */
bool referee_walk (const struct referee *referee, pid_t tid,
                   struct stack_walk *walk);

/* What .eh_frame or .debug_frame says of PC; to be freed.  NULL: nothing.  */
Dwarf_Frame *referee_cfi_at (const struct referee *referee, uint64_t pc);

#endif /* LIVING_REFEREE_H */
