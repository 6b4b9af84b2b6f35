/* A table that numbers the rules of SFrame rows.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "sframe/rule_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"

_Static_assert(sizeof (struct rule)
                   == (4 + SFRAME_WORDS_MAX) * sizeof (uint32_t),
               "a rule has padding, so it is no plain memory");

bool
rule_table_init (struct rule_table *rules,
                 const struct encode_options *options)
{
  *rules = (struct rule_table){ .options = *options };
  return table_init (&rules->table, 0);
}

void
rule_table_free (struct rule_table *rules)
{
  free (rules->rules);
  table_free (&rules->table);
}

bool
rule_table_number (struct rule_table *rules, uint32_t flags,
                   const struct sframe_row *row, uint32_t *number)
{
  struct rule rule
      = { .row = *row,
          .flags = flags,
          .bytes = sframe_row_payload_size (&rules->options, row) };
  rule.row.start = 0;
  struct table_walk walk
      = { .hash = hash_for_table ((const uint8_t *)&rule, sizeof rule) };
  while (table_next (&rules->table, &walk, number))
    if (memcmp (&rules->rules[*number], &rule, sizeof rule) == 0)
      return true;
  if (rules->n_rules > ROW_RULE
      || !ARRAY_ROOM (rules->rules, rules->n_rules + 1, &rules->capacity))
    return false;
  *number = (uint32_t)rules->n_rules++;
  rules->rules[*number] = rule;
  table_insert (&rules->table, walk.hash, *number);
  return true;
}

struct sframe_fde
rule_table_expand (const struct rule_table *rules, uint64_t address,
                   uint32_t size, const struct numbered_row *first,
                   const struct numbered_row *end, struct sframe_row *rows)
{
  const uint32_t flags = rules->rules[first->rule & ROW_RULE].flags;
  struct sframe_fde function
      = { .address = address,
          .size = size,
          .flexible = flags & FDE_FLEXIBLE,
          .signal = flags & FDE_SIGNAL,
          .b_key = flags & FDE_B_KEY,
          .repeat = (uint8_t)(flags >> FDE_REPEAT_SHIFT),
          .rows = rows };
  for (const struct numbered_row *row = first; row < end; rows++)
    {
      *rows = rules->rules[row->rule & ROW_RULE].row;
      rows->start = row->start - first->start;
      row = numbered_row_next (row, end);
    }
  function.n_rows = (size_t)(rows - function.rows);
  return function;
}

bool
rule_table_can_join (const struct rule_table *rules, uint32_t left,
                     uint32_t right)
{
  /* The block that repeats in a PCMASK function is all of its FDE.  */
  return rules->rules[left].flags == rules->rules[right].flags
         && rule_table_repeat (rules, left) == 0;
}
