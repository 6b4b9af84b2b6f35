/* The rules of a frame, which do not always hold at the address before its PC.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A call may be the last instruction of its function, if the called function
   never returns.  The return address is then the start of the next function,
   and the rules of the frame are those of the address before it.  But if no
   call ends at PC, no call was made: the frame starts at its PC, as one that
   makecontext sets up, and the address before PC belongs to another function.
 */

#ifndef WALK_FRAME_RULES_H
#define WALK_FRAME_RULES_H

#include <stddef.h>

#include "walk/apply.h"

/* How many bytes of code in front of a return address are read.  */
enum
{
  UNWIND_CODE_SIZE = 8
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

#endif /* WALK_FRAME_RULES_H */
