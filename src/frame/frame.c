/* Operations on a function's frame rows.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "frame/frame.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define NAME_OF(word, name, text) [REASON_##word] = (name),
#define TEXT_OF(word, name, text) [REASON_##word] = (text),

const char *
frame_reason_name (enum frame_reason reason)
{
  static const char *const names[] = { FRAME_REASONS (NAME_OF) };
  return names[reason];
}

const char *
frame_reason_text (enum frame_reason reason)
{
  static const char *const texts[] = { FRAME_REASONS (TEXT_OF) };
  return texts[reason];
}

void
frame_function_reset (struct frame_function *function)
{
  *function
      = (struct frame_function){ .rows = function->rows,
                                 .rows_capacity = function->rows_capacity,
                                 .saved = function->saved,
                                 .saved_capacity = function->saved_capacity };
}

void
frame_function_free (struct frame_function *function)
{
  if (function->rows_capacity > 0)
    free (function->rows);
  free (function->saved);
  *function = (struct frame_function){ 0 };
}

void
frame_functions_free (struct frame_functions *list)
{
  for (size_t i = 0; i < list->n_functions; i++)
    frame_function_free (&list->functions[i]);
  free (list->functions);
  *list = (struct frame_functions){ 0 };
}

void
frame_function_trim (struct frame_function *function)
{
  struct frame_row *rows
      = function->n_rows > 0
            ? realloc (function->rows, function->n_rows * sizeof *rows)
            : NULL;
  if (rows == NULL)
    return; /* the rows keep their memory */
  function->rows = rows;
  function->rows_capacity = function->n_rows;
}

/* Return whether ROW finds the CFA from FP, register number REG, and FP by the
   rule that SURE has.  */
static bool
has_frame_of (const struct frame_row *row, const struct frame_row *sure,
              uint16_t reg)
{
  return (row->cfa.kind == RULE_REG || row->cfa.kind == RULE_DEREF_REG)
         && row->cfa.reg == reg && frame_rule_equal (row->fp, sure->fp);
}

uint32_t
frame_function_fp_sure_end (const struct frame_function *function,
                            size_t index, uint32_t end, uint16_t reg,
                            uint32_t smallest)
{
  const struct frame_row *row = &function->rows[index];
  const struct frame_row *last = &function->rows[function->n_rows - 1];
  /* Up to this row the CFA is found from FP.  GCC names the register with the
     CFA as soon as it is loaded, which is before the instruction that ends the
     frame.  So the row is right for one instruction at least.  CFI that names
     the register only after the instruction that ends the frame is wrong about
     FP here, too; --lint finds such CFI.  */
  if (index > 0 && has_frame_of (row - 1, row, reg))
    return end - row->start < smallest ? end : row->start + smallest;
  /* The FP rule begins here, and the next row shows that the frame exists.  */
  bool begins = index == 0 || !frame_rule_equal (row[-1].fp, row->fp);
  return begins && row < last && has_frame_of (row + 1, row, reg) ? end
                                                                  : row->start;
}

bool
frame_function_append (struct frame_function *function,
                       const struct frame_row *row)
{
  return frame_function_append_saved (function, row, NULL);
}

bool
frame_function_append_saved (struct frame_function *function,
                             const struct frame_row *row,
                             const struct frame_rule *saved)
{
  size_t n = saved != NULL ? function->n_saved : 0;
  while (function->n_rows > 0
         && function->rows[function->n_rows - 1].start >= row->start)
    function->n_rows--;
  if (function->n_rows > 0
      && frame_row_same_rules (&function->rows[function->n_rows - 1], row)
      && (n == 0
          || memcmp (frame_function_saved (function, function->n_rows - 1),
                     saved, n * sizeof *saved)
                 == 0))
    return true;
  if (frame_function_next (function) == NULL
      || (n > 0
          && !ARRAY_ROOM (function->saved, (function->n_rows + 1) * n,
                          &function->saved_capacity)))
    return false;
  if (n > 0)
    memcpy (function->saved + function->n_rows * n, saved, n * sizeof *saved);
  function->rows[function->n_rows++] = *row;
  return true;
}

