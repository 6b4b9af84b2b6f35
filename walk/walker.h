/* What walks offer besides sframewalk.h: to here.c and backtrace.c.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WALK_WALKER_H
#define WALK_WALKER_H

#include "sframewalk.h"
#include "walk/self.h"

/* The stack of the walker's thread; 0: not known.  */
struct walk_limits
{
  uint64_t low, high;
};

struct walk_limits *walk_walker_limits (struct sfw_walker *walker);

/* Have the walks of WALKER remember nothing, so that threads may share it.  */
void walk_walker_share (struct sfw_walker *walker);

/* The frame of the caller of the function that this one is inlined in; PC is 0
   where that cannot be told.  */
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
     -mpacked-stack registers are saved elsewhere, and what is in the places of
     r14 and r15 is not PC and SP.  */
  __builtin_unwind_init ();
  __asm__ volatile("" : : : "memory");
  caller.sp -= 160;
  const uint64_t *saved = walk_memory_at (caller.sp);
  caller.fp = saved[11];
  if (saved[14] != caller.pc || saved[15] != caller.sp)
    caller.pc = 0;
#else
  caller.pc = 0;
#endif
  return caller;
}

/* As sfw_here, from the frame CALLER on, which is walk_caller.  */
size_t walk_from_caller (struct sfw_walker *walker, struct sfw_frame *caller,
                         uint64_t *addresses, uint8_t *marks, size_t max,
                         enum sfw_end *end);

#endif /* WALK_WALKER_H */
