/* Samples that the kernel takes of running threads: registers and a copy of
   the stack.
   SPDX-License-Identifier: LGPL-2.1-or-later

   perf_event_open(2) opens an event for each thread on each processor.  All
   events of a processor write to one ring buffer.  For time off the processor,
   a second ring of each processor has the records of switches.  These are
   small, so that they are not lost when the ring of samples is full, and the
   end of every wait is seen.  */

#include <config.h>

#include "stacks/sampling.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/io.h"
#include "stacks/live.h"
#include "stacks/perf_events.h"

enum
{
  RING_MAX = 4 << 20, /* bytes */
  RING_MIN = 64 << 10,
  SWITCHES_MAX = 512 << 10, /* bytes of a ring for switches */
  STACK_MAX = 65528,        /* bytes; the largest value of the field */
  RECORD_MAX = 1 << 16
};

struct ring
{
  struct perf_event_attr *attr; /* of the events that write to it */
  int processor;
  int fd; /* the event that the ring was mapped with */
  struct perf_event_mmap_page *page;
  size_t size;         /* of the part with records */
  uint64_t next, head; /* positions of the next record and of the end */
};

struct perf_sampler
{
  struct perf_event_attr samples, switches;
  struct ring *rings; /* one per processor for samples, then for switches */
  unsigned n_rings;
  int *fds; /* of all events */
  size_t n_fds, capacity;
  bool renewed; /* the family's mappings were read again in this round */
  struct perf_events events;
  /* A copy of a record that wraps around the ring's end.  */
  _Alignas(struct perf_event_header) uint8_t record[RECORD_MAX];
};

static int
open_event (struct perf_event_attr *attr, pid_t tid, int processor)
{
  int fd = (int)syscall (SYS_perf_event_open, attr, tid, processor, -1,
                         PERF_FLAG_FD_CLOEXEC);
  /* Without permission to sample time in the kernel, sample the program alone.
     That is no help for switches, which happen in the kernel.  */
  if (fd < 0 && (errno == EACCES || errno == EPERM) && !attr->exclude_kernel
      && attr->config == PERF_COUNT_SW_TASK_CLOCK)
    {
      attr->exclude_kernel = 1;
      attr->sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
      return open_event (attr, tid, processor);
    }
  return fd;
}

/* Map the buffer of RING.  The kernel limits how much memory unprivileged
   users may lock, so try smaller sizes, too.  */
