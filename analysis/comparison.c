/* Comparing rows of CFI with states, and merging the disproofs.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/comparison.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"

/* ---- Lists of disproofs */

void
disproofs_free (struct disproofs *disproofs)
{
  free (disproofs->list);
  *disproofs = (struct disproofs){ 0 };
}

bool
disproofs_add (struct disproofs *disproofs, struct code_function *function,
               const struct disproof *list, size_t n)
{
  if (!ARRAY_ROOM (disproofs->list, disproofs->n + n, &disproofs->capacity))
    return false;
  for (size_t i = 0; i < n; i++)
    {
      struct disproof *disproof = &disproofs->list[disproofs->n++];
      *disproof = list[i];
      disproof->conclusion = function->conclusion;
    }
  function->n_disproofs += (uint32_t)n;
  return true;
}

void
disproofs_retract (struct disproofs *disproofs,
                   const struct functions *functions,
                   struct code_function *function)
{
  function->conclusion++;
  if (function->n_disproofs == 0)
    return;
  disproofs->n_stale += function->n_disproofs;
  function->n_disproofs = 0;
  if (disproofs->n_stale > disproofs->n / 2)
    disproofs_drop_stale (disproofs, functions);
}

void
disproofs_drop_stale (struct disproofs *disproofs,
                      const struct functions *functions)
{
  size_t n = 0;
  for (size_t i = 0; i < disproofs->n; i++)
    {
      const struct disproof *disproof = &disproofs->list[i];
      if (disproof->conclusion
          == functions_at (functions, disproof->entry)->conclusion)
        disproofs->list[n++] = *disproof;
    }
  disproofs->n = n;
  disproofs->n_stale = 0;
}

/* ---- Comparing */

const struct frame_row *
row_search_find (struct row_search *search, uint64_t address)
{
  if (address - search->start < search->size)
    return search->row;
  const struct frame_function *function
      = frame_functions_find (search->functions, search->n, address);
  if (!function)
    return NULL;
  uint64_t offset = address - function->address;
  size_t n = function->n_rows;
  size_t behind = SEARCH_FIRST (n, i, function->rows[i].start > offset);
  uint64_t start = behind > 0 ? function->rows[behind - 1].start : 0;
  uint64_t end = behind < n ? function->rows[behind].start : function->size;
  if (end > function->size)
    end = function->size;
  bool is_known = behind > 0 && !function->from_plt && !function->signal
                  && function->repeat == 0;
  search->row = is_known ? &function->rows[behind - 1] : NULL;
  search->start = function->address + start;
  search->size = end - start;
  return search->row;
}

static bool
same_disproof (const struct disproof *a, const struct disproof *b)
{
  return a->kind == b->kind && a->entry == b->entry
         && value_equal (a->value, b->value)
         && value_equal (a->saved_at, b->saved_at)
         && a->without_fp == b->without_fp
         && frame_row_same_rules (&a->row, &b->row);
}

static void
add_disproof (struct comparison *comparison, const struct disproof *disproof)
{
  struct disproofs *disproofs = comparison->disproofs;
  struct disproof *last = disproofs->n > comparison->first
                              ? &disproofs->list[disproofs->n - 1]
                              : NULL;
  if (last && last->end == disproof->start && same_disproof (last, disproof))
    {
      last->end = disproof->end;
      last->bytes += disproof->bytes;
      return;
    }
  if (ARRAY_ROOM (disproofs->list, disproofs->n + 1, &disproofs->capacity))
    disproofs->list[disproofs->n++] = *disproof;
  else
    comparison->failed = true;
}

/* Reduce a value that has overwritten a register to "computed": which value it
   is does not matter, and differs between instructions.  */
static void
forget_details (struct value *value)
{
  if (!value_is_stack (*value) && value->kind != VALUE_SAVED
      && value->kind != VALUE_SIGNED)
    *value = value_of (VALUE_COMPUTED, 0);
}

/* Compare rule WHICH of ROW with STATE, as far as TRUST goes: FP is compared
   only if callee-saved registers are trusted.  If not all paths agree on SP,
   one of them may not exist, such as one from an entry too many of a jump
   table; then FP contradicts nothing.  */
