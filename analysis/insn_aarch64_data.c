/* A64 instructions that compute.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/insn_aarch64.h"

#include <stddef.h>

static bool
is_whole (uint32_t word)
{
  return word >> 31;
}

/* TO = VALUE, in a register of 4 or 8 bytes.  */
static void
set_constant (struct a64 *t, uint8_t to, uint64_t value)
{
  a64_op (t, OP_SET, to, REG_NONE);
  t->insn->immediate
      = (int64_t)(is_whole (t->word) ? value : value & UINT32_MAX);
}

/* Immediates.  */

static void
translate_address (struct a64 *t)
{
  uint32_t word = t->word;
  uint64_t distance
      = (uint64_t)(a64_signed (word, 5, 19) * 4) + a64_bits (word, 29, 2);
  bool is_page = word >> 31;
  a64_op (t, OP_SET, a64_or_zero (a64_rd (word)), REG_NONE);
  t->insn->immediate
      = (int64_t)(is_page ? (t->address & ~UINT64_C (0xfff)) + distance * 4096
                          : t->address + distance);
  t->insn->names_place = !is_page && t->insn->op == OP_SET;
  t->insn->is_part = is_page;
}

/* ADD, SUB, CMP, CMN and moves from and to SP.  */
static bool
translate_add_immediate (struct a64 *t)
{
  uint32_t word = t->word;
  struct insn *insn = t->insn;
  bool subtracts = a64_bits (word, 30, 1), flags = a64_bits (word, 29, 1);
  uint8_t to = (uint8_t)a64_rd (word), from = (uint8_t)a64_rn (word);
  int64_t value = (int64_t)a64_bits (word, 10, 12)
                  << (a64_bits (word, 22, 1) ? 12 : 0);
  insn->sets_flags = flags;
  if (flags)
    to = a64_or_zero (to);
  a64_reads (t, from);
  if (to == REG_NONE && subtracts)
    {
      insn->op = OP_COMPARE;
      insn->from = from;
      insn->immediate = value;
    }
  else if (is_whole (word))
    {
      a64_op (t, OP_ADD, to, from);
      insn->immediate = subtracts ? -value : value;
      insn->names_place = !subtracts && !flags;
    }
  else
    a64_calculate (t, subtracts ? CALCULATE_SUBTRACT : CALCULATE_ADD, to, from,
                   value);
  return true;
}

/* DecodeBitMasks of the Arm ARM, without the part for bit fields: IMMS+1 ones
   in an element of 2^k bits, rotated right by IMMR and repeated.  */
static bool
bit_mask (uint32_t word, uint64_t *mask)
{
  unsigned immr = a64_bits (word, 16, 6), imms = a64_bits (word, 10, 6);
  unsigned sizes = a64_bits (word, 22, 1) << 6 | (~imms & 0x3f);
  if (sizes < 2)
    return false;
  unsigned log = 31 - (unsigned)__builtin_clz (sizes), size = 1u << log;
  unsigned ones = (imms & (size - 1)) + 1, turn = immr & (size - 1);
  if (ones == size)
    return false;
  uint64_t element = (UINT64_C (1) << ones) - 1;
  uint64_t whole = size == 64 ? UINT64_MAX : (UINT64_C (1) << size) - 1;
  if (turn > 0)
    element = (element >> turn | element << (size - turn)) & whole;
  for (; size < 64; size *= 2)
    element |= element << size;
  *mask = element;
  return true;
}

