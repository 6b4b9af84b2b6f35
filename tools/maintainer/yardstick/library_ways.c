/* Walks of the own stack by libsframewalk and others, for walks.c.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "library_ways.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#include "sframewalk.h"

enum
{
  FRAMES_MAX = 4096
};

static struct sfw_modules *modules;
static struct sfw_walker *walker, *busy;
static struct sfw_memory memory;
static struct sfw_frame start;
static uint64_t addresses[FRAMES_MAX];

void
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

bool
library_begin (uint64_t pc, uint64_t sp, uint64_t fp)
{
  pthread_attr_t attributes;
  void *stack;
  size_t size;
  start = (struct sfw_frame){ .pc = pc, .sp = sp, .fp = fp };
  walker = new_walker ();
  busy = new_walker ();
  if (walker == NULL || busy == NULL
      || pthread_getattr_np (pthread_self (), &attributes) != 0)
    return false;
  pthread_attr_getstack (&attributes, &stack, &size);
  pthread_attr_destroy (&attributes);
  /* NOLINTNEXTLINE(performance-no-int-to-ptr): the stack has no other name */
  memory = (struct sfw_memory){ .bytes = (void *)(uintptr_t)sp,
                                .low = sp,
                                .high = (uintptr_t)stack + size };
  return true;
}

static size_t
walk_by (struct sfw_walker *by)
{
  struct sfw_frame frame = start;
  return sfw_walk (by, &memory, &frame, addresses, NULL, FRAMES_MAX, NULL);
}

size_t
library_walk (void)
{
  return walk_by (walker);
}

/* A frame that leads nowhere is a walk, too.  */
void
library_walk_elsewhere (void)
{
  struct sfw_frame frame = { .pc = 1, .sp = memory.high };
  sfw_walk (walker, &memory, &frame, addresses, NULL, 2, NULL);
}

void
library_forget (void)
{
  /* What is remembered is of another table then.  */
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

/* The walker is in use, and so remembers nothing.  */
size_t
library_walk_uncached (void)
{
  size_t n = 0;
  const struct sfw_memory asks = { .read = walk_within, .context = &n };
  struct sfw_frame frame = start;
  sfw_walk (busy, &asks, &frame, addresses, NULL, 2, NULL);
  return n;
}

size_t
library_frame_pointers (void)
{
  uint64_t fp = start.fp, low = memory.low, span = memory.high - low - 16;
  size_t n = 0;
  addresses[n++] = start.pc;
  while (n < FRAMES_MAX && fp - low <= span)
    {
      /* NOLINTNEXTLINE(performance-no-int-to-ptr): likewise */
      const uint64_t *words = (const uint64_t *)(uintptr_t)fp;
      low = fp + 1;
      span = memory.high - low - 16;
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
size_t
library_libgcc (void)
{
  static _Unwind_Reason_Code (*walk) (_Unwind_Trace_Fn, void *);
  if (walk == NULL)
    *(void **)&walk
        = dlsym (dlopen ("libgcc_s.so.1", RTLD_NOW), "_Unwind_Backtrace");
  size_t n = 0;
  walk (take, &n);
  return n;
}
