/* Walks of the process's own stacks.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Where the limits of a stack are not known (a handler's own stack, a
   coroutine) the kernel is asked once for every page whether the page exists:
   rt_sigprocmask with a wrong first argument reads the signal set before it
   refuses the argument, and fails with EFAULT where memory is missing
   (sigprocmask(2)).  */

#include <config.h>

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "walk/walker.h"

enum
{
  RED_ZONE = 128,  /* bytes below SP that a frame may use */
  PAGE_MIN = 4096, /* the smallest pages that a kernel may have */
  REGISTERS = 33
};

bool
sfw_walker_set_thread (struct sfw_walker *walker)
{
  pthread_attr_t attributes;
  void *stack = NULL;
  size_t size = 0;
  int error = pthread_getattr_np (pthread_self (), &attributes);
  if (error == 0)
    {
      error = pthread_attr_getstack (&attributes, &stack, &size);
      pthread_attr_destroy (&attributes);
    }
  if (error != 0)
    {
      errno = error;
      return false;
    }
  struct walk_limits *limits = walk_walker_limits (walker);
  limits->low = (uintptr_t)stack;
  limits->high = (uintptr_t)stack + size;
  return true;
}

struct sfw_walker *
sfw_walker_new (struct sfw_modules *modules)
{
  void *memory = malloc (sfw_walker_size ());
  struct sfw_walker *walker
      = sfw_walker_init (memory, sfw_walker_size (), modules);
  /* Without limits walks are as right, and slower.  */
  if (walker != NULL)
    sfw_walker_set_thread (walker);
  else
    free (memory);
  return walker;
}

static bool
page_is_there (uint64_t page)
{
  return syscall (SYS_rt_sigprocmask, -1, walk_memory_at (page), NULL, 8) != 0
         && errno != EFAULT;
}

/* Read SIZE bytes of this process's memory at ADDRESS, if their pages exist.
   CONTEXT has the number of the last page that was found to exist, at first 0:
   page 0 is asked for each time.  */
static bool
read_own_memory (void *context, uint64_t address, void *to, size_t size)
{
  uint64_t *known = context;
  uint64_t end = address + size - 1;
  int saved = errno;
  bool there = end >= address;
  for (uint64_t page = address / PAGE_MIN; there && page <= end / PAGE_MIN;
       page++)
    if (page != *known || page == 0)
      {
        there = page_is_there (page * PAGE_MIN);
        *known = there ? page : 0;
      }
  errno = saved;
  if (there)
    memcpy (to, walk_memory_at (address), size);
  return there;
}

/* Walk the own stack.  */
static size_t
walk_own (struct sfw_walker *walker, struct sfw_frame *frame,
          uint64_t *addresses, uint8_t *marks, size_t max, enum sfw_end *end)
{
  const struct walk_limits *limits = walk_walker_limits (walker);
  uint64_t page = 0, low = frame->sp - RED_ZONE;
  struct sfw_memory memory = { .read = read_own_memory, .context = &page };
  /* The main thread's stack grows: below SP its pages may not exist yet.  */
  if (low >= limits->low && frame->sp < limits->high)
    {
      memory.low = low;
      memory.high = limits->high;
      memory.bytes = walk_memory_at (low);
    }
  return sfw_walk (walker, &memory, frame, addresses, marks, max, end);
}

size_t
walk_from_caller (struct sfw_walker *walker, struct sfw_frame *caller,
                  uint64_t *addresses, uint8_t *marks, size_t max,
                  enum sfw_end *end)
{
  if (caller->pc != 0)
    return walk_own (walker, caller, addresses, marks, max, end);
  if (end != NULL)
    *end = SFW_INVALID;
  return 0;
}

__attribute__ ((noinline)) size_t
sfw_here (struct sfw_walker *walker, uint64_t *addresses, uint8_t *marks,
          size_t max, enum sfw_end *end)
{
  struct sfw_frame caller = walk_caller ();
  return walk_from_caller (walker, &caller, addresses, marks, max, end);
}

/* The registers of CONTEXT by their DWARF numbers.  */
static void
frame_of_context (const ucontext_t *context, struct sfw_frame *frame,
                  uint64_t registers[REGISTERS])
{
#if defined __x86_64__
  static const uint8_t numbers[]
      = { REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
          REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
          REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP };
  frame->n_registers = sizeof numbers;
  for (unsigned i = 0; i < sizeof numbers; i++)
    registers[i] = (uint64_t)context->uc_mcontext.gregs[numbers[i]];
  frame->pc = registers[16];
  frame->sp = registers[7];
  frame->fp = registers[6];
#elif defined __aarch64__
  frame->n_registers = 32;
  for (unsigned i = 0; i < 31; i++)
    registers[i] = context->uc_mcontext.regs[i];
  registers[31] = frame->sp = context->uc_mcontext.sp;
  frame->pc = context->uc_mcontext.pc;
  frame->fp = registers[29];
  frame->ra = registers[30];
  frame->has_ra = true;
#elif defined __s390x__
  frame->n_registers = 16;
  for (unsigned i = 0; i < 16; i++)
    registers[i] = context->uc_mcontext.gregs[i];
  frame->pc = context->uc_mcontext.psw.addr;
  frame->sp = registers[15];
  frame->fp = registers[11];
  frame->ra = registers[14];
  frame->has_ra = true;
#else
  (void)context;
#endif
  frame->registers = registers;
}

size_t
sfw_ucontext (struct sfw_walker *walker, const void *ucontext,
              uint64_t *addresses, uint8_t *marks, size_t max,
              enum sfw_end *end)
{
  uint64_t registers[REGISTERS];
  struct sfw_frame frame = { .interrupted = true };
  frame_of_context (ucontext, &frame, registers);
  return walk_own (walker, &frame, addresses, marks, max, end);
}
