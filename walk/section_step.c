/* One step, by a section that the caller has.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "walk/section_step.h"

#include <string.h>

#include "walk/frame_rules.h"
#include "walk/lookup.h"

_Static_assert((int)SFW_UNDEFINED == RULE_UNDEFINED && (int)SFW_REG == RULE_REG
                   && (int)SFW_DEREF_CFA == RULE_DEREF_CFA,
               "kinds of rules are numbered as in frame/frame.h");

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
walk_end_name (enum sfw_end end)
{
  return is_end (end) ? ends[end].name : NULL;
}

const char *
sfw_end_text (enum sfw_end end)
{
  return is_end (end) ? ends[end].text : NULL;
}

enum sfw_end
walk_section_rules (const void *finder, uint64_t address,
                    struct unwind_rules *rules)
{
  const struct sfw_section *section = finder;
  struct unwind_section opened;
  if (section == NULL || section->bytes == NULL)
    return SFW_INVALID;
  if (!unwind_section_open (&opened, section->bytes, section->size,
                            section->address))
    return SFW_BAD_SECTION;
  rules->arch = opened.arch;
  return unwind_section_lookup (&opened, address, rules);
}

void
walk_row_of (const struct unwind_rules *rules, struct sfw_row *row)
{
  const struct frame_row *from = &rules->row;
  const struct frame_rule *rule[] = { &from->cfa, &from->ra, &from->fp };
  struct sfw_rule *to[] = { &row->cfa, &row->ra, &row->fp };
  memset (row, 0, sizeof *row);
  for (unsigned i = 0; i < 3; i++)
    *to[i] = (struct sfw_rule){ .kind = rule[i]->kind > RULE_DEREF_CFA
                                            ? SFW_UNKNOWN
                                            : rule[i]->kind,
                                .reg = rule[i]->reg,
                                .offset = rule[i]->offset };
  row->abi = rules->arch->sframe_abi;
  row->signal = rules->signal;
  row->ra_signed = from->ra_signed;
}

enum sfw_end
sfw_lookup (const struct sfw_section *section, uint64_t pc,
            struct sfw_row *row)
{
  struct unwind_rules rules;
  enum sfw_end step = walk_section_rules (section, pc, &rules);
  if (step == SFW_MORE)
    walk_row_of (&rules, row);
  return step;
}

enum sfw_end
sfw_step (const struct sfw_section *section, const struct sfw_memory *memory,
          struct sfw_frame *frame)
{
  struct unwind_rules rules;
  const struct unwind_source source
      = { walk_section_rules, section, unwind_read, (void *)memory };
  enum sfw_end step
      = unwind_frame_rules (&source, frame->pc, frame->interrupted, &rules);
  return step == SFW_MORE ? unwind_apply (frame, memory, &rules) : step;
}
