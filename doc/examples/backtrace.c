/* backtrace () of this very process, by SFrame.
   SPDX-License-Identifier: LGPL-2.1-or-later

   cc -o backtrace backtrace.c $(pkg-config --cflags --libs cfi2sframe)
   cfi2sframe backtrace && ./backtrace  */

#define _GNU_SOURCE
#include <cfi2sframe.h>
#include <link.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef PT_GNU_SFRAME
#  define PT_GNU_SFRAME 0x6474e554
#endif

/* The module with code at `pc'.  */
struct wanted
{
  uint64_t pc;
  struct cfi2sframe_section *section;
};

static int
look_at_module (struct dl_phdr_info *module, size_t size, void *data)
{
  (void)size;
  struct wanted *wanted = data;
  bool is_it = false;
  wanted->section->size = 0;
  for (int i = 0; i < module->dlpi_phnum; i++)
    {
      const ElfW (Phdr) *segment = &module->dlpi_phdr[i];
      uint64_t start = module->dlpi_addr + segment->p_vaddr;
      if (segment->p_type == PT_LOAD)
        is_it |= wanted->pc - start < segment->p_memsz;
      if (segment->p_type == PT_GNU_SFRAME)
        *wanted->section
            = (struct cfi2sframe_section){ (const void *)(uintptr_t)start,
                                           segment->p_memsz, start };
    }
  return is_it;
}

static bool
find_section (void *context, uint64_t pc, struct cfi2sframe_section *section)
{
  (void)context;
  struct wanted wanted = { pc, section };
  return dl_iterate_phdr (look_at_module, &wanted) && section->size > 0;
}

/* By the kernel, which does not crash when there is no memory.  */
static bool
read_memory (void *context, uint64_t address, void *to, size_t size)
{
  (void)context;
  struct iovec here = { to, size };
  struct iovec there = { (void *)(uintptr_t)address, size };
  return process_vm_readv (getpid (), &here, 1, &there, 1, 0) == (ssize_t)size;
}

/* The return addresses of the caller and of its callers.  */
__attribute__ ((noinline)) static int
sframe_backtrace (void **addresses, int n, enum cfi2sframe_step *end)
{
  struct cfi2sframe_unwinder unwinder;
  int i = 0;
  cfi2sframe_unwinder_init (&unwinder);
  unwinder.read_memory = read_memory;
  unwinder.find_section = find_section;
  unwinder.interrupted = false;
  unwinder.pc = (uintptr_t)__builtin_return_address (0);
  unwinder.sp = (uintptr_t)__builtin_dwarf_cfa ();
  unwinder.fp = *(uintptr_t *)__builtin_frame_address (0);
  *end = CFI2SFRAME_STEP_CALLER;
  while (i < n && *end == CFI2SFRAME_STEP_CALLER)
    {
      addresses[i++] = (void *)(uintptr_t)unwinder.pc;
      *end = cfi2sframe_unwind_step (&unwinder);
    }
  return i;
}

__attribute__ ((noinline)) static int
deeper (int depth)
{
  if (depth > 0)
    return deeper (depth - 1) + 1;
  void *addresses[64];
  enum cfi2sframe_step end;
  int n = sframe_backtrace (addresses, 64, &end);
  for (int i = 0; i < n; i++)
    printf ("#%d %p\n", i, addresses[i]);
  printf ("%s\n", cfi2sframe_step_text (end));
  return 0;
}

int
main (void)
{
  return deeper (5) != 5;
}
