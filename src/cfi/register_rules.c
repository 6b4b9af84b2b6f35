/* The rules of all registers at one address of code, from its CFI.
   SPDX-License-Identifier: LGPL-2.1-or-later

   DWARF 5, section 6.4.  The instructions are executed up to the address.  */

#include "cfi/register_rules.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/search.h"
#include "cfi/cfa_opcode.h"

enum
{
  /* As in cfa_program.c: compilers nest remember_state once or twice.  */
  STATES_MAX = 64,
  /* The most FDEs that a search tries: those of hostile files may nest.  */
  NESTED_MAX = 64
};

struct run
{
  const struct cfi_section *section;
  const struct cfi_cie *cie;
  const struct register_rules *initial; /* for restore; NULL in a CIE */
  struct register_rules *rules;
  struct register_rules *states; /* owned; STATES_MAX */
  unsigned depth;
  uint64_t location, wanted; /* addresses */
};

/* Advance to ADDRESS.  False in a CIE, or if the address is lower.  */
static bool
set_location (struct run *run, uint64_t address)
{
  uint64_t from = run->location;
  run->location = address;
  return run->initial != NULL && address >= from;
}

static bool
remember (struct run *run)
{
  if (run->states == NULL)
    run->states = reallocarray (NULL, STATES_MAX, sizeof *run->states);
  if (run->states == NULL || run->depth == STATES_MAX)
    return false;
  run->states[run->depth++] = *run->rules;
  return true;
}

static struct register_rule
expression (enum register_rule_kind kind,
            const struct cfa_instruction *instruction)
{
  return (struct register_rule){ .kind = kind,
                                 .expression = instruction->block,
                                 .size = instruction->block_size };
}

/* Execute an instruction that sets the rule of a register.  */
static bool
execute_register (struct run *run, const struct cfa_instruction *instruction)
{
  const bool kept = instruction->reg < REGISTER_RULES_MAX;
  struct register_rule rule = { .kind = REGISTER_NO_RULE };
  switch (instruction->opcode)
    {
    case CFA_OFFSET:
    case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
      rule.kind = REGISTER_AT_CFA;
      rule.offset = (uint64_t)instruction->offset;
      break;
    case CFA_VAL_OFFSET:
      rule.kind = REGISTER_CFA;
      rule.offset = (uint64_t)instruction->offset;
      break;
    case CFA_UNDEFINED:
      rule.kind = REGISTER_UNDEFINED;
      break;
    case CFA_SAME_VALUE:
      rule.kind = REGISTER_SAME;
      break;
    case CFA_REGISTER:
      rule.kind = REGISTER_SUM;
      rule.number = instruction->value;
      break;
    case CFA_EXPRESSION:
      rule = expression (REGISTER_AT_EXPRESSION, instruction);
      break;
    case CFA_VAL_EXPRESSION:
      rule = expression (REGISTER_VALUE, instruction);
      break;
    case CFA_RESTORE:
      if (run->initial == NULL)
        return false;
      if (kept)
        rule = run->initial->registers[instruction->reg];
      break;
    default:
      return false;
    }
  if (kept)
    run->rules->registers[instruction->reg] = rule;
  return true;
}

static bool
execute (struct run *run, const struct cfa_instruction *instruction)
{
  struct register_rule *cfa = &run->rules->cfa;
  switch (instruction->opcode)
    {
    case CFA_NOP:
    case CFA_GNU_ARGS_SIZE:
      return true;
    case CFA_ADVANCE_LOC:
      return set_location (run,
                           cfa_advance (run->location, instruction->value));
    case CFA_SET_LOC:
      return set_location (run, instruction->value);
    case CFA_DEF_CFA:
      *cfa = (struct register_rule){ .kind = REGISTER_SUM,
                                     .number = instruction->reg,
                                     .offset = (uint64_t)instruction->offset };
      return true;
    case CFA_DEF_CFA_REGISTER:
      if (cfa->kind != REGISTER_SUM)
        return false;
      cfa->number = instruction->reg;
      return true;
    case CFA_DEF_CFA_OFFSET:
      if (cfa->kind != REGISTER_SUM)
        return false;
      cfa->offset = (uint64_t)instruction->offset;
      return true;
    case CFA_DEF_CFA_EXPRESSION:
      *cfa = expression (REGISTER_VALUE, instruction);
      return true;
    case CFA_REMEMBER_STATE:
      return remember (run);
    case CFA_RESTORE_STATE:
      if (run->depth == 0)
        return false;
      *run->rules = run->states[--run->depth];
      return true;
    /* Stack walks remove signatures without these rules.  */
    case CFA_AARCH64_NEGATE_RA_STATE:
    case CFA_AARCH64_NEGATE_RA_STATE_WITH_PC:
      return run->section->arch->ra_signing;
    default:
      return execute_register (run, instruction);
    }
}

/* Execute SIZE BYTES of instructions, up to the wanted location.  */
static bool
execute_all (struct run *run, const uint8_t *bytes, uint64_t size)
{
  struct cursor cursor
      = cursor_over (bytes, size, run->section->arch->big_endian);
  struct cfa_instruction instruction = { 0 };
  while (cursor_left (&cursor) > 0 && run->location <= run->wanted)
    if (!cfa_instruction_read (&cursor, run->section, run->cie, &instruction)
        || !execute (run, &instruction))
      return false;
  return true;
}

/* The FDE that has ADDRESS and, of several, begins last; or NULL.  */
static const struct cfi_fde *
find_fde (const struct cfi_source *source, uint64_t address)
{
  const struct cfi_section *section = &source->cfi;
  size_t behind
      = SEARCH_FIRST (section->n_fdes, i, section->fdes[i].address > address);
  for (size_t i = 0; i < NESTED_MAX && i < behind; i++)
    {
      const struct cfi_fde *fde = &section->fdes[behind - 1 - i];
      if (address - fde->address < fde->size)
        return fde;
    }
  return NULL;
}

bool
has_register_rules (const struct cfi_source *source, uint64_t address)
{
  return find_fde (source, address) != NULL;
}

bool
register_rules_find (const struct cfi_source *source, uint64_t address,
                     struct register_rules *rules)
{
  const struct cfi_section *section = &source->cfi;
  const struct cfi_fde *fde = find_fde (source, address);
  if (fde == NULL)
    return false;
  /* CFI without rules for FP still has those of the other registers.  */
  enum frame_reason problem = source->problem (source->context, fde);
  if (problem != REASON_NONE && problem != REASON_FP_UNKNOWN)
    return false;
  const struct cfi_cie *cie = &section->cies[fde->cie];
  *rules
      = (struct register_rules){ .ra = cie->ra_column, .signal = cie->signal };
  struct run run = { .section = section,
                     .cie = cie,
                     .rules = rules,
                     .location = fde->address,
                     .wanted = address };
  bool found = execute_all (&run, cie->instructions, cie->instructions_size);
  const struct register_rules initial = *rules;
  run.initial = &initial;
  run.depth = 0;
  found = found
          && execute_all (&run, cfi_fde_instructions (section, fde),
                          fde->instructions_size);
  free (run.states);
  return found;
}
