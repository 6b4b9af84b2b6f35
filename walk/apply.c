/* One step from a frame to its caller: which rules the frame has, and applying
   them.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The rules are those of the SFrame specification V3, appendix A.  All
   registers of the innermost frame are known.  Of other frames SP and FP alone
   are known, because rows do not say where other registers were saved.  */

#include "walk/apply.h"

#include <string.h>

#include "base/bytes.h"

static const struct
{
  const char *name, *text;
} ends[] = {
  [SFW_MORE] = { "caller", "there are more frames" },
  [SFW_OUTERMOST] = { "outermost", "the outermost frame" },
  [SFW_ZERO] = { "zero-pc", "the return address is 0" },
  [SFW_NO_SECTION] = { "no-section", "no SFrame data for this address" },
  [SFW_NO_ROW] = { "no-row", "no row for this address" },
  [SFW_BAD_SECTION]
  = { "bad-section", "the SFrame data contradict themselves" },
  [SFW_REGISTER]
  = { "register", "the row needs a register that is not known here" },
  [SFW_MEMORY] = { "memory", "the stack cannot be read" },
  [SFW_NO_PROGRESS] = { "no-progress", "the stack pointer does not get on" },
  [SFW_INVALID] = { "invalid", "wrong use of the library" },
};

static bool
is_end (enum sfw_end end)
{
  return (size_t)end < sizeof ends / sizeof ends[0];
}

const char *
unwind_end_name (enum sfw_end end)
{
  return is_end (end) ? ends[end].name : NULL;
}

const char *
sfw_end_text (enum sfw_end end)
{
  return is_end (end) ? ends[end].text : NULL;
}

/* ---- Which rules are a frame's */

bool
unwind_may_end_call (const struct unwind_source *source,
                     const struct arch *arch, uint64_t address, bool otherwise)
{
  uint8_t code[8]; /* the bytes before the return address */
  int32_t distance;
  if (!source->read (source->reader, address - sizeof code, code, sizeof code))
    return otherwise;
  return arch->may_end_call (code, sizeof code, &distance);
}

/* Set *START to the start of the row with PC.  False if it is far away.  */
static bool
find_row_start (const struct unwind_source *source, uint64_t pc,
                uint64_t *start)
{
  enum
  {
    DISTANCE_MAX = 64
  };
  struct unwind_rules rules = { .starts_row = false };
  for (*start = pc; pc - *start < DISTANCE_MAX; --*start)
    {
      if (source->find (source->finder, *start, &rules) != SFW_MORE)
        return false;
      if (rules.starts_row)
        return true;
    }
  return false;
}

/* Whether the frame has restored FP before PC, although RULES say that FP is
   in memory.  CFI for x86-64 does not describe that FP was popped.  The word
   where FP was saved is below SP then, where signal handlers overwrite it and
   copies of stacks do not reach.  Code that is about to save FP has a row of
   the same form, but no pop instruction before the row.  */
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
  bool same_before = step == SFW_MORE && !rules->starts_row;
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

/* ---- What they do */

static bool
register_value (const struct sfw_frame *frame, const struct arch *arch,
                unsigned number, uint64_t *value)
{
  if (number == arch->sp)
    *value = frame->sp;
  else if (number == arch->fp)
    *value = frame->fp;
  else if (number == arch->ra && frame->has_ra)
    *value = frame->ra;
  else if (frame->registers != NULL && number < frame->n_registers)
    *value = frame->registers[number];
  else
    return false;
  return true;
}

bool
unwind_read (void *context, uint64_t address, void *to, size_t size)
{
  const struct sfw_memory *memory = context;
  if (address >= memory->low && address <= memory->high
      && memory->high - address >= size)
    {
      memcpy (to, (const char *)memory->bytes + (address - memory->low), size);
      return true;
    }
  return memory->read != NULL
         && memory->read (memory->context, address, to, size);
}

static enum sfw_end
load_word (const struct sfw_memory *memory, const struct arch *arch,
           uint64_t address, uint64_t *value)
{
  uint64_t word;
  if (!unwind_read ((void *)memory, address, &word, sizeof word))
    return SFW_MEMORY;
  *value = load_u64 (&word, arch->big_endian);
  return SFW_MORE;
}

