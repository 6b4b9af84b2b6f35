/* An interpreter of call-frame instructions that behaves as GNU as does.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Instructions change a pending row.  When the location advances, the row is
   committed if an instruction has touched it.  At the end the committed rows
   are encoded (gnu_row.h).  With `bugs' the interpreter does what the release
   does, and otherwise what the release should have done.  Where a release
   aborts, there is nothing to imitate, and the interpreter does what the next
   release does.  */

#include "sframe/gnu.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/bytes.h"
#include "cfi/cfa_opcode.h"

/* The releases that write different rows.  */
enum gnu_release
{
  GNU_2_40,
  GNU_2_44,
  GNU_2_45,
  GNU_2_47
};

enum
{
  REMEMBERED_MAX = 64 /* depth of nested remember_state without `bugs' */
};

/* ---- The translator */

struct gnu_translator
{
  struct gnu_options options;
  enum gnu_release release;
  /* The FDE that is being translated.  */
  const struct cfi_section *section;
  const struct cfi_cie *cie;
  uint64_t address;
  bool touched;  /* an instruction has changed the pending row */
  bool flexible; /* an instruction needs a flexible FDE */
  struct gnu_row pending;
  bool in_cie;
  struct gnu_row initial; /* after the CIE's instructions */
  struct gnu_row remembered[REMEMBERED_MAX];
  size_t n_remembered;
  /* Committed rows.  */
  struct gnu_row *rows;
  size_t n_rows, rows_capacity;
  bool no_memory;
  struct sframe_row *encoded;
  size_t encoded_capacity;
};

struct gnu_translator *
gnu_translator_new (const struct gnu_options *options)
{
  struct gnu_translator *translator = calloc (1, sizeof *translator);
  if (translator == NULL)
    return NULL;
  translator->options = *options;
  translator->release = options->variant.version == 1   ? GNU_2_40
                        : options->variant.version == 3 ? GNU_2_47
                        : options->variant.pcrel        ? GNU_2_45
                                                        : GNU_2_44;
  return translator;
}

void
gnu_translator_free (struct gnu_translator *translator)
{
  if (translator == NULL)
    return;
  free (translator->rows);
  free (translator->encoded);
  free (translator);
}

/* ---- Rows */

static enum frame_reason
commit_row (struct gnu_translator *t)
{
  if (t->n_rows == FRAME_ROWS_MAX)
    return REASON_FUNCTION_SIZE;
  if (!ARRAY_ROOM (t->rows, t->n_rows + 1, &t->rows_capacity))
    {
      t->no_memory = true;
      return REASON_BAD_ENTRY;
    }
  t->rows[t->n_rows++] = t->pending;
  return REASON_NONE;
}

/* Let a new row begin at START, in bytes from the function's address.  */
static enum frame_reason
advance_row (struct gnu_translator *t, uint64_t start)
{
  if (start < t->pending.start)
    return REASON_BAD_INSTRUCTION; /* a function does not go backwards */
  if (start == t->pending.start)
    return REASON_NONE; /* no directive makes this */
  enum frame_reason reason = t->touched ? commit_row (t) : REASON_NONE;
  if (reason)
    return reason;
  t->touched = false;
  t->pending.start = start;
  return REASON_NONE;
}

static enum frame_reason
touch (struct gnu_translator *t)
{
  t->touched = true;
  return REASON_NONE;
}

/* GNU as makes an FDE flexible when it reads an instruction that needs it,
   even if no row needs it in the end.  */
static enum frame_reason
touch_flexibly (struct gnu_translator *t)
{
  t->flexible = true;
  return touch (t);
}

/* The reason to leave a function out for an instruction that GNU as ignores by
   mistake: REASON, or with `bugs' none.  */
static enum frame_reason
reason_unless_bugs (const struct gnu_translator *t, enum frame_reason reason)
{
  return t->options.bugs ? REASON_NONE : reason;
}

/* ---- Instructions

   A do_ function does what GNU as does for one instruction.  An instruction
   that changes the pending row touches it.  The result is REASON_NONE, or the
   reason why the function is dropped, at which the translation ends.  GNU as
   itself drops the function for such a reason, or (without `bugs') should have
   dropped it.  */

/* ---- The CFA */

