/* Composing and decoding compact unwind encodings, a 32-bit word for a
   function.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The words are Apple's compact_unwind_encoding_t for x86-64 and arm64.
   Sources: the Mach-O header compact_unwind_encoding.h for the layout, and
   LLVM libunwind's CompactUnwinder for the meaning.  Where the header is
   ambiguous, libunwind decides.  */

#ifndef COMPACT_UNWIND_ENCODING_H
#define COMPACT_UNWIND_ENCODING_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"

/* Bits that all machines share.  */
#define CUNWIND_HAS_LSDA UINT32_C (0x40000000)
#define CUNWIND_PERSONALITY_SHIFT 28
#define CUNWIND_PERSONALITY_MASK UINT32_C (0x30000000)
#define CUNWIND_DWARF_OFFSET_MAX UINT32_C (0x00ffffff)

enum
{
  CUNWIND_SAVED_MAX = SAVED_REGISTERS_MAX + 1, /* and FP */
  CUNWIND_PERSONALITIES_MAX = 3                /* 2 bits, counted from 1 */
};

enum cunwind_mode
{
  CUNWIND_NO_INFO,   /* encoding 0: no unwind data for this code */
  CUNWIND_FRAME,     /* CFA = FP + 16; RA and FP saved directly below it */
  CUNWIND_FRAMELESS, /* CFA = SP + stack_size */
  CUNWIND_FRAMELESS_INDIRECT, /* CFA = SP + stack_size + the immediate operand
                                 size_offset bytes into the function */
  CUNWIND_DWARF               /* see the FDE at dwarf_offset in .eh_frame */
};

/* The meaning of an encoding.  */
struct cunwind_frame
{
  enum cunwind_mode mode;
  uint32_t stack_size;   /* bytes */
  uint8_t size_offset;   /* bytes */
  uint32_t dwarf_offset; /* bytes */
  uint8_t n_saved;       /* registers saved on the stack, in ascending order of
                            addresses */
  struct cunwind_saved
  {
    uint16_t reg;   /* DWARF number */
    int32_t offset; /* from the CFA, bytes */
  } saved[CUNWIND_SAVED_MAX];
};

/* Whether the format exists for ARCH.  */
bool cunwind_supports (const struct arch *arch);

/* Encode FRAME.  False if no encoding has exactly that meaning.  */
bool cunwind_encode (const struct arch *arch,
                     const struct cunwind_frame *frame, uint32_t *encoding);

/* Decode ENCODING; its LSDA and personality bits are ignored.  False if
   readers reject it.  */
bool cunwind_decode (const struct arch *arch, uint32_t encoding,
                     struct cunwind_frame *frame);

/* Convert N registers (numbers 1 to 6, all different) to the permutation
   number of a frameless encoding, and back.  */
uint32_t cunwind_permutation_encode (const uint8_t *registers, unsigned n);
bool cunwind_permutation_decode (uint32_t permutation, unsigned n,
                                 uint8_t *registers);

#endif /* COMPACT_UNWIND_ENCODING_H */
