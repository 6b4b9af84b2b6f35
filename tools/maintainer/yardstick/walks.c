/* How long a frame takes, by SFrame and by DWARF.
   SPDX-License-Identifier: LGPL-2.1-or-later

   walks PID [ROUNDS]: copies the stacks of a process and walks them from the
   same copies, in turn, in several ways.
   walks self [DEPTH [ROUNDS]]: likewise its own stack, in a recursion; walks
   over the living stack are among the ways.  Convert the program before, or
   libsframewalk and sfw_step find no section, and end at the first frame.

   What is timed is the walk: from registers to the address of every frame.
   Stopping, copying, finding modules, opening files, making SFrame data and
   looking up symbols are not.  Prints, for each way, the frames, and the
   microseconds per frame of the best of several walks: the first walk, when
   the processor's caches are empty, and when they are not, and one that was
   made before.  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

#include "libunwind.h"
#include "sframewalk.h"
#include "stacks/live.h"
#include "stacks/stack_walk.h"
#include "tests/living/referee.h"

enum
{
  FRAMES_MAX = 4096,
  STACK_COPIED = 8 << 20,
  SECTIONS_MAX = 64,
  FIRST_ROUNDS = 100,
  CACHES = 64 << 20 /* bytes, more than processors have */
};

static struct code_files files;
static struct process process = { .files = &files };
static struct stack_walk walk;
static struct referee referee;
static uint64_t addresses[FRAMES_MAX];

/* A way to walk.  */
struct way
{
  const char *name;
  size_t (*walk) (void);  /* returns the number of frames */
  void (*forget) (void);  /* what earlier walks found out; or NULL */
  void (*between) (void); /* done before each walk and not timed; or NULL */
  /* Microseconds per frame.  */
  double empty, first, again;
  size_t frames;
};

static double
now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static void
empty_caches (void)
{
  static uint8_t *room;
  if (room == NULL)
    room = malloc (CACHES);
  static uint8_t value;
  value++;
  if (room != NULL)
    memset (room, value, CACHES);
}

/* Walk, and let *BEST be the microseconds per frame if they are fewer.  */
static void
time_walk (struct way *way, double *best)
{
  if (way->between != NULL)
    way->between ();
  double start = now ();
  way->frames = way->walk ();
  double each = (now () - start) / (double)way->frames;
  if (each < *best)
    *best = each;
}

static void
measure_way (struct way *way, unsigned rounds)
{
  way->empty = way->first = way->again = 1e9;
  for (unsigned i = 0; i < 2 * FIRST_ROUNDS; i++)
    {
      if (way->forget != NULL)
        way->forget ();
      if (i % 2 == 0)
        empty_caches ();
      time_walk (way, i % 2 == 0 ? &way->empty : &way->first);
    }
  for (unsigned i = 0; i < rounds; i++)
    time_walk (way, &way->again);
}

static void
measure (struct way *ways, size_t n, unsigned rounds)
{
  for (size_t i = 0; i < n; i++)
    measure_way (&ways[i], rounds);
  printf ("%-24s %8s %12s %9s %9s\n", "", "frames", "empty caches", "first",
          "again");
  for (size_t i = 0; i < n; i++)
    printf ("%-24s %8zu %12.4f %9.4f %9.4f\n", ways[i].name, ways[i].frames,
            ways[i].empty, ways[i].first, ways[i].again);
}

/* Of the copies.  */

static size_t
by_sframe (void)
{
  size_t frames = 0;
  for (size_t i = 0; i < process.n_threads; i++)
    {
      stack_walk_by_sframe (&process, &process.threads[i].registers, &walk);
      frames += walk.n;
    }
  return frames;
}

static int
take_frame (Dwfl_Frame *state, void *argument)
{
  size_t *n = argument;
  return *n < FRAMES_MAX && dwfl_frame_pc (state, &addresses[*n], NULL)
                 && ++*n > 0
             ? DWARF_CB_OK
             : DWARF_CB_ABORT;
}

static size_t
by_libdwfl (void)
{
  size_t frames = 0;
  for (size_t i = 0; i < process.n_threads; i++)
    {
      size_t n = 0;
      dwfl_getthread_frames (referee.dwfl, process.threads[i].tid, take_frame,
                             &n);
      frames += n;
    }
  return frames;
}

static int
open_cfi (Dwfl_Module *module, void **user, const char *name, Dwarf_Addr start,
          void *argument)
{
  (void)user;
  (void)name;
  (void)start;
  (void)argument;
  Dwarf_Addr bias;
  dwfl_module_eh_cfi (module, &bias);
  return DWARF_CB_OK;
}

/* Modules are open, as those of the other ways are.  */
static void
forget_libdwfl (void)
{
  referee_close (&referee);
  if (!referee_open_living (&referee, &process))
    exit (1);
  dwfl_getmodules (referee.dwfl, open_cfi, NULL, 0);
}

