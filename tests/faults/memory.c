/* Makes memory run out in a program that loads this in front of the C library
   (LD_PRELOAD), or cuts off a file that the program reads, or breaks it.
   SPDX-License-Identifier: LGPL-2.1-or-later

   FAULT_AT=N         the N-th allocation fails, counted from 1
   FAULT_LASTING=1    and all after it
   FAULT_CUT=SIZE     instead, SIZE bytes of FAULT_FILE stay
   FAULT_PAGE=PAGE    instead, that page of FAULT_FILE cannot be read any more
                      where the file is mapped, as on a broken disk
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
#include <sys/mman.h>
#include <sys/stat.h>
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
static const char *cut, *page;

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
  page = getenv ("FAULT_PAGE");
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

/* Map nothing where LINE, of /proc/self/maps, says that the file of INODE is,
   and has its page number PAGE.  Reading that is a SIGBUS, as it is where a
   disk cannot be read.  */
static void
break_mapping (const char *line, unsigned long inode, unsigned long number)
{
  unsigned long begin, end, offset, found,
      size = (unsigned long)getpagesize ();
  if (sscanf (line, "%lx-%lx %*s %lx %*s %lu", &begin, &end, &offset, &found)
          != 4
      || found != inode || number < offset / size
      || begin + (number - offset / size) * size >= end)
    return;
  int empty = memfd_create ("empty", MFD_CLOEXEC);
  mmap ((void *)(begin + (number - offset / size) * size), size, PROT_READ,
        MAP_PRIVATE | MAP_FIXED, empty, 0);
  close (empty);
}

static void
break_file (void)
{
  static char text[1 << 16];
  struct stat status;
  size_t size = 0;
  ssize_t got = 0;
  int fd = open ("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (fd < 0 || stat (getenv ("FAULT_FILE"), &status) != 0)
    abort ();
  while ((got = read (fd, text + size, sizeof text - 1 - size)) > 0)
    size += (size_t)got;
  close (fd);
  text[size] = '\0';
  for (char *line = text; line != NULL; line = strchr (line, '\n'))
    break_mapping (line += *line == '\n', status.st_ino,
                   strtoul (page, NULL, 10));
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
  if (page != NULL)
    return break_file (), false;
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
