/* The rules of all registers at one address of code, by its CFI.
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
  /* FDEs of hostile files lie in each other; so many are looked at.  */
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

static void
set_rule (struct run *run, uint64_t number, struct register_rule rule)
{
  if (number < REGISTER_RULES_MAX)
    run->rules->registers[number] = rule;
}

static void
set_offset (struct run *run, const struct cfa_instruction *instruction,
            enum register_rule_kind kind)
{
  const struct register_rule rule
      = { .kind = kind, .offset = (uint64_t)instruction->offset };
  set_rule (run, instruction->reg, rule);
}

static void
set_expression (struct register_rule *rule, enum register_rule_kind kind,
                const struct cfa_instruction *instruction)
{
  *rule = (struct register_rule){ .kind = kind,
                                  .expression = instruction->block,
                                  .size = instruction->block_size };
}

static bool
define_cfa (struct run *run, uint64_t number, uint64_t offset)
{
  run->rules->cfa = (struct register_rule){ .kind = REGISTER_SUM,
                                            .number = number,
                                            .offset = offset };
  return true;
}

/* Change a part of the CFA's rule.  */
static bool
redefine_cfa (struct run *run, uint64_t number, uint64_t offset)
{
  return run->rules->cfa.kind == REGISTER_SUM
         && define_cfa (run, number, offset);
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

static bool
restore_remembered (struct run *run)
{
  if (run->depth == 0)
    return false;
  *run->rules = run->states[--run->depth];
  return true;
}

static bool
restore (struct run *run, uint64_t number)
{
  if (run->initial != NULL && number < REGISTER_RULES_MAX)
    run->rules->registers[number] = run->initial->registers[number];
  return run->initial != NULL;
}

static bool
set_location (struct run *run, uint64_t address)
{
  uint64_t from = run->location;
  run->location = address;
  return address >= from;
}

/* Execute what gives a register a rule.  */
static bool
execute_register (struct run *run, const struct cfa_instruction *instruction)
{
  const uint64_t number = instruction->reg;
  struct register_rule rule = { .kind = REGISTER_NO_RULE };
  switch (instruction->opcode)
    {
    case CFA_OFFSET:
    case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
      set_offset (run, instruction, REGISTER_AT_CFA);
      return true;
    case CFA_VAL_OFFSET:
      set_offset (run, instruction, REGISTER_CFA);
      return true;
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
      set_expression (&rule, REGISTER_AT_EXPRESSION, instruction);
      break;
    case CFA_VAL_EXPRESSION:
      set_expression (&rule, REGISTER_VALUE, instruction);
      break;
    case CFA_RESTORE:
      return restore (run, number);
    default:
      return false;
    }
  set_rule (run, number, rule);
  return true;
}

static bool
execute (struct run *run, const struct cfa_instruction *instruction)
{
  const struct register_rule *cfa = &run->rules->cfa;
  const uint64_t number = instruction->reg;
  const uint64_t offset = (uint64_t)instruction->offset;
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
      return define_cfa (run, number, offset);
    case CFA_DEF_CFA_REGISTER:
      return redefine_cfa (run, number, cfa->offset);
    case CFA_DEF_CFA_OFFSET:
      return redefine_cfa (run, cfa->number, offset);
    case CFA_DEF_CFA_EXPRESSION:
      set_expression (&run->rules->cfa, REGISTER_VALUE, instruction);
      return true;
    case CFA_REMEMBER_STATE:
      return remember (run);
    case CFA_RESTORE_STATE:
      return restore_remembered (run);
    /* Walks take signatures off without having been told.  */
    case CFA_AARCH64_NEGATE_RA_STATE:
    case CFA_AARCH64_NEGATE_RA_STATE_WITH_PC:
      return run->section->arch->ra_signing;
    default:
      return execute_register (run, instruction);
    }
}

/* Execute SIZE BYTES of instructions, until the location is behind the wanted
   one.  */
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

/* The FDE with ADDRESS, or NULL; of several, the one that begins last.  */
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
register_rules_are_there (const struct cfi_source *source, uint64_t address)
{
  return find_fde (source, address) != NULL;
}

/* Whether FDE can be taken as it is.  */
static bool
is_sound (const struct cfi_source *source, const struct cfi_fde *fde)
{
  enum frame_reason reason = source->problem (source->context, fde);
  return reason == REASON_NONE || reason == REASON_FP_UNKNOWN;
}

bool
register_rules_find (const struct cfi_source *source, uint64_t address,
                     struct register_rules *rules)
{
  const struct cfi_section *section = &source->cfi;
  const struct cfi_fde *fde = find_fde (source, address);
  if (fde == NULL || !is_sound (source, fde))
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
