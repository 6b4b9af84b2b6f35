/* The rules of a frame, which do not always hold at the address before its PC.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "walk/frame_rules.h"

bool
unwind_may_end_call (const struct unwind_source *source,
                     const struct arch *arch, uint64_t address, bool otherwise)
{
  uint8_t code[UNWIND_CODE_SIZE];
  int32_t distance;
  if (!source->read (source->reader, address - sizeof code, code, sizeof code))
    return otherwise;
  return arch->may_end_call (code, sizeof code, &distance);
}

enum cfi2sframe_step
unwind_frame_rules (const struct unwind_source *source, uint64_t pc,
                    bool interrupted, struct unwind_rules *rules)
{
  *rules = (struct unwind_rules){ .at_pc = true };
  enum cfi2sframe_step step = source->find (source->finder, pc, rules);
  bool same_before = step == CFI2SFRAME_STEP_CALLER && !rules->begin;
  if (!interrupted
      && (same_before || rules->arch == NULL
          || unwind_may_end_call (source, rules->arch, pc, true)))
    {
      rules->at_pc = false;
      if (!same_before)
        step = source->find (source->finder, pc - 1, rules);
    }
  rules->pc = pc;
  rules->interrupted = interrupted;
  return step;
}
