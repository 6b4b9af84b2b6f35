/* Decoding call-frame instructions.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/cfa_opcode.h"

#include "elf/encoded_pointer.h"

/* The operand of an instruction, behind that with a register number, if it has
   one.  */
enum operand
{
  OPERAND_NONE,
  OPERAND_ADDRESS, /* value */
  OPERAND_DELTA1,  /* value: a number of code alignment units */
  OPERAND_DELTA2,
  OPERAND_DELTA4,
  OPERAND_DELTA8,
  OPERAND_NUMBER,   /* value */
  OPERAND_BYTES,    /* offset */
  OPERAND_FACTORED, /* offset: an unsigned number of data alignment units */
  OPERAND_NEGATED,  /* offset: the same with the opposite sign */
  OPERAND_SIGNED,   /* offset: a signed number of data alignment units */
  OPERAND_BLOCK
};

/* How an opcode that is not a primary one goes on, and as which opcode it is
   executed: one that has no other form.  */
struct form
{
  bool known, has_register;
  uint8_t opcode;  /* enum cfa_opcode */
  uint8_t operand; /* enum operand */
};

#define PLAIN(opcode, operand) [opcode] = { true, false, opcode, operand }
#define OF_REGISTER(opcode, operand) [opcode] = { true, true, opcode, operand }

static const struct form forms[256] = {
  PLAIN (CFA_NOP, OPERAND_NONE),
  PLAIN (CFA_SET_LOC, OPERAND_ADDRESS),
  [CFA_ADVANCE_LOC1] = { true, false, CFA_ADVANCE_LOC, OPERAND_DELTA1 },
  [CFA_ADVANCE_LOC2] = { true, false, CFA_ADVANCE_LOC, OPERAND_DELTA2 },
  [CFA_ADVANCE_LOC4] = { true, false, CFA_ADVANCE_LOC, OPERAND_DELTA4 },
  [CFA_MIPS_ADVANCE_LOC8] = { true, false, CFA_ADVANCE_LOC, OPERAND_DELTA8 },
  [CFA_OFFSET_EXTENDED] = { true, true, CFA_OFFSET, OPERAND_FACTORED },
  [CFA_OFFSET_EXTENDED_SF] = { true, true, CFA_OFFSET, OPERAND_SIGNED },
  OF_REGISTER (CFA_GNU_NEGATIVE_OFFSET_EXTENDED, OPERAND_NEGATED),
  [CFA_RESTORE_EXTENDED] = { true, true, CFA_RESTORE, OPERAND_NONE },
  OF_REGISTER (CFA_UNDEFINED, OPERAND_NONE),
  OF_REGISTER (CFA_SAME_VALUE, OPERAND_NONE),
  OF_REGISTER (CFA_REGISTER, OPERAND_NUMBER),
  PLAIN (CFA_REMEMBER_STATE, OPERAND_NONE),
  PLAIN (CFA_RESTORE_STATE, OPERAND_NONE),
  OF_REGISTER (CFA_DEF_CFA, OPERAND_BYTES),
  [CFA_DEF_CFA_SF] = { true, true, CFA_DEF_CFA, OPERAND_SIGNED },
  OF_REGISTER (CFA_DEF_CFA_REGISTER, OPERAND_NONE),
  PLAIN (CFA_DEF_CFA_OFFSET, OPERAND_BYTES),
  [CFA_DEF_CFA_OFFSET_SF]
  = { true, false, CFA_DEF_CFA_OFFSET, OPERAND_SIGNED },
  PLAIN (CFA_DEF_CFA_EXPRESSION, OPERAND_BLOCK),
  OF_REGISTER (CFA_EXPRESSION, OPERAND_BLOCK),
  OF_REGISTER (CFA_VAL_OFFSET, OPERAND_FACTORED),
  [CFA_VAL_OFFSET_SF] = { true, true, CFA_VAL_OFFSET, OPERAND_SIGNED },
  OF_REGISTER (CFA_VAL_EXPRESSION, OPERAND_BLOCK),
  PLAIN (CFA_AARCH64_NEGATE_RA_STATE_WITH_PC, OPERAND_NONE),
  PLAIN (CFA_AARCH64_NEGATE_RA_STATE, OPERAND_NONE),
  PLAIN (CFA_GNU_ARGS_SIZE, OPERAND_NUMBER),
};

/* An address.  Where the encoding is PC-relative, the place of the address
   counts.  Not inline: other instructions would save registers for it.  */
static __attribute__ ((noinline)) void
read_address (struct cursor *cursor, const struct cfi_section *section,
              const struct cfi_cie *cie, struct cfa_instruction *instruction)
{
  const struct cfi_input *input = &section->inputs[cie->input];
  uint64_t field = input->address + (uint64_t)(cursor->at - input->bytes);
  if (!encoded_pointer_read (cursor, cie->pointer_encoding, field,
                             &instruction->value))
    cursor->failed = true;
}

static void
read_operand (struct cursor *cursor, const struct cfi_section *section,
              const struct cfi_cie *cie, enum operand operand,
              struct cfa_instruction *instruction)
{
  uint64_t n;
  switch (operand)
    {
    case OPERAND_NONE:
      break;
    case OPERAND_ADDRESS:
      read_address (cursor, section, cie, instruction);
      break;
    case OPERAND_DELTA1:
      instruction->value = cfa_delta (cie, cursor_u8 (cursor));
      break;
    case OPERAND_DELTA2:
      instruction->value = cfa_delta (cie, cursor_u16 (cursor));
      break;
    case OPERAND_DELTA4:
      instruction->value = cfa_delta (cie, cursor_u32 (cursor));
      break;
    case OPERAND_DELTA8:
      instruction->value = cfa_delta (cie, cursor_u64 (cursor));
      break;
    case OPERAND_NUMBER:
      instruction->value = cursor_uleb (cursor);
      break;
    case OPERAND_BYTES:
      n = cursor_uleb (cursor);
      instruction->offset = n > INT64_MAX ? CFA_OFFSET_HUGE : (int64_t)n;
      break;
    case OPERAND_FACTORED:
      instruction->offset = cfa_unsigned_offset (cie, cursor_uleb (cursor));
      break;
    case OPERAND_NEGATED:
      n = cursor_uleb (cursor);
      instruction->offset
          = cfa_offset (cie, n > INT64_MAX ? -CFA_OFFSET_HUGE : -(int64_t)n);
      break;
    case OPERAND_SIGNED:
      instruction->offset = cfa_offset (cie, cursor_sleb (cursor));
      break;
    case OPERAND_BLOCK:
      instruction->block_size = cursor_uleb (cursor);
      instruction->block = cursor_take (cursor, instruction->block_size);
      break;
    }
}

bool
cfa_instruction_read_extended (struct cursor *cursor,
                               const struct cfi_section *section,
                               const struct cfi_cie *cie, uint8_t opcode,
                               struct cfa_instruction *instruction)
{
  const struct form *form = &forms[opcode];
  instruction->opcode = form->opcode;
  if (form->has_register)
    instruction->reg = cursor_uleb (cursor);
  read_operand (cursor, section, cie, form->operand, instruction);
  return form->known && !cursor->failed;
}