static bool
map_ring (struct ring *ring)
{
  size_t page = (size_t)sysconf (_SC_PAGESIZE);
  size_t size = ring->attr->context_switch ? SWITCHES_MAX : RING_MAX;
  for (; size >= RING_MIN; size /= 2)
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

static bool
open_on_ring (struct perf_sampler *sampler, pid_t tid, struct ring *ring)
{
  int fd = open_event (ring->attr, tid, ring->processor);
  /* This is no error if the processor is offline or the thread has ended.  */
  if (fd < 0)
    return errno == ENODEV || errno == ESRCH;
  if (!ARRAY_ROOM (sampler->fds, sampler->n_fds + 1, &sampler->capacity))
    {
      close (fd);
      return false;
    }
  sampler->fds[sampler->n_fds++] = fd;
  if (ring->page != NULL)
    return ioctl (fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) == 0;
  ring->fd = fd;
  return map_ring (ring);
}

static bool
open_threads (struct perf_sampler *sampler, pid_t pid)
{
  DIR *threads = live_threads (pid);
  if (threads == NULL)
    return pid != sampler->events.pid; /* of a descendant, which has ended */
  bool opened = true;
  for (pid_t tid; opened && (tid = live_next_thread (threads)) != 0;)
    for (unsigned i = 0; opened && i < sampler->n_rings; i++)
      opened = open_on_ring (sampler, tid, &sampler->rings[i]);
  closedir (threads);
  return opened;
}

/* Open events for all members of the family and, if wanted, for their
   descendants.  Processes that are started later inherit the events.  */
static bool
open_family (struct perf_sampler *sampler)
{
  struct family *family = &sampler->events.profile->family;
  for (size_t i = 0; i < family->n; i++)
    {
      if (!open_threads (sampler, family->members[i]->process.pid))
        return false;
      if (!sampler->events.alone && i + 1 == family->n)
        family_add_children (family);
    }
  return sampler->n_fds > 0;
}

/* Return the attributes that all events have in common.  */
static struct perf_event_attr
new_event (uint64_t config, bool on_exec)
{
  return (struct perf_event_attr){
    .size = sizeof (struct perf_event_attr),
    .type = PERF_TYPE_SOFTWARE,
    .config = config,
    .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
    .use_clockid = 1,
    .clockid = CLOCK_MONOTONIC,
    .sample_id_all = 1,
    .inherit = 1,
    .disabled = on_exec,
    .enable_on_exec = on_exec,
  };
}

/* Set ATTR to an event with HZ samples per second of each running thread; 0: a
   sample whenever a thread leaves its processor.  */
static void
ask_for_samples (struct perf_event_attr *attr, unsigned hz, bool on_exec)
{
  *attr = new_event (hz > 0 ? PERF_COUNT_SW_TASK_CLOCK
                            : PERF_COUNT_SW_CONTEXT_SWITCHES,
                     on_exec);
  attr->sample_period = hz > 0 ? 1000000000 / hz : 1;
  attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER
                       | PERF_SAMPLE_CALLCHAIN;
  attr->exclude_callchain_user = 1;
  attr->sample_regs_user = registers_mask (live_arch (), ORDER_PERF);
  attr->sample_stack_user = STACK_MAX & ~7;
  attr->mmap = attr->mmap_data = attr->mmap2 = 1;
  attr->comm = attr->comm_exec = attr->task = 1;
}

static struct perf_sampler *
new_sampler (bool off_cpu)
{
  long processors = sysconf (_SC_NPROCESSORS_CONF);
  unsigned n = processors > 0 ? (unsigned)processors : 1;
  struct perf_sampler *sampler = calloc (1, sizeof *sampler);
  struct ring *rings = calloc ((size_t)n * 2, sizeof *rings);
  if (sampler == NULL || rings == NULL)
    {
      free (sampler);
      free (rings);
      return NULL;
    }
  sampler->rings = rings;
  sampler->n_rings = off_cpu ? 2 * n : n;
  for (unsigned i = 0; i < sampler->n_rings; i++)
    {
      rings[i].attr = i < n ? &sampler->samples : &sampler->switches;
      rings[i].processor = (int)(i % n);
    }
  return sampler;
}

struct perf_sampler *
perf_sampler_open (struct profile *profile, pid_t pid, unsigned hz,
                   bool on_exec, bool children, struct error *err)
{
  struct perf_sampler *sampler = new_sampler (profile->off_cpu);
  if (sampler == NULL)
    {
      error_set_no_memory (err);
      return NULL;
    }
  sampler->events = (struct perf_events){ .profile = profile,
                                          .waits.profile = profile,
                                          .pid = pid,
                                          .alone = !children,
                                          .same_kernel = true };
  ask_for_samples (&sampler->samples, profile->off_cpu ? 0 : hz, on_exec);
  sampler->switches = new_event (PERF_COUNT_SW_DUMMY, on_exec);
  sampler->switches.context_switch = 1;
  /* Each thread needs a descriptor for each processor.  */
  io_raise_limit ();
  errno = 0;
  if (open_family (sampler))
    return sampler;
  if (profile->off_cpu && (errno == EACCES || errno == EPERM))
    error_set (err, CFI2SFRAME_IO,
               "the kernel tells of switches only if perf_event_paranoid is "
               "below 2, or with CAP_PERFMON");
  else
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

/* ---- Records */

static void
take_record (struct perf_sampler *sampler, const struct ring *ring,
             const struct perf_event_header *header)
{
  const struct perf_event_attr *attr = ring->attr;
  struct perf_record record;
  struct perf_sample sample;
  perf_record_read ((const uint8_t *)header, header->size, &record);
  if (record.type != PERF_RECORD_SAMPLE)
    perf_events_apply (&sampler->events, &record, attr->sample_type,
                       attr->context_switch != 0);
  else if (perf_sample_read (attr, &record, &sample))
    perf_events_sample (&sampler->events, &sample, attr->sample_regs_user);
  /* Mappings may be among the lost records.  Read all mappings again, once in
     a round: all records that are reported as lost in this round were lost
     before it began.  */
  if (record.type == PERF_RECORD_LOST && !sampler->renewed)
    {
      family_read_mappings (&sampler->events.profile->family);
      sampler->renewed = true;
    }
}

/* The smallest record: a header, PID and TID, and the time.  The time is at
   the end or, in samples, behind PID and TID.  */
enum
{
  SMALLEST = sizeof (struct perf_event_header) + 16
};

static const struct perf_event_header *
header_at (const struct ring *ring, uint64_t position)
{
  const uint8_t *records
      = (const uint8_t *)ring->page + sysconf (_SC_PAGESIZE);
  /* A header never wraps around the ring's end, because sizes of headers and
     records are multiples of 8.  */
  return (const void *)(records + position % ring->size);
}

/* Return the complete record at POSITION of RING.  */
static const struct perf_event_header *
record_at (struct perf_sampler *sampler, const struct ring *ring,
           uint64_t position)
{
  const struct perf_event_header *header = header_at (ring, position);
  size_t first = ring->size - position % ring->size;
  if (header->size <= first)
    return header;
  memcpy (sampler->record, header, first);
  memcpy (sampler->record + first, header_at (ring, 0), header->size - first);
  return (const void *)sampler->record;
}

/* Return the time of RING's next record; UINT64_MAX: none, or damaged.  */
static uint64_t
time_of_next (struct ring *ring)
{
  uint64_t time;
  if (ring->page == NULL || ring->next >= ring->head)
    return UINT64_MAX;
  const struct perf_event_header *header = header_at (ring, ring->next);
  uint64_t offset = header->type == PERF_RECORD_SAMPLE ? 16 : header->size - 8;
  if (header->size < SMALLEST)
    return UINT64_MAX;
  memcpy (&time, header_at (ring, ring->next + offset), sizeof time);
  return time;
}

/* Process all records from before UNTIL in the order of time, across all
   rings: a process may have moved from one processor to another.  */
static void
take_records (struct perf_sampler *sampler, uint64_t until)
{
  sampler->renewed = false;
  for (unsigned i = 0; i < sampler->n_rings; i++)
    if (sampler->rings[i].page != NULL)
      {
        struct ring *ring = &sampler->rings[i];
        ring->head
            = __atomic_load_n (&ring->page->data_head, __ATOMIC_ACQUIRE);
        ring->next = ring->page->data_tail;
      }
  for (;;)
    {
      struct ring *first = &sampler->rings[0];
      for (unsigned i = 1; i < sampler->n_rings; i++)
        if (time_of_next (&sampler->rings[i]) < time_of_next (first))
          first = &sampler->rings[i];
      if (time_of_next (first) >= until)
        return;
      const struct perf_event_header *header
          = record_at (sampler, first, first->next);
      take_record (sampler, first, header);
      first->next += header->size;
      __atomic_store_n (&first->page->data_tail, first->next,
                        __ATOMIC_RELEASE);
    }
}

void
perf_sampler_read (struct perf_sampler *sampler)
{
  /* The kernel writes to the rings of different processors at different times.
     When records of the present time are in one ring, all records up to two
     milliseconds earlier are in the others.  */
  const uint64_t margin = 2000000;
  size_t room = RING_MAX;
  for (unsigned i = 0; i < sampler->n_rings; i++)
    if (sampler->rings[i].page != NULL && sampler->rings[i].size < room)
      room = sampler->rings[i].size;
  /* The wait ends when a quarter of the smallest ring may be full, and after
     20 milliseconds at most, because modules must be read before the process
     ends.  poll is not used: it would return at once when the thread that owns
     a ring has ended.  */
  uint64_t wait
      = room / RECORD_MAX / 4 * sampler->samples.sample_period / 1000000;
  if (wait < 1)
    wait = 1;
  if (wait > 20)
    wait = 20;
  usleep ((unsigned)wait * 1000);
  take_records (sampler, clock_nanoseconds () - margin);
}

void
perf_sampler_finish (struct perf_sampler *sampler)
{
  uint64_t now = clock_nanoseconds ();
  take_records (sampler, UINT64_MAX);
  off_cpu_end (&sampler->events.waits, now);
  sampler->events.profile->without_kernel = sampler->samples.exclude_kernel;
}
