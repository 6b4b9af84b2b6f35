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

/* What the kernel writes for the fields that are asked for below.  */
struct sample
{
  struct perf_event_header header;
  uint64_t abi, bp, sp, ip, size;
  uint8_t stack[32768];
  uint64_t copied;
};

int
main (int argc, char **argv)
{
  enum
  {
    RING = 1 << 22
  };
  int pid = argc > 1 ? (int)strtol (argv[1], NULL, 10) : 0;
  struct perf_event_attr attr
      = { .size = sizeof attr,
          .type = PERF_TYPE_SOFTWARE,
          .config = PERF_COUNT_SW_TASK_CLOCK,
          .sample_period = 10000000,
          .sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
          .sample_regs_user = 0x1c0, /* bp, sp, ip: asm/perf_regs.h */
          .sample_stack_user = 32768,
          .exclude_kernel = 1 };
  int fd = syscall (SYS_perf_event_open, &attr, pid, -1, -1, 0);
  struct perf_event_mmap_page *page
      = mmap (NULL, RING + 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (pid == 0 || page == MAP_FAILED)
    return 77; /* not permitted here */
  struct sfw_modules *modules = sfw_modules_new ();
  sfw_modules_read_maps (modules, pid);
  struct sfw_walker *walker = sfw_walker_new (modules);
  sleep (1);
  uint64_t at = 0, head = __atomic_load_n (&page->data_head, __ATOMIC_ACQUIRE);
  for (struct sample s; at < head && head < RING; at += s.header.size)
    {
      uint64_t addresses[256];
      enum sfw_end end;
      memcpy (&s, (const uint8_t *)page + 4096 + at, sizeof s);
      if (s.header.type != PERF_RECORD_SAMPLE)
        continue;
      struct sfw_memory memory = { s.stack, s.sp, s.sp + s.copied, 0, 0, 0 };
      struct sfw_frame frame
          = { .pc = s.ip, .sp = s.sp, .fp = s.bp, .interrupted = true };
      size_t n
          = sfw_walk (walker, &memory, &frame, addresses, NULL, 256, &end);
      printf ("%zu frame%s: %s\n", n, n == 1 ? "" : "s", sfw_end_text (end));
    }
  return 0;
}
