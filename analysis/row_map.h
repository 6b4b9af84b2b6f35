/* The map from addresses to rows, on which all routines agree.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An address can belong to several routines.  It keeps a row only if all of
   these routines have that row there; otherwise it gets ROW_UNKNOWN.  A row
   whose CFA rule is RULE_UNSUPPORTED says that the code is understood, but
   that no rule can describe its frame.  */

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
  size_t n_merged; /* ascending and disjoint; the others are not */
  struct frame_numbers numbers; /* of the rows */
  struct address_list starts;   /* of trusted functions */
  bool failed;                  /* memory ran out */
};

bool row_map_init (struct row_map *row_map, struct error *err);
void row_map_free (struct row_map *row_map);

/* Remove all rows, and all starts.  */
void row_map_clear (struct row_map *row_map);

/* Record that a trusted function starts at ADDRESS.  */
void row_map_add_start (struct row_map *row_map, uint64_t address);

/* Record that ROW holds for SIZE bytes at ADDRESS; NULL: no row does.  */
void row_map_add (struct row_map *row_map, uint64_t address, uint32_t size,
                  const struct frame_row *row);

/* Merge all added ranges.  Code with conflicting rows gets ROW_UNKNOWN.  */
bool row_map_merge (struct row_map *row_map, struct error *err);

/* Return the merged range at ADDRESS, or NULL.  */
const struct row_range *row_map_find (const struct row_map *row_map,
                                      uint64_t address);

#endif /* ANALYSIS_ROW_MAP_H */
