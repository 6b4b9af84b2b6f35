/* Making the canonical form of an SFrame section.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "sframe/compare_spans.h"

#include <stdlib.h>

#include "base/array.h"
#include "sframe/lower_row.h"

enum
{
  MASK_ROWS_MAX = 64 /* rows of one block */
};

/* N more rows will be looked at.  */
static bool
account (struct span_list *list, uint64_t n, const char *too_many,
         struct error *err)
{
  if (n > list->rows_left)
    return error_set (err, CFI2SFRAME_MALFORMED, "SFrame: %s", too_many);
  list->rows_left -= n;
  return true;
}

static bool
append_span (struct span_list *list, const struct span *span,
             struct error *err)
{
  if (list->n_spans > list->first_span)
    {
      struct span *last = &list->spans[list->n_spans - 1];
      if (last->end == span->begin && !span->no_rows
          && frame_row_same_rules (&last->row, &span->row))
        {
          last->end = span->end;
          list->merged_rows++;
          return true;
        }
    }
  if (!ARRAY_ROOM (list->spans, list->n_spans + 1, &list->capacity))
    return error_set_no_memory (err);
  list->spans[list->n_spans++] = *span;
  return true;
}

/* The rules of ROW as a span from its start to END, both relative to the
   function; END is put right when the next row is known.  */
static void
span_of_row (const struct span_list *list, const struct sframe_fde *function,
             const struct sframe_row *row, struct span *span)
{
  const struct sframe_decoder *decoder = list->decoder;
  lower_undo (decoder->arch, decoder->variant, function, row, &span->row);
  span->row.start = 0;
  span->begin = row->start;
}

/* Rows of a plain function: each lasts until the next one.  */
static bool
read_plain (struct span_list *list, uint64_t address,
            const struct sframe_fde *function,
            struct sframe_row_cursor *cursor, struct span *span,
            struct error *err)
{
  struct sframe_row row;
  bool open = false;
  int more;
  while ((more = sframe_row_next (cursor, &row, err)) > 0)
    {
      if (row.start >= function->size)
        {
          list->rows_at_end++;
          continue;
        }
      span->end = address + row.start;
      if (open && span->end > span->begin && !append_span (list, span, err))
        return false;
      list->merged_rows += open && span->end == span->begin;
      span_of_row (list, function, &row, span);
      span->begin += address;
      open = true;
    }
  span->end = address + function->size;
  return more == 0 && (!open || append_span (list, span, err));
}

/* Rows of one block, repeated over the function.  */
static bool
read_masked (struct span_list *list, uint64_t address,
             const struct sframe_fde *function,
             struct sframe_row_cursor *cursor, struct span *span,
             struct error *err)
{
  struct span block[MASK_ROWS_MAX];
  struct sframe_row row;
  size_t n = 0;
  int more;
  while ((more = sframe_row_next (cursor, &row, err)) > 0)
    {
      if (n == MASK_ROWS_MAX)
        return error_set (err, CFI2SFRAME_UNSUPPORTED,
                          "more than %d rows in a repeated block",
                          MASK_ROWS_MAX);
      block[n] = *span;
      block[n].single_mask = function->n_rows == 1;
      span_of_row (list, function, &row, &block[n++]);
    }
  if (more < 0)
    return false;
  if (!account (list, ((uint64_t)function->size / function->repeat + 1) * n,
                "blocks repeated too often", err))
    return false;
  uint64_t rows_merged = list->merged_rows;
  for (uint64_t at = 0; at < function->size; at += function->repeat)
    for (size_t i = 0; i < n; i++)
      {
        struct span copy = block[i];
        uint64_t limit = i + 1 < n ? block[i + 1].begin : function->repeat;
        copy.begin = address + at + block[i].begin;
        copy.end = address + at + limit;
        if (copy.end > address + function->size)
          copy.end = address + function->size;
        if (copy.begin < copy.end && !append_span (list, &copy, err))
          return false;
      }
  list->merged_rows = rows_merged; /* repetitions do not count */
  return true;
}

static bool
read_function (struct span_list *list, uint32_t index, uint64_t address,
               struct error *err)
{
  struct sframe_fde function;
  struct sframe_row_cursor cursor;
  if (!sframe_decoder_function (list->decoder, index, &function, err)
      || !sframe_decoder_rows (list->decoder, index, &function, &cursor, err)
      || !account (list, function.n_rows, "rows shared too often", err))
    return false;
  list->functions[index] = (struct span_function){
    .address = address,
    .size = function.size,
    .signal = function.signal,
    .b_key = function.b_key,
  };
  struct span span = { .function = index };
  list->first_span = list->n_spans;
  if (function.n_rows == 0)
    {
      span.no_rows = true;
      span.begin = address;
      span.end = address + function.size;
      return function.size == 0 || append_span (list, &span, err);
    }
  if (function.pcmask)
    return read_masked (list, address, &function, &cursor, &span, err);
  return read_plain (list, address, &function, &cursor, &span, err);
}

static int
compare_spans (const void *a, const void *b)
{
  const struct span *x = a, *y = b;
  if (x->begin != y->begin)
    return x->begin < y->begin ? -1 : 1;
  return (x->function > y->function) - (x->function < y->function);
}

/* Sort, and take from overlapping ones what an earlier span has.  */
static void
make_disjoint (struct span_list *list)
{
  size_t kept = 0;
  uint64_t end = 0;
  if (list->n_spans > 1)
    qsort (list->spans, list->n_spans, sizeof *list->spans, compare_spans);
  for (size_t i = 0; i < list->n_spans; i++)
    {
      struct span span = list->spans[i];
      if (span.begin < end)
        span.begin = end;
      if (span.begin >= span.end)
        continue;
      end = span.end;
      list->spans[kept++] = span;
    }
  list->n_spans = kept;
}

bool
span_list_read (struct span_list *list, const struct sframe_decoder *decoder,
                struct error *err)
{
  *list = (struct span_list){ .decoder = decoder,
                              .n_functions = decoder->n_functions,
                              .rows_left = sframe_decoder_rows_max (decoder) };
  /* The decoder has checked that so many fit the section.  */
  list->functions
      = calloc ((size_t)decoder->n_functions + 1, sizeof *list->functions);
  if (list->functions == NULL)
    return error_set_no_memory (err);
  for (uint32_t i = 0; i < decoder->n_functions; i++)
    {
      uint64_t address = sframe_decoder_start (decoder, i);
      if (!read_function (list, i, address, err))
        return false;
    }
  make_disjoint (list);
  return true;
}

void
span_list_free (struct span_list *list)
{
  free (list->spans);
  free (list->functions);
  *list = (struct span_list){ .spans = NULL };
}
