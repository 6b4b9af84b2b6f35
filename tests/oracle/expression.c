/* Evaluating DWARF expressions on a made-up machine.
   SPDX-License-Identifier: LGPL-2.1-or-later

   DWARF 5, section 2.5.  The converter has no evaluator: it matches shapes.
   This one computes, so that a shape matched wrongly gives another value.  */

#include <dwarf.h>

#include "expression.h"

enum
{
  STACK_MAX = 64,
  STEPS_MAX = 4096 /* DW_OP_bra can loop */
};

struct evaluation
{
  const struct machine *machine;
  const uint64_t *cfa;
  uint64_t stack[STACK_MAX];
  size_t depth;
  bool failed;
  bool is_value; /* DW_OP_stack_value, or a register was named */
};

static void
push (struct evaluation *e, uint64_t value)
{
  if (e->depth == STACK_MAX)
    e->failed = true;
  else
    e->stack[e->depth++] = value;
}

static uint64_t
pop (struct evaluation *e)
{
  if (e->depth == 0)
    {
      e->failed = true;
      return 0;
    }
  return e->stack[--e->depth];
}

static uint64_t
peek (struct evaluation *e, uint64_t index)
{
  if (index >= e->depth)
    {
      e->failed = true;
      return 0;
    }
  return e->stack[e->depth - 1 - index];
}

static uint64_t
load_sized (struct evaluation *e, uint64_t address, uint64_t size)
{
  uint64_t value = machine_memory (e->machine, address);
  return size >= 8 ? value : value & ((UINT64_C (1) << (8 * size)) - 1);
}

/* Operations on the two topmost values.  False: not such an operation.  */
static bool
evaluate_binary (struct evaluation *e, uint8_t atom)
{
  if (atom < DW_OP_and || atom > DW_OP_ne || atom == DW_OP_abs
      || atom == DW_OP_neg || atom == DW_OP_not || atom == DW_OP_plus_uconst
      || atom == DW_OP_bra)
    return false;
  uint64_t b = pop (e), a = pop (e);
  int64_t sa = (int64_t)a, sb = (int64_t)b;
  bool divide = atom == DW_OP_div || atom == DW_OP_mod;
  if (divide && (b == 0 || (sa == INT64_MIN && sb == -1)))
    {
      e->failed = true;
      return true;
    }
  switch (atom)
    {
    case DW_OP_and:
      push (e, a & b);
      break;
    case DW_OP_div:
      push (e, (uint64_t)(sa / sb));
      break;
    case DW_OP_minus:
      push (e, a - b);
      break;
    case DW_OP_mod:
      push (e, a % b);
      break;
    case DW_OP_mul:
      push (e, a * b);
      break;
    case DW_OP_or:
      push (e, a | b);
      break;
    case DW_OP_plus:
      push (e, a + b);
      break;
    case DW_OP_shl:
      push (e, b < 64 ? a << b : 0);
      break;
    case DW_OP_shr:
      push (e, b < 64 ? a >> b : 0);
      break;
    case DW_OP_shra:
      push (e, (uint64_t)(sa >> (b < 63 ? b : 63)));
      break;
    case DW_OP_xor:
      push (e, a ^ b);
      break;
    case DW_OP_eq:
      push (e, sa == sb);
      break;
    case DW_OP_ge:
      push (e, sa >= sb);
      break;
    case DW_OP_gt:
      push (e, sa > sb);
      break;
    case DW_OP_le:
      push (e, sa <= sb);
      break;
    case DW_OP_lt:
      push (e, sa < sb);
      break;
    case DW_OP_ne:
      push (e, sa != sb);
      break;
    default:
      e->failed = true;
      break;
    }
  return true;
}

