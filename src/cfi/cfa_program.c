/* Executing call-frame instructions: from CFI bytes to frame rows.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/cfa_program.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "cfi/cfa_opcode.h"
#include "frame/numbers.h"

enum
{
  /* Compilers nest remember_state once or twice.  */
  STATES_MAX = 64,
  /* DWARF number of RA_SIGN_STATE ("DWARF for the Arm 64-bit Architecture",
     section 4.1).  */
  RA_SIGN_STATE = 34
};

/* The current rules.  */
struct cfa_state
{
  struct frame_row row; /* state_to_row makes the final row of it */
  struct frame_rule sp; /* RULE_UNDEFINED: there is no explicit rule */
  /* With the rule of SP, the CFA has had another rule than at the function's
     entry; see note_moved_sp.  */
  bool sp_was_moved;
  /* With CFA_HAS_REGISTER the CFA's register and offset, which can be
     redefined one by one.  They have more bits than in a row, because one that
     is out of range may be redefined before a row needs it.  */
  uint64_t cfa_register;
  int64_t cfa_offset;
  bool cfa_has_register;
  bool ra_signed_with_pc;
  bool has_sign_state_rule; /* RA_SIGN_STATE has an ordinary rule */
};

/* The rules of other callee-saved registers.  They are not in struct
   cfa_state, so that only callers that track them pay for copying.  */
struct saved_state
{
  struct frame_rule rules[SAVED_REGISTERS_MAX];
};

struct cie_result
{
  bool executed;
  enum frame_reason reason;
  struct cfa_state state;
};

struct cfa_machine
{
  const struct cfi_section *section;
  const struct arch *arch;
  struct cie_result *cies; /* one per CIE of the section */
  uint64_t tracked; /* bit i is set: rules of register i matter, i < 64 */
  struct cfa_state states[STATES_MAX]; /* the stack of remember_state */
  struct frame_numbers numbers;        /* numbers the rows */
  uint64_t reach;                      /* see cfa_machine_reach */
  bool no_memory;                      /* memory ran out for rows */
  /* One per state, then one per CIE.  NULL: registers are not tracked.  */
  struct saved_state *saved;
};

/* The execution of a CIE, or of an FDE, which starts from its CIE's state.  */
struct execution
{
  struct cfa_machine *machine;
  const struct cfi_cie *cie;
  const struct cfa_state *initial; /* for restore; NULL in a CIE */
  struct cfa_state state;
  const struct saved_state *saved_initial; /* likewise */
  struct saved_state *saved; /* NULL if saved registers are not tracked */
  unsigned depth;            /* number of states on the stack */
  bool uses_set_loc;         /* the rows depend on the address */
  bool changed;              /* a tracked rule was set since the last row */
  uint64_t address, size;    /* of the function; a CIE has no end */
  uint64_t location;         /* bytes from the address */
  struct frame_function *function; /* NULL in a CIE */
};

/* ---- From the state to a row */

/* Whether SP, an explicit rule, says that another register has the caller's
   SP.  Leaf functions on s390x save r15 in a floating-point register.  */
static bool
sp_is_in_register (const struct arch *arch, struct frame_rule sp)
{
  return arch->caller_sp_offset != 0 && sp.kind == RULE_REG
         && sp.reg != arch->sp && sp.offset == 0;
}

/* Whether SP, an explicit rule for the stack pointer, has the value that stack
   tracers assume without a rule: CFA + caller_sp_offset.  */
static bool
sp_rule_is_default (const struct arch *arch, struct frame_rule sp,
                    struct frame_rule cfa)
{
  switch (sp.kind)
    {
    case RULE_CFA:
      return sp.offset == arch->caller_sp_offset;
    case RULE_SAME: /* the value is the CFA if the CFA is SP + 0 */
      sp = (struct frame_rule){ .kind = RULE_REG, .reg = arch->sp };
      break;
    case RULE_DEREF_CFA:
      /* s390x stores r15 with the other registers; the saved value is the
         caller's SP, which the ABI fixes relative to the CFA.  */
      return arch->caller_sp_offset != 0;
    case RULE_REG:
      if (sp_is_in_register (arch, sp))
        return true; /* as in a slot of the stack */
      break;
    default:
      break;
    }
  if (__builtin_sub_overflow (sp.offset, arch->caller_sp_offset, &sp.offset))
    return false;
  return frame_rule_equal (sp, cfa);
}

