/* From frame rows to SFrame rows of one version and machine.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Frame rows refer to their rules by number (frame/numbers.h).  The lowerer
   translates each numbered set of rules once, into the default form and into
   the flexible one, and keeps the results, or the reasons why there is no such
   form.  A function is flexible if one of its rows needs the flexible form.
   Each row of the function then gets the translation of its number.

   Nearly every function is lowered by one short loop (lower_translated): all
   its rows have a default form that was needed before, and nothing is left
   out.  Any other function is lowered row by row (lower_rows).  It is split
   into parts around the code that gets no row: code in front of the first row,
   return places, and code whose row has no SFrame form or a stale FP.

   The stubs of a PLT are blocks of equal size, in which the same rows repeat
   (lower_block).  SFrame has PCMASK functions for that: one FDE for all
   blocks, whose rows readers find by PC modulo the block size.  If the blocks
   cannot be such a function (can_be_pcmask), each of them gets rows of its
   own.

   A function here that returns false has failed: memory ran out, or a callback
   of the sink failed, and lowerer->err says so.  lower_translated, and the
   functions whose comments begin with "Whether", are exceptions.  */

#include "sframe/lower.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum
{
  /* A PCMASK function costs an index entry of its own.  Up to this many
     repetitions take no more bytes as plain rows.  */
  REPEATS_UNROLLED = 4,
  /* The most bytes of repeated blocks that are unrolled.  More are left out.
     Only damaged files have more: the longest .plt of Debian has 57,600
     bytes.  */
  UNROLLED_MAX = 1 << 18
};

/* The SFrame form of a numbered set of frame rules.  */
struct translation
{
  bool known;
  bool needs_flexible; /* there is a flexible form, and no default one */
  /* Why there is no default form ([0]), and no flexible one ([1]).  */
  uint8_t reasons[2]; /* enum frame_reason */
  /* By the flags of an FDE, the number of the SFrame rule, plus 1.  0 means
     that there is no rule, or that no function has needed it so far.  */
  uint32_t rules[FDE_FLAGS + 1];
};

struct lowerer
{
  struct encode_options options;
  struct lower_sink sink;
  struct rule_table rules;          /* numbers the SFrame rules */
  struct translation *translations; /* owned; by the numbers of frame rows */
  size_t translations_capacity;     /* all of them are initialised */
  struct translation unnumbered;    /* the last one that could not be kept */

  /* The function that is being lowered.  */
  const struct frame_function *function;
  const struct return_places *places;
  size_t next_place; /* the first of PLACES that is not left out yet */
  struct error *err;
  unsigned flags; /* FDE_FLEXIBLE, FDE_SIGNAL, FDE_B_KEY */

  /* The start of the current part, and the range that is left out behind the
     last part passed on.  All are offsets in the function.  */
  uint32_t part_start;
  uint32_t gap_start, gap_end;
  enum frame_reason gap_reason;
  struct numbered_row *rows; /* of the current part; owned */
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
  free (lowerer->translations);
  free (lowerer->rows);
  free (lowerer);
}

const struct rule_table *
lowerer_rules (const struct lowerer *lowerer)
{
  return &lowerer->rules;
}

/* ---- Translating rules */

/* The translation of ROW's rules, without numbers of SFrame rules.  */
static struct translation
translate (const struct lowerer *lowerer, const struct frame_row *row)
{
  const struct encode_options *options = &lowerer->options;
  struct sframe_row unused;
  enum frame_reason as_default = row_lower (options, row, false, &unused);
  enum frame_reason as_flexible = row_lower (options, row, true, &unused);
  struct translation translation
      = { .known = true,
          .reasons = { (uint8_t)as_default, (uint8_t)as_flexible } };
  if (!lower_has_flexible (&lowerer->options))
    return translation;
  translation.needs_flexible
      = as_default != REASON_NONE && as_flexible == REASON_NONE;
  if (row->cfa.kind == RULE_PLT) /* lower_plt makes other rows of it */
    {
      struct frame_row made = *row;
      made.cfa
          = (struct frame_rule){ .kind = RULE_REG, .reg = options->arch->sp };
      translation.needs_flexible
          = row_lower (options, &made, false, &unused) != REASON_NONE
            && row_lower (options, &made, true, &unused) == REASON_NONE;
    }
  /* A flexible form would have made the row's function flexible, so users are
     told why there is none.  */
  if (as_default != REASON_NONE && as_flexible != REASON_NONE)
    translation.reasons[0] = (uint8_t)as_flexible;
  return translation;
}

