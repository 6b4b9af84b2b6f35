/* A living process.
   SPDX-License-Identifier: LGPL-2.1-or-later

   It is stopped by ptrace for as long as it takes to read registers and to
   copy stacks, and never changed.  Where this process is killed meanwhile the
   kernel lets it go on.  */

#ifndef STACKS_LIVE_H
#define STACKS_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "stacks/process.h"

/* Prepare to look at process PID, of which nothing is known.  PROCESS is
   zeroed but for its options, and to be closed even after a failure.  False
   when memory ran out.  */
bool live_begin (struct process *process, pid_t pid);

/* Find out about process PID, which goes on running.  PROCESS is zeroed but
   for its options, and to be closed even after a failure.  */
bool live_open (struct process *process, pid_t pid, struct error *err);
void live_close (struct process *process);

/* The process has executed another program: its memory is another one.  */
bool live_renew (struct process *process, struct error *err);

/* Bring the list of modules up to date; sections of modules that stayed are
   kept.  *CHANGED (unless NULL) tells whether there was any change.  */
bool live_refresh (struct process *process, bool *changed, struct error *err);

/* Stop all threads and read their registers; the memory is open until
   live_resume.  Threads that the kernel does not let be stopped, such as one
   between vfork and its child's execve, are left out (thread->waits).  False
   when there is none left, or it is not permitted.  */
bool live_stop (struct process *process, struct error *err);

/* Copy the stack of every stopped thread, from SP to the end of the mapping,
   but not more than so many bytes.  */
void live_copy_stacks (struct process *process, size_t most);

/* Resume all threads.  */
void live_resume (struct process *process);

/* What thread TID of PID does, as a letter (proc(5), "stat"); '\0' if it is
   not there.  */
char live_thread_state (pid_t pid, pid_t tid);

/* Find out what the threads are called.  */
void live_read_names (struct process *process);

/* The registers of TID, which stands still and is traced by the caller.  */
bool live_registers (pid_t tid, struct registers *registers);

/* Have libdwfl report the modules to process->dwfl and walk the stacks that
   were copied.  */
bool live_open_dwfl (struct process *process, struct error *err);

/* Report the modules to process->dwfl again, after they changed.  */
bool live_report_dwfl (struct process *process);

#endif /* STACKS_LIVE_H */
