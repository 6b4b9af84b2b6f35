/* A living process: stopping it and letting it go on.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/live.h"

#include "base/clock.h"
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/background.h"
#include "base/lines.h"
#include "stacks/file_finder.h"

enum
{
#if defined __x86_64__
  RED_ZONE = 128 /* System V ABI, AMD64 supplement, section 3.2.2 */
#else
  RED_ZONE = 0
#endif
};

/* A thread of this program that stops the threads of a process and lets them
   go on: one for each stop.  A thread that was asked to stop, and is late to
   do so, cannot be let go by PTRACE_DETACH, which needs the thread to stand
   still. The kernel lets it go, and forgets that it was asked, when the tracer
   ends.
 */
struct tracer
{
  struct background thread;
  sem_t stopped, resume; /* posted by the tracer, and to the tracer */
  struct process *process;
  struct error *err;
  bool listed; /* memory for the list of threads was there */
  pid_t tid;
};

/* Memory.  Reading /proc/PID/mem stops at the first page that does not
   exist.  */

struct source
{
  int fd;
  struct tracer tracer;
};

static size_t
fetch (void *argument, uint64_t address, void *to, size_t size)
{
  const struct source *source = argument;
  size_t got = 0;
  while (got < size)
    {
      ssize_t n = pread (source->fd, (uint8_t *)to + got, size - got,
                         (off_t)(address + got));
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        break;
      got += (size_t)n;
    }
  return got;
}

bool
live_begin (struct process *process, pid_t pid)
{
  struct source *source = calloc (1, sizeof *source);
  if (source == NULL)
    return false;
  source->fd = -1;
  process->pid = pid;
  process->arch = live_arch ();
  process->open_file = file_finder_open;
  process->memory.fetch = fetch;
  process->memory.source = source;
  return true;
}

