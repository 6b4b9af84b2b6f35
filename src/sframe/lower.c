/* From frame rows to SFrame functions of one version and machine.
   SPDX-License-Identifier: LGPL-2.1-or-later

   What rules mean in SFrame is worked out once for all rows that have their
   number: the SFrame rule, in the default form and in the flexible one, or why
   there is none.  A function is flexible if one of its rows needs that form.
   The function's rows are then looked up one by one, and the function is split
   around the rows that cannot be expressed.  */

#include "sframe/lower.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum
{
  /* A PCMASK function costs its index entry; up to this many repetitions are
     smaller, or as small, written out.  */
  REPEATS_WRITTEN_OUT = 4,
  /* Longer runs that cannot be a PCMASK function exist in damaged files only,
     and are left out.  The longest .plt of Debian has 57,600 bytes.  */
  WRITTEN_OUT_MAX = 1 << 18,
  COLUMNS = 8 /* kinds of functions: flexible, signal frame, B key */
};

/* What the rules of a frame row are in SFrame.  */
struct meaning
{
  bool known;
  bool needs_flexible; /* it has a flexible form alone */
  /* Why it has no form, in default functions and in flexible ones.  */
  uint8_t reasons[2]; /* enum frame_reason */
  /* The SFrame rules for each kind of function, plus 1; 0: there is none, or
     it was not looked for.  */
  uint32_t rules[COLUMNS];
};

struct lowerer
{
  struct encode_options options;
  struct lower_sink sink;
  struct rule_table rules;   /* of the rows that come out */
  struct meaning *meanings;  /* owned; by the numbers of frame rows */
  size_t meanings_capacity;  /* zeroed as far as that */
  struct meaning unnumbered; /* of a row without number, or too high a one */

  /* One function.  */
  const struct frame_function *function;
  const struct return_places *places;
  size_t next_place; /* the first one not left out so far */
  struct error *err;
  bool flexible;
  unsigned column; /* its kind */

  /* The piece being made, and the range left out behind the latest one; both
     ends are offsets in the function.  */
  uint32_t piece_start;
  uint32_t out_start, out_end;
  enum frame_reason out_reason;
  struct numbered_row *rows; /* owned */
  size_t n_rows, rows_capacity;
};

struct lowerer *
lowerer_new (const struct encode_options *options,
             const struct lower_sink *sink)
{
  struct lowerer *lowerer = calloc (1, sizeof *lowerer);
  if (lowerer == NULL)
    return NULL;
  lowerer->options = *options;
  lowerer->sink = *sink;
  if (rule_table_init (&lowerer->rules, options))
    return lowerer;
  lowerer_free (lowerer);
  return NULL;
}

void
lowerer_free (struct lowerer *lowerer)
{
  if (lowerer == NULL)
    return;
  rule_table_free (&lowerer->rules);
  free (lowerer->meanings);
  free (lowerer->rows);
  free (lowerer);
}

const struct rule_table *
lowerer_rules (const struct lowerer *lowerer)
{
  return &lowerer->rules;
}

/* ---- What rules mean */

static bool
may_flex (const struct lowerer *lowerer)
{
  return lowerer->options.arch->flexible_fdes
         && lowerer->options.variant.version >= 3;
}

static struct meaning
work_out (const struct lowerer *lowerer, const struct frame_row *row)
{
  const struct encode_options *options = &lowerer->options;
  struct sframe_row unused;
  enum frame_reason as_default = row_lower (options, row, false, &unused);
  enum frame_reason as_flexible = row_lower (options, row, true, &unused);
  struct meaning meaning
      = { .known = true,
          .reasons = { (uint8_t)as_default, (uint8_t)as_flexible } };
  if (!may_flex (lowerer))
    return meaning;
  meaning.needs_flexible
      = as_default != REASON_NONE && as_flexible == REASON_NONE;
  if (row->cfa.kind == RULE_PLT) /* becomes rows of another kind */
    {
      struct frame_row made = *row;
      made.cfa
          = (struct frame_rule){ .kind = RULE_REG, .reg = options->arch->sp };
      meaning.needs_flexible
          = row_lower (options, &made, false, &unused) != REASON_NONE
            && row_lower (options, &made, true, &unused) == REASON_NONE;
    }
  /* A row that has a flexible form makes its function flexible.  This row was
     asked for in a default function, so the reason is why the flexible form is
     missing.  */
  if (as_default != REASON_NONE && as_flexible != REASON_NONE)
    meaning.reasons[0] = (uint8_t)as_flexible;
  return meaning;
}