/* Whether REG is one of the registers for the CFA that all versions have.  */
static bool
is_base (const struct gnu_translator *t, uint64_t reg)
{
  return reg == t->options.arch->sp || reg == t->options.arch->fp;
}

static enum frame_reason
set_cfa_offset (struct gnu_translator *t, int64_t offset)
{
  if (offset != (int32_t)offset)
    return REASON_OFFSET_RANGE;
  t->pending.cfa_offset = (int32_t)offset;
  return touch (t);
}

/* Make REG the CFA's register.  2.40 takes any register but FP for SP.  2.47
   writes a flexible FDE for it, which some machines do not have.  */
static enum frame_reason
set_cfa_register (struct gnu_translator *t, uint64_t reg)
{
  bool accepted
      = is_base (t, reg) || (t->release == GNU_2_40 && t->options.bugs)
        || (t->release == GNU_2_47 && t->options.arch->flexible_fdes);
  if (!accepted)
    return REASON_CFA_REGISTER;
  if (reg > INT32_MAX >> SFRAME_CONTROL_REGNUM_SHIFT)
    return REASON_REGISTER_RANGE;
  t->flexible |= !is_base (t, reg);
  t->pending.cfa_reg = (int32_t)reg;
  t->pending.cfa_deref = false;
  return REASON_NONE;
}

/* GNU as takes the offset of the last committed row, not the current one.  */
static enum frame_reason
do_def_cfa_register (struct gnu_translator *t, uint64_t reg)
{
  enum frame_reason reason = set_cfa_register (t, reg);
  if (reason)
    return reason;
  if (t->options.bugs && t->n_rows > 0)
    t->pending.cfa_offset = t->rows[t->n_rows - 1].cfa_offset;
  return touch (t);
}

static enum frame_reason
do_def_cfa (struct gnu_translator *t, uint64_t reg, int64_t offset)
{
  enum frame_reason reason = set_cfa_register (t, reg);
  return reason ? reason : set_cfa_offset (t, offset);
}

static enum frame_reason
do_def_cfa_offset (struct gnu_translator *t, int64_t offset)
{
  if (t->pending.cfa_reg == GNU_NO_REGISTER)
    return REASON_CFA_UNDEFINED;
  if (t->release < GNU_2_47 && !is_base (t, (uint64_t)t->pending.cfa_reg))
    return REASON_CFA_REGISTER;
  return set_cfa_offset (t, offset);
}

/* ---- FP and RA */

/* The rule of REG in the pending row, or NULL if rows do not have REG.  */
static struct gnu_rule *
rule_of (struct gnu_translator *t, uint64_t reg)
{
  if (reg == t->options.arch->fp)
    return &t->pending.fp;
  if (reg == t->options.arch->ra)
    return &t->pending.ra;
  return NULL;
}

/* Whether REG is the RA, and the ABI puts it at a fixed place.  */
static bool
is_fixed_ra (const struct gnu_translator *t, uint64_t reg)
{
  return reg == t->options.arch->ra && !arch_tracks_ra (t->options.arch);
}

static struct gnu_rule
stack_rule (int64_t offset)
{
  return (struct gnu_rule){ .place = GNU_STACK,
                            .deref = true,
                            .reg = GNU_NO_REGISTER,
                            .offset = (int32_t)offset };
}

/* The RA is saved at the CFA plus OFFSET, on a machine whose rows have a fixed
   place for it.  2.47 makes the FDE flexible for another place.  */
static enum frame_reason
do_offset_of_fixed_ra (struct gnu_translator *t, int64_t offset)
{
  bool usual = offset == t->options.arch->fixed_ra_offset;
  if (t->release < GNU_2_47)
    return usual ? REASON_NONE : reason_unless_bugs (t, REASON_RA_OFFSET);
  if (!usual)
    {
      t->pending.ra = stack_rule (offset);
      return touch_flexibly (t);
    }
  /* GNU as leaves an undefined RA undefined, by mistake.  */
  if (!t->options.bugs || t->pending.ra.place != GNU_UNDEFINED)
    t->pending.ra = (struct gnu_rule){ .place = GNU_DEFAULT };
  return touch (t);
}

