/* Runs of rows, and the cheapest way to cut them into pieces.
   SPDX-License-Identifier: LGPL-2.1-or-later

   All rows of a section stand in one sequence, in runs; within a run, rows
   follow each other without a gap, and their starts count from its first one.
   Rules have flags besides their numbers.  A segment is a stretch of a run's
   rows from one cut to another: a candidate for an FDE.  The shortest, from a
   cut to the next, are called atoms.  A piece is a segment that was chosen.

   A piece costs its index entry and its block of rows; a block that several
   pieces use is paid by all of them together.  How many pieces use a block is
   not known before the pieces are chosen.  They are therefore chosen several
   times: at first every occurrence of a segment counts as a use, later those
   occurrences that were chosen the time before.  */

#ifndef SFRAME_PARTITION_H
#define SFRAME_PARTITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sframe/rule_table.h"

/* A function begins with this row.  */
#define ROW_BEGINS UINT32_C (0x40000000)

/* A place where an FDE may begin, and the FDE before it end.  Numbers and
   bytes of rows leave out each row that continues the row before.  Such a row
   is written only as the first of a segment, because there no row is before
   it.  */
struct cut
{
  uint64_t address; /* ascends from cut to cut; in a run, by bytes of code */
  uint64_t bytes;   /* of the rows in front, without the rows' starts */
  uint32_t back;    /* bytes of code from the last row in front to the cut */
  uint32_t row;     /* index of the first row behind the cut */
  uint32_t n_rows;  /* in front of the cut */
  uint32_t begins_run : 1;
  uint32_t first_bytes : 31; /* of the row behind, if it continues; or 0 */
};

enum
{
  REPEATS_ATOMS_MAX = 16 /* in a segment that is looked for */
};

/* Rows that follow each other, at one or several places.  */
struct run
{
  uint32_t first_row;
  uint32_t first_cut; /* the run ends where the next one begins */
  uint32_t n_occurrences;
  uint32_t first_piece; /* likewise; filled in last */
  uint64_t bytes;       /* of the rows in a section, at least */
};

struct piece
{
  uint32_t begin, end; /* numbers of cuts */
  uint32_t hash;       /* segment_hash_for_table */
};

struct partition_input
{
  const struct rule_table *rules;
  const struct numbered_row *rows; /* of all runs */
  size_t n_rows;
  struct run *runs; /* with room for one behind them, which is filled in */
  size_t n_runs;
  bool inside;       /* pieces may begin inside functions */
  bool distinct;     /* a run is a function, wherever it occurs */
  uint64_t cuts_max; /* functions begin with a cut beyond that, too */
  unsigned entry_cost, attribute_cost; /* of an FDE and of a block, in bytes */
  unsigned atoms_max; /* of segments that repeat, REPEATS_ATOMS_MAX at most; 0:
                         none is looked for */
  uint32_t rows_max;  /* in a piece of several atoms */
  unsigned passes;    /* at least 1 */
};

struct partition
{
  struct cut *cuts; /* owned; N_CUTS and one behind all rows */
  size_t n_cuts;
  struct piece *pieces; /* owned; of all runs, in ascending order */
  size_t n_pieces;
};

/* Choose the pieces.  PARTITION is to be freed in any case.  False when memory
   ran out.  */
bool partition_make (struct partition *partition,
                     const struct partition_input *input);
void partition_free (struct partition *partition);

/* ---- For partition.c and its tests alone */

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

/* The hash of a segment is a polynomial of its rows, first row first, in which
   each start counts from the segment's first row.  So what further rows add to
   a hash can be worked out without the rows before (struct segment_tail).  How
   long the last row lasts is in no hash, because it follows from the FDE's
   size.  */
#define SEGMENT_HASH_STEP UINT64_C (0x9e3779b97f4a7c15)
#define SEGMENT_HASH_RULE UINT64_C (0xd6e8feb86659fd93)
#define SEGMENT_HASH_START UINT64_C (0xa0761d6478bd642f)

/* HASH of the first rows of a segment, 0 if there are none, with one more:
   START counts from the segment's first row.  */
static inline uint64_t
segment_hash_add (uint64_t hash, uint32_t rule, uint32_t start)
{
  return hash * SEGMENT_HASH_STEP + rule * SEGMENT_HASH_RULE
         + start * SEGMENT_HASH_START;
}

/* What the rows of a segment that are written add to a hash as those behind
   other rows.  */
struct segment_tail
{
  uint64_t hash;  /* of these rows alone */
  uint64_t power; /* of the step, for as many rows */
  uint64_t sum;   /* of all lower powers */
};

/* The tail that the rows from BEGIN to END are.  */
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

/* HASH of a segment with TAIL behind it, DISTANCE bytes from the segment's
   first row.  */
static inline uint64_t
segment_hash_extend (uint64_t hash, const struct segment_tail *tail,
                     uint32_t distance)
{
  return hash * tail->power + tail->hash
         + distance * SEGMENT_HASH_START * tail->sum;
}

/* The hash of the segment of the rows that TAIL is made of; FIRST is the first
   one, which is written in any case.  */
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

/* Segments that occur more than once.  Those of one atom are counted first.  A
   segment with a beginning that occurs once occurs once as well, so only
   segments that repeat are extended by an atom and counted again, and so on:
   the work is proportional to the number of repetitions.  Segments are told
   apart by a hash; a caller that stores one in another's place has to compare
   the rows.  */

/* An occurrence of a segment, which begins at cut number START.  */
struct repeat
{
  uint32_t start;
  uint32_t kind; /* equal segments are of one kind */
};

struct repeat_kind
{
  uint64_t hash;
  uint32_t n_occurrences;
  uint32_t bytes; /* of its rows in a section */
};

struct repeats
{
  /* Occurrences of segments of n + 1 atoms in ascending order, and one with
     the start UINT32_MAX behind them.  The last list is empty.  Owned.  */
  struct repeat *of_atoms[REPEATS_ATOMS_MAX + 1];
  struct repeat_kind *kinds; /* owned */
  size_t n_kinds, capacity;
};

/* Find all repeated segments of PARTITION, whose cuts are made, as INPUT asks
   for.  REPEATS is to be freed in any case.  False when memory ran out.  */
bool repeats_find (struct repeats *repeats, const struct partition *partition,
                   const struct partition_input *input);
void repeats_free (struct repeats *repeats);

#endif /* SFRAME_PARTITION_H */
