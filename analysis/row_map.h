/* What several routines say of the same code, brought together.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A row holds at an address only if every function that gets there agrees, so
   what two of them say differently, or one of them cannot say, is dropped.  A
   row whose CFA rule is RULE_UNSUPPORTED says that the code is understood, but
   that there is no rule for it.  */

#ifndef ANALYSIS_ROW_MAP_H
#define ANALYSIS_ROW_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "analysis/addresses.h"
#include "frame/frame.h"
#include "frame/numbers.h"

struct row_range
{
  uint64_t start;
  uint32_t size;
  uint32_t row; /* index in numbers.rows, or ROW_UNKNOWN */
};

static const uint32_t ROW_UNKNOWN = UINT32_MAX;

struct row_map
{
  struct row_range *ranges; /* owned */
  size_t n, capacity;
  size_t n_merged; /* of the ranges: ascending and disjoint; others follow */
  struct frame_numbers numbers; /* of the rows */
  struct address_list starts;   /* of trusted functions */
  bool failed;                  /* memory ran out */
};

bool row_map_init (struct row_map *row_map, struct error *err);
void row_map_free (struct row_map *row_map);

/* Forget all rows, and all starts.  */
void row_map_clear (struct row_map *row_map);

/* A function that is trusted starts at ADDRESS.  */
void row_map_add_start (struct row_map *row_map, uint64_t address);

/* ROW holds for SIZE bytes at ADDRESS; NULL: nothing is known to hold.  */
void row_map_add (struct row_map *row_map, uint64_t address, uint32_t size,
                  const struct frame_row *row);

/* Settle all that was added.  What is disputed stays as ROW_UNKNOWN.  */
bool row_map_merge (struct row_map *row_map, struct error *err);

/* The settled range at ADDRESS, or NULL.  */
const struct row_range *row_map_find (const struct row_map *row_map,
                                      uint64_t address);

#endif /* ANALYSIS_ROW_MAP_H */
