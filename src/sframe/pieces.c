/* Which ranges of rows become FDEs, so that the section is small.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "sframe/pieces.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/search.h"
#include "base/table.h"
#include "sframe/partition.h"
#include "sframe/piece_writer.h"
#include "sframe/repeats.h"
#include "sframe/rule_table.h"
#include "sframe/segments.h"

enum
{
  /* Prologues and epilogues are short rows; functions differ in the long rows
     between them.  An FDE's size says how long its last row lasts, so that
     blocks are equal whatever that length is: a piece ends with a row of so
     many bytes or more, or after so many shorter ones.  */
  LONG_ROW = 6,
  SHORT_ROWS_MAX = 12,
  /* Real programs have a place to cut in a hundred bytes of the file.  Behind
     as many cuts as one in so many bytes of rows_max, which is about the
     file's size, nothing is cut: a cut takes some 200 bytes of memory.  */
  BYTES_PER_CUT = 32,
  /* Readers scan an FDE's rows one by one.  Inside a function, which would be
     one FDE otherwise, any number of rows is an improvement.  Across
     functions, FDEs of more rows make the section smaller and lookups slower
     (arch.h, rows_max_across).  */
  ROWS_MAX_INSIDE = SFRAME_V3_FRES_MAX,
  /* Of repeated segments; more of them, and more passes, gain little.  */
  ATOMS_INSIDE = 4,
  PASSES_INSIDE = 1,
  ATOMS_ACROSS = REPEATS_ATOMS_MAX,
  PASSES_ACROSS = 3,
  ROW_BYTES_MIN = 3 /* start, info byte and one word */
};

struct pieces
{
  struct encode_options encode;
  struct pieces_options options;
  const struct rule_table *rules;
  struct numbered_row *rows; /* of all runs */
  size_t n_rows, rows_capacity;
  struct run *runs; /* with room for one more */
  size_t n_runs, runs_capacity;
  struct occurrence *occurrences; /* ascending addresses */
  size_t n_occurrences, occurrences_capacity;
  /* If true, each distinct function is a run, with an occurrence for each
     function that has these rows.  Otherwise the rows of all functions are
     there, one after the other, and `functions' says where they begin.  */
  bool distinct;
  struct table runs_by_rows;
  uint32_t *functions;
  size_t n_functions, functions_capacity;
  uint64_t taken; /* bytes of rows, repeated or not */
  bool separate;  /* the next function begins a run */

  /* Once all are there.  */
  struct cut *cuts;
  size_t n_cuts, cuts_capacity;
  uint64_t cuts_max; /* functions begin with a cut beyond that, too */
  struct piece *pieces;
  size_t n_pieces;
};

/* What ARRAY_ROOM says, for elements that have 32-bit numbers.  */
#define NUMBERED_ROOM(array, wanted, capacity) \
  ((wanted) < UINT32_MAX && ARRAY_ROOM (array, wanted, capacity))

/* Make room for the expected rows, runs and occurrences: growing arrays would
   be copied again and again.  Memory that is not used is never touched.  */
static bool
reserve (struct pieces *pieces)
{
  size_t n = pieces->encode.n_expected;
  size_t n_rows = pieces->encode.rows_expected / ROW_BYTES_MIN;
  return ARRAY_ROOM (pieces->rows, 2 * n_rows, &pieces->rows_capacity)
         && ARRAY_ROOM (pieces->runs, n + 1, &pieces->runs_capacity)
         && ARRAY_ROOM (pieces->occurrences, n, &pieces->occurrences_capacity);
}

struct pieces *
pieces_new (const struct encode_options *encode,
            const struct pieces_options *options,
            const struct rule_table *rules)
{
  struct pieces *pieces = calloc (1, sizeof *pieces);
  if (pieces == NULL)
    return NULL;
  pieces->encode = *encode;
  pieces->options = *options;
  pieces->rules = rules;
  pieces->options.cut = options->cut && encode->share;
  pieces->distinct = !options->across && encode->share;
  pieces->cuts_max
      = encode->rows_max ? encode->rows_max / BYTES_PER_CUT : UINT64_MAX;
  pieces->separate = true;
  if (table_init (&pieces->runs_by_rows, encode->n_expected)
      && reserve (pieces))
    return pieces;
  pieces_free (pieces);
  return NULL;
}