/* The frame whose caller is computed, and the memory of its stack.  */
struct step_context
{
  const struct sfw_frame *frame;
  const struct sfw_memory *memory;
  const struct arch *arch;
};

/* Set *VALUE to the result of RULE for register OWN, whose own value RULE_SAME
   refers to.  Returns SFW_MORE, or why there is none.  */
static inline enum sfw_end
rule_value (const struct step_context *from, struct frame_rule rule,
            unsigned own, uint64_t cfa, uint64_t *value)
{
  uint64_t offset = (uint64_t)(int64_t)rule.offset, base;
  switch (rule.kind)
    {
    case RULE_DEREF_CFA:
      return load_word (from->memory, from->arch, cfa + offset, value);
    case RULE_CFA:
      *value = cfa + offset;
      return SFW_MORE;
    case RULE_SAME:
    case RULE_REG:
    case RULE_DEREF_REG:
      if (!register_value (from->frame, from->arch,
                           rule.kind == RULE_SAME ? own : rule.reg, &base))
        return SFW_REGISTER;
      if (rule.kind == RULE_DEREF_REG)
        return load_word (from->memory, from->arch, base + offset, value);
      *value = base + offset;
      return SFW_MORE;
    default:
      return SFW_BAD_SECTION;
    }
}

static uint64_t
strip_signature (const struct sfw_memory *memory, uint64_t address)
{
  uint64_t mask = memory->pac_mask != 0 ? memory->pac_mask : PAC_BITS;
  bool upper_half = address >> PAC_SIGN_BIT & 1;
  return upper_half ? address | mask : address & ~mask;
}

/* How often SP may decrease in a walk.  Each change to another stack needs a
   signal handler with a stack of its own.  */
enum
{
  STACK_CHANGES_MAX = 64
};

/* A call takes stack, so SP increases from a frame to its caller.  The
   innermost function may not have taken any yet: its return address is in a
   register or, on s390x, in the caller's frame.  A frame that a signal
   interrupted may be on any other stack.  */
bool
unwind_makes_progress (const struct sfw_frame *frame, uint64_t sp, bool signal)
{
  if (sp < frame->sp)
    return signal && frame->stack_changes < STACK_CHANGES_MAX;
  return sp > frame->sp || (frame->interrupted && !signal);
}

enum sfw_end
unwind_apply (struct sfw_frame *frame, const struct sfw_memory *memory,
              const struct unwind_rules *rules)
{
  const struct arch *arch = rules->arch;
  const struct step_context from = { frame, memory, arch };
  const struct frame_row *row = &rules->row;
  bool signal = rules->signal;
  uint64_t cfa = 0, pc = 0, fp = 0;
  if (row->ra.kind == RULE_UNDEFINED && row->cfa.kind == RULE_UNDEFINED)
    return SFW_OUTERMOST;
  enum sfw_end result = rule_value (&from, row->cfa, arch->sp, 0, &cfa);
  if (result == SFW_MORE)
    result = rule_value (&from, row->ra, arch->ra, cfa, &pc);
  if (result != SFW_MORE)
    return result;
  result = rule_value (&from, row->fp, arch->fp, cfa, &fp);
  if (result == SFW_MEMORY)
    fp = UNKNOWN_REGISTER;
  else if (result != SFW_MORE)
    return result;
  uint64_t sp = cfa + (uint64_t)(int64_t)arch->caller_sp_offset;
  if (row->ra_signed)
    pc = strip_signature (memory, pc);
  /* A call of a NULL pointer causes a signal, too: PC 0 is a frame then.  */
  if (pc == 0 && !signal)
    return SFW_ZERO;
  if (!unwind_makes_progress (frame, sp, signal))
    return SFW_NO_PROGRESS;
  *frame = (struct sfw_frame){ .pc = pc,
                               .sp = sp,
                               .fp = fp,
                               .interrupted = signal,
                               .stack_changes
                               = frame->stack_changes + (sp < frame->sp) };
  return SFW_MORE;
}
