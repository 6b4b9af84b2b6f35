/* Samples of another process, taken by the kernel, walked as they come
   (x86-64).
   SPDX-License-Identifier: LGPL-2.1-or-later

   cc -o walk_perf walk_perf.c $(pkg-config --cflags --libs sframewalk)
   ./walk_perf PID  */

#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <sframewalk.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum
{
  RING = 1 << 22,
  STACK = 32768,
  BP = 6, /* uapi/asm/perf_regs.h */
  SP = 7,
  IP = 8
};

/* What the kernel writes for the fields that are asked for below; registers
   come in the order of their numbers.  */
struct sample
{
  struct perf_event_header header;
  uint64_t abi, bp, sp, ip, size;
  uint8_t stack[STACK];
  uint64_t copied;
};

static void
show (struct sfw_walker *walker, const struct sample *sample)
{
  uint64_t addresses[256];
  enum sfw_end end;
  struct sfw_frame frame = {
    .pc = sample->ip, .sp = sample->sp, .fp = sample->bp, .interrupted = true
  };
  struct sfw_memory memory = { .bytes = sample->stack,
                               .low = sample->sp,
                               .high = sample->sp + sample->copied };
  size_t n = sfw_walk (walker, &memory, &frame, addresses, NULL, 256, &end);
  printf ("%zu frame%s: %s\n", n, n == 1 ? "" : "s", sfw_end_text (end));
}

int
main (int argc, char **argv)
{
  int pid = argc > 1 ? (int)strtol (argv[1], NULL, 10) : 0;
  struct perf_event_attr attr
      = { .size = sizeof attr,
          .type = PERF_TYPE_SOFTWARE,
          .config = PERF_COUNT_SW_TASK_CLOCK,
          .sample_period = 10000000,
          .sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
          .sample_regs_user = 1 << BP | 1 << SP | 1 << IP,
          .sample_stack_user = STACK,
          .exclude_kernel = 1 };
  int fd = syscall (SYS_perf_event_open, &attr, pid, -1, -1, 0);
  struct perf_event_mmap_page *page
      = mmap (NULL, RING + 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (pid == 0 || fd < 0 || page == MAP_FAILED)
    return 77; /* not permitted here */
  struct sfw_modules *modules = sfw_modules_new ();
  sfw_modules_read_maps (modules, pid);
  struct sfw_walker *walker = sfw_walker_init (malloc (sfw_walker_size ()),
                                               sfw_walker_size (), modules);
  sleep (1);
  uint64_t head = __atomic_load_n (&page->data_head, __ATOMIC_ACQUIRE);
  const uint8_t *ring = (const uint8_t *)page + 4096;
  static struct sample sample;
  for (uint64_t at = 0; at < head && head < RING; at += sample.header.size)
    {
      memcpy (&sample.header, ring + at, sizeof sample.header);
      if (sample.header.size > sizeof sample)
        return 1;
      memcpy (&sample, ring + at, sample.header.size);
      if (sample.header.type == PERF_RECORD_SAMPLE)
        show (walker, &sample);
    }
  return 0;
}