static size_t
by_libunwind (void)
{
  size_t frames = 0;
  for (size_t i = 0; i < process.n_threads; i++)
    frames
        += libunwind_remote_steps (&process.threads[i], addresses, FRAMES_MAX);
  return frames;
}

static int
measure_process (pid_t pid, unsigned rounds)
{
  struct error err;
  struct sfw_section section;
  struct way ways[] = {
    { .name = "SFrame", .walk = by_sframe },
    { .name = "libdwfl", .walk = by_libdwfl, .forget = forget_libdwfl },
    { .name = "libunwind, remote",
      .walk = by_libunwind,
      .forget = libunwind_remote_forget },
  };
  if (!live_open (&process, pid, &err) || !live_stop (&process, false, &err))
    {
      fprintf (stderr, "walks: %s\n", err.reason);
      return 1;
    }
  live_copy_stacks (&process, STACK_COPIED);
  live_resume (&process);
  for (size_t i = 0; i < process.mappings.n; i++)
    process_find_section (&process, process.mappings.list[i].start, &section);
  /* libunwind reads tables from the process.  */
  process.memory.open = true;
  size_t n = sizeof ways / sizeof *ways;
  measure (ways, libunwind_remote_open (&process) ? n : n - 1, rounds);
  return 0;
}

/* The process itself.  */

static struct sfw_modules *modules;
static struct sfw_walker *walker, *busy;
static struct sfw_memory stack;
static struct sfw_frame start; /* what all walks begin with */

/* The code from FROM up to TO has SECTION.  */
static void
library_add (uint64_t from, uint64_t to, const struct sfw_section *section)
{
  struct sfw_section own = { section->bytes, section->size, section->address };
  if (modules == NULL)
    modules = sfw_modules_new ();
  if (section->size > 0)
    sfw_modules_add (modules, from, to, &own);
}

static struct sfw_walker *
new_walker (void)
{
  return sfw_walker_init (
      aligned_alloc (64, (sfw_walker_size () + 63) / 64 * 64),
      sfw_walker_size (), modules);
}

/* Make the walkers, and find the limit of the stack from START on.  */
static bool
library_begin (void)
{
  pthread_attr_t attributes;
  void *low;
  size_t size;
  walker = new_walker ();
  busy = new_walker ();
  if (walker == NULL || busy == NULL
      || pthread_getattr_np (pthread_self (), &attributes) != 0)
    return false;
  pthread_attr_getstack (&attributes, &low, &size);
  pthread_attr_destroy (&attributes);
  /* NOLINTNEXTLINE(performance-no-int-to-ptr): the stack has no other name */
  stack = (struct sfw_memory){ .bytes = (void *)(uintptr_t)start.sp,
                               .low = start.sp,
                               .high = (uintptr_t)low + size };
  return true;
}

static size_t
walk_by (struct sfw_walker *by)
{
  struct sfw_frame frame = start;
  return sfw_walk (by, &stack, &frame, addresses, NULL, FRAMES_MAX, NULL);
}

/* As a program does.  */
static size_t
library_walk (void)
{
  return walk_by (walker);
}

/* After this call, the last walk was another one: a frame that leads nowhere
   is a walk, too.  */
static void
library_walk_elsewhere (void)
{
  struct sfw_frame frame = { .pc = 1, .sp = stack.high };
  sfw_walk (walker, &stack, &frame, addresses, NULL, 2, NULL);
}

static void
library_forget (void)
{
  /* The walker forgets when the table has changed.  */
  sfw_modules_add (modules, 8, 16, NULL);
  sfw_modules_remove (modules, 8);
}

static bool
walk_within (void *context, uint64_t address, void *to, size_t size)
{
  (void)address;
  (void)to;
  (void)size;
  *(size_t *)context = walk_by (busy);
  return false;
}

/* A walker that is in use remembers nothing.  */
static size_t
library_walk_uncached (void)
{
  size_t n = 0;
  const struct sfw_memory asks = { .read = walk_within, .context = &n };
  struct sfw_frame frame = start;
  sfw_walk (busy, &asks, &frame, addresses, NULL, 2, NULL);
  return n;
}

static size_t
library_frame_pointers (void)
{
  uint64_t fp = start.fp, low = stack.low, span = stack.high - low - 16;
  size_t n = 0;
  addresses[n++] = start.pc;
  while (n < FRAMES_MAX && fp - low <= span)
    {
      /* NOLINTNEXTLINE(performance-no-int-to-ptr): likewise */
      const uint64_t *words = (const uint64_t *)(uintptr_t)fp;
      low = fp + 1;
      span = stack.high - low - 16;
      fp = words[0];
      addresses[n++] = words[1];
    }
  return n;
}

