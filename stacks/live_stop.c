/* A living process: stopping it, copying its stacks and resuming it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/live.h"

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/background.h"
#include "base/clock.h"
#include "base/lines.h"

/* A thread of this program that stops the threads of a process, and resumes
   them when it is told to: a new one for each stop.  A traced thread that was
   asked to stop and has not stopped yet cannot be detached, because
   PTRACE_DETACH needs a stopped thread.  But when the tracer ends, the kernel
   detaches its threads and takes the request back.  */
struct tracer
{
  struct background thread;
  sem_t stopped, resume; /* posted by the tracer; posted for the tracer */
  struct process *process;
  bool running; /* as in live_stop, also `err' */
  struct error *err;
  bool listed; /* there was memory for the list of threads */
  pid_t tid;
};

/* Whether TID is among the first N threads of PROCESS.  The search begins at
   *AT, where it ended for the previous thread: the kernel lists threads in the
   same order each time.  */
static bool
is_known_thread (const struct process *process, size_t n, pid_t tid,
                 size_t *at)
{
  for (size_t i = 0; i < n; i++, *at = (*at + 1) % n)
    if (process->threads[*at].tid == tid)
      return true;
  return false;
}

static void
pause_shortly (void)
{
  const struct timespec pause = { 0, 20000 };
  nanosleep (&pause, NULL);
}

enum
{
  PAUSES_MAX = 200 /* pauses, about 15 milliseconds */
};

/* Whether TID waits in the kernel without reacting to signals, and for longer
   than a disk takes.  To stop such a thread would take as long, while the
   threads that are stopped already wait, too.  */
static bool
waits_long (pid_t pid, pid_t tid)
{
  for (unsigned i = 0; i < PAUSES_MAX; i++)
    {
      if (live_thread_state (pid, tid) != 'D')
        return false;
      pause_shortly ();
    }
  return true;
}

/* Ask THREAD to stop, unless it waits in the kernel or another process traces
   it.  False if THREAD has ended or, with ERR, may not be traced.  */
static bool
seize_thread (struct process *process, struct thread *thread,
              struct error *err)
{
  char path[64];
  if (thread->waits)
    return true;
  if (ptrace (PTRACE_SEIZE, thread->tid, NULL, NULL) == 0)
    {
      ptrace (PTRACE_INTERRUPT, thread->tid, NULL, NULL);
      return true;
    }
  int cause = errno;
  live_thread_path (process->pid, thread->tid, "status", path);
  thread->tracer = (pid_t)lines_status (path, "TracerPid:");
  if (thread->tracer != 0)
    return true;
  if (!live_thread_ended (process->pid, thread->tid))
    {
      errno = cause;
      error_set_errno (err, "ptrace");
    }
  return false;
}

/* Append the threads of PROCESS that are not in the list yet; only running
   ones if RUNNING.  Find out which of them wait in the kernel for long.  */
static bool
list_new_threads (struct process *process, bool running, struct error *err)
{
  size_t known = process->n_threads, at = 0;
  DIR *threads = live_threads (process->pid);
  if (threads == NULL)
    return error_set (err, CFI2SFRAME_IO, "no such process");
  bool added = true;
  for (pid_t tid; added && (tid = live_next_thread (threads)) != 0;)
    {
      if (is_known_thread (process, known, tid, &at)
          || (running && live_thread_state (process->pid, tid) != 'R'))
        continue;
      struct thread *thread = process_add_thread (process, tid);
      added = thread != NULL;
      if (added)
        thread->waits = waits_long (process->pid, tid);
    }
  closedir (threads);
  return added || error_set_no_memory (err);
}

/* Ask all threads that are not in the list yet to stop, and set *N to their
   number.  All are listed before the first one is stopped, so that none waits
   for the listing.  False when memory for the list ran out.  */
static bool
seize_new_threads (struct process *process, bool running, size_t *n,
                   struct error *err)
{
  size_t first = process->n_threads, kept = first;
  *n = 0;
  if (!list_new_threads (process, running, err)
      && err->status == CFI2SFRAME_NO_MEMORY)
    return false;
  if (first == 0)
    process->stopped_at = clock_nanoseconds ();
  /* A thread that has ended, or is a zombie, cannot be seized.  */
  for (size_t i = first; i < process->n_threads; i++)
    if (seize_thread (process, &process->threads[i], err))
      process->threads[kept++] = process->threads[i];
  process->n_threads = kept;
  *n = kept - first;
  return true;
}

