/* CFI that the code contradicts: rows, and what to say of them.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/disproof.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/rule_text.h"
#include "base/array.h"

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

/* Words.  */

/* The name of REG; machines whose code is analysed have one for each.  */
static const char *
register_name (const struct code_machine *machine, unsigned reg)
{
  const struct arch *arch = machine->arch;
  return reg < arch->n_register_names ? arch->register_names[reg] : "?";
}

static void
describe_cfa (const struct disproof *disproof,
              const struct code_machine *machine, char does[DISPROOF_TEXT_MAX])
{
  struct value value = disproof->value;
  const char *reg = register_name (machine, disproof->row.cfa.reg);
  int64_t offset = disproof->row.cfa.offset;
  if (value.kind == VALUE_CFA && disproof->row.cfa.kind == RULE_REG)
    snprintf (does, DISPROOF_TEXT_MAX, "%s%+" PRId64, reg,
              offset - (int64_t)value.number);
  else if (value.kind == VALUE_CFA)
    snprintf (does, DISPROOF_TEXT_MAX, "%" PRId64 " bytes away",
              -(int64_t)value.number);
  else if (value.kind == VALUE_BASE)
    snprintf (does, DISPROOF_TEXT_MAX, "%s %s%+" PRId64,
              disproof->base_is_below ? "more than" : "at least", reg,
              offset - (int64_t)value.number - disproof->base_limit);
  else
    snprintf (does, DISPROOF_TEXT_MAX, "elsewhere: %s is the caller's %s", reg,
              register_name (machine, (unsigned)value.number));
}

/* Of the RA or the FP, which REG is for.  */
static void
describe_register (const struct disproof *disproof,
                   const struct code_machine *machine, unsigned reg,
                   char does[DISPROOF_TEXT_MAX])
{
  struct value value = disproof->value;
  char at[48] = "";
  if (disproof->kept_at.kind == VALUE_CFA)
    snprintf (at, sizeof at, "; the caller's is at CFA%+" PRId64,
              (int64_t)disproof->kept_at.number);
  else if (disproof->kept_at.kind == VALUE_BASE)
    snprintf (at, sizeof at, "; the caller's is in the stack");
  struct frame_rule rule = row_rule (&disproof->row, disproof->kind);
  if (rule.kind == RULE_DEREF_REG && value.kind == VALUE_OPAQUE)
    snprintf (does, DISPROOF_TEXT_MAX, "%s is the caller's again",
              register_name (machine, rule.reg));
  else if (rule.kind == RULE_DEREF_CFA && value.kind == VALUE_OPAQUE
           && disproof->kept_at.kind == VALUE_CFA)
    snprintf (does, DISPROOF_TEXT_MAX, "nothing was saved there%s", at);
  else if (rule.kind == RULE_DEREF_CFA && value.kind == VALUE_OPAQUE)
    snprintf (does, DISPROOF_TEXT_MAX,
              "nothing was saved there; %s is still the caller's",
              register_name (machine, reg));
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
disproof_describe (const struct disproof *disproof,
                   const struct code_machine *machine,
                   char says[DISPROOF_TEXT_MAX], char does[DISPROOF_TEXT_MAX])
{
  const struct frame_row *row = &disproof->row;
  bool is_ra = disproof->kind == ROW_RA;
  unsigned reg = is_ra ? machine->arch->ra : machine->arch->fp;
  char text[RULE_TEXT];
  snprintf (
      says, DISPROOF_TEXT_MAX, "%s",
      rule_text (machine->arch, row_rule (row, disproof->kind), reg, text));
  if (disproof->kind == ROW_CFA)
    describe_cfa (disproof, machine, does);
  else
    describe_register (disproof, machine, reg, does);
}