/* AND, ORR, EOR, ANDS.  */
static bool
translate_logical_immediate (struct a64 *t)
{
  static const uint8_t calculations[]
      = { CALCULATE_AND, CALCULATE_OR, CALCULATE_XOR, CALCULATE_AND };
  uint32_t word = t->word;
  unsigned opc = a64_bits (word, 29, 2);
  uint8_t to = (uint8_t)a64_rd (word), from = a64_or_zero (a64_rn (word));
  uint64_t mask;
  if (!bit_mask (word, &mask) || (!is_whole (word) && a64_bits (word, 22, 1)))
    return false;
  if (!is_whole (word))
    mask &= UINT32_MAX;
  uint64_t size = 0 - mask;
  t->insn->sets_flags = opc == 3;
  if (opc == 3)
    to = a64_or_zero (to);
  a64_reads (t, from);
  if (opc == 1 && from == REG_NONE)
    set_constant (t, to, mask);
  else if (opc == 0 && from != REG_NONE && is_whole (word) && mask >> 63
           && (size & (size - 1)) == 0)
    {
      a64_op (t, OP_ALIGN, to, from);
      t->insn->immediate = (int64_t)mask;
    }
  else
    a64_calculate (t, (enum insn_calculation)calculations[opc], to, from,
                   (int64_t)mask);
  return true;
}

/* MOVN, MOVZ, MOVK.  */
static bool
translate_move_wide (struct a64 *t)
{
  uint32_t word = t->word;
  unsigned opc = a64_bits (word, 29, 2), shift = a64_bits (word, 21, 2) * 16;
  uint64_t value = (uint64_t)a64_bits (word, 5, 16) << shift;
  uint8_t to = a64_or_zero (a64_rd (word));
  if (opc == 1 || (!is_whole (word) && shift > 16))
    return false;
  if (opc == 0)
    set_constant (t, to, ~value);
  else if (opc == 2)
    set_constant (t, to, value);
  else
    {
      a64_reads (t, to);
      a64_op (t, OP_INSERT, to, to);
      t->insn->immediate = (int64_t)value;
      t->insn->scale = (uint8_t)shift;
      t->insn->width = is_whole (word) ? 8 : 4;
    }
  return true;
}

/* LSL, LSR and ASR by a number.  False: the bit field is another.  */
static bool
shift_by_number (struct a64 *t, unsigned opc, uint8_t to, uint8_t from)
{
  unsigned last = is_whole (t->word) ? 63 : 31;
  unsigned immr = a64_bits (t->word, 16, 6), imms = a64_bits (t->word, 10, 6);
  bool is_left = opc == 2 && imms != last && imms + 1 == immr;
  if (opc == 1 || from == REG_NONE || !(is_left || imms == last))
    return false;
  a64_calculate (t,
                 is_left    ? CALCULATE_SHIFT_LEFT
                 : opc == 2 ? CALCULATE_SHIFT_RIGHT
                            : CALCULATE_SHIFT_SIGNED,
                 to, from, is_left ? last - imms : immr);
  return true;
}

/* SBFM, BFM, UBFM: extensions and shifts by a number.  */
static bool
translate_bit_field (struct a64 *t)
{
  uint32_t word = t->word;
  unsigned opc = a64_bits (word, 29, 2);
  unsigned immr = a64_bits (word, 16, 6), imms = a64_bits (word, 10, 6);
  bool whole = is_whole (word);
  uint8_t to = a64_or_zero (a64_rd (word)), from = a64_or_zero (a64_rn (word));
  if (opc == 3 || a64_bits (word, 22, 1) != whole
      || (!whole && (immr | imms) >= 32))
    return false;
  unsigned left = 64 - immr;
  a64_reads (t, from);
  if (opc == 1)
    a64_reads (t, to);
  if (opc != 1 && from != REG_NONE && immr == 0 && imms == 31 && whole)
    {
      a64_op (t, OP_MOVE, to, from); /* SXTW */
      t->insn->width = 4;
    }
  else if (opc != 1 && from != REG_NONE && whole && left <= 3
           && (imms == 31 || imms + left == 63))
    {
      a64_op (t, OP_SCALE, to, from); /* LSL; SBFIZ and UBFIZ of 4 bytes */
      t->insn->immediate = 1 << left;
    }
  else if (!shift_by_number (t, opc, to, from))
    a64_writes (t, to);
  return true;
}

