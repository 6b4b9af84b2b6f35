/* A sweep over all addresses, to compare two descriptions of a program's code.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "sframe/sweep.h"

#include <stdlib.h>

#include "base/radix.h"

static uint64_t
nearer (uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

bool
sweep (struct sweep_side *a, struct sweep_side *b, bool single_rows,
       uint64_t steps, sweep_visit *visit, void *context, struct error *err)
{
  uint64_t end;
  for (uint64_t at = 0; at != UINT64_MAX; at = end)
    {
      struct sweep_view x, y;
      if (!a->view (a, at, &x, err) || !b->view (b, at, &y, err))
        return false;
      if (steps-- == 0)
        return error_set_word (err, CFI2SFRAME_MALFORMED, WORD_BAD_SFRAME,
                               "SFrame: blocks repeated too often");
      end = single_rows || (x.covered && y.covered) ? nearer (x.until, y.until)
                                                    : nearer (x.end, y.end);
      if (!visit (context, &x, &y, at, end, err))
        return false;
    }
  return true;
}

/* ---- The side of a section */

struct function_start
{
  uint64_t start;
  uint32_t index;
};

static bool
sort_functions (struct sweep_section *section, struct error *err)
{
  uint32_t n = section->decoder->n_functions;
  struct function_start *starts
      = reallocarray (NULL, n + (size_t)1, sizeof *starts);
  section->order = reallocarray (NULL, n + (size_t)1, sizeof *section->order);
  bool done = starts != NULL && section->order != NULL;
  for (uint32_t i = 0; done && i < n; i++)
    starts[i]
        = (struct function_start){ sframe_decoder_start (section->decoder, i),
                                   i };
  done = done && RADIX_SORT (starts, n);
  for (uint32_t i = 0; done && i < n; i++)
    section->order[i] = starts[i].index;
  free (starts);
  return done || error_set_no_memory (err);
}

uint32_t
sweep_section_index (const struct sweep_section *section, uint32_t position)
{
  return section->order != NULL ? section->order[position] : position;
}

static void
count_rows_without_effect (struct sweep_section *section)
{
  const struct frame_function *function = &section->function;
  for (size_t i = 0; i < function->n_rows && function->repeat == 0; i++)
    {
      const struct frame_row *row = &function->rows[i];
      if (row->start >= function->size)
        section->rows_at_end++;
      else if ((i > 0 && frame_row_same_rules (&row[-1], row))
               || (i + 1 < function->n_rows && row[1].start == row->start))
        section->merged_rows++;
    }
}

/* Read functions up to the last one that starts at or below AT.  *END becomes
   the start of the next one.  */
static bool
seek (struct sweep_section *section, uint64_t at, uint64_t *end,
      struct error *err)
{
  const struct sframe_decoder *decoder = section->decoder;
  *end = UINT64_MAX;
  for (; section->next < decoder->n_functions; section->next++)
    {
      uint32_t index = sweep_section_index (section, section->next);
      uint64_t start = sframe_decoder_start (decoder, index);
      if (start > at)
        {
          *end = start;
          break;
        }
      if (!sframe_decoder_rules (decoder, index, &section->rows_left,
                                 &section->function, err))
        return false;
      section->row = 0;
      section->in_range = false;
      count_rows_without_effect (section);
    }
  return true;
}

/* The end of the range of equal rules that ROW is in, in bytes from the
   function's address.  ROW itself applies up to END.  */
static uint64_t
end_of_rules (const struct frame_function *function,
              const struct frame_row *row, uint64_t end)
{
  const struct frame_row *last = function->rows + function->n_rows - 1;
  if (function->repeat != 0)
    return end;
  for (; row < last && frame_row_same_rules (row, row + 1); row++)
    end = row + 1 < last ? row[2].start : function->size;
  return end < function->size ? end : function->size;
}

/* Make the range of equal rules that has AT, an address of the current
   function, the current one.  False if no row has AT; then *UNTIL becomes the
   next address that may have one.  */
static bool
find_range (struct sweep_section *section, uint64_t at, uint64_t *until)
{
  const struct frame_function *function = &section->function;
  uint64_t offset = at - function->address, end = *until - function->address;
  if (section->in_range && at < section->range_end)
    return true;
  const struct frame_row *row
      = frame_function_row_at (function, offset, &section->row, &end);
  *until = function->address + end;
  if (row == NULL)
    return false;
  bool goes_on
      = section->in_range && frame_row_same_rules (row, &section->rules);
  section->range_end = function->address + end_of_rules (function, row, end);
  if (goes_on)
    return true;
  section->has_previous = section->in_range;
  section->previous = section->rules;
  section->rules = *row;
  section->in_range = true;
  section->range_begin = at;
  section->range_row = (size_t)(row - function->rows);
  section->in_first_block = function->repeat == 0 || offset < function->repeat;
  return true;
}

static bool
view_section (struct sweep_side *side, uint64_t at, struct sweep_view *view,
              struct error *err)
{
  struct sweep_section *section = (struct sweep_section *)side;
  const struct frame_function *function = &section->function;
  *view = (struct sweep_view){ .covered = false };
  if (!seek (section, at, &view->end, err))
    return false;
  view->until = view->end;
  if (section->next == 0 || at - function->address >= function->size)
    return true;
  uint64_t end = function->address + function->size;
  if (end > at && end < view->end)
    view->end = end; /* unless it wraps around */
  view->function = function;
  view->index = sweep_section_index (section, section->next - 1);
  view->until = view->end;
  view->covered = find_range (section, at, &view->until);
  if (!view->covered)
    {
      view->end = view->until;
      return true;
    }
  view->until = nearer (section->range_end, view->end);
  view->rules = section->rules;
  view->begin = section->range_begin;
  view->previous = section->has_previous ? &section->previous : NULL;
  return true;
}

bool
sweep_section_had_rules (const struct sweep_section *section)
{
  const struct frame_function *function = &section->function;
  size_t n = section->in_first_block ? section->range_row : function->n_rows;
  for (size_t i = 0; i < n; i++)
    if (frame_row_same_rules (&function->rows[i], &section->rules))
      return true;
  return false;
}

bool
sweep_section_open (struct sweep_section *section,
                    const struct sframe_decoder *decoder, struct error *err)
{
  *section = (struct sweep_section){ .side = { view_section },
                                     .decoder = decoder,
                                     .rows_left
                                     = sframe_decoder_rows_max (decoder) };
  return (decoder->flags & SFRAME_FLAG_SORTED) != 0
         || sort_functions (section, err);
}

void
sweep_section_close (struct sweep_section *section)
{
  free (section->order);
  frame_function_free (&section->function);
}