/* Work out what the rules of ROW mean.  */
static struct meaning *
meaning_made (struct lowerer *lowerer, const struct frame_row *row)
{
  struct meaning *meaning = &lowerer->unnumbered;
  size_t before = lowerer->meanings_capacity;
  if (row->number != 0
      && ARRAY_ROOM (lowerer->meanings, (size_t)row->number + 1,
                     &lowerer->meanings_capacity))
    {
      if (lowerer->meanings_capacity > before)
        memset (&lowerer->meanings[before], 0,
                (lowerer->meanings_capacity - before) * sizeof *meaning);
      meaning = &lowerer->meanings[row->number];
    }
  *meaning = work_out (lowerer, row);
  return meaning;
}

/* What the rules of ROW mean; valid until the next question.  */
static inline struct meaning *
meaning_of (struct lowerer *lowerer, const struct frame_row *row)
{
  /* Number 0 is never known.  */
  return row->number < lowerer->meanings_capacity
                 && lowerer->meanings[row->number].known
             ? &lowerer->meanings[row->number]
             : meaning_made (lowerer, row);
}

/* Find the SFrame rule of ROW, which has one, in functions like the one at
   hand; REPEAT: as in struct sframe_fde.  */
static bool
find_rule (struct lowerer *lowerer, const struct frame_row *row,
           uint8_t repeat, uint32_t *rule)
{
  const struct sframe_fde flags = { .flexible = lowerer->flexible,
                                    .repeat = repeat,
                                    .signal = lowerer->function->signal,
                                    .b_key = lowerer->function->b_key };
  struct sframe_row out;
  row_lower (&lowerer->options, row, lowerer->flexible, &out);
  return rule_table_number (&lowerer->rules, rule_table_flags (&flags), &out,
                            rule)
         || error_set_no_memory (lowerer->err);
}

/* ---- Pieces */

static void
report_gap (struct lowerer *lowerer)
{
  if (lowerer->out_end > lowerer->out_start)
    lowerer->sink.left_out (
        lowerer->sink.context, lowerer->function->address + lowerer->out_start,
        lowerer->out_end - lowerer->out_start, lowerer->out_reason);
  lowerer->out_start = lowerer->out_end = 0;
}

/* Hand over the rows as a piece from piece_start to END.  */
static bool
flush (struct lowerer *lowerer, uint32_t end)
{
  if (lowerer->n_rows == 0)
    return true;
  report_gap (lowerer);
  struct numbered_function piece = {
    .address = lowerer->function->address + lowerer->piece_start,
    .size = end - lowerer->piece_start,
    .n_rows = lowerer->n_rows,
    .rows = lowerer->rows,
  };
  lowerer->n_rows = 0;
  return lowerer->sink.piece (lowerer->sink.context, &piece, lowerer->err);
}

static bool
leave_out (struct lowerer *lowerer, uint32_t start, uint32_t end,
           enum frame_reason reason)
{
  if (!flush (lowerer, start))
    return false;
  if (lowerer->out_end != start || lowerer->out_reason != reason)
    report_gap (lowerer);
  if (lowerer->out_end == lowerer->out_start)
    lowerer->out_start = start;
  lowerer->out_end = end;
  lowerer->out_reason = reason;
  return true;
}

/* Append a row with RULE that begins at START of the function to the
   piece.  */
static inline bool
append (struct lowerer *lowerer, uint32_t start, uint32_t rule)
{
  size_t n = lowerer->n_rows;
  if (n > 0 && lowerer->rows[n - 1].rule == rule)
    return true;
  if (n == SFRAME_V3_FRES_MAX && lowerer->options.variant.version >= 3
      && !flush (lowerer, start))
    return false;
  if (!ARRAY_ROOM (lowerer->rows, lowerer->n_rows + 1,
                   &lowerer->rows_capacity))
    return error_set_no_memory (lowerer->err);
  if (lowerer->n_rows == 0)
    lowerer->piece_start = start;
  lowerer->rows[lowerer->n_rows++]
      = (struct numbered_row){ start - lowerer->piece_start, rule };
  return true;
}

/* ROW, which means MEANING and has no rule there, holds from START to END.  */
static bool
put_first (struct lowerer *lowerer, const struct frame_row *row,
           struct meaning *meaning, uint32_t start, uint32_t end)
{
  enum frame_reason reason = meaning->reasons[lowerer->flexible];
  uint32_t rule;
  if (reason != REASON_NONE)
    return leave_out (lowerer, start, end, reason);
  if (!find_rule (lowerer, row, 0, &rule))
    return false;
  meaning->rules[lowerer->column] = rule + 1;
  return append (lowerer, start, rule);
}

/* ROW holds from START to END.  */
static inline bool
put (struct lowerer *lowerer, const struct frame_row *row, uint32_t start,
     uint32_t end)
{
  struct meaning *meaning = meaning_of (lowerer, row);
  uint32_t rule = meaning->rules[lowerer->column];
  return rule != 0 ? append (lowerer, start, rule - 1)
                   : put_first (lowerer, row, meaning, start, end);
}