static bool
translate_extract (struct a64 *t)
{
  uint32_t word = t->word;
  a64_reads (t, a64_or_zero (a64_rn (word)));
  a64_reads (t, a64_or_zero (a64_rm (word)));
  a64_writes (t, a64_or_zero (a64_rd (word)));
  return a64_bits (word, 29, 2) == 0 && !a64_bits (word, 21, 1)
         && a64_bits (word, 22, 1) == is_whole (word)
         && (is_whole (word) || a64_bits (word, 15, 1) == 0);
}

/* ADDG and SUBG, of memory tagging: an address with another tag.  SMAX to
   UMIN, of a register and a number.  */
static bool
translate_add_tag (struct a64 *t)
{
  if (a64_matches (t->word, 0x7ff00000, 0x11c00000))
    {
      a64_reads (t, a64_or_zero (a64_rn (t->word)));
      a64_writes (t, a64_or_zero (a64_rd (t->word)));
      return true;
    }
  a64_reads (t, (uint8_t)a64_rn (t->word));
  a64_writes (t, (uint8_t)a64_rd (t->word));
  return a64_matches (t->word, 0xbfc0c000, 0x91800000);
}

bool
a64_immediate (struct a64 *t)
{
  switch (a64_bits (t->word, 23, 3))
    {
    case 0:
    case 1:
      translate_address (t);
      return true;
    case 2:
      return translate_add_immediate (t);
    case 3:
      return translate_add_tag (t);
    case 4:
      return translate_logical_immediate (t);
    case 5:
      return translate_move_wide (t);
    case 6:
      return translate_bit_field (t);
    default:
      return translate_extract (t);
    }
}

/* Registers.  */

/* TO = FROM, which may be the register of zeroes.  */
static void
move (struct a64 *t, uint8_t to, uint8_t from)
{
  if (from == REG_NONE)
    {
      set_constant (t, to, 0);
      return;
    }
  a64_op (t, OP_MOVE, to, from);
  t->insn->width = is_whole (t->word) ? 8 : 4;
  if (!is_whole (t->word))
    a64_reads (t, from);
}

/* AND, BIC, ORR, ORN, EOR, EON, ANDS, BICS; MOV is ORR with zeroes.  */
static bool
translate_logical (struct a64 *t)
{
  static const uint8_t calculations[]
      = { CALCULATE_AND, CALCULATE_OR, CALCULATE_XOR, CALCULATE_AND };
  uint32_t word = t->word;
  uint8_t to = a64_or_zero (a64_rd (word)), n = a64_or_zero (a64_rn (word)),
          m = a64_or_zero (a64_rm (word));
  if (!is_whole (word) && a64_bits (word, 15, 1))
    return false;
  t->insn->sets_flags = a64_bits (word, 29, 2) == 3;
  if (a64_matches (word, 0x7fe0ffe0, 0x2a0003e0))
    {
      move (t, to, m);
      return true;
    }
  a64_reads (t, n);
  a64_reads (t, m);
  if (a64_bits (word, 10, 6) == 0 && !a64_bits (word, 21, 1))
    a64_calculate_by (
        t, (enum insn_calculation)calculations[a64_bits (word, 29, 2)], to, n,
        m);
  else
    a64_writes (t, to);
  return true;
}

/* to = n + m * SCALE, or n - m; neither is the register of zeroes.  WIDTH
   bytes of m are taken, with their sign if IS_SIGNED.  */
