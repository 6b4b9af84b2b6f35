/* Decoding call-frame instructions, one by one, and expressions.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Sources: DWARF 5, section 7.24 (table 7.29), LSB Core 10.5 for the GNU
   extensions, "DWARF for the Arm 64-bit Architecture", section 4.4.  Decoding
   is separate from execution, because three interpreters share it:
   cfa_program, register_rules, and sframe/gnu, which imitates GNU as.

   An expression is an operand.  It is evaluated symbolically on a small stack,
   and becomes a rule if its value has the form "base + n" or "*(base + n)",
   where the base is a register or the CFA.  The expression that GNU ld writes
   for the lazy x86-64 PLT has a rule of its own, and no other has one.  */

#ifndef CFI_CFA_OPCODE_H
#define CFI_CFA_OPCODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "cfi/cfi_section.h"

enum cfa_opcode
{
  /* Primary opcodes have two bits.  The other six bits are an operand.  */
  CFA_ADVANCE_LOC = 0x40,
  CFA_OFFSET = 0x80,
  CFA_RESTORE = 0xc0,

  CFA_NOP = 0x00,
  CFA_SET_LOC = 0x01,
  CFA_ADVANCE_LOC1 = 0x02,
  CFA_ADVANCE_LOC2 = 0x03,
  CFA_ADVANCE_LOC4 = 0x04,
  CFA_OFFSET_EXTENDED = 0x05,
  CFA_RESTORE_EXTENDED = 0x06,
  CFA_UNDEFINED = 0x07,
  CFA_SAME_VALUE = 0x08,
  CFA_REGISTER = 0x09,
  CFA_REMEMBER_STATE = 0x0a,
  CFA_RESTORE_STATE = 0x0b,
  CFA_DEF_CFA = 0x0c,
  CFA_DEF_CFA_REGISTER = 0x0d,
  CFA_DEF_CFA_OFFSET = 0x0e,
  CFA_DEF_CFA_EXPRESSION = 0x0f,
  CFA_EXPRESSION = 0x10,
  CFA_OFFSET_EXTENDED_SF = 0x11,
  CFA_DEF_CFA_SF = 0x12,
  CFA_DEF_CFA_OFFSET_SF = 0x13,
  CFA_VAL_OFFSET = 0x14,
  CFA_VAL_OFFSET_SF = 0x15,
  CFA_VAL_EXPRESSION = 0x16,
  CFA_MIPS_ADVANCE_LOC8 = 0x1d,
  CFA_AARCH64_NEGATE_RA_STATE_WITH_PC = 0x2c,
  CFA_AARCH64_NEGATE_RA_STATE = 0x2d, /* SPARC: GNU_window_save */
  CFA_GNU_ARGS_SIZE = 0x2e,
  CFA_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f
};

enum
{
  CFA_PRIMARY = 0xc0, /* mask of primary opcodes */
  CFA_LOW = 0x3f      /* of their operands */
};

/* Stands for an offset that fits neither 64 bits nor a row.  */
#define CFA_OFFSET_HUGE INT64_MAX

/* A decoded instruction.  Opcodes that differ only in the form of their
   operands become one: CFA_OFFSET stands for CFA_OFFSET_EXTENDED and
   CFA_OFFSET_EXTENDED_SF, too.  Factored operands are converted to bytes.  */
struct cfa_instruction
{
  uint8_t opcode; /* enum cfa_opcode */
  uint64_t reg;   /* register operand */
  uint64_t value; /* bytes to advance by, UINT64_MAX if that does not fit; the
                     address of set_loc; second register; args size */
  int64_t offset; /* or CFA_OFFSET_HUGE */
  const uint8_t *block; /* expression */
  uint64_t block_size;
};

/* N times the code alignment factor of CIE.  UINT64_MAX on overflow.  */
static inline uint64_t
cfa_delta (const struct cfi_cie *cie, uint64_t n)
{
  uint64_t bytes;
  return __builtin_mul_overflow (n, cie->code_alignment, &bytes) ? UINT64_MAX
                                                                 : bytes;
}

/* LOCATION plus BYTES.  UINT64_MAX, behind any function, on overflow.  */
static inline uint64_t
cfa_advance (uint64_t location, uint64_t bytes)
{
  return __builtin_add_overflow (location, bytes, &location) ? UINT64_MAX
                                                             : location;
}

/* N times the data alignment factor of CIE.  CFA_OFFSET_HUGE on overflow.  */
static inline int64_t
cfa_offset (const struct cfi_cie *cie, int64_t n)
{
  int64_t offset;
  return __builtin_mul_overflow (n, cie->data_alignment, &offset)
             ? CFA_OFFSET_HUGE
             : offset;
}

static inline int64_t
cfa_unsigned_offset (const struct cfi_cie *cie, uint64_t n)
{
  return n > INT64_MAX ? CFA_OFFSET_HUGE : cfa_offset (cie, (int64_t)n);
}

/* Decode the rest of an instruction, as cfa_instruction_read does.  OPCODE,
   which has been read, is not a primary one.  */
bool cfa_instruction_read_extended (struct cursor *cursor,
                                    const struct cfi_section *section,
                                    const struct cfi_cie *cie, uint8_t opcode,
                                    struct cfa_instruction *instruction);

/* Decode the next instruction of CIE, a CIE of SECTION, or of one of its FDEs.
   False for an unknown opcode, for an address that cannot be resolved, or when
   the bytes end.  Inline, because most opcodes are primary ones.  */
static inline bool
cfa_instruction_read (struct cursor *cursor, const struct cfi_section *section,
                      const struct cfi_cie *cie,
                      struct cfa_instruction *instruction)
{
  uint8_t byte = cursor_u8 (cursor);
  instruction->opcode = byte & CFA_PRIMARY;
  instruction->reg = byte & CFA_LOW;
  switch (byte & CFA_PRIMARY)
    {
    case CFA_ADVANCE_LOC:
      instruction->value = cfa_delta (cie, byte & CFA_LOW);
      return true;
    case CFA_OFFSET:
      instruction->offset = cfa_unsigned_offset (cie, cursor_uleb (cursor));
      return !cursor->failed;
    case CFA_RESTORE:
      return true;
    default:
      return !cursor->failed
             && cfa_instruction_read_extended (cursor, section, cie, byte,
                                               instruction);
    }
}

enum expression_use
{
  EXPRESSION_CFA,    /* DW_CFA_def_cfa_expression: the value is the CFA */
  EXPRESSION_VALUE,  /* DW_CFA_val_expression: the value is the register's */
  EXPRESSION_ADDRESS /* DW_CFA_expression: where the register was saved */
};

/* The rule for the expression in BLOCK, which has SIZE bytes.
   RULE_UNSUPPORTED with REASON when it has another form.  */
struct frame_rule expression_rule (const struct arch *arch,
                                   const uint8_t *block, uint64_t size,
                                   enum expression_use use,
                                   enum frame_reason reason);

#endif /* CFI_CFA_OPCODE_H */
