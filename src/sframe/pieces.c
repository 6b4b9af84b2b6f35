/* From the rows of functions to FDEs, so that the section is small.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "sframe/pieces.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/search.h"
#include "base/table.h"
#include "sframe/partition.h"

enum
{
  /* A limit for the memory of cuts, of which each takes about 200 bytes: one
     for this many bytes of rows_max, which is about the file's size.  Real
     programs have one cut in a hundred bytes of the file.  */
  BYTES_PER_CUT = 32,
  /* The most rows of an FDE that is a part of a function.  Readers scan the
     rows of an FDE one by one, and the whole function would have even more.
     An FDE of several functions has a lower limit (rows_max_across in arch.h):
     more rows would make the section smaller, but lookups slower.  */
  ROWS_MAX_INSIDE = SFRAME_V3_FRES_MAX,
  /* The most atoms of a repeated segment, and the passes of the choice.  More
     atoms or more passes gain little.  */
  ATOMS_INSIDE = 4,
  ATOMS_ACROSS = REPEATS_ATOMS_MAX,
  PASSES_ACROSS = 3,
  ROW_BYTES_MIN = 3 /* start, info byte and one word */
};

/* A place of a run: code that its rows apply to.  */
struct occurrence
{
  uint64_t address;
  uint32_t size; /* bytes of code */
  uint32_t run;
};

struct pieces
{
  struct encode_options encode;
  struct pieces_options options;
  const struct rule_table *rules;
  struct numbered_row *rows; /* of all runs */
  size_t n_rows, rows_capacity;
  struct run *runs; /* with `distinct' one more ends the last one */
  size_t n_runs, runs_capacity;
  struct occurrence *occurrences; /* ascending addresses */
  size_t n_occurrences, occurrences_capacity;
  /* If true, a run is a function, and has an occurrence for each function with
     these rows.  Otherwise `rows' has the rows of every function, one function
     after the other.  */
  bool distinct;
  struct table runs_by_rows; /* with `distinct' */
  uint32_t *functions;       /* without `distinct': first rows, and the end */
  size_t n_functions, functions_capacity;
  uint64_t rows_bytes;        /* bytes of all rows, also of repeated ones */
  bool separate;              /* the next function begins a run */
  struct partition partition; /* made after the last function */
};

/* ARRAY_ROOM for elements with 32-bit indices.  */
#define NUMBERED_ROOM(array, wanted, capacity) \
  ((wanted) < UINT32_MAX && ARRAY_ROOM (array, wanted, capacity))

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
  pieces->separate = true;
  /* Arrays that grow are copied again and again; unused pages cost nothing. */
  size_t n = encode->n_expected,
         n_rows = encode->rows_expected / ROW_BYTES_MIN;
  if (table_init (&pieces->runs_by_rows, n)
      && ARRAY_ROOM (pieces->rows, 2 * n_rows, &pieces->rows_capacity)
      && ARRAY_ROOM (pieces->runs, n + 1, &pieces->runs_capacity)
      && ARRAY_ROOM (pieces->occurrences, n, &pieces->occurrences_capacity))
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
  partition_free (&pieces->partition);
  free (pieces);
}

/* ---- Adding functions */

/* Append the N_ROWS rows in ROWS, for which there is room, as the rows of a
   function.  ORIGIN is the start, as ROWS count it, where the function begins.
   The first row applies there.  *BYTES becomes the encoded size of the rows if
   their starts have one byte, which is the least.  False when the rows are not
   in ascending order.  */
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

