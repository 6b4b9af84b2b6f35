/* Samples taken by the kernel: registers and stacks of running threads.
   SPDX-License-Identifier: LGPL-2.1-or-later

   perf_event_open(2).  Each processor has a ring of records, which the events
   of all threads there write to.  */

#include <config.h>

#include "process/perf_sampler.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process/live.h"

enum
{
  RING_MAX = 4 << 20, /* bytes */
  RING_MIN = 64 << 10,
  STACK_MAX = 65528, /* what the field of a record can say */
  RECORD_MAX = 1 << 16
};

/* The registers of a sample come in the order of the bits of a mask
   (uapi/asm/perf_regs.h): where each goes, by DWARF number.  */
enum
{
  TO_PC = 64
};
#if defined __x86_64__
/* AX BX CX DX SI DI BP SP IP; FLAGS and segments are not asked for; R8 ...  */
static const uint64_t register_mask = 0xff01ff;
static const uint8_t register_order[]
    = { 0, 3, 2, 1, 4, 5, 6, 7, TO_PC, 8, 9, 10, 11, 12, 13, 14, 15 };
#elif defined __aarch64__
static const uint64_t register_mask = (UINT64_C (1) << 33) - 1;
static const uint8_t register_order[]
    = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,   16,
        17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, TO_PC };
#else
/* R0 ... R15, and behind the floating-point registers and the mask, the PC. */
static const uint64_t register_mask = 0xffff | UINT64_C (1) << 33;
static const uint8_t register_order[]
    = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, TO_PC };
#endif
enum
{
  N_REGISTERS = sizeof register_order
};

struct ring
{
  int fd; /* of the event that owns it */
  struct perf_event_mmap_page *page;
  size_t size; /* of the records */
};

struct perf_sampler
{
  pid_t pid;
  struct perf_event_attr attr;
  struct ring *rings; /* one per processor */
  unsigned n_rings;
  int *fds; /* of all events */
  size_t n_fds, capacity;
  bool modules_changed;
  /* One that goes around the ring's end.  */
  _Alignas(struct perf_event_header) uint8_t record[RECORD_MAX];
};

static int
open_event (struct perf_sampler *sampler, pid_t tid, int processor)
{
  struct perf_event_attr *attr = &sampler->attr;
  int fd = (int)syscall (SYS_perf_event_open, attr, tid, processor, -1,
                         PERF_FLAG_FD_CLOEXEC);
  /* Without the right to see the kernel at work, its time is not sampled.  */
  if (fd < 0 && (errno == EACCES || errno == EPERM) && !attr->exclude_kernel)
    {
      attr->exclude_kernel = 1;
      return open_event (sampler, tid, processor);
    }
  return fd;
}

static bool
keep_fd (struct perf_sampler *sampler, int fd)
{
  if (sampler->n_fds == sampler->capacity)
    {
      size_t capacity = 2 * sampler->capacity + 16;
      int *grown = reallocarray (sampler->fds, capacity, sizeof *grown);
      if (grown == NULL)
        return false;
      sampler->fds = grown;
      sampler->capacity = capacity;
    }
  sampler->fds[sampler->n_fds++] = fd;
  return true;
}

/* Unprivileged users may lock only so much memory: take what there is.  */
static bool
map_ring (struct ring *ring)
{
  size_t page = (size_t)sysconf (_SC_PAGESIZE);
  for (size_t size = RING_MAX; size >= RING_MIN; size /= 2)
    {
      void *mapped = mmap (NULL, page + size, PROT_READ | PROT_WRITE,
                           MAP_SHARED, ring->fd, 0);
      if (mapped == MAP_FAILED)
        continue;
      ring->page = mapped;
      ring->size = size;
      return true;
    }
  return false;
}

/* Open the event of TID on processor RING, and have it write to the ring.  */
static bool
open_on_ring (struct perf_sampler *sampler, pid_t tid, unsigned index)
{
  struct ring *ring = &sampler->rings[index];
  int fd = open_event (sampler, tid, (int)index);
  /* A processor that is off, a thread that has ended.  */
  if (fd < 0)
    return errno == ENODEV || errno == ESRCH;
  if (!keep_fd (sampler, fd))
    {
      close (fd);
      return false;
    }
  if (ring->page != NULL)
    return ioctl (fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) == 0;
  ring->fd = fd;
  return map_ring (ring);
}

