/* Segments: ranges of rows that may become FDEs, and which of them repeat.
   SPDX-License-Identifier: LGPL-2.1-or-later

   All rows of a section stand in one array, in runs.  A run is a sequence of
   rows that follow each other without a gap.  The starts of its rows count
   from its first row.  A cut is a place in a run where an FDE may begin.  A
   segment is the rows from one cut to another of the same run.  An atom is the
   shortest segment, from one cut to the next.  */

#ifndef SFRAME_SEGMENTS_H
#define SFRAME_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sframe/rule_table.h"

/* A place where an FDE may begin, and the FDE before it end.  It is in front
   of a row, or behind all rows.  A cut between two runs ends the first one and
   begins the second one.  The counts of rows and of bytes, and LAST, leave out
   a row that continues the row before (ROW_CONTINUES).  Such a row is written
   only if it is the first of a segment, because then no row is before it.  */
struct cut
{
  uint64_t bytes;  /* of all rows in front, without the rows' starts */
  uint32_t last;   /* start of the last row in front */
  uint32_t n_rows; /* number of rows in front */
  uint32_t row;    /* index of the first row behind */
  uint32_t start;  /* start of that row */
  uint32_t begins_run : 1;
  /* Bytes of the first row behind, if it continues the row in front, or 0.  */
  uint32_t first_bytes : 31;
};

/* ---- Sizes */

/* The bytes of each row's start in an FDE whose last row is at LAST_START.  */
static inline unsigned
start_width (uint32_t last_start)
{
  return last_start <= UINT8_MAX ? 1 : last_start <= UINT16_MAX ? 2 : 4;
}

/* The start of the segment's last row, in bytes from the segment's start.  */
static inline uint32_t
segment_last_start (const struct cut *begin, const struct cut *end)
{
  return end->last > begin->start ? end->last - begin->start : 0;
}

/* The number of the segment's rows that are written.  */
static inline uint32_t
segment_n_rows (const struct cut *begin, const struct cut *end)
{
  return end->n_rows - begin->n_rows + (begin->first_bytes != 0);
}

/* The encoded size of the segment's rows, in bytes.  */
static inline uint64_t
segment_bytes (const struct cut *begin, const struct cut *end)
{
  return end->bytes - begin->bytes + begin->first_bytes
         + (uint64_t)segment_n_rows (begin, end)
               * start_width (segment_last_start (begin, end));
}

/* ---- Hashes

   The hash of a segment is a polynomial of its rows, first row first.  A row
   adds rule * RULE + start * START, where the start counts from the segment's
   first row, and each row before it is multiplied by STEP once more.  So rows
   that are appended change the hash by what depends on these rows alone, which
   is computed once for each atom (struct segment_tail).

   For example, rows with the rules A, B and C start at 0, 4 and 10.  Up to B,
   the hash is

     h = (A * RULE) * STEP + B * RULE + 4 * START

   and with C it is h * STEP + C * RULE + 10 * START.  The tail of C alone has
   the hash C * RULE, because C is its first row, the power STEP and the sum 1.
   Extending h by this tail at the distance 10 has the same result: h * power +
   C * RULE + 10 * START * sum.

   The length of the last row is in no hash, because an FDE's last row ends
   where the FDE ends.  */

#define SEGMENT_HASH_STEP UINT64_C (0x9e3779b97f4a7c15)
#define SEGMENT_HASH_RULE UINT64_C (0xd6e8feb86659fd93)
#define SEGMENT_HASH_START UINT64_C (0xa0761d6478bd642f)

/* The hash of a segment whose last row has RULE and START, counted from the
   segment's first row.  HASH is that of the rows before, or 0 for none.  */
static inline uint64_t
segment_hash_add (uint64_t hash, uint32_t rule, uint32_t start)
{
  return hash * SEGMENT_HASH_STEP + rule * SEGMENT_HASH_RULE
         + start * SEGMENT_HASH_START;
}

/* The contribution of rows to the hash of a segment that ends with them.  */
struct segment_tail
{
  uint64_t hash;  /* of these rows alone, with starts from the first of them */
  uint64_t power; /* SEGMENT_HASH_STEP to the power of the number of rows */
  /* The sum of all lower powers.  If each start is higher by 1, the hash is
     higher by SEGMENT_HASH_START times this sum.  */
  uint64_t sum;
};

/* The tail of the rows from BEGIN to END.  */
static inline struct segment_tail
segment_tail_of (const struct numbered_row *begin,
                 const struct numbered_row *end)
{
  struct segment_tail tail = { .power = 1 };
  for (const struct numbered_row *row = begin; row < end; row++)
    if (!(row->rule & ROW_CONTINUES))
      {
        tail.hash = segment_hash_add (tail.hash, row->rule & ROW_RULE,
                                      row->start - begin->start);
        tail.sum += tail.power;
        tail.power *= SEGMENT_HASH_STEP;
      }
  return tail;
}

/* The hash of a segment with HASH that is extended by TAIL, whose rows begin
   DISTANCE bytes behind the segment's start.  */
static inline uint64_t
segment_hash_extend (uint64_t hash, const struct segment_tail *tail,
                     uint32_t distance)
{
  return hash * tail->power + tail->hash
         + distance * SEGMENT_HASH_START * tail->sum;
}

/* The hash of the segment that consists of the rows of TAIL.  FIRST is the
   first of them.  It is written even if it continues the row before.  */
static inline uint64_t
segment_hash_begin (const struct segment_tail *tail,
                    const struct numbered_row *first)
{
  uint64_t hash = 0;
  if (first->rule & ROW_CONTINUES)
    hash = segment_hash_add (0, first->rule & ROW_RULE, 0);
  return segment_hash_extend (hash, tail, 0);
}

/* HASH in the form that tables take (base/table.h).  */
static inline uint32_t
segment_hash_for_table (uint64_t hash)
{
  return (uint32_t)(((hash ^ hash >> 32) * SEGMENT_HASH_STEP) >> 32);
}

/* ---- Segments that occur more than once */

enum
{
  REPEATS_ATOMS_MAX = 16 /* the most atoms of a segment that is looked for */
};

/* An occurrence of a repeated segment.  */
struct repeat
{
  uint32_t start;   /* index of the cut where the segment begins */
  uint32_t pattern; /* number of its pattern */
};

/* What segments with equal hashes have in common.  */
struct pattern
{
  uint64_t hash;
  uint32_t n_uses; /* number of its segments; then partition.c's sharers */
  uint32_t bytes;  /* encoded size of the rows */
};

struct repeats
{
  /* List I has the occurrences of segments of I + 1 atoms, in ascending order,
     ended by one that starts at UINT32_MAX.  The last list is empty; owned. */
  struct repeat *of_atoms[REPEATS_ATOMS_MAX + 1];
  struct pattern *patterns; /* also those of a single segment; owned */
  size_t n_patterns, capacity;
};

struct repeats_input
{
  const struct numbered_row *rows; /* of all runs */
  const struct cut *cuts;          /* N_CUTS, and one behind all rows */
  size_t n_cuts;
  unsigned atoms_max; /* of a segment; at most REPEATS_ATOMS_MAX */
  uint32_t rows_max;  /* of a segment of several atoms */
};

/* Find the segments that occur more than once.  Only hashes are compared, so a
   caller that stores one segment in place of another has to compare the rows.
   A few segments can be missed (struct table).  REPEATS is to be freed in any
   case.  False when memory ran out.  */
bool repeats_find (struct repeats *repeats, const struct repeats_input *input);
void repeats_free (struct repeats *repeats);

#endif /* SFRAME_SEGMENTS_H */