/* Translate ROW's rules, and keep the result if they have a number.  */
static struct translation *
add_translation (struct lowerer *lowerer, const struct frame_row *row)
{
  struct translation *translation = &lowerer->unnumbered;
  size_t before = lowerer->translations_capacity;
  if (row->number != 0
      && ARRAY_ROOM (lowerer->translations, (size_t)row->number + 1,
                     &lowerer->translations_capacity))
    {
      if (lowerer->translations_capacity > before)
        memset (&lowerer->translations[before], 0,
                (lowerer->translations_capacity - before)
                    * sizeof *translation);
      translation = &lowerer->translations[row->number];
    }
  *translation = translate (lowerer, row);
  return translation;
}

/* The translation of ROW's rules, valid until the next call.  */
static inline struct translation *
find_translation (struct lowerer *lowerer, const struct frame_row *row)
{
  /* Rules without a number (0) are translated each time.  */
  return row->number < lowerer->translations_capacity
                 && lowerer->translations[row->number].known
             ? &lowerer->translations[row->number]
             : add_translation (lowerer, row);
}

/* Set *RULE to the SFrame rule of ROW, which has one, in functions with the
   current flags and the repeat size REPEAT.  */
static bool
find_rule (struct lowerer *lowerer, const struct frame_row *row,
           uint8_t repeat, uint32_t *rule)
{
  struct sframe_row out;
  row_lower (&lowerer->options, row, lowerer->flags & FDE_FLEXIBLE, &out);
  return rule_table_number (
             &lowerer->rules,
             lowerer->flags | (uint32_t)repeat << FDE_REPEAT_SHIFT, &out, rule)
         || error_set_no_memory (lowerer->err);
}

/* ---- Parts */

/* Pass the range that is left out to the sink, if there is one.  */
static void
pass_gap (struct lowerer *lowerer)
{
  if (lowerer->gap_end > lowerer->gap_start)
    lowerer->sink.left_out (
        lowerer->sink.context, lowerer->function->address + lowerer->gap_start,
        lowerer->gap_end - lowerer->gap_start, lowerer->gap_reason);
  lowerer->gap_start = lowerer->gap_end = 0;
}

/* Pass the collected rows to the sink, as a part from part_start to END.  */
static bool
pass_part (struct lowerer *lowerer, uint32_t end)
{
  if (lowerer->n_rows == 0)
    return true;
  pass_gap (lowerer);
  struct numbered_function part = {
    .address = lowerer->function->address + lowerer->part_start,
    .size = end - lowerer->part_start,
    .n_rows = lowerer->n_rows,
    .rows = lowerer->rows,
  };
  lowerer->n_rows = 0;
  return lowerer->sink.part (lowerer->sink.context, &part, lowerer->err);
}

/* End the current part, and leave out the range START to END for REASON.  */
static bool
leave_out (struct lowerer *lowerer, uint32_t start, uint32_t end,
           enum frame_reason reason)
{
  if (!pass_part (lowerer, start))
    return false;
  if (lowerer->gap_end != start || lowerer->gap_reason != reason)
    pass_gap (lowerer);
  if (lowerer->gap_end == lowerer->gap_start)
    lowerer->gap_start = start;
  lowerer->gap_end = end;
  lowerer->gap_reason = reason;
  return true;
}

/* Append a row with RULE from START on to the current part.  */
static inline bool
append_row (struct lowerer *lowerer, uint32_t start, uint32_t rule)
{
  size_t n = lowerer->n_rows;
  if (n > 0 && lowerer->rows[n - 1].rule == rule)
    return true;
  if (n == SFRAME_V3_FRES_MAX && lowerer->options.variant.version >= 3
      && !pass_part (lowerer, start))
    return false;
  if (!ARRAY_ROOM (lowerer->rows, lowerer->n_rows + 1,
                   &lowerer->rows_capacity))
    return error_set_no_memory (lowerer->err);
  if (lowerer->n_rows == 0)
    lowerer->part_start = start;
  lowerer->rows[lowerer->n_rows++]
      = (struct numbered_row){ start - lowerer->part_start, rule };
  return true;
}