/* ---- Repeating blocks (PLT entries) */

/* Rows that hold in each block of SIZE bytes; starts count from the block.  */
struct repeated_block
{
  const struct frame_row *rows;
  size_t n_rows;
  uint8_t size;
  /* Where in a block the described range begins.  */
  uint8_t phase;
};

static bool
write_out (struct lowerer *lowerer, const struct repeated_block *block,
           uint32_t start, uint32_t end)
{
  for (int64_t base = (int64_t)start - block->phase; base < end;
       base += block->size)
    for (size_t i = 0; i < block->n_rows; i++)
      {
        const struct frame_row *row = &block->rows[i];
        bool last = i + 1 == block->n_rows || row[1].start >= block->size;
        int64_t from = base + row->start;
        int64_t to = base + (last ? block->size : row[1].start);
        if (from < start)
          from = start;
        if (to > end)
          to = end;
        if (from < to && !put (lowerer, row, (uint32_t)from, (uint32_t)to))
          return false;
      }
  return true;
}

/* Whether readers find the right row by PC modulo the block size.  Those of
   V1 take row starts as bit masks; libsframe 2.41 to 2.44 (V2 without PCREL)
   divides the PC's distance from .sframe, wherever that may be.  All others
   count from the function or from address 0, which is the same for a start
   that is a multiple of the size.  */
static bool
can_mask (struct lowerer *lowerer, const struct repeated_block *block,
          uint32_t start, uint32_t end)
{
  if (!lowerer->options.variant.pcrel
      || (lowerer->function->address + start) % block->size != 0
      || end - start <= REPEATS_WRITTEN_OUT * block->size)
    return false;
  for (size_t i = 0; i < block->n_rows; i++)
    if (block->rows[i].start >= block->size
        || meaning_of (lowerer, &block->rows[i])->reasons[lowerer->flexible]
               != REASON_NONE)
      return false;
  return true;
}

static bool
lower_block (struct lowerer *lowerer, const struct repeated_block *block,
             uint32_t start, uint32_t end)
{
  if (block->n_rows == 0 || block->rows[0].start != 0)
    return leave_out (lowerer, start, end, REASON_CFA_UNDEFINED);
  if (block->n_rows == 1)
    return put (lowerer, &block->rows[0], start, end);
  if (!can_mask (lowerer, block, start, end))
    return end - start > WRITTEN_OUT_MAX
               ? leave_out (lowerer, start, end, REASON_CFA_EXPRESSION)
               : write_out (lowerer, block, start, end);
  if (!flush (lowerer, start))
    return false;
  for (size_t i = 0; i < block->n_rows; i++)
    {
      uint32_t rule;
      if (!find_rule (lowerer, &block->rows[i], block->size, &rule)
          || !append (lowerer, block->rows[i].start, rule))
        return false;
    }
  lowerer->piece_start = start;
  return flush (lowerer, end);
}

/* ROW has RULE_PLT and holds from START to END.  */
static bool
lower_plt (struct lowerer *lowerer, const struct frame_row *row,
           uint32_t start, uint32_t end)
{
  int32_t threshold = row->cfa.offset;
  struct frame_row rows[2] = { *row, *row };
  for (int i = 0; i < 2; i++)
    {
      rows[i].number = 0;
      rows[i].cfa = (struct frame_rule){ .kind = RULE_REG,
                                         .reg = lowerer->options.arch->sp,
                                         .offset = 8 + 8 * i };
    }
  bool first = threshold > 0, second = threshold < FRAME_PLT_BLOCK;
  rows[0].start = 0;
  rows[1].start = first && second ? (uint32_t)threshold : 0;
  struct repeated_block block = {
    .rows = first ? rows : rows + 1,
    .n_rows = first && second ? 2 : 1,
    .size = FRAME_PLT_BLOCK,
    .phase = (uint8_t)((lowerer->function->address + start) % FRAME_PLT_BLOCK),
  };
  return lower_block (lowerer, &block, start, end);
}

/* ---- Functions */

static bool
is_flexible (struct lowerer *lowerer, const struct frame_function *function)
{
  const uint16_t fp = lowerer->options.arch->fp;
  if (!may_flex (lowerer))
    return false;
  for (size_t i = 0; i < function->n_rows; i++)
    if (meaning_of (lowerer, &function->rows[i])->needs_flexible
        && !frame_row_fp_may_be_stale (&function->rows[i], fp))
      return true;
  return false;
}

/* Where ROW, which lasts up to END, begins, if the place where it starts may
   be left out.  */
static uint32_t
behind_place (struct lowerer *lowerer, const struct frame_row *row,
              uint32_t end)
{
  uint32_t smallest = lowerer->options.arch->smallest_instruction;
  bool is_place
      = lowerer->next_place < lowerer->places->n
        && lowerer->places->offsets[lowerer->next_place] == row->start;
  lowerer->next_place += is_place;
  if (!is_place)
    return row->start;
  return end - row->start < smallest ? end : row->start + smallest;
}