static void
add (struct a64 *t, uint8_t to, uint8_t n, uint8_t m, unsigned width,
     bool is_signed, unsigned scale)
{
  bool subtracts = a64_bits (t->word, 30, 1);
  bool plain = scale == 1 && width == 8;
  struct insn *insn = t->insn;
  a64_reads (t, n);
  a64_reads (t, m);
  bool is_half = !is_whole (t->word);
  if (is_half && scale == 1 && width >= 4 && to != A64_SP && n != A64_SP)
    {
      a64_calculate_by (t, subtracts ? CALCULATE_SUBTRACT : CALCULATE_ADD, to,
                        n, m);
      return;
    }
  if (is_half || (subtracts && !plain && to != A64_SP))
    {
      a64_writes (t, to);
      return;
    }
  a64_op (t, subtracts ? OP_LOWER : plain ? OP_SUM : OP_SUM_SCALED, to, n);
  insn->index = plain || !subtracts ? m : REG_NONE;
  insn->scale = (uint8_t)scale;
  insn->width = (uint16_t)width;
  insn->sign_extended = is_signed;
}

static void
compare (struct a64 *t, uint8_t n, uint8_t m)
{
  t->insn->op = OP_COMPARE_BOTH;
  t->insn->from = n;
  t->insn->index = m;
  t->insn->width = is_whole (t->word) ? 8 : 4;
  a64_reads (t, n);
  a64_reads (t, m);
}

/* ADD, SUB, CMP, NEG with a register that is shifted.  */
static bool
translate_add_shifted (struct a64 *t)
{
  uint32_t word = t->word;
  unsigned by = a64_bits (word, 10, 6), shift = a64_bits (word, 22, 2);
  uint8_t to = a64_or_zero (a64_rd (word)), n = a64_or_zero (a64_rn (word)),
          m = a64_or_zero (a64_rm (word));
  bool subtracts = a64_bits (word, 30, 1);
  if (shift == 3 || (!is_whole (word) && by >= 32))
    return false;
  t->insn->sets_flags = a64_bits (word, 29, 1);
  if (t->insn->sets_flags && to == REG_NONE && subtracts && n != REG_NONE
      && m != REG_NONE && by == 0)
    compare (t, n, m);
  else if (m == REG_NONE)
    move (t, to, n);
  else if (n != REG_NONE && shift == 0 && by <= 3)
    add (t, to, n, m, 8, false, 1u << by);
  else
    {
      a64_reads (t, n);
      a64_reads (t, m);
      a64_writes (t, to);
    }
  return true;
}

/* Addition and subtraction of an extended register; the other registers with
   number 31 are SP.  */
static bool
translate_add_extended (struct a64 *t)
{
  uint32_t word = t->word;
  unsigned option = a64_bits (word, 13, 3), by = a64_bits (word, 10, 3);
  bool flags = a64_bits (word, 29, 1), subtracts = a64_bits (word, 30, 1);
  unsigned width = 1u << (option & 3);
  uint8_t to = (uint8_t)a64_rd (word), n = (uint8_t)a64_rn (word),
          m = a64_or_zero (a64_rm (word));
  if (a64_bits (word, 22, 2) != 0 || by > 4)
    return false;
  if (flags)
    to = a64_or_zero (to);
  if (!is_whole (word) && width == 8)
    width = 4;
  t->insn->sets_flags = flags;
  if (flags && to == REG_NONE && subtracts && m != REG_NONE && by == 0
      && width == (is_whole (word) ? 8 : 4))
    compare (t, n, m);
  else if (m == REG_NONE)
    move (t, to, n);
  else
    add (t, to, n, m, width, option & 4, 1u << by);
  return true;
}

/* ADC, SBC; RMIF and SETF are about flags only.  */
static bool
translate_add_with_carry (struct a64 *t)
{
  uint32_t word = t->word;
  unsigned op3 = a64_bits (word, 10, 6);
  bool sets_flags_only = (op3 & 0x1f) == 1 || (op3 & 0xf) == 2;
  t->insn->sets_flags = a64_bits (word, 29, 1);
  a64_reads (t, a64_or_zero (a64_rn (word)));
  if (sets_flags_only)
    return a64_bits (word, 29, 2) == 1;
  a64_reads (t, a64_or_zero (a64_rm (word)));
  a64_writes (t, a64_or_zero (a64_rd (word)));
  return op3 == 0;
}

