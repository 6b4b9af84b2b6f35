/* A table that numbers the rules of SFrame rows.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "sframe/rule_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum
{
  /* Bits of a rule's head: those of a row, and then those of its function.  */
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

bool
rule_table_number (struct rule_table *rules, uint32_t flags,
                   const struct sframe_row *row, uint32_t *number)
{
  const size_t words_size = row->n_words * sizeof row->words[0];
  uint32_t head = flags | row->base_sp * (uint32_t)HEAD_BASE_SP
                  | row->ra_signed * (uint32_t)HEAD_RA_SIGNED
                  | (uint32_t)row->n_words << HEAD_N_WORDS_SHIFT
                  | (uint32_t)row->control << HEAD_CONTROL_SHIFT;
  struct table_walk walk = { .hash = rule_hash (head, row) };
  while (table_next (&rules->table, &walk, number))
    if (rules->rules[*number].head == head
        && memcmp (rules->rules[*number].words, row->words, words_size) == 0)
      return true;
  if (rules->n_rules > ROW_RULE
      || !ARRAY_ROOM (rules->rules, rules->n_rules + 1, &rules->capacity))
    return false;
  struct rule *rule = &rules->rules[rules->n_rules];
  *rule = (struct rule){ .head = head };
  rule->bytes = sframe_row_payload_size (&rules->options, row);
  memcpy (rule->words, row->words, words_size);
  *number = (uint32_t)rules->n_rules++;
  table_insert (&rules->table, walk.hash, *number);
  return true;
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
      const struct rule *rule = &rules->rules[row->rule & ROW_RULE];
      rows->start = row->start - first->start;
      rows->base_sp = rule->head & HEAD_BASE_SP;
      rows->ra_signed = rule->head & HEAD_RA_SIGNED;
      rows->n_words = rule->head >> HEAD_N_WORDS_SHIFT & 7;
      rows->control = rule->head >> HEAD_CONTROL_SHIFT & 63;
      memcpy (rows->words, rule->words, sizeof rows->words);
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
  /* The block that repeats in a PCMASK function is all of its FDE.  */
  return !(head & HEAD_REPEAT) && (difference & ~(uint32_t)HEAD_OF_ROW) == 0;
}
