/* Making the canonical form of an SFrame section.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "sframe/compare_spans.h"

#include <stdlib.h>

#include "base/array.h"
#include "sframe/lower_row.h"

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

/* Rows of a plain function: each lasts until the next one.  */
static bool
read_plain (struct span_list *list, const struct frame_function *function,
            struct span span, struct error *err)
{
  for (size_t i = 0; i < function->n_rows; i++)
    {
      const struct frame_row *row = &function->rows[i];
      uint32_t end = function->size;
      if (row->start >= function->size)
        {
          list->rows_at_end++;
          continue;
        }
      if (i + 1 < function->n_rows && row[1].start < end)
        end = row[1].start;
      span.begin = function->address + row->start;
      span.end = function->address + end;
      span.row = *row;
      list->merged_rows += span.begin == span.end;
      if (span.begin < span.end && !append_span (list, &span, err))
        return false;
    }
  return true;
}

/* Rows of one block, repeated over the function.  */
static bool
read_masked (struct span_list *list, const struct frame_function *function,
             struct span span, struct error *err)
{
  uint64_t n_blocks = (uint64_t)function->size / function->repeat + 1;
  uint64_t rows_merged = list->merged_rows;
  if (n_blocks * function->n_rows > list->rows_left)
    return error_set (err, CFI2SFRAME_MALFORMED,
                      "SFrame: blocks repeated too often");
  list->rows_left -= n_blocks * function->n_rows;
  span.single_mask = function->n_rows == 1;
  for (uint64_t at = 0; at < function->size; at += function->repeat)
    for (size_t i = 0; i < function->n_rows; i++)
      {
        const struct frame_row *row = &function->rows[i];
        uint64_t limit
            = i + 1 < function->n_rows ? row[1].start : function->repeat;
        span.begin = function->address + at + row->start;
        span.end = function->address + at + limit;
        span.row = *row;
        if (span.end > function->address + function->size)
          span.end = function->address + function->size;
        if (span.begin < span.end && !append_span (list, &span, err))
          return false;
      }
  list->merged_rows = rows_merged; /* repetitions do not count */
  return true;
}

static bool
read_function (struct span_list *list, uint32_t index, struct error *err)
{
  const struct frame_function *function = &list->function;
  if (!lower_undo_function (list->decoder, index, &list->rows_left,
                            &list->function, err))
    return false;
  list->functions[index] = (struct span_function){
    .address = function->address,
    .size = function->size,
    .signal = function->signal,
    .b_key = function->b_key,
  };
  struct span span = { .function = index };
  list->first_span = list->n_spans;
  if (function->n_rows == 0)
    {
      span.no_rows = true;
      span.begin = function->address;
      span.end = function->address + function->size;
      return function->size == 0 || append_span (list, &span, err);
    }
  return function->repeat != 0 ? read_masked (list, function, span, err)
                               : read_plain (list, function, span, err);
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
    if (!read_function (list, i, err))
      return false;
  make_disjoint (list);
  return true;
}

void
span_list_free (struct span_list *list)
{
  frame_function_free (&list->function);
  free (list->spans);
  free (list->functions);
  *list = (struct span_list){ .spans = NULL };
}