static bool
translate_conditional_compare (struct a64 *t)
{
  uint32_t word = t->word;
  t->insn->sets_flags = true;
  a64_reads (t, a64_or_zero (a64_rn (word)));
  if (!a64_bits (word, 11, 1))
    a64_reads (t, a64_or_zero (a64_rm (word)));
  return a64_bits (word, 29, 1) && !a64_bits (word, 10, 1)
         && !a64_bits (word, 4, 1);
}

static bool
translate_select (struct a64 *t)
{
  uint32_t word = t->word;
  a64_reads (t, a64_or_zero (a64_rn (word)));
  a64_reads (t, a64_or_zero (a64_rm (word)));
  a64_writes (t, a64_or_zero (a64_rd (word)));
  return !a64_bits (word, 29, 1) && !a64_bits (word, 11, 1);
}

/* Divisions, shifts, CRC32, pointer authentication, memory tags, minima.  */
static bool
translate_two_sources (struct a64 *t)
{
  uint32_t word = t->word;
  unsigned opcode = a64_bits (word, 10, 6);
  bool tags = opcode == 0 || opcode == 4;
  bool whole_only = tags || opcode == 5 || opcode == 12;
  a64_reads (t, a64_or_zero (a64_rn (word)));
  a64_reads (t, a64_or_zero (a64_rm (word)));
  t->insn->sets_flags = a64_bits (word, 29, 1);
  if (opcode == 4)
    a64_writes (t, (uint8_t)a64_rd (word)); /* IRG: SP is possible */
  else
    a64_writes (t, a64_or_zero (a64_rd (word)));
  if (t->insn->sets_flags)
    return opcode == 0 && is_whole (word);
  if (whole_only && !is_whole (word))
    return false;
  if (opcode >= 16 && opcode < 24) /* CRC32 */
    return ((opcode & 3) == 3) == is_whole (word);
  return opcode == 0 || (opcode >= 2 && opcode <= 5)
         || (opcode >= 8 && opcode <= 12) || (opcode >= 24 && opcode < 28);
}

/* RBIT, REV, CLZ, ...; PACIA to XPACD.  */
static bool
translate_one_source (struct a64 *t)
{
  uint32_t word = t->word;
  unsigned opcode2 = a64_bits (word, 16, 5), opcode = a64_bits (word, 10, 6);
  a64_reads (t, a64_or_zero (a64_rn (word)));
  a64_writes (t, a64_or_zero (a64_rd (word)));
  if (a64_bits (word, 29, 1))
    return false;
  if (opcode2 == 1)
    return is_whole (word)
           && (opcode < 8 || (opcode < 18 && a64_rn (word) == 31));
  return opcode2 == 0 && opcode <= 8 && (opcode != 3 || is_whole (word));
}

static bool
translate_three_sources (struct a64 *t)
{
  uint32_t word = t->word;
  unsigned op31 = a64_bits (word, 21, 3), negates = a64_bits (word, 15, 1);
  a64_reads (t, a64_or_zero (a64_rn (word)));
  a64_reads (t, a64_or_zero (a64_rm (word)));
  a64_reads (t, a64_or_zero (a64_bits (word, 10, 5)));
  if (op31 == 0 && !negates && a64_bits (word, 10, 5) == A64_ZR) /* MUL */
    a64_calculate_by (t, CALCULATE_MULTIPLY, a64_or_zero (a64_rd (word)),
                      a64_or_zero (a64_rn (word)),
                      a64_or_zero (a64_rm (word)));
  else
    a64_writes (t, a64_or_zero (a64_rd (word)));
  return a64_bits (word, 29, 2) == 0
         && (op31 == 0
             || (is_whole (word)
                 && (op31 == 1 || op31 == 5
                     || ((op31 == 2 || op31 == 6) && !negates))));
}