/* Lower the code from START to END, where ROW applies.  TRANSLATION, that of
   ROW, has no rule for the current flags yet.  */
static bool
lower_range_without_rule (struct lowerer *lowerer, const struct frame_row *row,
                          struct translation *translation, uint32_t start,
                          uint32_t end)
{
  enum frame_reason reason
      = translation->reasons[lowerer->flags & FDE_FLEXIBLE];
  uint32_t rule;
  if (reason != REASON_NONE)
    return leave_out (lowerer, start, end, reason);
  if (!find_rule (lowerer, row, 0, &rule))
    return false;
  translation->rules[lowerer->flags] = rule + 1;
  return append_row (lowerer, start, rule);
}

/* Lower the code from START to END, where ROW applies: append a row to the
   current part, or leave the code out.  */
static inline bool
lower_range (struct lowerer *lowerer, const struct frame_row *row,
             uint32_t start, uint32_t end)
{
  struct translation *translation = find_translation (lowerer, row);
  uint32_t rule = translation->rules[lowerer->flags];
  return rule != 0 ? append_row (lowerer, start, rule - 1)
                   : lower_range_without_rule (lowerer, row, translation,
                                               start, end);
}

/* ---- Repeated blocks (PLT entries) */

/* Rows that apply to each block of SIZE bytes of a range of code.  Their
   starts count from the beginning of the block.  */
struct repeated_block
{
  const struct frame_row *rows;
  size_t n_rows;
  uint8_t size;
  uint8_t phase; /* the offset in a block where the range begins */
};

/* Lower the BLOCKs from START to END as plain rows.  */
static bool
unroll_block (struct lowerer *lowerer, const struct repeated_block *block,
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
        if (from < to
            && !lower_range (lowerer, row, (uint32_t)from, (uint32_t)to))
          return false;
      }
  return true;
}

/* Whether the code from START to END can be a PCMASK function, because readers
   find the right row by PC modulo the block size.  Readers of V1 take a row's
   start as a bit mask.  libsframe 2.41 to 2.44 (V2 without PCREL) divides the
   PC's distance from .sframe, which may be at any address.  All other readers
   count from the function or from address 0, and find the same row if the
   function's address is a multiple of the block size.  */
static bool
can_be_pcmask (struct lowerer *lowerer, const struct repeated_block *block,
               uint32_t start, uint32_t end)
{
  if (!lowerer->options.variant.pcrel
      || (lowerer->function->address + start) % block->size != 0
      || end - start <= REPEATS_UNROLLED * block->size)
    return false;
  for (size_t i = 0; i < block->n_rows; i++)
    if (block->rows[i].start >= block->size
        || find_translation (lowerer, &block->rows[i])
                   ->reasons[lowerer->flags & FDE_FLEXIBLE]
               != REASON_NONE)
      return false;
  return true;
}

/* Lower the BLOCKs from START to END, as a PCMASK function or as plain rows.
   They are left out if the first row is not for their beginning, or if there
   would be too many plain rows.  */
static bool
lower_block (struct lowerer *lowerer, const struct repeated_block *block,
             uint32_t start, uint32_t end)
{
  if (block->n_rows == 0 || block->rows[0].start != 0)
    return leave_out (lowerer, start, end, REASON_CFA_UNDEFINED);
  if (block->n_rows == 1)
    return lower_range (lowerer, &block->rows[0], start, end);
  if (!can_be_pcmask (lowerer, block, start, end))
    return end - start > UNROLLED_MAX
               ? leave_out (lowerer, start, end, REASON_CFA_EXPRESSION)
               : unroll_block (lowerer, block, start, end);
  if (!pass_part (lowerer, start))
    return false;
  for (size_t i = 0; i < block->n_rows; i++)
    {
      uint32_t rule;
      if (!find_rule (lowerer, &block->rows[i], block->size, &rule)
          || !append_row (lowerer, block->rows[i].start, rule))
        return false;
    }
  lowerer->part_start = start;
  return pass_part (lowerer, end);
}

/* Lower the code from START to END, where ROW with RULE_PLT applies.  */
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

/* Whether a row of FUNCTION has no form but the flexible one.  */
static bool
must_be_flexible (struct lowerer *lowerer,
                  const struct frame_function *function)
{
  const uint16_t fp = lowerer->options.arch->fp;
  if (!lower_has_flexible (&lowerer->options))
    return false;
  for (size_t i = 0; i < function->n_rows; i++)
    if (find_translation (lowerer, &function->rows[i])->needs_flexible
        && !frame_row_fp_may_be_stale (&function->rows[i], fp))
      return true;
  return false;
}