static enum verdict
check (enum row_rule which, enum routine_trust trust,
       const struct state *state, bool agree, const struct frame_row *row)
{
  bool is_unknown = row->fp.kind == RULE_UNSUPPORTED
                    && row->fp.reason == REASON_FP_UNKNOWN;
  if (which == ROW_FP && (trust != TRUST_ALL || is_unknown))
    return VERDICT_AGREES;
  enum verdict verdict = state_check (state, which, row);
  return which == ROW_FP && verdict == VERDICT_CONTRADICTS && !agree
             ? VERDICT_UNKNOWN
             : verdict;
}

void
comparison_begin (struct comparison *comparison)
{
  comparison->first = comparison->disproofs->n;
  comparison->has_compared = comparison->may_have_more_on_stack = false;
  comparison->agrees_later = comparison->has_undecided_rule = false;
}

bool
comparison_doubts_entry (const struct comparison *comparison)
{
  return !comparison->agrees_later
         && (comparison->may_have_more_on_stack || !comparison->has_compared);
}

void
comparison_compare (struct comparison *comparison, uint64_t entry,
                    enum routine_trust trust, const struct insn *insn,
                    const struct state *state, struct value sp)
{
  const uint64_t address = insn->address;
  const struct frame_row *row
      = trust != TRUST_CFI_ALONE ? row_search_find (&comparison->cfi, address)
                                 : NULL;
  uint64_t before = address == entry ? address : comparison->last;
  enum row_rule wrong = ROW_RULES;
  comparison->last = address;
  if (!row)
    return;
  comparison->has_compared = true;
  for (unsigned i = 0; i < ROW_RULES; i++)
    {
      enum row_rule which = (enum row_rule)i;
      enum verdict verdict
          = check (which, trust, state, value_is_stack (sp), row);
      comparison->agrees_later |= which == ROW_CFA && verdict == VERDICT_AGREES
                                  && !state_is_at_entry (state);
      comparison->has_undecided_rule
          |= verdict == VERDICT_UNKNOWN && row->cfa.kind != RULE_PLT;
      if (verdict == VERDICT_CONTRADICTS && wrong == ROW_RULES)
        wrong = which;
    }
  if (wrong == ROW_RULES)
    return;
  struct disproof disproof = {
    .kind = wrong,
    .entry = entry,
    .start = address,
    .end = address + insn->size,
    .bytes = insn->size,
    .since = before < address && address - before < 16 ? before : address,
    .row = *row,
    .value = state_rule_value (state, wrong, row),
    .saved_at = state_saved_at (state, wrong),
    .base_limit = state->base_limit,
    .base_is_below = state->base_is_below,
    .without_fp = trust == TRUST_STACK,
  };
  /* A row whose CFA is below the right one is wrong even if the function was
     entered with more on the stack.  */
  comparison->may_have_more_on_stack
      |= !(wrong == ROW_CFA && disproof.value.kind == VALUE_CFA
           && disproof.value.number < 0);
  forget_details (&disproof.value);
  add_disproof (comparison, &disproof);
}

static int
compare_disproofs (const void *a, const void *b)
{
  const struct disproof *left = a, *right = b;
  if (left->start != right->start)
    return left->start < right->start ? -1 : 1;
  return (left->end < right->end) - (left->end > right->end);
}

/* Drop disproofs on which functions disagree, and duplicates; join those that
   the blocks of a routine have cut.  */
void
comparison_merge (struct disproofs *disproofs, const struct row_map *row_map)
{
  size_t n = 0;
  uint64_t reached = 0;
  if (disproofs->n > 0)
    qsort (disproofs->list, disproofs->n, sizeof *disproofs->list,
           compare_disproofs);
  for (size_t i = 0; i < disproofs->n; i++)
    {
      struct disproof *disproof = &disproofs->list[i];
      struct disproof *last = n > 0 ? &disproofs->list[n - 1] : NULL;
      const struct row_range *row_range
          = row_map_find (row_map, disproof->start);
      if (disproof->start < reached || !row_range
          || row_range->row == ROW_UNKNOWN)
        continue;
      reached = disproof->end;
      /* Padding that no path reaches may be in between.  */
      bool adjoins = last && last->end <= disproof->start
                     && disproof->start - last->end < 16
                     && (last->end == disproof->start
                         || !row_map_find (row_map, last->end));
      if (adjoins && same_disproof (last, disproof))
        {
          last->end = disproof->end;
          last->bytes += disproof->bytes;
        }
      else
        disproofs->list[n++] = *disproof;
    }
  disproofs->n = n;
}
