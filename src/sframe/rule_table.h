/* Numbers for the rules of SFrame rows, with the flags of their function.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A program has few different rules ("CFA = SP + 16, FP at CFA - 16") in very
   many rows.  With a number for each, rows are small and are compared with
   one instruction.  The flags of the function belong to the rule: rows with
   one number can be in one block.  */

#ifndef SFRAME_RULE_TABLE_H
#define SFRAME_RULE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "sframe/encode.h"
#include "sframe/model.h"

/* A row with the number of what it says.  */
struct numbered_row
{
  uint32_t start; /* bytes from the function's address, or the run's */
  uint32_t rule;  /* ROW_RULE, and flags */
};

#define ROW_RULE UINT32_C (0x3fffffff) /* mask */
/* This row says what the row before it says.  */
#define ROW_CONTINUES UINT32_C (0x80000000)

/* The row behind ROW that says something new, or END, which is behind all.  */
static inline const struct numbered_row *
numbered_row_next (const struct numbered_row *row,
                   const struct numbered_row *end)
{
  do
    row++;
  while (row < end && row->rule & ROW_CONTINUES);
  return row;
}

/* A function, or a piece of one.  Its flags are part of its rows' rules, all
   the same.  */
struct numbered_function
{
  uint64_t address;
  uint32_t size;
  size_t n_rows; /* at least 1 */
  const struct numbered_row *rows;
};

/* All that a row says but for where it starts, and its function's flags.  */
struct rule
{
  uint32_t head;                   /* flags and counts, see rule_table.c */
  int32_t words[SFRAME_WORDS_MAX]; /* unused ones are 0 */
  uint32_t bytes;                  /* of a row, without its start */
};

struct rule_table
{
  struct encode_options options;
  struct rule *rules; /* owned */
  size_t n_rules, capacity;
  struct table table; /* the rules by their content */
};

/* False when memory ran out; freeing is allowed then, too.  */
bool rule_table_init (struct rule_table *rules,
                      const struct encode_options *options);
void rule_table_free (struct rule_table *rules);

/* The flags of FUNCTION as a part of its rows' rules.  */
uint32_t rule_table_flags (const struct sframe_fde *function);

/* The number of what ROW says in a function with FLAGS, in *NUMBER, at most
   ROW_RULE.  False when memory or the numbers ran out.  */
bool rule_table_number (struct rule_table *rules, uint32_t flags,
                        const struct sframe_row *row, uint32_t *number);

/* The repeat size of functions with rows that have this rule (struct
   sframe_fde).  */
uint32_t rule_table_repeat (const struct rule_table *rules, uint32_t number);

/* A function of SIZE bytes at ADDRESS that has the rows from FIRST to END, in
   full.  Their starts count from that of the first one.  ROWS has room for
   them.  */
struct sframe_fde rule_table_expand (const struct rule_table *rules,
                                     uint64_t address, uint32_t size,
                                     const struct numbered_row *first,
                                     const struct numbered_row *end,
                                     struct sframe_row *rows);

/* Whether rows with these rules can be in one block.  */
bool rule_table_can_join (const struct rule_table *rules, uint32_t left,
                          uint32_t right);

#endif /* SFRAME_RULE_TABLE_H */
