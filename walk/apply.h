/* One step from a frame to its caller: which rules the frame has, and applying
   them.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The rules of a frame that a call made are those of the call, which ends at
   the return address PC.  If the called function never returns, the call may
   be the last instruction of its function, and PC is the start of the next
   function.  So the rules are looked up at the address before PC.  But if no
   call ends at PC, no call was made: the frame starts at its PC, as one that
   makecontext sets up, and the address before PC belongs to another
   function.  */

#ifndef WALK_APPLY_H
#define WALK_APPLY_H

#include <stdbool.h>
#include <stddef.h>

#include "arch/arch.h"
#include "frame/frame.h"
#include "sframewalk.h"

/* Bit 55 of an AArch64 code address is its sign (Arm Architecture Reference
   Manual, D8.10.2).  The signature is in the other bits above the virtual
   address, which has 48 bits unless the program asked for more.  */
#define PAC_SIGN_BIT 55
#define PAC_BITS (UINT64_C (0xffff) << 48 & ~(UINT64_C (1) << PAC_SIGN_BIT))

/* Value of unknown registers: an address near which nothing can be read.  */
#define UNKNOWN_REGISTER (UINT64_C (1) << 63)

/* The rules of a frame.  */
struct unwind_rules
{
  const struct arch *arch;
  struct frame_row row;
  bool signal;     /* the frame is a signal trampoline's */
  bool starts_row; /* the row starts at the address of the lookup */
  bool at_pc;      /* rules of PC; otherwise of the address before */
};

/* How to look up rules and read code.  */
struct unwind_source
{
  /* Find the RULES at ADDRESS.  Returns SFW_MORE, or why there are none.
     RULES->arch is set if a section describes ADDRESS.  */
  enum sfw_end (*find) (const void *finder, uint64_t address,
                        struct unwind_rules *rules);
  const void *finder;
  bool (*read) (void *reader, uint64_t address, void *to, size_t size);
  void *reader;
};

/* Whether a call instruction of the machine ARCH may end at ADDRESS.  Returns
   OTHERWISE if SOURCE cannot read the code before ADDRESS.  Async-signal-safe
   if SOURCE is.  */
bool unwind_may_end_call (const struct unwind_source *source,
                          const struct arch *arch, uint64_t address,
                          bool otherwise);

/* Find the RULES of a frame at PC.  Results are those of unwind_source.find.
   If PC is in the middle of a row, one lookup is enough.  Elsewhere the code
   before PC is read; code that cannot be read is taken for a call.  If a frame
   was INTERRUPTED after it had restored FP, the rule for FP becomes RULE_SAME.
   RULES->at_pc is set in all cases.  Async-signal-safe if SOURCE is.  */
enum sfw_end unwind_frame_rules (const struct unwind_source *source,
                                 uint64_t pc, bool interrupted,
                                 struct unwind_rules *rules);

/* Return the stable identifier of END ("no-row"); NULL if END is none.  */
const char *unwind_end_name (enum sfw_end end);

/* Return a pointer to this process's memory at ADDRESS.  */
static inline const void *
unwind_memory_at (uint64_t address)
{
  /* NOLINTNEXTLINE(performance-no-int-to-ptr): it has no other name */
  return (const void *)(uintptr_t)address;
}

/* Read SIZE bytes at ADDRESS from MEMORY, a struct sfw_memory.
   Async-signal-safe.  */
bool unwind_read (void *memory, uint64_t address, void *to, size_t size);

/* Replace FRAME by its caller, by the RULES of FRAME.  If the caller's FP
   cannot be read, it becomes UNKNOWN_REGISTER, because few callers need it: in
   an epilogue FP has been restored already, and the memory where it was saved
   is below SP, where copies of stacks do not reach.  FRAME is unchanged unless
   the result is SFW_MORE.  Async-signal-safe if memory->read is.  */
enum sfw_end unwind_apply (struct sfw_frame *frame,
                           const struct sfw_memory *memory,
                           const struct unwind_rules *rules);

/* Whether a step from FRAME to a caller with stack pointer SP makes progress,
   without which a walk might never end.  SIGNAL: a signal interrupted the
   caller.  Async-signal-safe.  */
bool unwind_makes_progress (const struct sfw_frame *frame, uint64_t sp,
                            bool signal);

#endif /* WALK_APPLY_H */
