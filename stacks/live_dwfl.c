/* The modules of a living process, for libdwfl.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <errno.h>

#include "stacks/dwfl_debuginfo.h"
#include "stacks/dwfl_error.h"
#include "stacks/dwfl_state.h"
#include "stacks/live.h"

static const Dwfl_Callbacks callbacks = {
  .find_elf = dwfl_linux_proc_find_elf,
  .find_debuginfo = dwfl_debuginfo_find,
};

/* Report the modules.  0, an errno, or -1 for an error of libdwfl.  */
static int
report (struct process *process)
{
  dwfl_report_begin (process->dwfl);
  pid_t thread = live_memory_thread (process->pid);
  int failure = dwfl_linux_proc_report (process->dwfl, thread);
  int end_failure = dwfl_report_end (process->dwfl, NULL, NULL);
  return failure != 0 ? failure : end_failure;
}

bool
live_report_dwfl (struct process *process)
{
  return report (process) == 0;
}

bool
live_open_dwfl (struct process *process, struct error *err)
{
  process->dwfl = dwfl_begin (&callbacks);
  int failure = process->dwfl != NULL ? report (process) : -1;
  if (failure > 0)
    {
      /* The process has ended since its stacks were copied.  */
      errno = failure;
      return error_set_errno (err, "cannot read its modules");
    }
  if (failure == 0 && process_attach_dwfl (process))
    return true;
  return dwfl_error_set (err, "libdwfl");
}