void
pieces_free (struct pieces *pieces)
{
  if (pieces == NULL)
    return;
  table_free (&pieces->runs_by_rows);
  free (pieces->rows);
  free (pieces->runs);
  free (pieces->occurrences);
  free (pieces->functions);
  free (pieces->cuts);
  free (pieces->pieces);
  free (pieces);
}

/* Taking functions in.  */

/* Append the N_ROWS rows in ROWS, for which there is room, as those of a
   function that begins where starts are ORIGIN; the first row holds there.
   *BYTES is what they take in a section, at least.  False when they are not in
   order.  */
static bool
append_rows (struct pieces *pieces, const struct numbered_row *rows,
             size_t n_rows, uint32_t origin, uint64_t *bytes)
{
  const struct rule *rules = pieces->rules->rules;
  struct numbered_row *out = &pieces->rows[pieces->n_rows];
  uint32_t rule = rows[0].rule & ROW_RULE, last = 0;
  uint64_t sum = n_rows + rules[rule].bytes;
  bool in_order = true;
  out[0] = (struct numbered_row){ 0, rule | ROW_BEGINS };
  for (size_t i = 1; i < n_rows; i++)
    {
      uint32_t start = rows[i].start - origin;
      rule = rows[i].rule & ROW_RULE;
      out[i] = (struct numbered_row){ start, rule };
      in_order &= start > last;
      last = start;
      sum += rules[rule].bytes;
    }
  *bytes = sum;
  pieces->n_rows += n_rows;
  return in_order;
}

static bool
account (struct pieces *pieces, uint64_t bytes, struct error *err)
{
  pieces->taken += bytes;
  return sframe_rows_are_reasonable (&pieces->encode, pieces->taken, err);
}

static inline bool
append_occurrence (struct pieces *pieces, uint64_t address, uint32_t size,
                   uint32_t run)
{
  if (!NUMBERED_ROOM (pieces->occurrences, pieces->n_occurrences + 1,
                      &pieces->occurrences_capacity))
    return false;
  pieces->occurrences[pieces->n_occurrences++]
      = (struct occurrence){ address, size, run };
  pieces->runs[run].n_occurrences++;
  return true;
}

/* A run that begins with row number FIRST_ROW and has BYTES so far.  */
static inline bool
append_run (struct pieces *pieces, size_t first_row, uint64_t bytes)
{
  if (!NUMBERED_ROOM (pieces->runs, pieces->n_runs + 2,
                      &pieces->runs_capacity))
    return false;
  pieces->runs[pieces->n_runs++]
      = (struct run){ .first_row = (uint32_t)first_row, .bytes = bytes };
  return true;
}

/* Distinct functions.  */

/* Whether the run has the N_ROWS rows that begin with number FIRST_ROW.  */
static bool
run_has_rows (const struct pieces *pieces, uint32_t run, size_t first_row,
              size_t n_rows)
{
  size_t own = pieces->runs[run].first_row;
  size_t end
      = run + 1 < pieces->n_runs ? pieces->runs[run + 1].first_row : first_row;
  return end - own == n_rows
         && memcmp (&pieces->rows[own], &pieces->rows[first_row],
                    n_rows * sizeof *pieces->rows)
                == 0;
}

/* The rows from FIRST_ROW on are new.  Find the run that has them already,
   or make one of them.  */
static bool
settle_run (struct pieces *pieces, size_t first_row, uint64_t bytes,
            uint32_t *run)
{
  uint32_t hash
      = hash_for_table ((const uint8_t *)&pieces->rows[first_row],
                        (pieces->n_rows - first_row) * sizeof *pieces->rows);
  struct table_walk walk = { .hash = hash };
  while (table_next (&pieces->runs_by_rows, &walk, run))
    if (run_has_rows (pieces, *run, first_row, pieces->n_rows - first_row))
      {
        pieces->n_rows = first_row;
        return true;
      }
  *run = (uint32_t)pieces->n_runs;
  if (!append_run (pieces, first_row, bytes))
    return false;
  table_insert (&pieces->runs_by_rows, hash, *run);
  return true;
}

/* Functions in a row.  */

/* Whether a function at ADDRESS with the last rows, from FIRST_ROW on,
   can be in the run before it.  */