static enum frame_reason
do_offset (struct gnu_translator *t, uint64_t reg, int64_t offset)
{
  const struct arch *arch = t->options.arch;
  if (reg == arch->sp)
    return arch->caller_sp_offset != 0
               ? REASON_NONE
               : reason_unless_bugs (t, REASON_SP_RULE);
  struct gnu_rule *rule = rule_of (t, reg);
  if (rule == NULL)
    return REASON_NONE;
  if (offset != (int32_t)offset)
    return REASON_OFFSET_RANGE;
  if (is_fixed_ra (t, reg))
    return do_offset_of_fixed_ra (t, offset);
  *rule = stack_rule (offset);
  return touch (t);
}

static enum frame_reason
do_val_offset (struct gnu_translator *t, uint64_t reg, int64_t offset)
{
  const struct arch *arch = t->options.arch;
  if (reg == arch->fp)
    return REASON_FP_VALUE;
  if (reg == arch->ra)
    return arch_tracks_ra (arch) ? REASON_RA_VALUE
                                 : reason_unless_bugs (t, REASON_RA_VALUE);
  if (reg != arch->sp || offset == arch->caller_sp_offset)
    return REASON_NONE;
  return t->release < GNU_2_45 ? reason_unless_bugs (t, REASON_SP_RULE)
                               : REASON_SP_RULE;
}

/* REG is saved in register IN.  2.45 can express that for s390x, and 2.47 for
   all machines with flexible FDEs.  */
static enum frame_reason
do_register (struct gnu_translator *t, uint64_t reg, uint64_t in)
{
  const struct arch *arch = t->options.arch;
  bool scaled = arch->cfa_scale != 1;
  if (t->release == GNU_2_40)
    return reg == arch->ra   ? REASON_RA_REGISTER
           : reg == arch->sp ? REASON_SP_RULE
                             : REASON_FP_REGISTER;
  if (reg == arch->sp)
    return scaled                   ? REASON_NONE
           : t->release == GNU_2_47 ? REASON_SP_RULE
                                    : reason_unless_bugs (t, REASON_SP_RULE);
  struct gnu_rule *rule = rule_of (t, reg);
  if (rule == NULL)
    return REASON_NONE;
  bool expressible = (t->release == GNU_2_45 && scaled)
                     || (t->release == GNU_2_47 && arch->flexible_fdes);
  if (!expressible)
    return reg == arch->fp        ? REASON_FP_REGISTER
           : is_fixed_ra (t, reg) ? reason_unless_bugs (t, REASON_RA_REGISTER)
                                  : REASON_RA_REGISTER;
  if (in > INT32_MAX >> SFRAME_CONTROL_REGNUM_SHIFT)
    return REASON_REGISTER_RANGE;
  *rule = (struct gnu_rule){ .place = GNU_REGISTER, .reg = (int32_t)in };
  return touch_flexibly (t);
}

static enum frame_reason
do_undefined (struct gnu_translator *t, uint64_t reg)
{
  const struct arch *arch = t->options.arch;
  enum frame_reason reason = reg == arch->ra   ? REASON_RA_UNDEFINED
                             : reg == arch->fp ? REASON_FP_UNDEFINED
                             : reg == arch->sp ? REASON_SP_RULE
                                               : REASON_NONE;
  if (reason == REASON_NONE)
    return REASON_NONE;
  if (t->release < GNU_2_45)
    return reason_unless_bugs (t, reason);
  if (reg != arch->ra || t->release == GNU_2_45)
    return reason;
  t->pending.ra = (struct gnu_rule){ .place = GNU_UNDEFINED };
  return touch (t);
}

static enum frame_reason
do_same_value (struct gnu_translator *t, uint64_t reg)
{
  const struct arch *arch = t->options.arch;
  struct gnu_rule *rule = rule_of (t, reg);
  if (reg == arch->sp && arch->caller_sp_offset == 0)
    return reason_unless_bugs (t, REASON_SP_RULE);
  if (rule == NULL)
    return REASON_NONE;
  if (is_fixed_ra (t, reg))
    return reason_unless_bugs (t, REASON_RA_SAME);
  if (t->release < GNU_2_45 && t->options.bugs)
    return REASON_NONE;
  rule->place = GNU_DEFAULT;
  return touch (t);
}

/* GNU as restores a rule from the first committed row, and never that of a
   fixed RA.  2.47 restores the place and the offset, but not a register.  */
