/* From a frame to its caller, by the rules of one row.
   SPDX-License-Identifier: LGPL-2.1-or-later

   SFrame specification V3, appendix A.  Of the innermost frame all registers
   are known, of other frames SP and FP only, because rows do not say where
   other registers were saved.  */

#include "walk/apply.h"

#include "base/bytes.h"

static bool
register_value (const struct cfi2sframe_unwinder *unwinder,
                const struct arch *arch, unsigned number, uint64_t *value)
{
  if (number == arch->sp)
    *value = unwinder->sp;
  else if (number == arch->fp)
    *value = unwinder->fp;
  else if (number == arch->ra && unwinder->has_ra)
    *value = unwinder->ra;
  else if (unwinder->registers != NULL && number < unwinder->n_registers)
    *value = unwinder->registers[number];
  else
    return false;
  return true;
}

static enum cfi2sframe_step
load_word (const struct cfi2sframe_unwinder *unwinder, const struct arch *arch,
           uint64_t address, uint64_t *value)
{
  uint64_t word;
  if (!unwinder->read_memory (unwinder->context, address, &word, sizeof word))
    return CFI2SFRAME_STEP_MEMORY;
  *value = load_u64 (&word, arch->big_endian);
  return CFI2SFRAME_STEP_CALLER;
}

/* The value that RULE gives for register OWN (which RULE_SAME refers to).
   CFI2SFRAME_STEP_CALLER, or why the rule gives none.  */
static inline enum cfi2sframe_step
rule_value (const struct cfi2sframe_unwinder *unwinder,
            const struct arch *arch, struct frame_rule rule, unsigned own,
            uint64_t cfa, uint64_t *value)
{
  uint64_t offset = (uint64_t)(int64_t)rule.offset, base;
  switch (rule.kind)
    {
    case RULE_DEREF_CFA:
      return load_word (unwinder, arch, cfa + offset, value);
    case RULE_CFA:
      *value = cfa + offset;
      return CFI2SFRAME_STEP_CALLER;
    case RULE_SAME:
    case RULE_REG:
    case RULE_DEREF_REG:
      if (!register_value (unwinder, arch,
                           rule.kind == RULE_SAME ? own : rule.reg, &base))
        return CFI2SFRAME_STEP_REGISTER;
      if (rule.kind == RULE_DEREF_REG)
        return load_word (unwinder, arch, base + offset, value);
      *value = base + offset;
      return CFI2SFRAME_STEP_CALLER;
    default:
      return CFI2SFRAME_STEP_BAD_SECTION;
    }
}

static uint64_t
strip_signature (const struct cfi2sframe_unwinder *unwinder, uint64_t address)
{
  uint64_t mask = unwinder->pac_mask != 0 ? unwinder->pac_mask : PAC_BITS;
  bool upper_half = address >> PAC_SIGN_BIT & 1;
  return upper_half ? address | mask : address & ~mask;
}

/* Every call takes stack, but the called function may not have taken any yet:
   then its return address is in a register or, on s390x, in the caller's
   frame.  A frame that a signal interrupted may be on any other stack.  */
bool
unwind_gets_on (const struct cfi2sframe_unwinder *unwinder, uint64_t sp,
                bool signal)
{
  if (sp < unwinder->sp)
    return signal && unwinder->stack_changes < UNWIND_STACK_CHANGES_MAX;
  return sp > unwinder->sp || (unwinder->interrupted && !signal);
}

enum cfi2sframe_step
unwind_apply (struct cfi2sframe_unwinder *unwinder,
              const struct unwind_rules *rules)
{
  const struct arch *arch = rules->arch;
  const struct frame_row *row = &rules->row;
  bool signal = rules->signal;
  uint64_t cfa = 0, pc = 0, fp = 0;
  if (row->ra.kind == RULE_UNDEFINED && row->cfa.kind == RULE_UNDEFINED)
    return CFI2SFRAME_STEP_OUTERMOST;
  enum cfi2sframe_step result
      = rule_value (unwinder, arch, row->cfa, arch->sp, 0, &cfa);
  if (result == CFI2SFRAME_STEP_CALLER)
    result = rule_value (unwinder, arch, row->ra, arch->ra, cfa, &pc);
  if (result != CFI2SFRAME_STEP_CALLER)
    return result;
  result = rule_value (unwinder, arch, row->fp, arch->fp, cfa, &fp);
  if (result == CFI2SFRAME_STEP_MEMORY)
    fp = UNKNOWN_REGISTER;
  else if (result != CFI2SFRAME_STEP_CALLER)
    return result;
  uint64_t sp = cfa + (uint64_t)(int64_t)arch->caller_sp_offset;
  if (row->ra_signed)
    pc = strip_signature (unwinder, pc);
  /* A signal may come when a NULL pointer has been called: then PC 0 is a
     frame.  */
  if (pc == 0 && !signal)
    return CFI2SFRAME_STEP_ZERO;
  if (!unwind_gets_on (unwinder, sp, signal))
    return CFI2SFRAME_STEP_NO_PROGRESS;
  unwinder->stack_changes += sp < unwinder->sp;
  unwinder->pc = pc;
  unwinder->sp = sp;
  unwinder->fp = fp;
  unwinder->interrupted = signal;
  unwinder->has_ra = false;
  unwinder->registers = NULL;
  return CFI2SFRAME_STEP_CALLER;
}
