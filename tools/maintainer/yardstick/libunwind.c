/* Walks with libunwind, to compare with.
   SPDX-License-Identifier: LGPL-2.1-or-later

   libunwind is opened at run time and not linked: it has functions of the
   names that the C library and libgcc have, which are measured, too.  */

#include "libunwind.h"

#if __has_include(<libunwind-ptrace.h>)
#  include <dlfcn.h>
#  include <libunwind-ptrace.h>

/* libunwind.h gives its functions other names by macros.  Those for a
   process's own stack have another prefix.  */
#  define TEXT(name) #  name
#  define NAME(name) TEXT (name)
#  define LOCAL(name) "_UL" NAME (UNW_TARGET) "_" name

/* The functions that walk one kind of stacks.  */
struct walker
{
  __typeof__ (unw_step) *step;
  __typeof__ (unw_get_reg) *get_register;
  __typeof__ (unw_flush_cache) *flush_cache;
};

/* ---- The own stack.  On machines where getting the context is no function of
   the library, as on aarch64, this cannot be opened.  */

static struct walker local;
static int (*get_context) (unw_context_t *);
static __typeof__ (unw_init_local) *init_local;
static __typeof__ (unw_backtrace) *whole;
static unw_addr_space_t *local_space;

bool
libunwind_local_open (void)
{
  void *library = dlopen ("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL)
    return false;
  get_context = dlsym (library, NAME (unw_tdep_getcontext));
  init_local = dlsym (library, LOCAL ("init_local"));
  local.step = dlsym (library, LOCAL ("step"));
  local.get_register = dlsym (library, LOCAL ("get_reg"));
  local.flush_cache = dlsym (library, NAME (unw_flush_cache));
  whole = dlsym (library, "unw_backtrace");
  local_space = dlsym (library, LOCAL ("local_addr_space"));
  return get_context != NULL && init_local != NULL && local.step != NULL
         && local.get_register != NULL && local.flush_cache != NULL
         && whole != NULL && local_space != NULL;
}

__attribute__ ((noinline)) size_t
libunwind_local_steps (void **addresses, size_t most)
{
  unw_context_t context;
  unw_cursor_t cursor;
  unw_word_t pc;
  size_t n = 0;
  get_context (&context);
  if (init_local (&cursor, &context) != 0)
    return 0;
  while (n < most && local.step (&cursor) > 0
         && local.get_register (&cursor, UNW_REG_IP, &pc) == 0)
    addresses[n++] = (void *)pc; /* NOLINT(performance-no-int-to-ptr) */
  return n;
}

size_t
libunwind_local_backtrace (void **addresses, size_t most)
{
  return (size_t)whole (addresses, (int)most);
}

void
libunwind_local_forget (void)
{
  local.flush_cache (*local_space, 0, 0);
}

/* ---- The stacks of a living process.  Registers and stacks are the copies
   that all walks use; unwind tables are found and read as libunwind does for a
   process that ptrace stopped (_UPT_find_proc_info).  */

static struct walker remote;
static __typeof__ (unw_init_remote) *init_remote;
static unw_addr_space_t space;
static void *state; /* of the process, libunwind's */

/* _UPT_find_proc_info passes on only its own argument.  */
static struct process *target;
static const struct thread *subject;

static int
access_memory (unw_addr_space_t unused, unw_word_t address, unw_word_t *value,
               int write, void *argument)
{
  (void)unused;
  (void)argument;
  return !write && memory_read (&target->memory, address, value, sizeof *value)
             ? 0
             : -UNW_EINVAL;
}

static int
access_register (unw_addr_space_t unused, unw_regnum_t number,
                 unw_word_t *value, int write, void *argument)
{
  (void)unused;
  (void)argument;
  const struct registers *registers = &subject->registers;
  if (write || number < 0)
    return -UNW_EBADREG;
  if (number == UNW_REG_IP)
    *value = registers->pc;
  else if ((unsigned)number < registers->n)
    *value = registers->values[number];
  else
    return -UNW_EBADREG;
  return 0;
}

static int
access_fp_register (unw_addr_space_t unused, unw_regnum_t number,
                    unw_fpreg_t *value, int write, void *argument)
{
  (void)unused;
  (void)number;
  (void)value;
  (void)write;
  (void)argument;
  return -UNW_EBADREG;
}

static int
no_dynamic_code (unw_addr_space_t unused, unw_word_t *address, void *argument)
{
  (void)unused;
  (void)address;
  (void)argument;
  return -UNW_ENOINFO;
}

bool
libunwind_remote_open (struct process *process)
{
  static unw_accessors_t accessors;
  void *generic = dlopen ("libunwind-" NAME (UNW_TARGET) ".so.8",
                          RTLD_NOW | RTLD_GLOBAL);
  void *library = dlopen ("libunwind-ptrace.so.0", RTLD_NOW | RTLD_LOCAL);
  if (generic == NULL || library == NULL)
    return false;
  init_remote = dlsym (generic, NAME (unw_init_remote));
  remote.step = dlsym (generic, NAME (unw_step));
  remote.get_register = dlsym (generic, NAME (unw_get_reg));
  remote.flush_cache = dlsym (generic, NAME (unw_flush_cache));
  __typeof__ (unw_create_addr_space) *create_space
      = dlsym (generic, NAME (unw_create_addr_space));
  __typeof__ (unw_set_caching_policy) *set_caching
      = dlsym (generic, NAME (unw_set_caching_policy));
  __typeof__ (_UPT_create) *create = dlsym (library, "_UPT_create");
  accessors.find_proc_info = dlsym (library, "_UPT_find_proc_info");
  accessors.put_unwind_info = dlsym (library, "_UPT_put_unwind_info");
  accessors.get_dyn_info_list_addr = no_dynamic_code;
  accessors.access_mem = access_memory;
  accessors.access_reg = access_register;
  accessors.access_fpreg = access_fp_register;
  if (init_remote == NULL || remote.step == NULL || remote.get_register == NULL
      || remote.flush_cache == NULL || create_space == NULL
      || set_caching == NULL || create == NULL
      || accessors.find_proc_info == NULL || accessors.put_unwind_info == NULL)
    return false;
  target = process;
  space = create_space (&accessors, 0);
  state = create (process->pid);
  return space != NULL && state != NULL
         && set_caching (space, UNW_CACHE_GLOBAL) == 0;
}

size_t
libunwind_remote_steps (const struct thread *thread, uint64_t *addresses,
                        size_t most)
{
  unw_cursor_t cursor;
  unw_word_t pc;
  size_t n = 0;
  subject = thread;
  if (init_remote (&cursor, space, state) != 0)
    return 0;
  do
    if (remote.get_register (&cursor, UNW_REG_IP, &pc) == 0)
      addresses[n++] = pc;
  while (n < most && remote.step (&cursor) > 0);
  return n;
}

void
libunwind_remote_forget (void)
{
  remote.flush_cache (space, 0, 0);
}

#else

bool
libunwind_local_open (void)
{
  return false;
}

bool
libunwind_remote_open (struct process *process)
{
  (void)process;
  return false;
}

/* Not called.  */
size_t
libunwind_local_steps (void **addresses, size_t most)
{
  (void)addresses;
  return most;
}

size_t
libunwind_local_backtrace (void **addresses, size_t most)
{
  (void)addresses;
  return most;
}

size_t
libunwind_remote_steps (const struct thread *thread, uint64_t *addresses,
                        size_t most)
{
  (void)thread;
  (void)addresses;
  return most;
}

void
libunwind_local_forget (void)
{
}

void
libunwind_remote_forget (void)
{
}

#endif
