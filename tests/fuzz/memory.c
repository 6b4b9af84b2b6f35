/* How much memory is allocated at most, and how much time is taken.
   SPDX-License-Identifier: LGPL-2.1-or-later

   AddressSanitizer has hooks for memory.  Without them, malloc and its
   relatives are wrapped where glibc allows it, so that libelf's and libdwarf's
   calls count too; valgrind replaces the functions itself.  */

#include <config.h>

#include "fuzz.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#if defined __SANITIZE_ADDRESS__
#  define ASAN 1
#elif defined __has_feature
#  if __has_feature(address_sanitizer)
#    define ASAN 1
#  endif
#endif

/* Files are copied ahead by a thread.  */
static atomic_size_t live, peak;
static size_t start;

static void
count (size_t size)
{
  size_t now = atomic_fetch_add (&live, size) + size;
  size_t most = atomic_load (&peak);
  while (now > most && !atomic_compare_exchange_weak (&peak, &most, now))
    ;
}

static void
uncount (size_t size)
{
  size_t before = atomic_load (&live);
  /* What was allocated before the hooks were there was not counted.  */
  while (!atomic_compare_exchange_weak (&live, &before,
                                        before > size ? before - size : 0))
    ;
}

#ifdef ASAN

size_t __sanitizer_get_allocated_size (const volatile void *block);
int __sanitizer_install_malloc_and_free_hooks (
    void (*on_malloc) (const volatile void *, size_t),
    void (*on_free) (const volatile void *));

static void
on_malloc (const volatile void *block, size_t size)
{
  (void)block;
  count (size);
}

static void
on_free (const volatile void *block)
{
  if (block != NULL)
    uncount (__sanitizer_get_allocated_size (block));
}

static bool
hook (void)
{
  static bool installed;
  if (!installed)
    __sanitizer_install_malloc_and_free_hooks (on_malloc, on_free);
  return installed = true;
}

#elif defined __GLIBC__

/* The libraries shall find them too.  */
#  pragma GCC visibility push(default)

extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t n, size_t size);
extern void *__libc_realloc (void *block, size_t size);
extern void __libc_free (void *block);

void *
malloc (size_t size)
{
  void *block = __libc_malloc (size);
  if (block != NULL)
    count (malloc_usable_size (block));
  return block;
}

void *
calloc (size_t n, size_t size)
{
  void *block = __libc_calloc (n, size);
  if (block != NULL)
    count (malloc_usable_size (block));
  return block;
}

void *
realloc (void *block, size_t size)
{
  size_t before = block != NULL ? malloc_usable_size (block) : 0;
  void *moved = __libc_realloc (block, size);
  if (moved == NULL && size != 0)
    return NULL;
  uncount (before);
  if (moved != NULL)
    count (malloc_usable_size (moved));
  return moved;
}

void
free (void *block)
{
  if (block != NULL)
    uncount (malloc_usable_size (block));
  __libc_free (block);
}

#  pragma GCC visibility pop

static bool
hook (void)
{
  /* valgrind brings its own functions; then ours are never called.  */
  void *volatile probe = malloc (1);
  free (probe);
  return peak > 0;
}

#else

static bool
hook (void)
{
  return false;
}

#endif

bool
fuzz_memory_start (void)
{
  bool counted = hook ();
  start = atomic_load (&live);
  atomic_store (&peak, start);
  return counted;
}

size_t
fuzz_memory_peak (void)
{
  return peak - start;
}

size_t
fuzz_memory_live (void)
{
  return live;
}

double
fuzz_cpu_seconds (void)
{
  struct timespec now;
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
