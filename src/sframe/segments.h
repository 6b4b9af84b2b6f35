/* Stretches of rows: where they may begin and end, what they cost.
   SPDX-License-Identifier: LGPL-2.1-or-later

   All rows of a section in one sequence, in runs; within a run, rows follow
   each other without a gap.  A segment is a stretch of a run's rows from one
   cut to another: a candidate for an FDE.  The shortest, from a cut to the
   next, are called atoms.  */

#ifndef SFRAME_SEGMENTS_H
#define SFRAME_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sframe/rule_table.h"

/* A row with its rule's number and these flags.  */
struct run_row
{
  uint32_t rule;
  uint32_t duration; /* bytes of code that the row holds for */
};

/* This row says what the row before it says.  */
#define ROW_CONTINUES UINT32_C (0x80000000)
#define ROW_BEGINS UINT32_C (0x40000000) /* a function begins with it */
#define ROW_RULE UINT32_C (0x3fffffff)   /* mask */

/* A place where an FDE may begin, and the FDE before it end.  Numbers and
   bytes of rows leave out each row that continues the row before.  Such a row
   is written only if it is the first of a segment, where no row is before
   it.  */
struct cut
{
  uint64_t address;    /* bytes of code from the first row of all to the cut */
  uint64_t last_start; /* from there to the last row before the cut */
  uint64_t bytes;      /* of the rows before, without their starts */
  uint32_t row;        /* the first row behind the cut */
  uint32_t n_rows;     /* before */
  uint32_t first_bytes; /* of the row behind, if it continues; or 0 */
  bool begins_run;
};

/* Bytes of each row's start, when the last one is LAST_START.  */
static inline unsigned
start_width (uint64_t last_start)
{
  return last_start <= UINT8_MAX ? 1 : last_start <= UINT16_MAX ? 2 : 4;
}

/* Where the last row of the segment starts, from the segment's start.  */
static inline uint64_t
segment_last_start (const struct cut *begin, const struct cut *end)
{
  return end->last_start > begin->address ? end->last_start - begin->address
                                          : 0;
}

static inline uint32_t
segment_n_rows (const struct cut *begin, const struct cut *end)
{
  return end->n_rows - begin->n_rows + (begin->first_bytes != 0);
}

/* Bytes of the segment's rows in a section.  */
static inline uint64_t
segment_bytes (const struct cut *begin, const struct cut *end)
{
  return end->bytes - begin->bytes + begin->first_bytes
         + (uint64_t)segment_n_rows (begin, end)
               * start_width (segment_last_start (begin, end));
}

/* A hash that grows with a segment, row by row.  It does not cover how long
   the last row lasts: that is the FDE's business.  */
struct segment_hash
{
  uint64_t value;
  uint32_t duration; /* of the last row; 0 before the first */
};

static inline void
segment_hash_add (struct segment_hash *hash, struct run_row row)
{
  if (row.rule & ROW_CONTINUES && hash->duration != 0)
    {
      hash->duration += row.duration;
      return;
    }
  hash->value ^= (row.rule & ROW_RULE) | (uint64_t)hash->duration << 32;
  hash->value *= 0x9e3779b97f4a7c15u;
  hash->value ^= hash->value >> 32;
  hash->duration = row.duration;
}

/* Walks over the rows of a segment that are there.  */
struct segment_walk
{
  const struct run_row *next, *end;
  uint32_t rule;
  uint64_t start, next_start; /* from the segment's start */
};

static inline struct segment_walk
segment_walk_begin (const struct run_row *rows, size_t first, size_t end)
{
  return (struct segment_walk){ .next = rows + first, .end = rows + end };
}

static inline bool
segment_walk_next (struct segment_walk *walk)
{
  if (walk->next == walk->end)
    return false;
  walk->rule = walk->next->rule & ROW_RULE;
  walk->start = walk->next_start;
  do
    walk->next_start += walk->next++->duration;
  while (walk->next < walk->end && walk->next->rule & ROW_CONTINUES);
  return true;
}

#endif /* SFRAME_SEGMENTS_H */