static enum frame_reason
do_restore (struct gnu_translator *t, uint64_t reg)
{
  struct gnu_rule *rule = rule_of (t, reg);
  if (rule == NULL
      || (is_fixed_ra (t, reg) && (t->release < GNU_2_47 || t->options.bugs)))
    return REASON_NONE;
  if (t->in_cie && !t->options.bugs)
    return REASON_BAD_STATE; /* the CIE itself sets the initial rules */
  const struct gnu_row *from = &t->initial;
  if (t->options.bugs)
    from = t->n_rows > 0 ? &t->rows[0] : &t->pending;
  struct gnu_rule restored = reg == t->options.arch->fp ? from->fp : from->ra;
  if (t->options.bugs && t->release == GNU_2_47)
    {
      restored.deref = rule->deref;
      restored.reg = rule->reg;
    }
  *rule = restored;
  return touch (t);
}

/* ---- States */

/* Up to 2.45 GNU as remembers the last committed row instead of the state.  It
   remembers one row only, and keeps the row when it restores it.  */
static enum frame_reason
do_remember_state (struct gnu_translator *t)
{
  if (!t->options.bugs)
    {
      if (t->n_remembered == REMEMBERED_MAX)
        return REASON_BAD_STATE;
      t->remembered[t->n_remembered++] = t->pending;
      return REASON_NONE;
    }
  if (t->release < GNU_2_47 && t->n_rows == 0)
    return REASON_BAD_STATE;
  t->remembered[0]
      = t->release < GNU_2_47 ? t->rows[t->n_rows - 1] : t->pending;
  t->n_remembered = 1;
  return REASON_NONE;
}

static enum frame_reason
do_restore_state (struct gnu_translator *t)
{
  if (t->n_remembered == 0)
    return REASON_BAD_STATE;
  uint64_t start = t->pending.start;
  t->pending = t->remembered[t->n_remembered - 1];
  t->pending.start = start;
  if (!t->options.bugs)
    t->n_remembered--;
  return touch (t);
}

static enum frame_reason
do_negate_ra_state (struct gnu_translator *t)
{
  bool signing = t->options.arch->ra_signing;
  if (!signing && !(t->release == GNU_2_40 && t->options.bugs))
    return REASON_BAD_INSTRUCTION;
  t->pending.ra_signed = !t->pending.ra_signed;
  return touch (t);
}

/* ---- Expressions: GNU as recognises a few exact byte sequences */

enum
{
  OP_DEREF = 0x06,
  OP_BREG0 = 0x70,
  OP_BREG31 = 0x8f
};

/* Read REG and OFFSET of a breg operation of two bytes at BLOCK.  */
static bool
read_breg (const uint8_t *block, int32_t *reg, int32_t *offset)
{
  if (block[0] < OP_BREG0 || block[0] > OP_BREG31 || block[1] >= 0x80)
    return false;
  *reg = block[0] - OP_BREG0;
  *offset = block[1] & 0x40 ? block[1] - 0x80 : block[1];
  return true;
}

static enum frame_reason
do_args_size (const struct gnu_translator *t, uint64_t size)
{
  bool cfa_on_fp = t->pending.cfa_reg == t->options.arch->fp;
  if (t->release == GNU_2_47 && (size == 0 || (size < 0x80 && cfa_on_fp)))
    return REASON_NONE;
  return REASON_CFA_EXPRESSION;
}

/* An expression for FP.  GNU as knows *(register + offset), in two bytes.  */
static enum frame_reason
do_fp_expression (struct gnu_translator *t,
                  const struct cfa_instruction *instruction)
{
  const struct arch *arch = t->options.arch;
  int32_t reg, offset;
  if (t->release != GNU_2_47 || instruction->block_size != 2
      || !read_breg (instruction->block, &reg, &offset))
    return REASON_FP_EXPRESSION;
  /* GNU as does not store the register unless it is rbp.  */
  bool known = reg == arch->fp && !arch_tracks_ra (arch);
  if (!known && !t->options.bugs && !arch->flexible_fdes)
    return REASON_FP_EXPRESSION;
  if (!known && t->options.bugs)
    reg = GNU_NO_REGISTER;
  t->pending.fp = (struct gnu_rule){
    .place = GNU_REGISTER, .deref = true, .reg = reg, .offset = offset
  };
  return touch_flexibly (t);
}

