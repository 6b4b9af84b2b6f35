/* backtrace () of this very process, by SFrame.
   SPDX-License-Identifier: LGPL-2.1-or-later

   cc -o backtrace backtrace.c $(pkg-config --cflags --libs cfi2sframe)
   cfi2sframe backtrace && ./backtrace  */

#define _GNU_SOURCE
#include <cfi2sframe.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
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

/* A copy of a part of the stack.  */
struct copy
{
  uint64_t start;
  size_t size;
  char bytes[8 * 4096];
};

/* Copy what is around `address', by the kernel, which does not crash when
   there is no memory: page after page, up to the first that is not there.  One
   call for each word would take a hundred times as long.  */
static void
copy_stack (struct copy *copy, uint64_t address)
{
  struct iovec here = { copy->bytes, sizeof copy->bytes };
  struct iovec there[8];
  copy->start = address & ~UINT64_C (4095);
  for (int i = 0; i < 8; i++)
    there[i]
        = (struct iovec){ (void *)(uintptr_t)(copy->start + 4096 * i), 4096 };
  ssize_t n = process_vm_readv (getpid (), &here, 1, there, 8, 0);
  copy->size = n > 0 ? (size_t)n : 0;
}

static bool
read_memory (void *context, uint64_t address, void *to, size_t size)
{
  struct copy *copy = context;
  if (copy->size < size || address - copy->start > copy->size - size)
    copy_stack (copy, address);
  if (copy->size < size || address - copy->start > copy->size - size)
    return false;
  memcpy (to, copy->bytes + (address - copy->start), size);
  return true;
}

/* The return addresses of the caller and of its callers.  */
__attribute__ ((noinline)) static int
sframe_backtrace (void **addresses, int n, enum cfi2sframe_step *end)
{
  struct cfi2sframe_unwinder unwinder;
  struct copy copy;
  int i = 0;
  copy.size = 0;
  cfi2sframe_unwinder_init (&unwinder);
  unwinder.context = &copy;
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