static bool
can_join (const struct pieces *pieces, size_t first_row, uint64_t address,
          uint32_t size)
{
  if (!pieces->options.across || pieces->separate
      || pieces->n_occurrences == 0)
    return false;
  const struct occurrence *last
      = &pieces->occurrences[pieces->n_occurrences - 1];
  return last->address + last->size == address
         && rule_table_can_join (pieces->rules,
                                 pieces->rows[first_row - 1].rule & ROW_RULE,
                                 pieces->rows[first_row].rule & ROW_RULE)
         && address + size - last->address <= UINT32_MAX;
}

/* Put the new rows, those from FIRST_ROW on, behind those that are there.  */
static bool
settle_in_order (struct pieces *pieces, size_t first_row, uint64_t address,
                 uint32_t size, uint64_t bytes)
{
  if (!NUMBERED_ROOM (pieces->functions, pieces->n_functions + 1,
                      &pieces->functions_capacity))
    return false;
  pieces->functions[pieces->n_functions++] = (uint32_t)first_row;
  if (!can_join (pieces, first_row, address, size))
    {
      pieces->separate = false;
      return append_run (pieces, first_row, bytes)
             && append_occurrence (pieces, address, size,
                                   (uint32_t)pieces->n_runs - 1);
    }
  struct occurrence *occurrence
      = &pieces->occurrences[pieces->n_occurrences - 1];
  struct numbered_row *row = &pieces->rows[first_row];
  if (((row[-1].rule ^ row->rule) & ROW_RULE) == 0)
    row->rule |= ROW_CONTINUES;
  for (; row < &pieces->rows[pieces->n_rows]; row++)
    row->start += occurrence->size;
  occurrence->size += size;
  pieces->runs[occurrence->run].bytes += bytes;
  return true;
}

/* Whether the rows, if they ascend, are what the encoder takes.  */
static bool
rows_fit (const struct pieces *pieces,
          const struct numbered_function *function)
{
  const struct numbered_row *rows = function->rows;
  size_t n = function->n_rows;
  if (n == 0 || rows[0].start != 0)
    return false;
  uint32_t repeat = rule_table_repeat (pieces->rules, rows[0].rule);
  return rows[n - 1].start < (repeat != 0 ? repeat : function->size);
}

/* The rows from FIRST_ROW on, of BYTES, are new: those of a function of SIZE
   bytes at ADDRESS.  */
static bool
settle (struct pieces *pieces, size_t first_row, uint64_t address,
        uint32_t size, uint64_t bytes)
{
  uint32_t run;
  return pieces->distinct
             ? settle_run (pieces, first_row, bytes, &run)
                   && append_occurrence (pieces, address, size, run)
             : settle_in_order (pieces, first_row, address, size, bytes);
}

bool
pieces_add (struct pieces *pieces, const struct numbered_function *function,
            struct error *err)
{
  size_t first_row = pieces->n_rows;
  uint64_t bytes;
  if (!NUMBERED_ROOM (pieces->rows, first_row + function->n_rows,
                      &pieces->rows_capacity))
    return error_set_no_memory (err);
  if (!rows_fit (pieces, function)
      || !append_rows (pieces, function->rows, function->n_rows, 0, &bytes))
    return sframe_rows_unwritable (function->address, err);
  return account (pieces, bytes, err)
         && (settle (pieces, first_row, function->address, function->size,
                     bytes)
             || error_set_no_memory (err));
}

/* The rows of function number INDEX are those from *FIRST to *END.  */
static void
find_rows (const struct pieces *pieces, size_t index, size_t *first,
           size_t *end)
{
  *end = pieces->n_rows;
  if (pieces->distinct)
    {
      uint32_t run = pieces->occurrences[index].run;
      *first = pieces->runs[run].first_row;
      if (run + 1 < pieces->n_runs)
        *end = pieces->runs[run + 1].first_row;
      return;
    }
  *first = pieces->functions[index];
  if (index + 1 < pieces->n_functions)
    *end = pieces->functions[index + 1];
}

/* Append those of the rows from number FIRST to END once more that hold in
   SIZE bytes of their function from its byte BEGIN on.  */
