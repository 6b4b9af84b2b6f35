/* From frame rows to SFrame functions of one version and machine.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Nearly every function consists of default rows only and is lowered in one
   pass.  Any other takes the long way: decide whether its rows need the
   flexible form, then go through them again and split the function around
   what cannot be expressed.  */

#include "sframe/lower.h"

#include <stdlib.h>
#include <string.h>

#include "sframe/lower_row.h"

enum
{
  LOCAL_ROWS = 64, /* functions with more rows use the heap */
  /* A PCMASK function costs its index entry; up to this many repetitions are
     smaller, or as small, written out.  */
  REPEATS_WRITTEN_OUT = 4,
  /* Longer runs that cannot be a PCMASK function exist in damaged files only;
     they are left out.  The longest .plt of Debian has 57,600 bytes.  */
  WRITTEN_OUT_MAX = 1 << 18,
  PLT_REPEAT = 16
};

/* One function.  */

struct lowering
{
  const struct lower_options *options;
  const struct frame_function *function;
  const struct lower_sink *sink;
  struct error *err;
  bool flexible;

  /* The piece being made, and the range left out behind the latest one; both
     ends are offsets in the function.  */
  uint32_t piece_start;
  uint32_t out_start, out_end;
  enum frame_reason out_reason;

  struct sframe_row *rows; /* `local` or owned */
  size_t n_rows, capacity;
  struct sframe_row local[LOCAL_ROWS];
};

static bool
lowering_reserve (struct lowering *lowering)
{
  if (lowering->n_rows < lowering->capacity)
    return true;
  size_t capacity = 2 * lowering->capacity;
  bool was_local = lowering->rows == lowering->local;
  struct sframe_row *rows = reallocarray (was_local ? NULL : lowering->rows,
                                          capacity, sizeof *rows);
  if (rows == NULL)
    return error_set_no_memory (lowering->err);
  if (was_local)
    memcpy (rows, lowering->local, sizeof lowering->local);
  lowering->rows = rows;
  lowering->capacity = capacity;
  return true;
}

static void
lowering_free (struct lowering *lowering)
{
  if (lowering->rows != lowering->local)
    free (lowering->rows);
}

static bool
row_equal (const struct sframe_row *a, const struct sframe_row *b)
{
  if (a->base_sp != b->base_sp || a->ra_signed != b->ra_signed
      || a->n_words != b->n_words || a->control != b->control)
    return false;
  for (unsigned i = 0; i < a->n_words; i++)
    if (a->words[i] != b->words[i])
      return false;
  return true;
}

static void
lowering_report (struct lowering *lowering)
{
  if (lowering->out_end > lowering->out_start)
    lowering->sink->left_out (
        lowering->sink->context,
        lowering->function->address + lowering->out_start,
        lowering->out_end - lowering->out_start, lowering->out_reason);
  lowering->out_start = lowering->out_end = 0;
}

/* Hand over the rows as a piece from piece_start to END.  */
static bool
lowering_flush (struct lowering *lowering, uint32_t end, uint8_t repeat)
{
  if (lowering->n_rows == 0)
    return true;
  lowering_report (lowering);
  const struct frame_function *function = lowering->function;
  struct sframe_function piece = {
    .address = function->address + lowering->piece_start,
    .size = end - lowering->piece_start,
    .flexible = lowering->flexible,
    .pcmask = repeat != 0,
    .repeat = repeat,
    .signal = function->signal,
    .b_key = function->b_key,
    .n_rows = lowering->n_rows,
    .rows = lowering->rows,
  };
  lowering->n_rows = 0;
  return lowering->sink->piece (lowering->sink->context, &piece,
                                lowering->err);
}

static bool
lowering_leave_out (struct lowering *lowering, uint32_t start, uint32_t end,
                    enum frame_reason reason)
{
  if (!lowering_flush (lowering, start, 0))
    return false;
  if (lowering->out_end != start || lowering->out_reason != reason)
    lowering_report (lowering);
  if (lowering->out_end == lowering->out_start)
    lowering->out_start = start;
  lowering->out_end = end;
  lowering->out_reason = reason;
  return true;
}

/* Append ROW, whose start counts from the function, to the piece.  */
static bool
lowering_append (struct lowering *lowering, const struct sframe_row *row)
{
  if (lowering->n_rows > 0
      && row_equal (&lowering->rows[lowering->n_rows - 1], row))
    return true;
  if (lowering->options->variant.version >= 3
      && lowering->n_rows == SFRAME_V3_FRES_MAX
      && !lowering_flush (lowering, row->start, 0))
    return false;
  if (!lowering_reserve (lowering))
    return false;
  if (lowering->n_rows == 0)
    lowering->piece_start = row->start;
  lowering->rows[lowering->n_rows] = *row;
  lowering->rows[lowering->n_rows++].start -= lowering->piece_start;
  return true;
}

