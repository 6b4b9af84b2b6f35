/* The version-neutral model of a function's frame rows.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "frame/frame.h"

#include <stdlib.h>
#include <string.h>

static const struct
{
  const char *name;
  const char *text;
} reasons[REASON_COUNT] = {
  [REASON_NONE] = { "none", "nothing" },
  [REASON_CFA_REGISTER]
  = { "cfa-register", "CFA based on a register other than SP and FP" },
  [REASON_CFA_EXPRESSION]
  = { "cfa-expression", "CFA by a DWARF expression without SFrame form" },
  [REASON_CFA_UNDEFINED] = { "cfa-undefined", "no CFA rule" },
  [REASON_FP_REGISTER] = { "fp-register", "FP kept in another register" },
  [REASON_FP_EXPRESSION]
  = { "fp-expression", "FP by a DWARF expression without SFrame form" },
  [REASON_FP_VALUE] = { "fp-value", "FP is the CFA plus an offset" },
  [REASON_FP_UNDEFINED] = { "fp-undefined", "FP declared undefined" },
  [REASON_FP_WITHOUT_RA]
  = { "fp-without-ra", "FP saved on the stack, RA not" },
  [REASON_RA_REGISTER] = { "ra-register", "RA kept in another register" },
  [REASON_RA_EXPRESSION]
  = { "ra-expression", "RA by a DWARF expression without SFrame form" },
  [REASON_RA_VALUE] = { "ra-value", "RA is the CFA plus an offset" },
  [REASON_RA_OFFSET] = { "ra-offset", "RA in a slot of its own" },
  [REASON_RA_UNDEFINED] = { "ra-undefined", "outermost frame (RA undefined)" },
  [REASON_RA_SAME] = { "ra-same", "RA declared unchanged" },
  [REASON_SP_RULE] = { "sp-rule", "caller's SP is not the one of the ABI" },
  [REASON_RA_COLUMN]
  = { "ra-column", "return address column is not the one of the ABI" },
  [REASON_RA_SIGNING] = { "ra-signing", "RA signing without SFrame form" },
  [REASON_SIGNAL_FRAME] = { "signal-frame", "signal trampoline" },
  [REASON_OFFSET_RANGE] = { "offset-range", "offset without SFrame form" },
  [REASON_REGISTER_RANGE] = { "register-range", "register number too large" },
  [REASON_BAD_INSTRUCTION]
  = { "bad-instruction", "unknown or truncated CFA instruction" },
  [REASON_BAD_STATE]
  = { "bad-state", "CFA instruction without the state it needs" },
  [REASON_BAD_ENTRY] = { "bad-entry", "damaged CIE or FDE" },
  [REASON_AUGMENTATION] = { "augmentation", "unknown CIE augmentation" },
  [REASON_POINTER_ENCODING]
  = { "pointer-encoding", "pointer encoding not understood" },
  [REASON_RELOCATED]
  = { "relocated", "the FDE is filled in by relocations at load time" },
  [REASON_NOT_EXECUTABLE]
  = { "not-executable", "range outside the executable segments" },
  [REASON_EMPTY_RANGE] = { "empty-range", "FDE of zero size" },
  [REASON_OVERLAP] = { "overlap", "range overlaps an earlier FDE" },
  [REASON_FUNCTION_SIZE] = { "function-size", "range of 4 GiB or more" },
};

const char *
frame_reason_name (enum frame_reason reason)
{
  return reasons[reason].name;
}

const char *
frame_reason_text (enum frame_reason reason)
{
  return reasons[reason].text;
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
  free (function->rows);
  free (function->saved);
  *function = (struct frame_function){ 0 };
}

struct frame_row *
frame_function_grow (struct frame_function *function)
{
  size_t capacity = function->rows_capacity ? 2 * function->rows_capacity : 64;
  struct frame_row *rows
      = reallocarray (function->rows, capacity, sizeof *rows);
  if (rows == NULL)
    return NULL;
  function->rows = rows;
  function->rows_capacity = capacity;
  return &rows[function->n_rows];
}

bool
frame_function_append (struct frame_function *function,
                       const struct frame_row *row)
{
  struct frame_row *next = frame_function_next (function);
  if (next == NULL)
    return false;
  *next = *row;
  frame_function_keep_next (function);
  return true;
}

static bool
saved_equal (const struct frame_rule *a, const struct frame_rule *b, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (!frame_rule_equal (a[i], b[i]))
      return false;
  return true;
}

bool
frame_function_append_saved (struct frame_function *function,
                             const struct frame_row *row,
                             const struct frame_rule *saved)
{
  size_t n = function->n_saved;
  while (function->n_rows > 0
         && function->rows[function->n_rows - 1].start >= row->start)
    function->n_rows--;
  if (function->n_rows > 0
      && frame_row_same_rules (&function->rows[function->n_rows - 1], row)
      && saved_equal (frame_function_saved (function, function->n_rows - 1),
                      saved, n))
    return true;
  if (frame_function_next (function) == NULL)
    return false;
  if ((function->n_rows + 1) * n > function->saved_capacity)
    {
      size_t capacity = 2 * (function->n_rows + 1) * n;
      struct frame_rule *grown
          = reallocarray (function->saved, capacity, sizeof *grown);
      if (grown == NULL)
        return false;
      function->saved = grown;
      function->saved_capacity = capacity;
    }
  if (n > 0)
    memcpy (function->saved + function->n_rows * n, saved, n * sizeof *saved);
  function->rows[function->n_rows++] = *row;
  return true;
}
