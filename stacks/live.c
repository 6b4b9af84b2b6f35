/* A living process: its memory, mappings, threads and registers, from /proc
   and ptrace.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/live.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/lines.h"

/* Memory.  A read of /proc/PID/mem stops at the first missing page.  */

static size_t
fetch (void *source, uint64_t address, void *to, size_t size)
{
  const struct process *process = source;
  size_t got = 0;
  while (got < size)
    {
      ssize_t n = pread (process->memory_fd, (uint8_t *)to + got, size - got,
                         (off_t)(address + got));
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        break;
      got += (size_t)n;
    }
  return got;
}

void
live_init (struct process *process, pid_t pid)
{
  process->memory_fd = -1;
  process->pid = pid;
  process->arch = live_arch ();
  process->open_file = file_finder_open;
  process->memory.fetch = fetch;
  process->memory.source = process;
}

void
live_thread_path (pid_t pid, pid_t tid, const char *what, char path[64])
{
  snprintf (path, 64, "/proc/%d/task/%d/%s", (int)pid, (int)tid, what);
}

/* Read the beginning of the file WHAT of thread TID of PID to TEXT, which has
   SIZE bytes.  Append '\0'.  Return how many bytes were read.  */
static size_t
read_thread (pid_t pid, pid_t tid, const char *what, char *text, size_t size)
{
  char path[64];
  live_thread_path (pid, tid, what, path);
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? 0 : read (fd, text, size - 1);
  if (fd >= 0)
    close (fd);
  text[n > 0 ? n : 0] = '\0';
  return n > 0 ? (size_t)n : 0;
}

char
live_thread_state (pid_t pid, pid_t tid)
{
  char line[256];
  read_thread (pid, tid, "stat", line, sizeof line);
  /* The state follows the name, which is in parentheses.  The name may contain
     parentheses and newlines.  */
  const char *end = strrchr (line, ')');
  return end != NULL && end[1] == ' ' ? end[2] : '\0';
}

bool
live_thread_ended (pid_t pid, pid_t tid)
{
  char state = live_thread_state (pid, tid);
  return state == '\0' || state == 'Z' || state == 'X';
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
      /* The entries of the folder itself and of its parent give 0.  */
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
    if (!live_thread_ended (pid, tid))
      found = tid;
  closedir (threads);
  return found;
}

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
  live_init (process, pid);
  return live_open_memory (process, err) && live_read_mappings (process, err);
}

bool
live_open_memory (struct process *process, struct error *err)
{
  char name[64];
  if (process->memory_fd >= 0)
    close (process->memory_fd);
  pid_t tid = live_memory_thread (process->pid);
  snprintf (name, sizeof name, "/proc/%d/mem", (int)tid);
  process->memory_fd = open (name, O_RDONLY | O_CLOEXEC);
  if (process->memory_fd >= 0)
    return true;
  int cause = errno;
  /* The kernel's proc_mem_open fails with ESRCH for a process without memory.
     The files in /proc of a zombie belong to root (task_dump_owner), so that
     other users get EACCES.  */
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
  if (process->memory.source == process && process->memory_fd >= 0)
    close (process->memory_fd);
  process_free (process);
}

/* ---- Mappings */

static bool
add_mapping (void *context, const struct walk_mapping *mapping)
{
  struct walk_mapping report = *mapping;
  if (!mapping_is_of_file (mapping->path, mapping->inode != 0))
    report.path = NULL;
  return process_map (context, &report);
}

bool
live_read_mappings (struct process *process, struct error *err)
{
  struct process now = { .files = process->files };
  char name[64];
  pid_t tid = live_memory_thread (process->pid);
  bool listed = walk_maps_read (tid, add_mapping, &now);
  int cause = errno;
  if (listed && now.mappings.n > 0)
    {
      mappings_forget (&process->mappings, &process->files->mappings);
      process->mappings = now.mappings;
      return true;
    }
  mappings_forget (&now.mappings, &process->files->mappings);
  if (listed)
    return set_no_memory (process, err);
  if (cause == ENOMEM)
    return error_set_no_memory (err);
  snprintf (name, sizeof name, "/proc/%d/maps", (int)tid);
  errno = cause;
  return error_set_errno (err, name);
}

/* ---- Threads */

void
live_thread_name (pid_t pid, pid_t tid, char *name, size_t size)
{
  char text[64];
  size_t n = read_thread (pid, tid, "comm", text, sizeof text);
  /* Cut off the final newline; the name may contain others.  */
  if (n > 0)
    snprintf (name, size, "%.*s", (int)n - 1, text);
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

/* ---- Registers */

const struct arch *
live_arch (void)
{
  enum
  {
#if defined __x86_64__
    MACHINE = EM_X86_64
#elif defined __aarch64__
    MACHINE = EM_AARCH64
#else
    MACHINE = EM_S390
#endif
  };
  return arch_of_machine (MACHINE, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

bool
live_registers (pid_t tid, struct registers *registers)
{
  elf_gregset_t user; /* the only name of the type in glibc for s390x */
  struct iovec area = { &user, sizeof user };
  *registers = (struct registers){ 0 };
  /* A 32-bit program has a smaller set of registers.  */
  if (ptrace (PTRACE_GETREGSET, tid, NT_PRSTATUS, &area) != 0
      || area.iov_len != sizeof user)
    return false;
  registers_decode (live_arch (), ORDER_THREAD, (const uint8_t *)&user,
                    UINT64_MAX, registers);
  return true;
}

/* Read the registers that /proc tells of thread TID of PID in a system call:
   its arguments, SP and PC (proc(5), "syscall").  Return how many numbers
   there are.  Outside of a system call there are SP and PC alone.  */
static unsigned
read_call (pid_t pid, pid_t tid, uint64_t call[8])
{
  char path[64], line[256], *end = line;
  live_thread_path (pid, tid, "syscall", path);
  /* The line begins with the number of the system call, or -1.  For a running
     thread it does not begin with a number.  */
  if (!lines_first (path, line, sizeof line)
      || (strtol (line, &end, 10) == 0 && end == line))
    return 0;
  unsigned n = 0;
  for (char *at = end; n < 8; at = end, n++)
    {
      call[n] = strtoull (at, &end, 16);
      if (end == at)
        break;
    }
  return n;
}

bool
live_waiting_registers (pid_t pid, pid_t tid, struct registers *registers)
{
#if defined __x86_64__
  /* DWARF numbers of rdi, rsi, rdx, r10, r8, r9, rsp and rip.  */
  static const uint8_t numbers[] = { 5, 4, 1, 10, 8, 9, 7, 16 };
  uint64_t call[8];
  unsigned n = read_call (pid, tid, call);
  if (n != 2 && n != 8)
    return false;
  memset (registers, 0, sizeof *registers);
  registers->n = 17;
  for (unsigned i = 0; i < registers->n; i++)
    registers->values[i] = UNKNOWN_REGISTER;
  for (unsigned i = 0; i < n; i++)
    registers->values[numbers[8 - n + i]] = call[i];
  registers->pc = registers->values[16];
  return true;
#else
  /* On other machines, a function that has not saved its return address has it
     in a register that /proc does not tell.  */
  (void)read_call;
  (void)pid;
  (void)tid;
  (void)registers;
  return false;
#endif
}
