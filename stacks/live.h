/* A living process: reading it, stopping it, and copying its stacks.
   SPDX-License-Identifier: LGPL-2.1-or-later

   ptrace stops the process while its registers are read and its stacks are
   copied (live_stop.c).  The process is never changed.  If this program is
   killed meanwhile, the kernel resumes the process.  */

#ifndef STACKS_LIVE_H
#define STACKS_LIVE_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "stacks/process.h"

/* Return the machine that this program runs on.  */
const struct arch *live_arch (void);

/* Initialise PROCESS for the living process PID, without reading anything.
   PROCESS is zeroed except for its policy and files.  It must not move
   afterwards, and must be closed.  */
void live_init (struct process *process, pid_t pid);

/* Initialise PROCESS for process PID, open its memory and read its mappings,
   while it runs.  PROCESS is zeroed except for its policy and files, and must
   be closed even after a failure.  */
bool live_open (struct process *process, pid_t pid, struct error *err);
void live_close (struct process *process);

/* Open the memory of PROCESS, again after it has executed another program,
   whose memory is a new one.  */
bool live_open_memory (struct process *process, struct error *err);

/* Read the list of mappings, again if something was mapped since.  */
bool live_read_mappings (struct process *process, struct error *err);

/* Stop all threads and read their registers.  The memory is open until
   live_resume, which must follow.  A thread that the kernel does not let be
   stopped, as one between vfork and its child's execve, keeps waiting
   (thread->waits); registers that the kernel tells of such a thread are read.
   A thread that another process traces is left alone (thread->tracer).
   RUNNING: threads that do not need a processor are left alone, too, and not
   listed.  False when no thread is known, or if stopping is not permitted.
   CFI2SFRAME_NOTHING with an empty list: no thread runs.  */
bool live_stop (struct process *process, bool running, struct error *err);

/* Copy the stack of every known thread, from SP to the end of the mapping but
   at most MOST bytes.  A waiting thread that has gone on meanwhile is no
   longer known.  Return how many stacks the limit on all copies cut off.  */
size_t live_copy_stacks (struct process *process, size_t most);

/* How live_copy copies stacks and walks them.  */
struct live_copy
{
  size_t stack_max; /* bytes of each stack; deeper walks need another stop */
  bool running;     /* as in live_stop */
  /* Walks the stack of a thread with REGISTERS.  */
  void (*walk) (void *context, struct process *process,
                const struct registers *registers);
  void *context;
  uint64_t stopped;  /* result: nanoseconds of all stops */
  size_t incomplete; /* result: of the last live_copy_stacks */
};

/* Stop PROCESS, copy its stacks, and resume it.  Then walk the stacks, while
   PROCESS runs: finding files and rows may take seconds.  A walk may lead to
   memory that was not copied, as to a stack that a signal interrupted.  If so,
   stop PROCESS again, copy everything anew, and walk before it is resumed,
   when all rows that take time have been found.  */
bool live_copy (struct process *process, struct live_copy *copy,
                struct error *err);

/* Resume all threads.  Called after live_stop has returned true.  A thread
   that was asked to stop and has not stopped yet runs on, too.  */
void live_resume (struct process *process);

/* Set PATH to that of file WHAT of thread TID of PID (proc(5), "task").  */
void live_thread_path (pid_t pid, pid_t tid, const char *what, char path[64]);

/* Return the state of thread TID of PID, a letter (proc(5), "stat"); '\0' if
   the thread does not exist.  */
char live_thread_state (pid_t pid, pid_t tid);

/* Whether thread TID of PID has ended, even if it is a zombie.  */
bool live_thread_ended (pid_t pid, pid_t tid);

/* Open the list of threads of process PID, for live_next_thread and closedir
   ().  NULL, with errno, if the process has ended.  */
DIR *live_threads (pid_t pid);

/* Return the next thread of the list; 0 at the end.  */
pid_t live_next_thread (DIR *threads);

/* Return the thread of process PID under which /proc has the process's memory.
   This is PID itself, or a thread that has not ended if the first one has, as
   in a program whose main function ended by pthread_exit.  */
pid_t live_memory_thread (pid_t pid);

/* Set NAME, of SIZE bytes, to the present name of thread TID of process PID
   (proc(5), "comm").  If the thread has ended, NAME is unchanged.  */
void live_thread_name (pid_t pid, pid_t tid, char *name, size_t size);

/* Read the names of all threads of PROCESS.  */
void live_read_names (struct process *process);

/* Read the registers of TID, which is stopped and traced by the caller.  */
bool live_registers (pid_t tid, struct registers *registers);

/* Read those registers of thread TID of PID that the kernel tells of a waiting
   thread that is not stopped.  The others are UNKNOWN_REGISTER.  False if the
   thread does not wait, or if too few registers are told.  */
bool live_waiting_registers (pid_t pid, pid_t tid,
                             struct registers *registers);

#endif /* STACKS_LIVE_H */
