/* Decoding call-frame instructions, one by one, and expressions.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/cfa_opcode.h"

#include <string.h>

#include "elf/encoded_pointer.h"

/* The operand of an instruction.  A register number may be in front of it.
   The comments name the field of struct cfa_instruction that it sets.  */
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

/* The operands of an extended opcode, and the opcode after decoding.  */
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

/* Read an address, which may be relative to its own address.  The function is
   not inline, because other instructions would save registers for it.  */
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

/* ---- Expressions */

/* DWARF 5, section 7.7.1.  */
enum
{
  OP_DEREF = 0x06,
  OP_CONST1U = 0x08,
  OP_CONST1S = 0x09,
  OP_CONST2U = 0x0a,
  OP_CONST2S = 0x0b,
  OP_CONST4U = 0x0c,
  OP_CONST4S = 0x0d,
  OP_CONSTU = 0x10,
  OP_CONSTS = 0x11,
  OP_AND = 0x1a,
  OP_MINUS = 0x1c,
  OP_PLUS = 0x22,
  OP_PLUS_UCONST = 0x23,
  OP_SHL = 0x24,
  OP_GE = 0x2a,
  OP_LIT0 = 0x30,
  OP_BREG0 = 0x70,
  OP_BREGX = 0x92,
  OP_NOP = 0x96,

  STACK_MAX = 8
};

enum base
{
  BASE_NONE, /* a constant */
  BASE_CFA,
  BASE_REG
};

/* A symbolic value: base + offset, or *(base + offset) when dereferenced.  */
struct term
{
  enum base base;
  bool dereferenced;
  uint64_t reg;
  int64_t offset;
};

struct stack
{
  struct term terms[STACK_MAX];
  unsigned depth;
};

static bool
push (struct stack *stack, struct term term)
{
  if (stack->depth == STACK_MAX)
    return false;
  stack->terms[stack->depth++] = term;
  return true;
}

static bool
push_constant (struct stack *stack, int64_t value)
{
  return push (stack, (struct term){ .offset = value });
}

static bool
push_register (struct stack *stack, uint64_t reg, int64_t offset)
{
  return push (
      stack, (struct term){ .base = BASE_REG, .reg = reg, .offset = offset });
}

/* Add VALUE to the top of the stack.  */
static bool
add_constant (struct stack *stack, int64_t value)
{
  if (stack->depth == 0)
    return false;
  struct term *top = &stack->terms[stack->depth - 1];
  return !top->dereferenced
         && !__builtin_add_overflow (top->offset, value, &top->offset);
}

/* Replace the two topmost terms by their sum or difference.  In a sum one of
   them must be a constant, in a difference the second one.  */
static bool
combine (struct stack *stack, bool subtract)
{
  if (stack->depth < 2)
    return false;
  struct term right = stack->terms[--stack->depth];
  struct term *left = &stack->terms[stack->depth - 1];
  if (!subtract && left->base == BASE_NONE && right.base != BASE_NONE)
    {
      struct term swapped = *left;
      *left = right;
      right = swapped;
    }
  if (right.base != BASE_NONE || right.offset == INT64_MIN)
    return false;
  return add_constant (stack, subtract ? -right.offset : right.offset);
}

static bool
dereference (struct stack *stack)
{
  if (stack->depth == 0)
    return false;
  struct term *top = &stack->terms[stack->depth - 1];
  if (top->base == BASE_NONE || top->dereferenced)
    return false;
  top->dereferenced = true;
  return true;
}

/* Push the constant of operation OP.  False if OP has none.  */
static bool
push_constant_of (struct stack *stack, uint8_t op, struct cursor *cursor)
{
  switch (op)
    {
    case OP_CONST1U:
      return push_constant (stack, cursor_u8 (cursor));
    case OP_CONST1S:
      return push_constant (stack, (int8_t)cursor_u8 (cursor));
    case OP_CONST2U:
      return push_constant (stack, cursor_u16 (cursor));
    case OP_CONST2S:
      return push_constant (stack, (int16_t)cursor_u16 (cursor));
    case OP_CONST4U:
      return push_constant (stack, cursor_u32 (cursor));
    case OP_CONST4S:
      return push_constant (stack, (int32_t)cursor_u32 (cursor));
    case OP_CONSTU:
      return push_constant (stack, (int64_t)cursor_uleb (cursor));
    case OP_CONSTS:
      return push_constant (stack, cursor_sleb (cursor));
    default:
      return false;
    }
}

