/* The rules of a frame, which are not always those in front of its PC.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A return address may lie behind the function that made the call, if that
   never comes back: its rules are those of the address before it.  But where
   no call ends there, no call was made.  The frame starts at its PC, as
   makecontext sets it up, and what lies before is another function.  */

#ifndef UNWIND_FRAME_RULES_H
#define UNWIND_FRAME_RULES_H

#include <stddef.h>

#include "unwind/apply.h"

/* How many bytes of code in front of a return address are read.  */
enum
{
  UNWIND_CODE_SIZE = 8
};

/* Where rules and code come from.  */
struct unwind_source
{
  /* Find the rules at ADDRESS: CFI2SFRAME_STEP_CALLER, or why there are none.
     RULES->arch is set if there is a section.  */
  enum cfi2sframe_step (*find) (const void *finder, uint64_t address,
                                struct unwind_rules *rules);
  const void *finder;
  bool (*read) (void *reader, uint64_t address, void *to, size_t size);
  void *reader;
};

/* Whether a call of the machine ARCH can end at ADDRESS; OTHERWISE where the
   code in front of it cannot be read by SOURCE.  Async-signal-safe, likewise.
 */
bool unwind_may_end_call (const struct unwind_source *source,
                          const struct arch *arch, uint64_t address,
                          bool otherwise);

/* Find the RULES of a frame at PC, as the find function of SOURCE.  With one
   lookup where PC is in the middle of a row; the code is read elsewhere, and
   if that fails a call may have ended there.  RULES->at_pc is set whatever the
   result is.  Async-signal-safe, if SOURCE is.  */
enum cfi2sframe_step unwind_frame_rules (const struct unwind_source *source,
                                         uint64_t pc, bool interrupted,
                                         struct unwind_rules *rules);

#endif /* UNWIND_FRAME_RULES_H */