static enum frame_reason
do_expression (struct gnu_translator *t,
               const struct cfa_instruction *instruction)
{
  const struct arch *arch = t->options.arch;
  bool simple = instruction->block_size == 2 && instruction->reg < 0x80;
  if (t->release < GNU_2_45)
    return REASON_CFA_EXPRESSION;
  if (instruction->reg == arch->fp)
    return do_fp_expression (t, instruction);
  if (instruction->reg == arch->sp)
    return REASON_SP_RULE;
  if (instruction->reg == arch->ra)
    return arch_tracks_ra (arch) || !simple
               ? REASON_RA_EXPRESSION
               : reason_unless_bugs (t, REASON_RA_EXPRESSION);
  return simple ? REASON_NONE : REASON_CFA_EXPRESSION;
}

/* An expression for the CFA.  GNU as knows *(FP + offset), in three bytes.  */
static enum frame_reason
do_def_cfa_expression (struct gnu_translator *t,
                       const struct cfa_instruction *instruction)
{
  const struct arch *arch = t->options.arch;
  int32_t reg, offset;
  if (t->release != GNU_2_47 || arch_tracks_ra (arch)
      || instruction->block_size != 3
      || !read_breg (instruction->block, &reg, &offset) || reg != arch->fp
      || instruction->block[2] != OP_DEREF)
    return REASON_CFA_EXPRESSION;
  t->pending.cfa_reg = reg;
  t->pending.cfa_offset = offset;
  t->pending.cfa_deref = true;
  return touch_flexibly (t);
}

/* ---- Running the instructions */

static enum frame_reason
do_advance (struct gnu_translator *t, uint64_t bytes)
{
  uint64_t start;
  if (bytes == UINT64_MAX
      || __builtin_add_overflow (bytes, t->pending.start, &start))
    return REASON_BAD_INSTRUCTION;
  return advance_row (t, start);
}

/* An instruction with an offset.  */
static enum frame_reason
do_offset_instruction (struct gnu_translator *t,
                       const struct cfa_instruction *instruction)
{
  const int64_t offset = instruction->offset;
  if (offset == CFA_OFFSET_HUGE)
    return REASON_OFFSET_RANGE;
  switch (instruction->opcode)
    {
    case CFA_DEF_CFA:
      return do_def_cfa (t, instruction->reg, offset);
    case CFA_DEF_CFA_OFFSET:
      return do_def_cfa_offset (t, offset);
    case CFA_VAL_OFFSET:
      return do_val_offset (t, instruction->reg, offset);
    default:
      return do_offset (t, instruction->reg, offset);
    }
}

static enum frame_reason
do_instruction (struct gnu_translator *t,
                const struct cfa_instruction *instruction)
{
  switch (instruction->opcode)
    {
    case CFA_NOP:
      return REASON_NONE;
    case CFA_ADVANCE_LOC:
      return do_advance (t, instruction->value);
    case CFA_SET_LOC:
      return advance_row (t, instruction->value - t->address);
    case CFA_RESTORE:
      return do_restore (t, instruction->reg);
    case CFA_UNDEFINED:
      return do_undefined (t, instruction->reg);
    case CFA_SAME_VALUE:
      return do_same_value (t, instruction->reg);
    case CFA_REGISTER:
      return do_register (t, instruction->reg, instruction->value);
    case CFA_REMEMBER_STATE:
      return do_remember_state (t);
    case CFA_RESTORE_STATE:
      return do_restore_state (t);
    case CFA_DEF_CFA_REGISTER:
      return do_def_cfa_register (t, instruction->reg);
    case CFA_DEF_CFA_EXPRESSION:
      return do_def_cfa_expression (t, instruction);
    case CFA_EXPRESSION:
      return do_expression (t, instruction);
    case CFA_VAL_EXPRESSION:
      return REASON_CFA_EXPRESSION;
    case CFA_GNU_ARGS_SIZE:
      return do_args_size (t, instruction->value);
    case CFA_AARCH64_NEGATE_RA_STATE:
      return do_negate_ra_state (t);
    case CFA_AARCH64_NEGATE_RA_STATE_WITH_PC:
      return REASON_RA_SIGNING;
    case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
      return REASON_BAD_INSTRUCTION; /* no compiler writes it any more */
    default:
      return do_offset_instruction (t, instruction);
    }
}