/* Whether the CFA has the rule of a function's entry: SP is the caller's.  */
static bool
cfa_is_initial (const struct arch *arch, struct frame_rule cfa)
{
  return cfa.kind == RULE_REG && cfa.reg == arch->sp
         && cfa.offset == -arch->caller_sp_offset;
}

/* Note in STATE, which applies to code or is remembered, whether SP was moved
   while another register has the caller's.

   GCC on s390x sets the CFA back to r15 + 160 when it restores the first
   register, which may be instructions before r15 is restored.  Tracers of
   DWARF do not notice, because they find the caller's SP in the register that
   the rule of r15 names.  Tracers of SFrame would compute it from the CFA, so
   state_to_row makes no row of such a state.  */
static void
note_moved_sp (const struct arch *arch, struct cfa_state *state)
{
  if (sp_is_in_register (arch, state->sp)
      && !cfa_is_initial (arch, state->row.cfa))
    state->sp_was_moved = true;
}

/* Whether the final row of STATE may differ from STATE's row.  RULE_UNDEFINED,
   which SP has without an explicit rule, is 0.  */
static inline bool
state_exceeds_row (const struct cfa_state *state)
{
  return (state->sp.kind | state->ra_signed_with_pc
          | state->has_sign_state_rule)
         != 0;
}

static void
state_to_row (const struct arch *arch, const struct cfa_state *state,
              struct frame_row *row)
{
  *row = state->row;
  if (state->sp.kind != RULE_UNDEFINED && row->cfa.kind != RULE_UNSUPPORTED
      && (!sp_rule_is_default (arch, state->sp, row->cfa)
          || (state->sp_was_moved && cfa_is_initial (arch, row->cfa))))
    row->cfa = frame_rule_unsupported (REASON_SP_RULE);
  if (state->ra_signed_with_pc || state->has_sign_state_rule)
    row->ra = frame_rule_unsupported (REASON_RA_SIGNING);
}

/* Append ROW, with the rules of saved registers if they are tracked.  */
static bool
append_row (struct execution *run, const struct frame_row *row)
{
  if (frame_function_append_saved (
          run->function, row, run->saved != NULL ? run->saved->rules : NULL))
    return true;
  run->machine->no_memory = true;
  return false;
}

/* Append a row for the code from the current location on.  The function is not
   inline, because the compiler would save registers for it in all cases.  */
static __attribute__ ((noinline)) bool
emit_row_slowly (struct execution *run)
{
  struct cfa_state *state = &run->state;
  const struct arch *arch = run->machine->arch;
  struct frame_row row;
  note_moved_sp (arch, state);
  state_to_row (arch, state, &row);
  row.start = (uint32_t)run->location;
  frame_numbers_give (&run->machine->numbers, &row);
  run->changed = false;
  return append_row (run, &row);
}

/* Append a row for the code from the current location on.  If an equal row was
   numbered recently and nothing else is to be done, this takes a few
   instructions.  Rows of one machine with equal rules have the same number.
   Locations ascend, so the new row is behind all others.  */
static inline bool
emit_row (struct execution *run)
{
  struct frame_function *function = run->function;
  const struct frame_row *known
      = frame_numbers_peek (&run->machine->numbers, &run->state.row);
  size_t n = function->n_rows;
  if (known == NULL || n >= function->rows_capacity
      || state_exceeds_row (&run->state) || run->saved != NULL)
    return emit_row_slowly (run);
  struct frame_row *row = &function->rows[n];
  run->changed = false;
  if (n > 0 && row[-1].number == known->number)
    return true;
  *row = *known;
  row->start = (uint32_t)run->location;
  function->n_rows = n + 1;
  return true;
}

/* ---- Instructions: REASON_NONE, or why the program is invalid */

/* Append a row for the code from the current location on, if a rule was set
   since the last row.  */
static inline enum frame_reason
emit_changes (struct execution *run)
{
  if (!run->changed)
    return REASON_NONE;
  if (run->function->n_rows == FRAME_ROWS_MAX)
    return REASON_FUNCTION_SIZE;
  return emit_row (run) ? REASON_NONE : REASON_BAD_ENTRY;
}

static enum frame_reason
advance_to (struct execution *run, uint64_t location)
{
  if (run->function == NULL)
    return REASON_BAD_STATE; /* a CIE has no location */
  if (location == run->location)
    return REASON_NONE;
  enum frame_reason reason = emit_changes (run);
  if (reason == REASON_NONE)
    run->location = location;
  return reason;
}