static bool
open_thread (struct perf_sampler *sampler, pid_t tid)
{
  for (unsigned i = 0; i < sampler->n_rings; i++)
    if (!open_on_ring (sampler, tid, i))
      return false;
  return true;
}

static bool
open_threads (struct perf_sampler *sampler)
{
  char name[64];
  snprintf (name, sizeof name, "/proc/%d/task", (int)sampler->pid);
  DIR *folder = opendir (name);
  if (folder == NULL)
    return false;
  bool opened = true;
  for (struct dirent *entry; opened && (entry = readdir (folder)) != NULL;)
    {
      pid_t tid = (pid_t)strtol (entry->d_name, NULL, 10);
      if (tid > 0)
        opened = open_thread (sampler, tid);
    }
  closedir (folder);
  return opened && sampler->n_fds > 0;
}

static void
ask_for (struct perf_sampler *sampler, unsigned hz, bool on_exec)
{
  struct perf_event_attr *attr = &sampler->attr;
  attr->size = sizeof *attr;
  attr->type = PERF_TYPE_SOFTWARE;
  attr->config = PERF_COUNT_SW_TASK_CLOCK;
  attr->sample_period = 1000000000 / hz; /* nanoseconds on a processor */
  attr->sample_type
      = PERF_SAMPLE_TID | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
  attr->sample_regs_user = register_mask;
  attr->sample_stack_user = STACK_MAX & ~7;
  attr->inherit = 1;
  attr->mmap = attr->comm = attr->comm_exec = 1;
  attr->disabled = on_exec;
  attr->enable_on_exec = on_exec;
}

struct perf_sampler *
perf_sampler_open (pid_t pid, unsigned hz, bool on_exec, struct error *err)
{
  long processors = sysconf (_SC_NPROCESSORS_CONF);
  struct perf_sampler *sampler = calloc (1, sizeof *sampler);
  struct ring *rings
      = calloc (processors > 0 ? (size_t)processors : 1, sizeof *rings);
  if (sampler == NULL || rings == NULL)
    {
      free (sampler);
      free (rings);
      error_set_no_memory (err);
      return NULL;
    }
  sampler->pid = pid;
  sampler->rings = rings;
  sampler->n_rings = processors > 0 ? (unsigned)processors : 1;
  ask_for (sampler, hz, on_exec);
  /* There is a file for each thread on each processor.  */
  struct rlimit limit;
  if (getrlimit (RLIMIT_NOFILE, &limit) == 0)
    {
      limit.rlim_cur = limit.rlim_max;
      setrlimit (RLIMIT_NOFILE, &limit);
    }
  errno = 0;
  if (open_threads (sampler))
    return sampler;
  error_set_errno (err, "perf_event_open");
  perf_sampler_close (sampler);
  return NULL;
}

void
perf_sampler_close (struct perf_sampler *sampler)
{
  size_t page = (size_t)sysconf (_SC_PAGESIZE);
  for (unsigned i = 0; i < sampler->n_rings; i++)
    if (sampler->rings[i].page != NULL)
      munmap (sampler->rings[i].page, page + sampler->rings[i].size);
  for (size_t i = 0; i < sampler->n_fds; i++)
    close (sampler->fds[i]);
  free (sampler->fds);
  free (sampler->rings);
  free (sampler);
}

/* Records.  */

static uint64_t
take_u64 (const uint8_t **at)
{
  uint64_t value;
  memcpy (&value, *at, sizeof value);
  *at += sizeof value;
  return value;
}

/* A sample: pid and tid; ABI and registers; size, stack, and how much of it is
   meant (perf_event_open(2)).  */
