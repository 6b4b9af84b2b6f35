/* CFI that the code contradicts.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "code/disproof.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"
#include "code/state_row.h"

struct comparison
{
  struct disproofs *disproofs;
  const struct code_request *request;
  const struct code_machine *machine;
  size_t function;             /* index of the known function looked at last */
  const struct frame_row *row; /* found last, for SIZE bytes from START on */
  uint64_t start, size;
  uint64_t last; /* instruction looked at last */
  bool failed;   /* memory ran out */
};

/* The row of FUNCTION that is in force at ADDRESS, or NULL, is what COMPARISON
   has from now on.  */
static void
take_row (struct comparison *comparison, const struct frame_function *function,
          uint64_t address)
{
  uint64_t offset = address - function->address;
  size_t n = function->n_rows;
  size_t behind = SEARCH_FIRST (n, i, function->rows[i].start > offset);
  uint64_t start = behind > 0 ? function->rows[behind - 1].start : 0;
  uint64_t end = behind < n ? function->rows[behind].start : function->size;
  if (end > function->size)
    end = function->size;
  bool is_known = behind > 0 && !function->from_plt && !function->signal;
  comparison->row = is_known ? &function->rows[behind - 1] : NULL;
  comparison->start = function->address + start;
  comparison->size = end - start;
}

/* The row of the known function at ADDRESS that is in force there, or NULL.
   Addresses come in stretches that ascend.  */
static const struct frame_row *
find_row (struct comparison *comparison, uint64_t address)
{
  if (address - comparison->start < comparison->size)
    return comparison->row;
  const struct frame_function *known = comparison->request->known;
  size_t n = comparison->request->n_known;
  const struct frame_function *function = &known[comparison->function];
  if (n == 0)
    return NULL;
  if (address < function->address
      || address - function->address >= function->size)
    {
      size_t at
          = SEARCH_FIRST (n, i, known[i].address + known[i].size > address);
      if (at == n || known[at].address > address)
        return NULL;
      comparison->function = at;
      function = &known[at];
    }
  take_row (comparison, function, address);
  return comparison->row;
}

static bool
same_finding (const struct disproof *a, const struct disproof *b)
{
  return a->kind == b->kind && a->entry == b->entry
         && value_equal (a->value, b->value)
         && value_equal (a->kept_at, b->kept_at)
         && frame_row_same_rules (&a->row, &b->row);
}

static void
add_finding (struct comparison *comparison, const struct disproof *finding)
{
  struct disproofs *disproofs = comparison->disproofs;
  struct disproof *last
      = disproofs->n > 0 ? &disproofs->list[disproofs->n - 1] : NULL;
  if (last && last->end == finding->start && same_finding (last, finding))
    {
      last->end = finding->end;
      last->bytes += finding->bytes;
      return;
    }
  if (ARRAY_ROOM (disproofs->list, disproofs->n + 1, &disproofs->capacity))
    disproofs->list[disproofs->n++] = *finding;
  else
    comparison->failed = true;
}

/* What overwrote a register does not matter, and differs along the way.  */
static void
forget_details (struct value *value)
{
  if (!value_is_stack (*value) && value->kind != VALUE_SAVED
      && value->kind != VALUE_SIGNED)
    *value = value_of (VALUE_OPAQUE, 0);
}

