/* Makes memory run out in a program that loads this in front of the C library
   (LD_PRELOAD), or cuts off a file that the program reads.
   SPDX-License-Identifier: LGPL-2.1-or-later

   FAULT_AT=N         the N-th allocation fails, counted from 1
   FAULT_LASTING=1    and all after it
   FAULT_CUT=SIZE     instead, SIZE bytes of FAULT_FILE stay
   FAULT_COUNT=FILE   say in FILE how many there were

   A crash ends the process with a status of its own if it was in libdwarf's
   code, which looks at none of its small allocations.  */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum
{
  STATUS_LIBDWARF = 70
};

void *__libc_malloc (size_t size);
void *__libc_calloc (size_t n, size_t size);
void *__libc_realloc (void *old, size_t size);

static unsigned long n_allocations, failing;
static bool lasting, counting;
static const char *cut;

static void
explain_crash (int number)
{
  void *frames[8]; /* this function, the kernel's return, the crash */
  Dl_info info;
  int n = backtrace (frames, sizeof frames / sizeof *frames);
  if (n > 2 && dladdr (frames[2], &info) != 0
      && strstr (info.dli_fname, "libdwarf") != NULL)
    _exit (STATUS_LIBDWARF);
  signal (number, SIG_DFL);
}

static void __attribute__ ((constructor)) begin (void)
{
  void *frames[1];
  const char *number = getenv ("FAULT_AT");
  backtrace (frames, 1); /* the first time, it loads a library */
  signal (SIGSEGV, explain_crash);
  failing = number != NULL ? strtoul (number, NULL, 10) : 0;
  cut = getenv ("FAULT_CUT");
  lasting = getenv ("FAULT_LASTING") != NULL;
  counting = true;
}

static void __attribute__ ((destructor)) end (void)
{
  const char *file = getenv ("FAULT_COUNT");
  counting = false;
  int fd = file != NULL ? open (file, O_WRONLY | O_CREAT, 0600) : -1;
  if (fd >= 0)
    dprintf (fd, "%lu\n", n_allocations);
}

static bool
fails (void)
{
  unsigned long number
      = counting ? __atomic_add_fetch (&n_allocations, 1, __ATOMIC_RELAXED)
                 : 0;
  if (failing == 0 || (lasting ? number < failing : number != failing))
    return false;
  if (cut != NULL)
    return truncate (getenv ("FAULT_FILE"), atol (cut)) != 0;
  errno = ENOMEM;
  return true;
}

void *
malloc (size_t size)
{
  return fails () ? NULL : __libc_malloc (size);
}

void *
calloc (size_t n, size_t size)
{
  return fails () ? NULL : __libc_calloc (n, size);
}

void *
realloc (void *old, size_t size)
{
  return fails () ? NULL : __libc_realloc (old, size);
}

void *
reallocarray (void *old, size_t n, size_t size)
{
  size_t bytes;
  return __builtin_mul_overflow (n, size, &bytes) ? NULL
                                                  : realloc (old, bytes);
}
