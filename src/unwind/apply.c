/* From a frame to its caller, by the rules of one row.
   SPDX-License-Identifier: LGPL-2.1-or-later

   SFrame specification V3, appendix A.  Only of the innermost frame more is
   known than SP and FP: rows do not say where other registers were saved.  */

#include "unwind/apply.h"

#include "base/bytes.h"

struct application
{
  const struct cfi2sframe_unwinder *unwinder;
  const struct arch *arch;
};

static bool
register_value (const struct application *application, unsigned number,
                uint64_t *value)
{
  const struct cfi2sframe_unwinder *unwinder = application->unwinder;
  const struct arch *arch = application->arch;
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

static bool
load_word (const struct application *application, uint64_t address,
           uint64_t *value)
{
  const struct cfi2sframe_unwinder *unwinder = application->unwinder;
  uint8_t bytes[sizeof *value];
  if (!unwinder->read_memory (unwinder->context, address, bytes, sizeof bytes))
    return false;
  *value = load_u64 (bytes, application->arch->big_endian);
  return true;
}

/* The value of RULE, about register OWN (for SAME).  CFI2SFRAME_STEP_CALLER,
   or why there is none.  */
static enum cfi2sframe_step
rule_value (const struct application *application, struct frame_rule rule,
            unsigned own, uint64_t cfa, uint64_t *value)
{
  bool in_frame = rule.kind == RULE_CFA || rule.kind == RULE_DEREF_CFA;
  bool load = rule.kind == RULE_DEREF_REG || rule.kind == RULE_DEREF_CFA;
  if (rule.kind == RULE_SAME)
    rule = (struct frame_rule){ .kind = RULE_REG, .reg = (uint16_t)own };
  else if (!in_frame && rule.kind != RULE_REG && rule.kind != RULE_DEREF_REG)
    return CFI2SFRAME_STEP_BAD_SECTION;
  uint64_t base = cfa;
  if (!in_frame && !register_value (application, rule.reg, &base))
    return CFI2SFRAME_STEP_REGISTER;
  *value = base + (uint64_t)(int64_t)rule.offset;
  if (load && !load_word (application, *value, value))
    return CFI2SFRAME_STEP_MEMORY;
  return CFI2SFRAME_STEP_CALLER;
}

static uint64_t
strip_signature (const struct cfi2sframe_unwinder *unwinder, uint64_t address)
{
  uint64_t mask = unwinder->pac_mask != 0 ? unwinder->pac_mask : PAC_BITS;
  bool upper_half = address >> PAC_SIGN_BIT & 1;
  return upper_half ? address | mask : address & ~mask;
}

/* Whether a caller with stack pointer SP gets the walk on.  Every call takes
   stack, but what it calls may not have taken any yet: then its return address
   is in a register or, on s390x, in the caller's frame.  What a signal
   interrupted may be on any other stack.  */
static bool
gets_on (const struct cfi2sframe_unwinder *unwinder, uint64_t sp, bool signal)
{
  if (sp < unwinder->sp)
    return signal && unwinder->stack_changes < UNWIND_STACK_CHANGES_MAX;
  return sp > unwinder->sp || (unwinder->interrupted && !signal);
}

enum cfi2sframe_step
unwind_apply (struct cfi2sframe_unwinder *unwinder, const struct arch *arch,
              const struct frame_row *row, bool signal)
{
  const struct application application = { unwinder, arch };
  uint64_t cfa = 0, pc = 0, fp = 0;
  if (row->ra.kind == RULE_UNDEFINED && row->cfa.kind == RULE_UNDEFINED)
    return CFI2SFRAME_STEP_OUTERMOST;
  enum cfi2sframe_step result
      = rule_value (&application, row->cfa, arch->sp, 0, &cfa);
  if (result == CFI2SFRAME_STEP_CALLER)
    result = rule_value (&application, row->fp, arch->fp, cfa, &fp);
  if (result == CFI2SFRAME_STEP_CALLER)
    result = rule_value (&application, row->ra, arch->ra, cfa, &pc);
  if (result != CFI2SFRAME_STEP_CALLER)
    return result;
  uint64_t sp = cfa + (uint64_t)(int64_t)arch->caller_sp_offset;
  if (row->ra_signed)
    pc = strip_signature (unwinder, pc);
  if (pc == 0)
    return CFI2SFRAME_STEP_ZERO;
  if (!gets_on (unwinder, sp, signal))
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