static void
compare (void *argument, uint64_t entry, bool certain, uint64_t address,
         const struct insn *insn, const struct state *state)
{
  struct comparison *comparison = argument;
  const struct frame_row *row
      = certain ? find_row (comparison, address) : NULL;
  uint64_t before = comparison->last;
  comparison->last = address;
  if (!row)
    return;
  struct disproof finding = {
    .entry = entry,
    .start = address,
    .end = address + insn->size,
    .bytes = insn->size,
    .since = before < address && address - before < 16 ? before : address,
    .row = *row,
    .base_limit = state->base_limit,
    .base_is_below = state->base_is_below,
  };
  if (state_check_cfa (state, comparison->machine, row) == VERDICT_CONTRADICTS)
    {
      finding.kind = DISPROOF_CFA;
      finding.value = state_cfa_value (state, comparison->machine, row);
    }
  else if (state_check_ra (state, comparison->machine, row)
           == VERDICT_CONTRADICTS)
    {
      finding.kind = DISPROOF_RA;
      finding.value = state_ra_value (state, comparison->machine, row);
      finding.kept_at = state_ra_place (state, comparison->machine);
    }
  else if (state_check_fp (state, comparison->machine, row)
           == VERDICT_CONTRADICTS)
    {
      finding.kind = DISPROOF_FP;
      finding.value = state_fp_value (state, comparison->machine, row);
      finding.kept_at = state_fp_place (state, comparison->machine);
    }
  else
    return;
  forget_details (&finding.value);
  add_finding (comparison, &finding);
}

static int
compare_findings (const void *a, const void *b)
{
  const struct disproof *left = a, *right = b;
  if (left->start != right->start)
    return left->start < right->start ? -1 : 1;
  return (left->end < right->end) - (left->end > right->end);
}

/* Whether there is nothing but unreached padding from START to END.  */
static bool
is_gap (const struct claims *claims, uint64_t start, uint64_t end)
{
  return start <= end && end - start < 16
         && (start == end || !claims_find (claims, start));
}

/* Forget what not all functions that get there agree upon, and what several of
   them found; put together what the labels of a unit cut.  */
static void
keep_certain (struct disproofs *disproofs, const struct claims *claims)
{
  size_t n = 0;
  uint64_t reached = 0;
  if (disproofs->n > 0)
    qsort (disproofs->list, disproofs->n, sizeof *disproofs->list,
           compare_findings);
  for (size_t i = 0; i < disproofs->n; i++)
    {
      struct disproof *finding = &disproofs->list[i];
      struct disproof *last = n > 0 ? &disproofs->list[n - 1] : NULL;
      const struct claim *claim = claims_find (claims, finding->start);
      if (finding->start < reached || !claim || claim->row == CLAIM_NOTHING)
        continue;
      reached = finding->end;
      if (last && is_gap (claims, last->end, finding->start)
          && same_finding (last, finding))
        {
          last->end = finding->end;
          last->bytes += finding->bytes;
        }
      else
        disproofs->list[n++] = *finding;
    }
  disproofs->n = n;
}

bool
disproofs_find (struct disproofs *disproofs, struct claims *claims,
                const struct code_request *request,
                struct code_summary *summary, struct error *err)
{
  *disproofs = (struct disproofs){ 0 };
  struct comparison comparison
      = { .disproofs = disproofs,
          .request = request,
          .machine = code_machine_of (request->image->arch) };
  struct code_request own = *request;
  own.see = compare;
  own.distrust = NULL;
  own.argument = &comparison;
  bool ok = code_analyse (&own, claims, summary, err)
            && (!comparison.failed || error_set_no_memory (err));
  if (ok)
    keep_certain (disproofs, claims);
  else
    disproofs_free (disproofs);
  return ok;
}

void
disproofs_free (struct disproofs *disproofs)
{
  free (disproofs->list);
  *disproofs = (struct disproofs){ 0 };
}

/* Words.  */

static const char *
register_name (const struct code_machine *machine, unsigned reg)
{
  return reg < machine->n_registers ? machine->register_names[reg] : "?";
}

/* "rsp+16": RULE's value, or the place it is loaded from.  */
static void
describe_rule (struct frame_rule rule, const struct code_machine *machine,
               const char *own, char text[DISPROOF_TEXT_MAX])
{
  const char *reg = register_name (machine, rule.reg);
  switch (rule.kind)
    {
    case RULE_SAME:
      snprintf (text, DISPROOF_TEXT_MAX, "in %s", own);
      return;
    case RULE_REG:
      snprintf (text, DISPROOF_TEXT_MAX, "%s%+" PRId32, reg, rule.offset);
      return;
    case RULE_DEREF_REG:
      snprintf (text, DISPROOF_TEXT_MAX, "at %s%+" PRId32, reg, rule.offset);
      return;
    case RULE_CFA:
      snprintf (text, DISPROOF_TEXT_MAX, "CFA%+" PRId32, rule.offset);
      return;
    case RULE_DEREF_CFA:
      snprintf (text, DISPROOF_TEXT_MAX, "at CFA%+" PRId32, rule.offset);
      return;
    default:
      snprintf (text, DISPROOF_TEXT_MAX, "unknown");
      return;
    }
}