/* Literals and registers.  False: not such an operation.  */
static bool
evaluate_leaf (struct evaluation *e, const Dwarf_Op *op)
{
  uint8_t atom = op->atom;
  if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
    push (e, atom - DW_OP_lit0);
  else if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
    push (e, machine_register (e->machine, atom - DW_OP_breg0) + op->number);
  else if (atom == DW_OP_bregx)
    push (e, machine_register (e->machine, op->number) + op->number2);
  else if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31)
    {
      push (e, machine_register (e->machine, atom - DW_OP_reg0));
      e->is_value = true;
    }
  else if (atom == DW_OP_regx)
    {
      push (e, machine_register (e->machine, op->number));
      e->is_value = true;
    }
  else if (atom == DW_OP_addr
           || (atom >= DW_OP_const1u && atom <= DW_OP_consts))
    push (e, op->number);
  else if (atom == DW_OP_call_frame_cfa)
    {
      push (e, e->cfa ? *e->cfa : 0);
      e->failed |= !e->cfa;
    }
  else
    return false;
  return true;
}

static void
rotate (struct evaluation *e)
{
  uint64_t a = pop (e), b = pop (e), c = pop (e);
  push (e, a);
  push (e, c);
  push (e, b);
}

/* Stack manipulation, memory and operations on one value.  */
static void
evaluate_other (struct evaluation *e, const Dwarf_Op *op)
{
  uint64_t a, b;
  switch (op->atom)
    {
    case DW_OP_dup:
      push (e, peek (e, 0));
      break;
    case DW_OP_drop:
      pop (e);
      break;
    case DW_OP_over:
      push (e, peek (e, 1));
      break;
    case DW_OP_pick:
      push (e, peek (e, op->number));
      break;
    case DW_OP_swap:
      a = pop (e);
      b = pop (e);
      push (e, a);
      push (e, b);
      break;
    case DW_OP_rot:
      rotate (e);
      break;
    case DW_OP_deref:
      push (e, load_sized (e, pop (e), 8));
      break;
    case DW_OP_deref_size:
      push (e, load_sized (e, pop (e), op->number));
      break;
    case DW_OP_abs:
      a = pop (e);
      push (e, a >> 63 ? 0 - a : a);
      break;
    case DW_OP_neg:
      push (e, 0 - pop (e));
      break;
    case DW_OP_not:
      push (e, ~pop (e));
      break;
    case DW_OP_plus_uconst:
      push (e, pop (e) + op->number);
      break;
    case DW_OP_stack_value:
      e->is_value = true;
      break;
    case DW_OP_nop:
      break;
    default:
      e->failed = true;
      break;
    }
}

/* The index of the operation at byte OFFSET; N_OPS for the end.  */
static size_t
jump_target (const Dwarf_Op *ops, size_t n_ops, size_t from)
{
  /* An operand of 2 bytes follows the opcode.  */
  uint64_t target = ops[from].offset + 3 + (uint64_t)(int16_t)ops[from].number;
  for (size_t i = 0; i < n_ops; i++)
    if (ops[i].offset == target)
      return i;
  return n_ops;
}

struct answer
expression_evaluate (const struct machine *machine, const Dwarf_Op *ops,
                     size_t n_ops, const uint64_t *cfa, bool location)
{
  struct evaluation e = { .machine = machine, .cfa = cfa };
  size_t steps = 0;
  for (size_t i = 0; i < n_ops && !e.failed; i++)
    {
      if (++steps > STEPS_MAX)
        e.failed = true;
      else if (ops[i].atom == DW_OP_skip
               || (ops[i].atom == DW_OP_bra && pop (&e) != 0))
        i = jump_target (ops, n_ops, i) - 1;
      else if (ops[i].atom != DW_OP_bra && !evaluate_leaf (&e, &ops[i])
               && !evaluate_binary (&e, ops[i].atom))
        evaluate_other (&e, &ops[i]);
    }
  uint64_t top = pop (&e);
  if (e.failed)
    return (struct answer){ .kind = ANSWER_UNKNOWN };
  if (location && !e.is_value)
    top = machine_memory (machine, top);
  return answer_of (top);
}

bool
expression_uses_register (const Dwarf_Op *ops, size_t n_ops, int regno)
{
  for (size_t i = 0; i < n_ops; i++)
    {
      const Dwarf_Op *op = &ops[i];
      if ((op->atom == DW_OP_bregx || op->atom == DW_OP_regx)
          && op->number == (Dwarf_Word)regno)
        return true;
      if (regno <= 31
          && (op->atom == DW_OP_breg0 + regno
              || op->atom == DW_OP_reg0 + regno))
        return true;
    }
  return false;
}