static void
take_sample (struct perf_sampler *sampler, const uint8_t *at,
             const uint8_t *end, struct profile *profile)
{
  struct process *process = profile->process;
  struct registers registers = { .n = N_REGISTERS - 1 };
  uint32_t ids[2];
  memcpy (ids, at, sizeof ids);
  at += sizeof ids;
  uint64_t abi = take_u64 (&at);
  /* Children, kernel threads, 32-bit programs.  */
  if ((pid_t)ids[0] != sampler->pid || abi != PERF_SAMPLE_REGS_ABI_64
      || (size_t)(end - at) < (N_REGISTERS + 1) * sizeof (uint64_t))
    return;
  for (unsigned i = 0; i < N_REGISTERS; i++)
    {
      uint64_t value = take_u64 (&at);
      if (register_order[i] == TO_PC)
        registers.pc = value;
      else
        registers.values[register_order[i]] = value;
    }
  uint64_t size = take_u64 (&at), used = 0;
  if (size > (uint64_t)(end - at))
    return;
  const uint8_t *stack = at;
  at += size;
  if (size > 0 && end - at >= (ptrdiff_t)sizeof used)
    used = take_u64 (&at);
  memory_forget (&process->memory);
  memory_add (&process->memory, registers.values[process->arch->sp], stack,
              used < size ? used : size);
  profile_take (profile, &registers);
}

static void
take_record (struct perf_sampler *sampler,
             const struct perf_event_header *header, struct profile *profile)
{
  const uint8_t *at = (const uint8_t *)(header + 1);
  const uint8_t *end = (const uint8_t *)header + header->size;
  struct error err;
  switch (header->type)
    {
    case PERF_RECORD_SAMPLE:
      /* A program's modules may change, after execve all of them do.  */
      if (sampler->modules_changed)
        profile_refresh (profile);
      sampler->modules_changed = false;
      if (end - at >= 16)
        take_sample (sampler, at, end, profile);
      break;
    case PERF_RECORD_COMM:
      if (header->misc & PERF_RECORD_MISC_COMM_EXEC)
        live_renew (profile->process, &err);
      break;
    case PERF_RECORD_MMAP:
      sampler->modules_changed = true;
      break;
    case PERF_RECORD_LOST:
      if (end - at >= 16)
        {
          at += sizeof (uint64_t);
          profile->lost += take_u64 (&at);
        }
      break;
    default:
      break;
    }
}

/* The record at POSITION of RING, whole.  */
static const struct perf_event_header *
record_at (struct perf_sampler *sampler, const struct ring *ring,
           uint64_t position)
{
  const uint8_t *records
      = (const uint8_t *)ring->page + sysconf (_SC_PAGESIZE);
  size_t offset = position % ring->size;
  const struct perf_event_header *header = (const void *)(records + offset);
  if (header->size <= ring->size - offset)
    return header;
  /* The header itself is never cut: sizes are multiples of 8, as it is.  */
  size_t first = ring->size - offset;
  memcpy (sampler->record, header, first);
  memcpy (sampler->record + first, records, header->size - first);
  return (const void *)sampler->record;
}

static void
drain (struct perf_sampler *sampler, struct ring *ring,
       struct profile *profile)
{
  uint64_t head = __atomic_load_n (&ring->page->data_head, __ATOMIC_ACQUIRE);
  uint64_t tail = ring->page->data_tail;
  while (tail < head)
    {
      const struct perf_event_header *header = record_at (sampler, ring, tail);
      if (header->size < sizeof *header)
        break;
      take_record (sampler, header, profile);
      tail += header->size;
    }
  /* The memory of the last sample is in the ring.  */
  memory_forget (&profile->process->memory);
  __atomic_store_n (&ring->page->data_tail, head, __ATOMIC_RELEASE);
}

/* Milliseconds until a quarter of the smallest ring is full.  */
static unsigned
interval (const struct perf_sampler *sampler)
{
  size_t room = RING_MAX;
  for (unsigned i = 0; i < sampler->n_rings; i++)
    if (sampler->rings[i].page != NULL && sampler->rings[i].size < room)
      room = sampler->rings[i].size;
  uint64_t milliseconds
      = room / RECORD_MAX / 4 * sampler->attr.sample_period / 1000000;
  /* Modules want to be read before the process ends.  */
  return milliseconds < 1    ? 1
         : milliseconds > 20 ? 20
                             : (unsigned)milliseconds;
}

bool
perf_sampler_read (struct perf_sampler *sampler, struct profile *profile)
{
  /* Not poll: the thread that owns a ring may have ended.  */
  usleep (1000 * interval (sampler));
  for (unsigned i = 0; i < sampler->n_rings; i++)
    if (sampler->rings[i].page != NULL)
      drain (sampler, &sampler->rings[i], profile);
  return kill (sampler->pid, 0) == 0;
}