/* Set *EVENT to the event of TID, which was asked to stop.  EVENT->si_pid is 0
   if there is none yet.  The end of a thread is not reaped, because the
   process that waits for it may be another one.  */
static bool
find_event (pid_t tid, siginfo_t *event)
{
  *event = (siginfo_t){ 0 };
  return waitid (P_PID, (id_t)tid, event,
                 WSTOPPED | WEXITED | WNOHANG | WNOWAIT | __WALL)
         == 0;
}

/* Wait until THREAD is stopped, or until it has begun to wait in the kernel
   for long.  A signal that stopped it is delivered when THREAD is resumed.  */
static void
await_stop (const struct process *process, struct thread *thread)
{
  unsigned pauses_left = PAUSES_MAX;
  siginfo_t event;
  while (find_event (thread->tid, &event) && event.si_pid == 0)
    {
      if (live_thread_state (process->pid, thread->tid) == 'D'
          && pauses_left-- == 0)
        {
          thread->waits = true;
          return;
        }
      pause_shortly ();
    }
  if (event.si_code != CLD_TRAPPED)
    return;
  thread->stopped = true;
  /* The bits above the signal are an event of ptrace.  */
  if (event.si_status >> 8 == 0)
    thread->signal = event.si_status;
}

enum
{
  ROUNDS_MAX = 64 /* searches for new threads */
};

/* Stop the threads of PROCESS, or only those that are RUNNING, and read their
   registers.  Threads that begin after ROUNDS_MAX searches run on.  False when
   memory for the list ran out.  */
static bool
stop_threads (struct process *process, bool running, struct error *err)
{
  size_t first = 0, n = 1;
  bool listed = true;
  /* Running threads may start new ones.  A sample does not include these.  */
  const unsigned most = running ? 1 : ROUNDS_MAX;
  for (unsigned rounds = 0; listed && n > 0 && rounds < most; rounds++)
    {
      listed = seize_new_threads (process, running, &n, err);
      for (; listed && first < process->n_threads; first++)
        if (!process->threads[first].waits
            && process->threads[first].tracer == 0)
          await_stop (process, &process->threads[first]);
    }
  for (size_t i = 0; i < process->n_threads; i++)
    {
      struct thread *thread = &process->threads[i];
      if (thread->stopped)
        thread->known = live_registers (thread->tid, &thread->registers);
      else if (thread->waits)
        thread->known = live_waiting_registers (process->pid, thread->tid,
                                                &thread->registers);
    }
  return listed;
}

static void
await (sem_t *event)
{
  while (sem_wait (event) != 0 && errno == EINTR)
    ;
}

static void
tracer_free (struct tracer *tracer)
{
  sem_destroy (&tracer->stopped);
  sem_destroy (&tracer->resume);
  free (tracer);
}

/* Stop the threads, wait, and resume them: the main function of a tracer.  */
static void
trace (void *argument)
{
  struct tracer *tracer = argument;
  struct process *process = tracer->process;
  tracer->tid = (pid_t)syscall (SYS_gettid);
  tracer->listed = stop_threads (process, tracer->running, tracer->err);
  sem_post (&tracer->stopped);
  await (&tracer->resume);
  for (size_t i = 0; i < process->n_threads; i++)
    {
      struct thread *thread = &process->threads[i];
      if (thread->stopped)
        ptrace (PTRACE_DETACH, thread->tid, NULL, (long)thread->signal);
    }
}

static bool
tracer_start (struct process *process, bool running, struct error *err)
{
  struct tracer *tracer = calloc (1, sizeof *tracer);
  if (tracer == NULL)
    return error_set_no_memory (err);
  tracer->process = process;
  tracer->running = running;
  tracer->err = err;
  sem_init (&tracer->stopped, 0, 0);
  sem_init (&tracer->resume, 0, 0);
  background_start (&tracer->thread, trace, tracer);
  if (!tracer->thread.threaded)
    {
      tracer_free (tracer);
      return error_set (err, CFI2SFRAME_IO, "no thread can be started");
    }
  process->tracer = tracer;
  await (&tracer->stopped);
  return true;
}

/* Set ERR to why no registers of PROCESS are known.  RUNNING: only running
   threads were to be stopped, which may have ended.  */
