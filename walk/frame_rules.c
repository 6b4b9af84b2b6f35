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

/* Set *START to where the row with PC starts, unless that is far away.  */
static bool
find_row_start (const struct unwind_source *source, uint64_t pc,
                uint64_t *start)
{
  enum
  {
    DISTANCE_MAX = 64
  };
  struct unwind_rules rules = { .begin = false };
  for (*start = pc; pc - *start < DISTANCE_MAX; --*start)
    {
      if (source->find (source->finder, *start, &rules) != SFW_MORE)
        return false;
      if (rules.begin)
        return true;
    }
  return false;
}

/* Whether FP, which RULES find in a slot, has its caller's value in its
   register already at PC: CFI for x86-64 does not say that it was popped.  The
   slot is below SP then, where neither signal handlers nor copies of stacks
   leave anything.  Code that saves FP there has a row like that, too, but not
   behind an instruction that pops.  */
static bool
fp_is_popped (const struct unwind_source *source,
              const struct unwind_rules *rules, uint64_t pc)
{
  const struct arch *arch = rules->arch;
  const struct frame_row *row = &rules->row;
  uint8_t last;
  uint64_t start;
  return row->cfa.kind == RULE_REG && row->cfa.reg == arch->sp
         && row->fp.kind == RULE_DEREF_CFA
         && (int64_t)row->cfa.offset + row->fp.offset < 0
         && arch->may_pop != NULL && find_row_start (source, pc, &start)
         && source->read (source->reader, start - 1, &last, sizeof last)
         && arch->may_pop (last);
}

enum sfw_end
unwind_frame_rules (const struct unwind_source *source, uint64_t pc,
                    bool interrupted, struct unwind_rules *rules)
{
  *rules = (struct unwind_rules){ .at_pc = true };
  enum sfw_end step = source->find (source->finder, pc, rules);
  bool same_before = step == SFW_MORE && !rules->begin;
  if (!interrupted
      && (same_before || rules->arch == NULL
          || unwind_may_end_call (source, rules->arch, pc, true)))
    {
      rules->at_pc = false;
      if (!same_before)
        step = source->find (source->finder, pc - 1, rules);
    }
  if (interrupted && step == SFW_MORE && fp_is_popped (source, rules, pc))
    rules->row.fp = (struct frame_rule){ .kind = RULE_SAME };
  return step;
}
