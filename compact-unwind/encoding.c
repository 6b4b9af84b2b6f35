/* Composing and decoding compact unwind encodings.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "compact-unwind/encoding.h"

#define MODE_MASK UINT32_C (0x0f000000)

/* x86-64.  */
#define AMD64_RBP_FRAME UINT32_C (0x01000000)
#define AMD64_STACK_IMMEDIATE UINT32_C (0x02000000)
#define AMD64_STACK_INDIRECT UINT32_C (0x03000000)
#define AMD64_DWARF UINT32_C (0x04000000)

/* arm64.  */
#define ARM64_FRAMELESS UINT32_C (0x02000000)
#define ARM64_DWARF UINT32_C (0x03000000)
#define ARM64_FRAME UINT32_C (0x04000000)
#define ARM64_STACK_SHIFT 12
#define ARM64_STACK_UNITS_MAX 0xfff /* of 16 bytes */
#define ARM64_PAIRS UINT32_C (0x00000f1f)

enum
{
  AMD64_RBP = 6,         /* its register number in the format */
  AMD64_REGISTERS = 6,   /* rbx, r12 to r15, rbp */
  AMD64_FRAME_SLOTS = 5, /* registers in an RBP frame's encoding */
  AMD64_FIELD_MAX = 255, /* of 8-bit offsets and sizes */
  AMD64_ADJUST_MAX = 7,  /* of the 3-bit adjustment */
  AMD64_FIELD_SHIFT = 16,
  AMD64_ADJUST_SHIFT = 13,
  AMD64_COUNT_SHIFT = 10,
  AMD64_PERMUTATION = 0x3ff,

  FRAME_SIZE = 16 /* FP and RA, below the CFA */
};

/* DWARF register numbers, by the format's numbers, which count from 1.  */
static const uint16_t amd64_registers[] = { 0, 3, 12, 13, 14, 15, 6 };

/* The bit of each register pair, and the DWARF number of its first register.
   The bits are in the order of the pairs on the stack.  */
static const struct
{
  uint32_t bit;
  uint16_t reg;
} arm64_pairs[] = { { 0x001, 19 }, { 0x002, 21 }, { 0x004, 23 },
                    { 0x008, 25 }, { 0x010, 27 }, { 0x100, 72 },
                    { 0x200, 74 }, { 0x400, 76 }, { 0x800, 78 } };

bool
cunwind_supports (const struct arch *arch)
{
  return arch == &arch_amd64 || arch == &arch_aarch64;
}

/* ---- Permutations of registers */

uint32_t
cunwind_permutation_encode (const uint8_t *registers, unsigned n)
{
  /* The permutation is a number in a mixed radix.  Digit I is the rank of
     register I among those not yet listed, and has 6 - I values.  */
  uint32_t permutation = 0;
  for (unsigned i = 0; i < n; i++)
    {
      unsigned rank = registers[i] - 1u;
      for (unsigned j = 0; j < i; j++)
        rank -= registers[j] < registers[i];
      permutation = permutation * (AMD64_REGISTERS - i) + rank;
    }
  return permutation;
}

bool
cunwind_permutation_decode (uint32_t permutation, unsigned n,
                            uint8_t *registers)
{
  uint32_t digits[AMD64_REGISTERS];
  if (n > AMD64_REGISTERS)
    return false;
  for (unsigned i = n; i-- > 0; permutation /= AMD64_REGISTERS - i)
    digits[i] = permutation % (AMD64_REGISTERS - i);
  if (permutation != 0)
    return false;
  bool used[AMD64_REGISTERS + 1] = { false };
  for (unsigned i = 0; i < n; i++)
    {
      uint32_t rank = digits[i];
      for (unsigned reg = 1; reg <= AMD64_REGISTERS; reg++)
        if (!used[reg] && rank-- == 0)
          {
            used[reg] = true;
            registers[i] = (uint8_t)reg;
            break;
          }
    }
  return true;
}

/* ---- x86-64 */

/* Return the format's number of DWARF register REG, or 0.  */
static uint8_t
amd64_number (uint16_t reg)
{
  for (unsigned i = 1; i <= AMD64_REGISTERS; i++)
    if (amd64_registers[i] == reg)
      return (uint8_t)i;
  return 0;
}

static bool
amd64_encode_frame (const struct cunwind_frame *frame, uint32_t *encoding)
{
  uint32_t slots = 0, depth = 0;
  for (unsigned i = 0; i < frame->n_saved; i++)
    {
      /* In bytes below RBP, which points FRAME_SIZE below the CFA.  */
      int64_t below = -((int64_t)frame->saved[i].offset + FRAME_SIZE);
      uint8_t number = amd64_number (frame->saved[i].reg);
      if (below <= 0 || below % 8 != 0 || below / 8 > AMD64_FIELD_MAX
          || number == 0 || number == AMD64_RBP)
        return false;
      if (i == 0) /* the lowest address is that of the first slot */
        depth = (uint32_t)(below / 8);
      uint32_t slot = depth - (uint32_t)(below / 8);
      if (slot >= AMD64_FRAME_SLOTS || (slots >> 3 * slot & 7) != 0)
        return false;
      slots |= (uint32_t)number << 3 * slot;
    }
  *encoding = AMD64_RBP_FRAME | depth << AMD64_FIELD_SHIFT | slots;
  return true;
}