char
live_thread_state (pid_t pid, pid_t tid)
{
  char name[64], line[256];
  snprintf (name, sizeof name, "/proc/%d/task/%d/stat", (int)pid, (int)tid);
  int fd = open (name, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? 0 : read (fd, line, sizeof line - 1);
  if (fd >= 0)
    close (fd);
  line[n > 0 ? n : 0] = '\0';
  /* The state is behind the name in parentheses; the name itself may have
     parentheses, and ends of lines.  */
  const char *end = strrchr (line, ')');
  return end != NULL && end[1] == ' ' ? end[2] : '\0';
}

DIR *
live_threads (pid_t pid)
{
  char name[64];
  snprintf (name, sizeof name, "/proc/%d/task", (int)pid);
  return opendir (name);
}

pid_t
live_next_thread (DIR *threads)
{
  for (struct dirent *entry; (entry = readdir (threads)) != NULL;)
    {
      /* Of "." and "..", 0.  */
      pid_t tid = (pid_t)strtol (entry->d_name, NULL, 10);
      if (tid > 0)
        return tid;
    }
  return 0;
}

pid_t
live_memory_thread (pid_t pid)
{
  DIR *threads
      = live_thread_state (pid, pid) == 'Z' ? live_threads (pid) : NULL;
  pid_t found = pid;
  if (threads == NULL)
    return pid;
  for (pid_t tid; found == pid && (tid = live_next_thread (threads)) != 0;)
    {
      char state = live_thread_state (pid, tid);
      if (state != 'Z' && state != 'X' && state != '\0')
        found = tid;
    }
  closedir (threads);
  return found;
}

/* Say why PROCESS has nothing that can be walked.  */
static bool
set_no_memory (const struct process *process, struct error *err)
{
  bool zombie = live_thread_state (process->pid, process->pid) == 'Z';
  return error_set (err, CFI2SFRAME_NOTHING,
                    zombie ? "it has ended, and its parent has not asked for "
                             "its exit status (a zombie)"
                           : "it has no memory of its own (a kernel thread)");
}

bool
live_open (struct process *process, pid_t pid, struct error *err)
{
  if (!live_begin (process, pid))
    return error_set_no_memory (err);
  return live_renew (process, err) && live_refresh (process, NULL, err);
}

bool
live_renew (struct process *process, struct error *err)
{
  char name[64];
  struct source *source = process->memory.source;
  if (source->fd >= 0)
    close (source->fd);
  pid_t tid = live_memory_thread (process->pid);
  snprintf (name, sizeof name, "/proc/%d/mem", (int)tid);
  source->fd = open (name, O_RDONLY | O_CLOEXEC);
  if (source->fd >= 0)
    return true;
  int cause = errno;
  /* The kernel's proc_mem_open fails with ESRCH for a process without memory.
     The files in /proc of a zombie belong to root (task_dump_owner), so that
     other users do not get as far.  */
  if (cause == ESRCH
      || (cause == EACCES && live_thread_state (process->pid, tid) == 'Z'))
    return set_no_memory (process, err);
  errno = cause;
  return cause == ENOENT ? error_set (err, CFI2SFRAME_IO, "no such process")
                         : error_set_errno (err, name);
}

void
live_close (struct process *process)
{
  struct source *source = process->memory.source;
  if (source != NULL && source->fd >= 0)
    close (source->fd);
  free (source);
  process->memory.source = NULL;
  process_free (process);
}

/* Mappings.  */

/* Add MAPPING to CONTEXT, a process.  False when memory ran out.  */
static bool
add_mapping (void *context, const struct walk_mapping *mapping)
{
  struct walk_mapping report = *mapping;
  if (!mapping_is_of_file (mapping->path, mapping->inode))
    report.path = NULL;
  return process_map (context, &report);
}

static bool
list_mappings (struct process *process, pid_t pid, struct error *err)
{
  char name[64];
  if (walk_maps_read (pid, add_mapping, process))
    return true;
  if (errno == ENOMEM)
    return error_set_no_memory (err);
  snprintf (name, sizeof name, "/proc/%d/maps", (int)pid);
  return error_set_errno (err, name);
}

/* Whether A and B have the same code, at the same addresses.  */
static bool
same_code (const struct process *a, const struct process *b)
{
  size_t i = 0, j = 0;
  for (;; i++, j++)
    {
      while (i < a->mappings.n && !a->mappings.list[i].runs)
        i++;
      while (j < b->mappings.n && !b->mappings.list[j].runs)
        j++;
      if (i == a->mappings.n || j == b->mappings.n)
        return i == a->mappings.n && j == b->mappings.n;
      const struct mapping *x = &a->mappings.list[i],
                           *y = &b->mappings.list[j];
      if (x->start != y->start || x->end != y->end || x->offset != y->offset
          || x->file != y->file)
        return false;
    }
}

bool
live_refresh (struct process *process, bool *changed, struct error *err)
{
  struct process now = { .files = process->files };
  bool listed = list_mappings (&now, live_memory_thread (process->pid), err);
  if (listed && now.mappings.n == 0)
    listed = set_no_memory (process, err);
  if (!listed)
    {
      process_forget_mappings (&now);
      return false;
    }
  bool same = same_code (process, &now);
  if (!same)
    process_forget_rows (process);
  if (changed != NULL)
    *changed = !same;
  process_move_mappings (process, &now);
  return true;
}

/* Threads.  */

/* Whether TID is among the first N threads of PROCESS.  The search begins at
   *AT, where it ended for the thread before TID: the kernel lists threads in
   the order in which they were listed before.  */
static bool
is_known_thread (const struct process *process, size_t n, pid_t tid,
                 size_t *at)
{
  for (size_t i = 0; i < n; i++, *at = (*at + 1) % n)
    if (process->threads[*at].tid == tid)
      return true;
  return false;
}

void
live_thread_name (pid_t pid, pid_t tid, char *name, size_t size)
{
  char path[64];
  snprintf (path, sizeof path, "/proc/%d/task/%d/comm", (int)pid, (int)tid);
  (void)lines_first (path, name, size);
}

static void
pause_shortly (void)
{
  const struct timespec pause = { 0, 20000 };
  nanosleep (&pause, NULL);
}

enum
{
  PATIENCE = 200 /* pauses: some 15 milliseconds */
};

/* Whether TID waits in the kernel for something that takes longer than a disk.
   To stop that thread would mean to wait, too, while the threads that are
   stopped already stand still.  */
static bool
waits_long (pid_t pid, pid_t tid)
{
  for (unsigned i = 0; i < PATIENCE; i++)
    {
      if (live_thread_state (pid, tid) != 'D')
        return false;
      pause_shortly ();
    }
  return true;
}

static void
read_registers (const struct process *process, struct thread *thread)
{
  struct registers *registers = &thread->registers;
  if (thread->stopped)
    thread->known = live_registers (thread->tid, registers);
  else if (thread->waits)
    thread->known
        = live_waiting_registers (process->pid, thread->tid, registers);
}

/* Say why TID cannot be traced; errno alone does not name a tracer.  */
static bool
set_not_traced (const struct process *process, pid_t tid, struct error *err)
{
  int saved = errno;
  char name[64];
  snprintf (name, sizeof name, "/proc/%d/task/%d/status", (int)process->pid,
            (int)tid);
  long tracer = lines_status (name, "TracerPid:");
  if (tracer != 0)
    return error_set (err, CFI2SFRAME_REFUSED,
                      "it is traced already, by process %ld", tracer);
  errno = saved;
  return error_set_errno (err, "ptrace");
}

/* Ask THREAD to stop, unless it waits.  False if it cannot be traced.  */
static bool
seize_thread (struct process *process, struct thread *thread,
              struct error *err)
{
  if (thread->waits)
    return true;
  if (ptrace (PTRACE_SEIZE, thread->tid, NULL, NULL) != 0)
    return set_not_traced (process, thread->tid, err);
  ptrace (PTRACE_INTERRUPT, thread->tid, NULL, NULL);
  return true;
}

/* Append the threads of PROCESS that are not known yet, and find out which of
   them wait in the kernel for long.  */
static bool
list_new_threads (struct process *process, struct error *err)
{
  size_t known = process->n_threads, at = 0;
  DIR *threads = live_threads (process->pid);
  if (threads == NULL)
    return error_set (err, CFI2SFRAME_IO, "no such process");
  bool added = true;
  for (pid_t tid; added && (tid = live_next_thread (threads)) != 0;)
    {
      if (is_known_thread (process, known, tid, &at))
        continue;
      struct thread *thread = process_add_thread (process, tid);
      added = thread != NULL;
      if (added)
        thread->waits = waits_long (process->pid, tid);
    }
  closedir (threads);
  return added || error_set_no_memory (err);
}

/* Ask all threads to stop that are not known yet; *N is how many.  All are
   listed before the first one is asked, so that no thread stands still during
   that.  False when memory for the list ran out.  */
static bool
seize_new_threads (struct process *process, size_t *n, struct error *err)
{
  size_t first = process->n_threads, kept = first;
  *n = 0;
  if (!list_new_threads (process, err) && err->status == CFI2SFRAME_NO_MEMORY)
    return false;
  if (first == 0)
    process->stopped_at = clock_now ();
  /* A thread that has ended, or is a zombie, cannot be seized.  */
  for (size_t i = first; i < process->n_threads; i++)
    if (seize_thread (process, &process->threads[i], err))
      process->threads[kept++] = process->threads[i];
  process->n_threads = kept;
  *n = kept - first;
  return true;
}

/* Set *EVENT to what has become of TID, which was asked to stop; its si_pid is
   0 if that is nothing yet.  An end is left for who waits for the process.  */
static bool
find_event (pid_t tid, siginfo_t *event)
{
  *event = (siginfo_t){ 0 };
  return waitid (P_PID, (id_t)tid, event,
                 WSTOPPED | WEXITED | WNOHANG | WNOWAIT | __WALL)
         == 0;
}

/* Wait until THREAD stands still, or until it has begun to wait in the kernel
   for long.  If a signal on its way stopped it, the thread gets that signal
   when it is resumed.  */
static void
await_stop (const struct process *process, struct thread *thread)
{
  unsigned patience = PATIENCE;
  siginfo_t event;
  while (find_event (thread->tid, &event) && event.si_pid == 0)
    {
      if (live_thread_state (process->pid, thread->tid) == 'D'
          && patience-- == 0)
        {
          thread->waits = true;
          return;
        }
      pause_shortly ();
    }
  if (event.si_code != CLD_TRAPPED)
    return;
  thread->stopped = true;
  /* An event of ptrace is in the bits above the signal.  */
  if (event.si_status >> 8 == 0)
    thread->signal = event.si_status;
}

/* Stop all threads of PROCESS and read their registers.  False when memory for
   their list ran out.  */
static bool
stop_threads (struct process *process, struct error *err)
{
  size_t first = 0, n = 0;
  bool listed;
  /* Threads that still run may make new ones.  */
  while ((listed = seize_new_threads (process, &n, err)) && n > 0)
    for (; first < process->n_threads; first++)
      if (!process->threads[first].waits)
        await_stop (process, &process->threads[first]);
  for (size_t i = 0; i < process->n_threads; i++)
    read_registers (process, &process->threads[i]);
  return listed;
}

static void
await (sem_t *event)
{
  while (sem_wait (event) != 0 && errno == EINTR)
    ;
}

/* What a tracer does.  */
static void
trace (void *argument)
{
  struct tracer *tracer = argument;
  struct process *process = tracer->process;
  tracer->tid = (pid_t)syscall (SYS_gettid);
  tracer->listed = stop_threads (process, tracer->err);
  sem_post (&tracer->stopped);
  await (&tracer->resume);
  for (size_t i = 0; i < process->n_threads; i++)
    {
      struct thread *thread = &process->threads[i];
      if (thread->stopped)
        ptrace (PTRACE_DETACH, thread->tid, NULL, (long)thread->signal);
    }
}

static struct tracer *
tracer_of (const struct process *process)
{
  struct source *source = process->memory.source;
  return &source->tracer;
}

/* Say why no register of PROCESS is known.  */
static bool
set_nothing_known (const struct process *process, struct error *err)
{
  bool waits = false, stopped = false;
  for (size_t i = 0; i < process->n_threads; i++)
    {
      waits |= process->threads[i].waits;
      stopped |= process->threads[i].stopped;
    }
  if (waits)
    return error_set (err, CFI2SFRAME_REFUSED,
                      "it waits in the kernel and cannot be stopped");
  if (stopped)
    return error_set (err, CFI2SFRAME_UNSUPPORTED,
                      "its registers are not those of a 64-bit program");
  return process->n_threads > 0
             ? error_set (err, CFI2SFRAME_IO, "it ended meanwhile")
             : false;
}

bool
live_stop (struct process *process, struct error *err)
{
  struct tracer *tracer = tracer_of (process);
  process_forget_threads (process);
  memory_forget (&process->memory);
  error_clear (err);
  tracer->process = process;
  tracer->err = err;
  sem_init (&tracer->stopped, 0, 0);
  sem_init (&tracer->resume, 0, 0);
  background_start (&tracer->thread, trace, tracer);
  if (!tracer->thread.threaded)
    {
      tracer->thread.work = NULL;
      return error_set (err, CFI2SFRAME_IO, "no thread can be started");
    }
  await (&tracer->stopped);
  for (size_t i = 0; i < process->n_threads; i++)
    process->memory.open |= process->threads[i].known;
  if (tracer->listed && process->memory.open)
    return true;
  live_resume (process);
  return tracer->listed && set_nothing_known (process, err);
}

/* Whether THREAD waits where it waited when its registers were read.  */
static bool
still_waits (const struct process *process, const struct thread *thread)
{
  struct registers now;
  return live_waiting_registers (process->pid, thread->tid, &now)
         && memcmp (now.values, thread->registers.values, sizeof now.values)
                == 0;
}

size_t
live_copy_stacks (struct process *process, size_t most)
{
  size_t cut = 0;
  /* Later threads have stacks at lower addresses as a rule.  Copies that are
     made in ascending order need no room between others.  */
  for (size_t i = process->n_threads; i-- > 0;)
    {
      struct thread *thread = &process->threads[i];
      if (!thread->known)
        continue;
      uint64_t sp = thread->registers.values[process->arch->sp];
      const struct mapping *mapping = process_mapping_at (process, sp);
      uint64_t size = mapping != NULL ? mapping->end - sp : 0;
      if (size > 0)
        {
          memory_copy (&process->memory, sp - RED_ZONE,
                       (size < most ? (size_t)size : most) + RED_ZONE);
          cut += process->memory.full;
        }
      if (thread->waits)
        thread->known = still_waits (process, thread);
    }
  return cut;
}

void
live_resume (struct process *process)
{
  struct tracer *tracer = tracer_of (process);
  process->memory.open = false;
  sem_post (&tracer->resume);
  background_wait (&tracer->thread);
  /* Threads that are late are let go before the kernel forgets the tracer,
     which is shortly after the wait.  */
  while (live_thread_state (getpid (), tracer->tid) != '\0')
    pause_shortly ();
  sem_destroy (&tracer->stopped);
  sem_destroy (&tracer->resume);
}

void
live_read_names (struct process *process)
{
  for (size_t i = 0; i < process->n_threads; i++)
    {
      struct thread *thread = &process->threads[i];
      live_thread_name (process->pid, thread->tid, thread->name,
                        sizeof thread->name);
    }
}