/* The start of what remains of ROW, which applies up to END, when the return
   place at its start, if there is one, is left out.  */
static uint32_t
skip_return_place (struct lowerer *lowerer, const struct frame_row *row,
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

/* Lower the code from START to END, where ROW applies, up to SURE, and leave
   out the rest, where the row's FP may be stale.  */
static bool
lower_range_until_stale (struct lowerer *lowerer, const struct frame_row *row,
                         uint32_t start, uint32_t sure, uint32_t end)
{
  if (sure > start && !lower_range (lowerer, row, start, sure))
    return false;
  if (sure < start)
    sure = start;
  if (sure == end)
    return true;
  enum frame_reason reason
      = find_translation (lowerer, row)
            ->reasons[lower_has_flexible (&lowerer->options)];
  return leave_out (lowerer, sure, end,
                    reason != REASON_NONE ? reason : REASON_FP_STALE);
}

/* Lower the current function row by row.  */
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
      uint32_t start = skip_return_place (lowerer, row, end), sure = end;
      if (start > row->start
          && !leave_out (lowerer, row->start, start, REASON_RETURN_ADDRESS))
        return false;
      if (frame_row_fp_may_be_stale (row, arch->fp))
        sure = frame_function_fp_sure_end (function, i, end, arch->fp,
                                           arch->smallest_instruction);
      if (row->cfa.kind == RULE_PLT && row->ra.kind != RULE_UNDEFINED
              ? !lower_plt (lowerer, row, start, end)
              : !lower_range_until_stale (lowerer, row, start, sure, end))
        return false;
      covered = end;
    }
  return covered == function->size
         || leave_out (lowerer, covered, function->size, REASON_CFA_UNDEFINED);
}

/* Collect the rows of the current function in one short loop, if nothing is to
   be left out and the translation of each row has a rule for the current
   flags, which are those of a default function.  A row that needs the flexible
   form has no such rule, nor has a row whose FP may be stale.  False for any
   other function; then no row has been collected.  */
static bool
lower_translated (struct lowerer *lowerer)
{
  const struct frame_function *function = lowerer->function;
  const struct frame_row *row = function->rows, *end = row + function->n_rows;
  if (row == end || function->n_rows > SFRAME_V3_FRES_MAX
      || lowerer->places->n > 0 || function->repeat != 0 || row->start != 0
      || end[-1].start >= function->size
      || !ARRAY_ROOM (lowerer->rows, function->n_rows,
                      &lowerer->rows_capacity))
    return false;
  const struct translation *translations = lowerer->translations;
  const size_t n_translations = lowerer->translations_capacity;
  const unsigned flags = lowerer->flags;
  struct numbered_row *out = lowerer->rows;
  for (uint32_t last = 0; row < end; row++)
    {
      /* Rules without a number (0) have no translation that is kept.  */
      uint32_t rule = row->number < n_translations
                          ? translations[row->number].rules[flags]
                          : 0;
      if (rule == 0)
        return false;
      if (rule != last)
        *out++ = (struct numbered_row){ row->start, rule - 1 };
      last = rule;
    }
  lowerer->part_start = 0;
  lowerer->n_rows = (size_t)(out - lowerer->rows);
  return true;
}

/* Lower the current function, which lower_translated cannot lower.  */
static bool
lower_any (struct lowerer *lowerer)
{
  const struct frame_function *function = lowerer->function;
  if (must_be_flexible (lowerer, function))
    lowerer->flags |= FDE_FLEXIBLE;
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
  lowerer->gap_start = lowerer->gap_end = 0;
  lowerer->gap_reason = REASON_NONE;
  lowerer->flags = (function->signal ? FDE_SIGNAL : 0)
                   | (function->b_key ? FDE_B_KEY : 0);
  bool done = function->signal && lowerer->options.variant.version < 3
                  ? leave_out (lowerer, 0, function->size, REASON_SIGNAL_FRAME)
                  : lower_translated (lowerer) || lower_any (lowerer);
  if (!done || !pass_part (lowerer, function->size))
    return false;
  pass_gap (lowerer);
  return true;
}
