/* What holds of the instructions of all machines.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/insn.h"

uint32_t
insn_written (const struct insn *insn)
{
  if (insn->op == OP_NONE)
    return insn->writes;
  return insn->writes | reg_mask (insn->to)
         | (insn->op == OP_LOAD && insn->is_pair ? reg_mask (insn->second) : 0)
         | (insn->op == OP_SWAP ? reg_mask (insn->from) : 0)
         | (insn->adjusts_base ? reg_mask (insn->base) : 0);
}

bool
insn_resets (const struct insn *insn, unsigned sp)
{
  switch (insn->op)
    {
    case OP_LEAVE:
      return true;
    case OP_SWAP:
      return insn->to == sp || insn->from == sp;
    case OP_POP:
    case OP_LOAD:
    case OP_SET:
      return insn->to == sp || insn->second == sp;
    default:
      return insn->to == sp && insn->from != sp;
    }
}

static uint64_t
calculate (enum insn_calculation calculation, uint64_t a, uint64_t b,
           unsigned bits)
{
  unsigned by = b % bits, back = (bits - by) % bits;
  uint64_t sign = a >> (bits - 1) & 1 ? UINT64_MAX << (bits - 1) : 0;
  switch (calculation)
    {
    case CALCULATE_ADD:
      return a + b;
    case CALCULATE_SUBTRACT:
      return a - b;
    case CALCULATE_SUBTRACT_FROM:
      return b - a;
    case CALCULATE_AND:
      return a & b;
    case CALCULATE_OR:
      return a | b;
    case CALCULATE_XOR:
      return a ^ b;
    case CALCULATE_MULTIPLY:
      return a * b;
    case CALCULATE_SHIFT_LEFT:
      return a << by;
    case CALCULATE_SHIFT_RIGHT:
      return a >> by;
    case CALCULATE_SHIFT_SIGNED:
      return (uint64_t)((int64_t)(a | sign) >> by);
    case CALCULATE_ROTATE_LEFT:
      return a << by | a >> back;
    case CALCULATE_ROTATE_RIGHT:
      return a >> by | a << back;
    default:
      return b;
    }
}

uint64_t
insn_calculate (enum insn_calculation calculation, uint64_t a, uint64_t b,
                unsigned width)
{
  unsigned bits = 8 * width;
  uint64_t mask = UINT64_MAX >> (64 - bits);
  return calculate (calculation, a & mask, b & mask, bits) & mask;
}
