/* Stretches of rows: where they may begin and end, what they cost.
   SPDX-License-Identifier: LGPL-2.1-or-later

   All rows of a section in one sequence, in runs; within a run, rows follow
   each other without a gap, and their starts count from its first one.  Rules
   have flags beside their numbers.  A segment is a stretch of a run's rows
   from one cut to another: a candidate for an FDE.  The shortest, from a cut
   to the next, are called atoms.  */

#ifndef SFRAME_SEGMENTS_H
#define SFRAME_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sframe/rule_table.h"

/* This row says what the row before it says.  */
#define ROW_CONTINUES UINT32_C (0x80000000)
#define ROW_BEGINS UINT32_C (0x40000000) /* a function begins with it */
#define ROW_RULE UINT32_C (0x3fffffff)   /* mask */

/* A place where an FDE may begin, and the FDE before it end.  Numbers and
   bytes of rows leave out each row that continues the row before.  Such a row
   is written only as the first of a segment, because there no row is before
   it.  */
struct cut
{
  uint64_t address; /* all cuts ascend; in a run by bytes of code */
  uint64_t bytes;   /* of the rows before, without their starts */
  uint32_t back;    /* from the cut to the last row before */
  uint32_t row;     /* the first row behind the cut */
  uint32_t n_rows;  /* before */
  uint32_t begins_run : 1;
  uint32_t first_bytes : 31; /* of the row behind, if it continues; or 0 */
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
  uint64_t last = end->address - end->back;
  return last > begin->address ? last - begin->address : 0;
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

/* HASH of the first rows of a segment, 0 if there are none, with one more:
   START counts from the segment's first row.  */
static inline uint64_t
segment_hash_add (uint64_t hash, uint32_t rule, uint32_t start)
{
  hash ^= rule | (uint64_t)start << 32;
  hash *= 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

/* HASH with the rows from BEGIN to END added that are written; FIRST is the
   segment's first row.  How long the last row lasts is in no hash, because it
   follows from the FDE's size.  */
static inline uint64_t
segment_hash_rows (uint64_t hash, const struct numbered_row *first,
                   const struct numbered_row *begin,
                   const struct numbered_row *end)
{
  if (begin == first)
    hash = segment_hash_add (hash, begin++->rule & ROW_RULE, 0);
  for (; begin < end; begin++)
    if (!(begin->rule & ROW_CONTINUES))
      hash = segment_hash_add (hash, begin->rule & ROW_RULE,
                               begin->start - first->start);
  return hash;
}

/* The row behind ROW that is written, or END, the segment's.  */
static inline const struct numbered_row *
segment_next (const struct numbered_row *row, const struct numbered_row *end)
{
  do
    row++;
  while (row < end && row->rule & ROW_CONTINUES);
  return row;
}

#endif /* SFRAME_SEGMENTS_H */