bool
a64_register (struct a64 *t)
{
  uint32_t word = t->word;
  unsigned op2 = a64_bits (word, 21, 4);
  if (!a64_bits (word, 28, 1))
    return op2 < 8   ? translate_logical (t)
           : op2 & 1 ? translate_add_extended (t)
                     : translate_add_shifted (t);
  if (op2 >= 8)
    return translate_three_sources (t);
  switch (op2)
    {
    case 0:
      return translate_add_with_carry (t);
    case 2:
      return translate_conditional_compare (t);
    case 4:
      return translate_select (t);
    case 6:
      return a64_bits (word, 30, 1) ? translate_one_source (t)
                                    : translate_two_sources (t);
    default:
      return false;
    }
}

/* SIMD and floating point.  Few of these instructions have to do with general
   registers.  */

/* FMOV, FCVTZS, SCVTF and the like: "Conversion between floating-point and
   integer", or fixed-point.  */
static void
translate_conversion (struct a64 *t)
{
  unsigned opcode = a64_bits (t->word, 16, 3);
  if ((opcode & 6) == 2 || opcode == 7)
    a64_reads (t, a64_or_zero (a64_rn (t->word)));
  else
    a64_writes (t, a64_or_zero (a64_rd (t->word)));
}

bool
a64_vector (struct a64 *t)
{
  uint32_t word = t->word;
  unsigned top = a64_bits (word, 24, 8);
  if (top >= 0x80 ? top != 0x9e && top != 0xce : (top & 0xfe) == 0x3e)
    return false;
  bool is_scalar = a64_matches (word, 0x5f200000, 0x1e200000);
  if (a64_matches (word, 0x5f20fc00, 0x1e200000)
      || a64_matches (word, 0x5f200000, 0x1e000000))
    translate_conversion (t);
  else if (is_scalar
           && (a64_bits (word, 10, 2) == 1 || a64_bits (word, 10, 4) == 8))
    t->insn->sets_flags = true; /* FCCMP, FCMP */
  else if (a64_matches (word, 0xbfe0ec00, 0x0e002c00))
    a64_writes (t, a64_or_zero (a64_rd (word))); /* UMOV, SMOV */
  else if (a64_matches (word, 0x9fe0fc00, 0x0e000c00)
           || a64_matches (word, 0xffe0fc00, 0x4e001c00))
    a64_reads (t, a64_or_zero (a64_rn (word))); /* DUP, INS */
  return true;
}

/* SVE.  How large its vectors are is not known; what general registers, SP and
   the flags get from it neither.  */
bool
a64_scalable (struct a64 *t)
{
  static const struct
  {
    uint32_t mask, bits;
  } writers[] = {
    { 0xff20f000, 0x0420f000 }, /* SQINCB and other counts that saturate */
    { 0xff20f000, 0x0420e000 }, /* CNTB, INCB, DECB (bit 20) ... */
    { 0xffbff000, 0x04bf5000 }, /* RDVL, RDSVL */
    { 0xff3ee000, 0x0520a000 }, /* LASTA, LASTB */
    { 0xff3ee000, 0x0530a000 }, /* CLASTA, CLASTB */
    { 0xff38c000, 0x25208000 }, /* CNTP */
    { 0xff38f800, 0x25288800 }, /* INCP, SQINCP, ... */
  };
  uint32_t word = t->word;
  t->insn->sets_flags = true;
  if (a64_matches (word, 0xffa0f000, 0x04205000))
    a64_writes (t, (uint8_t)a64_rd (word)); /* ADDVL, ADDPL, ADDSVL, ... */
  for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
    if (a64_matches (word, writers[i].mask, writers[i].bits))
      a64_writes (t, a64_or_zero (a64_rd (word)));
  if (word >> 29 != 7)
    return true;
  /* A store, of so many bytes at most, before or behind an address.  */
  t->insn->op = OP_STORE;
  t->insn->memory = true;
  t->insn->base = (uint8_t)a64_rn (word);
  t->insn->offset = -4096;
  t->insn->width = 8192;
  return true;
}