static bool
set_nothing_known (struct process *process, bool running, struct error *err)
{
  bool waits = false, stopped = false;
  pid_t tracer = 0;
  for (size_t i = 0; i < process->n_threads; i++)
    {
      waits |= process->threads[i].waits;
      stopped |= process->threads[i].stopped;
      if (process->threads[i].tracer != 0)
        tracer = process->threads[i].tracer;
    }
  if (waits)
    return error_set (err, CFI2SFRAME_REFUSED,
                      "it waits in the kernel and cannot be stopped");
  if (stopped)
    return error_set (err, CFI2SFRAME_UNSUPPORTED,
                      "its registers are not those of a 64-bit program");
  if (tracer != 0)
    return error_set (err, CFI2SFRAME_REFUSED,
                      "it is traced already, by process %d", (int)tracer);
  if (err->status != CFI2SFRAME_OK)
    return false;
  if (!running)
    return error_set (err, CFI2SFRAME_IO, "it ended meanwhile");
  process_forget_threads (process);
  return error_set (err, CFI2SFRAME_NOTHING, "none of its threads runs");
}

bool
live_stop (struct process *process, bool running, struct error *err)
{
  process_forget_threads (process);
  memory_forget (&process->memory);
  error_clear (err);
  if (!tracer_start (process, running, err))
    return false;
  bool listed = process->tracer->listed;
  for (size_t i = 0; i < process->n_threads; i++)
    process->memory.open |= process->threads[i].known;
  if (listed && process->memory.open)
    return true;
  live_resume (process);
  return listed && set_nothing_known (process, running, err);
}

void
live_resume (struct process *process)
{
  struct tracer *tracer = process->tracer;
  process->memory.open = false;
  sem_post (&tracer->resume);
  background_wait (&tracer->thread);
  /* The kernel detaches the threads that have not stopped when the tracer
     ends, shortly after background_wait.  Wait for that.  */
  while (syscall (SYS_tgkill, getpid (), tracer->tid, 0) == 0)
    pause_shortly ();
  tracer_free (tracer);
  process->tracer = NULL;
}

/* ---- Copies */

enum
{
#if defined __x86_64__
  RED_ZONE = 128 /* System V ABI, AMD64 supplement, section 3.2.2 */
#else
  RED_ZONE = 0
#endif
};

size_t
live_copy_stacks (struct process *process, size_t most)
{
  size_t cut = 0;
  /* Threads that were started later usually have stacks at lower addresses.
     In ascending order, copies are appended and never inserted.  */
  for (size_t i = process->n_threads; i-- > 0;)
    {
      struct thread *thread = &process->threads[i];
      if (!thread->known)
        continue;
      uint64_t sp = thread->registers.values[process->arch->sp];
      const struct mapping *mapping = mappings_at (&process->mappings, sp);
      uint64_t size = mapping != NULL ? mapping->end - sp : 0;
      if (size > 0)
        {
          memory_copy (&process->memory, sp - RED_ZONE,
                       (size < most ? (size_t)size : most) + RED_ZONE);
          cut += process->memory.limit_reached;
        }
      /* The thread may have gone on since its registers were read.  */
      struct registers now;
      if (thread->waits)
        thread->known
            = live_waiting_registers (process->pid, thread->tid, &now)
              && memcmp (now.values, thread->registers.values,
                         sizeof now.values)
                     == 0;
    }
  return cut;
}

static void
walk_all (struct process *process, const struct live_copy *copy)
{
  for (size_t i = 0; i < process->n_threads; i++)
    if (process->threads[i].known)
      copy->walk (copy->context, process, &process->threads[i].registers);
}

/* Stop PROCESS, copy its stacks, if WALK walk them, and resume it.  */
static bool
copy_once (struct process *process, struct live_copy *copy, bool walk,
           struct error *err)
{
  if (!live_stop (process, copy->running, err))
    return false;
  bool fresh = live_read_mappings (process, err);
  copy->incomplete = live_copy_stacks (process, copy->stack_max);
  if (walk)
    {
      /* Other stacks that the walks reach are copied, too.  */
      process->policy.is_stopped = true;
      walk_all (process, copy);
      process->policy.is_stopped = false;
    }
  live_resume (process);
  copy->stopped += clock_nanoseconds () - process->stopped_at;
  return fresh;
}

bool
live_copy (struct process *process, struct live_copy *copy, struct error *err)
{
  enum
  {
    STOPS_MAX = 3
  };
  bool done = copy_once (process, copy, false, err);
  for (unsigned stops = 1; done && stops < STOPS_MAX; stops++)
    {
      process->memory.missed = false;
      walk_all (process, copy);
      if (!process->memory.missed)
        break;
      done = copy_once (process, copy, true, err);
    }
  return done;
}