/* Encode the registers that a frameless function saves: directly below the
   return address, without gaps.  */
static bool
amd64_encode_saved (const struct cunwind_frame *frame, uint32_t *bits)
{
  uint8_t registers[AMD64_REGISTERS];
  uint8_t seen = 0;
  if (frame->n_saved > AMD64_REGISTERS)
    return false;
  for (unsigned i = 0; i < frame->n_saved; i++)
    {
      registers[i] = amd64_number (frame->saved[i].reg);
      if (registers[i] == 0 || (seen >> registers[i] & 1)
          || frame->saved[i].offset != -8 - 8 * (int32_t)(frame->n_saved - i))
        return false;
      seen |= (uint8_t)(1u << registers[i]);
    }
  *bits = (uint32_t)frame->n_saved << AMD64_COUNT_SHIFT
          | cunwind_permutation_encode (registers, frame->n_saved);
  return true;
}

static bool
amd64_encode_frameless (const struct cunwind_frame *frame, uint32_t *encoding)
{
  uint32_t bits;
  if (frame->stack_size % 8 != 0 || !amd64_encode_saved (frame, &bits))
    return false;
  uint32_t words = frame->stack_size / 8;
  if (frame->mode == CUNWIND_FRAMELESS_INDIRECT)
    {
      *encoding = AMD64_STACK_INDIRECT
                  | (uint32_t)frame->size_offset << AMD64_FIELD_SHIFT
                  | words << AMD64_ADJUST_SHIFT | bits;
      return words <= AMD64_ADJUST_MAX;
    }
  *encoding = AMD64_STACK_IMMEDIATE | words << AMD64_FIELD_SHIFT | bits;
  /* The return address and the saved registers are part of the frame.  */
  return words <= AMD64_FIELD_MAX && words >= 1u + frame->n_saved;
}

static bool
amd64_decode_frame (uint32_t encoding, struct cunwind_frame *frame)
{
  int32_t depth = (int32_t)(encoding >> AMD64_FIELD_SHIFT & 0xff);
  frame->mode = CUNWIND_FRAME;
  for (int32_t slot = 0; slot < AMD64_FRAME_SLOTS; slot++)
    {
      unsigned number = encoding >> 3 * slot & 7;
      if (number >= AMD64_RBP)
        return false;
      if (number == 0)
        continue;
      frame->saved[frame->n_saved++] = (struct cunwind_saved){
        .reg = amd64_registers[number],
        .offset = -FRAME_SIZE - 8 * (depth - slot),
      };
    }
  return true;
}

static bool
amd64_decode_frameless (uint32_t encoding, struct cunwind_frame *frame)
{
  uint8_t registers[AMD64_REGISTERS];
  unsigned n = encoding >> AMD64_COUNT_SHIFT & 7;
  uint32_t field = encoding >> AMD64_FIELD_SHIFT & 0xff;
  if (!cunwind_permutation_decode (encoding & AMD64_PERMUTATION, n, registers))
    return false;
  if ((encoding & MODE_MASK) == AMD64_STACK_INDIRECT)
    {
      frame->mode = CUNWIND_FRAMELESS_INDIRECT;
      frame->size_offset = (uint8_t)field;
      frame->stack_size = 8 * (encoding >> AMD64_ADJUST_SHIFT & 7);
    }
  else
    {
      frame->mode = CUNWIND_FRAMELESS;
      frame->stack_size = 8 * field;
    }
  for (unsigned i = 0; i < n; i++)
    frame->saved[frame->n_saved++]
        = (struct cunwind_saved){ .reg = amd64_registers[registers[i]],
                                  .offset = -8 - 8 * (int32_t)(n - i) };
  return true;
}

static bool
amd64_encode (const struct cunwind_frame *frame, uint32_t *encoding)
{
  switch (frame->mode)
    {
    case CUNWIND_FRAME:
      return amd64_encode_frame (frame, encoding);
    case CUNWIND_FRAMELESS:
    case CUNWIND_FRAMELESS_INDIRECT:
      return amd64_encode_frameless (frame, encoding);
    default:
      *encoding = AMD64_DWARF | frame->dwarf_offset;
      return frame->dwarf_offset <= CUNWIND_DWARF_OFFSET_MAX;
    }
}