static bool
copy_rows (struct pieces *pieces, size_t first, size_t end, uint32_t begin,
           uint32_t size, uint64_t *bytes)
{
  const struct numbered_row *rows = &pieces->rows[first];
  uint32_t origin = rows->start + begin;
  size_t n = SEARCH_FIRST (end - first, i,
                           rows[i].start - origin >= size
                               && rows[i].start > origin);
  size_t skipped = SEARCH_FIRST (n, i, rows[i].start > origin) - 1;
  return NUMBERED_ROOM (pieces->rows, pieces->n_rows + n - skipped,
                        &pieces->rows_capacity)
         && append_rows (pieces, &pieces->rows[first + skipped], n - skipped,
                         origin, bytes);
}

bool
pieces_repeat (struct pieces *pieces, size_t index, uint32_t begin,
               uint64_t address, uint32_t size, struct error *err)
{
  size_t first_row = pieces->n_rows, first, end;
  uint64_t bytes;
  bool done;
  find_rows (pieces, index, &first, &end);
  if (pieces->distinct && begin == 0 && pieces->rows[end - 1].start < size)
    {
      uint32_t run = pieces->occurrences[index].run;
      bytes = pieces->runs[run].bytes;
      done = append_occurrence (pieces, address, size, run);
    }
  else
    done = copy_rows (pieces, first, end, begin, size, &bytes)
           && settle (pieces, first_row, address, size, bytes);
  return done ? account (pieces, bytes, err) : error_set_no_memory (err);
}

size_t
pieces_n_functions (const struct pieces *pieces)
{
  return pieces->distinct ? pieces->n_occurrences : pieces->n_functions;
}

void
pieces_separate (struct pieces *pieces)
{
  pieces->separate = true;
}

/* Cuts.  */

/* The next row behind ROW of a run that an FDE may begin with; END, behind the
   run, if there is none.  */
static const struct numbered_row *
next_beginning (const struct pieces *pieces, const struct numbered_row *row,
                const struct numbered_row *end)
{
  bool inside = pieces->options.cut && pieces->n_cuts < pieces->cuts_max;
  uint32_t long_row = inside ? LONG_ROW : UINT32_MAX;
  if (inside && end - row > SHORT_ROWS_MAX)
    end = row + SHORT_ROWS_MAX;
  do
    row++;
  while (row < end && !(row->rule & ROW_BEGINS)
         && row->start - row[-1].start < long_row);
  return row;
}

static inline bool
append_cut (struct pieces *pieces, const struct cut *cut)
{
  if (!NUMBERED_ROOM (pieces->cuts, pieces->n_cuts + 1,
                      &pieces->cuts_capacity))
    return false;
  pieces->cuts[pieces->n_cuts++] = *cut;
  return true;
}

/* Whether another index entry for each occurrence of RUN takes as many bytes
   as the rows of RUN.  */
static bool
stays_whole (const struct pieces *pieces, const struct run *run)
{
  return pieces->distinct
         && run->bytes
                <= (uint64_t)run->n_occurrences
                       * sframe_fde_size (pieces->encode.variant.version);
}

/* Move CUT over the rows from ROW to END of a run that begins at address
   BEGIN: behind them, but with the last one's address.  */
static void
pass_rows (const struct rule *rules, const struct numbered_row *row,
           const struct numbered_row *end, uint64_t begin, struct cut *cut)
{
  uint64_t written = cut->address - cut->back; /* the last row that is */
  uint64_t bytes = 0;
  uint32_t n_rows = 0;
  for (; row < end; row++)
    if (!(row->rule & ROW_CONTINUES))
      {
        written = begin + row->start;
        bytes += rules[row->rule & ROW_RULE].bytes;
        n_rows++;
      }
  cut->bytes += bytes;
  cut->n_rows += n_rows;
  cut->address = begin + end[-1].start;
  cut->back = (uint32_t)(cut->address - written);
}

/* Make the cuts of RUN.  *SUMS is the cut in front of it, and becomes the one
   behind it.  */
