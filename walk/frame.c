/* One step, by a section that the caller has.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "walk/frame.h"

#include <string.h>

#include "walk/frame_rules.h"
#include "walk/module_table.h"

/* The two libraries have a name each for the same results of a step.  */
_Static_assert((int)SFW_MORE == CFI2SFRAME_STEP_CALLER
                   && (int)SFW_NO_SECTION == CFI2SFRAME_STEP_NO_SECTION
                   && (int)SFW_NO_ROW == CFI2SFRAME_STEP_NO_ROW
                   && (int)SFW_NO_PROGRESS == CFI2SFRAME_STEP_NO_PROGRESS
                   && (int)SFW_INVALID == CFI2SFRAME_STEP_INVALID,
               "ends are numbered as steps are");
_Static_assert((int)SFW_UNDEFINED == RULE_UNDEFINED && (int)SFW_REG == RULE_REG
                   && (int)SFW_DEREF_CFA == RULE_DEREF_CFA,
               "kinds of rules are numbered as in frame.h");

const char *
sfw_end_text (enum sfw_end end)
{
  static const char *const texts[] = {
    [SFW_MORE] = "there are more frames",
    [SFW_OUTERMOST] = "the outermost frame",
    [SFW_ZERO] = "the return address is 0",
    [SFW_NO_SECTION] = "no SFrame data for this address",
    [SFW_NO_ROW] = "no row for this address",
    [SFW_BAD_SECTION] = "the SFrame data contradict themselves",
    [SFW_REGISTER] = "the row needs a register that is not known here",
    [SFW_MEMORY] = "the stack cannot be read",
    [SFW_NO_PROGRESS] = "the stack pointer does not get on",
    [SFW_INVALID] = "wrong use of the library",
  };
  return (size_t)end < sizeof texts / sizeof texts[0] ? texts[end] : NULL;
}

bool
walk_read (void *context, uint64_t address, void *to, size_t size)
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

enum sfw_end
walk_apply (const struct unwind_rules *rules, const struct sfw_memory *memory,
            struct sfw_frame *frame)
{
  struct cfi2sframe_unwinder unwinder
      = { .context = (void *)memory,
          .read_memory = walk_read,
          .pac_mask = memory->pac_mask,
          .pc = frame->pc,
          .sp = frame->sp,
          .fp = frame->fp,
          .interrupted = frame->interrupted,
          .has_ra = frame->has_ra,
          .ra = frame->ra,
          .registers = frame->registers,
          .n_registers = frame->n_registers,
          .stack_changes = frame->stack_changes };
  enum cfi2sframe_step step = unwind_apply (&unwinder, rules);
  if (step == CFI2SFRAME_STEP_CALLER)
    *frame = (struct sfw_frame){ .pc = unwinder.pc,
                                 .sp = unwinder.sp,
                                 .fp = unwinder.fp,
                                 .interrupted = unwinder.interrupted,
                                 .stack_changes = unwinder.stack_changes };
  return (enum sfw_end)step;
}

/* The rules that the section FINDER has for ADDRESS.  */
static enum cfi2sframe_step
find_rules (const void *finder, uint64_t address, struct unwind_rules *rules)
{
  const struct sfw_section *section = finder;
  struct unwind_section opened;
  if (section == NULL || section->bytes == NULL)
    return CFI2SFRAME_STEP_INVALID;
  if (!unwind_section_open (&opened, section->bytes, section->size,
                            section->address))
    return CFI2SFRAME_STEP_BAD_SECTION;
  rules->arch = opened.arch;
  return unwind_section_lookup (&opened, address, rules);
}

enum sfw_end
sfw_lookup (const struct sfw_section *section, uint64_t pc,
            struct sfw_row *row)
{
  struct unwind_rules rules;
  enum cfi2sframe_step step = find_rules (section, pc, &rules);
  if (step == CFI2SFRAME_STEP_CALLER)
    walk_row_of (&rules, row);
  return (enum sfw_end)step;
}

enum sfw_end
sfw_step (const struct sfw_section *section, const struct sfw_memory *memory,
          struct sfw_frame *frame)
{
  struct unwind_rules rules;
  const struct unwind_source source
      = { find_rules, section, walk_read, (void *)memory };
  enum cfi2sframe_step step
      = unwind_frame_rules (&source, frame->pc, frame->interrupted, &rules);
  return step == CFI2SFRAME_STEP_CALLER ? walk_apply (&rules, memory, frame)
                                        : (enum sfw_end)step;
}
