/* Decoding call-frame instructions.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/cfa_opcode.h"

/* Which operands follow an extended opcode.  */
enum operands
{
  OPERANDS_UNKNOWN, /* not a known opcode */
  OPERANDS_NONE,
  OPERANDS_ADDRESS,
  OPERANDS_DELTA1,
  OPERANDS_DELTA2,
  OPERANDS_DELTA4,
  OPERANDS_DELTA8,
  OPERANDS_REG,
  OPERANDS_REG_ULEB,
  OPERANDS_REG_SLEB,
  OPERANDS_ULEB,
  OPERANDS_SLEB,
  OPERANDS_BLOCK,
  OPERANDS_REG_BLOCK
};

static const uint8_t operands_of[256] = {
  [CFA_NOP] = OPERANDS_NONE,
  [CFA_SET_LOC] = OPERANDS_ADDRESS,
  [CFA_ADVANCE_LOC1] = OPERANDS_DELTA1,
  [CFA_ADVANCE_LOC2] = OPERANDS_DELTA2,
  [CFA_ADVANCE_LOC4] = OPERANDS_DELTA4,
  [CFA_OFFSET_EXTENDED] = OPERANDS_REG_ULEB,
  [CFA_RESTORE_EXTENDED] = OPERANDS_REG,
  [CFA_UNDEFINED] = OPERANDS_REG,
  [CFA_SAME_VALUE] = OPERANDS_REG,
  [CFA_REGISTER] = OPERANDS_REG_ULEB,
  [CFA_REMEMBER_STATE] = OPERANDS_NONE,
  [CFA_RESTORE_STATE] = OPERANDS_NONE,
  [CFA_DEF_CFA] = OPERANDS_REG_ULEB,
  [CFA_DEF_CFA_REGISTER] = OPERANDS_REG,
  [CFA_DEF_CFA_OFFSET] = OPERANDS_ULEB,
  [CFA_DEF_CFA_EXPRESSION] = OPERANDS_BLOCK,
  [CFA_EXPRESSION] = OPERANDS_REG_BLOCK,
  [CFA_OFFSET_EXTENDED_SF] = OPERANDS_REG_SLEB,
  [CFA_DEF_CFA_SF] = OPERANDS_REG_SLEB,
  [CFA_DEF_CFA_OFFSET_SF] = OPERANDS_SLEB,
  [CFA_VAL_OFFSET] = OPERANDS_REG_ULEB,
  [CFA_VAL_OFFSET_SF] = OPERANDS_REG_SLEB,
  [CFA_VAL_EXPRESSION] = OPERANDS_REG_BLOCK,
  [CFA_MIPS_ADVANCE_LOC8] = OPERANDS_DELTA8,
  [CFA_AARCH64_NEGATE_RA_STATE_WITH_PC] = OPERANDS_NONE,
  [CFA_AARCH64_NEGATE_RA_STATE] = OPERANDS_NONE,
  [CFA_GNU_ARGS_SIZE] = OPERANDS_ULEB,
  [CFA_GNU_NEGATIVE_OFFSET_EXTENDED] = OPERANDS_REG_ULEB,
};

bool
cfa_read_pointer (struct cursor *cursor, uint8_t encoding,
                  uint64_t field_address, uint64_t *value)
{
  switch (encoding & PE_FORMAT)
    {
    case PE_ABSPTR:
    case PE_UDATA8:
    case PE_SDATA8:
      *value = cursor_u64 (cursor);
      break;
    case PE_UDATA4:
      *value = cursor_u32 (cursor);
      break;
    case PE_SDATA4:
      *value = (uint64_t)(int64_t)(int32_t)cursor_u32 (cursor);
      break;
    case PE_UDATA2:
      *value = cursor_u16 (cursor);
      break;
    case PE_SDATA2:
      *value = (uint64_t)(int64_t)(int16_t)cursor_u16 (cursor);
      break;
    case PE_ULEB128:
      *value = cursor_uleb (cursor);
      break;
    case PE_SLEB128:
      *value = (uint64_t)cursor_sleb (cursor);
      break;
    default:
      return false;
    }
  if ((encoding & PE_APPLICATION) == PE_PCREL)
    *value += field_address;
  else if ((encoding & PE_APPLICATION) != 0)
    return false;
  return !cursor->failed && !(encoding & PE_INDIRECT);
}

bool
cfa_read_nullable (struct cursor *cursor, uint8_t encoding,
                   uint64_t field_address, uint64_t *value)
{
  if (!cfa_read_pointer (cursor, encoding & PE_FORMAT, 0, value))
    return false;
  if (*value != 0 && (encoding & PE_APPLICATION) == PE_PCREL)
    *value += field_address;
  return true;
}

static void
read_block (struct cursor *cursor, struct cfa_instruction *instruction)
{
  instruction->block_size = cursor_uleb (cursor);
  instruction->block = cursor_take (cursor, instruction->block_size);
}

static void
read_address (struct cursor *cursor, uint8_t encoding,
              struct cfa_instruction *instruction)
{
  uint64_t ignored;
  instruction->block = cursor->at;
  if (!cfa_read_pointer (cursor, encoding, 0, &ignored))
    cursor->failed = true;
  instruction->block_size = (uint64_t)(cursor->at - instruction->block);
}

bool
cfa_instruction_read_extended (struct cursor *cursor, uint8_t opcode,
                               uint8_t encoding,
                               struct cfa_instruction *instruction)
{
  instruction->opcode = opcode;
  switch (operands_of[opcode])
    {
    case OPERANDS_NONE:
      break;
    case OPERANDS_ADDRESS:
      read_address (cursor, encoding, instruction);
      break;
    case OPERANDS_DELTA1:
      instruction->value = cursor_u8 (cursor);
      break;
    case OPERANDS_DELTA2:
      instruction->value = cursor_u16 (cursor);
      break;
    case OPERANDS_DELTA4:
      instruction->value = cursor_u32 (cursor);
      break;
    case OPERANDS_DELTA8:
      instruction->value = cursor_u64 (cursor);
      break;
    case OPERANDS_REG:
      instruction->reg = cursor_uleb (cursor);
      break;
    case OPERANDS_REG_ULEB:
      instruction->reg = cursor_uleb (cursor);
      instruction->value = cursor_uleb (cursor);
      break;
    case OPERANDS_REG_SLEB:
      instruction->reg = cursor_uleb (cursor);
      instruction->signed_value = cursor_sleb (cursor);
      break;
    case OPERANDS_ULEB:
      instruction->value = cursor_uleb (cursor);
      break;
    case OPERANDS_SLEB:
      instruction->signed_value = cursor_sleb (cursor);
      break;
    case OPERANDS_BLOCK:
      read_block (cursor, instruction);
      break;
    case OPERANDS_REG_BLOCK:
      instruction->reg = cursor_uleb (cursor);
      read_block (cursor, instruction);
      break;
    default:
      return false;
    }
  return !cursor->failed;
}