static bool
step (struct stack *stack, struct cursor *cursor)
{
  uint8_t op = cursor_u8 (cursor);
  if (op >= OP_LIT0 && op < OP_LIT0 + 32)
    return push_constant (stack, op - OP_LIT0);
  if (op >= OP_BREG0 && op < OP_BREG0 + 32)
    return push_register (stack, op - OP_BREG0, cursor_sleb (cursor));
  switch (op)
    {
    case OP_BREGX:
      {
        uint64_t reg = cursor_uleb (cursor);
        return push_register (stack, reg, cursor_sleb (cursor));
      }
    case OP_DEREF:
      return dereference (stack);
    case OP_PLUS:
      return combine (stack, false);
    case OP_MINUS:
      return combine (stack, true);
    case OP_PLUS_UCONST:
      return add_constant (stack, (int64_t)cursor_uleb (cursor));
    case OP_NOP:
      return true;
    default:
      return push_constant_of (stack, op, cursor);
    }
}

/* Whether BLOCK is CFA = rsp + 8 + 8 * ((rip & 15) >= n), as binutils writes
   for .plt (bfd/elfxx-x86: the lazy PLT's eh_frame; n is 11, or 9 with IBT).
   Other values of n are accepted, too.  *THRESHOLD becomes n.  */
static bool
match_plt (const uint8_t *block, uint64_t size, uint8_t *threshold)
{
  static const uint8_t pattern[] = {
    OP_BREG0 + 7, 8,     OP_BREG0 + 16, 0,      OP_LIT0 + 15, OP_AND,
    OP_LIT0,      OP_GE, OP_LIT0 + 3,   OP_SHL, OP_PLUS,
  };
  const unsigned at = 6; /* of the threshold */
  if (size != sizeof pattern || memcmp (block, pattern, at) != 0
      || memcmp (block + at + 1, pattern + at + 1, sizeof pattern - at - 1)
             != 0
      || block[at] < OP_LIT0 || block[at] > OP_LIT0 + 15)
    return false;
  *threshold = (uint8_t)(block[at] - OP_LIT0);
  return true;
}

/* The rule for the value TERM of an expression.  */
static struct frame_rule
term_rule (const struct arch *arch, const struct term *term,
           enum expression_use use, enum frame_reason reason)
{
  struct frame_rule rule = { .offset = (int32_t)term->offset };
  bool in_memory = term->dereferenced;
  if (use == EXPRESSION_ADDRESS)
    {
      /* No rule has two dereferences.  */
      if (in_memory)
        return frame_rule_unsupported (reason);
      in_memory = true;
    }
  if (term->offset != rule.offset || term->base == BASE_NONE)
    return frame_rule_unsupported (reason);
  if (term->base == BASE_CFA)
    {
      rule.kind = in_memory ? RULE_DEREF_CFA : RULE_CFA;
      return rule;
    }
  if (term->reg > UINT16_MAX || !arch_has_register (arch, term->reg))
    return frame_rule_unsupported (reason);
  rule.kind = in_memory ? RULE_DEREF_REG : RULE_REG;
  rule.reg = (uint16_t)term->reg;
  return rule;
}

struct frame_rule
expression_rule (const struct arch *arch, const uint8_t *block, uint64_t size,
                 enum expression_use use, enum frame_reason reason)
{
  uint8_t threshold;
  if (use == EXPRESSION_CFA && arch->plt_expressions
      && match_plt (block, size, &threshold))
    return (struct frame_rule){ .kind = RULE_PLT,
                                .reg = arch->sp,
                                .offset = threshold };

  /* Except for the CFA itself, evaluation starts with the CFA on the stack
     (DWARF 5, section 6.4.2.3).  */
  struct stack stack = { 0 };
  if (use != EXPRESSION_CFA)
    push (&stack, (struct term){ .base = BASE_CFA });
  struct cursor cursor = cursor_over (block, size, arch->big_endian);
  while (cursor_left (&cursor) > 0)
    if (!step (&stack, &cursor) || cursor.failed)
      return frame_rule_unsupported (reason);
  if (stack.depth == 0)
    return frame_rule_unsupported (reason);
  return term_rule (arch, &stack.terms[stack.depth - 1], use, reason);
}