static bool
lowering_may_flex (const struct lowering *lowering)
{
  return lowering->options->flexible
         && lowering->options->variant.version >= 3;
}

static enum frame_reason
lowering_lower (const struct lowering *lowering, const struct frame_row *row,
                struct sframe_row *out)
{
  if (lowering->flexible)
    return row_lower_flexible (lowering->options, row, out);
  enum frame_reason reason = row_lower_default (lowering->options, row, out);
  /* A function whose rows had a flexible form would be flexible, so this row
     has none either; that is the true reason.  */
  struct sframe_row unused;
  if (reason != REASON_NONE && lowering_may_flex (lowering))
    {
      enum frame_reason better
          = row_lower_flexible (lowering->options, row, &unused);
      if (better != REASON_NONE)
        reason = better;
    }
  return reason;
}

/* Repeating blocks (PLT entries).  */

/* Rows that hold in each block of SIZE bytes; starts count from the block.  */
struct repeated_block
{
  const struct frame_row *rows;
  size_t n_rows;
  uint8_t size;
  /* Where in a block the described range begins.  */
  uint8_t phase;
};

/* The start of row I + 1 of BLOCK.  */
static uint32_t
block_row_end (const struct repeated_block *block, size_t i)
{
  if (i + 1 < block->n_rows && block->rows[i + 1].start < block->size)
    return block->rows[i + 1].start;
  return block->size;
}

static bool
lowering_put (struct lowering *lowering, const struct frame_row *row,
              uint32_t start, uint32_t end)
{
  struct sframe_row out;
  enum frame_reason reason = lowering_lower (lowering, row, &out);
  if (reason != REASON_NONE)
    return lowering_leave_out (lowering, start, end, reason);
  out.start = start;
  return lowering_append (lowering, &out);
}

static bool
lowering_write_out (struct lowering *lowering,
                    const struct repeated_block *block, uint32_t start,
                    uint32_t end)
{
  for (int64_t base = (int64_t)start - block->phase; base < end;
       base += block->size)
    for (size_t i = 0; i < block->n_rows; i++)
      {
        int64_t from = base + block->rows[i].start;
        int64_t to = base + block_row_end (block, i);
        if (from < start)
          from = start;
        if (to > end)
          to = end;
        if (from < to
            && !lowering_put (lowering, &block->rows[i], (uint32_t)from,
                              (uint32_t)to))
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
lowering_can_mask (const struct lowering *lowering,
                   const struct repeated_block *block, uint32_t start,
                   uint32_t end)
{
  struct sframe_row out;
  if (!lowering->options->variant.pcrel || block->phase != 0
      || (lowering->function->address + start) % block->size != 0
      || end - start <= REPEATS_WRITTEN_OUT * block->size)
    return false;
  for (size_t i = 0; i < block->n_rows; i++)
    if (block->rows[i].start >= block->size
        || lowering_lower (lowering, &block->rows[i], &out) != REASON_NONE)
      return false;
  return true;
}

static bool
lowering_block (struct lowering *lowering, const struct repeated_block *block,
                uint32_t start, uint32_t end)
{
  if (block->n_rows == 0 || block->rows[0].start != 0)
    return lowering_leave_out (lowering, start, end, REASON_CFA_UNDEFINED);
  if (block->n_rows == 1)
    return lowering_put (lowering, &block->rows[0], start, end);
  if (!lowering_can_mask (lowering, block, start, end))
    return end - start > WRITTEN_OUT_MAX
               ? lowering_leave_out (lowering, start, end,
                                     REASON_CFA_EXPRESSION)
               : lowering_write_out (lowering, block, start, end);
  if (!lowering_flush (lowering, start, 0))
    return false;
  for (size_t i = 0; i < block->n_rows; i++)
    {
      struct sframe_row out;
      lowering_lower (lowering, &block->rows[i], &out);
      if (!lowering_append (lowering, &out))
        return false;
    }
  lowering->piece_start = start;
  return lowering_flush (lowering, end, block->size);
}

/* ROW has RULE_PLT and holds from START to END.  */
static bool
lowering_plt (struct lowering *lowering, const struct frame_row *row,
              uint32_t start, uint32_t end)
{
  int32_t threshold = row->cfa.offset;
  struct frame_row rows[2] = { *row, *row };
  for (int i = 0; i < 2; i++)
    rows[i].cfa = (struct frame_rule){ .kind = RULE_REG,
                                       .reg = lowering->options->arch->sp,
                                       .offset = 8 + 8 * i };
  bool first = threshold > 0, second = threshold < PLT_REPEAT;
  rows[0].start = 0;
  rows[1].start = first && second ? (uint32_t)threshold : 0;
  struct repeated_block block = {
    .rows = first ? rows : rows + 1,
    .n_rows = first && second ? 2 : 1,
    .size = PLT_REPEAT,
    .phase = (uint8_t)((lowering->function->address + start) % PLT_REPEAT),
  };
  return lowering_block (lowering, &block, start, end);
}

/* The long way.  */

static bool
lowering_needs_flexible (const struct lowering *lowering)
{
  const struct lower_options *options = lowering->options;
  const struct frame_function *function = lowering->function;
  if (!lowering_may_flex (lowering))
    return false;
  for (size_t i = 0; i < function->n_rows; i++)
    {
      struct frame_row row = function->rows[i];
      struct sframe_row out;
      if (row.cfa.kind == RULE_PLT) /* becomes rows of this kind */
        row.cfa = (struct frame_rule){ .kind = RULE_REG,
                                       .reg = options->arch->sp };
      if (row_lower_default (options, &row, &out) != REASON_NONE
          && row_lower_flexible (options, &row, &out) == REASON_NONE)
        return true;
    }
  return false;
}

static bool
lowering_row (struct lowering *lowering, const struct frame_row *row,
              uint32_t end)
{
  if (row->cfa.kind == RULE_PLT && row->ra.kind != RULE_UNDEFINED)
    return lowering_plt (lowering, row, row->start, end);
  return lowering_put (lowering, row, row->start, end);
}

static bool
lowering_rows (struct lowering *lowering)
{
  const struct frame_function *function = lowering->function;
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
          && !lowering_leave_out (lowering, covered, row->start,
                                  REASON_CFA_UNDEFINED))
        return false;
      if (!lowering_row (lowering, row, end))
        return false;
      covered = end;
    }
  return covered == function->size
         || lowering_leave_out (lowering, covered, function->size,
                                REASON_CFA_UNDEFINED);
}