static enum frame_reason
run_instructions (struct gnu_translator *t, const uint8_t *bytes,
                  uint64_t size)
{
  struct cursor cursor
      = cursor_over (bytes, size, t->options.arch->big_endian);
  while (cursor_left (&cursor) > 0)
    {
      struct cfa_instruction instruction;
      if (!cfa_instruction_read (&cursor, t->section, t->cie, &instruction))
        return REASON_BAD_INSTRUCTION;
      enum frame_reason reason = do_instruction (t, &instruction);
      if (reason)
        return reason;
    }
  return REASON_NONE;
}

static enum frame_reason
run_cie_and_fde (struct gnu_translator *t, const struct cfi_fde *fde)
{
  const struct arch *arch = t->options.arch;
  if (t->cie->unusable)
    return t->cie->unusable;
  if (t->cie->ra_column != arch->ra)
    return REASON_RA_COLUMN;
  enum frame_reason reason
      = run_instructions (t, t->cie->instructions, t->cie->instructions_size);
  if (reason)
    return reason;
  t->initial = t->pending;
  t->in_cie = false;
  return run_instructions (t, cfi_fde_instructions (t->section, fde),
                           fde->instructions_size);
}

/* ---- From rows to the function */

/* Encode the committed rows as those of FUNCTION.  Without `bugs', rows at or
   past its end are dropped, because older readers abort at them.  */
static enum frame_reason
encode_rows (struct gnu_translator *t, struct sframe_fde *function)
{
  function->flexible
      = t->flexible && t->options.bugs && t->options.variant.version >= 3;
  for (size_t i = 0; i < t->n_rows; i++)
    function->flexible |= gnu_row_needs_flexible (&t->rows[i], &t->options);
  for (size_t i = 0; i < t->n_rows; i++)
    {
      if (!t->options.bugs && t->rows[i].start >= function->size)
        break;
      enum frame_reason reason
          = gnu_row_encode (&t->rows[i], &t->options, function->flexible,
                            &t->encoded[function->n_rows]);
      if (reason)
        return reason;
      function->n_rows++;
    }
  if (t->options.variant.version >= 3 && function->n_rows > SFRAME_V3_FRES_MAX)
    return REASON_OFFSET_RANGE;
  return REASON_NONE;
}

/* Begin FDE, and set range and flags of FUNCTION.  False for a bad size.  */
static bool
start_function (struct gnu_translator *t, const struct cfi_section *section,
                const struct cfi_fde *fde, struct sframe_fde *function)
{
  t->section = section;
  t->cie = &section->cies[fde->cie];
  t->address = fde->address;
  t->n_rows = 0;
  t->n_remembered = 0;
  t->touched = t->flexible = false;
  t->no_memory = false;
  t->pending = (struct gnu_row){ .cfa_reg = GNU_NO_REGISTER };
  t->initial = t->pending;
  t->in_cie = true;
  *function = (struct sframe_fde){
    .address = fde->address,
    .size = (uint32_t)fde->size,
    .signal = t->cie->signal && t->release == GNU_2_47,
    .b_key = t->cie->b_key,
  };
  return fde->size <= UINT32_MAX && (t->options.bugs || fde->size > 0);
}

bool
gnu_translate (struct gnu_translator *t, const struct cfi_section *section,
               const struct cfi_fde *fde, struct sframe_fde *function,
               enum frame_reason *reason, struct error *err)
{
  if (!start_function (t, section, fde, function))
    {
      *reason = fde->size ? REASON_FUNCTION_SIZE : REASON_EMPTY_RANGE;
      return true;
    }
  *reason = run_cie_and_fde (t, fde);
  /* The pending row is written even if no instruction has touched it.  */
  if (!*reason && t->pending.cfa_reg != GNU_NO_REGISTER)
    *reason = commit_row (t);
  if (t->no_memory
      || !ARRAY_ROOM (t->encoded, t->n_rows, &t->encoded_capacity))
    return error_set_no_memory (err);
  function->rows = t->encoded;
  if (!*reason)
    *reason = encode_rows (t, function);
  if (!*reason && function->n_rows > 0)
    return true;
  function->n_rows = 0;
  function->flexible = false;
  /* 2.47 writes an FDE without rows for a function without any rule, and for a
     signal trampoline that it cannot express.  */
  if (t->release == GNU_2_47 && t->options.bugs
      && (!*reason || t->cie->signal))
    *reason = REASON_NONE;
  else if (!*reason)
    *reason = REASON_CFA_UNDEFINED;
  return true;
}
