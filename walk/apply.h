/* From a frame to its caller, by the rules of one row.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WALK_APPLY_H
#define WALK_APPLY_H

#include <stdbool.h>

#include "arch/arch.h"
#include "frame/frame.h"
#include "sframewalk.h"

/* How often SP may go down in a walk.  Each change of stacks takes a signal
   handler that runs on a stack of its own.  */
enum
{
  UNWIND_STACK_CHANGES_MAX = 64
};

/* Code addresses of AArch64 have their sign in bit 55 (Arm Architecture
   Reference Manual, D8.10.2): the signature is in the other bits above the
   virtual address, of 48 bits unless the program asked for more.  */
#define PAC_SIGN_BIT 55
#define PAC_BITS (UINT64_C (0xffff) << 48 & ~(UINT64_C (1) << PAC_SIGN_BIT))

/* The value of a register that is not known: no address, near to which nothing
   can be read.  */
#define UNKNOWN_REGISTER (UINT64_C (1) << 63)

/* The rules of a frame.  */
struct unwind_rules
{
  const struct arch *arch;
  struct frame_row row;
  bool signal; /* the frame is a signal trampoline's */
  bool begin;  /* where the rules were looked up */
  bool at_pc;  /* the rules hold at PC; otherwise at the address before it */
};

/* Stable identifier ("no-row") of an END; NULL for a number that is none.  */
const char *unwind_end_name (enum sfw_end end);

/* Read SIZE bytes at ADDRESS from MEMORY, a struct sfw_memory.
   Async-signal-safe.  */
bool unwind_read (void *memory, uint64_t address, void *to, size_t size);

/* Replace FRAME by its caller's, by its RULES.  FP is UNKNOWN_REGISTER where
   it cannot be read: few callers need it, and in epilogues it has been popped
   already, so that its slot is below SP, where copies of stacks do not reach.
   Unless the result is SFW_MORE, FRAME is unchanged.  Async-signal-safe, if
   memory->read is.  */
enum sfw_end unwind_apply (struct sfw_frame *frame,
                           const struct sfw_memory *memory,
                           const struct unwind_rules *rules);

/* Whether a caller with stack pointer SP, which a signal interrupted if
   SIGNAL, makes the walk advance from FRAME.  Async-signal-safe.  */
bool unwind_gets_on (const struct sfw_frame *frame, uint64_t sp, bool signal);

#endif /* WALK_APPLY_H */