static enum frame_reason
advance (struct execution *run, uint64_t bytes)
{
  return advance_to (run, cfa_advance (run->location, bytes));
}

static enum frame_reason
set_loc (struct execution *run, uint64_t address)
{
  run->uses_set_loc = true;
  if (address < run->address || address - run->address < run->location)
    return REASON_BAD_INSTRUCTION; /* backwards */
  return advance_to (run, address - run->address);
}

/* The rule of REG in STATE and its SAVED, or NULL if REG is not tracked.  */
static const struct frame_rule *
rule_of (const struct arch *arch, const struct cfa_state *state,
         const struct saved_state *saved, uint64_t reg)
{
  if (reg == arch->fp)
    return &state->row.fp;
  if (reg == arch->ra)
    return &state->row.ra;
  if (reg == arch->sp)
    return &state->sp;
  for (unsigned i = 0; saved != NULL && i < arch->n_saved_registers; i++)
    if (arch->saved_registers[i] == reg)
      return &saved->rules[i];
  return NULL;
}

static bool
is_sign_state (const struct execution *run, uint64_t reg)
{
  return run->machine->arch->ra_signing && reg == RA_SIGN_STATE;
}

static void
set_rule (struct execution *run, uint64_t reg, struct frame_rule rule)
{
  /* Not const: it is in the run's own state.  */
  struct frame_rule *known = (struct frame_rule *)rule_of (
      run->machine->arch, &run->state, run->saved, reg);
  if (known == &run->state.sp)
    run->state.sp_was_moved = false;
  if (known != NULL)
    *known = rule;
  else if (is_sign_state (run, reg))
    run->state.has_sign_state_rule = true; /* SFrame has no rule for it */
  else
    return;
  run->changed = true;
}

static void
set_offset_rule (struct execution *run, uint64_t reg, uint8_t kind,
                 int64_t offset)
{
  struct frame_rule rule = { .kind = kind, .offset = (int32_t)offset };
  if (offset != rule.offset)
    rule = frame_rule_unsupported (REASON_OFFSET_RANGE);
  set_rule (run, reg, rule);
}

static enum frame_reason
restore_rule (struct execution *run, uint64_t reg)
{
  const struct cfa_state *initial = run->initial;
  if (initial == NULL)
    return REASON_BAD_STATE; /* a CIE itself sets the initial rules */
  const struct frame_rule *rule
      = rule_of (run->machine->arch, initial, run->saved_initial, reg);
  if (rule != NULL)
    set_rule (run, reg, *rule);
  else if (is_sign_state (run, reg))
    {
      /* The initial value, which negate_ra_state has changed since ("DWARF for
         the Arm 64-bit Architecture", section 4.3).  */
      run->state.row.ra_signed = initial->row.ra_signed;
      run->state.ra_signed_with_pc = initial->ra_signed_with_pc;
      run->state.has_sign_state_rule = initial->has_sign_state_rule;
      run->changed = true;
    }
  return REASON_NONE;
}

/* Set the rule of register REG: its value is in register SOURCE.  */
static void
set_register_rule (struct execution *run, uint64_t reg, uint64_t source)
{
  const struct arch *arch = run->machine->arch;
  struct frame_rule rule = { .kind = RULE_REG, .reg = (uint16_t)source };
  if (source > UINT16_MAX)
    rule = frame_rule_unsupported (REASON_REGISTER_RANGE);
  else if (source == reg)
    rule = (struct frame_rule){ .kind = RULE_SAME };
  else if (!arch_has_register (arch, source))
    rule = frame_rule_unsupported (REASON_RA_REGISTER);
  set_rule (run, reg, rule);
}

static void
set_expression_rule (struct execution *run, uint64_t reg,
                     const struct cfa_instruction *instruction,
                     enum expression_use use)
{
  const struct arch *arch = run->machine->arch;
  enum frame_reason reason
      = reg == arch->ra ? REASON_RA_EXPRESSION : REASON_FP_EXPRESSION;
  set_rule (run, reg,
            expression_rule (arch, instruction->block, instruction->block_size,
                             use, reason));
}

