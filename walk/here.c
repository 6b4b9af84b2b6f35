/* Walks of the process's own stacks, and backtrace () by SFrame alone.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The limits of some stacks are not known, as of a signal handler's own stack
   or a coroutine's.  To read such a stack without a fault, ask the kernel once
   for each page whether the page exists.  The system call rt_sigprocmask with
   an invalid first argument reads the signal set before it refuses the
   argument, and fails with EFAULT where memory is missing (sigprocmask(2)).

   backtrace () uses one table of modules for the process, and a walker for
   each thread, which is freed when the thread ends.  A signal may come to the
   thread after that, while the thread is in malloc.  Such a thread uses a
   walker that all threads share, and so does a thread for whose walker there
   was no memory.  */

#include <config.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
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
  /* Without limits walks have the same results and are slower.  */
  if (walker != NULL)
    sfw_walker_set_thread (walker);
  else
    free (memory);
  return walker;
}

/* Read SIZE bytes of this process's memory at ADDRESS, if their pages exist.
   CONTEXT is the number of the last page that was found to exist.  It is 0 at
   first, so page 0 is asked for each time.  */
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
        there = syscall (SYS_rt_sigprocmask, -1,
                         unwind_memory_at (page * PAGE_MIN), NULL, 8)
                    != 0
                && errno != EFAULT;
        *known = there ? page : 0;
      }
  errno = saved;
  if (there)
    memcpy (to, unwind_memory_at (address), size);
  return there;
}

static size_t
walk_own (struct sfw_walker *walker, struct sfw_frame *frame,
          uint64_t *addresses, uint8_t *marks, size_t max, enum sfw_end *end)
{
  const struct walk_limits *limits = walk_walker_limits (walker);
  uint64_t page = 0, low = frame->sp - RED_ZONE;
  struct sfw_memory memory = { .read = read_own_memory, .context = &page };
  /* Direct reads begin at the red zone and not at the stack's limit: the main
     thread's stack grows, and pages further below SP may not exist yet.  */
  if (low >= limits->low && frame->sp < limits->high)
    {
      memory.low = low;
      memory.high = limits->high;
      memory.bytes = unwind_memory_at (low);
    }
  return sfw_walk (walker, &memory, frame, addresses, marks, max, end);
}

/* Return the frame of the caller of the function that this one is inlined in.
   PC is 0 if it cannot be found.  */
static inline __attribute__ ((always_inline)) struct sfw_frame
walk_caller (void)
{
  struct sfw_frame caller = { .pc = (uintptr_t)__builtin_extract_return_addr (
                                  __builtin_return_address (0)),
                              .sp = (uintptr_t)__builtin_dwarf_cfa () };
#if defined __x86_64__ || defined __aarch64__
  caller.fp = *(uintptr_t *)__builtin_frame_address (0);
#elif defined __s390x__
  /* Register N is saved at 8 * N in the caller's area of 160 bytes.  With
     -mpacked-stack registers are saved elsewhere, so that the words for r14
     and r15 are not PC and SP.  */
  __builtin_unwind_init ();
  __asm__ volatile("" : : : "memory");
  caller.sp -= 160;
  const uint64_t *saved = unwind_memory_at (caller.sp);
  caller.fp = saved[11];
  if (saved[14] != caller.pc || saved[15] != caller.sp)
    caller.pc = 0;
#else
  caller.pc = 0;
#endif
  return caller;
}

__attribute__ ((noinline)) size_t
sfw_here (struct sfw_walker *walker, uint64_t *addresses, uint8_t *marks,
          size_t max, enum sfw_end *end)
{
  struct sfw_frame caller = walk_caller ();
  if (caller.pc != 0)
    return walk_own (walker, &caller, addresses, marks, max, end);
  if (end != NULL)
    *end = SFW_INVALID;
  return 0;
}

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

/* ---- backtrace () */

static pthread_once_t backtrace_once = PTHREAD_ONCE_INIT;
static struct sfw_modules *backtrace_modules;
static int prepare_error; /* errno if backtrace_modules is NULL */
static pthread_key_t walker_key;
static struct sfw_walker *shared_walker;
/* The walker of this thread.  Its TLS model is initial-exec, because the first
   use of a variable of another model may allocate memory, which a signal
   handler must not do.  */
static __thread struct sfw_walker *thread_walker
    __attribute__ ((tls_model ("initial-exec")));

static void
thread_ends (void *walker)
{
  thread_walker = shared_walker;
  atomic_signal_fence (memory_order_seq_cst);
  free (walker);
}

static void
prepare (void)
{
  struct sfw_modules *made = sfw_modules_new ();
  void *memory = malloc (sfw_walker_size ());
  shared_walker = sfw_walker_init (memory, sfw_walker_size (), made);
  prepare_error = shared_walker == NULL
                      ? ENOMEM
                      : pthread_key_create (&walker_key, thread_ends);
  if (prepare_error == 0 && !sfw_modules_update (made))
    prepare_error = errno;
  if (prepare_error == 0)
    {
      walk_walker_share (shared_walker);
      backtrace_modules = made;
      return;
    }
  sfw_modules_free (made);
  free (memory);
}

static struct sfw_walker *
make_walker (void)
{
  pthread_once (&backtrace_once, prepare);
  if (backtrace_modules == NULL)
    return NULL;
  struct sfw_walker *walker = sfw_walker_new (backtrace_modules);
  if (walker != NULL && pthread_setspecific (walker_key, walker) == 0)
    return walker;
  free (walker);
  return shared_walker;
}

__attribute__ ((noinline)) int
sfw_backtrace (void **addresses, int max)
{
  struct sfw_frame caller = walk_caller ();
  /* The array has the addresses in both types, which have the same size:
     SFrame has no 32-bit ABI.  */
  if (sizeof *addresses != sizeof (uint64_t))
    return 0;
  if (thread_walker == NULL)
    thread_walker = make_walker ();
  if (thread_walker == NULL || max <= 0 || caller.pc == 0)
    return 0;
  return (int)walk_own (thread_walker, &caller, (uint64_t *)addresses, NULL,
                        (size_t)max, NULL);
}

bool
sfw_backtrace_update (void)
{
  pthread_once (&backtrace_once, prepare);
  if (backtrace_modules != NULL)
    return sfw_modules_update (backtrace_modules);
  errno = prepare_error;
  return false;
}