static bool
lowering_run_long (struct lowering *lowering)
{
  const struct frame_function *function = lowering->function;
  lowering->n_rows = 0;
  lowering->flexible = lowering_needs_flexible (lowering);
  bool done;
  if (function->signal && lowering->options->variant.version < 3)
    done = lowering_leave_out (lowering, 0, function->size,
                               REASON_SIGNAL_FRAME);
  else if (function->repeat != 0)
    {
      struct repeated_block block = { .rows = function->rows,
                                      .n_rows = function->n_rows,
                                      .size = function->repeat };
      done = lowering_block (lowering, &block, 0, function->size);
    }
  else
    done = lowering_rows (lowering);
  if (!done || !lowering_flush (lowering, function->size, 0))
    return false;
  lowering_report (lowering);
  return true;
}

/* Lower a function of default rows only.  False when it is another one.  */
static bool
lowering_rows_are_plain (struct lowering *lowering)
{
  const struct frame_function *function = lowering->function;
  if (function->n_rows == 0 || function->n_rows > LOCAL_ROWS
      || function->rows[0].start != 0 || function->repeat != 0
      || (function->signal && lowering->options->variant.version < 3))
    return false;
  struct sframe_row *out = lowering->rows;
  for (size_t i = 0; i < function->n_rows; i++)
    {
      if (function->rows[i].start >= function->size)
        break;
      if (row_lower_default (lowering->options, &function->rows[i], out)
          != REASON_NONE)
        return false;
      if (out == lowering->rows || !row_equal (out - 1, out))
        out++;
    }
  lowering->n_rows = (size_t)(out - lowering->rows);
  return true;
}

bool
lower_function (const struct lower_options *options,
                const struct frame_function *function,
                const struct lower_sink *sink, struct error *err)
{
  struct lowering lowering;
  lowering.options = options;
  lowering.function = function;
  lowering.sink = sink;
  lowering.err = err;
  lowering.flexible = false;
  lowering.piece_start = 0;
  lowering.out_start = lowering.out_end = 0;
  lowering.out_reason = REASON_NONE;
  lowering.rows = lowering.local;
  lowering.n_rows = 0;
  lowering.capacity = LOCAL_ROWS;
  if (lowering_rows_are_plain (&lowering))
    return lowering_flush (&lowering, function->size, 0);
  bool done = lowering_run_long (&lowering);
  lowering_free (&lowering);
  return done;
}