static void
define_cfa (struct execution *run, uint64_t reg, int64_t offset)
{
  struct cfa_state *state = &run->state;
  if (reg > UINT16_MAX)
    state->row.cfa = frame_rule_unsupported (REASON_REGISTER_RANGE);
  else if (!arch_has_register (run->machine->arch, reg))
    state->row.cfa = frame_rule_unsupported (REASON_CFA_REGISTER);
  else if (offset != (int32_t)offset)
    state->row.cfa = frame_rule_unsupported (REASON_OFFSET_RANGE);
  else
    state->row.cfa = (struct frame_rule){ .kind = RULE_REG,
                                          .reg = (uint16_t)reg,
                                          .offset = (int32_t)offset };
  state->cfa_has_register = true;
  state->cfa_register = reg;
  state->cfa_offset = offset;
  run->changed = true;
}

static enum frame_reason
redefine_cfa (struct execution *run, uint64_t reg, int64_t offset)
{
  if (!run->state.cfa_has_register)
    return REASON_BAD_STATE;
  define_cfa (run, reg, offset);
  return REASON_NONE;
}

static enum frame_reason
remember_state (struct execution *run)
{
  if (run->depth == STATES_MAX)
    return REASON_BAD_STATE;
  note_moved_sp (run->machine->arch, &run->state);
  if (run->saved != NULL)
    run->machine->saved[run->depth] = *run->saved;
  run->machine->states[run->depth++] = run->state;
  return REASON_NONE;
}

static enum frame_reason
restore_state (struct execution *run)
{
  if (run->depth == 0)
    return REASON_BAD_STATE;
  run->state = run->machine->states[--run->depth];
  if (run->saved != NULL)
    *run->saved = run->machine->saved[run->depth];
  run->changed = true;
  return REASON_NONE;
}

static enum frame_reason
negate_ra_state (struct execution *run, bool with_pc)
{
  if (!run->machine->arch->ra_signing)
    return REASON_BAD_INSTRUCTION; /* the opcode belongs to other machines */
  run->state.row.ra_signed = !run->state.row.ra_signed;
  if (with_pc)
    run->state.ra_signed_with_pc = !run->state.ra_signed_with_pc;
  run->changed = true;
  return REASON_NONE;
}

/* Whether a rule of REG has any effect.  Most rules are those of callee-saved
   registers that no row has.  */
static inline bool
is_tracked (const struct execution *run, uint64_t reg)
{
  return reg >= 64 || run->machine->tracked >> reg & 1;
}

static enum frame_reason
execute_register_rule (struct execution *run,
                       const struct cfa_instruction *instruction)
{
  uint64_t reg = instruction->reg;
  switch (instruction->opcode)
    {
    case CFA_OFFSET:
    case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
      if (is_tracked (run, reg))
        set_offset_rule (run, reg, RULE_DEREF_CFA, instruction->offset);
      return REASON_NONE;
    case CFA_VAL_OFFSET:
      set_offset_rule (run, reg, RULE_CFA, instruction->offset);
      return REASON_NONE;
    case CFA_UNDEFINED:
      set_rule (run, reg,
                reg == run->machine->arch->sp
                    ? frame_rule_unsupported (REASON_SP_RULE)
                    : (struct frame_rule){ .kind = RULE_UNDEFINED });
      return REASON_NONE;
    case CFA_SAME_VALUE:
      set_rule (run, reg, (struct frame_rule){ .kind = RULE_SAME });
      return REASON_NONE;
    case CFA_REGISTER:
      set_register_rule (run, reg, instruction->value);
      return REASON_NONE;
    case CFA_EXPRESSION:
      set_expression_rule (run, reg, instruction, EXPRESSION_ADDRESS);
      return REASON_NONE;
    case CFA_VAL_EXPRESSION:
      set_expression_rule (run, reg, instruction, EXPRESSION_VALUE);
      return REASON_NONE;
    case CFA_RESTORE:
      if (!is_tracked (run, reg) && run->initial != NULL)
        return REASON_NONE;
      return restore_rule (run, reg);
    default:
      return REASON_BAD_INSTRUCTION;
    }
}