static bool
amd64_decode (uint32_t encoding, struct cunwind_frame *frame)
{
  switch (encoding & MODE_MASK)
    {
    case AMD64_RBP_FRAME:
      return amd64_decode_frame (encoding, frame);
    case AMD64_STACK_IMMEDIATE:
    case AMD64_STACK_INDIRECT:
      return amd64_decode_frameless (encoding, frame);
    case AMD64_DWARF:
      frame->mode = CUNWIND_DWARF;
      frame->dwarf_offset = encoding & CUNWIND_DWARF_OFFSET_MAX;
      return true;
    default:
      return false;
    }
}

/* ---- arm64 */

/* Encode FRAME's registers as pairs, which lie directly below FP from higher
   to lower addresses.  The first register of a pair has the higher
   address.  */
static bool
arm64_encode_pairs (const struct cunwind_frame *frame, uint32_t *bits)
{
  unsigned pair = 0;
  if (frame->n_saved % 2 != 0)
    return false;
  *bits = 0;
  for (unsigned i = 0; i < frame->n_saved; i += 2)
    {
      const struct cunwind_saved *first
          = &frame->saved[frame->n_saved - 1 - i];
      const struct cunwind_saved *second = first - 1;
      const unsigned n = sizeof arm64_pairs / sizeof arm64_pairs[0];
      while (pair < n && arm64_pairs[pair].reg != first->reg)
        pair++;
      int32_t slot = -FRAME_SIZE - 8 * (int32_t)(i + 1);
      if (pair == n || second->reg != first->reg + 1 || first->offset != slot
          || second->offset != slot - 8)
        return false;
      *bits |= arm64_pairs[pair++].bit;
    }
  return true;
}

static void
arm64_decode_pairs (uint32_t encoding, struct cunwind_frame *frame)
{
  struct cunwind_saved descending[CUNWIND_SAVED_MAX] = { 0 };
  unsigned n = 0;
  for (unsigned i = 0; i < sizeof arm64_pairs / sizeof arm64_pairs[0]; i++)
    for (uint16_t second = 0; second < 2 && encoding & arm64_pairs[i].bit;
         second++, n++)
      descending[n] = (struct cunwind_saved){
        .reg = (uint16_t)(arm64_pairs[i].reg + second),
        .offset = -FRAME_SIZE - 8 * (int32_t)(n + 1),
      };
  frame->n_saved = (uint8_t)n;
  for (unsigned i = 0; i < n; i++)
    frame->saved[i] = descending[n - 1 - i];
}

static bool
arm64_encode (const struct cunwind_frame *frame, uint32_t *encoding)
{
  uint32_t bits;
  switch (frame->mode)
    {
    case CUNWIND_FRAME:
      if (!arm64_encode_pairs (frame, &bits))
        return false;
      *encoding = ARM64_FRAME | bits;
      return true;
    case CUNWIND_FRAMELESS:
      *encoding
          = ARM64_FRAMELESS | frame->stack_size / 16 << ARM64_STACK_SHIFT;
      /* By the header, saved registers lie directly below the CFA, but
         libunwind reads them one word higher.  So such frames are not
         encoded.  */
      return frame->n_saved == 0 && frame->stack_size % 16 == 0
             && frame->stack_size / 16 <= ARM64_STACK_UNITS_MAX;
    case CUNWIND_FRAMELESS_INDIRECT:
      return false;
    default:
      *encoding = ARM64_DWARF | frame->dwarf_offset;
      return frame->dwarf_offset <= CUNWIND_DWARF_OFFSET_MAX;
    }
}

static bool
arm64_decode (uint32_t encoding, struct cunwind_frame *frame)
{
  switch (encoding & MODE_MASK)
    {
    case ARM64_FRAME:
      frame->mode = CUNWIND_FRAME;
      arm64_decode_pairs (encoding, frame);
      return true;
    case ARM64_FRAMELESS:
      frame->mode = CUNWIND_FRAMELESS;
      frame->stack_size
          = 16 * (encoding >> ARM64_STACK_SHIFT & ARM64_STACK_UNITS_MAX);
      return (encoding & ARM64_PAIRS) == 0;
    case ARM64_DWARF:
      frame->mode = CUNWIND_DWARF;
      frame->dwarf_offset = encoding & CUNWIND_DWARF_OFFSET_MAX;
      return true;
    default:
      return false;
    }
}

bool
cunwind_encode (const struct arch *arch, const struct cunwind_frame *frame,
                uint32_t *encoding)
{
  *encoding = 0;
  if (frame->mode == CUNWIND_NO_INFO)
    return true;
  return arch == &arch_amd64 ? amd64_encode (frame, encoding)
                             : arm64_encode (frame, encoding);
}

bool
cunwind_decode (const struct arch *arch, uint32_t encoding,
                struct cunwind_frame *frame)
{
  *frame = (struct cunwind_frame){ .mode = CUNWIND_NO_INFO };
  if ((encoding & MODE_MASK) == 0)
    return true;
  return arch == &arch_amd64 ? amd64_decode (encoding, frame)
                             : arm64_decode (encoding, frame);
}
