/* How long a frame takes, by SFrame and by DWARF.
   SPDX-License-Identifier: LGPL-2.1-or-later

   walks PID [ROUNDS]: copies the stacks of a process and walks them by SFrame
   and with libdwfl, from the same copies.
   walks self [DEPTH [ROUNDS]]: walks its own stack, in a recursion, with
   cfi2sframe_unwind_step and with backtrace () of the C library (which goes by
   DWARF where that was built without SFrame).

   Prints, for each way, the frames, and the microseconds per frame of the
   first walk (cold: nothing was looked at before, but SFrame data are there)
   and of the best of all (warm).  */

#define _GNU_SOURCE 1
#include <execinfo.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "process/live.h"
#include "process/walk.h"

enum
{
  FRAMES_MAX = 4096,
  STACK_COPIED = 8 << 20,
  SECTIONS_MAX = 64
};

static double
now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

/* The times of one way to walk.  */
struct times
{
  double cold, warm; /* microseconds per frame */
  size_t frames;
};

static void
note (struct times *times, double microseconds, size_t frames)
{
  double each = frames > 0 ? microseconds / (double)frames : 0;
  if (times->frames == 0)
    times->cold = times->warm = each;
  else if (each < times->warm)
    times->warm = each;
  times->frames = frames;
}

static void
print (const char *way, const struct times *times)
{
  printf ("%-24s %5zu frames, cold %9.3f, warm %7.3f us per frame\n", way,
          times->frames, times->cold, times->warm);
}

/* Another process.  */

static size_t
walk_all (struct process *process, struct walk *walk, bool by_sframe)
{
  size_t frames = 0;
  for (size_t i = 0; i < process->n_threads; i++)
    {
      const struct thread *thread = &process->threads[i];
      if (by_sframe)
        walk_by_sframe (process, &thread->registers, walk);
      else
        walk_by_cfi (process, thread->tid, walk);
      frames += walk->n;
    }
  return frames;
}

static int
measure_process (pid_t pid, unsigned rounds)
{
  struct process process = { 0 };
  struct walk walk;
  struct error err;
  struct times sframe = { 0 }, dwarf = { 0 };
  struct cfi2sframe_section section;
  if (!walk_init (&walk, FRAMES_MAX) || !live_open (&process, pid, &err)
      || !live_stop (&process, &err))
    {
      fprintf (stderr, "walks: %s\n", err.reason);
      return 1;
    }
  live_copy_stacks (&process, STACK_COPIED);
  live_resume (&process);
  if (!live_open_dwfl (&process, &err))
    return 1;
  for (size_t i = 0; i < process.n_modules; i++)
    process_find_section (&process, process.modules[i].start, &section);
  for (unsigned i = 0; i < rounds; i++)
    {
      double start = now ();
      size_t frames = walk_all (&process, &walk, true);
      note (&sframe, now () - start, frames);
      start = now ();
      frames = walk_all (&process, &walk, false);
      note (&dwarf, now () - start, frames);
    }
  print ("SFrame", &sframe);
  print ("libdwfl", &dwarf);
  walk_free (&walk);
  live_close (&process);
  return 0;
}

/* The process itself.  */

static struct known
{
  uint64_t start, end;
  struct cfi2sframe_section section;
} known[SECTIONS_MAX];
static unsigned n_known;

static bool
find_section (void *context, uint64_t pc, struct cfi2sframe_section *section)
{
  (void)context;
  for (unsigned i = 0; i < n_known; i++)
    if (pc - known[i].start < known[i].end - known[i].start)
      {
        *section = known[i].section;
        return section->size > 0;
      }
  return false;
}

/* What is read is this stack; of a stack that could be broken one would take
   more care.  */
static bool
read_memory (void *context, uint64_t address, void *to, size_t size)
{
  (void)context;
  memcpy (to, (const void *)(uintptr_t)address, size);
  return true;
}

static int
list_module (struct dl_phdr_info *info, size_t size, void *data)
{
  (void)size;
  struct process *process = data;
  struct known *module = &known[n_known];
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_LOAD)
      {
        uint64_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        uint64_t end = start + info->dlpi_phdr[i].p_memsz;
        if (module->end == 0)
          module->start = start;
        module->end = end;
      }
  process_find_section (process, module->start, &module->section);
  return ++n_known == SECTIONS_MAX;
}

static struct times by_step, by_backtrace;

static __attribute__ ((noinline)) void
walk_self (unsigned rounds)
{
  static void *addresses[FRAMES_MAX];
  for (unsigned i = 0; i < rounds; i++)
    {
      struct cfi2sframe_unwinder unwinder;
      size_t n = 0;
      double start = now ();
      cfi2sframe_unwinder_init (&unwinder);
      unwinder.read_memory = read_memory;
      unwinder.find_section = find_section;
      unwinder.interrupted = false;
      unwinder.pc = (uintptr_t)__builtin_return_address (0);
      unwinder.sp = (uintptr_t)__builtin_dwarf_cfa ();
      unwinder.fp = *(uintptr_t *)__builtin_frame_address (0);
      do
        addresses[n++] = (void *)(uintptr_t)unwinder.pc;
      while (n < FRAMES_MAX
             && cfi2sframe_unwind_step (&unwinder) == CFI2SFRAME_STEP_CALLER);
      note (&by_step, now () - start, n);
      start = now ();
      n = (size_t)backtrace (addresses, FRAMES_MAX);
      note (&by_backtrace, now () - start, n);
    }
}

/* Frames of different shapes.  */
static __attribute__ ((noipa)) int
deeper (unsigned depth, unsigned rounds)
{
  volatile char space[64 + 16 * (depth % 5)];
  space[depth % 64] = (char)depth;
  if (depth == 0)
    walk_self (rounds);
  else
    space[1] = (char)deeper (depth - 1, rounds);
  return space[depth % 64];
}

static int
measure_self (unsigned depth, unsigned rounds)
{
  static struct process process;
  struct error err;
  if (!live_open (&process, getpid (), &err))
    return 1;
  dl_iterate_phdr (list_module, &process);
  deeper (depth, rounds);
  print ("cfi2sframe_unwind_step", &by_step);
  print ("backtrace ()", &by_backtrace);
  live_close (&process);
  return 0;
}

int
main (int argc, char **argv)
{
  if (argc < 2)
    {
      fprintf (stderr, "usage: walks PID [ROUNDS] | self [DEPTH [ROUNDS]]\n");
      return 2;
    }
  if (strcmp (argv[1], "self") == 0)
    return measure_self (argc > 2 ? (unsigned)atoi (argv[2]) : 30,
                         argc > 3 ? (unsigned)atoi (argv[3]) : 1000);
  return measure_process (atoi (argv[1]),
                          argc > 2 ? (unsigned)atoi (argv[2]) : 200);
}
