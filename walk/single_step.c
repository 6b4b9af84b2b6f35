/* The public functions for one row and one step (sframewalk.h).
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <string.h>

#include "walk/module_table.h"

_Static_assert((int)SFW_UNDEFINED == RULE_UNDEFINED && (int)SFW_REG == RULE_REG
                   && (int)SFW_DEREF_CFA == RULE_DEREF_CFA,
               "kinds of rules are numbered as in frame/frame.h");

static void
row_of (const struct unwind_rules *rules, struct sfw_row *row)
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
  enum sfw_end step = unwind_find_rules (section, pc, &rules);
  if (step == SFW_MORE)
    row_of (&rules, row);
  return step;
}

enum sfw_end
sfw_modules_lookup (struct sfw_modules *modules, uint64_t pc,
                    struct sfw_row *row)
{
  struct unwind_rules rules;
  struct walk_hold hold = walk_modules_hold (modules);
  enum sfw_end step = walk_table_lookup (hold.table, pc, &rules);
  walk_modules_release (modules, hold);
  if (step == SFW_MORE)
    row_of (&rules, row);
  return step;
}

enum sfw_end
sfw_step (const struct sfw_section *section, const struct sfw_memory *memory,
          struct sfw_frame *frame)
{
  struct unwind_rules rules;
  const struct unwind_source source
      = { unwind_find_rules, section, unwind_read, (void *)memory };
  enum sfw_end step
      = unwind_frame_rules (&source, frame->pc, frame->interrupted, &rules);
  return step == SFW_MORE ? unwind_apply (frame, memory, &rules) : step;
}