const struct frame_row *
frame_function_row_at (const struct frame_function *function, uint64_t offset,
                       size_t *index, uint64_t *end)
{
  uint64_t block = 0, next = function->size;
  /* In repeated blocks the rows apply to each block.  A single row that starts
     at 0 applies everywhere, whatever the block.  */
  if (function->repeat != 0
      && !(function->n_rows == 1 && function->rows[0].start == 0))
    {
      block = offset - offset % function->repeat;
      next = block + function->repeat < next ? block + function->repeat : next;
      *index = 0;
    }
  size_t i = *index;
  while (i < function->n_rows && block + function->rows[i].start <= offset)
    i++;
  if (i < function->n_rows && block + function->rows[i].start < next)
    next = block + function->rows[i].start;
  if (next < *end)
    *end = next;
  *index = i > 0 ? i - 1 : 0;
  return i > 0 ? &function->rows[i - 1] : NULL;
}

/* Return the row that FUNCTION keeps at OFFSET when RIVAL describes the same
   code.  INDEXES are those of frame_function_row_at for both functions.  */
static struct frame_row
disputed_row (const struct frame_function *function,
              const struct frame_function *rival, uint64_t offset,
              size_t indexes[2], uint64_t *end)
{
  struct frame_rule unknown = frame_rule_unsupported (REASON_OVERLAP);
  struct frame_row row = {
    .start = (uint32_t)offset, .cfa = unknown, .ra = unknown, .fp = unknown
  };
  const struct frame_row *own
      = frame_function_row_at (function, offset, &indexes[0], end);
  uint64_t pc = function->address + offset;
  bool agreed = true;
  if (pc < rival->address)
    {
      if (rival->address - function->address < *end)
        *end = rival->address - function->address;
    }
  else if (pc - rival->address < rival->size)
    {
      uint64_t rival_end = *end + function->address - rival->address;
      const struct frame_row *other = frame_function_row_at (
          rival, pc - rival->address, &indexes[1], &rival_end);
      *end = rival_end + rival->address - function->address;
      agreed = own != NULL && other != NULL
               && frame_row_same_rules (own, other)
               && function->signal == rival->signal
               && function->b_key == rival->b_key;
    }
  if (!agreed || own == NULL)
    return row;
  row = *own;
  row.start = (uint32_t)offset;
  return row;
}

void
frame_function_take_rows (struct frame_function *function,
                          struct frame_function *other)
{
  free (function->rows);
  function->rows = other->rows;
  function->n_rows = other->n_rows;
  function->rows_capacity = other->rows_capacity;
  function->n_saved = 0;
  *other = (struct frame_function){ 0 };
}

bool
frame_function_dispute (struct frame_function *function,
                        const struct frame_function *rival)
{
  struct frame_function disputed = { .n_rows = 0 };
  size_t indexes[2] = { 0, 0 };
  uint64_t end;
  for (uint64_t offset = 0; offset < function->size; offset = end)
    {
      end = function->size;
      const struct frame_row row
          = disputed_row (function, rival, offset, indexes, &end);
      if (!frame_function_append (&disputed, &row))
        {
          frame_function_free (&disputed);
          return false;
        }
    }
  frame_function_take_rows (function, &disputed);
  return true;
}

bool
frame_function_is_disputed (const struct frame_function *function,
                            uint64_t size)
{
  for (size_t i = 0; i < function->n_rows; i++)
    if (function->rows[i].start < size
        && function->rows[i].cfa.kind == RULE_UNSUPPORTED
        && function->rows[i].cfa.reason == REASON_OVERLAP)
      return true;
  return false;
}

void
frame_function_drop_front (struct frame_function *function, uint32_t size)
{
  size_t first = 0;
  while (first + 1 < function->n_rows
         && function->rows[first + 1].start <= size)
    first++;
  function->n_rows -= first;
  for (size_t i = 0; i < function->n_rows; i++)
    {
      struct frame_row *row = &function->rows[i];
      *row = function->rows[first + i];
      row->start = row->start > size ? row->start - size : 0;
    }
  function->address += size;
  function->size -= size;
  function->n_saved = 0;
  if (function->size == 0)
    function->n_rows = 0;
}
