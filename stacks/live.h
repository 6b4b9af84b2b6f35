/* A living process.
   SPDX-License-Identifier: LGPL-2.1-or-later

   ptrace stops it for as long as it takes to read registers and to copy
   stacks (live_stop.c); the process is never changed.  If sframe-stack or
   sframe-profile is killed meanwhile, the kernel resumes it.  */

#ifndef STACKS_LIVE_H
#define STACKS_LIVE_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "stacks/process.h"

/* The machine that this program runs on.  */
const struct arch *live_arch (void);

/* Prepare to look at process PID; nothing of it is read yet.  PROCESS is
   zeroed but for its policy and files, stays where it is, and must be closed.
   */
void live_init (struct process *process, pid_t pid);

/* Read the mappings of process PID, which goes on running.  PROCESS is zeroed
   but for its policy and files, and must be closed even after a failure.  */
bool live_open (struct process *process, pid_t pid, struct error *err);
void live_close (struct process *process);

/* Start anew after the process has executed another program: all its memory is
   new.  */
bool live_open_memory (struct process *process, struct error *err);

/* Read the list of mappings again.  */
bool live_read_mappings (struct process *process, struct error *err);

/* Stop all threads and read their registers; the memory is open until
   live_resume, which must follow.  A thread that the kernel does not let be
   stopped, as one between vfork and its child's execve, is asked for those of
   its registers that the kernel tells (thread->waits); one that another
   process traces is left alone (thread->tracer).  RUNNING: threads that have
   no use for a processor are left alone as well, and not listed.  False when
   no thread is known, or it is not permitted; CFI2SFRAME_NOTHING with an empty
   list: none of them runs.  */
bool live_stop (struct process *process, bool running, struct error *err);

/* Copy the stack of every known thread, from SP to the end of the mapping, but
   not more than so many bytes.  A thread that has ceased to wait meanwhile is
   not known any more.  Returns how many stacks are not there whole because all
   copies together may not be larger.  */
size_t live_copy_stacks (struct process *process, size_t most);

/* What is copied of a process, for walks after it has been resumed.  */
struct live_copy
{
  size_t most;  /* bytes of each stack; walks that go deeper take more stops */
  bool running; /* as for live_stop */
  /* Walk the stack of a thread with REGISTERS, with CONTEXT.  */
  void (*walk) (void *context, struct process *process,
                const struct registers *registers);
  void *context;
  uint64_t stopped; /* nanoseconds, in sum */
  size_t cut;       /* what live_copy_stacks returned last */
};

/* Stop PROCESS, copy its stacks, and let it run on.  Rows and files that walks
   need are looked for while it runs, because that may take seconds.  If a walk
   leads to memory that was not copied, as to the stack that a signal
   interrupted, all is copied anew, and walked before the process is resumed:
   by then all rows are there that need time.  */
bool live_copy (struct process *process, struct live_copy *copy,
                struct error *err);

/* Resume all threads, after live_stop has returned true.  A thread that was
   asked to stop and is late to do so runs on, too.  */
void live_resume (struct process *process);

/* Set PATH to the name of file WHAT of thread TID of process PID (proc(5),
   "task").  */
void live_thread_path (pid_t pid, pid_t tid, const char *what, char path[64]);

/* What thread TID of PID does, as a letter (proc(5), "stat"); '\0' if it is
   not there.  */
char live_thread_state (pid_t pid, pid_t tid);

/* Whether that thread has ended, maybe as a zombie.  */
bool live_thread_ended (pid_t pid, pid_t tid);

/* The threads of process PID, to be read by live_next_thread and closed by
   closedir (); NULL, with errno, if it has ended.  */
DIR *live_threads (pid_t pid);

/* The next one; 0 at the end.  */
pid_t live_next_thread (DIR *threads);

/* The thread of process PID that /proc has the process's memory under:
   PID itself, or another one that has not ended, as the first one has in a
   program whose main function ended by pthread_exit.  */
pid_t live_memory_thread (pid_t pid);

/* Set NAME, of SIZE bytes, to what thread TID of process PID is called now
   (proc(5), "comm").  It stays as it is if the thread has ended.  */
void live_thread_name (pid_t pid, pid_t tid, char *name, size_t size);

/* Read the names of the threads.  */
void live_read_names (struct process *process);

/* Read the registers of TID, which stands still and is traced by the
   caller.  */
bool live_registers (pid_t tid, struct registers *registers);

/* Read the registers of thread TID of PID, which waits in the kernel and is
   not stopped, as far as the kernel tells them; the others are
   UNKNOWN_REGISTER. False when the thread does not wait, or too little is
   told.  */
bool live_waiting_registers (pid_t pid, pid_t tid,
                             struct registers *registers);

#endif /* STACKS_LIVE_H */
