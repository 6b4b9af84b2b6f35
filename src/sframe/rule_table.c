/* Numbers for the rules of SFrame rows, with the flags of their function.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "sframe/rule_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum
{
  /* Bits of a rule's head.  */
  HEAD_BASE_SP = 1 << 0,
  HEAD_RA_SIGNED = 1 << 1,
  HEAD_N_WORDS_SHIFT = 2, /* 3 bits */
  HEAD_CONTROL_SHIFT = 5, /* 6 bits, one per word */
  HEAD_FLEXIBLE = 1 << 11,
  HEAD_SIGNAL = 1 << 12,
  HEAD_B_KEY = 1 << 13,
  HEAD_REPEAT_SHIFT = 16, /* 8 bits */
  HEAD_REPEAT = 0xff << HEAD_REPEAT_SHIFT,
  HEAD_OF_ROW = HEAD_FLEXIBLE - 1
};

_Static_assert(SFRAME_WORDS_MAX == 6, "counts do not fit a rule's head");

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

uint32_t
rule_table_flags (const struct sframe_fde *function)
{
  return (function->flexible ? HEAD_FLEXIBLE : 0)
         | (function->signal ? HEAD_SIGNAL : 0)
         | (function->b_key ? HEAD_B_KEY : 0)
         | (uint32_t)function->repeat << HEAD_REPEAT_SHIFT;
}

static uint32_t
row_head (const struct sframe_row *row)
{
  return row->base_sp * (uint32_t)HEAD_BASE_SP
         + row->ra_signed * (uint32_t)HEAD_RA_SIGNED
         + ((uint32_t)row->n_words << HEAD_N_WORDS_SHIFT)
         + ((uint32_t)row->control << HEAD_CONTROL_SHIFT);
}

static uint32_t
rule_hash (uint32_t head, const struct sframe_row *row)
{
  uint64_t hash = head;
  for (unsigned i = 0; i < row->n_words; i++)
    {
      hash = (hash ^ (uint32_t)row->words[i]) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 32;
    }
  return (uint32_t)hash;
}

static bool
rule_is (const struct rule *rule, uint32_t head, const struct sframe_row *row)
{
  if (rule->head != head)
    return false;
  for (unsigned i = 0; i < row->n_words; i++)
    if (rule->words[i] != row->words[i])
      return false;
  return true;
}

static bool
rule_table_append (struct rule_table *rules, const struct rule *rule,
                   uint32_t hash)
{
  if (rules->n_rules > ROW_RULE
      || !ARRAY_ROOM (rules->rules, rules->n_rules + 1, &rules->capacity))
    return false;
  table_insert (&rules->table, hash, (uint32_t)rules->n_rules);
  rules->rules[rules->n_rules++] = *rule;
  return true;
}

bool
rule_table_number (struct rule_table *rules, uint32_t flags,
                   const struct sframe_row *row, uint32_t *number)
{
  uint32_t head = flags | row_head (row);
  uint32_t hash = rule_hash (head, row);
  struct table_walk walk = { .hash = hash };
  while (table_next (&rules->table, &walk, number))
    if (rule_is (&rules->rules[*number], head, row))
      return true;
  struct rule rule = { .head = head };
  rule.bytes = sframe_row_payload_size (&rules->options, row);
  memcpy (rule.words, row->words, row->n_words * sizeof row->words[0]);
  *number = (uint32_t)rules->n_rules;
  return rule_table_append (rules, &rule, hash);
}

/* Fill in ROW, but for its start.  */
static void
expand_row (const struct rule *rule, struct sframe_row *row)
{
  row->base_sp = rule->head & HEAD_BASE_SP;
  row->ra_signed = rule->head & HEAD_RA_SIGNED;
  row->n_words = rule->head >> HEAD_N_WORDS_SHIFT & 7;
  row->control = rule->head >> HEAD_CONTROL_SHIFT & 63;
  row->word_size = 0;
  memcpy (row->words, rule->words, sizeof row->words);
}

uint32_t
rule_table_repeat (const struct rule_table *rules, uint32_t number)
{
  return (rules->rules[number].head & HEAD_REPEAT) >> HEAD_REPEAT_SHIFT;
}

struct sframe_fde
rule_table_expand (const struct rule_table *rules, uint64_t address,
                   uint32_t size, const struct numbered_row *first,
                   const struct numbered_row *end, struct sframe_row *rows)
{
  const uint32_t head = rules->rules[first->rule & ROW_RULE].head;
  struct sframe_fde function
      = { .address = address,
          .size = size,
          .flexible = head & HEAD_FLEXIBLE,
          .signal = head & HEAD_SIGNAL,
          .b_key = head & HEAD_B_KEY,
          .repeat = (uint8_t)(head >> HEAD_REPEAT_SHIFT),
          .rows = rows };
  for (const struct numbered_row *row = first; row < end; rows++)
    {
      rows->start = row->start - first->start;
      expand_row (&rules->rules[row->rule & ROW_RULE], rows);
      row = numbered_row_next (row, end);
    }
  function.n_rows = (size_t)(rows - function.rows);
  return function;
}

bool
rule_table_can_join (const struct rule_table *rules, uint32_t left,
                     uint32_t right)
{
  uint32_t head = rules->rules[left].head;
  uint32_t difference = head ^ rules->rules[right].head;
  /* A repeating block is all of its FDE.  */
  return !(head & HEAD_REPEAT) && (difference & ~(uint32_t)HEAD_OF_ROW) == 0;
}
