/* Rules that were looked up, one in a slot.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "walk/slots.h"

static enum sfw_end
find_in_table (const void *context, uint64_t address,
               struct unwind_rules *rules)
{
  const struct walk_finder *finder = context;
  return walk_table_lookup (finder->hold.table, address, rules);
}

enum sfw_end
walk_find_rules (struct walk_finder *finder, uint64_t pc, bool interrupted,
                 struct unwind_rules *rules)
{
  const struct unwind_source source
      = { find_in_table, finder, unwind_read, (void *)finder->memory };
  if (finder->hold.table == NULL)
    finder->hold = walk_modules_hold (finder->modules);
  return unwind_frame_rules (&source, pc, interrupted, rules);
}

void
walk_slot_fill (struct walk_slot *slot, const struct unwind_rules *rules)
{
  const bool big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
  const struct arch *arch = rules->arch;
  const struct frame_row *row = &rules->row;
  if (row->cfa.kind == RULE_UNDEFINED && row->ra.kind == RULE_UNDEFINED)
    slot->mode = SLOT_ENDS;
  if (rules->signal || row->ra_signed || arch->caller_sp_offset != 0
      || arch->big_endian != big_endian || row->cfa.kind != RULE_REG
      || (row->cfa.reg != arch->sp && row->cfa.reg != arch->fp)
      || row->ra.kind != RULE_DEREF_CFA
      || (row->fp.kind != RULE_SAME && row->fp.kind != RULE_DEREF_CFA)
      || row->fp.offset == NOWHERE)
    return;
  slot->mode = row->cfa.reg == arch->fp ? SLOT_BY_FP : 0;
  slot->cfa = row->cfa.offset;
  slot->saved.ra = row->ra.offset;
  slot->saved.fp = row->fp.kind == RULE_DEREF_CFA ? row->fp.offset : NOWHERE;
}

void
walk_slots_clear (struct walk_slots *slots)
{
  for (size_t i = 0; i < SLOT_SETS * SLOT_WAYS; i++)
    slots->slots[i]
        = (struct walk_slot){ .next = &slots->slots[i], .cfa = NOWHERE };
}

static struct walk_slot *
slot_make (struct walk_slot *slot, struct walk_finder *finder, uint64_t pc)
{
  struct unwind_rules rules;
  *slot = (struct walk_slot){ .key = pc, .next = slot, .cfa = NOWHERE };
  if (walk_find_rules (finder, pc, false, &rules) == SFW_MORE)
    walk_slot_fill (slot, &rules);
  if (rules.at_pc)
    {
      slot->mode = SLOT_AT_PC | (slot->mode & SLOT_ENDS);
      slot->cfa = NOWHERE;
    }
  return slot;
}

struct walk_slot *
walk_slot_of (struct walk_finder *finder, uint64_t pc)
{
  struct walk_slots *slots = finder->slots;
  struct walk_slot *set
      = slots->slots + (pc ^ pc >> 9) % SLOT_SETS * SLOT_WAYS;
  for (unsigned i = 0; i < SLOT_WAYS; i++)
    if (set[i].key == pc)
      return &set[i];
  return slot_make (&set[slots->turn++ % SLOT_WAYS], finder, pc);
}
