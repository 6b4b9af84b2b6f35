/* The cache of rules by PC: lookup and replacement.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "walk/rule_cache.h"

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
walk_rule_fill (struct walk_rule *cached, const struct unwind_rules *rules)
{
  const bool big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
  const struct arch *arch = rules->arch;
  const struct frame_row *row = &rules->row;
  if (row->cfa.kind == RULE_UNDEFINED && row->ra.kind == RULE_UNDEFINED)
    cached->mode = CACHED_OUTERMOST;
  if (rules->signal || row->ra_signed || arch->caller_sp_offset != 0
      || arch->big_endian != big_endian || row->cfa.kind != RULE_REG
      || (row->cfa.reg != arch->sp && row->cfa.reg != arch->fp)
      || row->ra.kind != RULE_DEREF_CFA
      || (row->fp.kind != RULE_SAME && row->fp.kind != RULE_DEREF_CFA)
      || row->fp.offset == NO_OFFSET)
    return;
  cached->mode = row->cfa.reg == arch->fp ? CACHED_BY_FP : 0;
  cached->cfa = row->cfa.offset;
  cached->saved.ra = row->ra.offset;
  cached->saved.fp
      = row->fp.kind == RULE_DEREF_CFA ? row->fp.offset : NO_OFFSET;
}

void
walk_rule_cache_clear (struct walk_rule_cache *cache)
{
  for (size_t i = 0; i < CACHE_SETS * CACHE_WAYS; i++)
    cache->rules[i]
        = (struct walk_rule){ .caller = &cache->rules[i], .cfa = NO_OFFSET };
}

/* Look up the rule for PC, and put it into CACHED in place of another one.  */
static struct walk_rule *
look_up_rule (struct walk_rule *cached, struct walk_finder *finder,
              uint64_t pc)
{
  struct unwind_rules rules;
  *cached
      = (struct walk_rule){ .key = pc, .caller = cached, .cfa = NO_OFFSET };
  if (walk_find_rules (finder, pc, false, &rules) == SFW_MORE)
    walk_rule_fill (cached, &rules);
  if (rules.at_pc)
    {
      cached->mode = CACHED_AT_PC | (cached->mode & CACHED_OUTERMOST);
      cached->cfa = NO_OFFSET;
    }
  return cached;
}

struct walk_rule *
walk_rule_at (struct walk_finder *finder, uint64_t pc)
{
  struct walk_rule_cache *cache = finder->cache;
  struct walk_rule *set
      = cache->rules + (pc ^ pc >> 9) % CACHE_SETS * CACHE_WAYS;
  for (unsigned i = 0; i < CACHE_WAYS; i++)
    if (set[i].key == pc)
      return &set[i];
  return look_up_rule (&set[cache->turn++ % CACHE_WAYS], finder, pc);
}
