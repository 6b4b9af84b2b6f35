/* The modules of a living process, for libdwfl.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/dwfl_debuginfo.h"
#include "stacks/dwfl_error.h"
#include "stacks/dwfl_state.h"
#include "stacks/live.h"

static const Dwfl_Callbacks callbacks = {
  .find_elf = dwfl_linux_proc_find_elf,
  .find_debuginfo = dwfl_debuginfo_find,
};

bool
live_report_dwfl (struct process *process)
{
  dwfl_report_begin (process->dwfl);
  pid_t thread = live_memory_thread (process->pid);
  bool reported = dwfl_linux_proc_report (process->dwfl, thread) == 0;
  return dwfl_report_end (process->dwfl, NULL, NULL) == 0 && reported;
}

bool
live_open_dwfl (struct process *process, struct error *err)
{
  process->dwfl = dwfl_begin (&callbacks);
  if (process->dwfl != NULL && live_report_dwfl (process)
      && process_attach_dwfl (process))
    return true;
  return dwfl_error_set (err, "libdwfl");
}
