/* From a frame to its caller: which row's rules are the frame's, and what they
   do.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A call may be the last instruction of its function, if the called function
   never returns.  The return address is then the start of the next function,
   and the rules of the frame are those of the address before it.  But if no
   call ends at PC, no call was made: the frame starts at its PC, as one that
   makecontext sets up, and the address before PC belongs to another function.
 */

#ifndef WALK_APPLY_H
#define WALK_APPLY_H

#include <stdbool.h>
#include <stddef.h>

#include "arch/arch.h"
#include "frame/frame.h"
#include "sframewalk.h"

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

/* Where rules and code are read.  */
struct unwind_source
{
  /* Find the rules at ADDRESS: SFW_MORE, or why there are none.
     RULES->arch is set if a section describes ADDRESS.  */
  enum sfw_end (*find) (const void *finder, uint64_t address,
                        struct unwind_rules *rules);
  const void *finder;
  bool (*read) (void *reader, uint64_t address, void *to, size_t size);
  void *reader;
};

/* Whether a call of the machine ARCH can end at ADDRESS.  Returns OTHERWISE if
   SOURCE cannot read the code before ADDRESS.  Async-signal-safe, if SOURCE
   is.  */
bool unwind_may_end_call (const struct unwind_source *source,
                          const struct arch *arch, uint64_t address,
                          bool otherwise);

/* Find the RULES of a frame at PC; results are those of unwind_source.find.
   Where PC is in the middle of a row, one lookup is enough; elsewhere the code
   is read, and code that cannot be read may be a call.  In an interrupted
   frame that has popped FP already, FP is its caller's.  RULES->at_pc is set
   in all cases.  Async-signal-safe, if SOURCE is.  */
enum sfw_end unwind_frame_rules (const struct unwind_source *source,
                                 uint64_t pc, bool interrupted,
                                 struct unwind_rules *rules);

/* Stable identifier ("no-row") of an END; NULL for a number that is none.  */
const char *unwind_end_name (enum sfw_end end);

/* The memory of this process at ADDRESS.  */
static inline const void *
unwind_memory_at (uint64_t address)
{
  /* NOLINTNEXTLINE(performance-no-int-to-ptr): it has no other name */
  return (const void *)(uintptr_t)address;
}

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
