/* The program's own stack, with libunwind.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "libunwind.h"

/* Elsewhere unw_getcontext is not a function.  */
#if defined __x86_64__ && __has_include(<libunwind.h>)
#  include <dlfcn.h>
#  define UNW_LOCAL_ONLY
#  include <libunwind.h>

/* libunwind.h gives its functions other names by macros.  */
#  define TEXT(name) #  name
#  define NAME(name) TEXT (name)

static int (*get_context) (unw_context_t *);
static __typeof__ (unw_init_local) *init_local;
static __typeof__ (unw_step) *step;
static __typeof__ (unw_get_reg) *get_register;
static __typeof__ (unw_flush_cache) *flush_cache;
static __typeof__ (unw_backtrace) *whole;
static unw_addr_space_t *local;

bool
libunwind_local_open (void)
{
  void *library = dlopen ("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL)
    return false;
  get_context = dlsym (library, NAME (unw_tdep_getcontext));
  init_local = dlsym (library, NAME (unw_init_local));
  step = dlsym (library, NAME (unw_step));
  get_register = dlsym (library, NAME (unw_get_reg));
  flush_cache = dlsym (library, NAME (unw_flush_cache));
  whole = dlsym (library, "unw_backtrace");
  local = dlsym (library, NAME (unw_local_addr_space));
  return get_context != NULL && init_local != NULL && step != NULL
         && get_register != NULL && flush_cache != NULL && whole != NULL
         && local != NULL;
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
  while (n < most && step (&cursor) > 0
         && get_register (&cursor, UNW_REG_IP, &pc) == 0)
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
  flush_cache (*local, 0, 0);
}

#else

bool
libunwind_local_open (void)
{
  return false;
}

size_t
libunwind_local_steps (void **addresses, size_t most)
{
  (void)addresses;
  (void)most;
  return 0;
}

size_t
libunwind_local_backtrace (void **addresses, size_t most)
{
  return libunwind_local_steps (addresses, most);
}

void
libunwind_local_forget (void)
{
}

#endif