static void
describe_cfa (const struct disproof *finding,
              const struct code_machine *machine, char does[DISPROOF_TEXT_MAX])
{
  struct value value = finding->value;
  const char *reg = register_name (machine, finding->row.cfa.reg);
  int64_t offset = finding->row.cfa.offset;
  if (value.kind == VALUE_CFA && finding->row.cfa.kind == RULE_REG)
    snprintf (does, DISPROOF_TEXT_MAX, "%s%+" PRId64, reg,
              offset - (int64_t)value.number);
  else if (value.kind == VALUE_CFA)
    snprintf (does, DISPROOF_TEXT_MAX, "%" PRId64 " bytes away",
              -(int64_t)value.number);
  else if (value.kind == VALUE_BASE)
    snprintf (does, DISPROOF_TEXT_MAX, "%s %s%+" PRId64,
              finding->base_is_below ? "more than" : "at least", reg,
              offset - (int64_t)value.number - finding->base_limit);
  else
    snprintf (does, DISPROOF_TEXT_MAX, "elsewhere: %s is the caller's %s", reg,
              register_name (machine, (unsigned)value.number));
}

/* Of the RA or the FP, which REG is for.  */
static void
describe_register (const struct disproof *finding,
                   const struct code_machine *machine, unsigned reg,
                   char does[DISPROOF_TEXT_MAX])
{
  struct value value = finding->value;
  char at[48] = "";
  if (finding->kept_at.kind == VALUE_CFA)
    snprintf (at, sizeof at, "; the caller's is at CFA%+" PRId64,
              (int64_t)finding->kept_at.number);
  else if (finding->kept_at.kind == VALUE_BASE)
    snprintf (at, sizeof at, "; the caller's is in the stack");
  if (finding->row.fp.kind == RULE_DEREF_REG && value.kind == VALUE_OPAQUE)
    snprintf (does, DISPROOF_TEXT_MAX, "%s is the caller's again",
              register_name (machine, finding->row.fp.reg));
  else if (value.kind == VALUE_SIGNED)
    snprintf (does, DISPROOF_TEXT_MAX, "the return address is there, signed");
  else if (value.kind == VALUE_SAVED && value.number == reg)
    snprintf (does, DISPROOF_TEXT_MAX, "it is there, not signed");
  else if (value.kind == VALUE_SAVED)
    snprintf (does, DISPROOF_TEXT_MAX, "the caller's %s is there%s",
              register_name (machine, (unsigned)value.number), at);
  else if (value.kind == VALUE_OPAQUE)
    snprintf (does, DISPROOF_TEXT_MAX, "%s was overwritten%s",
              register_name (machine, reg), at);
  else
    snprintf (does, DISPROOF_TEXT_MAX, "an address in the stack is there%s",
              at);
}

void
disproof_describe (const struct disproof *finding,
                   const struct code_machine *machine,
                   char says[DISPROOF_TEXT_MAX], char does[DISPROOF_TEXT_MAX])
{
  const struct frame_row *row = &finding->row;
  bool is_ra = finding->kind == DISPROOF_RA;
  unsigned reg = is_ra ? machine->arch->ra : machine->arch->fp;
  describe_rule (finding->kind == DISPROOF_CFA ? row->cfa
                 : is_ra                       ? row->ra
                                               : row->fp,
                 machine, register_name (machine, reg), says);
  if (finding->kind == DISPROOF_CFA)
    describe_cfa (finding, machine, does);
  else
    describe_register (finding, machine, reg, does);
}
