/* A table that numbers the rules of SFrame rows.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A program has very many rows, but few different rules ("CFA = SP + 16, FP at
   CFA - 16").  Each different rule gets a number.  Rows that store the number
   are small, and one instruction compares them.  The flags of a row's FDE are
   part of its rule, so rows with the same number can be in one FDE.  */

#ifndef SFRAME_RULE_TABLE_H
#define SFRAME_RULE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "sframe/encode.h"
#include "sframe/model.h"

/* A row with the number of its rule.  */
struct numbered_row
{
  uint32_t start; /* bytes from the function's address, or the run's */
  uint32_t rule;  /* the rule's number (ROW_RULE), and flags */
};

#define ROW_RULE UINT32_C (0x3fffffff) /* mask */
/* The flag of a row that a function in a run begins with (segments.h).  */
#define ROW_BEGINS UINT32_C (0x40000000)
/* The flag of such a row, if it has the same rule as the row before it.  */
#define ROW_CONTINUES UINT32_C (0x80000000)

/* The first row behind ROW that does not continue another one, or END.  */
static inline const struct numbered_row *
numbered_row_next (const struct numbered_row *row,
                   const struct numbered_row *end)
{
  do
    row++;
  while (row < end && row->rule & ROW_CONTINUES);
  return row;
}

/* A function or a part of one.  Its flags are part of each row's rule.  */
struct numbered_function
{
  uint64_t address;
  uint32_t size;
  size_t n_rows; /* at least 1 */
  const struct numbered_row *rows;
};

/* The flags of an FDE, as a part of rules.  The repeat size of a PCMASK
   function stands above these bits.  */
enum
{
  FDE_FLEXIBLE = 1,
  FDE_SIGNAL = 2,
  FDE_B_KEY = 4,
  FDE_FLAGS = 7, /* all of them */
  FDE_REPEAT_SHIFT = 8
};

/* The contents of a row without its start, and the flags of its FDE.  Rules
   are compared and hashed as plain memory.  */
struct rule
{
  struct sframe_row row; /* its start and its unused words are 0 */
  uint32_t flags;
  uint32_t bytes; /* encoded size of a row, without its start */
};

struct rule_table
{
  struct encode_options options;
  struct rule *rules; /* owned; indexed by their numbers */
  size_t n_rules, capacity;
  struct table table; /* finds the numbers by the rules' contents */
};

/* Make RULES an empty table, to be freed even if memory ran out (false).  */
bool rule_table_init (struct rule_table *rules,
                      const struct encode_options *options);
void rule_table_free (struct rule_table *rules);

/* Set *NUMBER to the number of the rule of ROW in an FDE with FLAGS.  Words
   behind the last one of ROW are 0.  The rule is added to the table if it is
   new.  Numbers are at most ROW_RULE.  False when memory or the numbers ran
   out.  */
bool rule_table_number (struct rule_table *rules, uint32_t flags,
                        const struct sframe_row *row, uint32_t *number);

/* The repeat size of functions with rows of rule NUMBER.  */
static inline uint32_t
rule_table_repeat (const struct rule_table *rules, uint32_t number)
{
  return rules->rules[number].flags >> FDE_REPEAT_SHIFT;
}

/* Turn numbered rows, FIRST up to END, into a function of SIZE bytes at
   ADDRESS.  Starts in the function count from FIRST's start.  The rows are
   stored in ROWS, which has room for them.  */
struct sframe_fde rule_table_expand (const struct rule_table *rules,
                                     uint64_t address, uint32_t size,
                                     const struct numbered_row *first,
                                     const struct numbered_row *end,
                                     struct sframe_row *rows);

/* Whether rows with the rules LEFT and RIGHT can be in one FDE.  */
bool rule_table_can_join (const struct rule_table *rules, uint32_t left,
                          uint32_t right);

#endif /* SFRAME_RULE_TABLE_H */
