/* Allocations that fail when a test asks for it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <stddef.h>

#include "failing_allocations.h"

unsigned allocations_granted = UINT_MAX;
bool allocations_fail_lastingly, allocation_failed;

void *__real_malloc (size_t size);
void *__wrap_malloc (size_t size);
void *__real_calloc (size_t n, size_t size);
void *__wrap_calloc (size_t n, size_t size);
void *__real_realloc (void *old, size_t size);
void *__wrap_realloc (void *old, size_t size);
void *__real_reallocarray (void *old, size_t n, size_t size);
void *__wrap_reallocarray (void *old, size_t n, size_t size);

static bool
fails (void)
{
  if (allocations_granted == UINT_MAX)
    return false;
  bool has_failed = allocations_granted == 0;
  if (!has_failed || !allocations_fail_lastingly)
    allocations_granted--;
  allocation_failed |= has_failed;
  return has_failed;
}

void *
__wrap_malloc (size_t size)
{
  return fails () ? NULL : __real_malloc (size);
}

void *
__wrap_calloc (size_t n, size_t size)
{
  return fails () ? NULL : __real_calloc (n, size);
}

void *
__wrap_realloc (void *old, size_t size)
{
  return fails () ? NULL : __real_realloc (old, size);
}

void *
__wrap_reallocarray (void *old, size_t n, size_t size)
{
  return fails () ? NULL : __real_reallocarray (old, n, size);
}