/* Count BYTES of rows.  False when there are unreasonably many.  */
static bool
account (struct pieces *pieces, uint64_t bytes, struct error *err)
{
  pieces->rows_bytes += bytes;
  return sframe_rows_are_reasonable (&pieces->encode, pieces->rows_bytes, err);
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

/* Append a run with BYTES of rows so far, which are the last ones, from number
   FIRST_ROW on.  */
static inline bool
append_run (struct pieces *pieces, size_t first_row, uint64_t bytes)
{
  if (!NUMBERED_ROOM (pieces->runs, pieces->n_runs + 2,
                      &pieces->runs_capacity))
    return false;
  pieces->runs[pieces->n_runs++]
      = (struct run){ .first_row = (uint32_t)first_row, .bytes = bytes };
  pieces->runs[pieces->n_runs].first_row = (uint32_t)pieces->n_rows;
  return true;
}

/* ---- Distinct functions */

/* Set *RUN to the run of the rows that were appended last, from FIRST_ROW on.
   If an earlier run with equal rows is found, it is that run, and the appended
   rows are removed.  Otherwise it is a new one.  */
static bool
find_or_add_run (struct pieces *pieces, size_t first_row, uint64_t bytes,
                 uint32_t *run)
{
  const struct numbered_row *rows = &pieces->rows[first_row];
  const size_t size = (pieces->n_rows - first_row) * sizeof *rows;
  uint32_t hash = hash_for_table ((const uint8_t *)rows, size);
  struct table_walk walk = { .hash = hash };
  while (table_next (&pieces->runs_by_rows, &walk, run))
    {
      const struct run *own = &pieces->runs[*run];
      if ((own[1].first_row - own->first_row) * sizeof *rows == size
          && memcmp (&pieces->rows[own->first_row], rows, size) == 0)
        {
          pieces->n_rows = first_row;
          return true;
        }
    }
  *run = (uint32_t)pieces->n_runs;
  if (!append_run (pieces, first_row, bytes))
    return false;
  table_insert (&pieces->runs_by_rows, hash, *run);
  return true;
}

/* ---- Functions that adjoin */

/* Whether the function of SIZE bytes at ADDRESS, whose rows are the last ones,
   from FIRST_ROW on, can be in the same run as the function before it.  */
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

/* Add the function of SIZE bytes at ADDRESS, whose rows are the last ones,
   from FIRST_ROW on, to the last run, or let it begin a run.  */
static bool
extend_run (struct pieces *pieces, size_t first_row, uint64_t address,
            uint32_t size, uint64_t bytes)
{
  if (!NUMBERED_ROOM (pieces->functions, pieces->n_functions + 2,
                      &pieces->functions_capacity))
    return false;
  pieces->functions[pieces->n_functions++] = (uint32_t)first_row;
  pieces->functions[pieces->n_functions] = (uint32_t)pieces->n_rows;
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

/* Whether the encoder accepts the rows of FUNCTION, if they ascend.  */
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

/* Add a function.  Its rows, of BYTES, are the last ones from FIRST_ROW on. */
static bool
add_function (struct pieces *pieces, size_t first_row, uint64_t address,
              uint32_t size, uint64_t bytes)
{
  uint32_t run;
  return pieces->distinct
             ? find_or_add_run (pieces, first_row, bytes, &run)
                   && append_occurrence (pieces, address, size, run)
             : extend_run (pieces, first_row, address, size, bytes);
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
         && (add_function (pieces, first_row, function->address,
                           function->size, bytes)
             || error_set_no_memory (err));
}

/* Append copies of a function's rows, from number FIRST to END, that apply to
   its SIZE bytes from BEGIN on.  *BYTES becomes their encoded size.  */
static bool
copy_rows (struct pieces *pieces, size_t first, size_t end, uint32_t begin,
           uint32_t size, uint64_t *bytes)
{
  const struct numbered_row *rows = &pieces->rows[first];
  /* The copy may be longer than the function, so this can exceed 32 bits.  */
  uint64_t origin = (uint64_t)rows->start + begin;
  size_t n = SEARCH_FIRST (end - first, i, rows[i].start >= origin + size);
  size_t skipped = SEARCH_FIRST (n, i, rows[i].start > origin) - 1;
  return NUMBERED_ROOM (pieces->rows, pieces->n_rows + n - skipped,
                        &pieces->rows_capacity)
         && append_rows (pieces, &pieces->rows[first + skipped], n - skipped,
                         (uint32_t)origin, bytes);
}

/* Set *FIRST and *END to the range of the rows of function number INDEX.  */
static void
find_rows (const struct pieces *pieces, size_t index, size_t *first,
           size_t *end)
{
  if (pieces->distinct)
    {
      const struct run *run = &pieces->runs[pieces->occurrences[index].run];
      *first = run->first_row;
      *end = run[1].first_row;
    }
  else
    {
      *first = pieces->functions[index];
      *end = pieces->functions[index + 1];
    }
}

bool
pieces_repeat (struct pieces *pieces, size_t index, uint32_t begin,
               uint64_t address, uint32_t size, struct error *err)
{
  const size_t first_row = pieces->n_rows;
  size_t first, end;
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
           && add_function (pieces, first_row, address, size, bytes);
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

/* ---- Adding the pieces to the encoder

   The first of equal pieces is encoded, and the others share its rows.  */

struct piece_writer
{
  struct pieces *from;
  struct sframe_encoder *encoder;
  struct table encoded;    /* finds encoded pieces by their hashes */
  struct sframe_row *rows; /* of the piece that is being encoded; owned */
  size_t rows_capacity;
};

/* Whether PIECE and OTHER have the same rules at the same distances.  Their
   last rows end where their FDEs end.  */
static bool
have_equal_rows (const struct pieces *from, const struct piece *piece,
                 const struct piece *other)
{
  const struct numbered_row *a = &from->rows[piece->first_row];
  const struct numbered_row *b = &from->rows[other->first_row];
  const struct numbered_row *a_end = &from->rows[piece[1].first_row];
  const struct numbered_row *b_end = &from->rows[other[1].first_row];
  uint32_t distance = a->start - b->start;
  while (a < a_end && b < b_end && a->start - b->start == distance
         && ((a->rule ^ b->rule) & ROW_RULE) == 0)
    {
      a = numbered_row_next (a, a_end);
      b = numbered_row_next (b, b_end);
    }
  return a == a_end && b == b_end;
}

/* Set piece->number, if a piece with equal rows has been encoded.  */
static bool
find_encoded (const struct piece_writer *writer, struct piece *piece)
{
  const struct pieces *from = writer->from;
  struct table_walk walk = { .hash = piece->hash };
  for (uint32_t i;
       from->encode.share && table_next (&writer->encoded, &walk, &i);)
    if (have_equal_rows (from, &from->partition.pieces[i], piece))
      {
        piece->number = from->partition.pieces[i].number;
        return true;
      }
  return false;
}

/* Add an FDE of SIZE bytes at ADDRESS for PIECE.  */
static bool
add_fde (struct piece_writer *writer, struct piece *piece, uint64_t address,
         uint32_t size, struct error *err)
{
  if (piece->number != NOT_ENCODED || find_encoded (writer, piece))
    return sframe_encoder_repeat (writer->encoder, piece->number, address,
                                  size, err);
  const struct pieces *from = writer->from;
  const uint32_t first = piece->first_row, end = piece[1].first_row;
  if (!ARRAY_ROOM (writer->rows, end - first, &writer->rows_capacity))
    return error_set_no_memory (err);
  piece->number = (uint32_t)sframe_encoder_n_functions (writer->encoder);
  table_insert (&writer->encoded, piece->hash,
                (uint32_t)(piece - from->partition.pieces));
  const struct sframe_fde function
      = rule_table_expand (from->rules, address, size, &from->rows[first],
                           &from->rows[end], writer->rows);
  return sframe_encoder_add (writer->encoder, &function, err);
}

/* Add an FDE for each piece of OCCURRENCE.  */
static bool
add_fdes (struct piece_writer *writer, const struct occurrence *occurrence,
          struct error *err)
{
  const struct pieces *from = writer->from;
  const struct run *run = &from->runs[occurrence->run];
  struct piece *piece = &from->partition.pieces[run->first_piece];
  struct piece *end = &from->partition.pieces[run[1].first_piece];
  for (; piece < end; piece++)
    {
      uint32_t begins = from->rows[piece->first_row].start;
      uint32_t ends = piece + 1 < end ? from->rows[piece[1].first_row].start
                                      : occurrence->size;
      if (!add_fde (writer, piece, occurrence->address + begins, ends - begins,
                    err))
        return false;
    }
  return true;
}

bool
pieces_finish (struct pieces *pieces, struct sframe_encoder *encoder,
               struct error *err)
{
  const struct encode_options *encode = &pieces->encode;
  const bool across = pieces->options.across, inside = pieces->options.cut;
  const struct partition_input input = {
    .rules = pieces->rules,
    .rows = pieces->rows,
    .n_rows = pieces->n_rows,
    .runs = pieces->runs,
    .n_runs = pieces->n_runs,
    .inside = inside,
    .distinct = pieces->distinct,
    .cuts_max
    = encode->rows_max ? encode->rows_max / BYTES_PER_CUT : UINT64_MAX,
    .entry_cost = sframe_fde_size (encode->variant.version),
    .attribute_cost
    = encode->variant.version >= 3 ? SFRAME_V3_ATTRIBUTE_SIZE : 0,
    .atoms_max = !encode->share ? 0
                 : across       ? ATOMS_ACROSS
                 : inside       ? ATOMS_INSIDE
                                : 0,
    .rows_max = across ? encode->arch->rows_max_across : ROWS_MAX_INSIDE,
    .passes = encode->share && across ? PASSES_ACROSS : 1,
  };
  struct piece_writer writer = { .from = pieces, .encoder = encoder };
  bool done = partition_make (&pieces->partition, &input)
              && table_init (&writer.encoded, pieces->partition.n_pieces / 2);
  if (!done)
    error_set_no_memory (err);
  for (size_t i = 0; done && i < pieces->n_occurrences; i++)
    done = add_fdes (&writer, &pieces->occurrences[i], err);
  table_free (&writer.encoded);
  free (writer.rows);
  return done;
}