static bool
cut_run (struct pieces *pieces, struct run *run, struct cut *sums)
{
  const struct rule *rules = pieces->rules->rules;
  const struct numbered_row *row = &pieces->rows[run->first_row];
  const struct numbered_row *end = &pieces->rows[run[1].first_row], *next;
  bool whole = stays_whole (pieces, run);
  struct cut cut = *sums;
  const uint64_t begin = cut.address;
  run->first_cut = (uint32_t)pieces->n_cuts;
  cut.begins_run = true;
  for (; row < end; row = next)
    {
      cut.back += (uint32_t)(begin + row->start - cut.address);
      cut.address = begin + row->start;
      cut.row = (uint32_t)(row - pieces->rows);
      cut.first_bytes
          = row->rule & ROW_CONTINUES ? rules[row->rule & ROW_RULE].bytes : 0;
      if (!append_cut (pieces, &cut))
        return false;
      cut.begins_run = false;
      next = whole ? end : next_beginning (pieces, row, end);
      pass_rows (rules, row, next, begin, &cut);
    }
  /* The next run begins behind the last row, however long that lasts.  */
  cut.address++;
  cut.back++;
  *sums = cut;
  return true;
}

/* Make all cuts, and a run and a cut behind them all.  */
static bool
cut_all (struct pieces *pieces)
{
  struct cut sums = { 0 };
  /* Each cut begins with a row, and one is behind them all.  */
  if (!ARRAY_ROOM (pieces->cuts, pieces->n_rows + 1, &pieces->cuts_capacity)
      || !append_run (pieces, pieces->n_rows, 0))
    return false;
  size_t n_runs = --pieces->n_runs;
  for (size_t i = 0; i < n_runs; i++)
    if (!cut_run (pieces, &pieces->runs[i], &sums))
      return false;
  pieces->runs[n_runs].first_cut = (uint32_t)pieces->n_cuts;
  sums.row = (uint32_t)pieces->n_rows;
  sums.first_bytes = 0;
  sums.begins_run = true;
  if (!append_cut (pieces, &sums))
    return false;
  pieces->n_cuts--;
  return true;
}

/* Choosing.  */

/* How thorough the search is: atoms of repeated segments, and passes.  */
struct effort
{
  unsigned atoms_max, passes;
};

static struct effort
effort_for (const struct pieces *pieces)
{
  if (!pieces->encode.share)
    return (struct effort){ 0, 1 };
  if (pieces->options.across)
    return (struct effort){ ATOMS_ACROSS, PASSES_ACROSS };
  if (pieces->options.cut)
    return (struct effort){ ATOMS_INSIDE, PASSES_INSIDE };
  return (struct effort){ 0, 1 }; /* nothing to choose */
}

static uint32_t
rows_max (const struct pieces *pieces)
{
  if (!pieces->options.across)
    return ROWS_MAX_INSIDE;
  return pieces->encode.arch->rows_max_across;
}

static bool
choose (struct pieces *pieces)
{
  struct effort effort = effort_for (pieces);
  struct repeats repeats;
  const struct repeats_input input = { .rows = pieces->rows,
                                       .cuts = pieces->cuts,
                                       .n_cuts = pieces->n_cuts,
                                       .atoms_max = effort.atoms_max,
                                       .rows_max = rows_max (pieces) };
  struct partition_input partition = { .runs = pieces->runs,
                                       .n_runs = pieces->n_runs,
                                       .cuts = pieces->cuts,
                                       .n_cuts = pieces->n_cuts,
                                       .repeats = &repeats,
                                       .rows_max = input.rows_max,
                                       .passes = effort.passes };
  partition.entry_cost = sframe_fde_size (pieces->encode.variant.version);
  if (pieces->encode.variant.version >= 3)
    partition.attribute_cost = SFRAME_V3_ATTRIBUTE_SIZE;
  if (repeats_find (&repeats, &input))
    pieces->pieces = partition_make (&partition, &pieces->n_pieces);
  repeats_free (&repeats);
  return pieces->pieces != NULL;
}

bool
pieces_finish (struct pieces *pieces, struct sframe_encoder *encoder,
               struct error *err)
{
  if (!cut_all (pieces) || !choose (pieces))
    return error_set_no_memory (err);
  const struct chosen_pieces chosen = { .rules = pieces->rules,
                                        .rows = pieces->rows,
                                        .runs = pieces->runs,
                                        .cuts = pieces->cuts,
                                        .pieces = pieces->pieces,
                                        .n_pieces = pieces->n_pieces,
                                        .occurrences = pieces->occurrences,
                                        .n_occurrences = pieces->n_occurrences,
                                        .share = pieces->encode.share };
  return pieces_write (&chosen, encoder, err);
}
