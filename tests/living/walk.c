/* Walking a stack with SFrame alone.
   SPDX-License-Identifier: LGPL-2.1-or-later

   SFrame specification V3, appendix A, with the kernel's caution: only in the
   topmost frame are other registers than SP and FP known.  */

#include "../oracle/rules.h"
#include "walk.h"

const char *
walk_end_name (enum walk_end end)
{
  static const char *const names[WALK_ENDS] = {
    [WALK_OUTERMOST] = "outermost",   [WALK_ZERO_PC] = "zero-pc",
    [WALK_NO_MODULE] = "no-module",   [WALK_VDSO] = "vdso",
    [WALK_NO_SECTION] = "no-section", [WALK_NO_ROW] = "no-row",
    [WALK_SP_RULE] = "sp-rule",       [WALK_RETURN_ADDRESS] = "return-address",
    [WALK_REGISTER] = "register",     [WALK_MEMORY] = "memory",
    [WALK_BROKEN] = "broken",         [WALK_LIMIT] = "limit",
  };
  return names[end];
}

struct step
{
  struct target *target;
  const uint64_t *registers; /* all of them, or NULL above the topmost frame */
  const struct frame *frame;
  enum walk_end failure;
};

/* The value of RULE; false with STEP->failure set.  */
static bool
apply (struct step *step, const struct row_rule *rule, uint64_t cfa,
       uint64_t *value)
{
  step->failure = WALK_BROKEN;
  if (rule->base == ROW_RULE_BROKEN)
    return false;
  const struct referee_abi *abi = step->target->abi;
  if (rule->base == ROW_RULE_CFA)
    *value = cfa;
  else if (rule->reg == (unsigned)abi->sp)
    *value = step->frame->sp;
  else if (rule->reg == (unsigned)abi->fp)
    *value = step->frame->fp;
  else
    {
      step->failure = WALK_REGISTER;
      if (!step->registers || rule->reg >= step->target->n_registers)
        return false;
      *value = step->registers[rule->reg];
    }
  *value += (uint64_t)rule->offset;
  step->failure = WALK_MEMORY;
  return !rule->load || step->target->read_word (step->target, *value, value);
}

bool
walk_is_return_address (const struct sframe_decoder *decoder, uint64_t pc)
{
  struct sframe_function function;
  struct sframe_row row;
  struct error err;
  uint64_t next = pc + decoder->arch->smallest_instruction;
  return sframe_decoder_lookup (decoder, next, &function, &row, &err) > 0
         && function.address == next;
}

/* Find the rules for the frame of STEP.  */
static bool
find_rules (struct step *step, struct sframe_function *function,
            struct row_rules *rules)
{
  const struct module *module;
  struct sframe_row row;
  struct error err;
  error_clear (&err);
  uint64_t pc = step->frame->pc;
  if (!step->frame->exact && !step->target->looks_up_return_addresses)
    pc--;
  module = step->target->module_at (step->target, pc);
  step->failure = !module               ? WALK_NO_MODULE
                  : module->vdso        ? WALK_VDSO
                  : !module->has_sframe ? WALK_NO_SECTION
                                        : WALK_NO_ROW;
  if (step->failure != WALK_NO_ROW)
    return false;
  int found
      = sframe_decoder_lookup (&module->decoder, pc, function, &row, &err);
  if (found > 0)
    rules_of_row (&module->decoder, function, &row, rules);
  /* Only what kind of function it is comes from our own reader then.  */
  if (module->foreign)
    found = foreign_rules (module->foreign, function, pc, rules);
  if (found < 0)
    step->failure = WALK_BROKEN;
  else if (found == 0 && walk_is_return_address (&module->decoder, pc))
    step->failure = WALK_RETURN_ADDRESS;
  return found > 0;
}

/* From one frame to the next.  */
static bool
take_step (struct step *step, struct frame *next)
{
  struct sframe_function function;
  struct row_rules rules;
  uint64_t cfa;
  if (!find_rules (step, &function, &rules))
    return false;
  if (rules.ra_undefined)
    {
      step->failure = WALK_OUTERMOST;
      return false;
    }
  if (!apply (step, &rules.cfa, 0, &cfa)
      || !apply (step, &rules.ra, cfa, &next->pc)
      || !apply (step, &rules.fp, cfa, &next->fp))
    return false;
  next->sp = cfa + (uint64_t)step->target->abi->caller_sp;
  next->exact = function.signal;
  step->failure = WALK_ZERO_PC;
  return next->pc != 0;
}

void
walk_sframe (struct target *target, const uint64_t *registers,
             struct walk *walk)
{
  walk->n_frames = 1;
  walk->end = WALK_LIMIT;
  walk->frames[0]
      = (struct frame){ registers[REGISTER_PC], registers[target->abi->sp],
                        registers[target->abi->fp], true };
  while (walk->n_frames < FRAMES_MAX)
    {
      struct frame *frame = &walk->frames[walk->n_frames - 1];
      struct step step = { target, walk->n_frames == 1 ? registers : NULL,
                           frame, WALK_BROKEN };
      if (!take_step (&step, frame + 1))
        {
          walk->end = step.failure;
          return;
        }
      walk->n_frames++;
    }
}
