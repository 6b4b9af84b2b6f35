/* Call-frame instructions, decoded one by one.
   SPDX-License-Identifier: LGPL-2.1-or-later

   DWARF 5, section 7.24 (table 7.29), LSB Core 10.5 for the GNU extensions,
   "DWARF for the Arm 64-bit Architecture", section 4.4.  Decoding is apart
   from execution (cfa_program), so that the --gnu mode can re-enact what GNU
   as does with the same instructions.  */

#ifndef CFI_CFA_OPCODE_H
#define CFI_CFA_OPCODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

enum cfa_opcode
{
  /* Primary opcodes: two bits, the rest is an operand.  */
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

/* Pointer encodings of .eh_frame (LSB Core, section 10.5.1).  */
enum
{
  PE_ABSPTR = 0x00,
  PE_ULEB128 = 0x01,
  PE_UDATA2 = 0x02,
  PE_UDATA4 = 0x03,
  PE_UDATA8 = 0x04,
  PE_SLEB128 = 0x09,
  PE_SDATA2 = 0x0a,
  PE_SDATA4 = 0x0b,
  PE_SDATA8 = 0x0c,
  PE_FORMAT = 0x0f, /* mask */
  PE_PCREL = 0x10,
  PE_ALIGNED = 0x50,
  PE_APPLICATION = 0x70, /* mask */
  PE_INDIRECT = 0x80,
  PE_OMIT = 0xff
};

struct cfa_instruction
{
  uint8_t opcode; /* enum cfa_opcode; operand bits of primary ones removed */
  uint64_t reg;   /* register operand */
  uint64_t value; /* delta, unsigned offset, second register, args size */
  int64_t signed_value; /* factored offset of the _SF forms */
  const uint8_t *block; /* expression */
  uint64_t block_size;
};

/* Read a pointer encoded as ENCODING.  PC-relative values count from the
   address FIELD_ADDRESS of the field itself.  False when ENCODING is not an
   absolute or PC-relative one or the bytes end.  */
bool cfa_read_pointer (struct cursor *cursor, uint8_t encoding,
                       uint64_t field_address, uint64_t *value);

/* Read a pointer, where a null stays null; a plain PC-relative one would
   not.  FIELD_ADDRESS is the address of the next byte of CURSOR.  */
bool cfa_read_nullable (struct cursor *cursor, uint8_t encoding,
                        uint64_t field_address, uint64_t *value);

/* Decode an instruction; its OPCODE, not a primary one, has been read.  */
bool cfa_instruction_read_extended (struct cursor *cursor, uint8_t opcode,
                                    uint8_t encoding,
                                    struct cfa_instruction *instruction);

/* Decode the next instruction.  set_loc's operand is in `block`: reading it
   takes the CIE's ENCODING.  False for an unknown opcode or when the bytes
   end.  Inline for the primary opcodes, which most instructions have.  */
static inline bool
cfa_instruction_read (struct cursor *cursor, uint8_t encoding,
                      struct cfa_instruction *instruction)
{
  uint8_t byte = cursor_u8 (cursor);
  uint8_t low = byte & 0x3f;
  instruction->opcode = byte & 0xc0;
  switch (byte & 0xc0)
    {
    case CFA_ADVANCE_LOC:
      instruction->value = low;
      return true;
    case CFA_OFFSET:
      instruction->reg = low;
      instruction->value = cursor_uleb (cursor);
      return !cursor->failed;
    case CFA_RESTORE:
      instruction->reg = low;
      return true;
    default:
      return !cursor->failed
             && cfa_instruction_read_extended (cursor, byte, encoding,
                                               instruction);
    }
}

#endif /* CFI_CFA_OPCODE_H */