static enum frame_reason
execute (struct execution *run, const struct cfa_instruction *instruction)
{
  switch (instruction->opcode)
    {
    case CFA_NOP:
    case CFA_GNU_ARGS_SIZE: /* bytes to pop before a landing pad is entered */
      return REASON_NONE;
    case CFA_ADVANCE_LOC:
      return advance (run, instruction->value);
    case CFA_SET_LOC:
      return set_loc (run, instruction->value);
    case CFA_DEF_CFA:
      define_cfa (run, instruction->reg, instruction->offset);
      return REASON_NONE;
    case CFA_DEF_CFA_REGISTER:
      return redefine_cfa (run, instruction->reg, run->state.cfa_offset);
    case CFA_DEF_CFA_OFFSET:
      return redefine_cfa (run, run->state.cfa_register, instruction->offset);
    case CFA_DEF_CFA_EXPRESSION:
      run->state.row.cfa = expression_rule (
          run->machine->arch, instruction->block, instruction->block_size,
          EXPRESSION_CFA, REASON_CFA_EXPRESSION);
      run->state.cfa_has_register = false;
      run->changed = true;
      return REASON_NONE;
    case CFA_REMEMBER_STATE:
      return remember_state (run);
    case CFA_RESTORE_STATE:
      return restore_state (run);
    case CFA_AARCH64_NEGATE_RA_STATE:
      return negate_ra_state (run, false);
    case CFA_AARCH64_NEGATE_RA_STATE_WITH_PC:
      return negate_ra_state (run, true);
    default:
      return execute_register_rule (run, instruction);
    }
}

/* Execute the instruction at AT without decoding it into a struct
   cfa_instruction, if it is one of the most frequent ones.  Together with
   advance_loc, nearly all programs consist of these.  Returns the size of the
   instruction, or 0 if nothing was done.  */
static inline unsigned
execute_quickly (struct execution *run, const uint8_t *at, const uint8_t *end)
{
  struct cfa_state *state = &run->state;
  if (at[0] == CFA_NOP)
    return 1;
  if (end - at < 2)
    return 0;
  if ((at[0] & CFA_PRIMARY) == CFA_OFFSET)
    return at[1] >= 0x80 || is_tracked (run, at[0] & CFA_LOW) ? 0 : 2;
  if (at[0] != CFA_DEF_CFA_OFFSET || !state->cfa_has_register
      || state->row.cfa.kind != RULE_REG)
    return 0;
  int32_t offset = at[1];
  unsigned size = 2;
  if (offset >= 0x80)
    {
      if (end - at < 3 || at[2] >= 0x80)
        return 0;
      offset = (offset & 0x7f) | at[2] << 7;
      size = 3;
    }
  state->row.cfa.offset = offset;
  state->cfa_offset = offset;
  run->changed = true;
  return size;
}

/* Execute the instruction at AT.  *SIZE becomes its size in bytes.  */
static enum frame_reason
execute_any (struct execution *run, const uint8_t *at, const uint8_t *end,
             size_t *size)
{
  struct cursor cursor
      = cursor_over (at, (size_t)(end - at), run->machine->arch->big_endian);
  struct cfa_instruction instruction;
  if (!cfa_instruction_read (&cursor, run->machine->section, run->cie,
                             &instruction))
    return REASON_BAD_INSTRUCTION;
  *size = (size_t)(cursor.at - at);
  return execute (run, &instruction);
}

/* Execute SIZE bytes of instructions.  In an FDE the execution stops at the
   end of its range, because later rules apply to no code.  */
static enum frame_reason
run_program (struct execution *run, const uint8_t *bytes, uint64_t size)
{
  const uint8_t *at = bytes, *end = bytes + size;
  for (size_t step; at < end; at += step)
    {
      enum frame_reason reason;
      if ((*at & CFA_PRIMARY) == CFA_ADVANCE_LOC)
        {
          step = 1;
          reason = advance (run, cfa_delta (run->cie, *at & CFA_LOW));
        }
      else if ((step = execute_quickly (run, at, end)) != 0)
        continue;
      else
        reason = execute_any (run, at, end, &step);
      if (reason != REASON_NONE || run->location >= run->size)
        return reason;
    }
  return REASON_NONE;
}

/* The result of CIE number INDEX, which is executed once.  */
static const struct cie_result *
cie_execute (struct cfa_machine *machine, uint32_t index)
{
  struct cie_result *result = &machine->cies[index];
  if (result->executed)
    return result;
  const struct cfi_cie *cie = &machine->section->cies[index];
  /* Registers without a rule keep their values.  SP has no rule at first.  */
  const struct frame_rule same = { .kind = RULE_SAME };
  struct execution run
      = { .machine = machine,
          .cie = cie,
          .state
          = { .row = { .cfa = frame_rule_unsupported (REASON_CFA_UNDEFINED),
                       .ra = same,
                       .fp = same },
              .sp = { .kind = RULE_UNDEFINED } },
          .size = UINT64_MAX };
  if (machine->saved != NULL)
    {
      run.saved = &machine->saved[STATES_MAX + index];
      for (unsigned i = 0; i < SAVED_REGISTERS_MAX; i++)
        run.saved->rules[i] = same;
    }
  result->executed = true;
  result->reason
      = cie->ra_column != machine->arch->ra
            ? REASON_RA_COLUMN
            : run_program (&run, cie->instructions, cie->instructions_size);
  result->state = run.state;
  return result;
}