/* ROW holds from START to END, but from SURE on its FP may be stale.  */
static bool
put_sure (struct lowerer *lowerer, const struct frame_row *row, uint32_t start,
          uint32_t sure, uint32_t end)
{
  if (sure > start && !put (lowerer, row, start, sure))
    return false;
  if (sure < start)
    sure = start;
  if (sure == end)
    return true;
  enum frame_reason reason
      = meaning_of (lowerer, row)->reasons[may_flex (lowerer)];
  return leave_out (lowerer, sure, end,
                    reason != REASON_NONE ? reason : REASON_FP_STALE);
}

static bool
lower_rows (struct lowerer *lowerer)
{
  const struct frame_function *function = lowerer->function;
  const struct arch *arch = lowerer->options.arch;
  uint32_t covered = 0;
  for (size_t i = 0; i < function->n_rows; i++)
    {
      const struct frame_row *row = &function->rows[i];
      if (row->start >= function->size)
        break;
      uint32_t end = function->size;
      if (i + 1 < function->n_rows && row[1].start < end)
        end = row[1].start;
      if (row->start > covered
          && !leave_out (lowerer, covered, row->start, REASON_CFA_UNDEFINED))
        return false;
      uint32_t start = behind_place (lowerer, row, end), sure = end;
      if (start > row->start
          && !leave_out (lowerer, row->start, start, REASON_RETURN_ADDRESS))
        return false;
      if (frame_row_fp_may_be_stale (row, arch->fp))
        sure = frame_function_fp_sure_end (function, i, end, arch->fp,
                                           arch->smallest_instruction);
      if (row->cfa.kind == RULE_PLT && row->ra.kind != RULE_UNDEFINED
              ? !lower_plt (lowerer, row, start, end)
              : !put_sure (lowerer, row, start, sure, end))
        return false;
      covered = end;
    }
  return covered == function->size
         || leave_out (lowerer, covered, function->size, REASON_CFA_UNDEFINED);
}

/* Lower a function if all rows have a default form that was asked for before,
   as in nearly all functions: a row that needs the flexible form has none.
   Returns false for any other function, after doing nothing.  */
static bool
lower_known (struct lowerer *lowerer)
{
  const struct frame_function *function = lowerer->function;
  const struct frame_row *row = function->rows, *end = row + function->n_rows;
  if (row == end || function->n_rows > SFRAME_V3_FRES_MAX
      || lowerer->places->n > 0 || function->repeat != 0 || row->start != 0
      || end[-1].start >= function->size
      || !ARRAY_ROOM (lowerer->rows, function->n_rows,
                      &lowerer->rows_capacity))
    return false;
  const struct meaning *meanings = lowerer->meanings;
  const size_t n_meanings = lowerer->meanings_capacity;
  const unsigned column = lowerer->column;
  struct numbered_row *out = lowerer->rows;
  for (uint32_t last = 0; row < end; row++)
    {
      /* Number 0 is never known.  */
      uint32_t rule
          = row->number < n_meanings ? meanings[row->number].rules[column] : 0;
      if (rule == 0)
        return false;
      if (rule != last)
        *out++ = (struct numbered_row){ row->start, rule - 1 };
      last = rule;
    }
  lowerer->piece_start = 0;
  lowerer->n_rows = (size_t)(out - lowerer->rows);
  return true;
}

static bool
lower_any (struct lowerer *lowerer)
{
  const struct frame_function *function = lowerer->function;
  lowerer->flexible = is_flexible (lowerer, function);
  lowerer->column += lowerer->flexible;
  if (function->repeat == 0)
    return lower_rows (lowerer);
  struct repeated_block block = { .rows = function->rows,
                                  .n_rows = function->n_rows,
                                  .size = function->repeat };
  return lower_block (lowerer, &block, 0, function->size);
}

bool
lower_function (struct lowerer *lowerer, const struct frame_function *function,
                const struct return_places *places, struct error *err)
{
  static const struct return_places none;
  lowerer->function = function;
  lowerer->places = places != NULL ? places : &none;
  lowerer->next_place = 0;
  lowerer->err = err;
  lowerer->n_rows = 0;
  lowerer->out_start = lowerer->out_end = 0;
  lowerer->out_reason = REASON_NONE;
  lowerer->flexible = false;
  lowerer->column = 2u * function->signal + 4u * function->b_key;
  bool done = function->signal && lowerer->options.variant.version < 3
                  ? leave_out (lowerer, 0, function->size, REASON_SIGNAL_FRAME)
                  : lower_known (lowerer) || lower_any (lowerer);
  if (!done || !flush (lowerer, function->size))
    return false;
  report_gap (lowerer);
  return true;
}