static _Unwind_Reason_Code
take (struct _Unwind_Context *context, void *argument)
{
  size_t *n = argument;
  addresses[*n] = (uint64_t)_Unwind_GetIP (context);
  return ++*n < FRAMES_MAX ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* libunwind has a function of the same name.  */
static size_t
library_libgcc (void)
{
  static _Unwind_Reason_Code (*unwind) (_Unwind_Trace_Fn, void *);
  if (unwind == NULL)
    *(void **)&unwind
        = dlsym (dlopen ("libgcc_s.so.1", RTLD_NOW), "_Unwind_Backtrace");
  size_t n = 0;
  unwind (take, &n);
  return n;
}

static struct known
{
  uint64_t start, end;
  struct sfw_section section;
} known[SECTIONS_MAX];
static unsigned n_known;

static bool
find_section (uint64_t pc, struct sfw_section *section)
{
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
  /* NOLINTNEXTLINE(performance-no-int-to-ptr): it has no other name */
  memcpy (to, (const void *)(uintptr_t)address, size);
  return true;
}

static int
list_module (struct dl_phdr_info *info, size_t size, void *data)
{
  (void)size;
  (void)data;
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
  process_find_section (&process, module->start, &module->section);
  library_add (module->start, module->end, &module->section);
  return ++n_known == SECTIONS_MAX;
}

static size_t
by_steps (void)
{
  const struct sfw_memory memory = { .read = read_memory };
  struct sfw_frame frame = start;
  struct sfw_section section;
  size_t n = 0;
  do
    addresses[n++] = frame.pc;
  while (n < FRAMES_MAX && find_section (frame.pc, &section)
         && sfw_step (&section, &memory, &frame) == SFW_MORE);
  return n;
}

/* What reading the clock adds to the time of each walk.  */
static size_t
no_walk (void)
{
  return 1;
}

static size_t
by_backtrace (void)
{
  return (size_t)backtrace ((void **)addresses, FRAMES_MAX);
}

static size_t
by_local_steps (void)
{
  return libunwind_local_steps ((void **)addresses, FRAMES_MAX);
}

static size_t
by_local_backtrace (void)
{
  return libunwind_local_backtrace ((void **)addresses, FRAMES_MAX);
}

static struct way own_ways[] = {
  { .name = "clock alone", .walk = no_walk },
  { .name = "frame pointers", .walk = library_frame_pointers },
  { .name = "libsframewalk", .walk = library_walk, .forget = library_forget },
  { .name = "  by links",
    .walk = library_walk,
    .forget = library_forget,
    .between = library_walk_elsewhere },
  { .name = "  without memory", .walk = library_walk_uncached },
  { .name = "sfw_step", .walk = by_steps },
  { .name = "sframe-stack", .walk = by_sframe },
  { .name = "libdwfl", .walk = by_libdwfl, .forget = forget_libdwfl },
  { .name = "backtrace ()", .walk = by_backtrace },
  { .name = "libgcc", .walk = library_libgcc },
  { .name = "unw_step",
    .walk = by_local_steps,
    .forget = libunwind_local_forget },
  { .name = "unw_backtrace",
    .walk = by_local_backtrace,
    .forget = libunwind_local_forget },
};

static __attribute__ ((noinline)) void
walk_self (unsigned rounds)
{
  /* The caller's frame, so that every walk begins with the same one.  */
  start.pc = (uintptr_t)__builtin_return_address (0);
  start.sp = (uintptr_t)__builtin_dwarf_cfa ();
  start.fp = *(uintptr_t *)__builtin_frame_address (0);
  if (!library_begin ())
    exit (1);
  /* Of the thread, for walks over copies.  */
  struct thread *thread = process_add_thread (&process, getpid ());
  struct registers *registers = &thread->registers;
  registers->n = 17;
  registers->pc = start.pc;
  registers->values[process.arch->sp] = start.sp;
  registers->values[process.arch->fp] = start.fp;
  registers->values[process.arch->ra] = start.pc;
  thread->known = true;
  process.memory.open = true;
  live_copy_stacks (&process, STACK_COPIED);
  process.memory.open = false;
  size_t n = sizeof own_ways / sizeof *own_ways;
  measure (own_ways, libunwind_local_open () ? n : n - 2, rounds);
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
  struct error err;
  if (!live_open (&process, getpid (), &err) || process.arch == NULL)
    return 1;
  dl_iterate_phdr (list_module, NULL);
  deeper (depth, rounds);
  return 0;
}

/* The number that is argument I, or OTHERWISE if there is none.  */
static unsigned
number (int argc, char **argv, int i, unsigned otherwise)
{
  return i < argc ? (unsigned)strtoul (argv[i], NULL, 10) : otherwise;
}

int
main (int argc, char **argv)
{
  if (argc < 2 || !stack_walk_init (&walk, FRAMES_MAX))
    {
      fprintf (stderr, "usage: walks PID [ROUNDS] | self [DEPTH [ROUNDS]]\n");
      return 2;
    }
  bool self = strcmp (argv[1], "self") == 0;
  int status = self ? measure_self (number (argc, argv, 2, 30),
                                    number (argc, argv, 3, 1000))
                    : measure_process ((pid_t)number (argc, argv, 1, 0),
                                       number (argc, argv, 2, 200));
  stack_walk_free (&walk);
  referee_close (&referee);
  live_close (&process);
  return status;
}