struct cfa_machine *
cfa_machine_new (const struct cfi_section *section)
{
  struct cfa_machine *machine = calloc (1, sizeof *machine);
  if (machine == NULL)
    return NULL;
  const struct arch *arch = section->arch;
  machine->section = section;
  machine->arch = arch;
  machine->tracked = UINT64_C (1) << arch->fp | UINT64_C (1) << arch->ra
                     | UINT64_C (1) << arch->sp
                     | (uint64_t)arch->ra_signing << RA_SIGN_STATE;
  machine->cies = calloc (section->n_cies + 1, sizeof *machine->cies);
  if (machine->cies != NULL && frame_numbers_init (&machine->numbers))
    return machine;
  cfa_machine_free (machine);
  return NULL;
}

void
cfa_machine_free (struct cfa_machine *machine)
{
  if (machine == NULL)
    return;
  frame_numbers_free (&machine->numbers);
  free (machine->cies);
  free (machine->saved);
  free (machine);
}

bool
cfa_machine_track_saved (struct cfa_machine *machine)
{
  machine->tracked = UINT64_MAX;
  machine->saved
      = calloc (STATES_MAX + machine->section->n_cies, sizeof *machine->saved);
  return machine->saved != NULL;
}

/* Handle a program that is invalid for REASON at the current location.  The
   rows of the code before that location are kept, as in every unwinder.  The
   code behind it gets a row without rules.  */
static enum frame_reason
append_unknown_row (struct execution *run, enum frame_reason reason)
{
  struct frame_rule unknown = frame_rule_unsupported (reason);
  struct frame_row row = { .start = (uint32_t)run->location,
                           .cfa = unknown,
                           .ra = unknown,
                           .fp = unknown };
  if (run->machine->no_memory || run->location == 0
      || run->location >= run->size)
    return reason;
  return append_row (run, &row) ? REASON_NONE : REASON_BAD_ENTRY;
}

static enum frame_reason
run_fde (struct cfa_machine *machine, const struct cfi_fde *fde,
         struct frame_function *function)
{
  const struct cfi_section *section = machine->section;
  const struct cie_result *cie = cie_execute (machine, fde->cie);
  if (cie->reason != REASON_NONE)
    return cie->reason;
  struct execution run = { .machine = machine,
                           .cie = &section->cies[fde->cie],
                           .initial = &cie->state,
                           .state = cie->state,
                           .changed = true,
                           .address = fde->address,
                           .size = fde->size,
                           .function = function };
  struct saved_state saved;
  if (machine->saved != NULL)
    {
      run.saved_initial = &machine->saved[STATES_MAX + fde->cie];
      saved = *run.saved_initial;
      run.saved = &saved;
      function->n_saved = machine->arch->n_saved_registers;
    }
  enum frame_reason reason = run_program (
      &run, cfi_fde_instructions (section, fde), fde->instructions_size);
  if (reason == REASON_NONE && run.location >= run.size)
    return REASON_NONE;
  if (reason == REASON_NONE)
    reason = emit_changes (&run);
  if (reason != REASON_NONE)
    return append_unknown_row (&run, reason);
  if (!run.uses_set_loc)
    machine->reach = run.location;
  return REASON_NONE;
}

bool
cfa_machine_run (struct cfa_machine *machine, const struct cfi_fde *fde,
                 struct frame_function *function, enum frame_reason *reason,
                 struct error *err)
{
  const struct cfi_section *section = machine->section;
  const struct cfi_cie *cie = &section->cies[fde->cie];
  frame_function_reset (function);
  function->address = fde->address;
  function->size = (uint32_t)fde->size;
  function->signal = cie->signal;
  function->b_key = cie->b_key;
  machine->reach = UINT64_MAX;
  machine->no_memory = false;
  *reason = fde->size == 0           ? REASON_EMPTY_RANGE
            : fde->size > UINT32_MAX ? REASON_FUNCTION_SIZE
                                     : run_fde (machine, fde, function);
  if (*reason != REASON_NONE)
    function->n_rows = 0;
  return !machine->no_memory || error_set_no_memory (err);
}

uint64_t
cfa_machine_reach (const struct cfa_machine *machine)
{
  return machine->reach;
}
